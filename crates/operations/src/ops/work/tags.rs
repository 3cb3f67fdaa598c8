//! `work.tags`: all tags, or the records that have one tag.

use base::Result;
use base::words::counted;
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use work::WorkRecordRef;
use work::container::{WorkItemBrief, project};
use work::tags::{TagUsage, items_with_tag, usage};
use work::text::Tag;

use super::record::row;
use engine::areas::work::read_store;
use engine::contract::alias::OpAlias;
use engine::contract::answer::Paging;
use engine::contract::args::{Limit, Offset};
use engine::contract::op::{OpExample, Query};
use engine::contract::page::{Page, PageCell, Render};
use engine::view::View;

/// List all tags with their number of uses, or the records that have one tag
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tags {
    /// Tag whose uses to list; all tags if left out
    #[serde(default)]
    pub tag: Option<Tag>,
    /// Only tags of this project
    #[arg(long)]
    #[serde(default, alias = "project_id")]
    pub project: Option<WorkRecordRef>,
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

/// Tags, or the records that have one
#[derive(Debug, Serialize, JsonSchema)]
pub struct WorkTagsAnswer {
    /// Tags, most used first
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<TagUsage>,
    /// The records that have the tag
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<WorkItemBrief>,
    #[serde(skip)]
    tag: Option<Tag>,
    #[serde(skip)]
    paging: Paging,
}

impl Query for Tags {
    const NAME: &'static str = "work.tags";
    const ALIASES: &'static [OpAlias] = &[OpAlias::of("get_tag_usage")];
    const EXAMPLES: &'static [OpExample] =
        &[OpExample { args: "backend", shows: "the records with a given tag" }];
    type Answer = WorkTagsAnswer;

    fn run(self, view: &View) -> Result<WorkTagsAnswer> {
        read_store(view, |draft| {
            let asked = self.project.as_ref().map(|id| project(draft, Some(id))).transpose()?;
            let scope = asked.as_ref().map(|project| &project.id);
            if let Some(tag) = &self.tag {
                let all = items_with_tag(draft, scope, tag.as_str().trim())?;
                let (items, paging) = Paging::cut(all, self.offset, self.limit);
                let items = items.iter().map(|one| Ok(one.load(draft)?.brief()));
                let items = items.collect::<Result<Vec<_>>>()?;
                let tag = Some(tag.clone());
                return Ok(WorkTagsAnswer { tags: Vec::new(), items, tag, paging });
            }
            let (tags, paging) = Paging::cut(usage(draft, scope)?, self.offset, self.limit);
            Ok(WorkTagsAnswer { tags, items: Vec::new(), tag: None, paging })
        })
    }
}

impl Render for WorkTagsAnswer {
    fn render(&self, page: &mut Page) {
        let total = self.paging.total;
        page.answer(match (&self.tag, total) {
            (Some(tag), _) => format!("{} with the tag {}", counted(total, "record"), tag.as_str()),
            (None, 0) => "No tags".to_owned(),
            (None, _) => counted(total, "tag"),
        });
        let cells = |usage: &TagUsage| {
            let kinds: Vec<String> =
                usage.by_kind.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
            vec![
                PageCell::text(&usage.tag),
                PageCell::text(usage.total),
                PageCell::faint(kinds.join(", ")),
            ]
        };
        page.table(2, self.tags.iter().map(cells).collect());
        page.table(2, self.items.iter().map(row).collect());
        self.paging.render_rest(page, self.tags.len() + self.items.len());
    }

    fn paging(&self) -> Option<Paging> {
        Some(self.paging)
    }
}
