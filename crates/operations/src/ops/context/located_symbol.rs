//! A symbol in the answer to a question: the parts of its source that are shown, and which lines are not.

use base::{EntityRef, NextCall, RepoPath};
use schemars::JsonSchema;
use serde::Serialize;

use super::cost;
use crate::answers::source::Excerpt;
use engine::contract::page::{Page, PageCell};

/// How many symbols with the same source are named.
const MAX_ALIKE_NAMED: usize = 8;

/// How many ranges of left-out lines a call names; their path is repeated in each.
const MAX_RANGES_IN_CALL: usize = 2;

/// A symbol, or a file, that a question is about
#[derive(Debug, Serialize, JsonSchema)]
pub struct LocatedSymbol {
    /// Its handle
    pub node: EntityRef,
    /// The file
    pub path: RepoPath,
    /// Its nested name; empty for a file
    pub name: String,
    /// The first line of its declaration
    pub first_line: u32,
    /// Its last line
    pub last_line: u32,
    /// The first sentence of its documentation, if its source does not show it
    #[serde(skip_serializing_if = "String::is_empty")]
    pub doc: String,
    /// The parts of its source that match the question best
    pub source: Vec<Excerpt>,
    /// Its score, comparable within one answer
    pub score: f64,
    /// How many of its lines the answer does not show
    pub omitted: u32,
    /// Which lines these are
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOutLines>,
    /// Other symbols of the file with nearly the same source
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub alike: Vec<AlikeSymbol>,
}

/// Lines of a symbol that an answer does not show
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LeftOutLines {
    /// The number of the first line
    pub first_line: u32,
    /// The number of the last line
    pub last_line: u32,
}

/// A symbol with nearly the same source as one that is shown
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AlikeSymbol {
    /// Its nested name
    pub name: String,
    /// The line of its declaration
    pub line: u32,
}

/// A symbol that matches too and whose source is not shown
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OtherSymbol {
    /// The file
    pub path: RepoPath,
    /// Its nested name
    pub name: String,
    /// The first line of its declaration
    pub first_line: u32,
    /// Its last line
    pub last_line: u32,
}

impl OtherSymbol {
    /// Its name and lines.
    pub(super) fn text(&self) -> String {
        let lines = LeftOutLines { first_line: self.first_line, last_line: self.last_line };
        format!("{} {}", self.name, lines.text())
    }
}

impl LeftOutLines {
    fn text(self) -> String {
        match self.first_line == self.last_line {
            true => self.first_line.to_string(),
            false => format!("{}-{}", self.first_line, self.last_line),
        }
    }
}

impl LocatedSymbol {
    /// Renders its name if the source does not show it, its source with the numbers of left-out
    /// lines, and the symbols that are alike.
    pub(super) fn render(&self, page: &mut Page) {
        if let Some(row) = self.heading_cells() {
            page.table(2, vec![row]);
        }
        let mut gaps = self.left_out.iter().peekable();
        for part in &self.source {
            while let Some(gap) = gaps.next_if(|gap| gap.first_line < part.first_line) {
                page.say(format!("  … {}", gap.text()));
            }
            page.source(&part.text, part.first_line);
        }
        for gap in gaps {
            page.say(format!("  … {}", gap.text()));
        }
        if !self.alike.is_empty() {
            page.say(format!("  alike: {}", self.alike_text()));
        }
    }

    fn alike_text(&self) -> String {
        let named = self.alike.iter().take(MAX_ALIKE_NAMED);
        let mut parts: Vec<String> =
            named.map(|one| format!("{} {}", one.name, one.line)).collect();
        if let Some(more) = self.alike.len().checked_sub(MAX_ALIKE_NAMED).filter(|more| *more > 0) {
            parts.push(format!("{more} more"));
        }
        parts.join(", ")
    }

    /// The call that shows the lines that are left out: only these, or all of it if they are in many places.
    pub(super) fn show_call(&self) -> NextCall {
        // A line number alone would mean the symbol around it.
        let range =
            |gap: &LeftOutLines| format!("{}:{}-{}", self.path, gap.first_line, gap.last_line);
        let targets: Vec<String> = match self.name.as_str() {
            _ if self.left_out.len() <= MAX_RANGES_IN_CALL => {
                self.left_out.iter().map(range).collect()
            }
            "" => vec![self.path.to_string()],
            name => vec![format!("{}#{name}", self.path)],
        };
        NextCall::new("code.show").with("targets", targets)
    }

    /// The name of a nested symbol or of one whose declaration is not shown, with its documentation
    /// if the source does not show it.
    fn heading_cells(&self) -> Option<Vec<PageCell>> {
        let name = if self.name.is_empty() { "(file)" } else { &self.name };
        let is_whole = self.omitted == 0;
        if self.doc.is_empty() && !self.name.contains('.') && (is_whole || !self.name.is_empty()) {
            return None;
        }
        let mut row = vec![PageCell::strong(name)];
        if !self.doc.is_empty() {
            row.push(PageCell::faint(&self.doc));
        }
        Some(row)
    }

    pub(super) fn cost(&self) -> usize {
        let source: usize = self.source.iter().map(source_cost).sum();
        let alike = if self.alike.is_empty() { 0 } else { cost(&self.alike_text()) + 3 };
        // Its heading, the path above it, and the numbers of left-out lines.
        source + cost(&self.name) + cost(&self.doc) + cost(&self.path.to_string()) + 8 + alike
    }
}

/// Cost of lines with their numbers.
pub(super) fn source_cost(part: &Excerpt) -> usize {
    cost(&part.text) + 2 * (part.last_line - part.first_line + 1) as usize
}
