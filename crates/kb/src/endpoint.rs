//! What is at an end of a relation: an entity by its id, or a piece of the tree by its handle.

use base::EntityRef;
use base::entity::KbId;

use crate::model::KbEntityKind;

/// An end of a relation.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum KbEndpoint {
    /// An entity
    Entity(String),
    /// A symbol, file or folder of the tree
    Code(EntityRef),
}

impl KbEndpoint {
    /// Reads an end as people write it: `REQ-1`, `kb:REQ-1`, `symbol:src/a.ts#f`, `dir:src`.
    pub fn parse(text: &str) -> Result<Self, String> {
        match text.parse::<EntityRef>() {
            Ok(EntityRef::Kb(id)) => Ok(Self::Entity(id.into())),
            Ok(
                code @ (EntityRef::Symbol(..)
                | EntityRef::Module(_)
                | EntityRef::File(_)
                | EntityRef::Dir(_)),
            ) => Ok(Self::Code(code)),
            _ => text.parse::<KbId>().map(|id| Self::Entity(id.into())),
        }
    }

    /// The one way it is written.
    pub fn canonical_text(&self) -> String {
        match self {
            Self::Entity(id) => id.clone(),
            Self::Code(node) => node.to_string(),
        }
    }

    /// The type that a piece of the tree counts as; a file or folder is a component, of none.
    pub const fn code_kind(node: &EntityRef) -> Option<KbEntityKind> {
        match node {
            EntityRef::Symbol(..) => Some(KbEntityKind::Symbol),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_written_one_way() {
        for (typed, plain) in [
            ("REQ-1", "REQ-1"),
            ("kb:REQ-1", "REQ-1"),
            ("symbol:src/a.ts#f", "symbol:src/a.ts#f"),
            ("dir:src", "dir:src"),
            ("billing::REQ-1", "billing::REQ-1"),
        ] {
            assert_eq!(KbEndpoint::parse(typed).unwrap().canonical_text(), plain);
        }
        assert!(KbEndpoint::parse("two words").is_err());
    }
}
