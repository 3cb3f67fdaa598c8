//! The data model: types of entities and relations, and what each type allows.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Declares an enum whose variants are words, the same in JSON, SQL and on the command line.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident, $what:literal { $($(#[$vdoc:meta])* $variant:ident = $word:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[derive(Serialize, Deserialize, JsonSchema)]
        pub enum $name { $($(#[$vdoc])* #[serde(rename = $word)] $variant),* }

        impl $name {
            /// Every value, in the order of declaration.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// Its word.
            pub const fn word(self) -> &'static str {
                match self { $(Self::$variant => $word),* }
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
                found.ok_or_else(|| unknown($what, text, Self::ALL.iter().map(|one| one.word())))
            }
        }
    };
}

fn unknown<'a>(what: &str, text: &str, words: impl Iterator<Item = &'a str>) -> String {
    let words: Vec<&str> = words.collect();
    format!("`{}` is not {what}: {}", text.escape_debug(), words.join(", "))
}

words!(
    /// The type of an entity.
    KbEntityKind, "a type" {
        /// Something the project must do
        Req = "req",
        /// A behaviour in the form given, when, then
        Scenario = "scenario",
        /// A check that can be run
        Test = "test",
        /// An architecture decision
        Adr = "adr",
        /// A feature flag
        Flag = "flag",
        /// Something that happens in the domain or the system
        Event = "event",
        /// A piece of code
        Symbol = "symbol",
        /// Any other fact
        Fact = "fact",
    }
);

words!(
    /// The priority of a requirement.
    RequirementPriority, "a priority" {
        /// Without it the project fails
        Must = "must",
        /// It is expected
        Should = "should",
        /// It would be nice
        Could = "could",
    }
);

words!(
    /// The type of a relation.
    KbRelationKind, "a relation" {
        /// A requirement needs another
        DependsOn = "depends_on",
        /// A requirement is described by a scenario
        SpecifiedBy = "specified_by",
        /// A requirement is verified by a test
        VerifiedBy = "verified_by",
        /// Code implements a requirement
        Implements = "implements",
        /// Code is covered by a test
        CoveredBy = "covered_by",
        /// Code follows a decision
        ConstrainedBy = "constrained_by",
        /// A decision is about code
        Affects = "affects",
        /// A flag switches something
        Guards = "guards",
        /// Code publishes an event
        Publishes = "publishes",
        /// Code consumes an event
        Consumes = "consumes",
        /// A decision replaces another
        Supersedes = "supersedes",
        /// A fact constrains a requirement
        Constrains = "constrains",
        /// A requirement needs a fact to hold
        RequiresProperty = "requires_property",
        /// Any other relation, named by its kind
        RelatesTo = "relates_to",
    }
);

/// What may be at an end of a relation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndpointRule {
    /// An entity of one type
    Only(KbEntityKind),
    /// An entity of one of these types; if the flag is set, also a file or folder
    OneOf(&'static [KbEntityKind], bool),
    /// Anything
    Any,
}

impl EndpointRule {
    /// Whether an entity of this type may be here; `None` is a file or folder.
    pub fn accepts(self, kind: Option<KbEntityKind>) -> bool {
        match (self, kind) {
            (Self::Any, _) => true,
            (Self::Only(wanted), kind) => kind == Some(wanted),
            (Self::OneOf(wanted, _), Some(kind)) => wanted.contains(&kind),
            (Self::OneOf(_, component), None) => component,
        }
    }
}

impl fmt::Display for EndpointRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => f.write_str("anything"),
            Self::Only(kind) => kind.fmt(f),
            Self::OneOf(kinds, component) => {
                let words = kinds.iter().map(|kind| kind.word());
                let words: Vec<&str> = words.chain(component.then_some("component")).collect();
                f.write_str(&words.join("|"))
            }
        }
    }
}

impl KbRelationKind {
    /// The rules for its start and its end.
    pub const fn signature(self) -> (EndpointRule, EndpointRule) {
        use KbEntityKind::{Adr, Event, Fact, Flag, Req, Scenario, Symbol, Test};
        const fn only(from: KbEntityKind, to: KbEntityKind) -> (EndpointRule, EndpointRule) {
            (EndpointRule::Only(from), EndpointRule::Only(to))
        }
        match self {
            Self::DependsOn => only(Req, Req),
            Self::SpecifiedBy => only(Req, Scenario),
            Self::VerifiedBy => only(Req, Test),
            Self::Implements => only(Symbol, Req),
            Self::CoveredBy => only(Symbol, Test),
            Self::ConstrainedBy => only(Symbol, Adr),
            Self::Affects => (EndpointRule::Only(Adr), EndpointRule::OneOf(&[Symbol], true)),
            Self::Guards => {
                (EndpointRule::Only(Flag), EndpointRule::OneOf(&[Symbol, Event, Req], false))
            }
            Self::Publishes | Self::Consumes => only(Symbol, Event),
            Self::Supersedes => only(Adr, Adr),
            Self::Constrains | Self::RequiresProperty => only(Req, Fact),
            Self::RelatesTo => (EndpointRule::Any, EndpointRule::Any),
        }
    }

    /// Whether it allows ends of these types.
    pub fn fits(self, from: Option<KbEntityKind>, to: Option<KbEntityKind>) -> bool {
        let (left, right) = self.signature();
        left.accepts(from) && right.accepts(to)
    }

    /// The relation type of an untyped link between two entities, and whether it runs backwards. It is
    /// the only type that the ends allow, first in the direction of the link, then in the other. A
    /// link between decisions does not mean that one supersedes the other.
    pub fn of_link(from: KbEntityKind, to: KbEntityKind) -> (Self, bool) {
        let only = |from, to| {
            let plain = |one: &&Self| !matches!(**one, Self::RelatesTo | Self::Supersedes);
            let mut fitting = Self::ALL.iter().filter(plain).filter(|one| one.fits(from, to));
            (fitting.next(), fitting.next())
        };
        match (only(Some(from), Some(to)), only(Some(to), Some(from))) {
            ((Some(one), None), _) => (*one, false),
            ((None, _), (Some(one), None)) => (*one, true),
            _ => (Self::RelatesTo, false),
        }
    }
}

impl KbEntityKind {
    /// Its statuses; the first one is the default.
    pub const fn statuses(self) -> &'static [&'static str] {
        match self {
            Self::Req => &["open", "in_progress", "closed", "deprecated"],
            Self::Scenario => &["draft", "active", "deprecated"],
            Self::Test => &["pending", "passing", "failing", "skipped"],
            Self::Adr => &["proposed", "accepted", "deprecated", "superseded"],
            Self::Flag => &["active", "inactive", "deprecated"],
            Self::Event | Self::Fact => &["active", "deprecated"],
            Self::Symbol => &["active", "deprecated", "removed"],
        }
    }

    /// The conventional prefixes of its ids; the first one is used for new ids.
    pub const fn prefixes(self) -> &'static [&'static str] {
        match self {
            Self::Req => &["REQ-"],
            Self::Scenario => &["SCEN-"],
            Self::Test => &["TEST-"],
            Self::Adr => &["ADR-"],
            Self::Flag => &["FLAG-"],
            Self::Event => &["EVT-", "EVENT-"],
            Self::Symbol => &["SYM-", "SYMBOL-"],
            Self::Fact => &["FACT-"],
        }
    }

    /// The conventional folders of its documents; the first one is used for new documents.
    pub const fn folders(self) -> &'static [&'static str] {
        match self {
            Self::Req => &["requirements", "reqs"],
            Self::Scenario => &["scenarios"],
            Self::Test => &["tests"],
            Self::Adr => &["adr", "adrs", "decisions"],
            Self::Flag => &["flags"],
            Self::Event => &["events"],
            Self::Symbol => &["symbols"],
            Self::Fact => &["facts"],
        }
    }

    /// The type that belongs to the prefix of an id.
    pub fn of_id(id: &str) -> Option<Self> {
        let upper = id.to_ascii_uppercase();
        let starts = |kind: &&Self| kind.prefixes().iter().any(|prefix| upper.starts_with(prefix));
        Self::ALL.iter().find(starts).copied()
    }

    /// The type that belongs to the name of a folder.
    pub fn of_folder(name: &str) -> Option<Self> {
        let lower = name.to_ascii_lowercase();
        let named = |kind: &&Self| kind.folders().contains(&lower.as_str());
        Self::ALL.iter().find(named).copied()
    }
}

/// One entity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Entity {
    /// Its id, such as `REQ-001`
    pub id: String,
    /// What it is
    #[serde(rename = "type")]
    pub kind: KbEntityKind,
    /// Its title
    pub title: String,
    /// Its status
    pub status: String,
    /// When it was first written, if that is known
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub created_at: String,
    /// When it was last written, if that is known
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub updated_at: String,
    /// Where it comes from
    pub source: String,
    /// Who wrote it
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub author: String,
    /// Increases with every change; 0 for an entity from a file
    #[serde(default)]
    pub version: u32,
    /// Its optional fields
    #[serde(flatten)]
    pub more: EntityDetails,
}

/// The optional fields of an entity.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct EntityDetails {
    /// Words to find it by
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Who is responsible for it
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// Its priority
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<RequirementPriority>,
    /// How bad a failure is
    #[serde(skip_serializing_if = "Option::is_none")]
    pub severity: Option<String>,
    /// Web addresses with more about it
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<String>,
    /// Where its long text is
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text_ref: Option<String>,
    /// Its long text
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The kind of test, such as unit or e2e
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The code it stands for, as `path#name`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// When a test last ran, as RFC 3339 has it
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ran_at: Option<String>,
    /// The commit that a test last ran on
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Whether its dependencies may lead back to it
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub allow_cycle: bool,
}

/// One relation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KbRelation {
    /// Its type
    #[serde(rename = "type")]
    pub relates: KbRelationKind,
    /// Where it starts: an id, or a handle
    pub from: String,
    /// Where it ends: an id, or a handle
    pub to: String,
    /// The kind of relation, for `relates_to`
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// When it was written
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub created_at: String,
    /// Who wrote it
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub created_by: String,
    /// Where it comes from
    pub source: String,
    /// Its confidence, from 0 to 1
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// Whether it may be part of a cycle
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub allow_cycle: bool,
}

/// The fields that identify a relation.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct RelationKey {
    /// Its type
    #[serde(rename = "type")]
    pub relates: KbRelationKind,
    /// Where it starts
    pub from: String,
    /// Where it ends
    pub to: String,
    /// The kind of relation, for `relates_to`
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub kind: String,
}

impl KbRelation {
    /// The fields that identify it.
    pub fn key(&self) -> RelationKey {
        let (from, to, kind) = (self.from.clone(), self.to.clone(), self.kind.clone());
        RelationKey { relates: self.relates, from, to, kind }
    }
}

impl fmt::Display for RelationKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if self.kind.is_empty() { String::new() } else { format!(" ({})", self.kind) };
        write!(f, "{} {} {}{kind}", self.from, self.relates, self.to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_untyped_link_means_the_one_relation_that_fits() {
        for (from, to, relation) in [
            (KbEntityKind::Req, KbEntityKind::Scenario, (KbRelationKind::SpecifiedBy, false)),
            (KbEntityKind::Test, KbEntityKind::Req, (KbRelationKind::VerifiedBy, true)),
            (KbEntityKind::Req, KbEntityKind::Req, (KbRelationKind::DependsOn, false)),
            (KbEntityKind::Symbol, KbEntityKind::Event, (KbRelationKind::RelatesTo, false)),
            (KbEntityKind::Adr, KbEntityKind::Symbol, (KbRelationKind::Affects, false)),
            (KbEntityKind::Symbol, KbEntityKind::Adr, (KbRelationKind::ConstrainedBy, false)),
            (KbEntityKind::Adr, KbEntityKind::Adr, (KbRelationKind::RelatesTo, false)),
            (KbEntityKind::Event, KbEntityKind::Flag, (KbRelationKind::Guards, true)),
            (KbEntityKind::Req, KbEntityKind::Fact, (KbRelationKind::RelatesTo, false)),
        ] {
            assert_eq!(KbRelationKind::of_link(from, to), relation, "{from} {to}");
        }
    }

    #[test]
    fn ids_and_folders_tell_the_type() {
        assert_eq!(KbEntityKind::of_id("evt-7"), Some(KbEntityKind::Event));
        assert_eq!(KbEntityKind::of_id("EVENT-7"), Some(KbEntityKind::Event));
        assert_eq!(KbEntityKind::of_id("X-1"), None);
        assert_eq!(KbEntityKind::of_folder("Decisions"), Some(KbEntityKind::Adr));
    }
}
