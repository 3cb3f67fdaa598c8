//! A project, feature or task: its text, status, blocks and comments.

use base::{Problem, Result};
use engine::contract::page::Render;
use maud::{Markup, html};
use operations::ops::typed::{StateAnswer, WorkSearch, WorkShow, WorkShowAnswer, WorkState};
use serde_json::json;
use work::container::WorkItemBrief;
use work::record::WorkEvent;
use work::words::{WorkEventKind, WorkStatus};

use crate::changes;
use crate::components::{self, Tone, badge, heading, section};
use crate::layout::{Crumb, NavSection, Screen};
use crate::links;
use crate::markdown::prose;
use crate::routes::{ViewContext, ViewResult};

/// How many tasks of a feature, or features of a project, are listed.
const MAX_CHILDREN: usize = 100;

/// A status as people read it.
pub(crate) const fn status_name(status: WorkStatus) -> &'static str {
    match status {
        WorkStatus::New => "New",
        WorkStatus::Active => "Active",
        WorkStatus::ToBeTested => "To be tested",
        WorkStatus::ReadyToProd => "Ready",
        WorkStatus::Closed => "Closed",
        WorkStatus::WillNotImplement => "Will not be done",
    }
}

const fn status_tone(status: WorkStatus) -> Tone {
    match status {
        WorkStatus::New => Tone::Neutral,
        WorkStatus::Active | WorkStatus::ToBeTested | WorkStatus::ReadyToProd => Tone::Accent,
        WorkStatus::Closed => Tone::Good,
        WorkStatus::WillNotImplement => Tone::Warn,
    }
}

/// A step that a task or feature can take: the operation, and the status that it leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StatusMove {
    operation: &'static str,
    to: WorkStatus,
}

/// The steps from a status in a pipeline. Blocked work cannot move on.
pub(crate) fn possible_moves(
    pipeline: &[WorkStatus],
    status: WorkStatus,
    is_blocked: bool,
) -> Vec<StatusMove> {
    let at = pipeline.iter().position(|one| *one == status);
    let next = at.and_then(|at| pipeline.get(at + 1)).filter(|_| !is_blocked);
    let before = at.and_then(|at| at.checked_sub(1)).and_then(|at| pipeline.get(at));
    let ended = (!status.is_terminal()).then_some(&WorkStatus::WillNotImplement);
    let all = [("work.advance", next), ("work.revert", before), ("work.terminate", ended)];
    let possible = all.into_iter().filter_map(|(operation, to)| Some((operation, *to?)));
    possible.map(|(operation, to)| StatusMove { operation, to }).collect()
}

/// A form that moves a task or feature; nothing if it cannot move.
pub(crate) fn move_form(
    context: &ViewContext<'_>,
    item: &WorkItemBrief,
    hidden: &[(&str, &str)],
    moves: &[StatusMove],
) -> Markup {
    if moves.is_empty() {
        return html! {};
    }
    let field = format!("move-{}", item.id);
    let controls = html! {
        label.hidden for=(field) { "Move " (item.name) " to" }
        select #(field) name="operation" {
            @for one in moves {
                option value=(one.operation) data-to=(one.to.word()) { "to " (status_name(one.to)) }
            }
        }
    };
    changes::inline_form(context, "", hidden, controls, "Move")
}

/// One project, feature or task.
pub(crate) fn item(context: &ViewContext<'_>) -> Result<ViewResult> {
    let (kind, id) = context.request.route();
    let handle = format!("{kind}:{}", id.trim_start_matches(&format!("{kind}:")));
    let asker = &context.asker;
    let answer = asker.ask::<WorkShow>(json!({"id": handle, "include_sections": true}))?;
    let state = asker.ask_optional::<WorkState>(json!({"id": handle}))?;
    let facts =
        ItemFacts::of(&answer).ok_or_else(|| Problem::not_found(format!("no {kind} `{id}`")))?;
    let body = html! {
        (heading(html! { (facts.name) }, facts.summary))
        div.toolbar {
            (badge(&kind, Tone::Neutral))
            @if let Some(state) = &state { (state_tools(context, &facts, state)) }
            a.button href=(links::graph(&handle)) { "Graph" }
        }
        div.columns {
            div {
                @if !facts.description.trim().is_empty() {
                    (section("Description", None, html! { div.prose.card { (prose(facts.description)) } }))
                }
                (sections(&answer))
                (children(context, &kind, &facts.id)?)
                (comments(context, &facts, &answer))
            }
            aside {
                (section("Details", None, fields(&answer, &facts)))
                @if let Some(state) = &state { (blockers(state)) }
                (dependencies(&answer, &facts.id))
                (events(&answer))
            }
        }
    };
    Ok(Screen::new(NavSection::Board, facts.name, body).at(crumbs(context, &answer, &facts)).into())
}

/// What projects, features and tasks have in common.
struct ItemFacts<'a> {
    id: String,
    name: &'a str,
    summary: &'a str,
    description: &'a str,
    tags: &'a [String],
    version: u32,
    created: &'a str,
    updated: &'a str,
}

impl<'a> ItemFacts<'a> {
    fn of(answer: &'a WorkShowAnswer) -> Option<Self> {
        macro_rules! facts {
            ($record:expr, $name:ident) => {
                Self {
                    id: $record.id.to_string(),
                    name: &$record.$name,
                    summary: &$record.summary,
                    description: &$record.description,
                    tags: &$record.tags,
                    version: $record.version,
                    created: &$record.created_at,
                    updated: &$record.updated_at,
                }
            };
        }
        if let Some(task) = &answer.task {
            return Some(facts!(task, title));
        }
        if let Some(feature) = &answer.feature {
            return Some(facts!(feature, name));
        }
        answer.project.as_ref().map(|project| facts!(project, name))
    }
}

fn state_tools(context: &ViewContext<'_>, facts: &ItemFacts<'_>, state: &StateAnswer) -> Markup {
    let status = state.what.status.unwrap_or(WorkStatus::New);
    let version = facts.version.to_string();
    let moves = possible_moves(&state.position.pipeline, status, state.is_blocked);
    html! {
        (badge(status_name(status), status_tone(status)))
        @if state.is_blocked { (badge("blocked", Tone::Bad)) }
        (move_form(context, &state.what, &[("id", &facts.id), ("version", &version)], &moves))
    }
}

fn sections(answer: &WorkShowAnswer) -> Markup {
    let all = answer.sections.as_deref().unwrap_or_default();
    html! {
        @for one in all {
            (section(&one.title, None, html! {
                @if one.content.trim().is_empty() { p.muted { (one.usage_description) } }
                @else { div.prose { (prose(&one.content)) } }
            }))
        }
    }
}

/// The tasks of a feature, or the features of a project.
fn children(context: &ViewContext<'_>, kind: &str, id: &str) -> Result<Markup> {
    let (title, args) = match kind {
        "feature" => {
            ("Tasks", json!({"query": "", "kind": "task", "feature": id, "limit": MAX_CHILDREN}))
        }
        "project" => (
            "Features",
            json!({"query": "", "kind": "feature", "project": id, "limit": MAX_CHILDREN}),
        ),
        _ => return Ok(html! {}),
    };
    let found = context.asker.ask::<WorkSearch>(args)?;
    let total = found.paging().map_or(0, |paging| paging.total);
    let list = html! {
        @if found.items.is_empty() { p.muted { "There are none yet." } } @else {
            div.scroll {
                table.stack.flow {
                    thead { tr { th { "Name" } th.fit { "Status" } th.fit { "Changed" } } }
                    tbody {
                        @for row in &found.items {
                            tr {
                                td.main { a.node href=(links::address(row.what.kind.word(), row.what.id.as_str())) { (row.what.name) } }
                                td.fit { @if let Some(status) = row.what.status { (badge(status_name(status), status_tone(status))) } }
                                td.fit { (components::day(&row.people.updated_at)) }
                            }
                        }
                    }
                }
            }
            @if total > found.items.len() as u64 { p.muted { (total - found.items.len() as u64) " more left out." } }
        }
    };
    Ok(section(title, usize::try_from(total).ok(), list))
}

/// The comments, and a form to add one.
fn comments(context: &ViewContext<'_>, facts: &ItemFacts<'_>, answer: &WorkShowAnswer) -> Markup {
    let is_comment = |event: &&WorkEvent| event.kind == WorkEventKind::Comment;
    let said: Vec<&WorkEvent> = answer.history.iter().filter(is_comment).collect();
    // Nobody can comment on a project.
    if said.is_empty() && answer.project.is_some() {
        return html! {};
    }
    let controls = html! { label { "Comment" textarea.short name="text" required {} } };
    let form = match answer.project {
        Some(_) => html! {},
        None => changes::stacked_form(
            context,
            "work.comment",
            &[("id", &facts.id)],
            controls,
            "Add comment",
        ),
    };
    let body = html! {
        @if said.is_empty() { p.muted { "Nobody has commented." } }
        @for one in &said {
            article.card.part {
                p.muted { (one.actor) ", " (components::day(&one.at)) }
                div.prose { (prose(&one.text)) }
            }
        }
        (form)
    };
    section("Comments", Some(said.len()), body)
}

/// What happened to it, newest first.
fn events(answer: &WorkShowAnswer) -> Markup {
    let events: Vec<&WorkEvent> =
        answer.history.iter().filter(|event| event.kind != WorkEventKind::Comment).collect();
    if events.is_empty() {
        return html! {};
    }
    let list = html! {
        ul.list {
            @for event in events.iter().rev() {
                li { (event_text(&event.text)) span.excerpt { (event.actor) ", " (components::day(&event.at)) } }
            }
        }
        @if answer.older_events > 0 { p.muted { (answer.older_events) " older are not shown." } }
    };
    section("What happened", Some(events.len()), list)
}

/// An event as people read it: a change of status is stored with the words of the pipeline.
fn event_text(text: &str) -> String {
    let name = |word: &str| {
        word.parse::<WorkStatus>()
            .map_or_else(|_| word.to_owned(), |one| status_name(one).to_owned())
    };
    match text.split_once(" → ") {
        Some((from, to)) => format!("{} → {}", name(from), name(to)),
        None => text.to_owned(),
    }
}

/// The way to an item: its board, its project and its feature.
fn crumbs(context: &ViewContext<'_>, answer: &WorkShowAnswer, facts: &ItemFacts<'_>) -> Vec<Crumb> {
    let project = match (&answer.task, &answer.feature) {
        (Some(task), _) => Some(&task.project_id),
        (None, Some(feature)) => Some(&feature.project_id),
        (None, None) => None,
    };
    let feature = answer.task.as_ref().and_then(|task| task.feature_id.as_ref());
    let board = match project {
        Some(id) => id.as_str(),
        None => facts.id.as_str(),
    };
    let mut crumbs = vec![Crumb::to("Board", format!("/board?project={board}"))];
    for (kind, id) in [("project", project), ("feature", feature)] {
        let Some(id) = id else { continue };
        let name = name_of(context, kind, id.as_str());
        crumbs.push(Crumb::to(name, links::address(kind, id.as_str())));
    }
    crumbs.push(Crumb::here(facts.name));
    crumbs
}

/// The name of a project or feature; its id if it cannot be read.
fn name_of(context: &ViewContext<'_>, kind: &str, id: &str) -> String {
    let shown = context.asker.ask::<WorkShow>(json!({"id": format!("{kind}:{id}")})).ok();
    let name = shown.as_ref().and_then(ItemFacts::of).map(|facts| facts.name.to_owned());
    name.unwrap_or_else(|| id.to_owned())
}

fn fields(answer: &WorkShowAnswer, facts: &ItemFacts<'_>) -> Markup {
    html! {
        dl.facts {
            @if let Some(task) = &answer.task {
                dt { "Priority" } dd { (task.priority.word().to_lowercase()) }
                dt { "Complexity" } dd { (task.complexity) " of 10" }
            }
            @if let Some(claim) = &answer.claim { dt { "Claimed by" } dd { (claim.actor) " until " (components::day(&claim.until)) } }
            @if !facts.tags.is_empty() { dt { "Tags" } dd { (facts.tags.join(", ")) } }
            dt { "Created" } dd { (components::day(facts.created)) }
            dt { "Changed" } dd { (components::day(facts.updated)) }
            dt { "Id" } dd { code { (facts.id) } }
        }
    }
}

fn blockers(state: &StateAnswer) -> Markup {
    if state.blocked_by.is_empty() {
        return html! {};
    }
    let list = html! {
        ul.list {
            @for block in &state.blocked_by {
                li {
                    @if let Some(by) = &block.by { a.node href=(links::address(by.kind.word(), by.id.as_str())) { (by.name) } " " }
                    span.muted { (block.reason) }
                }
            }
        }
    };
    section("Blocked by", Some(state.blocked_by.len()), list)
}

/// What it depends on and what depends on it; `own` is its id, which needs no link to itself. A
/// block for a reason has no other end, and stands with the blocks.
fn dependencies(answer: &WorkShowAnswer, own: &str) -> Markup {
    let both = answer.dependencies.iter().filter_map(|each| Some((each.from.as_ref()?, each)));
    let both: Vec<_> = both.collect();
    if both.is_empty() {
        return html! {};
    }
    let end = |item: &WorkItemBrief| match item.id.as_str() == own {
        true => html! { span.muted { "this" } },
        false => {
            html! { a.node href=(links::address(item.kind.word(), item.id.as_str())) { (item.name) } }
        }
    };
    let list = html! {
        ul.list {
            @for (from, each) in &both {
                li { (end(from)) span.muted { " " (each.relation.word().to_lowercase().replace('_', " ")) " " } (end(&each.to)) }
            }
        }
    };
    section("Dependencies", Some(both.len()), list)
}
