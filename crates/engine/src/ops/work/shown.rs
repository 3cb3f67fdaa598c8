//! Projects, features and tasks as answers show them.

use schemars::JsonSchema;
use serde::Serialize;
use work::Container;
use work::container::Brief;
use work::query::priority_of;
use work::record::{Feature, Project, Section, Task};
use work::words::Status;

use crate::contract::page::{Cell, Page, Render};

/// A whole record, under the name of its kind
#[derive(Debug, Serialize, JsonSchema)]
pub struct Whole {
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
    told: &'static str,
    #[serde(skip)]
    line: String,
}

impl Whole {
    /// A record, and what happened to it in a word.
    pub(super) fn of(one: Container, told: &'static str) -> Self {
        let line = line(&one);
        let (mut project, mut feature, mut task) = (None, None, None);
        match one {
            Container::Project(one) => project = Some(one),
            Container::Feature(one) => feature = Some(one),
            Container::Task(one) => task = Some(one),
        }
        Self { project, feature, task, told, line }
    }
}

impl Render for Whole {
    fn render(&self, page: &mut Page) {
        page.answer(format!("{} {}", self.told, self.line).trim());
    }
}

/// A record on one line, with its version and handle.
pub(super) fn line(one: &Container) -> String {
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

/// A row of a table: where it stands, what it is called, its handle.
pub(super) fn row(brief: &Brief) -> Vec<Cell> {
    let status = brief.status.map_or("", Status::word);
    vec![
        Cell::text(status),
        Cell::text(format!("\"{}\"", brief.name)),
        Cell::handle(brief.handle()),
    ]
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
