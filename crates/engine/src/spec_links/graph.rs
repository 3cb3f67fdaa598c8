//! Lists the links: `@see` tags, and the relations of the knowledge base that connect a
//! requirement, scenario, decision or test with code or with each other.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use base::{EntityRef, Result};
use kb::{KbEntityKind, KbRelationKind};
use schemars::JsonSchema;
use serde::Serialize;

use crate::areas::cards::code_node;
use crate::areas::kb::{KbState, kb_state, test_code};
use crate::view::View;

/// The relations of the knowledge base whose ends have to agree.
const TRACED: [KbRelationKind; 6] = [
    KbRelationKind::SpecifiedBy,
    KbRelationKind::VerifiedBy,
    KbRelationKind::Implements,
    KbRelationKind::CoveredBy,
    KbRelationKind::ConstrainedBy,
    KbRelationKind::Affects,
];

/// The type of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SpecLinkKind {
    /// `@see` in a doc comment: code and a card
    See,
    /// The field `code` of a document about a test: the document and the code that runs it
    Code,
    /// A relation of the knowledge base
    Relation(KbRelationKind),
}

impl SpecLinkKind {
    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::See => "see",
            Self::Code => "code",
            Self::Relation(relates) => relates.word(),
        }
    }
}

impl fmt::Display for SpecLinkKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for SpecLinkKind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "see" => Ok(Self::See),
            "code" => Ok(Self::Code),
            text => text.parse().map(Self::Relation),
        }
    }
}

/// A link between two nodes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct SpecLink {
    /// Its type: `see`, or a relation of the knowledge base
    #[serde(rename = "type", serialize_with = "as_word")]
    #[schemars(with = "String")]
    pub kind: SpecLinkKind,
    /// Where it starts
    pub from: EntityRef,
    /// Where it ends
    pub to: EntityRef,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn as_word<S: serde::Serializer>(kind: &SpecLinkKind, out: S) -> Result<S::Ok, S::Error> {
    out.serialize_str(kind.word())
}

impl SpecLink {
    /// The end that is the specification.
    pub const fn spec_end(&self) -> &EntityRef {
        use KbRelationKind::{Affects, SpecifiedBy, VerifiedBy};
        match self.kind {
            SpecLinkKind::Code | SpecLinkKind::Relation(Affects | SpecifiedBy | VerifiedBy) => {
                &self.from
            }
            _ => &self.to,
        }
    }

    /// The end that must follow the specification.
    pub fn other_end(&self) -> &EntityRef {
        if self.spec_end() == &self.from { &self.to } else { &self.from }
    }

    /// Whether one of its ends is a node, a part of it, or around it.
    pub fn touches(&self, node: &EntityRef) -> bool {
        is_near(&self.from, node) || is_near(&self.to, node)
    }
}

fn is_near(end: &EntityRef, node: &EntityRef) -> bool {
    let holds = |outer: &str, inner: &str| {
        inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    match (end, node) {
        (EntityRef::Symbol(own, name), EntityRef::Symbol(path, wanted)) => {
            own == path
                && (holds(name.as_str(), wanted.as_str()) || holds(wanted.as_str(), name.as_str()))
        }
        (EntityRef::Module(own) | EntityRef::File(own), EntityRef::Symbol(path, _)) => own == path,
        (end, EntityRef::Module(path) | EntityRef::File(path)) => end.path() == Some(path),
        (end, EntityRef::Dir(folder)) => end.path().is_some_and(|own| own.is_at_or_below(folder)),
        (end, node) => end == node,
    }
}

/// The links of a view.
pub(super) struct FoundLinks {
    /// Every link whose ends exist, sorted
    pub(super) all: Vec<SpecLink>,
    /// Those that only a report of a tool states. Nobody has to confirm what was measured, and the
    /// next report may not have it.
    pub(super) measured: BTreeSet<SpecLink>,
}

/// Lists the links.
pub(super) fn find_links(view: &View) -> Result<FoundLinks> {
    let conn = view.index()?.conn();
    let keys: BTreeSet<_> = cards::all_keys(conn)?.into_iter().collect();
    let (mut links, mut measured) = (BTreeSet::new(), BTreeSet::new());
    for see in cards::all_see_tags(conn)?.into_iter().filter(|see| keys.contains(&see.key)) {
        let from = code_node(&see);
        links.insert(SpecLink { kind: SpecLinkKind::See, from, to: EntityRef::Card(see.key) });
    }
    let known = kb_state(view)?;
    let traced = known.model.relations().iter().filter(|b| TRACED.contains(&b.relation.relates));
    for known_relation in traced {
        let end = |end: &str| match known.model.node_of(end)? {
            EntityRef::Kb(id) => known.model.get(id.as_str()).map(|_| EntityRef::Kb(id)),
            node => Some(node),
        };
        if let (Some(from), Some(to)) =
            (end(&known_relation.relation.from), end(&known_relation.relation.to))
        {
            let kind = SpecLinkKind::Relation(known_relation.relation.relates);
            let link = SpecLink { kind, from, to };
            match known_relation.relation.source.starts_with(kb::IMPORT_SOURCE) {
                true => measured.insert(link),
                false => links.insert(link),
            };
        }
    }
    links.extend(links_to_tests(view, &known)?);
    measured.retain(|link| !links.contains(link));
    links.extend(measured.iter().cloned());
    Ok(FoundLinks { all: links.into_iter().collect(), measured })
}

/// The links between documents about tests and the code that they name. Test results from reports
/// name code too, but nobody wrote them.
fn links_to_tests(view: &View, known: &KbState) -> Result<Vec<SpecLink>> {
    let mut links = Vec::new();
    let tests = known.model.facts().filter(|fact| fact.entity.kind == KbEntityKind::Test);
    for fact in tests.filter(|fact| fact.origin.file().is_some()) {
        if let (Some(to), Ok(id)) = (test_code(view, &fact.entity)?, fact.entity.id.parse()) {
            links.push(SpecLink { kind: SpecLinkKind::Code, from: EntityRef::Kb(id), to });
        }
    }
    Ok(links)
}
