//! `work.blocked`: features and tasks that are blocked, and why.

use base::Result;
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use work::WorkRecordRef;
use work::container::{WorkItemBrief, blockers, project};
use work::query::blocked;
use work::words::{WorkKind, WorkStatus};

use super::record::row;
use super::state::WorkBlocker;
use engine::areas::work::{read_store, tasks_about};
use engine::contract::alias::OpAlias;
use engine::contract::answer::Paging;
use engine::contract::args::{Limit, NodeTarget, Offset};
use engine::contract::op::{OpExample, Query};
use engine::contract::page::{Page, PageCell, Render};
use engine::view::View;

/// List what is blocked, and by what
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Blocked {
    /// Only tasks or only features; both if left out
    #[arg(long)]
    #[serde(default, alias = "container_type")]
    pub kind: Option<WorkKind>,
    /// Only work of this project
    #[arg(long)]
    #[serde(default, alias = "project_id")]
    pub project: Option<WorkRecordRef>,
    /// Only tasks whose Context Files name this file or folder, and their features
    #[arg(long)]
    #[serde(default)]
    pub path: Option<NodeTarget>,
    /// Rows to show
    #[arg(long, default_value_t)]
    #[serde(default)]
    pub limit: Limit,
    /// Rows to skip
    #[arg(long, default_value_t)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub offset: Offset,
}

/// Blocked features and tasks
#[derive(Debug, Serialize, JsonSchema)]
pub struct BlockedAnswer {
    /// The rows, urgent first
    pub items: Vec<BlockedRow>,
    #[serde(skip)]
    paging: Paging,
}

/// One blocked feature or task
#[derive(Debug, Serialize, JsonSchema)]
pub struct BlockedRow {
    /// The feature or task
    #[serde(flatten)]
    pub what: WorkItemBrief,
    /// What it waits for
    pub blocked_by: Vec<WorkBlocker>,
}

impl Query for Blocked {
    const NAME: &'static str = "work.blocked";
    const ALIASES: &'static [OpAlias] = &[
        OpAlias::of("get_blocked_tasks").presetting(&[("kind", "\"task\"")]),
        OpAlias::of("get_blocked_features").presetting(&[("kind", "\"feature\"")]),
    ];
    const EXAMPLES: &'static [OpExample] =
        &[OpExample { args: "", shows: "everything that is blocked" }];
    type Answer = BlockedAnswer;

    fn run(self, view: &View) -> Result<BlockedAnswer> {
        read_store(view, |draft| {
            let project = project(draft, self.project.as_ref())?;
            let kinds =
                self.kind.map_or(vec![WorkKind::Feature, WorkKind::Task], |kind| vec![kind]);
            let mut rows = Vec::new();
            for kind in kinds {
                rows.extend(blocked(draft, kind, &project.id)?);
            }
            if let Some(path) = &self.path {
                let about = tasks_about(view, draft, path)?;
                rows.retain(|row| about.contains(&row.id));
            }
            let (rows, paging) = Paging::cut(rows, self.offset, self.limit);
            let mut items = Vec::new();
            for one in rows {
                let blocks = blockers(draft, &one.id)?.into_iter();
                let blocked_by = blocks.map(|(block, by)| WorkBlocker { by, reason: block.reason });
                let what = one.load(draft)?.brief();
                items.push(BlockedRow { what, blocked_by: blocked_by.collect() });
            }
            Ok(BlockedAnswer { items, paging })
        })
    }
}

impl Render for BlockedAnswer {
    fn render(&self, page: &mut Page) {
        page.answer(match self.paging.total {
            0 => "Nothing is blocked".to_owned(),
            total => format!("{total} blocked"),
        });
        let mut rows = Vec::new();
        for item in &self.items {
            rows.push(row(&item.what));
            for block in &item.blocked_by {
                let by = block.by.as_ref();
                let status = by.and_then(|by| by.status).map_or("", WorkStatus::word);
                let text = match by {
                    Some(by) => format!("by \"{}\" {status} {}", by.name, block.reason),
                    None => format!("waits for an answer: {}", block.reason),
                };
                let handle = by.map(WorkItemBrief::handle).unwrap_or_default();
                rows.push(vec![
                    PageCell::text(""),
                    PageCell::faint(text.trim_end()),
                    PageCell::handle(handle),
                ]);
            }
        }
        page.table(0, rows);
        self.paging.render_rest(page, self.items.len());
    }

    fn paging(&self) -> Option<Paging> {
        Some(self.paging)
    }
}
