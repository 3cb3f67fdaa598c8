//! The board: tasks by status, what is stuck, and how work flows.

use std::collections::BTreeSet;

use base::words::counted;
use base::{NextCall, Result};
use engine::Paging;
use engine::contract::page::Render;
use maud::{Markup, html};
use operations::ops::typed::{
    Blocked, Overview, OverviewAnswer, WorkSearch, WorkSearchAnswer, WorkSearchRow,
};
use serde_json::json;
use work::words::{WorkPriority, WorkStatus};

use super::work::{move_controls, status_name};
use crate::changes;
use crate::components::{self, Tone, badge, heading, section};
use crate::layout::{Screen, Section};
use crate::links;
use crate::pictures::bars;
use crate::routes::{Shown, ViewContext};

/// How many tasks of a lane are shown at once.
const LANE_ROWS: u64 = 25;

/// Tasks in lanes, one for each status.
pub(crate) fn board(context: &ViewContext<'_>) -> Result<Shown> {
    let (asker, request) = (&context.asker, context.request);
    let overview = asker.ask::<Overview>(json!({}))?;
    if overview.items.is_empty() {
        return Ok(Screen::new(Section::Board, "Board", no_projects()).into());
    }
    let project = request
        .param("project")
        .filter(|id| overview.items.iter().any(|item| item.what.id.as_str() == *id));
    let scope =
        project.clone().or_else(|| overview.items.first().map(|item| item.what.id.to_string()));
    let blocked = asker.ask_optional::<Blocked>(json!({"project": scope, "limit": 1000}))?;
    let blocked: BTreeSet<String> = blocked
        .map(|answer| answer.items.iter().map(|row| row.what.id.to_string()).collect())
        .unwrap_or_default();
    let mut lanes = Vec::new();
    for status in WorkStatus::ALL {
        let offset = request.number(status.word()).unwrap_or(0);
        let found = asker.ask::<WorkSearch>(json!({
            "query": "", "kind": "task", "project": scope, "status": [status.word()],
            "limit": LANE_ROWS, "offset": offset,
        }))?;
        lanes.push((*status, found));
    }
    let total: u64 =
        lanes.iter().filter_map(|(_, found)| found.paging()).map(|paging| paging.total).sum();
    let lead = format!("{}, {} blocked", counted(total, "task"), blocked.len());
    let body = html! {
        (heading(html! { "Board" }, &lead))
        (projects(&overview, scope.as_deref()))
        div.board {
            @for (status, found) in &lanes { (lane(context, *status, found, &blocked)) }
        }
        div.pair {
            (section("Flow", None, flow(&lanes)))
            (section("Features", None, features(&overview, scope.as_deref())))
        }
    };
    Ok(Screen::new(Section::Board, "Board", body).into())
}

fn no_projects() -> Markup {
    let create = NextCall::new("work.create").with("kind", "project").with("name", "its name");
    html! {
        (heading(html! { "Board" }, ""))
        (components::empty("There is no project yet, so there are no tasks. The first project is created by", Some(&create)))
    }
}

fn projects(overview: &OverviewAnswer, scope: Option<&str>) -> Markup {
    html! {
        div.toolbar {
            @for item in &overview.items {
                a.button href={ "/board?project=" (item.what.id.as_str()) }
                    aria-current=[(Some(item.what.id.as_str()) == scope).then_some("true")] { (item.what.name) }
            }
        }
    }
}

fn lane(
    context: &ViewContext<'_>,
    status: WorkStatus,
    found: &WorkSearchAnswer,
    blocked: &BTreeSet<String>,
) -> Markup {
    let total = found.paging().map_or(0, |paging| paging.total);
    html! {
        section.lane {
            h2 { (status_name(status)) " " span.count { (total) } }
            @if found.items.is_empty() { p.muted { "None" } } @else {
                ul { @for row in &found.items { (ticket(context, row, status, blocked)) } }
            }
            (lane_pager(context, status, found.paging(), found.items.len()))
        }
    }
}

fn lane_pager(
    context: &ViewContext<'_>,
    status: WorkStatus,
    paging: Option<Paging>,
    shown: usize,
) -> Markup {
    let Some(Paging { offset, limit, total }) = paging else { return html! {} };
    let end = offset + shown as u64;
    html! {
        @if offset > 0 || end < total {
            p.pager {
                @if offset > 0 {
                    a href=(context.request.with_param(status.word(), &offset.saturating_sub(limit).to_string())) { "Previous" }
                }
                span { (offset + 1) "–" (end) }
                @if end < total { a href=(context.request.with_param(status.word(), &end.to_string())) { "Next" } }
            }
        }
    }
}

fn ticket(
    context: &ViewContext<'_>,
    row: &WorkSearchRow,
    status: WorkStatus,
    blocked: &BTreeSet<String>,
) -> Markup {
    let id = row.what.id.to_string();
    let version = row.version.to_string();
    html! {
        li.ticket {
            a href=(links::address("task", &id)) { (row.what.name) }
            div.tags {
                @if blocked.contains(&id) { (badge("blocked", Tone::Bad)) }
                @if let Some(priority) = row.priority { (badge(&priority.word().to_lowercase(), priority_tone(priority))) }
                @for tag in row.tags.iter().take(4) { (badge(tag, Tone::Neutral)) }
            }
            (changes::inline_form(
                context, "", &[("id", &id), ("version", &version)],
                move_controls(&id, &row.what.name, status), "Move",
            ))
        }
    }
}

const fn priority_tone(priority: WorkPriority) -> Tone {
    match priority {
        WorkPriority::High => Tone::Warn,
        WorkPriority::Medium | WorkPriority::Low => Tone::Neutral,
    }
}

fn flow(lanes: &[(WorkStatus, WorkSearchAnswer)]) -> Markup {
    let count = |found: &WorkSearchAnswer| found.paging().map_or(0, |paging| paging.total);
    let most = lanes.iter().map(|(_, found)| count(found)).max().unwrap_or(1);
    html! {
        div.scroll {
            table {
                thead { tr { th { "Status" } th.number { "Tasks" } th { span.hidden { "Share" } } } }
                tbody {
                    @for (status, found) in lanes {
                        tr { td.fit { (status_name(*status)) } td.number.fit { (count(found)) } td { (bars::meter(count(found), most)) } }
                    }
                }
            }
        }
    }
}

fn features(overview: &OverviewAnswer, scope: Option<&str>) -> Markup {
    let items = overview.items.iter().filter(|item| Some(item.what.id.as_str()) == scope);
    let features: Vec<_> = items.flat_map(|item| &item.children).collect();
    html! {
        @if features.is_empty() { p.muted { "No features." } } @else {
            div.scroll {
                table {
                    thead { tr { th { "Feature" } th.fit { "Status" } th { "Tasks" } } }
                    tbody {
                        @for child in features.iter().take(100) {
                            tr {
                                td { a.node href=(links::address(child.what.kind.word(), child.what.id.as_str())) { (child.what.name) } }
                                td.fit { @if let Some(status) = child.what.status { (badge(status_name(status), Tone::Neutral)) } }
                                td { (task_counts(&child.tasks)) @if child.blocked_by > 0 { " " (badge("blocked", Tone::Bad)) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn task_counts(tasks: &std::collections::BTreeMap<&'static str, usize>) -> String {
    let name = |word: &str| {
        word.parse::<WorkStatus>()
            .map_or_else(|_| word.to_owned(), |status| status_name(status).to_lowercase())
    };
    tasks
        .iter()
        .map(|(status, count)| format!("{count} {}", name(status)))
        .collect::<Vec<_>>()
        .join(", ")
}
