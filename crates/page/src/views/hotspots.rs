//! Hotspots: files by size and churn, coloured by what they lack.

use std::collections::BTreeSet;

use base::words::counted;
use base::{RepoPath, Result};
use engine::contract::page::Render;
use maud::{Markup, html};
use operations::ops::typed::{CardCoverage, HotspotRow, Hotspots, Impact};
use serde_json::json;
use syntax::FileRole;

use crate::components::{self, Tone, badge, heading};
use crate::layout::{NavSection, Screen};
use crate::links;
use crate::pictures::treemap::{self, TreemapArea};
use crate::routes::{Shown, ViewContext};

/// Files in the picture and the table.
const MAX_FILES: usize = 40;

/// Files whose tests are looked for, which takes a walk each.
const MAX_TESTED_FILES: usize = 24;

/// What the colours say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Overlay {
    Specs,
    Tests,
}

/// The files that change most, as a picture and a table.
pub(crate) fn hotspots(context: &ViewContext<'_>) -> Result<Shown> {
    let (asker, request) = (&context.asker, context.request);
    let path = request.param("path").filter(|path| path != ".");
    let overlay = match request.param("colour").as_deref() {
        Some("tests") => Overlay::Tests,
        _ => Overlay::Specs,
    };
    let limit = if overlay == Overlay::Tests { MAX_TESTED_FILES } else { MAX_FILES };
    let Some(answer) = asker.ask_optional::<Hotspots>(json!({"path": path, "limit": limit}))?
    else {
        let text = "There is no git history here, so nothing is known of what changes. Commit something first.";
        let body = html! { (heading(html! { "Hotspots" }, "")) (components::empty(text, None)) };
        return Ok(Screen::new(NavSection::Hotspots, "Hotspots", body).into());
    };
    let covered = match overlay {
        Overlay::Specs => with_specs(context)?,
        Overlay::Tests => with_tests(context, &answer.files)?,
    };
    let total = answer.paging().map_or(0, |paging| paging.total);
    let below = path.as_ref().map_or_else(String::new, |path| format!(" below {path}"));
    let lead = format!(
        "{} of code{below} by the number of their commits and their size",
        counted(total, "file")
    );
    let body = html! {
        (heading(html! { "Hotspots" }, &lead))
        (tools(path.as_deref(), overlay))
        @if answer.files.is_empty() { (components::empty("No code has changed here in the history that was read.", None)) } @else {
            (picture(&answer.files, &covered))
            (legend(overlay, missing_tone(&covered)))
            @if total > answer.files.len() as u64 {
                p.muted { (total - answer.files.len() as u64) " files that change less are left out." }
            }
            div.part {}
            (table(&answer.files, &covered, overlay))
        }
    };
    Ok(Screen::new(NavSection::Hotspots, "Hotspots", body).into())
}

fn tools(path: Option<&str>, overlay: Overlay) -> Markup {
    let here = path.map_or_else(String::new, |path| format!("&path={}", links::encode(path)));
    let options = [
        ("missing cards", format!("/hotspots?colour=specs{here}")),
        ("missing tests", format!("/hotspots?colour=tests{here}")),
    ];
    let chosen = if overlay == Overlay::Specs { "missing cards" } else { "missing tests" };
    html! {
        div.toolbar {
            (components::choice("Colour by", &options, chosen))
            a.button href={ "/cochange?path=" (links::encode(path.unwrap_or("."))) } { "What changes together" }
        }
    }
}

/// The files that a card is linked from.
fn with_specs(context: &ViewContext<'_>) -> Result<BTreeSet<RepoPath>> {
    let (mut found, mut offset) = (BTreeSet::new(), 0);
    loop {
        let answer = context.asker.ask::<CardCoverage>(json!({"limit": 1000, "offset": offset}))?;
        let links = answer.cards.iter().flat_map(|card| &card.links);
        found.extend(links.filter_map(|link| link.node.path().cloned()));
        offset += answer.cards.len() as u64;
        if answer.cards.is_empty() || answer.paging().is_none_or(|paging| offset >= paging.total) {
            return Ok(found);
        }
    }
}

/// The files that a test reaches.
fn with_tests(context: &ViewContext<'_>, files: &[HotspotRow]) -> Result<BTreeSet<RepoPath>> {
    let mut found = BTreeSet::new();
    for row in files {
        let users = context
            .asker
            .ask_optional::<Impact>(json!({"target": row.path, "depth": 1, "limit": 1}))?;
        let has_test = users.is_some_and(|users| {
            !users.tests.is_empty()
                || users.rows.iter().any(|row| {
                    row.node.path().is_some_and(|path| FileRole::of(path) == FileRole::Test)
                })
        });
        if has_test {
            found.insert(row.path.clone());
        }
    }
    Ok(found)
}

/// The colour of what lacks a card or a test. Where nothing has one, nothing stands out: such a repository
/// does not use them.
fn missing_tone(covered: &BTreeSet<RepoPath>) -> Tone {
    if covered.is_empty() { Tone::Neutral } else { Tone::Warn }
}

fn picture(files: &[HotspotRow], covered: &BTreeSet<RepoPath>) -> Markup {
    let missing = missing_tone(covered);
    let area = |row: &HotspotRow| {
        let commits = counted(row.commits, "commit");
        TreemapArea {
            size: row.score.max(0.01),
            name: row.path.name(),
            note: folder_name(&row.path),
            title: format!("{}: {commits}, {}", row.path, counted(row.lines, "line")),
            address: links::file(&row.path),
            tone: if covered.contains(&row.path) { Tone::Good } else { missing },
        }
    };
    let areas: Vec<TreemapArea> = files.iter().map(area).collect();
    treemap::treemap(&areas, "Files, larger the more they change and the longer they are")
}

/// The folder of a file: many files are called `mod.rs` or `index.ts`.
fn folder_name(path: &RepoPath) -> String {
    let folder = path.parent().filter(|parent| !parent.is_root());
    folder.map_or_else(String::new, |folder| folder.name())
}

fn legend(overlay: Overlay, missing: Tone) -> Markup {
    let (has, lacks) = match overlay {
        Overlay::Specs => ("linked to a card", "no card"),
        Overlay::Tests => ("reached by a test", "no test found"),
    };
    html! {
        ul.legend {
            li { span.swatch.good {} (has) }
            li { span class={ "swatch " (missing.class()) } {} (lacks) }
            li { "Area: commits times the square root of lines" }
        }
    }
}

fn table(files: &[HotspotRow], covered: &BTreeSet<RepoPath>, overlay: Overlay) -> Markup {
    let head = if overlay == Overlay::Specs { "Card" } else { "Test" };
    html! {
        div.scroll {
            table {
                thead { tr { th { "File" } th.number { "Commits" } th.number { "Lines" } th.fit { "Last" } th.fit { (head) } } }
                tbody {
                    @for row in files {
                        tr {
                            td { (components::path_link(&row.path)) }
                            td.number { a href=(links::address("history", &row.path.to_string())) { (row.commits) } }
                            td.number { (row.lines) }
                            td.fit { (components::day(&row.last)) }
                            td.fit {
                                @if covered.contains(&row.path) { (badge("yes", Tone::Good)) } @else { (badge("none", missing_tone(covered))) }
                            }
                        }
                    }
                }
            }
        }
    }
}
