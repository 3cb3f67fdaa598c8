//! Three-way merges by field: cards, shared records and confirmations.
//!
//! Two sides that change different fields, add to lists, or append to the text never conflict. A
//! field that both change in different ways is a conflict, and only its lines are marked.

mod fields;
mod lines;
mod record;
mod value;

pub use fields::merge_documents;
pub use lines::merge_lines;
pub use record::merge_records;

/// The result of a merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergedText {
    /// The merged text, with markers around what conflicts
    pub text: String,
    /// The fields that conflict; `text` for the text below the fields
    pub conflicts: Vec<String>,
}

/// The three versions of a text.
#[derive(Debug, Clone, Copy)]
pub struct MergeTexts<'t> {
    /// What both sides started from; empty if both added the file
    pub base: &'t str,
    /// This side
    pub ours: &'t str,
    /// The other side
    pub theirs: &'t str,
}

/// The name of the text below the fields in a list of conflicts.
const TEXT: &str = "text";

const OURS: &str = "<<<<<<< ours";
const MIDDLE: &str = "=======";
const THEIRS: &str = ">>>>>>> theirs";

/// Two versions of some lines between markers. Each version is empty or ends with a line break.
fn marked(ours: &str, theirs: &str) -> String {
    format!("{OURS}\n{ours}{MIDDLE}\n{theirs}{THEIRS}\n")
}

/// A text whose last line ends with a line break.
fn with_line_end(text: &str) -> String {
    match text.is_empty() || text.ends_with('\n') {
        true => text.to_owned(),
        false => format!("{text}\n"),
    }
}
