//! Molecules and atoms as nodes; what they group, cover and have to do with as edges.

mod rules;

use base::entity::RecordKind;
use base::{EntityRef, Result};
use work::graph::edit::{Knows, find};
use work::record::{Atom, Molecule, Related};
use work::words::Grain;
use work::{Draft, Id, Ref};

use crate::graph::{Description, EdgeKind, Item, Marks, Section, Travel};
use crate::layers::files::node as file_node;
use crate::layers::work::records::{Look, Records, record_node};
use crate::layers::work::{ago, derived, drift, seen};
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

/// How many atoms a file's context quotes.
const QUOTED: usize = 8;

/// Characters of knowledge that a context quotes.
const EXCERPT: usize = 400;

/// Molecules and atoms.
pub(crate) struct GraphLayer;

impl Records for GraphLayer {
    type Record = Knows;
    const EDGES: &'static [EdgeKind] = &[GROUPS, COVERS, RELATED];
    const KINDS: &'static [RecordKind] = &[RecordKind::Molecule, RecordKind::Atom];

    fn find(draft: &Draft<'_>, asked: &Ref) -> Result<Knows> {
        find(draft, None, asked)
    }

    fn get(draft: &Draft<'_>, kind: RecordKind, id: &Id) -> Result<Option<Knows>> {
        Ok(match kind {
            RecordKind::Atom => draft.get::<Atom>(id)?.map(Knows::Atom),
            _ => draft.get::<Molecule>(id)?.map(Knows::Molecule),
        })
    }

    fn describe(known: &Knows) -> Result<Description> {
        let node = node(known.grain(), known.id())?;
        Ok(Description { node, name: known.name().to_owned(), about: about(known) })
    }

    fn ends(look: Look<'_>, from: &EntityRef, edge: &EdgeKind) -> Result<Vec<EntityRef>> {
        along(look, from, edge)
    }

    fn starts(look: Look<'_>, to: &EntityRef, edge: &EdgeKind) -> Result<Vec<EntityRef>> {
        against(look, to, edge)
    }

    fn about_path(Look { view, draft }: Look<'_>, path: &str) -> Result<Vec<Item>> {
        about_path(view, draft, path)
    }

    fn about(Look { view, draft }: Look<'_>, known: &Knows) -> Result<Vec<Item>> {
        about_known(view, draft, known)
    }

    fn mark(known: &Knows, marks: &mut Marks) {
        let changed = match known {
            Knows::Atom(atom) => &atom.updated_at,
            Knows::Molecule(molecule) => &molecule.updated_at,
        };
        marks.changed = changed.parse().ok();
    }
}

fn node(grain: Grain, id: &Id) -> Result<EntityRef> {
    record_node(if grain == Grain::Atom { RecordKind::Atom } else { RecordKind::Molecule }, id)
}

fn about(known: &Knows) -> String {
    match known {
        Knows::Atom(atom) => format!("atom over {}", atom.paths.join(", ")),
        Knows::Molecule(_) => "molecule".into(),
    }
}

fn along(look: Look<'_>, from: &EntityRef, edge: &EdgeKind) -> Result<Vec<EntityRef>> {
    let Look { view, draft } = look;
    let related = |grain: Grain, related: &[Related]| {
        related.iter().map(|one| node(grain, &one.id)).collect::<Result<Vec<_>>>()
    };
    match (GraphLayer::found(draft, from)?, edge.name) {
        (Some(Knows::Molecule(molecule)), "groups") => {
            let atoms = draft.list::<Atom>("molecule_id", &molecule.id)?;
            atoms.iter().map(|atom| node(Grain::Atom, &atom.id)).collect()
        }
        (Some(Knows::Atom(atom)), "covers") => {
            let files = seen(view, &atom.paths)?;
            let paths = files.iter().filter_map(|file| file.path.parse().ok());
            Ok(paths.map(|path| file_node(&path)).collect())
        }
        (Some(Knows::Atom(atom)), "related") => related(Grain::Atom, &atom.related),
        (Some(Knows::Molecule(one)), "related") => related(Grain::Molecule, &one.related),
        _ => Ok(Vec::new()),
    }
}

fn against(look: Look<'_>, to: &EntityRef, edge: &EdgeKind) -> Result<Vec<EntityRef>> {
    let Look { view, draft } = look;
    if let Some(path) = to.path() {
        if edge.name != "covers" {
            return Ok(Vec::new());
        }
        let derived = derived(view)?;
        let atoms = derived.matcher.matching(&path.to_string(), None);
        return atoms.into_iter().map(|id| node(Grain::Atom, id)).collect();
    }
    match (GraphLayer::found(draft, to)?, edge.name) {
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

/// An atom as a context shows it: its name and age, and what it says.
pub(crate) fn quoted(view: &View, draft: &Draft<'_>, atom: &Atom) -> Result<Vec<Item>> {
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
