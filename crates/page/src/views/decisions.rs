//! Decisions on a line of time, and every other entity of the knowledge base.

use base::words::counted;
use base::{EntityRef, NextCall, Problem, RepoPath, Result};
use engine::contract::page::Render;
use engine::spec_links::TraceRow;
use maud::{Markup, html};
use operations::ops::typed::{KbQuery, KbQueryAnswer, Matrix};
use serde_json::json;

use super::{confirm, matrix, reasons};
use crate::components::{self, Tone, badge, heading, section};
use crate::layout::{Crumb, NavSection, Screen};
use crate::links;
use crate::markdown::prose;
use crate::pictures::timeline::{self, TimelineEvent};
use crate::routes::{ViewContext, ViewResult};

/// Decisions in the picture and the table.
const MAX_DECISIONS: u64 = 300;

/// The colour of a status.
pub(crate) fn status_tone(status: &str) -> Tone {
    match status {
        "accepted" | "active" | "approved" | "implemented" | "verified" | "closed" | "passing" => {
            Tone::Good
        }
        "failing" => Tone::Bad,
        "in_progress" => Tone::Accent,
        "superseded" | "deprecated" | "rejected" | "obsolete" => Tone::Warn,
        _ => Tone::Neutral,
    }
}

/// All decisions.
pub(crate) fn decisions(context: &ViewContext<'_>) -> Result<ViewResult> {
    let offset = context.request.number("offset").unwrap_or(0);
    let answer = context
        .asker
        .ask::<KbQuery>(json!({"type": ["adr"], "limit": MAX_DECISIONS, "offset": offset}))?;
    let total = answer.paging().map_or(0, |paging| paging.total);
    let body = html! {
        (heading(html! { "Decisions" }, &if total == 0 { String::new() } else { counted(total, "decision") }))
        @if answer.entities.is_empty() { (no_decisions()) } @else {
            (timeline::timeline(&events(&answer), &["in force", "superseded"], "Decisions by the day they were made"))
            div.part {}
            (table(&answer))
        }
        (components::pager(context.request, answer.paging(), answer.entities.len()))
    };
    Ok(Screen::new(NavSection::Decisions, "Decisions", body).into())
}

fn no_decisions() -> Markup {
    components::empty(
        "No decision is recorded. A document in `docs/decisions` that begins with an `id` and a `status` is one. Which documents are read and why others are not is said by",
        Some(&NextCall::new("kb.adopt")),
    )
}

fn events(answer: &KbQueryAnswer) -> Vec<TimelineEvent> {
    let event = |row: &operations::ops::typed::EntityRow| {
        let entity = &row.entity;
        let tone = status_tone(&entity.status);
        Some(TimelineEvent {
            at: timeline::parse(&entity.created_at)?,
            row: usize::from(tone == Tone::Warn),
            title: format!(
                "{}, {}: {}",
                entity.id,
                entity.created_at.get(..10).unwrap_or_default(),
                entity.title
            ),
            address: links::address("kb", &entity.id),
            tone,
        })
    };
    answer.entities.iter().filter_map(event).collect()
}

fn table(answer: &KbQueryAnswer) -> Markup {
    html! {
        div.scroll {
            table.stack.flow {
                thead { tr { th.fit { "Made" } th { "Decision" } th.fit { "Status" } th { "Written in" } } }
                tbody {
                    @for row in &answer.entities {
                        tr {
                            td.fit { (components::day(&row.entity.created_at)) }
                            td.main {
                                a.node href=(links::address("kb", &row.entity.id)) { (row.entity.title) }
                                span.why { (row.entity.id) }
                            }
                            td.fit { (badge(&row.entity.status.replace('_', " "), status_tone(&row.entity.status))) }
                            td { (written_in(row.file.as_deref())) }
                        }
                    }
                }
            }
        }
    }
}

/// The file of an entity, from its place as `path:line`.
fn written_in(place: Option<&str>) -> Markup {
    let parts = place.and_then(|place| place.rsplit_once(':'));
    let parsed =
        parts.and_then(|(path, line)| Some((path.parse::<RepoPath>().ok()?, line.parse().ok()?)));
    html! { @if let Some((path, line)) = parsed { a.path href=(links::line(&path, line)) { (path) } } }
}

/// One entity of the knowledge base: a requirement, scenario, test, decision or fact.
pub(crate) fn entity(context: &ViewContext<'_>) -> Result<ViewResult> {
    let id = context.name.trim_start_matches("kb:");
    let asker = &context.asker;
    let answer = asker.ask::<KbQuery>(json!({"id": [id], "limit": 1}))?;
    let row =
        answer.entities.first().ok_or_else(|| Problem::not_found(format!("no entity `{id}`")))?;
    let around = asker.ask_optional::<KbQuery>(
        json!({"from": [id], "direction": "both", "depth": 1, "limit": 200}),
    )?;
    let reasons =
        asker.ask_optional::<operations::ops::typed::Explain>(json!({"target": row.node}))?;
    let entity = &row.entity;
    let is_requirement = entity.kind.word() == "req";
    let traced = match is_requirement {
        true => asker.ask::<Matrix>(json!({"path": row.node, "limit": 1}))?.rows.pop(),
        false => None,
    };
    let body = html! {
        (heading(html! { (entity.title) }, &entity.id))
        div.toolbar {
            (badge(kind_name(entity.kind.word()), Tone::Neutral))
            (badge(&entity.status.replace('_', " "), status_tone(&entity.status)))
            a.button href=(links::graph(&row.node)) { "Graph" }
        }
        div.columns {
            div {
                @if let Some(text) = &entity.more.text {
                    (section("Text", None, html! { div.prose.card { (prose(text)) } }))
                }
                @if let Some(row) = &traced { (confirmations(context, row)?) }
                @if let Some(around) = &around { (relations(context, around, &entity.id)?) }
            }
            aside {
                (section("Details", None, html! {
                    dl.facts {
                        dt { "Created" } dd { (components::day(&entity.created_at)) }
                        @if !entity.author.is_empty() { dt { "By" } dd { (entity.author) } }
                        @if let Some(owner) = &entity.more.owner { dt { "Owner" } dd { (owner) } }
                        @if !entity.more.tags.is_empty() { dt { "Tags" } dd { (entity.more.tags.join(", ")) } }
                        @if row.file.is_some() { dt { "Written in" } dd { (written_in(row.file.as_deref())) } }
                    }
                }))
                @if let Some(reasons) = &reasons { (reasons::part(reasons)) }
            }
        }
    };
    let (section, above) = match entity.kind.word() {
        "req" | "scenario" | "test" | "symbol" => {
            (NavSection::Matrix, Crumb::to("Matrix", "/matrix"))
        }
        _ => (NavSection::Decisions, Crumb::to("Decisions", "/decisions")),
    };
    let crumbs = vec![above, Crumb::here(entity.id.clone())];
    Ok(Screen::new(section, entity.title.clone(), body).at(crumbs).into())
}

/// The type of an entity as people call it.
fn kind_name(word: &str) -> &str {
    match word {
        "req" => "requirement",
        "adr" => "decision",
        other => other,
    }
}

/// What a requirement is linked with, and whether somebody confirmed it.
fn confirmations(context: &ViewContext<'_>, row: &TraceRow) -> Result<Markup> {
    let all: Vec<_> = matrix::linked_ends(row).collect();
    if all.is_empty() {
        return Ok(html! {});
    }
    let names = context.asker.names(all.iter().map(|(node, _)| *node))?;
    let spec = row.node.to_string();
    let list = html! {
        ul.list {
            @for (number, (node, state)) in all.iter().enumerate() {
                li {
                    (components::named_link(node, &names))
                    (confirm::link_state(context, &spec, &node.to_string(), *state, number))
                }
            }
        }
    };
    Ok(section("Linked with", Some(all.len()), list))
}

/// The relations of an entity; `own` is its id, which needs no link to itself.
fn relations(context: &ViewContext<'_>, answer: &KbQueryAnswer, own: &str) -> Result<Markup> {
    if answer.relations.is_empty() {
        return Ok(html! {});
    }
    let node = |id: &str| {
        let handle = if id.contains(':') { id.to_owned() } else { format!("kb:{id}") };
        handle.parse::<EntityRef>().ok()
    };
    let ends = answer.relations.iter().flat_map(|row| [&row.relation.from, &row.relation.to]);
    let nodes: Vec<EntityRef> = ends.filter_map(|id| node(id)).collect();
    let names = context.asker.names(&nodes)?;
    let end = |id: &str| match node(id) {
        _ if id == own => html! { span.muted { "this" } },
        Some(node) => components::named_link(&node, &names),
        None => html! { (id) },
    };
    let table = html! {
        div.scroll {
            table.stack.flow {
                thead { tr { th { "From" } th.fit { "Relation" } th { "To" } } }
                tbody {
                    @for row in &answer.relations {
                        tr { td { (end(&row.relation.from)) } td.fit { (badge(&row.relation.relates.word().replace('_', " "), Tone::Neutral)) } td { (end(&row.relation.to)) } }
                    }
                }
            }
        }
    };
    Ok(section("Relations", Some(answer.relations.len()), table))
}
