//! What one file says, on its own.

use serde::{Deserialize, Serialize};

/// Facts of one file. They depend on its text alone, so they are shared between branches.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileFacts {
    /// How many lines it has
    pub lines: u32,
    /// What it says it is about: its first heading, or the first sentence of its header comment
    pub title: Option<String>,
    /// Its headings, in order
    pub headings: Vec<Heading>,
    /// Where it points, in order
    pub links: Vec<Link>,
}

/// A heading of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heading {
    /// 1 for the highest
    pub level: u8,
    /// Its text, without markup
    pub text: String,
    /// The line it is on, from 1
    pub line: u32,
}

/// A link from a document to something else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// Where it points, as it is written
    pub target: String,
    /// The line it is on, from 1
    pub line: u32,
}
