//! A change that is not made yet: a mutation returns it, and only the engine commits it.
//!
//! @see spec::workspace/plans

use std::sync::Arc;

use base::{NextCall, RepoPath, Result};
use schemars::JsonSchema;
use serde::Serialize;
use similar::TextDiff;
use tree::{ChangeId, FileEdit, WorkingTree};

use crate::contract::answer::Paging;
use crate::contract::page::{Page, Render};
use crate::durable::StoreChange;

/// A change, and the answer that is true once the change is committed.
#[derive(Debug)]
pub struct Plan<A> {
    /// What it does, in a few words, for the journal
    pub summary: String,
    /// The change itself
    pub change: PlannedChange,
    /// The answer of the operation
    pub answer: A,
    /// Whether the operation may be planned again if another writer changed something meanwhile;
    /// otherwise that is a conflict
    pub retry_on_conflict: bool,
}

impl<A> Plan<A> {
    /// A plan that has nothing to do.
    pub fn nothing(answer: A) -> Self {
        Self {
            summary: String::new(),
            change: PlannedChange::Nothing,
            answer,
            retry_on_conflict: true,
        }
    }

    /// The same change with another answer.
    pub fn map_answer<B>(self, map: impl FnOnce(A) -> B) -> Plan<B> {
        let Self { summary, change, answer, retry_on_conflict } = self;
        Plan { summary, change, answer: map(answer), retry_on_conflict }
    }
}

/// The change of a plan: to files or to one durable store, never both, so that it is one
/// transaction.
#[derive(Debug, Clone)]
pub enum PlannedChange {
    /// Nothing: the state already is as wanted
    Nothing,
    /// Files get new contents
    Files(Vec<FileEdit>),
    /// Files get back the contents that they had before a change
    Undo {
        /// What they get
        edits: Vec<FileEdit>,
        /// The number of that change
        undoes: ChangeId,
    },
    /// A store gets new rows
    Store(Arc<dyn StoreChange>),
}

/// What every mutation answers: its own result, and what happened to the files.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MutationAnswer<A> {
    /// What the operation itself says
    pub result: A,
    /// Files that changed, or would change
    pub files: Vec<RepoPath>,
    /// The change's number, for `undo`; absent from a dry run
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change: Option<String>,
    /// What a dry run would do
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
}

impl<A: Render> Render for MutationAnswer<A> {
    fn render(&self, page: &mut Page) {
        self.result.render(page);
        if let Some(diff) = &self.diff {
            page.heading("Dry run: nothing was written");
            if !self.result.shows_change() {
                page.diff(diff);
            }
        } else if let Some(change) = &self.change {
            let what = match named_files(&self.files) {
                files if files.is_empty() => String::new(),
                files => format!(": {files}"),
            };
            let undo = NextCall::new("undo").with("change", change.as_str());
            page.say_call(format!("change {change}{what}"), undo);
        }
    }

    fn paging(&self) -> Option<Paging> {
        self.result.paging()
    }

    fn has_findings(&self) -> bool {
        self.result.has_findings()
    }
}

/// How many files of a change an answer names.
const MAX_NAMED_FILES: usize = 12;

fn named_files(files: &[RepoPath]) -> String {
    let named: Vec<String> = files.iter().take(MAX_NAMED_FILES).map(ToString::to_string).collect();
    match files.len().saturating_sub(MAX_NAMED_FILES) {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}

impl PlannedChange {
    /// The edits of files; `None` if it changes a store or nothing.
    pub(crate) fn edits(&self) -> Option<&[FileEdit]> {
        match self {
            Self::Files(edits) | Self::Undo { edits, .. } => Some(edits),
            Self::Nothing | Self::Store(_) => None,
        }
    }

    /// The change to files that it undoes.
    pub(crate) fn undone_change(&self) -> Option<ChangeId> {
        match self {
            Self::Undo { undoes, .. } => Some(*undoes),
            _ => None,
        }
    }

    /// The files it is about.
    pub(crate) fn files(&self) -> Vec<RepoPath> {
        self.edits().unwrap_or_default().iter().map(|edit| edit.path.clone()).collect()
    }

    /// The change as text: a unified diff, or the description of the store's change.
    pub(crate) fn preview(&self, tree: &WorkingTree) -> Result<String> {
        match self {
            Self::Nothing => Ok(String::new()),
            Self::Files(edits) | Self::Undo { edits, .. } => {
                edits.iter().map(|edit| file_diff(edit, tree)).collect()
            }
            Self::Store(change) => Ok(change.preview()),
        }
    }
}

fn file_diff(edit: &FileEdit, tree: &WorkingTree) -> Result<String> {
    let before = tree.read(&edit.path)?.map(|blob| blob.bytes);
    let name = |side: char, there: bool| match there {
        true => format!("{side}/{}", edit.path),
        false => "/dev/null".into(),
    };
    let (old, new) = (name('a', before.is_some()), name('b', edit.content.is_some()));
    let (before, after) = (before.unwrap_or_default(), edit.content.as_deref().unwrap_or_default());
    let (before, after) = (String::from_utf8_lossy(&before), String::from_utf8_lossy(after));
    let diff = TextDiff::from_lines(before.as_ref(), after.as_ref());
    Ok(diff.unified_diff().header(&old, &new).to_string())
}
