//! `knowledge.show`: one atom or molecule.

use base::Result;
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use work::WorkRecordRef;
use work::knowledge::edit::{KnowledgeRecord, find};
use work::record::{Atom, Molecule, Project, Task};
use work::words::KnowledgeKind;
use work::{WorkDraft, WorkRecordId};

use super::details::{AtomDetails, MoleculeDetails};
use engine::areas::work::{drift, read_store};
use engine::contract::alias::OpAlias;
use engine::contract::args::number_type;
use engine::contract::op::{OpExample, Query};
use engine::contract::page::{Page, Render};
use engine::view::View;

number_type!(
    /// How many changelog entries are shown.
    ChangelogLimit, 0..=100, default 5
);

impl ChangelogLimit {
    /// How many entries are shown; 0 if the changelog is not requested.
    pub(super) fn entry_count(self, include_changelog: Option<bool>) -> usize {
        if include_changelog == Some(false) { 0 } else { self.get() }
    }
}

/// Show an atom or molecule, with its changelog
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Show {
    /// Id, its first digits, a name or a handle
    pub id: WorkRecordRef,
    /// Whether the id is of an atom or a molecule
    #[arg(long)]
    #[serde(default, alias = "entity_type")]
    #[schemars(extend("x-rare" = true))]
    pub kind: Option<KnowledgeKind>,
    /// Show its changelog; true if left out
    #[arg(long)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub include_changelog: Option<bool>,
    /// Changelog entries to show
    #[arg(long, default_value_t)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub changelog_limit: ChangelogLimit,
}

/// An atom or molecule
#[derive(Debug, Serialize, JsonSchema)]
pub struct KnowledgeShowAnswer {
    /// The atom, if it is one
    #[serde(skip_serializing_if = "Option::is_none")]
    pub atom: Option<AtomDetails>,
    /// The molecule, if it is one
    #[serde(skip_serializing_if = "Option::is_none")]
    pub molecule: Option<MoleculeDetails>,
    /// A molecule's atoms, by name
    #[serde(skip_serializing_if = "Option::is_none")]
    pub atoms: Option<Vec<AtomDetails>>,
    #[serde(skip)]
    origin: Vec<OriginLine>,
}

impl Query for Show {
    const NAME: &'static str = "knowledge.show";
    const ALIASES: &'static [OpAlias] = &[OpAlias::of("query_graph").when("operation", "get")];
    const EXAMPLES: &'static [OpExample] =
        &[OpExample { args: "atom:019b7d2f-1a2b", shows: "an atom, its age and its changelog" }];
    type Answer = KnowledgeShowAnswer;

    fn run(self, view: &View) -> Result<KnowledgeShowAnswer> {
        let changes = self.changelog_limit.entry_count(self.include_changelog);
        read_store(view, |draft| match find(draft, self.kind, &self.id)? {
            KnowledgeRecord::Atom(atom) => {
                let home = origin_lines(draft, &KnowledgeRecord::Atom(atom.clone()))?;
                let drift = drift(view, draft, &atom)?;
                let atom = AtomDetails { drift, ..AtomDetails::of(draft, atom, changes)? };
                Ok(KnowledgeShowAnswer {
                    atom: Some(atom),
                    molecule: None,
                    atoms: None,
                    origin: home,
                })
            }
            KnowledgeRecord::Molecule(molecule) => {
                let home = origin_lines(draft, &KnowledgeRecord::Molecule(molecule.clone()))?;
                let mut atoms = draft.list::<Atom>("molecule_id", &molecule.id)?;
                atoms.sort_by(|a, b| (&a.name, &a.id).cmp(&(&b.name, &b.id)));
                let atoms = atoms.into_iter().map(|atom| AtomDetails::of(draft, atom, 0));
                let atoms = atoms.collect::<Result<Vec<_>>>()?;
                let molecule = MoleculeDetails::of(draft, molecule, changes)?;
                Ok(KnowledgeShowAnswer {
                    atom: None,
                    molecule: Some(molecule),
                    atoms: Some(atoms),
                    origin: home,
                })
            }
        })
    }
}

/// A record that an atom or molecule belongs to, or a task that changed it.
#[derive(Debug)]
struct OriginLine {
    label: &'static str,
    name: String,
    handle: String,
}

/// The project, the molecule, and the tasks that made and last changed an atom or molecule.
fn origin_lines(draft: &WorkDraft<'_>, known: &KnowledgeRecord) -> Result<Vec<OriginLine>> {
    let (project, molecule, made, last) = match known {
        KnowledgeRecord::Atom(one) => {
            (&one.project_id, one.molecule_id.as_ref(), &one.created_by_task_id, &one.last_task_id)
        }
        KnowledgeRecord::Molecule(one) => {
            (&one.project_id, None, &one.created_by_task_id, &one.last_task_id)
        }
    };
    let mut lines = Vec::new();
    let mut line = |label, kind: &str, id: &WorkRecordId, name: Option<String>| {
        let name = name.map_or("(deleted)".into(), |name| format!("\"{name}\""));
        lines.push(OriginLine { label, name, handle: format!("{kind}:{}", id.short()) });
    };
    line("project", "project", project, draft.get::<Project>(project)?.map(|one| one.name));
    if let Some(id) = molecule {
        line("molecule", "molecule", id, draft.get::<Molecule>(id)?.map(|one| one.name));
    }
    for (label, task) in [("created in", made), ("last changed in", last)] {
        if let Some(id) = task {
            line(label, "task", id, draft.get::<Task>(id)?.map(|one| one.title));
        }
    }
    Ok(lines)
}

impl Render for KnowledgeShowAnswer {
    fn render(&self, page: &mut Page) {
        let mut changes = Vec::new();
        if let Some(atom) = &self.atom {
            page.answer(format!(
                "atom \"{}\"  version {}    {}",
                atom.name,
                atom.version,
                atom.handle()
            ));
            page.item("paths", atom.paths.join(", "));
            if let Some(drift) = &atom.drift {
                page.item("age", format!("written {}; {}", drift.written_at, drift.describe()));
            }
            if !atom.knowledge.is_empty() {
                page.quoted(&atom.knowledge, atom.handle());
            }
            for related in &atom.related_atoms {
                let line = format!("related: \"{}\", {}", related.name, related.reason);
                page.say_handle(line, format!("atom:{}", related.atom_id.short()));
            }
            changes.extend(&atom.changelog);
        }
        if let Some(molecule) = &self.molecule {
            let line = format!("molecule \"{}\"  version {}", molecule.name, molecule.version);
            page.answer(format!("{line}    {}", molecule.handle()));
            if !molecule.knowledge.is_empty() {
                page.quoted(&molecule.knowledge, molecule.handle());
            }
            for related in &molecule.related_molecules {
                let line = format!("related: \"{}\", {}", related.name, related.reason);
                page.say_handle(line, format!("molecule:{}", related.molecule_id.short()));
            }
            changes.extend(&molecule.changelog);
        }
        for OriginLine { label, name, handle } in &self.origin {
            page.say_handle(format!("{label}: {name}"), handle);
        }
        for atom in self.atoms.iter().flatten() {
            page.say_handle(
                format!("  \"{}\" over {}", atom.name, atom.paths.join(", ")),
                atom.handle(),
            );
        }
        if !changes.is_empty() {
            page.heading("History");
            for change in changes {
                let line = format!("  {}  {}", change.created_at, change.summary);
                page.say_handle(line, change.task());
            }
        }
    }
}
