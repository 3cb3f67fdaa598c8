//! Cards as nodes; relations between them and `see` from code as edges.

use base::entity::CardKey;
use base::{EntityRef, Result};
use cards::{CardRow, RelationRow, SeeRow};

use super::context;
use crate::graph::{
    Candidate, Confidence, Description, Direction, Edge, EdgeKind, Item, Layer, Marks, Travel,
};
use crate::layers::code::handle;
use crate::layers::files::node;
use crate::view::View;

const fn relation(name: &'static str, travel: Travel, means: &'static str) -> EdgeKind {
    EdgeKind { area: "card", name, travel, means }
}

static EDGES: [EdgeKind; 6] = [
    relation("depends_on", Travel::Against, "a card cannot be built before another"),
    relation("references", Travel::OnRequest, "a card has another as its background"),
    relation("related", Travel::OnRequest, "two cards have to do with each other"),
    relation("extends", Travel::Against, "a card refines another"),
    relation("conflicts", Travel::OnRequest, "two cards cannot both be true"),
    relation("see", Travel::Both, "code says that it implements a card"),
];

/// Names at least this similar are worth suggesting (Jaro-Winkler, 0 to 1).
const CLOSE_ENOUGH: f64 = 0.82;

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
            let close = strsim::jaro_winkler(key, name).max(strsim::jaro_winkler(slug, name));
            (close > CLOSE_ENOUGH).then(|| (close, key.to_owned()))
        };
        Ok(cards::keys(view.index()?.conn())?.iter().filter_map(near).collect())
    }

    fn holds(&self, view: &View, wanted: &EntityRef) -> Result<bool> {
        Ok(row(view, wanted)?.is_some())
    }

    fn neighbours(
        &self,
        view: &View,
        frontier: &[EntityRef],
        kind: &'static EdgeKind,
        direction: Direction,
    ) -> Result<Vec<Edge>> {
        let mut edges = Vec::new();
        for here in frontier {
            if direction != Direction::Against {
                along(view, here, kind, &mut edges)?;
            }
            if direction != Direction::Along {
                against(view, here, kind, &mut edges)?;
            }
        }
        Ok(edges)
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
        context::context(view, wanted)
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
    let symbol = see.owner.as_ref().map(|name| handle(&see.path, name).parse());
    symbol.and_then(Result::ok).unwrap_or_else(|| node(&see.path))
}

fn card_node(card: &CardRow) -> EntityRef {
    EntityRef::Card(card.key.clone())
}

pub(super) fn row(view: &View, wanted: &EntityRef) -> Result<Option<CardRow>> {
    let EntityRef::Card(key) = wanted else { return Ok(None) };
    cards::by_key(view.index()?.conn(), key.as_str())
}

/// The card that a written key means, if there is one.
fn meant(view: &View, key: &str) -> Result<Option<EntityRef>> {
    Ok(cards::by_key(view.index()?.conn(), key)?.as_ref().map(card_node))
}

fn along(
    view: &View,
    here: &EntityRef,
    kind: &'static EdgeKind,
    edges: &mut Vec<Edge>,
) -> Result<()> {
    let conn = view.index()?.conn();
    match here {
        EntityRef::Card(key) if kind.name != "see" => {
            for said in cards::relations_from(conn, key.as_str())?.iter().filter(is(kind)) {
                if let Some(there) = meant(view, &said.target)? {
                    edges.push(edge(here.clone(), there, kind));
                }
            }
        }
        EntityRef::Module(path) | EntityRef::Symbol(path, _) if kind.name == "see" => {
            for see in cards::sees_in(conn, path)?.iter().filter(|see| code_node(see) == *here) {
                if let Some(there) = meant(view, see.key.as_str())? {
                    edges.push(edge(here.clone(), there, kind));
                }
            }
        }
        _ => {}
    }
    Ok(())
}

fn against(
    view: &View,
    here: &EntityRef,
    kind: &'static EdgeKind,
    edges: &mut Vec<Edge>,
) -> Result<()> {
    let EntityRef::Card(key) = here else { return Ok(()) };
    let conn = view.index()?.conn();
    if kind.name == "see" {
        let sees = cards::sees_of(conn, key.as_str())?;
        edges.extend(sees.iter().map(|see| edge(code_node(see), here.clone(), kind)));
        return Ok(());
    }
    let said = cards::relations_to(conn, key.as_str())?;
    let sources = said.iter().filter(is(kind)).map(|said| EntityRef::Card(said.source.clone()));
    edges.extend(sources.map(|source| edge(source, here.clone(), kind)));
    Ok(())
}

fn is(kind: &'static EdgeKind) -> impl FnMut(&&RelationRow) -> bool {
    |said| said.kind.word() == kind.name
}

fn edge(from: EntityRef, to: EntityRef, kind: &'static EdgeKind) -> Edge {
    Edge { from, to, kind, confidence: Confidence::Exact }
}
