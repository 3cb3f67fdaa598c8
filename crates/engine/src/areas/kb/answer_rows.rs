//! Entities and changes as answers show them.

use base::words::counted;
use base::{NextCall, RepoPath, Result};
use kb::{AuditEntry, Entity, KbRowChange, KnownEntity, KnownRelation, RowChangeCounts};
use schemars::JsonSchema;
use serde::Serialize;

use crate::areas::history::{HistoryReader, dates_of};
use crate::contract::page::{Page, PageCell, Render};
use crate::view::View;

/// How many changed rows an answer lists.
const MAX_LISTED: usize = 40;

/// One entity
#[derive(Debug, Serialize, JsonSchema)]
pub struct EntityRow {
    /// Its handle
    pub node: String,
    /// What it says
    #[serde(flatten)]
    pub entity: Entity,
    /// The file that defines it; none if an agent wrote it
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The code symbol that it stands for
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
}

impl EntityRow {
    /// An entity as a row, with its long text only if `with_text` is set.
    pub fn of(fact: &KnownEntity, with_text: bool) -> Self {
        let mut entity = fact.entity.clone();
        if !with_text {
            entity.more.text = None;
        }
        Self {
            node: format!("kb:{}", entity.id),
            file: fact.origin.file().map(|(path, line)| format!("{path}:{line}")),
            symbol: fact.code.as_ref().map(ToString::to_string),
            entity,
        }
    }

    /// The cells of a table's row.
    pub fn cells(&self) -> Vec<PageCell> {
        let entity = &self.entity;
        let priority = entity.more.priority.map(|p| format!(", {p}")).unwrap_or_default();
        vec![
            PageCell::text(format!("{}, {}{priority}", entity.kind, entity.status)),
            PageCell::text(format!("\"{}\"", one_line(&entity.title, 100))),
            PageCell::handle(&self.node),
        ]
    }
}

/// One relation
#[derive(Debug, Serialize, JsonSchema)]
pub struct RelationView {
    /// What it says
    #[serde(flatten)]
    pub relation: kb::KbRelation,
    /// The file and line that define it; none if an agent wrote it
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    #[serde(skip)]
    path: Option<RepoPath>,
}

/// Fills in when relations from files were written and by whom: the dates and the author of the
/// file.
pub fn fill_relation_dates(view: &View, ties: &mut [RelationView]) -> Result<()> {
    let history = HistoryReader::open_if_ready(view)?;
    for tie in ties.iter_mut().filter(|tie| tie.relation.created_at.is_empty()) {
        let Some(path) = &tie.path else { continue };
        if let Some(dates) = dates_of(view, history.as_ref(), path)? {
            tie.relation.created_at = dates.created_at;
        }
        let author =
            history.as_ref().map(|history| history.first_author(path)).transpose()?.flatten();
        // A relation that is not committed yet was written by the caller.
        tie.relation.created_by = author.unwrap_or_else(|| view.call().actor.clone());
    }
    Ok(())
}

impl RelationView {
    /// A relation as a row.
    pub fn of(known_relation: &KnownRelation) -> Self {
        let file = known_relation.origin.file().map(|(path, line)| format!("{path}:{line}"));
        let path = known_relation.origin.file().map(|(path, _)| path.clone());
        Self { relation: known_relation.relation.clone(), file, path }
    }

    /// The cells of a table's row.
    pub fn cells(&self) -> Vec<PageCell> {
        let relation = &self.relation;
        let kind =
            if relation.kind.is_empty() { String::new() } else { format!(" ({})", relation.kind) };
        vec![
            PageCell::handle(handle(&relation.from)),
            PageCell::text(format!("{}{kind}", relation.relates)),
            PageCell::handle(handle(&relation.to)),
            PageCell::faint(self.about()),
        ]
    }

    /// Its confidence, who wrote it and when, as far as that is known.
    fn about(&self) -> String {
        let relation = &self.relation;
        let sure = relation.confidence.map(|sure| format!("confidence {sure}"));
        let by = Some(format!("by {}", relation.created_by)).filter(|by| by.len() > "by ".len());
        let day = relation.created_at.get(..10).map(ToOwned::to_owned);
        sure.into_iter().chain(by).chain(day).collect::<Vec<_>>().join(", ")
    }
}

/// An end of a relation as a handle.
pub fn handle(end: &str) -> String {
    match kb::KbEndpoint::parse(end) {
        Ok(kb::KbEndpoint::Entity(id)) => format!("kb:{id}"),
        _ => end.to_owned(),
    }
}

/// What a change did, or would do, to the knowledge base
#[derive(Debug, Serialize, JsonSchema)]
pub struct KbChangeAnswer {
    /// What was done, in a few words
    pub summary: String,
    /// Entities that were touched
    pub entities: RowChangeCounts,
    /// Relations that were touched
    pub relations: RowChangeCounts,
    /// Each row, in a few words
    pub rows: Vec<String>,
    /// Warnings about what was written
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

impl KbChangeAnswer {
    /// The answer for a list of edits.
    pub fn of(summary: impl Into<String>, edits: &[KbRowChange]) -> Self {
        let (entities, relations) = RowChangeCounts::of(edits);
        let rows = edits.iter().map(KbRowChange::describe).collect();
        let warnings = edits.iter().filter_map(secret_warning).collect();
        Self { summary: summary.into(), entities, relations, rows, warnings }
    }

    /// The answer if an entry of the log has already made the change.
    pub(crate) fn of_logged(entry: &AuditEntry) -> Self {
        Self::of(format!("nothing: entry {} already made this change", entry.seq), &[])
    }

    /// The rows as the text of a dry run.
    pub fn preview(&self) -> String {
        self.rows.iter().map(|row| format!("{row}\n")).collect()
    }
}

impl Render for KbChangeAnswer {
    fn render(&self, page: &mut Page) {
        let counts =
            [tally_words(self.entities, "entity"), tally_words(self.relations, "relation")];
        let counts: Vec<String> = counts.into_iter().flatten().collect();
        page.answer(match counts.as_slice() {
            [] => format!("{}: nothing to change", self.summary),
            counts => format!("{}: {}", self.summary, counts.join("; ")),
        });
        page.table(2, self.rows.iter().take(MAX_LISTED).map(|row| cells(row)).collect());
        if self.rows.len() > MAX_LISTED {
            let more = self.rows.len() - MAX_LISTED;
            page.say_call(format!("…  {more} more"), NextCall::new("kb.log").with("limit", 1));
        }
        for warning in &self.warnings {
            page.item("warning", warning);
        }
    }
}

/// `2 entities added, 1 changed`; none where nothing was touched.
fn tally_words(tally: RowChangeCounts, noun: &str) -> Option<String> {
    let sorts = [(tally.added, "added"), (tally.changed, "changed"), (tally.removed, "removed")];
    let mut parts = Vec::new();
    for (count, verb) in sorts.into_iter().filter(|(count, _)| *count > 0) {
        let what = if parts.is_empty() { counted(count, noun) } else { count.to_string() };
        parts.push(format!("{what} {verb}"));
    }
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// A changed row as it is listed: an entity by its handle, a relation by its words.
fn cells(row: &str) -> Vec<PageCell> {
    match row.split_once(' ') {
        Some((verb, id)) if !id.contains(' ') => {
            vec![PageCell::text(verb), PageCell::handle(format!("kb:{id}"))]
        }
        Some((verb, relation)) => vec![PageCell::text(verb), PageCell::text(relation)],
        None => vec![PageCell::text(row)],
    }
}

/// A text on one line, cut to a length, for tables.
pub fn one_line(text: &str, most: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// How keys and tokens of well-known services start, so that they can be recognised.
const SECRET_PREFIXES: [&str; 9] = [
    "-----BEGIN ",
    "AKIA",
    "ghp_",
    "github_pat_",
    "glpat-",
    "xoxb-",
    "sk_live_",
    "AIza",
    "eyJhbGciOi",
];

/// A warning where a text looks like a secret: the log would keep it for good.
fn secret_warning(edit: &KbRowChange) -> Option<String> {
    let KbRowChange::Entity { id, after: Some(entity), .. } = edit else { return None };
    let text = entity.more.text.as_deref().unwrap_or_default();
    let looks =
        SECRET_PREFIXES.iter().any(|mark| text.contains(mark) || entity.title.contains(mark));
    looks.then(|| format!("{id} seems to contain a secret; the audit log stores it permanently"))
}
