//! `sync`: brings the index up to date with the working tree.

use std::sync::Arc;

use base::shared::{MergePreference, MergeReport};
use base::words::counted;
use base::{Call, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use engine::areas::kb::SyncDifference;
use engine::contract::alias::OpAlias;
use engine::contract::op::{Action, Effect, OpExample};
use engine::contract::page::{Page, Render};
use engine::index::tables;
use engine::workspace::Workspace;

use super::share::{merge_shared, render_merged};

/// Bring the index up to date with the working tree
///
/// Every read does this automatically; this operation waits for it and reports what is indexed.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sync {
    /// Rebuild the index from scratch
    #[arg(long)]
    #[serde(default)]
    pub full: bool,
}

/// What the index now holds
#[derive(Debug, Serialize, JsonSchema)]
pub struct SyncAnswer {
    /// Files of the project
    pub files: u64,
    /// Files by language
    pub languages: Vec<NamedCount>,
    /// What was left out, by reason
    pub left_out: Vec<NamedCount>,
    /// What was merged from shared knowledge
    #[serde(skip_serializing_if = "MergeReport::is_empty")]
    pub shared: MergeReport,
    /// What documents, manifests and doc comments say, compared with the last sync
    #[serde(skip_serializing_if = "SyncDifference::is_empty")]
    pub knowledge: SyncDifference,
}

/// A name and how many
#[derive(Debug, Serialize, JsonSchema)]
pub struct NamedCount {
    /// The name
    pub name: String,
    /// How many
    pub count: u64,
}

impl Action for Sync {
    const NAME: &'static str = "sync";
    const EFFECT: Effect = Effect::REBUILDS;
    const ALIASES: &'static [OpAlias] = &[
        OpAlias::of("rebuild").presetting(&[("full", "true")]),
        OpAlias::of("index"),
        OpAlias::of("kb.sync"),
    ];
    const EXAMPLES: &'static [OpExample] =
        &[OpExample { args: "--full", shows: "the index rebuilt from scratch" }];
    type Answer = SyncAnswer;

    fn run(self, workspace: &Workspace, call: &Arc<Call>) -> Result<SyncAnswer> {
        workspace.sync(self.full, call)?;
        let shared = merge_shared(workspace, call, MergePreference::Neither)?;
        let view = workspace.view(call.clone())?;
        let conn = view.index()?.conn();
        Ok(SyncAnswer {
            files: tables::count_files(conn)?,
            languages: counts(tables::language_counts(conn)?),
            left_out: counts(tables::skipped_counts(conn)?),
            shared,
            knowledge: SyncDifference::since_last_sync(workspace, &view)?,
        })
    }
}

pub(super) fn counts(rows: Vec<(String, u64)>) -> Vec<NamedCount> {
    rows.into_iter().map(|(name, count)| NamedCount { name, count }).collect()
}

/// `Rust 88, Markdown 12`.
pub(super) fn counts_text(counts: &[NamedCount]) -> String {
    let parts: Vec<String> = counts.iter().map(|c| format!("{} {}", c.name, c.count)).collect();
    parts.join(", ")
}

impl Render for SyncAnswer {
    fn render(&self, page: &mut Page) {
        page.answer(format!("{} indexed", counted(self.files, "file")));
        if !self.languages.is_empty() {
            page.item("languages", counts_text(&self.languages));
        }
        if !self.left_out.is_empty() {
            page.item("left out", counts_text(&self.left_out));
        }
        render_merged(page, &self.shared);
        self.knowledge.render(page);
    }
}
