//! `sync`: brings the index up to date with the working tree.

use std::sync::Arc;

use base::shared::{Merged, Prefer};
use base::words::counted;
use base::{Call, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::contract::alias::Alias;
use crate::contract::op::{Action, Effect, Example};
use crate::contract::page::{Page, Render};
use crate::index::tables;
use crate::layers::kb::Extracted;
use crate::workspace::Workspace;

use super::share::{merge_shared, say_merged};

/// Bring the index up to date with the working tree
///
/// Every read does this by itself; this waits for it and says what there is.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sync {
    /// Build the index again from nothing
    #[arg(long)]
    #[serde(default)]
    pub full: bool,
}

/// What the index now holds
#[derive(Debug, Serialize, JsonSchema)]
pub struct Synced {
    /// Files of the project
    pub files: u64,
    /// Files by language
    pub languages: Vec<Count>,
    /// What was left out, by reason
    pub left_out: Vec<Count>,
    /// What shared knowledge brought
    #[serde(skip_serializing_if = "Merged::is_nothing")]
    pub shared: Merged,
    /// What documents, manifests and doc comments say, beside the last sync
    #[serde(skip_serializing_if = "Extracted::is_nothing")]
    pub knowledge: Extracted,
}

/// A name and how many
#[derive(Debug, Serialize, JsonSchema)]
pub struct Count {
    /// The name
    pub name: String,
    /// How many
    pub count: u64,
}

impl Action for Sync {
    const NAME: &'static str = "sync";
    const EFFECT: Effect = Effect::REBUILDS;
    const ALIASES: &'static [Alias] = &[
        Alias::of("rebuild").presetting(&[("full", "true")]),
        Alias::of("index"),
        Alias::of("kb.sync"),
    ];
    const EXAMPLES: &'static [Example] =
        &[Example { args: "--full", shows: "the index built from nothing" }];
    type Answer = Synced;

    fn run(self, workspace: &Workspace, call: &Arc<Call>) -> Result<Synced> {
        workspace.sync(self.full, call)?;
        let shared = merge_shared(workspace, call, Prefer::Neither)?;
        let view = workspace.view(call.clone())?;
        let conn = view.index()?.conn();
        Ok(Synced {
            files: tables::count_files(conn)?,
            languages: counts(tables::languages(conn)?),
            left_out: counts(tables::left_out(conn)?),
            shared,
            knowledge: Extracted::since_last_sync(workspace, &view)?,
        })
    }
}

pub(super) fn counts(rows: Vec<(String, u64)>) -> Vec<Count> {
    rows.into_iter().map(|(name, count)| Count { name, count }).collect()
}

/// `Rust 88, Markdown 12`.
pub(super) fn listed(counts: &[Count]) -> String {
    let parts: Vec<String> = counts.iter().map(|c| format!("{} {}", c.name, c.count)).collect();
    parts.join(", ")
}

impl Render for Synced {
    fn render(&self, page: &mut Page) {
        page.answer(format!("{} indexed", counted(self.files, "file")));
        if !self.languages.is_empty() {
            page.item("languages", listed(&self.languages));
        }
        if !self.left_out.is_empty() {
            page.item("left out", listed(&self.left_out));
        }
        say_merged(page, &self.shared);
        self.knowledge.say(page);
    }
}
