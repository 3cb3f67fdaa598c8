//! Enums that are stored and shown as words: kinds, statuses, priorities, formats. Case is ignored on input.

/// Declares an enum whose variants are words. They have one spelling; case is ignored on input.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident {
        $($(#[$variant_doc:meta])* $variant:ident = $word:literal),* $(,)?
    }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(try_from = "String")]
        pub enum $name {
            $($(#[$variant_doc])* #[serde(rename = $word)] $variant),*
        }

        impl $name {
            /// Every value, in the order of declaration.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// Its word.
            pub const fn word(self) -> &'static str {
                match self { $(Self::$variant => $word),* }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.word())
            }
        }

        impl std::str::FromStr for $name {
            type Err = String;
            fn from_str(text: &str) -> Result<Self, String> {
                let plain = |text: &str| text.replace(['_', '-', ' '], "").to_ascii_lowercase();
                let is = |one: &&Self| plain(one.word()) == plain(text.trim());
                let refused = || {
                    let known: Vec<&str> = Self::ALL.iter().map(|one| one.word()).collect();
                    format!("`{}` is not one of {}", text.escape_debug(), known.join(", "))
                };
                Self::ALL.iter().find(is).copied().ok_or_else(refused)
            }
        }

        impl TryFrom<String> for $name {
            type Error = String;
            fn try_from(text: String) -> Result<Self, String> {
                text.parse()
            }
        }
    };
}

pub(crate) use words;

words!(
    /// The formats that work is exported in.
    ExportFormat {
        /// A plan that people read and change
        Markdown = "markdown",
        /// Issues of beads, as lines of JSON
        Beads = "beads",
        /// Files of Backlog.md
        Backlog = "backlog",
        /// Every row of the store, as JSON
        Json = "json",
    }
);

words!(
    /// The kinds of work.
    WorkKind {
        /// Holds features, tasks and knowledge; has no state
        Project = "project",
        /// Holds tasks
        Feature = "feature",
        /// A piece of work
        Task = "task",
    }
);

words!(
    /// The kinds of knowledge.
    KnowledgeKind {
        /// Knowledge about some paths
        Atom = "atom",
        /// Knowledge that several atoms share
        Molecule = "molecule",
    }
);

words!(
    /// The status of a feature or task.
    WorkStatus {
        /// Not begun
        New = "NEW",
        /// Being worked on
        Active = "ACTIVE",
        /// Written, not yet tested
        ToBeTested = "TO_BE_TESTED",
        /// Done, not yet released
        ReadyToProd = "READY_TO_PROD",
        /// Done
        Closed = "CLOSED",
        /// Given up
        WillNotImplement = "WILL_NOT_IMPLEMENT",
    }
);

impl WorkStatus {
    /// Whether no other status can follow.
    pub const fn is_terminal(self) -> bool {
        matches!(self, Self::Closed | Self::WillNotImplement)
    }
}

words!(
    /// How urgent it is.
    WorkPriority {
        /// To be done first
        High = "HIGH",
        /// After HIGH
        Medium = "MEDIUM",
        /// When there is time
        Low = "LOW",
    }
);

words!(
    /// How two pieces of work are related.
    DependencyKind {
        /// The first must be finished before the second can continue
        Blocks = "BLOCKS",
        /// Related without an order
        RelatesTo = "RELATES_TO",
        /// The second is a part of the first
        ParentOf = "PARENT_OF",
        /// The first asks for the same as the second
        Duplicates = "DUPLICATES",
        /// The first was found while working on the second
        DiscoveredFrom = "DISCOVERED_FROM",
    }
);

words!(
    /// What happened to a feature or task.
    WorkEventKind {
        /// It was created
        Created = "created",
        /// Its status changed
        Status = "status",
        /// It was claimed or released
        Claim = "claim",
        /// Somebody commented on it
        Comment = "comment",
        /// Something else about it changed
        Change = "change",
    }
);

words!(
    /// The format of a section's content.
    ContentFormat {
        /// Text for people
        Markdown = "MARKDOWN",
        /// Plain text, shown unchanged
        PlainText = "PLAIN_TEXT",
        /// JSON
        Json = "JSON",
        /// A program
        Code = "CODE",
    }
);

words!(
    /// How new knowledge is written.
    KnowledgeWriteMode {
        /// It replaces the old
        Overwrite = "overwrite",
        /// It is appended, with the time and the task
        Append = "append",
    }
);
