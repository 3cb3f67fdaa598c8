//! Molecules and atoms as nodes; what they group, cover and have to do with as edges.

mod rules;

use base::entity::RecordKind;
use base::{EntityRef, Problem, Result};
use work::graph::edit::{Knows, find};
use work::record::{Atom, Molecule, Related};
use work::words::Grain;
use work::{Draft, Id, Ref};

use crate::graph::{
    Candidate, Confidence, Description, Direction, Edge, EdgeKind, Item, Layer, Marks, Section,
    Travel,
};
use crate::layers::files::node as file_node;
use crate::layers::work::{ago, derived, drift, is_empty, look, seen};
use crate::view::View;

pub(crate) use rules::RULES;

const GROUPS: EdgeKind = EdgeKind {
    area: "graph",
    name: "groups",
    travel: Travel::OnRequest,
    means: "a molecule holds an atom",
};
const COVERS: EdgeKind = EdgeKind {
    area: "graph",
    name: "covers",
    travel: Travel::Along,
    means: "an atom's knowledge is about a file",
};
const RELATED: EdgeKind = EdgeKind {
    area: "graph",
    name: "related",
    travel: Travel::OnRequest,
    means: "an atom or molecule has to do with another",
};

static EDGES: [EdgeKind; 3] = [GROUPS, COVERS, RELATED];

/// How many atoms a file's context quotes.
const QUOTED: usize = 8;

/// Characters of knowledge that a context quotes.
const EXCERPT: usize = 400;

/// Molecules and atoms.
pub(crate) struct GraphLayer;

fn grain_of(node: &EntityRef) -> Option<(Grain, &str)> {
    match node {
        EntityRef::Record(RecordKind::Atom, id) => Some((Grain::Atom, id.as_str())),
        EntityRef::Record(RecordKind::Molecule, id) => Some((Grain::Molecule, id.as_str())),
        _ => None,
    }
}

fn node(grain: Grain, id: &Id) -> Result<EntityRef> {
    let kind = if grain == Grain::Atom { RecordKind::Atom } else { RecordKind::Molecule };
    Ok(EntityRef::Record(kind, id.as_str().parse().map_err(Problem::internal)?))
}

/// The record that a handle names whole.
fn found(draft: &Draft<'_>, node: &EntityRef) -> Result<Option<Knows>> {
    let Some((grain, text)) = grain_of(node) else { return Ok(None) };
    let Ok(id) = Id::try_from(text.to_owned()) else { return Ok(None) };
    Ok(match grain {
        _ if id.as_str() != text => None, // another spelling is not the node's name
        Grain::Atom => draft.get::<Atom>(&id)?.map(Knows::Atom),
        Grain::Molecule => draft.get::<Molecule>(&id)?.map(Knows::Molecule),
    })
}

impl Layer for GraphLayer {
    fn edges(&self) -> &'static [EdgeKind] {
        &EDGES
    }

    fn resolve(&self, view: &View, name: &str) -> Result<Vec<Candidate>> {
        let Ok(asked) = name.parse::<Ref>() else { return Ok(Vec::new()) };
        if asked.kind.as_deref().is_some_and(|kind| kind.parse::<Grain>().is_err()) {
            return Ok(Vec::new());
        }
        look(view, |draft| match find(draft, None, &asked) {
            Ok(known) => {
                let (about, sure) = (about(&known), asked.kind.is_some());
                Ok(vec![Candidate { node: node(known.grain(), known.id())?, about, sure }])
            }
            Err(_) => Ok(Vec::new()),
        })
    }

    fn near(&self, _: &View, _: &str) -> Result<Vec<(f64, String)>> {
        Ok(Vec::new()) // ids are not guessed
    }

    fn holds(&self, view: &View, node: &EntityRef) -> Result<bool> {
        if grain_of(node).is_none() {
            return Ok(false);
        }
        look(view, |draft| Ok(found(draft, node)?.is_some()))
    }

    fn neighbours(
        &self,
        view: &View,
        frontier: &[EntityRef],
        kind: &'static EdgeKind,
        direction: Direction,
    ) -> Result<Vec<Edge>> {
        if is_empty(view)? {
            return Ok(Vec::new());
        }
        look(view, |draft| {
            let mut pairs = Vec::new();
            for node in frontier {
                if direction != Direction::Against {
                    let ends = along(view, draft, node, kind)?;
                    pairs.extend(ends.into_iter().map(|to| (node.clone(), to)));
                }
                if direction != Direction::Along {
                    let starts = against(view, draft, node, kind)?;
                    pairs.extend(starts.into_iter().map(|from| (from, node.clone())));
                }
            }
            let edge = |(from, to)| Edge { from, to, kind, confidence: Confidence::Exact };
            Ok(pairs.into_iter().map(edge).collect())
        })
    }

    fn describe(&self, view: &View, node: &EntityRef) -> Result<Option<Description>> {
        if grain_of(node).is_none() {
            return Ok(None);
        }
        look(view, |draft| {
            let known = found(draft, node)?;
            Ok(known.map(|known| Description {
                node: node.clone(),
                name: known.name().to_owned(),
                about: about(&known),
            }))
        })
    }

    fn parts(&self, _: &View, _: &EntityRef) -> Result<Vec<EntityRef>> {
        Ok(Vec::new())
    }

    fn mark(&self, view: &View, node: &EntityRef, marks: &mut Marks) -> Result<()> {
        if grain_of(node).is_none() {
            return Ok(());
        }
        look(view, |draft| {
            let changed = found(draft, node)?.map(|known| match known {
                Knows::Atom(atom) => atom.updated_at,
                Knows::Molecule(molecule) => molecule.updated_at,
            });
            marks.changed = changed.and_then(|changed| changed.parse().ok());
            Ok(())
        })
    }

    fn context(&self, view: &View, node: &EntityRef) -> Result<Vec<Item>> {
        if is_empty(view)? {
            return Ok(Vec::new());
        }
        look(view, |draft| match (node.path(), found(draft, node)?) {
            (Some(path), _) => about_path(view, draft, &path.to_string()),
            (None, Some(known)) => about_known(view, draft, &known),
            (None, None) => Ok(Vec::new()),
        })
    }
}

fn about(known: &Knows) -> String {
    match known {
        Knows::Atom(atom) => format!("atom over {}", atom.paths.join(", ")),
        Knows::Molecule(_) => "molecule".into(),
    }
}

fn along(
    view: &View,
    draft: &Draft<'_>,
    from: &EntityRef,
    edge: &EdgeKind,
) -> Result<Vec<EntityRef>> {
    let related = |grain: Grain, related: &[Related]| {
        related.iter().map(|one| node(grain, &one.id)).collect::<Result<Vec<_>>>()
    };
    match (found(draft, from)?, edge.name) {
        (Some(Knows::Molecule(molecule)), "groups") => {
            let atoms = draft.list::<Atom>("molecule_id", &molecule.id)?;
            atoms.iter().map(|atom| node(Grain::Atom, &atom.id)).collect()
        }
        (Some(Knows::Atom(atom)), "covers") => {
            let files = seen(view, &atom.paths)?.into_iter();
            Ok(files
                .filter_map(|file| file.path.parse().ok())
                .map(|path| file_node(&path))
                .collect())
        }
        (Some(Knows::Atom(atom)), "related") => related(Grain::Atom, &atom.related),
        (Some(Knows::Molecule(one)), "related") => related(Grain::Molecule, &one.related),
        _ => Ok(Vec::new()),
    }
}

fn against(
    view: &View,
    draft: &Draft<'_>,
    to: &EntityRef,
    edge: &EdgeKind,
) -> Result<Vec<EntityRef>> {
    if let Some(path) = to.path() {
        if edge.name != "covers" {
            return Ok(Vec::new());
        }
        let derived = derived(view)?;
        let atoms = derived.matcher.matching(&path.to_string(), None);
        return atoms.into_iter().map(|id| node(Grain::Atom, id)).collect();
    }
    match (found(draft, to)?, edge.name) {
        (Some(Knows::Atom(atom)), "groups") => {
            atom.molecule_id.iter().map(|id| node(Grain::Molecule, id)).collect()
        }
        (Some(Knows::Atom(atom)), "related") => {
            let all = draft.list::<Atom>("project_id", &atom.project_id)?;
            let naming = all.iter().filter(|one| one.related.iter().any(|r| r.id == atom.id));
            naming.map(|one| node(Grain::Atom, &one.id)).collect()
        }
        (Some(Knows::Molecule(molecule)), "related") => {
            let all = draft.list::<Molecule>("project_id", &molecule.project_id)?;
            let naming = all.iter().filter(|one| one.related.iter().any(|r| r.id == molecule.id));
            naming.map(|one| node(Grain::Molecule, &one.id)).collect()
        }
        _ => Ok(Vec::new()),
    }
}

/// What is known about a path: each atom with its age, and what it says.
fn about_path(view: &View, draft: &Draft<'_>, path: &str) -> Result<Vec<Item>> {
    let derived = derived(view)?;
    let mut items = Vec::new();
    for id in derived.matcher.matching(path, None).into_iter().take(QUOTED) {
        if let Some(atom) = draft.get::<Atom>(id)? {
            items.extend(quoted(view, draft, &atom)?);
        }
    }
    Ok(items)
}

fn quoted(view: &View, draft: &Draft<'_>, atom: &Atom) -> Result<Vec<Item>> {
    let drift = drift(view, draft, atom)?;
    let age = drift.map_or(String::new(), |drift| {
        let at = drift.written_at.parse().map(|at| ago(view, at)).unwrap_or_default();
        format!("  written {at}; {}", drift.words())
    });
    let handle = Some(format!("atom:{}", atom.id.short()));
    let head = format!("\"{}\"{age}", atom.name);
    let mut items = vec![Item { section: Section::Know, text: head, handle }];
    if !atom.knowledge.is_empty() {
        let line: String = atom.knowledge.split_whitespace().collect::<Vec<_>>().join(" ");
        let cut: String = line.chars().take(EXCERPT).collect();
        let more = if cut.len() < line.len() { "…" } else { "" };
        let text = format!("> {cut}{more}   (atom \"{}\")", atom.name);
        items.push(Item { section: Section::Know, text, handle: None });
    }
    Ok(items)
}

fn about_known(view: &View, draft: &Draft<'_>, known: &Knows) -> Result<Vec<Item>> {
    match known {
        Knows::Atom(atom) => {
            let mut items = quoted(view, draft, atom)?;
            let molecule = atom.molecule_id.as_ref().map(|id| draft.get::<Molecule>(id));
            if let Some(molecule) = molecule.transpose()?.flatten() {
                let text = format!("in molecule \"{}\"", molecule.name);
                let handle = Some(format!("molecule:{}", molecule.id.short()));
                items.push(Item { section: Section::Around, text, handle });
            }
            Ok(items)
        }
        Knows::Molecule(molecule) => {
            let mut items = Vec::new();
            for atom in draft.list::<Atom>("molecule_id", &molecule.id)? {
                let handle = Some(format!("atom:{}", atom.id.short()));
                let text = format!("\"{}\" over {}", atom.name, atom.paths.join(", "));
                items.push(Item { section: Section::Outline, text, handle });
            }
            Ok(items)
        }
    }
}
