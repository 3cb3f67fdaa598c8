//! `team.log`: every change of every machine, in the order of the team's counter.

use base::Result;
use base::moment::to_the_second;
use base::words::counted;
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use engine::contract::answer::Paging;
use engine::contract::args::{Limit, Offset};
use engine::contract::op::{OpExample, Query};
use engine::contract::page::{Page, PageCell, Render};
use engine::view::View;

/// Show the changes of all machines of the team, newest first
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TeamLog {
    /// Only changes of this store: `work`, or `kb/` and a branch
    #[arg(long)]
    #[serde(default)]
    pub store: Option<String>,
    /// How many changes to show
    #[arg(long, default_value_t)]
    #[serde(default)]
    pub limit: Limit,
    /// How many changes to skip
    #[arg(long, default_value_t)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub offset: Offset,
}

/// Changes of the team
#[derive(Debug, Serialize, JsonSchema)]
pub struct TeamLogAnswer {
    /// The changes, newest first
    pub changes: Vec<TeamLogRow>,
    #[serde(skip)]
    paging: Paging,
}

/// One change of the team
#[derive(Debug, Serialize, JsonSchema)]
pub struct TeamLogRow {
    /// Its number in the order of all changes
    pub change: i64,
    /// Its id, which the client made
    pub id: String,
    /// The store that it changed
    pub store: String,
    /// What was done: write, fork or push
    pub action: String,
    /// The store that a fork was made from
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Who made it
    pub actor: String,
    /// In which session
    pub session: String,
    /// The database role that was logged in
    pub role: String,
    /// What it did
    pub summary: String,
    /// How many records it wrote
    pub records: i32,
    /// When, by the server's clock
    pub at: String,
}

impl Query for TeamLog {
    const NAME: &'static str = "team.log";
    const EXAMPLES: &'static [OpExample] = &[
        OpExample { args: "", shows: "the last changes of all machines" },
        OpExample { args: "--store work", shows: "the last changes of work and knowledge" },
    ];
    type Answer = TeamLogAnswer;

    fn run(self, view: &View) -> Result<TeamLogAnswer> {
        let (limit, offset) = (self.limit.get(), self.offset.get());
        let (entries, total) = view.team().log(self.store.as_deref(), limit, offset)?;
        let changes = entries.into_iter().map(|entry| TeamLogRow {
            change: entry.seq,
            id: entry.uid,
            store: entry.store,
            action: entry.action,
            source: entry.source,
            actor: entry.actor,
            session: entry.session,
            role: entry.role,
            summary: entry.summary,
            records: entry.records,
            at: entry.at,
        });
        let paging = Paging { offset: offset as u64, limit: limit as u64, total };
        Ok(TeamLogAnswer { changes: changes.collect(), paging })
    }
}

impl Render for TeamLogAnswer {
    fn render(&self, page: &mut Page) {
        page.answer(format!("{} of the team", counted(self.paging.total, "change")));
        let rows = self.changes.iter().map(|row| {
            vec![
                PageCell::text(row.change),
                PageCell::faint(to_the_second(&row.at)),
                PageCell::text(format!("{} as {}", row.actor, row.role)),
                PageCell::text(&row.store),
                PageCell::text(&row.summary),
            ]
        });
        page.table(0, rows.collect());
        self.paging.render_rest(page, self.changes.len());
    }

    fn paging(&self) -> Option<Paging> {
        Some(self.paging)
    }
}
