//! `work.tag_rename`: renames a tag wherever it is used.

use base::Result;
use base::words::counted;
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use work::WorkRecordRef;
use work::container::{WorkItemBrief, project};
use work::tags::rename;
use work::text::Tag;

use super::record::row;
use engine::areas::work::plan;
use engine::contract::alias::OpAlias;
use engine::contract::op::{Effect, Mutation, OpExample};
use engine::contract::page::{Page, Render};
use engine::plan::Plan;
use engine::view::View;

/// Rename a tag wherever it is used
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TagRename {
    /// Tag to rename
    pub old_tag: Tag,
    /// New name of the tag
    pub new_tag: Tag,
    /// Only rename it in this project
    #[arg(long)]
    #[serde(default, alias = "project_id")]
    pub project: Option<WorkRecordRef>,
}

/// The records whose tag was renamed
#[derive(Debug, Serialize, JsonSchema)]
pub struct TagRenameAnswer {
    /// The records that changed
    pub items: Vec<WorkItemBrief>,
    /// How many there are
    pub total: usize,
}

impl Mutation for TagRename {
    const NAME: &'static str = "work.tag_rename";
    const EFFECT: Effect = Effect::OVERWRITES;
    const ALIASES: &'static [OpAlias] = &[OpAlias::of("rename_tag")];
    const EXAMPLES: &'static [OpExample] =
        &[OpExample { args: "back-end backend --dry-run", shows: "what would change" }];
    type Answer = TagRenameAnswer;

    fn plan(self, view: &View) -> Result<Plan<TagRenameAnswer>> {
        plan(
            view,
            |_| format!("rename tag {} to {}", self.old_tag, self.new_tag),
            |draft| {
                let asked = self.project.as_ref().map(|id| project(draft, Some(id))).transpose()?;
                let scope = asked.as_ref().map(|project| &project.id);
                let items = rename(draft, scope, &self.old_tag, &self.new_tag)?;
                Ok(TagRenameAnswer { total: items.len(), items })
            },
        )
    }
}

impl Render for TagRenameAnswer {
    fn render(&self, page: &mut Page) {
        page.answer(format!("Renamed the tag in {}", counted(self.total, "record")));
        page.table(2, self.items.iter().map(row).collect());
    }
}
