//! The board: tasks by status, what is stuck, and how work flows.

use base::words::counted;
use base::{NextCall, Result};
use engine::contract::page::Render;
use maud::{Markup, html};
use operations::ops::typed::{Blocked, BlockedAnswer, Board, WorkSearch, WorkSearchRow, WorkState};
use serde_json::json;
use work::board::{BoardCard, BoardColumn, BoardFeature, WorkBoard};
use work::container::WorkItemBrief;
use work::flow::{FlowWeek, WorkFlow};
use work::words::{WorkPriority, WorkStatus};

use super::work::{move_form, possible_moves, status_name};
use crate::components::{self, Tone, badge, heading, section};
use crate::layout::{Crumb, NavSection, Screen};
use crate::links;
use crate::pictures::bars;
use crate::pictures::weeks::{WeekBars, weeks};
use crate::routes::{ViewContext, ViewResult};

/// How many tasks a page of one status has.
const PAGE_ROWS: u64 = 100;

/// How many tasks of a lane are shown at once.
const LANE_ROWS: u64 = 25;

/// How many blocked items are listed.
const MAX_STUCK: usize = 10;

/// The month and the day of a date.
const DATE_WITHOUT_YEAR: std::ops::RangeFrom<usize> = 5..;

/// How many features are listed.
const MAX_FEATURES: usize = 100;

/// Tasks in lanes, one for each status; or one lane, page by page.
pub(crate) fn board(context: &ViewContext<'_>) -> Result<ViewResult> {
    let projects = context.asker.ask::<WorkSearch>(json!({"query": "", "kind": "project"}))?;
    let wanted = context.request.param("project");
    let is_wanted = |row: &&WorkSearchRow| wanted.as_deref() == Some(row.what.id.as_str());
    let items = &projects.items;
    let Some(project) = items.iter().find(is_wanted).or_else(|| items.first()) else {
        return Ok(Screen::new(NavSection::Board, "Board", no_projects()).into());
    };
    if let Some(status) = context.request.param("lane").and_then(|word| word.parse().ok()) {
        return lane_screen(context, &project.what, status).map(ViewResult::from);
    }
    let args = json!({"project": project.what.id, "most": LANE_ROWS, "flow": true});
    let WorkBoard { features, columns, flow, .. } = context.asker.ask::<Board>(args)?.board;
    let total: usize = columns.iter().map(|column| column.total).sum();
    let stuck =
        context.asker.ask::<Blocked>(json!({"project": project.what.id, "limit": MAX_STUCK}))?;
    let blocked = stuck.paging().map_or(0, |paging| paging.total);
    let lead = match blocked {
        0 => format!("{}, none of them blocked", counted(total, "task")),
        blocked => format!("{}, {} blocked", counted(total, "task"), counted(blocked, "item")),
    };
    let pipeline = task_pipeline(context, &columns)?;
    let body = html! {
        (heading(html! { "Board" }, &lead))
        (project_choice(items, &project.what))
        div.board { @for column in &columns { (lane(context, &project.what, column, &pipeline)) } }
        div.pair {
            div {
                @if let Some(flow) = &flow { (section("Made and finished", None, week_flow(flow))) }
                (section("Where tasks gather", None, by_status(&columns)))
                @if blocked > 0 { (section("Stuck", usize::try_from(blocked).ok(), stuck_list(&stuck, blocked))) }
            }
            (section("Features", Some(features.len()), feature_table(&features)))
        }
    };
    Ok(Screen::new(NavSection::Board, "Board", body).into())
}

/// The statuses that tasks pass through, in order. They are the same for all tasks.
fn task_pipeline(context: &ViewContext<'_>, columns: &[BoardColumn]) -> Result<Vec<WorkStatus>> {
    let Some(card) = columns.iter().flat_map(|column| &column.cards).next() else {
        return Ok(Vec::new());
    };
    let state = context.asker.ask::<WorkState>(json!({"id": card.what.handle()}))?;
    Ok(state.position.pipeline)
}

fn no_projects() -> Markup {
    let create = NextCall::new("work.create").with("kind", "project").with("name", "its name");
    html! {
        (heading(html! { "Board" }, ""))
        (components::empty("There is no project yet, so there are no tasks. The first project is created by", Some(&create)))
    }
}

fn project_choice(items: &[WorkSearchRow], chosen: &WorkItemBrief) -> Markup {
    let address = |item: &WorkSearchRow| format!("/board?project={}", item.what.id.as_str());
    let options: Vec<(&str, String)> =
        items.iter().map(|item| (item.what.name.as_str(), address(item))).collect();
    html! {
        div.toolbar {
            (components::choice("Project", &options, &chosen.name))
            a.button href=(links::address("project", chosen.id.as_str())) { "About the project" }
        }
    }
}

fn lane(
    context: &ViewContext<'_>,
    project: &WorkItemBrief,
    column: &BoardColumn,
    pipeline: &[WorkStatus],
) -> Markup {
    let (status, left_out) = (column.status, column.total.saturating_sub(column.cards.len()));
    let all = format!("/board?project={}&lane={}", project.id.as_str(), status.word());
    html! {
        section.lane.bare[column.cards.is_empty()] data-status=(status.word()) {
            h2 { (status_name(status)) " " span.count { (column.total) } }
            @if column.cards.is_empty() { p.muted { "None" } } @else {
                ul { @for card in &column.cards { (ticket(context, card, status, pipeline)) } }
            }
            @if left_out > 0 { p.pager { a href=(all) { "All " (column.total) } } }
        }
    }
}

fn ticket(
    context: &ViewContext<'_>,
    card: &BoardCard,
    status: WorkStatus,
    pipeline: &[WorkStatus],
) -> Markup {
    let id = card.what.id.to_string();
    let moves = possible_moves(pipeline, status, card.blocked_by > 0);
    html! {
        li.ticket draggable=[(!context.read_only && !moves.is_empty()).then_some("true")] {
            a href=(links::address("task", &id)) { (card.what.name) }
            div.tags {
                @if card.blocked_by > 0 { (badge("blocked", Tone::Bad)) }
                (badge(&card.priority.word().to_lowercase(), priority_tone(card.priority)))
                @if let Some(actor) = &card.people.claimed_by { (badge(&format!("claimed by {actor}"), Tone::Accent)) }
                @else if let Some(person) = &card.people.assignee { (badge(person, Tone::Neutral)) }
            }
            (move_form(context, &card.what, &[("id", &id)], &moves))
        }
    }
}

/// Every task of one status, page by page.
fn lane_screen(
    context: &ViewContext<'_>,
    project: &WorkItemBrief,
    status: WorkStatus,
) -> Result<Screen> {
    let found = context.asker.ask::<WorkSearch>(json!({
        "query": "", "kind": "task", "project": project.id, "status": [status.word()],
        "limit": PAGE_ROWS, "offset": context.request.number("offset").unwrap_or(0),
    }))?;
    let total = found.paging().map_or(0, |paging| paging.total);
    let name = status_name(status);
    let body = html! {
        (heading(html! { (name) }, &counted(total, "task")))
        @if found.items.is_empty() { (components::empty("No task has this status.", None)) } @else {
            div.scroll {
                table.stack.flow {
                    thead { tr { th { "Task" } th.fit { "Priority" } th { "Tags" } th.fit { "Changed" } } }
                    tbody {
                        @for row in &found.items {
                            tr {
                                td.main { a.node href=(links::address("task", row.what.id.as_str())) { (row.what.name) } }
                                td.fit { @if let Some(priority) = row.priority { (badge(&priority.word().to_lowercase(), priority_tone(priority))) } }
                                td { (row.tags.join(", ")) }
                                td.fit { (components::day(&row.people.updated_at)) }
                            }
                        }
                    }
                }
            }
        }
        (components::pager(context.request, found.paging(), found.items.len()))
    };
    let board = format!("/board?project={}", project.id.as_str());
    let crumbs = vec![Crumb::to("Board", board), Crumb::here(name)];
    Ok(Screen::new(NavSection::Board, name, body).at(crumbs))
}

const fn priority_tone(priority: WorkPriority) -> Tone {
    match priority {
        WorkPriority::High => Tone::Warn,
        WorkPriority::Medium | WorkPriority::Low => Tone::Neutral,
    }
}

/// What was made and what was finished, week by week: whether the pile grows.
fn week_flow(flow: &WorkFlow) -> Markup {
    let is_quiet = flow.weeks.iter().all(|week| week.made + week.finished == 0);
    let bars: Vec<WeekBars> = flow
        .weeks
        .iter()
        .map(|week| WeekBars {
            name: week.starts.get(DATE_WITHOUT_YEAR).unwrap_or(&week.starts).to_owned(),
            made: week.made,
            finished: week.finished,
        })
        .collect();
    let count = |of: fn(&FlowWeek) -> usize| flow.weeks.iter().map(of).sum::<usize>();
    let (made, finished) = (count(|week| week.made), count(|week| week.finished));
    let label = format!(
        "In the last {}: {} made, {finished} finished",
        counted(flow.weeks.len(), "week"),
        counted(made, "task")
    );
    html! {
        @if is_quiet { p.muted { "No task was made or finished in the last " (counted(flow.weeks.len(), "week")) "." } } @else {
            ul.legend { li { span.swatch.accent {} "made" } li { span.swatch.good {} "finished" } }
            (weeks(&bars, &label))
            p.muted { (label) @if let Some(days) = flow.median_days { "; " (half_took(days)) } "." }
            details {
                summary { "As a table" }
                div.scroll {
                    table.stack.flow {
                        thead { tr { th { "Week of" } th.number { "Made" } th.number { "Finished" } th.number { "Open at its end" } } }
                        tbody {
                            @for week in &flow.weeks {
                                tr {
                                    td.main { (week.starts) }
                                    td.number data-label="Made" { (week.made) }
                                    td.number data-label="Finished" { (week.finished) }
                                    td.number data-label="Open at its end" { (week.open) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// How long tasks take.
fn half_took(days: i64) -> String {
    match usize::try_from(days).unwrap_or_default() {
        0 => "half of these took less than a day".to_owned(),
        days => format!("half of these took at most {}", counted(days, "day")),
    }
}

/// How many tasks each status holds: where many gather, work is stuck.
fn by_status(columns: &[BoardColumn]) -> Markup {
    let most = columns.iter().map(|column| column.total as u64).max().unwrap_or(1);
    html! {
        div.scroll {
            table {
                thead { tr { th { "Status" } th.number { "Tasks" } th { span.hidden { "Share" } } } }
                tbody {
                    @for column in columns {
                        tr {
                            td.fit { (status_name(column.status)) }
                            td.number.fit { (column.total) }
                            td { (bars::meter(column.total as u64, most)) }
                        }
                    }
                }
            }
        }
    }
}

/// What is blocked, and what it waits for.
fn stuck_list(stuck: &BlockedAnswer, total: u64) -> Markup {
    html! {
        ul.list {
            @for row in &stuck.items {
                li {
                    a.node href=(links::address(row.what.kind.word(), row.what.id.as_str())) { (row.what.name) }
                    @for block in &row.blocked_by {
                        span.excerpt {
                            @if let Some(by) = &block.by {
                                "waits for " a href=(links::address(by.kind.word(), by.id.as_str())) { (by.name) }
                                @if !block.reason.is_empty() { ": " (block.reason) }
                            } @else { (block.reason) }
                        }
                    }
                }
            }
        }
        @if total > stuck.items.len() as u64 { p.muted { (total - stuck.items.len() as u64) " more left out." } }
    }
}

fn feature_table(features: &[BoardFeature]) -> Markup {
    html! {
        @if features.is_empty() { p.muted { "No features." } } @else {
            div.scroll {
                table.stack.flow {
                    thead { tr { th { "Feature" } th.fit { "Status" } th.number { "Finished" } th { span.hidden { "Share" } } } }
                    tbody {
                        @for feature in features.iter().take(MAX_FEATURES) {
                            tr {
                                td.main { a.node href=(links::address("feature", feature.what.id.as_str())) { (feature.what.name) } }
                                td.fit { @if let Some(status) = feature.what.status { (badge(status_name(status), Tone::Neutral)) } }
                                td.number { (feature.finished) " of " (feature.tasks) }
                                td.rest { (bars::meter(feature.finished as u64, feature.tasks as u64)) }
                            }
                        }
                    }
                }
            }
            @if features.len() > MAX_FEATURES { p.muted { (features.len() - MAX_FEATURES) " more left out." } }
        }
    }
}
