//! Cards as nodes; relations between them and `see` from code as edges.

use std::collections::BTreeMap;

use base::entity::CardKey;
use base::near::closeness;
use base::{EntityRef, RepoPath, Result};
use cards::{CardRow, RelationRow, SeeRow};
use store::Connection;

use super::context;
use super::doubt::doubt_unsound;
use crate::graph::{
    Candidate, Confidence, Description, Edge, EdgeKind, Frontier, Item, Layer, Marks, Travel,
    Wanted,
};
use crate::layers::code::named_node;
use crate::layers::files::node;
use crate::view::View;

/// The edge from code to a card.
const SEE: &str = "see";

const fn relation(name: &'static str, travel: Travel, means: &'static str) -> EdgeKind {
    EdgeKind { area: "card", name, travel, means }
}

static EDGES: [EdgeKind; 6] = [
    relation("depends_on", Travel::Against, "a card cannot be built before another"),
    relation("references", Travel::OnRequest, "a card has another as its background"),
    relation("related", Travel::OnRequest, "two cards have to do with each other"),
    relation("extends", Travel::Against, "a card refines another"),
    relation("conflicts", Travel::OnRequest, "two cards cannot both be true"),
    relation(SEE, Travel::Both, "code says that it implements a card"),
];

/// Cards.
pub(crate) struct CardsLayer;

impl Layer for CardsLayer {
    fn edges(&self) -> &'static [EdgeKind] {
        &EDGES
    }

    fn resolve(&self, view: &View, name: &str) -> Result<Vec<Candidate>> {
        if name.contains('#') {
            return Ok(Vec::new());
        }
        let wanted = cards::fold(name);
        let ending = format!("/{wanted}");
        let fits = |key: &CardKey| {
            let slug = cards::fold(cards::slug(key));
            slug == wanted || slug.ends_with(&ending) || cards::fold(key.as_str()) == wanted
        };
        let conn = view.index()?.conn();
        let mut found = Vec::new();
        for key in cards::keys(conn)?.into_iter().filter(fits) {
            let card = cards::by_key(conn, key.as_str())?;
            let about = card.as_ref().map(about).unwrap_or_default();
            found.push(Candidate { node: EntityRef::Card(key), about, sure: false });
        }
        Ok(found)
    }

    fn near(&self, view: &View, name: &str) -> Result<Vec<(f64, String)>> {
        let near = |key: &CardKey| {
            let (key, slug) = (key.as_str(), cards::slug(key));
            let (by_key, by_slug) = (closeness(name, key), closeness(name, slug));
            let close = by_key.into_iter().chain(by_slug).reduce(f64::max)?;
            Some((close, key.to_owned()))
        };
        Ok(cards::keys(view.index()?.conn())?.iter().filter_map(near).collect())
    }

    fn holds(&self, view: &View, wanted: &EntityRef) -> Result<bool> {
        Ok(row(view, wanted)?.is_some())
    }

    fn neighbours(
        &self,
        view: &View,
        frontier: Frontier<'_>,
        wanted: &[Wanted],
    ) -> Result<Vec<Edge>> {
        if !wanted.is_empty() {
            doubt_unsound(view)?;
        }
        let mut found = Found::new(view.index()?.conn(), wanted);
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

    fn describe(&self, view: &View, wanted: &EntityRef) -> Result<Option<Description>> {
        Ok(row(view, wanted)?.map(|card| Description {
            node: wanted.clone(),
            name: card.key.to_string(),
            about: about(&card),
        }))
    }

    fn parts(&self, view: &View, whole: &EntityRef) -> Result<Vec<EntityRef>> {
        let EntityRef::File(path) = whole else { return Ok(Vec::new()) };
        if !cards::is_card(path) {
            return Ok(Vec::new());
        }
        Ok(cards::at(view.index()?.conn(), path)?.iter().map(card_node).collect())
    }

    fn context(&self, view: &View, wanted: &EntityRef) -> Result<Vec<Item>> {
        doubt_unsound(view)?;
        context::context(view, wanted)
    }

    fn tell_missing(&self, view: &View, kinds: &[String]) -> Result<()> {
        match kinds.is_empty() || kinds.iter().any(|kind| kind == "card") {
            true => doubt_unsound(view),
            false => Ok(()),
        }
    }

    fn mark(&self, view: &View, node: &EntityRef, marks: &mut Marks) -> Result<()> {
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
pub(crate) fn code_node(see: &SeeRow) -> EntityRef {
    see.owner.as_ref().map_or_else(|| node(&see.path), |name| named_node(&see.path, name))
}

fn card_node(card: &CardRow) -> EntityRef {
    EntityRef::Card(card.key.clone())
}

pub(super) fn row(view: &View, wanted: &EntityRef) -> Result<Option<CardRow>> {
    let EntityRef::Card(key) = wanted else { return Ok(None) };
    cards::by_key(view.index()?.conn(), key.as_str())
}

/// The edges of some types, as a frontier is gone through.
struct Found<'a> {
    conn: &'a Connection,
    /// The relations that are wanted between cards
    relations: Vec<Wanted>,
    /// The links from code, if they are wanted
    see: Option<Wanted>,
    /// The tags of each file that was asked about
    sees: BTreeMap<&'a RepoPath, Vec<SeeRow>>,
    edges: Vec<Edge>,
}

impl<'a> Found<'a> {
    fn new(conn: &'a Connection, wanted: &[Wanted]) -> Self {
        let (see, relations) = wanted.iter().partition(|one| one.kind.name == SEE);
        let see: Vec<Wanted> = see;
        let (sees, edges) = (BTreeMap::new(), Vec::new());
        Self { conn, relations, see: see.first().copied(), sees, edges }
    }

    fn at_card(&mut self, here: &EntityRef, key: &str) -> Result<()> {
        if self.relations.iter().any(Wanted::is_along) {
            for said in cards::relations_from(self.conn, key)? {
                let Some(wanted) = self.wanted(&said, Wanted::is_along) else { continue };
                if cards::is_key(self.conn, &said.target)?
                    && let Ok(target) = said.target.parse()
                {
                    self.add(here.clone(), EntityRef::Card(target), wanted);
                }
            }
        }
        if self.relations.iter().any(Wanted::is_against) {
            for said in cards::relations_to(self.conn, key)? {
                if let Some(wanted) = self.wanted(&said, Wanted::is_against) {
                    self.add(EntityRef::Card(said.source), here.clone(), wanted);
                }
            }
        }
        if let Some(wanted) = self.see.filter(Wanted::is_against) {
            for see in cards::sees_of(self.conn, key)? {
                self.add(code_node(&see), here.clone(), wanted);
            }
        }
        Ok(())
    }

    fn at_code(&mut self, here: &EntityRef, path: &'a RepoPath) -> Result<()> {
        let Some(wanted) = self.see.filter(Wanted::is_along) else { return Ok(()) };
        if !self.sees.contains_key(path) {
            self.sees.insert(path, cards::sees_in(self.conn, path)?);
        }
        let own = self.sees[path].iter().filter(|see| code_node(see) == *here);
        let keys: Vec<CardKey> = own.map(|see| see.key.clone()).collect();
        for key in keys {
            if cards::is_key(self.conn, key.as_str())? {
                self.add(here.clone(), EntityRef::Card(key), wanted);
            }
        }
        Ok(())
    }

    fn wanted(&self, said: &RelationRow, is: fn(&Wanted) -> bool) -> Option<Wanted> {
        let named = |one: &&Wanted| one.kind.name == said.kind.word() && is(one);
        self.relations.iter().find(named).copied()
    }

    fn add(&mut self, from: EntityRef, to: EntityRef, wanted: Wanted) {
        self.edges.push(Edge { from, to, kind: wanted.kind, confidence: Confidence::Exact });
    }
}
