//! The envelope of every answer: `{data, basis, page?}`, or `{error}`.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::LazyLock;

use base::{Problem, RepoPath};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::args::{Limit, Offset};
use crate::durable::team::TeamBasis;

use super::page::{CallWriter, ColorMode, Page, PageCell};

/// Whether the answer shows the repository as it is now.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BasisState {
    /// Everything was seen as it is
    #[default]
    Fresh,
    /// Some files have changed since; they are listed
    Stale,
    /// Some things could not be looked at; the reasons say which
    Partial,
}

/// What an answer rests on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Basis {
    /// How much of the present it shows
    pub state: BasisState,
    /// The worktree that was read: `.` or the name of a linked one
    pub worktree: String,
    /// The branch that is checked out
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The commit that is checked out
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// How many files differ from that commit
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edited: Option<u64>,
    /// Files that changed since they were indexed
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<RepoPath>,
    /// Why the answer is incomplete, or how its freshness was ensured
    pub reasons: Vec<String>,
    /// The branch whose knowledge base was read
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kb_branch: Option<String>,
    /// Counts up with every change of a store
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub revisions: BTreeMap<String, u64>,
    /// The team that shares the stores which were read
    #[serde(skip_serializing_if = "Option::is_none")]
    pub team: Option<TeamBasis>,
}

impl fmt::Display for Basis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let why = self.reasons_text();
        match self.state {
            BasisState::Fresh => write!(f, "fresh{why}")?,
            BasisState::Stale => write!(f, "stale{why}")?,
            BasisState::Partial => write!(f, "partial{why}")?,
        }
        if let Some(branch) = &self.branch {
            write!(f, " · {branch}")?;
        }
        if let Some(commit) = &self.commit {
            let joint = if self.branch.is_some() { " @ " } else { " · " };
            write!(f, "{joint}{}", commit.get(..12).unwrap_or(commit))?;
        }
        match self.edited {
            None | Some(0) => {}
            Some(1) => f.write_str(" + 1 edited file")?,
            Some(edited) => write!(f, " + {edited} edited files")?,
        }
        match &self.kb_branch {
            // A detached commit has no branch; its own knowledge base is not worth saying.
            Some(kb) if [&self.branch, &self.commit].iter().all(|own| own.as_ref() != Some(kb)) => {
                write!(f, " · knowledge base of {kb}")?;
            }
            _ => {}
        }
        match self.team.as_ref().map(ToString::to_string).filter(|text| !text.is_empty()) {
            Some(team) => write!(f, " · {team}"),
            None => Ok(()),
        }
    }
}

impl Basis {
    fn reasons_text(&self) -> String {
        let shown = self.files.iter().take(3).map(ToString::to_string).collect::<Vec<_>>();
        let more = match self.files.len().saturating_sub(shown.len()) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let files = (!shown.is_empty()).then(|| format!("{}{more}", shown.join(", ")));
        let parts: Vec<String> = files.into_iter().chain(self.reasons.iter().cloned()).collect();
        if parts.is_empty() { String::new() } else { format!(" ({})", parts.join("; ")) }
    }
}

/// Which part of a longer list an answer holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Paging {
    /// How many were skipped
    pub offset: u64,
    /// How many were asked for at most
    pub limit: u64,
    /// How many there are
    pub total: u64,
}

impl Paging {
    /// Cuts a list to the part that was asked for.
    pub fn cut<T>(all: Vec<T>, offset: Offset, limit: Limit) -> (Vec<T>, Self) {
        let (offset, limit, total) = (offset.get(), limit.get(), all.len());
        let paging = Self { offset: offset as u64, limit: limit as u64, total: total as u64 };
        (all.into_iter().skip(offset).take(limit).collect(), paging)
    }

    /// Says how many follow after those that are shown, and the call that gets them: the one
    /// that was made, from where this page ends.
    pub fn render_rest(&self, page: &mut Page, shown: usize) {
        let next = self.offset + shown as u64;
        if next < self.total {
            let text = format!("…  {} more", self.total - next);
            page.say_call(text, page.answered_call().with("offset", next));
        }
    }
}

/// JSON that is built when it is first read: most answers are only read as text.
pub type LazyJson = LazyLock<Value, Box<dyn FnOnce() -> Value + Send>>;

/// An answer with its types erased: JSON for programs, a page for readers.
#[derive(Debug)]
pub struct OpAnswer {
    /// The answer itself
    pub data: LazyJson,
    /// The answer as text
    pub page: Page,
    /// Which part of a longer list it is
    pub paging: Option<Paging>,
    /// Whether a check that runs the operation, such as CI, should fail
    pub has_findings: bool,
    /// What it rests on
    pub basis: Basis,
}

/// What a door gets back from every operation.
pub type Outcome = Result<OpAnswer, Problem>;

/// The schema of a whole successful answer; [`to_json`] builds the value.
#[derive(Serialize, JsonSchema)]
pub struct AnswerEnvelope<T> {
    data: T,
    #[serde(skip_serializing_if = "Option::is_none")]
    page: Option<Paging>,
    basis: Basis,
}

/// The JSON form; only suggested calls differ from door to door.
pub fn to_json(outcome: &Outcome, calls: CallWriter<'_>) -> Value {
    match outcome {
        Ok(OpAnswer { data, basis, paging: None, .. }) => json!({"data": **data, "basis": basis}),
        Ok(OpAnswer { data, basis, paging, .. }) => {
            json!({"data": **data, "page": paging, "basis": basis})
        }
        Err(problem) => {
            let mut error = json!(problem);
            let hints = problem.hints.iter().map(|hint| hint.render(calls));
            error["hints"] = hints.collect::<Vec<_>>().into();
            json!({"error": error})
        }
    }
}

/// The text form; the basis, or the hints, come last.
pub fn to_text(outcome: &Outcome, paint: ColorMode, calls: CallWriter<'_>) -> String {
    match outcome {
        Ok(answer) if answer.page.is_empty() => String::new(), // a hook that has nothing to say
        Ok(answer) if answer.page.is_document() => answer.page.to_text(ColorMode::Plain, calls),
        Ok(answer) => {
            let mut tail = Page::default();
            tail.item("basis", &answer.basis);
            answer.page.to_text(paint, calls) + &tail.to_text(paint, calls)
        }
        Err(problem) => problem_page(problem, calls).to_text(paint, calls),
    }
}

fn problem_page(problem: &Problem, calls: CallWriter<'_>) -> Page {
    let mut page = Page::default();
    page.table(0, vec![vec![PageCell::bad(problem.code), PageCell::text(problem)]]);
    for (key, value) in &problem.details {
        match value {
            // Other details are already named in hints; a list of objects is shown as a table.
            Value::Array(rows) if rows.iter().all(Value::is_object) => {
                page.table(2, rows.iter().map(detail_cells).collect());
            }
            Value::Array(_) => {}
            value => page.item(key, detail_text(value)),
        }
    }
    problem.hints.iter().for_each(|hint| page.item("hint", hint.render(calls)));
    page
}

/// The fields of an object in a row. One that has fields itself has its name in front.
fn detail_cells(row: &Value) -> Vec<PageCell> {
    let cell = |(key, value): (&String, &Value)| match value {
        Value::Object(_) => PageCell::text(format!("{key} {}", detail_text(value))),
        _ => PageCell::text(detail_text(value)),
    };
    row.as_object().into_iter().flatten().map(cell).collect()
}

/// A detail as text: no quotes around strings, and an object as its fields.
fn detail_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Object(fields) => {
            let field = |(key, value): (&String, &Value)| format!("{key}: {value}");
            fields.iter().map(field).collect::<Vec<_>>().join(", ")
        }
        value => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_basis_is_one_short_line() {
        let fresh = Basis {
            branch: Some("main".into()),
            commit: Some("9b1c7e02f3aa55".into()),
            edited: Some(2),
            ..Basis::default()
        };
        assert_eq!(fresh.to_string(), "fresh · main @ 9b1c7e02f3aa + 2 edited files");
        let partial = Basis {
            state: BasisState::Partial,
            reasons: vec!["3 files skipped".into()],
            ..fresh.clone()
        };
        let line = "partial (3 files skipped) · main @ 9b1c7e02f3aa + 2 edited files";
        assert_eq!(partial.to_string(), line);
        let files = ["a", "b", "c", "d"].map(|name| name.parse().unwrap()).to_vec();
        let stale = Basis { state: BasisState::Stale, files, branch: None, edited: None, ..fresh };
        assert_eq!(stale.to_string(), "stale (a, b, c and 1 more) · 9b1c7e02f3aa");
    }
}
