//! `work.comment`: adds a comment to the history of a feature or task.

use base::Result;
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use work::container::WorkItemBrief;
use work::events::comment;
use work::record::WorkEvent;
use work::text::ChangelogSummary;
use work::words::WorkKind;
use work::{WorkItem, WorkRecordRef};

use engine::areas::work::plan;
use engine::contract::op::{Effect, Mutation, OpExample};
use engine::contract::page::{Page, Render};
use engine::plan::Plan;
use engine::view::View;

/// Comment on a feature or task, whoever holds it
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Comment {
    /// Feature or task: its key, id or name
    pub id: WorkRecordRef,
    /// Text of the comment
    #[arg(allow_hyphen_values = true)]
    pub text: ChangelogSummary,
}

/// The comment that was added
#[derive(Debug, Serialize, JsonSchema)]
pub struct CommentAnswer {
    /// The feature or task
    #[serde(flatten)]
    pub what: WorkItemBrief,
    /// The comment
    pub comment: WorkEvent,
}

impl Mutation for Comment {
    const NAME: &'static str = "work.comment";
    const EFFECT: Effect = Effect::ADDS;
    const EXAMPLES: &'static [OpExample] = &[OpExample {
        args: "socks-proxies-7f3a \"The pool has to be closed too\"",
        shows: "a remark for whoever works on a task",
    }];
    type Answer = CommentAnswer;

    fn plan(self, view: &View) -> Result<Plan<CommentAnswer>> {
        let told = |done: &CommentAnswer| format!("comment on \"{}\"", done.what.name);
        plan(view, told, |draft| {
            let item = WorkItem::find(draft, &[WorkKind::Feature, WorkKind::Task], &self.id)?;
            let comment = comment(draft, &item, &self.text)?;
            Ok(CommentAnswer { what: item.brief(), comment })
        })
    }
}

impl Render for CommentAnswer {
    fn render(&self, page: &mut Page) {
        let what = &self.what;
        page.answer(format!("Commented on {} \"{}\"    {}", what.kind, what.name, what.handle()));
    }
}
