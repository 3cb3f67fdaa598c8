//! Cards as nodes; relations between them and `see` from code as edges.

use std::collections::BTreeMap;

use base::entity::CardKey;
use base::similarity::similarity;
use base::{EntityRef, RepoPath, Result};
use cards::{CardMention, CardRow, SeeTagRow, StoredCardRelation};
use store::Connection;

use super::context;
use super::duplicates::refuse_duplicate_key;
use super::unsound::report_unsound_cards;
use crate::areas::code::named_node;
use crate::areas::files::file_node;
use crate::graph::{
    ChangePropagation, Confidence, ContextItem, EdgeKind, EdgeRequest, GraphArea, GraphEdge,
    NodeCandidate, NodeDescription, NodeMetadata, WalkFrontier,
};
use crate::index::tables::has_file;
use crate::view::View;

/// The edge from code to a card.
const SEE: &str = "see";

const fn relation(name: &'static str, travel: ChangePropagation, means: &'static str) -> EdgeKind {
    EdgeKind { area: "card", name, propagation: travel, means }
}

/// The edge from a card to code that its text names.
const MENTIONS: &str = "mentions";

static EDGES: [EdgeKind; 7] = [
    relation(
        "depends_on",
        ChangePropagation::TargetToSource,
        "a card cannot be built before another",
    ),
    relation("references", ChangePropagation::OnRequest, "a card refers to another as background"),
    relation("related", ChangePropagation::OnRequest, "two cards have to do with each other"),
    relation("extends", ChangePropagation::TargetToSource, "a card refines another"),
    relation("conflicts", ChangePropagation::OnRequest, "two cards cannot both be true"),
    relation(SEE, ChangePropagation::Both, "code says that it implements a card"),
    relation(
        MENTIONS,
        ChangePropagation::TargetToSource,
        "the text of a card names a piece of code",
    ),
];

/// The part of the graph that consists of cards.
pub struct CardsGraphArea;

impl GraphArea for CardsGraphArea {
    fn edges(&self) -> &'static [EdgeKind] {
        &EDGES
    }

    fn resolve(&self, view: &View, name: &str) -> Result<Vec<NodeCandidate>> {
        if name.contains('#') {
            return Ok(Vec::new());
        }
        let wanted = cards::fold_case(name);
        let ending = format!("/{wanted}");
        let fits = |key: &CardKey| {
            let slug = cards::fold_case(cards::key_slug(key));
            slug == wanted || slug.ends_with(&ending) || cards::fold_case(key.as_str()) == wanted
        };
        let conn = view.index()?.conn();
        let mut found = Vec::new();
        for key in cards::all_keys(conn)?.into_iter().filter(fits) {
            let card = cards::card_by_key(conn, key.as_str())?;
            let about = card.as_ref().map(about).unwrap_or_default();
            found.push(NodeCandidate { node: EntityRef::Card(key), about, is_exact: false });
        }
        Ok(found)
    }

    fn refuse_ambiguous(&self, view: &View, node: &EntityRef) -> Result<()> {
        match node {
            EntityRef::Card(key) => refuse_duplicate_key(view, key),
            _ => Ok(()),
        }
    }

    fn similar_names(&self, view: &View, name: &str) -> Result<Vec<(f64, String)>> {
        let near = |key: &CardKey| {
            let (key, slug) = (key.as_str(), cards::key_slug(key));
            let (by_key, by_slug) = (similarity(name, key), similarity(name, slug));
            let close = by_key.into_iter().chain(by_slug).reduce(f64::max)?;
            Some((close, key.to_owned()))
        };
        Ok(cards::all_keys(view.index()?.conn())?.iter().filter_map(near).collect())
    }

    fn contains(&self, view: &View, wanted: &EntityRef) -> Result<bool> {
        Ok(row(view, wanted)?.is_some())
    }

    fn neighbours(
        &self,
        view: &View,
        frontier: WalkFrontier<'_>,
        wanted: &[EdgeRequest],
    ) -> Result<Vec<GraphEdge>> {
        if !wanted.is_empty() {
            report_unsound_cards(view)?;
        }
        let mut found = CardEdges::new(view.index()?.conn(), wanted);
        for here in frontier.nodes {
            match here {
                EntityRef::Card(key) => found.at_card(here, key.as_str())?,
                EntityRef::Module(path) | EntityRef::Symbol(path, _) => {
                    found.at_code(here, path)?;
                }
                _ => {}
            }
        }
        Ok(found.edges)
    }

    fn describe(&self, view: &View, wanted: &EntityRef) -> Result<Option<NodeDescription>> {
        Ok(row(view, wanted)?.map(|card| NodeDescription {
            node: wanted.clone(),
            name: card.key.to_string(),
            about: about(&card),
        }))
    }

    fn parts(&self, view: &View, whole: &EntityRef) -> Result<Vec<EntityRef>> {
        let EntityRef::File(path) = whole else { return Ok(Vec::new()) };
        if !cards::is_card_path(path) {
            return Ok(Vec::new());
        }
        Ok(cards::card_at_path(view.index()?.conn(), path)?.iter().map(card_node).collect())
    }

    fn context(&self, view: &View, wanted: &EntityRef) -> Result<Vec<ContextItem>> {
        report_unsound_cards(view)?;
        context::context(view, wanted)
    }

    fn report_missing(&self, view: &View, kinds: &[String]) -> Result<()> {
        match kinds.is_empty() || kinds.iter().any(|kind| kind == "card") {
            true => report_unsound_cards(view),
            false => Ok(()),
        }
    }

    fn add_metadata(&self, view: &View, node: &EntityRef, marks: &mut NodeMetadata) -> Result<()> {
        if let Some(card) = row(view, node)? {
            marks.tags.extend(card.tags);
            marks.file = Some(card.path);
        }
        Ok(())
    }
}

/// A card in a few words.
pub(super) fn about(card: &CardRow) -> String {
    format!("{}, \"{}\"", card.status, card.summary)
}

/// The node that a tag stands at.
pub fn code_node(see: &SeeTagRow) -> EntityRef {
    see.owner.as_ref().map_or_else(|| file_node(&see.path), |name| named_node(&see.path, name))
}

/// The node that the text of a card names.
pub(super) fn mention_node(mention: &CardMention) -> EntityRef {
    match &mention.symbol {
        Some(name) => named_node(&mention.target, name),
        None => file_node(&mention.target),
    }
}

/// Whether the code that a card names is there.
pub(super) fn exists(conn: &Connection, mention: &CardMention) -> Result<bool> {
    match &mention.symbol {
        Some(name) => Ok(code::symbol(conn, &mention.target, name)?.is_some()),
        None => has_file(conn, &mention.target),
    }
}

fn card_node(card: &CardRow) -> EntityRef {
    EntityRef::Card(card.key.clone())
}

pub(super) fn row(view: &View, wanted: &EntityRef) -> Result<Option<CardRow>> {
    let EntityRef::Card(key) = wanted else { return Ok(None) };
    cards::card_by_key(view.index()?.conn(), key.as_str())
}

/// The edges of some types at the nodes of a frontier.
struct CardEdges<'a> {
    conn: &'a Connection,
    /// The relations that are wanted between cards
    relations: Vec<EdgeRequest>,
    /// The request for links from code, if they are wanted
    see: Option<EdgeRequest>,
    /// The request for code that texts mention, if it is wanted
    mentions: Option<EdgeRequest>,
    /// The tags of each file that was asked about
    sees: BTreeMap<&'a RepoPath, Vec<SeeTagRow>>,
    edges: Vec<GraphEdge>,
}

impl<'a> CardEdges<'a> {
    fn new(conn: &'a Connection, wanted: &[EdgeRequest]) -> Self {
        let named = |name: &str| wanted.iter().find(|one| one.kind.name == name).copied();
        let (see, mentions) = (named(SEE), named(MENTIONS));
        let is_relation = |one: &&EdgeRequest| ![SEE, MENTIONS].contains(&one.kind.name);
        let relations = wanted.iter().filter(is_relation).copied().collect();
        let (sees, edges) = (BTreeMap::new(), Vec::new());
        Self { conn, relations, see, mentions, sees, edges }
    }

    fn at_card(&mut self, here: &EntityRef, key: &str) -> Result<()> {
        if self.relations.iter().any(EdgeRequest::wants_outgoing) {
            for said in cards::relations_from(self.conn, key)? {
                let Some(wanted) = self.wanted(&said, EdgeRequest::wants_outgoing) else {
                    continue;
                };
                if cards::has_key(self.conn, &said.target)?
                    && let Ok(target) = said.target.parse()
                {
                    self.add(here.clone(), EntityRef::Card(target), wanted);
                }
            }
        }
        if self.relations.iter().any(EdgeRequest::wants_incoming) {
            for said in cards::relations_to(self.conn, key)? {
                if let Some(wanted) = self.wanted(&said, EdgeRequest::wants_incoming) {
                    self.add(EntityRef::Card(said.source), here.clone(), wanted);
                }
            }
        }
        if let Some(wanted) = self.mentions.filter(EdgeRequest::wants_outgoing) {
            for row in cards::mentions_in(self.conn, key)? {
                let target = mention_node(&row.mention);
                if exists(self.conn, &row.mention)? && target != *here {
                    self.add(here.clone(), target, wanted);
                }
            }
        }
        if let Some(wanted) = self.see.filter(EdgeRequest::wants_incoming) {
            for see in cards::see_tags_of_key(self.conn, key)? {
                self.add(code_node(&see), here.clone(), wanted);
            }
        }
        Ok(())
    }

    fn at_code(&mut self, here: &EntityRef, path: &'a RepoPath) -> Result<()> {
        if let Some(wanted) = self.mentions.filter(EdgeRequest::wants_incoming) {
            for row in cards::mentions_of(self.conn, path)? {
                if mention_node(&row.mention) == *here {
                    self.add(EntityRef::Card(row.source), here.clone(), wanted);
                }
            }
        }
        let Some(wanted) = self.see.filter(EdgeRequest::wants_outgoing) else { return Ok(()) };
        if !self.sees.contains_key(path) {
            self.sees.insert(path, cards::see_tags_in_file(self.conn, path)?);
        }
        let own = self.sees[path].iter().filter(|see| code_node(see) == *here);
        let keys: Vec<CardKey> = own.map(|see| see.key.clone()).collect();
        for key in keys {
            if cards::has_key(self.conn, key.as_str())? {
                self.add(here.clone(), EntityRef::Card(key), wanted);
            }
        }
        Ok(())
    }

    fn wanted(
        &self,
        said: &StoredCardRelation,
        is: fn(&EdgeRequest) -> bool,
    ) -> Option<EdgeRequest> {
        let named = |one: &&EdgeRequest| one.kind.name == said.kind.word() && is(one);
        self.relations.iter().find(named).copied()
    }

    fn add(&mut self, from: EntityRef, to: EntityRef, wanted: EdgeRequest) {
        self.edges.push(GraphEdge { from, to, kind: wanted.kind, confidence: Confidence::Exact });
    }
}
