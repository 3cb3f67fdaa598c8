//! `kb.adopt`: documents that were not written for cairn, and what the knowledge base takes of them.

use std::collections::{BTreeMap, BTreeSet};

use base::words::counted;
use base::{RepoPath, Result};
use clap::Args;
use document::{Document, DocumentEdit};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tree::FileEdit;

use engine::areas::kb::{DocumentFilter, kb_state, resolve_path};
use engine::contract::args::NodeTarget;
use engine::contract::op::{Effect, Mutation, OpExample};
use engine::contract::page::{Page, PageCell, Render};
use engine::plan::{Plan, PlannedChange};
use engine::view::View;

/// How many documents that were left out a page shows.
const MAX_SHOWN: usize = 20;

/// Show which existing documents the knowledge base takes in, and why others not
///
/// Decisions (Nygard, MADR, log4brains), requirement lists, Gherkin, OpenSpec, Spec Kit,
/// sphinx-needs and Doorstop are read as they are.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KbAdopt {
    /// Only documents in this file or folder
    #[serde(default)]
    pub path: Option<NodeTarget>,
    /// Write id, title and status into decisions that have none
    #[arg(long)]
    #[serde(default)]
    pub write_ids: bool,
}

/// What is taken in
#[derive(Debug, Serialize, JsonSchema)]
pub struct AdoptAnswer {
    /// Documents by form
    pub forms: Vec<AdoptedForm>,
    /// Entities whose status or type is another word in the document
    pub mapped: usize,
    /// Documents that are not taken in as they are, with the reason
    pub left_out: Vec<LeftOutDocument>,
    /// Documents that got frontmatter
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub written: Vec<RepoPath>,
}

/// Documents of one form
#[derive(Debug, Serialize, JsonSchema)]
pub struct AdoptedForm {
    /// The form: adr, list, openspec, `spec_kit`, gherkin, `sphinx_needs` or doorstop; document or manifest
    /// for what has ids of its own
    pub form: String,
    /// How many documents have it
    pub files: usize,
    /// How many entities they tell
    pub entities: usize,
    /// How many of these entities are taken in
    pub taken: usize,
}

/// A document that is not taken in as it is
#[derive(Debug, Serialize, JsonSchema)]
pub struct LeftOutDocument {
    /// The file
    pub path: RepoPath,
    /// The line in it
    pub line: u32,
    /// Why
    pub why: String,
}

/// What the index has of a document.
struct IndexedDocument {
    form: String,
    entities: usize,
    is_taken: bool,
}

impl Mutation for KbAdopt {
    const NAME: &'static str = "kb.adopt";
    const EFFECT: Effect = Effect::Write { destructive: false, idempotent: true };
    const EXAMPLES: &'static [OpExample] = &[
        OpExample { args: "", shows: "what is taken in of every document" },
        OpExample {
            args: "docs/adr --write-ids --dry-run",
            shows: "the ids of decisions as a diff",
        },
    ];
    type Answer = AdoptAnswer;

    fn plan(self, view: &View) -> Result<Plan<AdoptAnswer>> {
        let place = resolve_path(view, self.path.as_ref())?;
        let is_here = |path: &RepoPath| place.as_ref().is_none_or(|at| path.is_at_or_below(at));
        let gate = DocumentFilter::new(&view.config().kb)?;
        let conn = view.index()?.conn();
        let known = kb_state(view)?;
        let mut documents: BTreeMap<RepoPath, IndexedDocument> = BTreeMap::new();
        let mut mapped = 0;
        for (form, said) in kb::derived_tables::all_entities(conn)? {
            if form == "code" || !is_here(&said.path) {
                continue;
            }
            let is_taken = gate.accepts(&form, &said.path);
            let now = known.model.get(&said.entity.id).filter(|_| is_taken);
            mapped += usize::from(now.is_some_and(|fact| {
                fact.entity.status != said.entity.status || fact.entity.kind != said.entity.kind
            }));
            let new = IndexedDocument { form, entities: 0, is_taken };
            documents.entry(said.path).or_insert(new).entities += 1;
        }
        let mut left_out: Vec<LeftOutDocument> = Vec::new();
        for (_, path, line, why) in kb::derived_tables::notices(conn)? {
            if is_here(&path) {
                left_out.push(LeftOutDocument { path, line, why });
            }
        }
        left_out.extend(outside_patterns(&documents));
        let edits = match self.write_ids {
            true => id_edits(view, &documents)?,
            false => Vec::new(),
        };
        let written = edits.iter().map(|edit| edit.path.clone()).collect();
        let answer = AdoptAnswer { forms: forms(&documents), mapped, left_out, written };
        if edits.is_empty() {
            return Ok(Plan::nothing(answer));
        }
        let summary = format!("write ids into {}", counted(edits.len(), "decision"));
        Ok(Plan { summary, change: PlannedChange::Files(edits), answer, retry_on_conflict: true })
    }
}

/// Documents that could be read and are in no folder of `kb.documents`, one row a folder.
fn outside_patterns(documents: &BTreeMap<RepoPath, IndexedDocument>) -> Vec<LeftOutDocument> {
    let mut folders: BTreeMap<String, (RepoPath, usize, usize)> = BTreeMap::new();
    for (path, document) in documents.iter().filter(|(_, document)| !document.is_taken) {
        let text = path.to_string();
        let folder = text.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
        let row = folders.entry(folder).or_insert_with(|| (path.clone(), 0, 0));
        row.1 += 1;
        row.2 += document.entities;
    }
    let row = |(folder, (path, files, entities)): (String, (RepoPath, usize, usize))| {
        let told = if entities == 1 { "1 entity".into() } else { format!("{entities} entities") };
        let what = format!("{told} in {}", counted(files, "document"));
        let pattern = if folder.is_empty() { "*.md".to_owned() } else { format!("{folder}/**") };
        let why = format!("{what}; to take them in, add \"{pattern}\" to `kb.documents`");
        LeftOutDocument { path, line: 1, why }
    };
    folders.into_iter().map(row).collect()
}

fn forms(documents: &BTreeMap<RepoPath, IndexedDocument>) -> Vec<AdoptedForm> {
    let names: BTreeSet<&str> = documents.values().map(|one| one.form.as_str()).collect();
    let form = |name: &str| {
        let own: Vec<&IndexedDocument> =
            documents.values().filter(|one| one.form == name).collect();
        AdoptedForm {
            form: name.to_owned(),
            files: own.len(),
            entities: own.iter().map(|one| one.entities).sum(),
            taken: own.iter().filter(|one| one.is_taken).map(|one| one.entities).sum(),
        }
    };
    names.into_iter().map(form).collect()
}

/// Frontmatter for decisions that are taken in without any id of their own.
fn id_edits(view: &View, documents: &BTreeMap<RepoPath, IndexedDocument>) -> Result<Vec<FileEdit>> {
    let known = kb_state(view)?;
    let mut edits = Vec::new();
    for fact in known.model.facts() {
        let Some((path, _)) = fact.origin.file() else { continue };
        let is_own = documents.get(path).is_some_and(|one| one.form == "adr" && one.is_taken);
        let Some(file) = view.tree().read(path)?.filter(|_| is_own) else { continue };
        let Ok(text) = String::from_utf8(file.bytes) else { continue };
        let entity = &fact.entity;
        let fields = [("id", &entity.id), ("title", &entity.title), ("status", &entity.status)];
        let start = match Document::parse(&text).map(|document| document.has_frontmatter()) {
            Ok(true) => text,
            Ok(false) => format!("---\n---\n\n{}", base::text::without_byte_order_mark(&text)),
            Err(_) => continue,
        };
        let sets = fields.map(|(name, value)| DocumentEdit::set(name, value.as_str()));
        let Ok(new) = document::edit(&start, &sets) else { continue };
        let (path, expected) = (path.clone(), Some(file.hash));
        edits.push(FileEdit { path, expected, content: Some(new.into()) });
    }
    Ok(edits)
}

impl Render for AdoptAnswer {
    fn render(&self, page: &mut Page) {
        let entities: usize = self.forms.iter().map(|form| form.entities).sum();
        let taken: usize = self.forms.iter().map(|form| form.taken).sum();
        if entities == 0 && self.left_out.is_empty() {
            return page.answer("No documents in a known form: frontmatter with ids, decisions, requirement lists, Gherkin, OpenSpec, Spec Kit, sphinx-needs or Doorstop");
        }
        page.answer(format!(
            "{taken} of {entities} entities are taken in, {} with another word for type or status; {} left out",
            self.mapped,
            counted(self.left_out.len(), "place")
        ));
        let row = |form: &AdoptedForm| {
            vec![
                PageCell::text(&form.form),
                PageCell::text(counted(form.files, "document")),
                PageCell::text(format!("{} found", form.entities)),
                PageCell::text(format!("{} taken in", form.taken)),
            ]
        };
        page.table(0, self.forms.iter().map(row).collect());
        if !self.left_out.is_empty() {
            page.heading("Left out");
            let row = |left: &LeftOutDocument| {
                vec![
                    PageCell::handle(format!("{}:{}", left.path, left.line)),
                    PageCell::text(&left.why),
                ]
            };
            page.table(2, self.left_out.iter().take(MAX_SHOWN).map(row).collect());
            if self.left_out.len() > MAX_SHOWN {
                page.say(format!("…  {} more in the JSON", self.left_out.len() - MAX_SHOWN));
            }
        }
        if !self.written.is_empty() {
            page.say(format!("{} got an id", counted(self.written.len(), "decision")));
        }
    }
}
