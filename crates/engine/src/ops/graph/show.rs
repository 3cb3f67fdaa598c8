//! `graph.show`: one atom or molecule.

use base::Result;
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use work::Ref;
use work::graph::edit::{Knows, find};
use work::record::{Atom, Molecule, Project, Task};
use work::words::Grain;
use work::{Draft, Id};

use super::shown::{AtomShown, MoleculeShown};
use crate::contract::alias::Alias;
use crate::contract::args::number_type;
use crate::contract::op::{Example, Query};
use crate::contract::page::{Page, Render};
use crate::layers::work::{drift, look};
use crate::view::View;

number_type!(
    /// How many entries of a history come along.
    Changes, 0..=100, default 5
);

impl Changes {
    /// How many are shown; none if the changelog is not asked for.
    pub(super) fn shown(self, include_changelog: Option<bool>) -> usize {
        if include_changelog == Some(false) { 0 } else { self.get() }
    }
}

/// Show an atom or molecule, with its history
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Show {
    /// Id, its first digits, a name or a handle
    pub id: Ref,
    /// Whether the id is of an atom or a molecule
    #[arg(long)]
    #[serde(default, alias = "entity_type")]
    #[schemars(extend("x-rare" = true))]
    pub kind: Option<Grain>,
    /// Show its changelog; true if left out
    #[arg(long)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub include_changelog: Option<bool>,
    /// Changelog entries to show
    #[arg(long, default_value_t)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub changelog_limit: Changes,
}

/// An atom or molecule
#[derive(Debug, Serialize, JsonSchema)]
pub struct Shown {
    /// The atom, if it is one
    #[serde(skip_serializing_if = "Option::is_none")]
    pub atom: Option<AtomShown>,
    /// The molecule, if it is one
    #[serde(skip_serializing_if = "Option::is_none")]
    pub molecule: Option<MoleculeShown>,
    /// A molecule's atoms, by name
    #[serde(skip_serializing_if = "Option::is_none")]
    pub atoms: Option<Vec<AtomShown>>,
    #[serde(skip)]
    home: Vec<HomeLine>,
}

impl Query for Show {
    const NAME: &'static str = "graph.show";
    const ALIASES: &'static [Alias] = &[Alias::of("query_graph").when("operation", "get")];
    const EXAMPLES: &'static [Example] =
        &[Example { args: "atom:019b7d2f-1a2b", shows: "an atom, its age and its history" }];
    type Answer = Shown;

    fn run(self, view: &View) -> Result<Shown> {
        let changes = self.changelog_limit.shown(self.include_changelog);
        look(view, |draft| match find(draft, self.kind, &self.id)? {
            Knows::Atom(atom) => {
                let home = home(draft, &Knows::Atom(atom.clone()))?;
                let drift = drift(view, draft, &atom)?;
                let atom = AtomShown { drift, ..AtomShown::of(draft, atom, changes)? };
                Ok(Shown { atom: Some(atom), molecule: None, atoms: None, home })
            }
            Knows::Molecule(molecule) => {
                let home = home(draft, &Knows::Molecule(molecule.clone()))?;
                let mut atoms = draft.list::<Atom>("molecule_id", &molecule.id)?;
                atoms.sort_by(|a, b| (&a.name, &a.id).cmp(&(&b.name, &b.id)));
                let atoms = atoms.into_iter().map(|atom| AtomShown::of(draft, atom, 0));
                let atoms = atoms.collect::<Result<Vec<_>>>()?;
                let molecule = MoleculeShown::of(draft, molecule, changes)?;
                Ok(Shown { atom: None, molecule: Some(molecule), atoms: Some(atoms), home })
            }
        })
    }
}

/// One thing that an atom or molecule belongs to, or came from.
#[derive(Debug)]
struct HomeLine {
    label: &'static str,
    name: String,
    handle: String,
}

/// The project, the molecule, and the tasks that made and last changed an atom or molecule.
fn home(draft: &Draft<'_>, known: &Knows) -> Result<Vec<HomeLine>> {
    let (project, molecule, made, last) = match known {
        Knows::Atom(one) => {
            (&one.project_id, one.molecule_id.as_ref(), &one.created_by_task_id, &one.last_task_id)
        }
        Knows::Molecule(one) => (&one.project_id, None, &one.created_by_task_id, &one.last_task_id),
    };
    let mut lines = Vec::new();
    let mut line = |label, kind: &str, id: &Id, name: Option<String>| {
        let name = name.map_or("(deleted)".into(), |name| format!("\"{name}\""));
        lines.push(HomeLine { label, name, handle: format!("{kind}:{}", id.short()) });
    };
    line("project", "project", project, draft.get::<Project>(project)?.map(|one| one.name));
    if let Some(id) = molecule {
        line("molecule", "molecule", id, draft.get::<Molecule>(id)?.map(|one| one.name));
    }
    for (label, task) in [("made in", made), ("last changed in", last)] {
        if let Some(id) = task {
            line(label, "task", id, draft.get::<Task>(id)?.map(|one| one.title));
        }
    }
    Ok(lines)
}

impl Render for Shown {
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
                page.item("age", format!("written {}; {}", drift.written_at, drift.words()));
            }
            if !atom.knowledge.is_empty() {
                page.quoted(&atom.knowledge, atom.handle());
            }
            for related in &atom.related_atoms {
                let line = format!("related: \"{}\", {}", related.name, related.reason);
                page.say_next(line, format!("atom:{}", related.atom_id.short()));
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
                page.say_next(line, format!("molecule:{}", related.molecule_id.short()));
            }
            changes.extend(&molecule.changelog);
        }
        for HomeLine { label, name, handle } in &self.home {
            page.say_next(format!("{label}: {name}"), handle);
        }
        for atom in self.atoms.iter().flatten() {
            page.say_next(
                format!("  \"{}\" over {}", atom.name, atom.paths.join(", ")),
                atom.handle(),
            );
        }
        if !changes.is_empty() {
            page.heading("History");
            for change in changes {
                let line = format!("  {}  {}", change.created_at, change.summary);
                page.say_next(line, change.task());
            }
        }
    }
}
