//! `kb.log`: every changeset, with its author, time and content.

use base::moment::to_the_second;
use base::words::counted;
use base::{NextCall, RepoPath, Result};
use clap::Args;
use kb::{AuditEntry, KbRowChange};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use engine::areas::kb::answer_rows::one_line;
use engine::areas::kb::{STORE, resolve_path};
use engine::contract::answer::Paging;
use engine::contract::args::{Limit, NodeTarget, Offset};
use engine::contract::op::{OpExample, Query};
use engine::contract::page::{Page, PageCell, Render};
use engine::view::View;

/// Show the audit log of the knowledge base, newest first
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KbLog {
    /// Only entries that changed this id
    #[serde(default)]
    pub id: Option<String>,
    /// Only entries about code or files at or below this path
    #[arg(long)]
    #[serde(default)]
    pub path: Option<NodeTarget>,
    /// Entries to show
    #[arg(long, default_value_t)]
    #[serde(default)]
    pub limit: Limit,
    /// Entries to skip
    #[arg(long, default_value_t)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub offset: Offset,
}

/// Changesets of the knowledge base
#[derive(Debug, Serialize, JsonSchema)]
pub struct KbLogAnswer {
    /// The entries, newest first
    pub entries: Vec<KbLogRow>,
    #[serde(skip)]
    paging: Paging,
}

/// One changeset
#[derive(Debug, Serialize, JsonSchema)]
pub struct KbLogRow {
    /// Its number, for `kb rollback`
    pub entry: i64,
    /// When it was applied
    pub at: String,
    /// Who applied it
    pub actor: String,
    /// The operation that wrote it
    pub action: String,
    /// Where its facts come from
    pub source: String,
    /// The caller's name for it
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changeset: Option<String>,
    /// Each changed row, as a short text
    pub rows: Vec<String>,
    /// Each changed row, before and after
    pub edits: Vec<Value>,
}

impl Query for KbLog {
    const NAME: &'static str = "kb.log";
    const EXAMPLES: &'static [OpExample] = &[
        OpExample { args: "--limit 5", shows: "the last five changesets" },
        OpExample { args: "REQ-001", shows: "what happened to one entity" },
    ];
    type Answer = KbLogAnswer;

    fn run(self, view: &View) -> Result<KbLogAnswer> {
        let (limit, offset) = (self.limit.get(), self.offset.get());
        let id = self.id.as_deref().map(|id| id.strip_prefix("kb:").unwrap_or(id));
        let place = resolve_path(view, self.path.as_ref())?;
        let (total, entries) = match (view.store(STORE)?, place) {
            (None, _) => (0, Vec::new()),
            (Some(reading), None) => {
                let page = kb::log_page(&reading.conn, id, limit, offset)?;
                (page.total, page.entries)
            }
            (Some(reading), Some(place)) => {
                let mut all = kb::log_page(&reading.conn, id, usize::MAX, 0)?.entries;
                all.retain(|entry| entry.edits.iter().any(|edit| is_at(edit, &place)));
                (all.len() as u64, all.into_iter().skip(offset).take(limit).collect())
            }
        };
        let paging = Paging { offset: offset as u64, limit: limit as u64, total };
        Ok(KbLogAnswer { entries: entries.into_iter().map(entry).collect(), paging })
    }
}

/// Whether a change is about something at or below a path.
fn is_at(edit: &KbRowChange, place: &RepoPath) -> bool {
    let paths = edit.code_refs().into_iter().filter_map(|node| node.path().cloned());
    paths.into_iter().any(|path| path == *place || path.is_at_or_below(place))
}

fn entry(logged: AuditEntry) -> KbLogRow {
    KbLogRow {
        entry: logged.seq.0,
        at: logged.at,
        actor: logged.actor,
        action: logged.action,
        source: logged.source,
        changeset: logged.changeset,
        rows: logged.edits.iter().map(kb::KbRowChange::describe).collect(),
        edits: logged.edits.iter().filter_map(|edit| serde_json::to_value(edit).ok()).collect(),
    }
}

impl Render for KbLogAnswer {
    fn render(&self, page: &mut Page) {
        page.answer(match self.paging.total {
            0 => "The log is empty: nothing was written yet".to_owned(),
            total => format!("{}, newest first", counted(total, "entry")),
        });
        let cells = |entry: &KbLogRow| {
            let rows = match entry.rows.as_slice() {
                [] => "nothing".to_owned(),
                [only] => only.clone(),
                [first, rest @ ..] => format!("{first} and {} more", rest.len()),
            };
            vec![
                PageCell::faint(to_the_second(&entry.at)),
                PageCell::text(&entry.actor),
                PageCell::text(format!("{}: {}", entry.action, one_line(&rows, 100))),
                PageCell::call(NextCall::new("kb.rollback").with("entry", entry.entry)),
            ]
        };
        page.table(0, self.entries.iter().map(cells).collect());
        self.paging.render_rest(page, self.entries.len());
    }

    fn paging(&self) -> Option<Paging> {
        Some(self.paging)
    }
}
