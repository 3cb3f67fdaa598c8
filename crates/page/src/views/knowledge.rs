//! Knowledge: what was written about parts of the code, and how much these have changed since.

use std::collections::BTreeMap;

use base::words::counted;
use base::{NextCall, Problem, Result};
use engine::contract::page::Render;
use maud::{Markup, html};
use operations::ops::typed::{
    AtomDetails, Drift, DriftAnswer, KnowledgeSearch, KnowledgeShow, MoleculeDetails, WorkSearch,
};
use serde_json::json;

use crate::changes;
use crate::components::{self, Tone, badge, heading, section};
use crate::layout::{Crumb, NavSection, Screen};
use crate::links;
use crate::markdown::prose;
use crate::routes::{ViewContext, ViewResult};

/// Share of changed lines, in percent, from which knowledge is in doubt.
const DOUBTFUL_PERCENT: u32 = 20;

/// Folders that are listed because nothing is written about them.
const MAX_FOLDERS: usize = 30;

/// All molecules and atoms.
pub(crate) fn knowledge(context: &ViewContext<'_>) -> Result<ViewResult> {
    let (asker, request) = (&context.asker, context.request);
    let offset = request.number("offset").unwrap_or(0);
    let atoms = asker.ask_optional::<KnowledgeSearch>(
        json!({"query": "", "kind": "atom", "limit": 100, "offset": offset}),
    )?;
    let molecules = asker
        .ask_optional::<KnowledgeSearch>(json!({"query": "", "kind": "molecule", "limit": 100}))?;
    let drift = asker.ask_optional::<Drift>(json!({"limit": 1000}))?;
    let names: BTreeMap<String, String> = molecules
        .iter()
        .flat_map(|answer| answer.molecules.iter().flatten())
        .map(|one| (one.id.to_string(), one.name.clone()))
        .collect();
    let shown: &[AtomDetails] =
        atoms.as_ref().and_then(|answer| answer.atoms.as_deref()).unwrap_or_default();
    let total = atoms.as_ref().and_then(Render::paging).map_or(0, |paging| paging.total);
    let changed = changed_percent(drift.as_ref());
    let stale = drift.as_ref().map_or(0, |drift| drift.atoms.len());
    let lead = format!("{}, {stale} about code that has changed since", counted(total, "atom"));
    let body = html! {
        (heading(html! { "Knowledge" }, if total == 0 { "" } else { &lead }))
        @if shown.is_empty() && names.is_empty() { (no_knowledge(context)?) } @else {
            (table(shown, &names, &changed))
            @if let Some(answer) = &atoms { (components::pager(request, answer.paging(), shown.len())) }
            @if !names.is_empty() {
                (section("Molecules", Some(names.len()), html! {
                    ul.list { @for (id, name) in &names { li { a.node href=(links::address("molecule", id)) { (name) } } } }
                }))
            }
        }
        @if let Some(drift) = &drift { (uncovered(drift)) }
    };
    Ok(Screen::new(NavSection::Knowledge, "Knowledge", body).into())
}

/// Folders that no atom is about. What cairn itself writes needs no explanation.
fn uncovered(drift: &DriftAnswer) -> Markup {
    let folders = drift.uncovered.iter().filter(|folder| !folder.path.starts_with(".cairn"));
    let folders: Vec<_> = folders.collect();
    if folders.is_empty() {
        return html! {};
    }
    let list = html! {
        ul.list.tight.several {
            @for folder in folders.iter().take(MAX_FOLDERS) {
                li { a.path href=(links::address("file", &folder.path)) { (if folder.path == "." { "the top folder" } else { &folder.path }) } " " span.muted { (counted(folder.files, "file")) } }
            }
        }
        @if folders.len() > MAX_FOLDERS { p.muted { (folders.len() - MAX_FOLDERS) " more left out." } }
    };
    section("Folders that nothing is written about", Some(folders.len()), list)
}

/// What to write first. Knowledge belongs to a project.
fn no_knowledge(context: &ViewContext<'_>) -> Result<Markup> {
    let projects = context
        .asker
        .ask_optional::<WorkSearch>(json!({"query": "", "kind": "project", "limit": 1}))?;
    let has_project = projects.is_some_and(|found| !found.items.is_empty());
    let project = NextCall::new("work.create").with("kind", "project").with("name", "its name");
    let atom = NextCall::new("knowledge.create")
        .with("kind", "atom")
        .with("name", "its name")
        .with("paths", json!(["src/**"]))
        .with("knowledge", "What to know");
    Ok(html! {
        @if !has_project { (components::empty("Knowledge belongs to a project, and there is none yet. It is created by", Some(&project))) }
        (components::empty(
            "Nothing is written down yet. An atom says what one should know about some paths; agents read it before they change them. The first one is written by",
            Some(&atom),
        ))
    })
}

/// How many percent of the code of an atom changed since it was written, by the atom's id.
fn changed_percent(drift: Option<&DriftAnswer>) -> BTreeMap<&str, u32> {
    let atoms = drift.into_iter().flat_map(|drift| &drift.atoms);
    atoms
        .filter_map(|atom| atom.drift.as_ref().map(|drift| (atom.id.as_str(), drift.percent)))
        .collect()
}

/// Atoms with how much of their code changed; a search does not look at that.
fn table(
    atoms: &[AtomDetails],
    molecules: &BTreeMap<String, String>,
    changed: &BTreeMap<&str, u32>,
) -> Markup {
    html! {
        div.scroll {
            table.stack.flow {
                thead { tr { th { "Atom" } th { "About" } th.fit { "Written" } th.fit { "Its code since then" } } }
                tbody {
                    @for atom in atoms {
                        tr {
                            td.main {
                                a.node href=(links::address("atom", atom.id.as_str())) { (atom.name) }
                                @if let Some(name) = atom.molecule_id.as_ref().and_then(|id| molecules.get(id.as_str())) {
                                    span.why { (name) }
                                }
                            }
                            td { span.muted { (components::breakable(&atom.paths.join(", "))) } }
                            td.fit { (components::day(&atom.updated_at)) }
                            td.fit { (age(changed.get(atom.id.as_str()).copied())) }
                        }
                    }
                }
            }
        }
    }
}

/// How much of what an atom is about has changed since it was written.
fn age(percent: Option<u32>) -> Markup {
    match percent {
        Some(percent) if percent >= DOUBTFUL_PERCENT => {
            badge(&format!("{percent} % changed"), Tone::Bad)
        }
        Some(percent) => badge(&format!("{percent} % changed"), Tone::Warn),
        None => badge("up to date", Tone::Good),
    }
}

/// One atom.
pub(crate) fn atom(context: &ViewContext<'_>) -> Result<ViewResult> {
    let answer = context.asker.ask::<KnowledgeShow>(
        json!({"id": format!("atom:{}", context.name), "include_changelog": true}),
    )?;
    let atom =
        answer.atom.ok_or_else(|| Problem::not_found(format!("no atom `{}`", context.name)))?;
    let drift = atom.drift.as_ref().filter(|drift| !drift.is_none());
    let body = html! {
        (heading(html! { (atom.name) }, &atom.paths.join(", ")))
        div.toolbar {
            (age(drift.map(|drift| drift.percent)))
            span.muted { "written " (components::day(&atom.updated_at)) }
            a.button href=(links::graph(&format!("atom:{}", atom.id))) { "Graph" }
        }
        @if let Some(drift) = drift {
            div.notice.warn {
                p {
                    "Since it was written, " (what_changed(drift.changed, drift.added, drift.removed)) ". "
                    @if !context.read_only { "Read it again: an edit, also one that changes no word, records that it holds." }
                }
            }
        }
        div.columns {
            div {
                (section("What to know", None, html! { div.prose.card { (prose(&atom.knowledge)) } }))
                (edit_form(context, atom.id.as_str(), atom.version, &atom.knowledge))
            }
            aside {
                (section("Paths", Some(atom.paths.len()), html! { ul.list.tight { @for path in &atom.paths { li { code { (path) } } } } }))
                @if !atom.related_atoms.is_empty() {
                    (section("Related", Some(atom.related_atoms.len()), html! {
                        ul.list { @for one in &atom.related_atoms { li { a.node href=(links::address("atom", one.atom_id.as_str())) { (one.name) } span.excerpt { (one.reason) } } } }
                    }))
                }
                (changelog(atom.changelog.iter().map(|entry| (entry.created_at.as_str(), entry.summary.as_str()))))
            }
        }
    };
    let crumbs = vec![Crumb::to("Knowledge", "/knowledge"), Crumb::here(atom.name.clone())];
    Ok(Screen::new(NavSection::Knowledge, atom.name.clone(), body).at(crumbs).into())
}

/// A sentence about what happened to the files of an atom; zero counts are left out.
fn what_changed(changed: usize, added: usize, removed: usize) -> String {
    let parts = [(changed, "changed"), (added, "added"), (removed, "removed")];
    let said = parts.iter().filter(|(count, _)| *count > 0);
    let said = said.map(|(count, word)| format!("{} {word}", counted(*count, "file")));
    said.collect::<Vec<_>>().join(", ")
}

/// One molecule with its atoms.
pub(crate) fn molecule(context: &ViewContext<'_>) -> Result<ViewResult> {
    let answer = context.asker.ask::<KnowledgeShow>(
        json!({"id": format!("molecule:{}", context.name), "include_changelog": true}),
    )?;
    let Some(MoleculeDetails { id, name, knowledge, version, changelog: entries, .. }) =
        answer.molecule
    else {
        return Err(Problem::not_found(format!("no molecule `{}`", context.name)));
    };
    let atoms = answer.atoms.unwrap_or_default();
    let drift = context.asker.ask_optional::<Drift>(json!({"limit": 1000}))?;
    let changed = changed_percent(drift.as_ref());
    let body = html! {
        (heading(html! { (name) }, &counted(atoms.len(), "atom")))
        div.columns {
            div {
                (section("What to know", None, html! { div.prose.card { (prose(&knowledge)) } }))
                (edit_form(context, id.as_str(), version, &knowledge))
                @if !atoms.is_empty() { (section("Atoms", Some(atoms.len()), table(&atoms, &BTreeMap::new(), &changed))) }
            }
            aside { (changelog(entries.iter().map(|entry| (entry.created_at.as_str(), entry.summary.as_str())))) }
        }
    };
    let crumbs = vec![Crumb::to("Knowledge", "/knowledge"), Crumb::here(name.clone())];
    Ok(Screen::new(NavSection::Knowledge, name, body).at(crumbs).into())
}

fn edit_form(context: &ViewContext<'_>, id: &str, version: u32, knowledge: &str) -> Markup {
    let version = version.to_string();
    let controls = html! { label { "Knowledge, as Markdown" textarea name="knowledge" rows="14" required { (knowledge) } } };
    let form = changes::stacked_form(
        context,
        "knowledge.update",
        &[("id", id), ("version", &version)],
        controls,
        "Review the edit",
    );
    html! { @if !context.read_only { details.part { summary { "Edit" } (form) } } }
}

fn changelog<'a>(entries: impl Iterator<Item = (&'a str, &'a str)>) -> Markup {
    let entries: Vec<(&str, &str)> = entries.collect();
    if entries.is_empty() {
        return html! {};
    }
    let list = html! { ul.list { @for (at, summary) in &entries { li { (components::day(at)) " " (summary) } } } };
    section("Changes", Some(entries.len()), list)
}
