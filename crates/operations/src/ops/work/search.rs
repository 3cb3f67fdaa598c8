//! `work.search`: projects, features and tasks by words, state, priority and tags.

use std::collections::BTreeSet;

use base::Result;
use clap::Args;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use work::claim::own_work;
use work::container::{WorkItemBrief, project};
use work::query::{WorkPeople, WorkQuery, priority_of, search};
use work::record::Feature;
use work::text::{ListArg, PersonName, RecordName};
use work::words::{WorkKind, WorkPriority};
use work::{WorkDraft, WorkItem, WorkRecordId, WorkRecordRef};

use super::record::{people_words, row};
use engine::areas::work::{read_store, tasks_about};
use engine::contract::alias::OpAlias;
use engine::contract::answer::Paging;
use engine::contract::args::{Limit, NodeTarget, Offset};
use engine::contract::op::{OpExample, Query};
use engine::contract::page::{Page, PageCell, Render};
use engine::view::View;

/// Find projects, features and tasks
///
/// `-word` and, in lists, `!value` exclude.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Search {
    /// Words in names, summaries and texts
    #[arg(default_value_t, allow_hyphen_values = true)]
    #[serde(default)]
    pub query: String,
    /// Only projects, only features or only tasks
    #[arg(long)]
    #[serde(default, alias = "container_type")]
    pub kind: Option<WorkKind>,
    /// Only work of this project
    #[arg(long)]
    #[serde(default, alias = "project_id")]
    pub project: Option<WorkRecordRef>,
    /// Only tasks of this feature
    #[arg(long)]
    #[serde(default, alias = "feature_id")]
    #[schemars(extend("x-rare" = true))]
    pub feature: Option<WorkRecordRef>,
    /// Only in these states, such as ACTIVE; `!CLOSED` excludes one
    #[arg(long)]
    #[serde(default)]
    pub status: Option<ListArg<String>>,
    /// Only with these priorities
    #[arg(long)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub priority: Option<ListArg<String>>,
    /// Only with all of these tags
    #[arg(long)]
    #[serde(default, alias = "labels")]
    pub tags: Option<ListArg<String>>,
    /// Only work that you hold or that is assigned to you
    #[arg(long)]
    #[serde(default)]
    pub mine: bool,
    /// Only work that is assigned to this person
    #[arg(long)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub assignee: Option<PersonName>,
    /// Only work of this milestone
    #[arg(long)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub milestone: Option<RecordName>,
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

/// Matches, urgent first
#[derive(Debug, Serialize, JsonSchema)]
pub struct WorkSearchAnswer {
    /// The rows
    pub items: Vec<WorkSearchRow>,
    #[serde(skip)]
    paging: Paging,
    #[serde(skip)]
    now: Timestamp,
}

/// One project, feature or task
#[derive(Debug, Serialize, JsonSchema)]
pub struct WorkSearchRow {
    /// The record
    #[serde(flatten)]
    pub what: WorkItemBrief,
    /// Its priority
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<WorkPriority>,
    /// Its tags
    pub tags: Vec<String>,
    /// Its version
    pub version: u32,
    /// The assignee, who works on it, and since when
    #[serde(flatten)]
    pub people: WorkPeople,
}

impl Query for Search {
    const NAME: &'static str = "work.search";
    const ALIASES: &'static [OpAlias] =
        &[OpAlias::of("query_container").when("operation", "search")];
    const EXAMPLES: &'static [OpExample] = &[OpExample {
        args: "login --kind task --status !CLOSED,!WILL_NOT_IMPLEMENT",
        shows: "open tasks about login",
    }];
    const NEEDS_ACTOR: bool = true;
    type Answer = WorkSearchAnswer;

    fn run(self, view: &View) -> Result<WorkSearchAnswer> {
        read_store(view, |draft| {
            let asked = self.project.as_ref().map(|id| project(draft, Some(id))).transpose()?;
            let feature = self.feature.as_ref().map(|id| draft.find::<Feature>(id)).transpose()?;
            let wanted = WorkQuery {
                kind: self.kind,
                project: asked.map(|project| project.id),
                feature: feature.map(|feature| feature.id),
                words: self.query.clone(),
                status: self.status.clone().unwrap_or_default(),
                priority: self.priority.clone().unwrap_or_default(),
                tags: self.tags.clone().unwrap_or_default(),
                assignee: self.assignee.as_ref().map(|name| name.as_str().trim().to_owned()),
                milestone: self.milestone.as_ref().map(|name| name.as_str().trim().to_owned()),
                ids: self.wanted_ids(view, draft)?,
            };
            let (offset, limit) = (self.offset.get(), self.limit.get());
            let found = search(draft, &wanted, offset, limit)?;
            let total = found.total as u64;
            let paging = Paging { offset: offset as u64, limit: limit as u64, total };
            let rows = found.items.iter().map(|one| found_row(draft, &one.load(draft)?));
            let items = rows.collect::<Result<Vec<_>>>()?;
            Ok(WorkSearchAnswer { items, paging, now: view.call().now })
        })
    }
}

impl Search {
    /// The ids that match `path` and `mine`; `None` if neither is given.
    fn wanted_ids(
        &self,
        view: &View,
        draft: &WorkDraft<'_>,
    ) -> Result<Option<BTreeSet<WorkRecordId>>> {
        let about = self.path.as_ref().map(|path| tasks_about(view, draft, path)).transpose()?;
        if !self.mine {
            return Ok(about);
        }
        let mut mine = own_work(draft)?;
        if let Some(about) = about {
            mine.retain(|id| about.contains(id));
        }
        Ok(Some(mine))
    }
}

fn found_row(draft: &WorkDraft<'_>, one: &WorkItem) -> Result<WorkSearchRow> {
    let (priority, tags, version) = (priority_of(one), one.tags().to_vec(), one.version());
    let people = WorkPeople::of(draft, one)?;
    Ok(WorkSearchRow { what: one.brief(), priority, tags, version, people })
}

impl Render for WorkSearchAnswer {
    fn render(&self, page: &mut Page) {
        page.answer(match self.paging.total {
            0 => "No matches: all projects, features and tasks were searched".to_owned(),
            1 => "1 match".to_owned(),
            total => format!("{total} matches"),
        });
        let cells = |item: &WorkSearchRow| {
            let mut cells = row(&item.what);
            cells.insert(1, PageCell::text(item.priority.map_or("", WorkPriority::word)));
            cells.insert(3, PageCell::faint(people_words(&item.people, self.now)));
            cells
        };
        page.table(0, self.items.iter().map(cells).collect());
        self.paging.render_rest(page, self.items.len());
    }

    fn paging(&self) -> Option<Paging> {
        Some(self.paging)
    }
}
