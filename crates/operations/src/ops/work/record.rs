//! Projects, features and tasks as answers show them.

use base::moment::elapsed;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use work::WorkItem;
use work::container::WorkItemBrief;
use work::query::{WorkPeople, priority_of};
use work::record::{Feature, Project, Section, Task};
use work::words::WorkStatus;

use engine::contract::page::{Page, PageCell, Render};

/// How many characters a progress bar has.
const BAR_WIDTH: usize = 10;

/// A whole record, under the name of its kind
#[derive(Debug, Serialize, JsonSchema)]
pub struct WorkRecordAnswer {
    /// The project, if it is one
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<Project>,
    /// The feature, if it is one
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feature: Option<Feature>,
    /// The task, if it is one
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<Task>,
    #[serde(skip)]
    outcome: &'static str,
    #[serde(skip)]
    line: String,
}

impl WorkRecordAnswer {
    /// A record, and a verb for what happened to it.
    pub(super) fn of(one: WorkItem, outcome: &'static str) -> Self {
        let line = line(&one);
        let (mut project, mut feature, mut task) = (None, None, None);
        match one {
            WorkItem::Project(one) => project = Some(one),
            WorkItem::Feature(one) => feature = Some(one),
            WorkItem::Task(one) => task = Some(one),
        }
        Self { project, feature, task, outcome, line }
    }
}

impl Render for WorkRecordAnswer {
    fn render(&self, page: &mut Page) {
        page.answer(format!("{} {}", self.outcome, self.line).trim());
    }
}

/// A record on one line, with its version and handle.
pub(super) fn line(one: &WorkItem) -> String {
    let status = one.status().map_or(String::new(), |status| format!("  {status}"));
    let priority = priority_of(one).map_or(String::new(), |priority| format!(" {priority}"));
    let brief = one.brief();
    format!(
        "{} \"{}\"{status}{priority}  version {}    {}",
        brief.kind,
        brief.name,
        one.version(),
        brief.handle()
    )
}

/// A row of a table: state, name and handle.
pub(super) fn row(brief: &WorkItemBrief) -> Vec<PageCell> {
    let status = brief.status.map_or("", WorkStatus::word);
    vec![
        PageCell::text(status),
        PageCell::text(format!("\"{}\"", brief.name)),
        PageCell::handle(brief.handle()),
    ]
}

/// The assignee, who works on it, when it is due and how old it is.
pub(super) fn people_words(people: &WorkPeople, now: Timestamp) -> String {
    let mut words = Vec::new();
    match (&people.claimed_by, people.is_mine) {
        (Some(_), true) => words.push("yours".to_owned()),
        (Some(actor), false) => words.push(format!("held by {actor}")),
        (None, _) => {}
    }
    words.extend(people.assignee.as_ref().map(|assignee| format!("for {assignee}")));
    words.extend(people.due.as_ref().map(|due| format!("due {due}")));
    let changed = people.updated_at.parse().ok();
    words.extend(changed.map(|at: Timestamp| elapsed(now, at)));
    words.join(", ")
}

/// A bar of ten characters that shows how much of something is done.
pub(super) fn progress_bar(done: usize, all: usize) -> String {
    let filled = (done * BAR_WIDTH).checked_div(all).unwrap_or_default();
    format!("{}{} {done}/{all}", "█".repeat(filled), "░".repeat(BAR_WIDTH - filled))
}

/// Sections, each quoted with its source.
pub(super) fn quote_sections(page: &mut Page, sections: &[Section]) {
    for section in sections {
        page.heading(format!("{}  (version {})", section.title, section.version));
        let source = format!("section {}", section.id);
        match section.content.trim() {
            "" => page
                .say(format!("  (empty: {})    section {}", section.usage_description, section.id)),
            text => page.quoted(text, source),
        }
    }
}
