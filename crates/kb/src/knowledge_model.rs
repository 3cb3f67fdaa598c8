//! The entities and relations of files and store as one model, for queries and rules.

use std::collections::BTreeMap;

use base::{EntityRef, RepoPath};

use crate::endpoint::KbEndpoint;
use crate::model::{Entity, KbEntityKind, KbRelation, KbRelationKind};

/// The origin of a fact.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum FactOrigin {
    /// The store: an agent wrote it
    Store,
    /// A file, with the line number
    File(RepoPath, u32),
}

impl FactOrigin {
    /// The file and line, if the origin is a file.
    pub const fn file(&self) -> Option<(&RepoPath, u32)> {
        match self {
            Self::File(path, line) => Some((path, *line)),
            Self::Store => None,
        }
    }
}

/// An entity with its origin.
#[derive(Debug, Clone)]
pub struct KnownEntity {
    /// The entity
    pub entity: Entity,
    /// Its origin
    pub origin: FactOrigin,
    /// The code symbol that the entity is bound to
    pub code: Option<EntityRef>,
}

/// A relation with its origin.
#[derive(Debug, Clone)]
pub struct KnownRelation {
    /// The relation
    pub relation: KbRelation,
    /// Its origin
    pub origin: FactOrigin,
}

/// A relation as a file has it. A plain link has no type.
#[derive(Debug, Clone, PartialEq)]
pub struct FileRelation {
    /// Its type; `None` for a plain link
    pub relates: Option<KbRelationKind>,
    /// Where it starts
    pub from: String,
    /// Where it ends
    pub to: String,
    /// Its kind, for `relates_to`
    pub kind: String,
    /// Its origin
    pub origin: FactOrigin,
}

/// All facts, indexed for queries.
#[derive(Debug, Default)]
pub struct KnowledgeModel {
    facts: Vec<KnownEntity>,
    relations: Vec<KnownRelation>,
    by_id: BTreeMap<String, usize>,
    by_code: BTreeMap<EntityRef, usize>,
    from: BTreeMap<String, Vec<usize>>,
    to: BTreeMap<String, Vec<usize>>,
    duplicates: Vec<(usize, usize)>,
}

impl KnowledgeModel {
    /// Builds the model. Of two facts with the same id the first one is used, so the caller lists the
    /// facts of files first.
    pub fn new(
        facts: Vec<KnownEntity>,
        relations: Vec<KnownRelation>,
        from_files: Vec<FileRelation>,
    ) -> Self {
        let mut model = Self::default();
        for fact in facts {
            model.add_fact(fact);
        }
        for known_relation in relations {
            model.add_relation(known_relation);
        }
        for relation in from_files {
            let known_relation = model.resolve_link(relation);
            model.add_relation(known_relation);
        }
        model
    }

    fn add_fact(&mut self, fact: KnownEntity) {
        let at = self.facts.len();
        if let Some(first) = self.by_id.get(&fact.entity.id) {
            self.duplicates.push((*first, at));
        } else {
            self.by_id.insert(fact.entity.id.clone(), at);
            if let Some(code) = &fact.code {
                self.by_code.entry(code.clone()).or_insert(at);
            }
        }
        self.facts.push(fact);
    }

    fn add_relation(&mut self, known_relation: KnownRelation) {
        let same = |at: &usize| self.relations[*at].relation.key() == known_relation.relation.key();
        if self.from.get(&known_relation.relation.from).is_some_and(|known| known.iter().any(same))
        {
            return; // a file and the store have the same relation
        }
        let at = self.relations.len();
        self.from.entry(known_relation.relation.from.clone()).or_default().push(at);
        self.to.entry(known_relation.relation.to.clone()).or_default().push(at);
        self.relations.push(known_relation);
    }

    /// Gives a plain link the one relation type that the types of its ends allow.
    fn resolve_link(&self, told: FileRelation) -> KnownRelation {
        let kind_of = |end: &str| self.kind_of(end).or_else(|| KbEntityKind::of_id(end));
        let (relates, backwards) = match (told.relates, kind_of(&told.from), kind_of(&told.to)) {
            (Some(relates), ..) => (relates, false),
            (None, Some(from), Some(to)) => KbRelationKind::of_link(from, to),
            _ => (KbRelationKind::RelatesTo, false),
        };
        let (from, to) = if backwards { (told.to, told.from) } else { (told.from, told.to) };
        let is_loose = relates == KbRelationKind::RelatesTo && told.kind.is_empty();
        let kind = if is_loose { "link".into() } else { told.kind };
        let source = told.origin.file().map(|(path, _)| path.to_string()).unwrap_or_default();
        let relation = KbRelation {
            relates,
            from,
            to,
            kind,
            created_at: String::new(),
            created_by: String::new(),
            source,
            confidence: None,
            allow_cycle: false,
        };
        KnownRelation { relation, origin: told.origin }
    }

    /// Every entity, each id once; those of files come first.
    pub fn facts(&self) -> impl Iterator<Item = &KnownEntity> {
        self.by_id.values().map(|at| &self.facts[*at])
    }

    /// Every relation.
    pub fn relations(&self) -> &[KnownRelation] {
        &self.relations
    }

    /// Pairs of entities with the same id.
    pub fn duplicates(&self) -> impl Iterator<Item = (&KnownEntity, &KnownEntity)> {
        self.duplicates.iter().map(|(first, second)| (&self.facts[*first], &self.facts[*second]))
    }

    /// An entity by its id.
    pub fn get(&self, id: &str) -> Option<&KnownEntity> {
        self.by_id.get(id).map(|at| &self.facts[*at])
    }

    /// The entity that is bound to a code symbol.
    pub fn at_code(&self, node: &EntityRef) -> Option<&KnownEntity> {
        self.by_code.get(node).map(|at| &self.facts[*at])
    }

    /// Relations that start at an end, in exactly this spelling.
    pub fn relations_from(&self, end: &str) -> impl Iterator<Item = &KnownRelation> {
        self.from.get(end).into_iter().flatten().map(|at| &self.relations[*at])
    }

    /// Relations that end at an end, in exactly this spelling.
    pub fn relations_to(&self, end: &str) -> impl Iterator<Item = &KnownRelation> {
        self.to.get(end).into_iter().flatten().map(|at| &self.relations[*at])
    }

    /// Every spelling of a node as an end of a relation: its id, and the code symbol that it is bound
    /// to.
    pub fn names_of(&self, node: &EntityRef) -> Vec<String> {
        match node {
            EntityRef::Kb(id) => {
                let code = self.get(id.as_str()).and_then(|fact| fact.code.as_ref());
                [id.to_string()].into_iter().chain(code.map(ToString::to_string)).collect()
            }
            node => {
                let id = self.at_code(node).map(|fact| fact.entity.id.clone());
                [node.to_string()].into_iter().chain(id).collect()
            }
        }
    }

    /// The graph node of an end. An entity that is bound to a code symbol is the node of that symbol.
    pub fn node_of(&self, end: &str) -> Option<EntityRef> {
        match KbEndpoint::parse(end).ok()? {
            KbEndpoint::Code(node) => Some(node),
            KbEndpoint::Entity(id) => match self.get(&id).and_then(|fact| fact.code.clone()) {
                Some(code) => Some(code),
                None => id.parse().ok().map(EntityRef::Kb),
            },
        }
    }

    /// The entity type of an end; `None` if the end is a file or folder or does not exist.
    pub fn kind_of(&self, end: &str) -> Option<KbEntityKind> {
        match KbEndpoint::parse(end).ok()? {
            KbEndpoint::Code(node) => KbEndpoint::code_kind(&node),
            KbEndpoint::Entity(id) => self.get(&id).map(|fact| fact.entity.kind),
        }
    }
}
