//! Molecules and atoms as nodes; grouping, covered files and relations as edges.

mod rules;

use std::collections::BTreeSet;

use base::entity::RecordKind;
use base::{EntityRef, Result};
use work::knowledge::edit::{KnowledgeRecord, find};
use work::record::{Atom, Molecule, RelatedRecord};
use work::words::KnowledgeKind;
use work::{WorkDraft, WorkRecordId, WorkRecordRef};

use crate::areas::files::file_node;
use crate::areas::work::records::{DraftView, RecordArea, record_node};
use crate::areas::work::{drift, matched_files, work_patterns};
use crate::graph::{
    ChangePropagation, ContextItem, ContextSection, EdgeKind, NodeDescription, NodeMetadata,
};
use crate::view::View;

pub use rules::{RULES, rewrite_call};

const GROUPS: EdgeKind = EdgeKind {
    area: "knowledge",
    name: "groups",
    propagation: ChangePropagation::OnRequest,
    means: "a molecule holds an atom",
};
const COVERS: EdgeKind = EdgeKind {
    area: "knowledge",
    name: "covers",
    propagation: ChangePropagation::SourceToTarget,
    means: "an atom's knowledge is about a file",
};
const RELATED: EdgeKind = EdgeKind {
    area: "knowledge",
    name: "related",
    propagation: ChangePropagation::OnRequest,
    means: "an atom or molecule is related to another",
};

/// How many atoms the context of a file or task quotes.
const MAX_QUOTED_ATOMS: usize = 8;

/// Characters of knowledge that a context quotes.
const MAX_EXCERPT_CHARS: usize = 400;

/// Molecules and atoms.
pub(crate) struct KnowledgeGraphArea;

impl RecordArea for KnowledgeGraphArea {
    type Record = KnowledgeRecord;
    const EDGES: &'static [EdgeKind] = &[GROUPS, COVERS, RELATED];
    const KINDS: &'static [RecordKind] = &[RecordKind::Molecule, RecordKind::Atom];

    fn find(draft: &WorkDraft<'_>, asked: &WorkRecordRef) -> Result<KnowledgeRecord> {
        find(draft, None, asked)
    }

    fn get(
        draft: &WorkDraft<'_>,
        kind: RecordKind,
        id: &WorkRecordId,
    ) -> Result<Option<KnowledgeRecord>> {
        Ok(match kind {
            RecordKind::Atom => draft.get::<Atom>(id)?.map(KnowledgeRecord::Atom),
            _ => draft.get::<Molecule>(id)?.map(KnowledgeRecord::Molecule),
        })
    }

    fn describe(known: &KnowledgeRecord) -> Result<NodeDescription> {
        let node = node(known.grain(), known.id())?;
        Ok(NodeDescription { node, name: known.name().to_owned(), about: about(known) })
    }

    fn edge_targets(
        look: DraftView<'_>,
        from: &EntityRef,
        edge: &EdgeKind,
    ) -> Result<Vec<EntityRef>> {
        targets_of(look, from, edge)
    }

    fn edge_sources(
        look: DraftView<'_>,
        to: &EntityRef,
        edge: &EdgeKind,
    ) -> Result<Vec<EntityRef>> {
        sources_of(look, to, edge)
    }

    fn path_context(
        DraftView { view, draft }: DraftView<'_>,
        path: &str,
    ) -> Result<Vec<ContextItem>> {
        path_context(view, draft, path)
    }

    fn record_context(
        DraftView { view, draft }: DraftView<'_>,
        known: &KnowledgeRecord,
    ) -> Result<Vec<ContextItem>> {
        record_context(view, draft, known)
    }

    fn add_metadata(known: &KnowledgeRecord, marks: &mut NodeMetadata) {
        let changed = match known {
            KnowledgeRecord::Atom(atom) => &atom.updated_at,
            KnowledgeRecord::Molecule(molecule) => &molecule.updated_at,
        };
        marks.changed = changed.parse().ok();
    }
}

fn node(grain: KnowledgeKind, id: &WorkRecordId) -> Result<EntityRef> {
    record_node(
        if grain == KnowledgeKind::Atom { RecordKind::Atom } else { RecordKind::Molecule },
        id,
    )
}

fn about(known: &KnowledgeRecord) -> String {
    match known {
        KnowledgeRecord::Atom(atom) => format!("atom over {}", atom.paths.join(", ")),
        KnowledgeRecord::Molecule(_) => "molecule".into(),
    }
}

fn targets_of(look: DraftView<'_>, from: &EntityRef, edge: &EdgeKind) -> Result<Vec<EntityRef>> {
    let DraftView { view, draft } = look;
    let related = |grain: KnowledgeKind, related: &[RelatedRecord]| {
        related.iter().map(|one| node(grain, &one.id)).collect::<Result<Vec<_>>>()
    };
    match (KnowledgeGraphArea::find_by_node(draft, from)?, edge.name) {
        (Some(KnowledgeRecord::Molecule(molecule)), "groups") => {
            let atoms = draft.list::<Atom>("molecule_id", &molecule.id)?;
            atoms.iter().map(|atom| node(KnowledgeKind::Atom, &atom.id)).collect()
        }
        (Some(KnowledgeRecord::Atom(atom)), "covers") => {
            let files = matched_files(view, &atom.paths)?;
            let paths = files.iter().filter_map(|file| file.path.parse().ok());
            Ok(paths.map(|path| file_node(&path)).collect())
        }
        (Some(KnowledgeRecord::Atom(atom)), "related") => {
            related(KnowledgeKind::Atom, &atom.related)
        }
        (Some(KnowledgeRecord::Molecule(one)), "related") => {
            related(KnowledgeKind::Molecule, &one.related)
        }
        _ => Ok(Vec::new()),
    }
}

fn sources_of(look: DraftView<'_>, to: &EntityRef, edge: &EdgeKind) -> Result<Vec<EntityRef>> {
    let DraftView { view, draft } = look;
    if let Some(path) = to.path() {
        if edge.name != "covers" {
            return Ok(Vec::new());
        }
        let derived = work_patterns(view)?;
        let atoms = derived.matcher.matching(&path.to_string(), None);
        return atoms.into_iter().map(|id| node(KnowledgeKind::Atom, id)).collect();
    }
    match (KnowledgeGraphArea::find_by_node(draft, to)?, edge.name) {
        (Some(KnowledgeRecord::Atom(atom)), "groups") => {
            atom.molecule_id.iter().map(|id| node(KnowledgeKind::Molecule, id)).collect()
        }
        (Some(KnowledgeRecord::Atom(atom)), "related") => {
            let all = draft.list::<Atom>("project_id", &atom.project_id)?;
            let naming = all.iter().filter(|one| one.related.iter().any(|r| r.id == atom.id));
            naming.map(|one| node(KnowledgeKind::Atom, &one.id)).collect()
        }
        (Some(KnowledgeRecord::Molecule(molecule)), "related") => {
            let all = draft.list::<Molecule>("project_id", &molecule.project_id)?;
            let naming = all.iter().filter(|one| one.related.iter().any(|r| r.id == molecule.id));
            naming.map(|one| node(KnowledgeKind::Molecule, &one.id)).collect()
        }
        _ => Ok(Vec::new()),
    }
}

/// What is known about a path: each atom with its age, and what it says, below what their molecules say.
fn path_context(view: &View, draft: &WorkDraft<'_>, path: &str) -> Result<Vec<ContextItem>> {
    let derived = work_patterns(view)?;
    atoms_context(view, draft, derived.matcher.matching(path, None).into_iter())
}

/// Some atoms as a context shows them, each molecule before the first of its atoms.
pub(crate) fn atoms_context<'a>(
    view: &View,
    draft: &WorkDraft<'_>,
    ids: impl Iterator<Item = &'a WorkRecordId>,
) -> Result<Vec<ContextItem>> {
    let (mut items, mut told) = (Vec::new(), BTreeSet::new());
    for id in ids.take(MAX_QUOTED_ATOMS) {
        let Some(atom) = draft.get::<Atom>(id)? else { continue };
        if let Some(id) = atom.molecule_id.clone().filter(|id| told.insert(id.clone()))
            && let Some(molecule) = draft.get::<Molecule>(&id)?
            && !molecule.knowledge.is_empty()
        {
            let text = format!("\"{}\", a molecule", molecule.name);
            let handle = Some(format!("molecule:{}", molecule.id.short()));
            items.push(ContextItem { section: ContextSection::Knowledge, text, handle });
            let source = format!("molecule \"{}\"", molecule.name);
            items.extend(quoted_knowledge(&molecule.knowledge, &source));
        }
        items.extend(atom_context(view, draft, &atom)?);
    }
    Ok(items)
}

/// The text of an atom or molecule on one line; `None` if it is empty.
fn quoted_knowledge(knowledge: &str, source: &str) -> Option<ContextItem> {
    let line: String = knowledge.split_whitespace().collect::<Vec<_>>().join(" ");
    let cut: String = line.chars().take(MAX_EXCERPT_CHARS).collect();
    let more = if cut.len() < line.len() { "…" } else { "" };
    let text = format!("> {cut}{more}   ({source})");
    (!line.is_empty()).then_some(ContextItem {
        section: ContextSection::Knowledge,
        text,
        handle: None,
    })
}

/// An atom as a context shows it: its name and age, and what it says.
fn atom_context(view: &View, draft: &WorkDraft<'_>, atom: &Atom) -> Result<Vec<ContextItem>> {
    let drift = drift(view, draft, atom)?;
    let age = drift.map_or(String::new(), |drift| {
        let at = drift
            .written_at
            .parse()
            .map(|at| base::moment::elapsed(view.call().now, at))
            .unwrap_or_default();
        format!("  written {at}; {}", drift.describe())
    });
    let handle = Some(format!("atom:{}", atom.id.short()));
    let head = format!("\"{}\"{age}", atom.name);
    let mut items = vec![ContextItem { section: ContextSection::Knowledge, text: head, handle }];
    items.extend(quoted_knowledge(&atom.knowledge, &format!("atom \"{}\"", atom.name)));
    Ok(items)
}

fn record_context(
    view: &View,
    draft: &WorkDraft<'_>,
    known: &KnowledgeRecord,
) -> Result<Vec<ContextItem>> {
    match known {
        KnowledgeRecord::Atom(atom) => {
            let mut items = atom_context(view, draft, atom)?;
            let molecule = atom.molecule_id.as_ref().map(|id| draft.get::<Molecule>(id));
            if let Some(molecule) = molecule.transpose()?.flatten() {
                let text = format!("in molecule \"{}\"", molecule.name);
                let handle = Some(format!("molecule:{}", molecule.id.short()));
                items.push(ContextItem { section: ContextSection::Nearby, text, handle });
            }
            Ok(items)
        }
        KnowledgeRecord::Molecule(molecule) => {
            let mut items = Vec::new();
            for atom in draft.list::<Atom>("molecule_id", &molecule.id)? {
                let handle = Some(format!("atom:{}", atom.id.short()));
                let text = format!("\"{}\" over {}", atom.name, atom.paths.join(", "));
                items.push(ContextItem { section: ContextSection::Outline, text, handle });
            }
            Ok(items)
        }
    }
}
