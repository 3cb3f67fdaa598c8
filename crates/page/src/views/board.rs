//! The board: tasks by status, what is stuck, and how work flows.

use std::collections::BTreeSet;

use base::words::counted;
use base::{NextCall, Result};
use engine::Paging;
use engine::contract::page::Render;
use maud::{Markup, html};
use operations::ops::typed::{Blocked, Overview, WorkSearch, WorkSearchRow};
use serde_json::json;
use work::query::WorkOverview;
use work::words::{WorkKind, WorkPriority, WorkStatus};

use super::work::{move_controls, status_name};
use crate::changes;
use crate::components::{self, Tone, badge, heading, section};
use crate::layout::{Screen, Section};
use crate::links;
use crate::pictures::bars;
use crate::routes::{Shown, ViewContext};

/// How many tasks of a lane are shown at once.
const LANE_ROWS: u64 = 25;

/// How many features are listed.
const MAX_FEATURES: usize = 100;

/// Tasks up to which all lanes are shown; above it, one at a time.
const MAX_BOARD_TASKS: usize = 1000;

/// The tasks of one status that are shown, and how many there are.
struct Lane {
    status: WorkStatus,
    rows: Vec<WorkSearchRow>,
    paging: Paging,
}

/// Tasks in lanes, one for each status.
pub(crate) fn board(context: &ViewContext<'_>) -> Result<Shown> {
    let (asker, request) = (&context.asker, context.request);
    let overview = asker.ask::<Overview>(json!({}))?;
    let wanted = request.param("project");
    let is_wanted = |item: &&WorkOverview| wanted.as_deref() == Some(item.what.id.as_str());
    let items = &overview.items;
    let Some(project) = items.iter().find(is_wanted).or_else(|| items.first()) else {
        return Ok(Screen::new(Section::Board, "Board", no_projects()).into());
    };
    let total: usize = project.tasks.values().sum();
    let is_large = total > MAX_BOARD_TASKS;
    let lanes = if is_large { one_lane(context, project)? } else { all_lanes(context, project)? };
    let blocked = if is_large { None } else { Some(blocked(context, project)?) };
    let lead = match &blocked {
        Some(blocked) => format!("{}, {} blocked", counted(total, "task"), blocked.len()),
        None => format!("{}, one status at a time", counted(total, "task")),
    };
    let body = html! {
        (heading(html! { "Board" }, &lead))
        (projects(items, project))
        @if is_large { (lane_choice(context, project, &lanes)) }
        div.board {
            @for lane in &lanes { (lane_part(context, lane, &blocked.clone().unwrap_or_default())) }
        }
        div.pair {
            (section("Flow", None, flow(project)))
            (section("Features", None, features(project)))
        }
    };
    Ok(Screen::new(Section::Board, "Board", body).into())
}

/// What is blocked, by id.
fn blocked(context: &ViewContext<'_>, project: &WorkOverview) -> Result<BTreeSet<String>> {
    let args = json!({"project": project.what.id, "limit": 1000});
    let answer = context.asker.ask::<Blocked>(args)?;
    Ok(answer.items.iter().map(|row| row.what.id.to_string()).collect())
}

/// All tasks, asked for once and put into their lanes here.
fn all_lanes(context: &ViewContext<'_>, project: &WorkOverview) -> Result<Vec<Lane>> {
    let found = context.asker.ask::<WorkSearch>(json!({
        "query": "", "kind": "task", "project": project.what.id, "limit": MAX_BOARD_TASKS,
    }))?;
    let mut lanes: Vec<Lane> = WorkStatus::ALL
        .iter()
        .map(|status| {
            let offset = context.request.number(status.word()).unwrap_or(0);
            Lane {
                status: *status,
                rows: Vec::new(),
                paging: Paging { offset, limit: LANE_ROWS, total: 0 },
            }
        })
        .collect();
    for row in found.items {
        let Some(lane) = lanes.iter_mut().find(|lane| row.what.status == Some(lane.status)) else {
            continue;
        };
        let Paging { offset, limit, total } = lane.paging;
        lane.paging.total += 1;
        if (offset..offset + limit).contains(&total) {
            lane.rows.push(row);
        }
    }
    Ok(lanes)
}

/// The lane that was chosen; that of active tasks at first.
fn one_lane(context: &ViewContext<'_>, project: &WorkOverview) -> Result<Vec<Lane>> {
    let chosen = context.request.param("lane").and_then(|word| word.parse().ok());
    let status: WorkStatus = chosen.unwrap_or(WorkStatus::Active);
    let offset = context.request.number(status.word()).unwrap_or(0);
    let found = context.asker.ask::<WorkSearch>(json!({
        "query": "", "kind": "task", "project": project.what.id, "status": [status.word()],
        "limit": LANE_ROWS, "offset": offset,
    }))?;
    let paging = found.paging().unwrap_or(Paging { offset, limit: LANE_ROWS, total: 0 });
    Ok(vec![Lane { status, rows: found.items, paging }])
}

fn lane_choice(context: &ViewContext<'_>, project: &WorkOverview, lanes: &[Lane]) -> Markup {
    let options: Vec<(&str, String)> = WorkStatus::ALL
        .iter()
        .filter(|status| project.tasks.contains_key(status.word()))
        .map(|status| (status_name(*status), context.request.with_param("lane", status.word())))
        .collect();
    let chosen = lanes.first().map_or("", |lane| status_name(lane.status));
    html! { div.toolbar { (components::choice("Status", &options, chosen)) } }
}

fn no_projects() -> Markup {
    let create = NextCall::new("work.create").with("kind", "project").with("name", "its name");
    html! {
        (heading(html! { "Board" }, ""))
        (components::empty("There is no project yet, so there are no tasks. The first project is created by", Some(&create)))
    }
}

fn projects(items: &[WorkOverview], chosen: &WorkOverview) -> Markup {
    html! {
        div.toolbar {
            @for item in items {
                a.button href={ "/board?project=" (item.what.id.as_str()) }
                    aria-current=[(item.what.id == chosen.what.id).then_some("true")] { (item.what.name) }
            }
        }
    }
}

fn lane_part(context: &ViewContext<'_>, lane: &Lane, blocked: &BTreeSet<String>) -> Markup {
    html! {
        section.lane {
            h2 { (status_name(lane.status)) " " span.count { (lane.paging.total) } }
            @if lane.rows.is_empty() { p.muted { "None" } } @else {
                ul { @for row in &lane.rows { (ticket(context, row, lane.status, blocked)) } }
            }
            (lane_pager(context, lane))
        }
    }
}

fn lane_pager(context: &ViewContext<'_>, lane: &Lane) -> Markup {
    let Paging { offset, limit, total } = lane.paging;
    let (end, word) = (offset + lane.rows.len() as u64, lane.status.word());
    let to = |offset: u64| context.request.with_param(word, &offset.to_string());
    html! {
        @if offset > 0 || end < total {
            p.pager {
                @if offset > 0 { a href=(to(offset.saturating_sub(limit))) { "Previous" } }
                span { (offset + 1) "–" (end) }
                @if end < total { a href=(to(end)) { "Next" } }
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

fn flow(project: &WorkOverview) -> Markup {
    let count =
        |status: WorkStatus| project.tasks.get(status.word()).map_or(0, |count| *count as u64);
    let most = WorkStatus::ALL.iter().map(|status| count(*status)).max().unwrap_or(1);
    html! {
        div.scroll {
            table {
                thead { tr { th { "Status" } th.number { "Tasks" } th { span.hidden { "Share" } } } }
                tbody {
                    @for status in WorkStatus::ALL {
                        tr {
                            td.fit { (status_name(*status)) }
                            td.number.fit { (count(*status)) }
                            td { (bars::meter(count(*status), most)) }
                        }
                    }
                }
            }
        }
    }
}

fn features(project: &WorkOverview) -> Markup {
    let features: Vec<_> =
        project.children.iter().filter(|child| child.what.kind == WorkKind::Feature).collect();
    html! {
        @if features.is_empty() { p.muted { "No features." } } @else {
            div.scroll {
                table {
                    thead { tr { th { "Feature" } th.fit { "Status" } th { "Tasks" } } }
                    tbody {
                        @for child in features.iter().take(MAX_FEATURES) {
                            tr {
                                td { a.node href=(links::address(child.what.kind.word(), child.what.id.as_str())) { (child.what.name) } }
                                td.fit { @if let Some(status) = child.what.status { (badge(status_name(status), Tone::Neutral)) } }
                                td { (task_counts(&child.tasks)) @if child.blocked_by > 0 { " " (badge("blocked", Tone::Bad)) } }
                            }
                        }
                    }
                }
            }
            @if features.len() > MAX_FEATURES { p.muted { (features.len() - MAX_FEATURES) " more are not shown." } }
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
