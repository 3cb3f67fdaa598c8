//! The words of cards: statuses and kinds of relation.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Declares words that are the same on the command line, in JSON and in a card.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident, $what:literal, { $($(#[$inner:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[derive(Serialize, Deserialize, JsonSchema, clap::ValueEnum)]
        #[serde(rename_all = "snake_case")]
        #[value(rename_all = "snake_case")]
        pub enum $name { $($(#[$inner])* $variant,)+ }

        impl $name {
            /// All of them, in their order.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The word itself.
            pub const fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.word())
            }
        }

        impl FromStr for $name {
            type Err = String;
            fn from_str(text: &str) -> Result<Self, String> {
                let found = Self::ALL.iter().find(|one| one.word() == text).copied();
                found.ok_or_else(|| {
                    let all: Vec<&str> = Self::ALL.iter().map(|one| one.word()).collect();
                    format!("`{}` is not {}; it is one of {}", text.escape_debug(), $what, all.join(", "))
                })
            }
        }
    };
}

words!(
    /// The status of a card.
    CardStatus, "a status", {
        /// Being written; nothing is checked
        Draft = "draft",
        /// Agreed on, not begun
        Accepted = "accepted",
        /// Being built
        Implementing = "implementing",
        /// Built; code must link it with `@see`
        Implemented = "implemented",
        /// No longer valid
        Deprecated = "deprecated",
    }
);

/// The field of a card that was drafted and that nobody has reviewed.
pub const UNREVIEWED: &str = "unreviewed";

words!(
    /// The kind of relation between two cards.
    CardRelationKind, "a kind of relation", {
        /// The other card has to be built first
        DependsOn = "depends_on",
        /// The other card is background information
        References = "references",
        /// The cards are related in some other way
        Related = "related",
        /// It refines the other
        Extends = "extends",
        /// The two cards contradict each other
        Conflicts = "conflicts",
    }
);
