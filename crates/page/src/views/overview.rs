//! The overview: what this repository is, how fresh the answers are, and what needs attention.

use base::words::counted;
use base::{NextCall, Problem, Result};
use engine::contract::page::Render;
use engine::{Basis, BasisState};
use maud::{Markup, html};
use operations::ops::typed::{
    Blocked, CardCoverage, CoverageAnswer, Drift, Hotspots, KbQuery, Matrix, Overview,
    RepositoryOverview, RepositoryQuestion, Status, StatusAnswer, Verify,
};
use serde_json::json;

use super::checks;
use crate::components::{self, Tone, badge, heading, section, tile};
use crate::layout::{NavSection, Screen};
use crate::links;
use crate::markdown::plain;
use crate::pictures::bars;
use crate::routes::{ViewContext, ViewResult};

/// How many rows of a late part are shown.
const MAX_ROWS: usize = 8;

/// The overview. What takes longer is loaded after it.
pub(crate) fn overview(context: &ViewContext<'_>) -> Result<ViewResult> {
    let asker = &context.asker;
    let status = asker.ask::<Status>(json!({}))?;
    let coverage = asker.ask::<CardCoverage>(json!({"limit": 1}))?;
    let decisions = asker.ask::<KbQuery>(json!({"type": ["adr"], "limit": 1}))?;
    let decisions = decisions.paging().map_or(0, |paging| paging.total);
    let lead = asker.basis().map_or_else(String::new, |basis| state_sentence(&basis, &status));
    let name = asker.repository_name();
    let body = html! {
        (heading(html! { (name) }, &lead))
        (tiles(&status, &coverage, decisions))
        @if !status.initialised { (set_up()) }
        @for mistake in &status.config { div.problem { "cairn.jsonc: " (mistake) } }
        div.pair {
            div {
                (late("Needs attention", "/part/attention", "/checks", "Run the checks"))
                (late("What it is", "/part/about", "/file/", "Show the files"))
            }
            div {
                (late("Where most of the change happens", "/part/activity", "/hotspots", "Show the hotspots"))
                (section("Languages", None, bars::shares(&languages(&status))))
            }
        }
    };
    Ok(Screen::new(NavSection::Overview, "Overview", body).into())
}

/// Which state is shown and how fresh it is, in a sentence.
fn state_sentence(basis: &Basis, status: &StatusAnswer) -> String {
    let freshness = match basis.state {
        BasisState::Fresh => "everything here is up to date",
        BasisState::Partial => "this page is incomplete; the last line says why",
        BasisState::Stale => "this page is older than the files; see the last line",
    };
    let Some(commit) = &basis.commit else { return format!("No commit yet; {freshness}") };
    let commit = commit.get(..10).unwrap_or(commit);
    let place = match &basis.branch {
        Some(branch) => format!("Branch `{branch}` at `{commit}`"),
        None => format!("Commit `{commit}`"),
    };
    match status.edited {
        0 => format!("{place}; {freshness}"),
        edited => format!("{place} with {}; {freshness}", counted(edited, "edited file")),
    }
}

fn tiles(status: &StatusAnswer, coverage: &CoverageAnswer, decisions: u64) -> Markup {
    let cards = coverage
        .statuses
        .values()
        .fold((0, 0), |sum, share| (sum.0 + share.linked, sum.1 + share.total));
    html! {
        div.tiles {
            (tile(&components::grouped(status.files), "files", "/file/"))
            (tile(&components::grouped(status.edited), "edited files to review", "/review"))
            @if cards.1 == 0 { (tile("0", "cards", "/cards")) }
            @else { (tile(&format!("{} / {}", cards.0, cards.1), "cards linked from code", "/matrix")) }
            // Counting tasks takes longer than all the rest where there are many.
            a.tile href="/board" { strong { span data-late="/part/tasks" { "Board" } } span { "open tasks" } }
            (tile(&components::grouped(decisions), "decisions", "/decisions"))
        }
    }
}

/// The number of tasks that are not done.
fn open_tasks(context: &ViewContext<'_>) -> Result<Markup> {
    let work = context.asker.ask::<Overview>(json!({}))?;
    let tasks = work.items.iter().flat_map(|item| &item.tasks);
    let open: usize = tasks.filter(|(status, _)| !is_done(status)).map(|(_, count)| count).sum();
    Ok(html! { (components::grouped(open as u64)) })
}

fn is_done(status: &str) -> bool {
    status.parse::<work::words::WorkStatus>().is_ok_and(work::words::WorkStatus::is_terminal)
}

fn set_up() -> Markup {
    html! {
        div.notice.warn {
            p { "This repository is not set up: agents and git hooks do not use cairn here yet." }
            (components::command(&NextCall::new("init")))
        }
    }
}

/// A part that is loaded when the rest is shown. Without the script there is a link to the whole.
fn late(title: &str, part: &str, address: &str, link: &str) -> Markup {
    section(title, None, html! { div data-late=(part) { p { a href=(address) { (link) } } } })
}

fn languages(status: &StatusAnswer) -> Vec<bars::BarShare> {
    let shares = status.languages.iter();
    shares.map(|row| bars::BarShare { name: row.name.clone(), count: row.count }).collect()
}

/// The parts of the overview that are loaded late.
pub(crate) fn late_part(context: &ViewContext<'_>) -> Result<ViewResult> {
    match context.name.as_str() {
        "about" => about(context).map(ViewResult::Part),
        "attention" => attention(context).map(ViewResult::Part),
        "activity" => activity(context).map(ViewResult::Part),
        "tasks" => open_tasks(context).map(ViewResult::Part),
        "reasons" => super::symbol::late_reasons(context).map(ViewResult::Part),
        other => Err(Problem::not_found(format!("no part is called `{other}`"))),
    }
}

/// What the repository says of itself, and its largest parts.
fn about(context: &ViewContext<'_>) -> Result<Markup> {
    let RepositoryOverview { summary, folders, more_folders, .. } =
        context.asker.ask::<RepositoryQuestion>(json!({}))?;
    let is_described = folders.iter().any(|folder| folder.about.is_some());
    Ok(html! {
        @match &summary {
            Some(summary) => p.summary { (plain(&summary.text)) " " span.muted { "(" (summary.source) ")" } },
            None => p.muted { "It has no README that says what it is." },
        }
        @if !folders.is_empty() {
            div.scroll {
                table.stack.flow {
                    thead { tr { th { "Part" } th.number { "Files" } @if is_described { th { "About" } } } }
                    tbody {
                        @for folder in &folders {
                            tr {
                                td.main { (components::path_link(&folder.path)) }
                                td.number data-label="Files" { (folder.files) }
                                @if is_described { td { @if let Some(about) = &folder.about { span.muted { (components::with_code(about)) } } } }
                            }
                        }
                    }
                }
            }
            @if more_folders > 0 { p { a href="/file/" { "All files" } ", with " (counted(more_folders, "smaller part")) } }
        }
    })
}

/// What somebody should look at: failed checks, gaps of cards, blocked work, outdated knowledge.
fn attention(context: &ViewContext<'_>) -> Result<Markup> {
    let asker = &context.asker;
    let checked = asker.ask::<Verify>(json!({"limit": MAX_ROWS}))?;
    let specs = asker.ask::<Matrix>(json!({"open": true, "limit": 1}))?;
    let gaps = specs.paging().map_or(0, |paging| paging.total);
    let blocked = asker.ask_optional::<Blocked>(json!({"limit": 1}))?;
    let blocked = blocked.and_then(|answer| answer.paging()).map_or(0, |paging| paging.total);
    let drift = asker.ask::<Drift>(json!({"limit": 1000}))?;
    let is_calm = checked.errors + checked.warnings + drift.atoms.len() == 0 && gaps + blocked == 0;
    Ok(html! {
        @if is_calm {
            p { (badge("clear", Tone::Good)) " All " (checked.rules) " checks pass, and nothing is blocked." }
        } @else {
            ul.list {
                @if checked.errors + checked.warnings > 0 {
                    li {
                        a href="/checks" { (found(checked.errors, checked.warnings)) }
                        " in " (counted(checked.rules, "check"))
                    }
                }
                @if gaps > 0 {
                    li {
                        a href="/matrix?show=gaps" { (counted(gaps, "row")) " of the matrix" }
                        " with a gap or a suspect link"
                    }
                }
                @if blocked > 0 { li { a href="/board" { (counted(blocked, "item")) " of work blocked" } } }
                @if !drift.atoms.is_empty() {
                    li { a href="/knowledge" { (counted(drift.atoms.len(), "atom")) " of knowledge older than the code" } }
                }
            }
        }
        @if !checked.findings.is_empty() {
            (checks::short_findings(&checked.findings, &checks::names(asker, &checked.findings)?))
        }
    })
}

/// How much was found, without zeros.
fn found(errors: usize, warnings: usize) -> String {
    let all = [(errors, "error"), (warnings, "warning")];
    let said = all.iter().filter(|(count, _)| *count > 0);
    said.map(|(count, word)| counted(*count, word)).collect::<Vec<_>>().join(", ")
}

/// The files that change most.
fn activity(context: &ViewContext<'_>) -> Result<Markup> {
    let Some(hot) = context.asker.ask_optional::<Hotspots>(json!({"limit": MAX_ROWS}))? else {
        return Ok(components::empty("There is no git history to read yet.", None));
    };
    let most = hot.files.iter().map(|row| row.score).fold(0.0, f64::max);
    Ok(html! {
        @if hot.files.is_empty() {
            (components::empty("No code has changed in the history that was read.", None))
        } @else {
            div.scroll {
                table.stack.flow {
                    thead { tr { th { "File" } th.number { "Commits" } th.number { "Lines" } th.fit { "Last" } } }
                    tbody {
                        @for row in &hot.files {
                            tr {
                                td.main { (components::path_link(&row.path)) (bars::score_meter(row.score, most)) }
                                td.number data-label="Commits" { a href=(links::address("history", &row.path.to_string())) { (row.commits) } }
                                td.number data-label="Lines" { (components::grouped(row.lines.into())) }
                                td.fit data-label="Last" { (components::day(&row.last)) }
                            }
                        }
                    }
                }
            }
            p { a href="/hotspots" { "All hotspots" } span.muted { ", ordered by commits × √lines" } }
        }
    })
}
