//! `fix`: updates references to moved or renamed things, where the new place is certain.

use std::sync::Arc;

use base::words::counted;
use base::{Call, NextCall, RepoPath, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::fix::{self, RepairPlan, StaleReference};
use engine::contract::op::{Action, Effect, OpExample};
use engine::contract::page::{Page, PageCell, Render};
use engine::view::View;
use engine::workspace::Workspace;

/// Repair references to files, symbols and cards that were moved or renamed
///
/// In `@see`, cards, documents, manifests, facts and atoms. Only where the new place is certain;
/// the rest is listed with candidates.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fix {
    /// Show what would change, write nothing
    #[arg(long)]
    #[serde(default)]
    pub dry_run: bool,
}

/// References that were repaired, and those that were not
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct FixAnswer {
    /// References that were updated, or would be
    pub repaired: Vec<StaleReference>,
    /// References whose new place is not certain
    pub unsure: Vec<StaleReference>,
    /// Files that changed, or would
    pub files: Vec<RepoPath>,
    /// Numbers of the changes, for `undo`: files, facts, atoms
    pub changes: Vec<String>,
    /// What a dry run would do
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
}

/// Files, facts and atoms are three changes, each applied whole or not at all.
const REPAIR_PLANNERS: [fn(&View<'_>) -> Result<RepairPlan>; 3] =
    [fix::repair_files, fix::repair_facts, fix::repair_atoms];

impl Action for Fix {
    const NAME: &'static str = "fix";
    const EFFECT: Effect = Effect::OVERWRITES;
    const EXAMPLES: &'static [OpExample] = &[OpExample {
        args: "--dry-run",
        shows: "what would be repaired, and what is not certain",
    }];
    type Answer = FixAnswer;

    fn run(self, workspace: &Workspace, call: &Arc<Call>) -> Result<FixAnswer> {
        // All three are planned before any is written, so a problem in one changes nothing.
        let mut fixed = FixAnswer::default();
        let mut diff = String::new();
        for home in REPAIR_PLANNERS {
            let planned = home(&workspace.view(call.clone())?)?;
            let shown = workspace.preview(planned)?;
            diff.push_str(&shown.diff.unwrap_or_default());
            fixed.files.extend(shown.files);
            let (sure, unsure): (Vec<_>, Vec<_>) =
                shown.result.into_iter().partition(|stale| stale.new.is_some());
            fixed.repaired.extend(sure);
            fixed.unsure.extend(unsure);
        }
        if self.dry_run {
            fixed.diff = Some(diff);
        } else if !fixed.repaired.is_empty() {
            for home in REPAIR_PLANNERS {
                fixed.changes.extend(workspace.write(call, home)?.change);
            }
        }
        Ok(fixed)
    }
}

impl Render for FixAnswer {
    fn render(&self, page: &mut Page) {
        let would = if self.diff.is_some() { "would be repaired" } else { "repaired" };
        page.answer(match (self.repaired.len(), self.unsure.len()) {
            (0, 0) => "Nothing to repair: every reference leads to something that exists".into(),
            (0, unsure) => {
                format!("Nothing repaired: {unsure} broken, and no new place is certain")
            }
            (sure, 0) => format!("{} {would}", counted(sure, "reference")),
            (sure, unsure) => {
                format!("{} {would}, {unsure} to look at", counted(sure, "reference"))
            }
        });
        let sure = |stale: &StaleReference| {
            let new = stale.new.as_deref().unwrap_or_default();
            let change = format!("{} → {new}", stale.old);
            vec![
                PageCell::handle(&stale.place),
                PageCell::text(change),
                PageCell::faint(&stale.because),
            ]
        };
        page.table(2, self.repaired.iter().map(sure).collect());
        if !self.unsure.is_empty() {
            page.heading("Not repaired");
            let unsure = |stale: &StaleReference| {
                let near = match stale.candidates.as_slice() {
                    [] => stale.because.clone(),
                    near => format!("{}; candidates: {}", stale.because, near.join(", ")),
                };
                vec![
                    PageCell::handle(&stale.place),
                    PageCell::text(&stale.old),
                    PageCell::text(near),
                ]
            };
            page.table(2, self.unsure.iter().map(unsure).collect());
        }
        if let Some(diff) = self.diff.as_ref().filter(|diff| !diff.is_empty()) {
            page.heading("Dry run: nothing was written");
            page.diff(diff);
        }
        for change in &self.changes {
            let undo = NextCall::new("undo").with("change", change.as_str());
            page.say_call(format!("change {change}"), undo);
        }
    }
}
