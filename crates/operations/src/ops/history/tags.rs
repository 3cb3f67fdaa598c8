//! `history tags`: every tag, and how many files have it.

use std::collections::BTreeMap;

use base::words::counted;
use base::{NextCall, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use engine::areas::history::HistoryReader;
use engine::contract::alias::OpAlias;
use engine::contract::answer::Paging;
use engine::contract::args::{Limit, NodeTarget, Offset};
use engine::contract::op::{OpExample, Query};
use engine::contract::page::{Page, PageCell, Render};
use engine::graph;
use engine::view::View;

/// List all tags, with how many files have each
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tags {
    /// Only tags of files in this folder
    #[arg(long)]
    #[serde(default)]
    pub path: Option<NodeTarget>,
    /// Tags to show
    #[arg(long, default_value_t)]
    #[serde(default)]
    pub limit: Limit,
    /// Tags to skip
    #[arg(long, default_value_t)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub offset: Offset,
}

/// Tags, the most common first
#[derive(Debug, Serialize, JsonSchema)]
pub struct HistoryTagsAnswer {
    /// The tags
    pub tags: Vec<HistoryTagRow>,
    #[serde(skip)]
    paging: Paging,
}

/// A tag
#[derive(Debug, Serialize, JsonSchema)]
pub struct HistoryTagRow {
    /// Its name
    pub tag: String,
    /// How many files have it
    pub count: u64,
}

impl Query for Tags {
    const NAME: &'static str = "history.tags";
    const ALIASES: &'static [OpAlias] = &[OpAlias::of("list_tags")];
    const EXAMPLES: &'static [OpExample] =
        &[OpExample { args: "", shows: "the topics of this repository's files" }];
    type Answer = HistoryTagsAnswer;

    fn run(self, view: &View) -> Result<HistoryTagsAnswer> {
        let history = HistoryReader::open(view)?;
        let folder = self.path.as_ref().map(|path| graph::resolve(view, path)).transpose()?;
        let folder = folder.and_then(|node| node.path().cloned());
        let mut files = history.live_files()?;
        files.retain(|(path, _)| folder.as_ref().is_none_or(|folder| path.is_at_or_below(folder)));
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        for tag in history.all_tags(&files)?.into_iter().flatten() {
            *counts.entry(tag).or_default() += 1;
        }
        let mut rows: Vec<HistoryTagRow> =
            counts.into_iter().map(|(tag, count)| HistoryTagRow { tag, count }).collect();
        rows.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.tag.cmp(&b.tag)));
        let (tags, paging) = Paging::cut(rows, self.offset, self.limit);
        Ok(HistoryTagsAnswer { tags, paging })
    }
}

impl Render for HistoryTagsAnswer {
    fn render(&self, page: &mut Page) {
        match self.paging.total {
            0 => page.answer("No tags"),
            total => page.answer(counted(total, "tag")),
        }
        let cells = |row: &HistoryTagRow| {
            let list = NextCall::new("history.list").with("tags", vec![row.tag.clone()]);
            vec![PageCell::text(&row.tag), PageCell::text(row.count), PageCell::call(list)]
        };
        page.table(0, self.tags.iter().map(cells).collect());
        self.paging.render_rest(page, self.tags.len());
    }

    fn paging(&self) -> Option<Paging> {
        Some(self.paging)
    }
}
