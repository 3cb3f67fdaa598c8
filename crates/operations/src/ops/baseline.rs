//! `baseline`: records the current problems, so that a gate fails only on new ones.

use base::words::counted;
use base::{Problem, RepoPath, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tree::FileEdit;

use engine::contract::op::{Effect, Mutation, OpExample};
use engine::contract::page::{Page, Render};
use engine::plan::{Plan, PlannedChange};
use engine::rules::baseline::{Baseline, FILE};
use engine::rules::{self, RuleScope};
use engine::view::View;

/// Accept the current problems, so that `verify` fails only on new ones
///
/// Writes `.cairn/baseline.jsonl`, one problem per line, to be reviewed and committed.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Accept {}

/// What was accepted
#[derive(Debug, Serialize, JsonSchema)]
pub struct BaselineAnswer {
    /// How many problems the baseline now holds
    pub problems: usize,
    /// The file
    pub path: RepoPath,
}

impl Mutation for Accept {
    const NAME: &'static str = "baseline";
    const EFFECT: Effect = Effect::OVERWRITES;
    const EXAMPLES: &'static [OpExample] =
        &[OpExample { args: "--dry-run", shows: "which problems would be accepted" }];
    type Answer = BaselineAnswer;

    fn plan(self, view: &View) -> Result<Plan<BaselineAnswer>> {
        let mut found = rules::run(view, &RuleScope::Everything, &[])?.findings;
        let on_request = rules::ON_REQUEST.map(ToOwned::to_owned);
        found.extend(rules::run(view, &RuleScope::Everything, &on_request)?.findings);
        found.sort();
        found.dedup();
        let path: RepoPath = FILE.parse().map_err(Problem::internal)?;
        let text = Baseline::print(&found);
        let before = view.tree().read(&path)?;
        let content = (!text.is_empty()).then(|| text.into_bytes());
        let change = match &before {
            Some(before) if Some(&before.bytes) == content.as_ref() => PlannedChange::Nothing,
            None if content.is_none() => PlannedChange::Nothing,
            _ => {
                let expected = before.map(|before| before.hash);
                PlannedChange::Files(vec![FileEdit { path: path.clone(), expected, content }])
            }
        };
        let summary = format!("accept {}", counted(found.len(), "problem"));
        Ok(Plan {
            summary,
            change,
            answer: BaselineAnswer { problems: found.len(), path },
            retry_on_conflict: true,
        })
    }
}

impl Render for BaselineAnswer {
    fn render(&self, page: &mut Page) {
        page.answer(match self.problems {
            0 => format!("No problems, so no baseline is needed ({})", self.path),
            1 => format!("1 problem is accepted in {}", self.path),
            count => format!("{count} problems are accepted in {}", self.path),
        });
    }
}
