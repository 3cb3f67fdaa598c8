//! `kb.adopt`: shows which documents that were not written for cairn the knowledge base reads.

use std::collections::{BTreeMap, BTreeSet};

use base::words::counted;
use base::{RepoPath, Result};
use clap::Args;
use document::{Document, DocumentEdit};
use kb::Entity;
use kb::derived_tables::FileEntity;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tree::FileEdit;

use engine::areas::kb::answer_rows::one_line;
use engine::areas::kb::{DocumentFilter, kb_state, resolve_path};
use engine::contract::answer::Paging;
use engine::contract::args::{Limit, NodeTarget, Offset};
use engine::contract::op::{Effect, Mutation, OpExample};
use engine::contract::page::{Page, PageCell, Render};
use engine::plan::{Plan, PlannedChange};
use engine::view::View;

/// How many documents that were left out a page shows.
const MAX_SHOWN: usize = 20;

/// How many characters of a title a page shows.
const MAX_TITLE: usize = 80;

/// Show which existing documents the knowledge base reads, and why it does not read others
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
    /// Entities to list
    #[arg(long, default_value_t)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub limit: Limit,
    /// Entities to skip
    #[arg(long, default_value_t)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub offset: Offset,
}

/// Which documents are read
#[derive(Debug, Serialize, JsonSchema)]
pub struct AdoptAnswer {
    /// Documents by form
    pub forms: Vec<AdoptedForm>,
    /// Entities whose status or type is another word in the document
    pub mapped: usize,
    /// These words, and how they are read
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<MappedWord>,
    /// The entities that are read, by file
    pub entities: Vec<AdoptedEntity>,
    /// Documents that are not read as they are, with the reason
    pub left_out: Vec<LeftOutDocument>,
    /// Documents that got frontmatter
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub written: Vec<RepoPath>,
    #[serde(skip)]
    paging: Paging,
}

/// A word of documents that is read as another
#[derive(Debug, Serialize, JsonSchema)]
pub struct MappedWord {
    /// The word
    pub word: String,
    /// What it is read as
    pub read_as: String,
    /// How many entities have it
    pub entities: usize,
}

/// An entity that is read
#[derive(Debug, Serialize, JsonSchema)]
pub struct AdoptedEntity {
    /// Its id
    pub id: String,
    /// Its type
    pub r#type: &'static str,
    /// Its status
    pub status: String,
    /// Its title
    pub title: String,
    /// The file that defines it
    pub path: RepoPath,
    /// The line in it
    pub line: u32,
}

/// Documents of one form
#[derive(Debug, Serialize, JsonSchema)]
pub struct AdoptedForm {
    /// The form: adr, list, openspec, `spec_kit`, gherkin, `sphinx_needs` or doorstop; document or
    /// manifest for files with ids
    pub form: String,
    /// How many documents have it
    pub files: usize,
    /// How many entities they define
    pub entities: usize,
    /// How many of these entities are read
    pub taken: usize,
}

/// A document that is not read as it is
#[derive(Debug, Serialize, JsonSchema)]
pub struct LeftOutDocument {
    /// The file
    pub path: RepoPath,
    /// The line in it
    pub line: u32,
    /// Why
    pub why: String,
}

/// The entities and notices of a document in the index.
struct IndexedDocument {
    form: String,
    entities: usize,
    is_taken: bool,
}

impl Mutation for KbAdopt {
    const NAME: &'static str = "kb.adopt";
    const EFFECT: Effect = Effect::Write { destructive: false, idempotent: true };
    const EXAMPLES: &'static [OpExample] = &[
        OpExample { args: "", shows: "what is read of every document" },
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
        let mut words: BTreeMap<(String, String), usize> = BTreeMap::new();
        let mut entities = Vec::new();
        for (form, said) in kb::derived_tables::all_entities(conn)? {
            if form == "code" || !is_here(&said.path) {
                continue;
            }
            let is_taken = gate.accepts(&form, &said.path);
            if let Some(fact) = known.model.get(&said.entity.id).filter(|_| is_taken) {
                let changed = mapped_words(&said.entity, &fact.entity);
                mapped += usize::from(!changed.is_empty());
                for pair in changed {
                    *words.entry(pair).or_default() += 1;
                }
                entities.push(AdoptedEntity::of(&said, &fact.entity));
            }
            let new = IndexedDocument { form, entities: 0, is_taken };
            documents.entry(said.path).or_insert(new).entities += 1;
        }
        let mut left_out: Vec<LeftOutDocument> = Vec::new();
        for (form, path, line, why) in kb::derived_tables::notices(conn)? {
            // A list outside of the configured folders is usually not about requirements, even in a
            // folder called `requirements`.
            // Shared records are not documents to adopt.
            let is_own = path.to_string().starts_with(".cairn/");
            if !is_own && is_here(&path) && (form != "list" || gate.accepts(&form, &path)) {
                left_out.push(LeftOutDocument { path, line, why });
            }
        }
        left_out.extend(outside_patterns(&documents));
        let edits = match self.write_ids {
            true => id_edits(view, &documents)?,
            false => Vec::new(),
        };
        let written = edits.iter().map(|edit| edit.path.clone()).collect();
        let words = words
            .into_iter()
            .map(|((word, read_as), entities)| MappedWord { word, read_as, entities })
            .collect();
        let (entities, paging) = Paging::cut(entities, self.offset, self.limit);
        let forms = forms(&documents);
        let answer = AdoptAnswer { forms, mapped, words, entities, left_out, written, paging };
        if edits.is_empty() {
            return Ok(Plan::nothing(answer));
        }
        let summary = format!("write ids into {}", counted(edits.len(), "decision"));
        Ok(Plan { summary, change: PlannedChange::Files(edits), answer, retry_on_conflict: true })
    }
}

/// The type and status of a document, if they are read as other words.
fn mapped_words(said: &Entity, read: &Entity) -> Vec<(String, String)> {
    let mut words = Vec::new();
    if said.kind != read.kind {
        words.push((said.kind.word().to_owned(), read.kind.word().to_owned()));
    }
    if said.status != read.status {
        words.push((said.status.clone(), read.status.clone()));
    }
    words
}

impl AdoptedEntity {
    fn of(said: &FileEntity, read: &Entity) -> Self {
        Self {
            id: read.id.clone(),
            r#type: read.kind.word(),
            status: read.status.clone(),
            title: read.title.clone(),
            path: said.path.clone(),
            line: said.line,
        }
    }
}

/// Readable documents outside the folders of `kb.documents`, with one row per folder.
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
        let what = format!("{} in {}", counted(entities, "entity"), counted(files, "document"));
        let name: String = path.name().chars().take(3).collect();
        let is_decision = documents[&path].form == "adr" && name.eq_ignore_ascii_case("adr");
        let pattern = match folder.as_str() {
            "" if is_decision => format!("{name}*.md"),
            "" => "*.md".to_owned(),
            folder => format!("{folder}/**"),
        };
        let why = format!("{what}; to read them, add \"{pattern}\" to `kb.documents`");
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

/// Adds frontmatter to decisions that are read and have no id of their own.
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
        let of = counted(entities, "entity");
        let verb = if taken == 1 { "is" } else { "are" };
        page.answer(format!(
            "{taken} of {of} {verb} read, {} with a mapped type or status; {} not read",
            self.mapped,
            counted(self.left_out.len(), "place")
        ));
        let row = |form: &AdoptedForm| {
            vec![
                PageCell::text(&form.form),
                PageCell::text(counted(form.files, "document")),
                PageCell::text(format!("{} found", form.entities)),
                PageCell::text(format!("{} read", form.taken)),
            ]
        };
        page.table(0, self.forms.iter().map(row).collect());
        if !self.words.is_empty() {
            let word = |one: &MappedWord| {
                format!("{} is read as {} ({})", quoted(&one.word), one.read_as, one.entities)
            };
            page.item("words", self.words.iter().map(word).collect::<Vec<_>>().join(", "));
        }
        self.render_entities(page);
        if !self.left_out.is_empty() {
            page.heading("Not read");
            let row = |left: &LeftOutDocument| {
                vec![
                    PageCell::handle(format!("{}:{}", left.path, left.line)),
                    PageCell::text(&left.why),
                ]
            };
            page.table(2, self.left_out.iter().take(MAX_SHOWN).map(row).collect());
            if self.left_out.len() > MAX_SHOWN {
                let more = self.left_out.len() - MAX_SHOWN;
                page.say(format!("…  {more} more; name a folder, or read `left_out` in the JSON"));
            }
        }
        if !self.written.is_empty() {
            page.say(format!("{} got an id", counted(self.written.len(), "decision")));
        }
    }

    fn paging(&self) -> Option<Paging> {
        Some(self.paging)
    }
}

impl AdoptAnswer {
    /// The entities that are read. Those of one file are listed below its path.
    fn render_entities(&self, page: &mut Page) {
        if self.entities.is_empty() {
            return;
        }
        page.heading("Read");
        let cells = |one: &AdoptedEntity| {
            vec![
                PageCell::text(&one.id),
                PageCell::text(&one.status),
                PageCell::text(format!("\"{}\"", one_line(&one.title, MAX_TITLE))),
            ]
        };
        let mut single: Vec<Vec<PageCell>> = Vec::new();
        for file in self.entities.chunk_by(|a, b| a.path == b.path) {
            if let [only] = file {
                let mut row = cells(only);
                row.push(PageCell::handle(&only.path));
                single.push(row);
                continue;
            }
            page.table(2, std::mem::take(&mut single));
            page.table(2, vec![vec![PageCell::handle(&file[0].path)]]);
            page.table(4, file.iter().map(cells).collect());
        }
        page.table(2, single);
        self.paging.render_rest(page, self.entities.len());
    }
}

fn quoted(word: &str) -> String {
    format!("\"{}\"", one_line(word, MAX_TITLE))
}
