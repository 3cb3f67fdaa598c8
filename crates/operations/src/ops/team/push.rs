//! `team.push`: brings local records and waiting changes to the team's server.

use std::sync::Arc;

use base::words::counted;
use base::{Call, NextCall, Problem, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use engine::contract::op::{Action, Door, Effect, OpExample};
use engine::contract::page::{Page, PageCell, Render};
use engine::durable::team::outbox::OutboxNumber;
use engine::durable::team::{self, ConflictSide, OutboxReport, PushedRecords, PushedStore};
use engine::workspace::Workspace;

/// Send local records and pending changes to the team's server
///
/// The first push sends the records that this clone had before it joined; later ones send changes
/// that were made offline. Records that both sides changed are refused until `--prefer` names a
/// side.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TeamPush {
    /// Side to keep where both changed: mine or theirs
    #[arg(long)]
    #[serde(default)]
    pub prefer: Option<ConflictSide>,
    /// Number of the one conflict to settle; all if left out
    #[arg(long)]
    #[serde(default)]
    pub conflict: Option<i64>,
}

/// What is on the server now
#[derive(Debug, Serialize, JsonSchema)]
pub struct TeamPushAnswer {
    /// Stores whose local records were brought there
    pub stores: Vec<PushedStore>,
    /// Whether the team's records took the place of the local ones, because the role may only read
    pub is_replaced: bool,
    /// Results of the pending changes
    pub outbox: OutboxReport,
}

impl Action for TeamPush {
    const NAME: &'static str = "team.push";
    const EFFECT: Effect = Effect::OVERWRITES;
    const DOORS: &'static [Door] = Door::PERSON;
    const EXAMPLES: &'static [OpExample] = &[
        OpExample { args: "", shows: "pushes all local records to the server" },
        OpExample { args: "--prefer theirs", shows: "keeps the server's side of every conflict" },
    ];
    type Answer = TeamPushAnswer;

    fn run(self, workspace: &Workspace, call: &Arc<Call>) -> Result<TeamPushAnswer> {
        let membership = workspace.stores().team().require_membership()?;
        if self.conflict.is_some() && self.prefer.is_none() {
            return Err(Problem::invalid("`conflict` names what to settle, but no side is named")
                .hint_call("to keep yours:", NextCall::repeat().with("prefer", "mine"))
                .hint_call("or the server's:", NextCall::repeat().with("prefer", "theirs")));
        }
        let PushedRecords { stores, is_replaced } = match membership.is_pushed {
            true => {
                team::require_usable(workspace, call)?;
                PushedRecords { stores: Vec::new(), is_replaced: false }
            }
            false => team::push(workspace, &membership, self.prefer, call)?,
        };
        let mut outbox = team::work_off(workspace, call)?;
        if let Some(side) = self.prefer {
            let settled = team::settle(workspace, self.conflict.map(OutboxNumber), side, call)?;
            outbox.written.extend(settled.written);
            outbox.dropped.extend(settled.dropped);
            outbox.waiting.extend(settled.waiting);
            outbox.conflicts = settled.conflicts;
        }
        Ok(TeamPushAnswer { stores, is_replaced, outbox })
    }
}

impl Render for TeamPushAnswer {
    fn render(&self, page: &mut Page) {
        let records: usize = self.stores.iter().map(|store| store.records).sum();
        let done = records + self.outbox.written.len() + self.outbox.dropped.len();
        let open = self.outbox.conflicts.len() + self.outbox.waiting.len();
        page.answer(match (done, open) {
            (0, 0) if self.is_replaced => {
                "The team's records are read here now; what was local is kept as a backup"
                    .to_owned()
            }
            (0, 0) => "Nothing to push: no change waits here".to_owned(),
            (_, 0) => "All local records are on the server".to_owned(),
            (_, 1) => "1 change is not on the server".to_owned(),
            _ => format!("{open} changes are not on the server"),
        });
        let rows = self.stores.iter().map(|store| {
            let change = store.change.map(|change| format!("change {change}")).unwrap_or_default();
            vec![
                PageCell::text(&store.store),
                PageCell::text(counted(store.records, "record")),
                PageCell::faint(change),
            ]
        });
        page.table(0, rows.collect());
        for (what, changes) in [
            ("written", &self.outbox.written),
            ("given up", &self.outbox.dropped),
            ("conflict", &self.outbox.conflicts),
            ("waits", &self.outbox.waiting),
        ] {
            for change in changes {
                page.item(what, change);
            }
        }
        if self.is_replaced {
            page.say_call("backups are listed by", NextCall::new("restore"));
        }
        if !self.outbox.conflicts.is_empty() {
            page.say_call("both sides are shown by", NextCall::new("team.status"));
        }
    }

    fn has_findings(&self) -> bool {
        !self.outbox.conflicts.is_empty() || !self.outbox.waiting.is_empty()
    }
}
