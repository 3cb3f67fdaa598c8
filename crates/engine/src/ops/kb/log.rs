//! `kb.log`: every changeset, with who, when and what.

use base::words::counted;
use base::{NextCall, RepoPath, Result};
use clap::Args;
use kb::{Edit, Logged};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::contract::answer::Paging;
use crate::contract::args::{Limit, Offset, Target};
use crate::contract::op::{Example, Query};
use crate::contract::page::{Cell, Page, Render};
use crate::layers::kb::show::{moment, short};
use crate::layers::kb::{STORE, place};
use crate::view::View;

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
    pub path: Option<Target>,
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

/// What was done to the knowledge base
#[derive(Debug, Serialize, JsonSchema)]
pub struct Log {
    /// The entries, newest first
    pub entries: Vec<LogRow>,
    #[serde(skip)]
    paging: Paging,
}

/// One changeset
#[derive(Debug, Serialize, JsonSchema)]
pub struct LogRow {
    /// Its number, for `kb rollback`
    pub entry: i64,
    /// When it was applied
    pub at: String,
    /// Who applied it
    pub actor: String,
    /// What was done
    pub action: String,
    /// Where its facts come from
    pub source: String,
    /// The caller's name for it
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changeset: Option<String>,
    /// Each row, in a few words
    pub rows: Vec<String>,
    /// Each row, before and after
    pub edits: Vec<Value>,
}

impl Query for KbLog {
    const NAME: &'static str = "kb.log";
    const EXAMPLES: &'static [Example] = &[
        Example { args: "--limit 5", shows: "the last five changesets" },
        Example { args: "REQ-001", shows: "what happened to one entity" },
    ];
    type Answer = Log;

    fn run(self, view: &View) -> Result<Log> {
        let (limit, offset) = (self.limit.get(), self.offset.get());
        let id = self.id.as_deref().map(|id| id.strip_prefix("kb:").unwrap_or(id));
        let place = place(view, self.path.as_ref())?;
        let (total, entries) = match (view.store(STORE)?, place) {
            (None, _) => (0, Vec::new()),
            (Some(reading), None) => kb::logged(&reading.conn, id, (limit, offset))?,
            (Some(reading), Some(place)) => {
                let (_, mut all) = kb::logged(&reading.conn, id, (usize::MAX, 0))?;
                all.retain(|entry| entry.edits.iter().any(|edit| is_at(edit, &place)));
                (all.len() as u64, all.into_iter().skip(offset).take(limit).collect())
            }
        };
        let paging = Paging { offset: offset as u64, limit: limit as u64, total };
        Ok(Log { entries: entries.into_iter().map(entry).collect(), paging })
    }
}

/// Whether a change names something at or below a place.
fn is_at(edit: &Edit, place: &RepoPath) -> bool {
    let paths = edit.code().into_iter().filter_map(|node| node.path().cloned());
    paths.into_iter().any(|path| path == *place || path.is_below(place))
}

fn entry(logged: Logged) -> LogRow {
    LogRow {
        entry: logged.seq,
        at: logged.at,
        actor: logged.actor,
        action: logged.action,
        source: logged.source,
        changeset: logged.changeset,
        rows: logged.edits.iter().map(kb::Edit::words).collect(),
        edits: logged.edits.iter().filter_map(|edit| serde_json::to_value(edit).ok()).collect(),
    }
}

impl Render for Log {
    fn render(&self, page: &mut Page) {
        page.answer(match self.paging.total {
            0 => "The log is empty: nothing was written here".to_owned(),
            total => format!("{}, newest first", counted(total, "entry")),
        });
        let cells = |entry: &LogRow| {
            let rows = match entry.rows.as_slice() {
                [] => "nothing".to_owned(),
                [only] => only.clone(),
                [first, rest @ ..] => format!("{first} and {} more", rest.len()),
            };
            vec![
                Cell::faint(moment(&entry.at)),
                Cell::text(&entry.actor),
                Cell::text(format!("{}: {}", entry.action, short(&rows, 100))),
                Cell::call(NextCall::to("kb.rollback").with("entry", entry.entry)),
            ]
        };
        page.table(0, self.entries.iter().map(cells).collect());
        self.paging.say_rest(page, self.entries.len());
    }

    fn paging(&self) -> Option<Paging> {
        Some(self.paging)
    }
}
