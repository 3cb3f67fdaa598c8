//! The history of a file: a timeline of its commits and decisions, and the view of one commit.

use base::words::counted;
use base::{EntityRef, Problem, ProblemCode, Result};
use engine::contract::page::Render;
use maud::{Markup, html};
use operations::ops::typed::{
    CodeShow, CommitRow, EntityRow, Explain, ExplainAnswer, KbQuery, Owners, OwnersAnswer,
    Provenance, Subgraph,
};
use serde_json::json;

use crate::components::{self, Tone, badge, heading, section};
use crate::layout::{Crumb, NavSection, Screen};
use crate::links;
use crate::pictures::timeline::{self, TimelineEvent};
use crate::routes::{ViewContext, ViewResult};

/// Commits in the picture and the table.
const MAX_COMMITS: u64 = 150;

/// The commits of a file, newest first.
pub(crate) fn history(context: &ViewContext<'_>) -> Result<ViewResult> {
    let (asker, request) = (&context.asker, context.request);
    let offset = request.number("offset").unwrap_or(0);
    let args =
        json!({"path": context.name, "newest": true, "limit": MAX_COMMITS, "offset": offset});
    let answer = match asker.ask::<Provenance>(args) {
        Ok(answer) => answer,
        Err(problem) => return uncommitted(context, problem),
    };
    let path = &answer.path;
    let reasons = asker.ask_optional::<Explain>(json!({"target": context.name}))?;
    let owners = asker.ask_optional::<Owners>(json!({"path": path, "limit": 10}))?;
    let decided = decisions(context, reasons.as_ref())?;
    let rows: &[&str] = if decided.is_empty() { &["commits"] } else { &["commits", "decisions"] };
    let mut events: Vec<TimelineEvent> = answer.commits.iter().filter_map(commit_event).collect();
    events.extend(decided.iter().filter_map(decision_event));
    let total = answer.paging().map_or(0, |paging| paging.total);
    let gone = if answer.alive { "" } else { ", deleted" };
    let body = html! {
        (heading(html! { "History of " (path.name()) }, &format!("{path}: {}{gone}", counted(total, "commit"))))
        div.toolbar { a.button href=(links::file(path)) { "The file" } a.button href=(links::graph(&path.to_string())) { "Graph" } }
        (timeline::timeline(&events, rows, "Commits of the file and decisions about it"))
        @if total > answer.commits.len() as u64 {
            p.muted { (counted(answer.commits.len(), "commit")) " of " (components::grouped(total)) " are drawn, those of the table; the others are on its other pages." }
        }
        div.part {}
        div.columns {
            div {
                (commits(&answer.commits))
                (components::pager(request, answer.paging(), answer.commits.len()))
            }
            aside {
                @if !decided.is_empty() { (decision_table(&decided)) }
                @if let Some(owners) = &owners { (people(owners)) }
                @if !answer.earlier.is_empty() {
                    (section("Earlier paths", Some(answer.earlier.len()), html! { ul.list.tight { @for path in &answer.earlier { li { (path) } } } }))
                }
            }
        }
    };
    let mut crumbs = super::file::path_crumbs(path);
    if let Some(last) = crumbs.last_mut() {
        last.address = Some(links::file(path));
    }
    crumbs.push(Crumb::here("History"));
    Ok(Screen::new(NavSection::Files, format!("History of {path}"), body).at(crumbs).into())
}

/// The view of an existing file that is in no commit, for example because there is no git. An empty
/// history is not an error.
fn uncommitted(context: &ViewContext<'_>, problem: Problem) -> Result<ViewResult> {
    let is_empty = matches!(problem.code, ProblemCode::NotFound | ProblemCode::Unavailable);
    let is_there = is_empty
        && context.asker.ask_optional::<CodeShow>(json!({"targets": [context.name]}))?.is_some();
    if !is_there {
        return Err(problem);
    }
    let text = "No commit has this file yet. Its history begins when it is committed.";
    let body = html! {
        (heading(html! { "History of " (context.name) }, ""))
        div.toolbar { a.button href=(links::address("file", &context.name)) { "The file" } }
        (components::empty(text, None))
    };
    let title = format!("History of {}", context.name);
    Ok(Screen::new(NavSection::Files, title, body).into())
}

fn subject(commit: &CommitRow) -> &str {
    commit.message.lines().next().unwrap_or_default()
}

fn commit_event(commit: &CommitRow) -> Option<TimelineEvent> {
    Some(TimelineEvent {
        at: timeline::parse(&commit.timestamp)?,
        row: 0,
        title: format!("{} {}", commit.timestamp.get(..10).unwrap_or_default(), subject(commit)),
        address: links::address("commit", &commit.commit),
        tone: if commit.breaking { Tone::Bad } else { Tone::Accent },
    })
}

/// The decisions among the reasons for a file.
fn decisions(context: &ViewContext<'_>, reasons: Option<&ExplainAnswer>) -> Result<Vec<EntityRow>> {
    let nodes =
        reasons.iter().flat_map(|answer| &answer.reasons).filter_map(|reason| match &reason.node {
            EntityRef::Kb(id) => Some(id.as_str().to_owned()),
            _ => None,
        });
    let ids: Vec<String> = nodes.collect();
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    Ok(context.asker.ask::<KbQuery>(json!({"id": ids, "type": ["adr"]}))?.entities)
}

fn decision_event(row: &EntityRow) -> Option<TimelineEvent> {
    Some(TimelineEvent {
        at: timeline::parse(&row.entity.created_at)?,
        row: 1,
        title: format!("{}: {}", row.entity.id, row.entity.title),
        address: links::address("kb", &row.entity.id),
        tone: Tone::Good,
    })
}

/// The decisions of the picture, for those who do not see it.
fn decision_table(decided: &[EntityRow]) -> Markup {
    let table = html! {
        div.scroll {
            table.stack.flow {
                thead { tr { th.fit { "Day" } th { "Decision" } } }
                tbody {
                    @for row in decided {
                        tr {
                            td.fit { (components::day(&row.entity.created_at)) }
                            td.main {
                                a.node href=(links::address("kb", &row.entity.id)) { (row.entity.title) }
                                span.why { (row.entity.id) }
                            }
                        }
                    }
                }
            }
        }
    };
    section("Decisions about it", Some(decided.len()), table)
}

fn commits(commits: &[CommitRow]) -> Markup {
    html! {
        div.scroll {
            table.stack.flow {
                thead { tr { th.fit { "Day" } th { "Commit" } th { "Author" } th.fit { "Change" } } }
                tbody {
                    @for commit in commits {
                        tr {
                            td.fit { (components::day(&commit.timestamp)) }
                            td.main {
                                a.node href=(links::address("commit", &commit.commit)) { (components::with_code(subject(commit))) }
                                @if commit.breaking { " " (badge("breaking", Tone::Bad)) }
                                span.why { code { (commit.commit.get(..12).unwrap_or(&commit.commit)) } }
                            }
                            td { (commit.author.split(" <").next().unwrap_or_default()) }
                            td.fit { (badge(&commit.change, Tone::Neutral)) }
                        }
                    }
                }
            }
        }
    }
}

fn people(owners: &OwnersAnswer) -> Markup {
    let list = html! {
        ul.list.tight {
            @for person in &owners.people { li { (person.name) " " span.muted { (format!("{:.0} %", person.share * 100.0)) } } }
        }
    };
    section("Who knows it", None, list)
}

/// One commit: its message, and everything that it touched.
pub(crate) fn commit(context: &ViewContext<'_>) -> Result<ViewResult> {
    let handle = format!("commit:{}", context.name.trim_start_matches("commit:"));
    let asker = &context.asker;
    let about = asker.ask::<Explain>(json!({"target": handle}))?;
    let around =
        asker.ask_optional::<Subgraph>(json!({"center": handle, "hops": 1, "limit": 500}))?;
    let short = context.name.get(..12).unwrap_or(&context.name).to_owned();
    // Its description ends with who made it and when, in brackets.
    let (title, by) = match about.target.about.rsplit_once(" (") {
        Some((title, by)) => (title, format!(", {}", by.trim_end_matches(')'))),
        None => (about.target.about.as_str(), String::new()),
    };
    let touched: Vec<&EntityRef> = around
        .iter()
        .flat_map(|answer| &answer.edges)
        .map(|edge| if edge.from == about.target.node { &edge.to } else { &edge.from })
        .collect();
    let body = html! {
        (heading(components::with_code(title), &format!("commit {short}{by}")))
        div.toolbar { a.button href={ "/review?base=" (links::encode(&format!("{0}^..{0}", context.name))) } { "Review it" } }
        (section("Touched", Some(touched.len()), html! {
            @if touched.is_empty() { p.muted { "No file of it is known here." } }
            ul.list.tight { @for node in &touched { li { (components::node_link(node)) } } }
        }))
        // The commit itself is always among its reasons and does not count.
        @if about.reasons.iter().any(|reason| !matches!(reason.node, EntityRef::Commit(_))) { (super::reasons::part(&about)) }
    };
    let crumbs = vec![Crumb::to("Files", "/file/"), Crumb::here(format!("Commit {short}"))];
    Ok(Screen::new(NavSection::Files, title, body).at(crumbs).into())
}
