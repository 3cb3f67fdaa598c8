//! Kinds of nodes, as arguments that narrow an answer take them.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Declares the kinds, each with the word that handles of it start with.
macro_rules! node_kinds {
    ($($(#[$doc:meta])* $variant:ident = $word:literal),* $(,)?) => {
        /// A kind of node.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        pub enum NodeKind { $($(#[$doc])* #[serde(rename = $word)] $variant),* }

        impl NodeKind {
            /// Every kind.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The word for it, as [`base::EntityRef::kind`] says it.
            pub const fn word(self) -> &'static str {
                match self { $(Self::$variant => $word),* }
            }
        }
    };
}

node_kinds! {
    /// A file that is not code
    File = "file",
    /// A file of code
    Module = "module",
    /// A folder
    Dir = "dir",
    /// A function, type or other declaration
    Symbol = "symbol",
    /// A card
    Card = "card",
    /// An entity of the knowledge base
    Kb = "kb",
    /// A commit
    Commit = "commit",
    /// A named group of atoms
    Molecule = "molecule",
    /// A short text of knowledge about the files that match its path patterns
    Atom = "atom",
    /// A project
    Project = "project",
    /// A feature of a project
    Feature = "feature",
    /// A task
    Task = "task",
}

impl fmt::Display for NodeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for NodeKind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.iter().find(|kind| kind.word().eq_ignore_ascii_case(text)).copied();
        found.ok_or_else(|| {
            let words: Vec<&str> = Self::ALL.iter().map(|kind| kind.word()).collect();
            format!("`{}` is not a kind of node: {}", text.escape_debug(), words.join(", "))
        })
    }
}

#[cfg(test)]
mod tests {
    use base::EntityRef;

    use super::*;

    #[test]
    fn every_handle_is_of_a_kind() {
        for handle in [
            "file:a.md",
            "module:a.rs",
            "dir:a",
            "symbol:a.rs#f",
            "spec::a",
            "kb:REQ-1",
            "commit:0123456789abcdef0123456789abcdef01234567",
            "atom:00000000-0000-7000-8000-000000000000",
        ] {
            let node: EntityRef = handle.parse().unwrap();
            assert_eq!(node.kind().parse::<NodeKind>().unwrap().word(), node.kind());
        }
        assert!("bogus".parse::<NodeKind>().unwrap_err().contains("file, module, dir"));
    }
}
