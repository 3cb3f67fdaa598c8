//! `code.apply`: applies a fix or refactoring that a language server offers.

use base::words::counted;
use base::{NextCall, Problem, ProblemCode, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::actions::OfferedActions;
use crate::edits::rewrite_plan::{diff_of, planned_rewrites};
use crate::language_server::{AnswerSource, FileRewrite, TargetPosition, rewrites};
use engine::contract::args::{NodeTarget, Words};
use engine::contract::op::{Effect, Mutation, OpExample};
use engine::contract::page::{Page, Render};
use engine::plan::Plan;
use engine::view::View;

/// Apply a fix or refactoring that a language server offers
///
/// `code actions` lists them. Refused if it does more than change files of this repository.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Apply {
    /// Symbol as path#name, or place as path:line:column
    pub target: NodeTarget,
    /// Title of the action as `code actions` lists it, or a part that only it has
    pub action: Words,
    /// Line of the use in that file, counted from 1, if the target names a symbol
    #[arg(long)]
    #[serde(default)]
    pub line: Option<u32>,
}

/// What an action did
#[derive(Debug, Serialize, JsonSchema)]
pub struct CodeApplyAnswer {
    /// Where it was applied
    pub target: String,
    /// The title of the action
    pub action: String,
    /// Who offered it
    pub by: AnswerSource,
    /// How many files changed
    pub files: usize,
    /// What changed
    pub diff: String,
}

impl Mutation for Apply {
    const NAME: &'static str = "code.apply";
    const EFFECT: Effect = Effect::OVERWRITES;
    const EXAMPLES: &'static [OpExample] = &[OpExample {
        args: "src/app.ts#start \"Extract to function\" --dry-run",
        shows: "what a refactoring would change",
    }];
    type Answer = CodeApplyAnswer;

    fn plan(self, view: &View) -> Result<Plan<CodeApplyAnswer>> {
        let target_position = TargetPosition::of(view, &self.target, self.line)?;
        let offered = OfferedActions::ask(view, &target_position)?;
        let action = chosen(&offered, self.action.as_str(), &self.target)?;
        let title = title_of(action).to_owned();
        let edit = offered.edit_of(action)?;
        let files = rewrites(view, &edit, offered.server.encoding())?;
        Ok(plan(&target_position, title, offered.server.by(), files))
    }
}

fn title_of(action: &Value) -> &str {
    action["title"].as_str().unwrap_or_default()
}

/// The one action whose title is, or contains, the wanted text.
fn chosen<'o>(
    offered: &'o OfferedActions<'_>,
    wanted: &str,
    target: &NodeTarget,
) -> Result<&'o Value> {
    let wanted = wanted.trim().to_lowercase();
    let with = |fits: fn(&str, &str) -> bool| -> Vec<&'o Value> {
        let fits = |action: &&Value| fits(&title_of(action).to_lowercase(), &wanted);
        offered.items.iter().filter(fits).collect()
    };
    let whole = with(|title, wanted| title == wanted);
    let found = if whole.is_empty() { with(|title, wanted| title.contains(wanted)) } else { whole };
    let list = NextCall::new("code.actions").with("target", target.as_str());
    match found.as_slice() {
        [] => Err(Problem::not_found(format!("no action is called `{wanted}` there"))
            .detail("actions", offered.titles())
            .hint_call("the actions that are offered are listed by", list)),
        [one] => match one["disabled"]["reason"].as_str() {
            Some(why) => Err(Problem::new(
                ProblemCode::InvalidOperation,
                format!("`{}` is not available here: {why}", title_of(one)),
            )),
            None => Ok(one),
        },
        several => {
            let titles: Vec<&str> = several.iter().map(|action| title_of(action)).collect();
            let message = format!("{} are called `{wanted}`", counted(titles.len(), "action"));
            Err(Problem::new(ProblemCode::Ambiguous, message)
                .detail("candidates", titles)
                .hint("name one of them by its whole title"))
        }
    }
}

fn plan(
    target_position: &TargetPosition,
    action: String,
    by: AnswerSource,
    files: Vec<FileRewrite>,
) -> Plan<CodeApplyAnswer> {
    let summary = format!("Applied `{action}` at {}", target_position.display_name());
    let answer = CodeApplyAnswer {
        target: target_position.display_name(),
        action,
        by,
        files: files.len(),
        diff: diff_of(&files),
    };
    Plan { summary, change: planned_rewrites(files), answer, retry_on_conflict: true }
}

impl Render for CodeApplyAnswer {
    fn render(&self, page: &mut Page) {
        let Self { target, action, files, .. } = self;
        page.answer(match files {
            0 => format!("`{action}` changes nothing at {target}"),
            files => format!("Applied `{action}` at {target}: {}", counted(*files, "file")),
        });
        page.diff(&self.diff);
        self.by.render(page);
    }

    fn shows_change(&self) -> bool {
        true
    }
}
