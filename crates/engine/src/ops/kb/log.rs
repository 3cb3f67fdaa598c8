//! `kb.log`: every changeset, with who, when and what.

use base::Result;
use clap::Args;
use kb::Logged;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::contract::answer::Paging;
use crate::contract::args::{Limit, Offset};
use crate::contract::op::{Example, Query};
use crate::contract::page::{Cell, Page, Render};
use crate::layers::kb::STORE;
use crate::layers::kb::show::short;
use crate::view::View;

/// Show the audit log of the knowledge base, newest first
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KbLog {
    /// Only what touched this id
    #[serde(default)]
    pub id: Option<String>,
    /// Entries to show
    #[arg(long, default_value_t)]
    #[serde(default)]
    pub limit: Limit,
    /// Entries to pass over
    #[arg(long, default_value_t)]
    #[serde(default)]
    pub offset: Offset,
}

/// What was done to the knowledge base
#[derive(Debug, Serialize, JsonSchema)]
pub struct Log {
    /// The entries, newest first
    pub entries: Vec<Entry>,
    #[serde(skip)]
    paging: Paging,
    #[serde(skip)]
    again: String,
}

/// One changeset
#[derive(Debug, Serialize, JsonSchema)]
pub struct Entry {
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
        let (total, entries) = match view.store(STORE)? {
            Some(reading) => kb::logged(&reading.conn, id, (limit, offset))?,
            None => (0, Vec::new()),
        };
        let paging = Paging { offset: offset as u64, limit: limit as u64, total };
        let again = match id {
            Some(id) => format!("kb log {id}"),
            None => "kb log".into(),
        };
        Ok(Log { entries: entries.into_iter().map(entry).collect(), paging, again })
    }
}

fn entry(logged: Logged) -> Entry {
    Entry {
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
            total => format!("{total} entries, newest first"),
        });
        let cells = |entry: &Entry| {
            let rows = match entry.rows.as_slice() {
                [] => "nothing".to_owned(),
                [only] => only.clone(),
                [first, rest @ ..] => format!("{first} and {} more", rest.len()),
            };
            vec![
                Cell::faint(&entry.at),
                Cell::text(&entry.actor),
                Cell::text(format!("{}: {}", entry.action, short(&rows, 100))),
                Cell::handle(format!("kb rollback {}", entry.entry)),
            ]
        };
        page.table(0, self.entries.iter().map(cells).collect());
        self.paging.say_rest(page, self.entries.len(), &self.again);
    }

    fn paging(&self) -> Option<Paging> {
        Some(self.paging)
    }
}
