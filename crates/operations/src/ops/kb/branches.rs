//! `kb.branches`: the branches that have a knowledge base of their own.

use base::Result;
use base::words::counted;
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use engine::areas::kb::DURABLE;
use engine::areas::kb::branch_stores::{self, BranchRow};
use engine::contract::answer::Paging;
use engine::contract::args::{Limit, Offset};
use engine::contract::op::{OpExample, Query};
use engine::contract::page::{Page, PageCell, Render};
use engine::view::View;

/// List the branches that have a knowledge base of their own, with its size
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KbBranches {
    /// Branches to show
    #[arg(long, default_value_t)]
    #[serde(default)]
    pub limit: Limit,
    /// Branches to skip
    #[arg(long, default_value_t)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub offset: Offset,
}

/// The stores of all branches
#[derive(Debug, Serialize, JsonSchema)]
pub struct KbBranchesAnswer {
    /// One row per branch
    pub branches: Vec<BranchRow>,
    /// The branch whose store is read here, if the current branch has none
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read: Option<String>,
    /// Whether the current branch is among them, or there are none
    #[serde(skip)]
    is_own: bool,
    #[serde(skip)]
    paging: Paging,
}

impl Query for KbBranches {
    const NAME: &'static str = "kb.branches";
    const EXAMPLES: &'static [OpExample] =
        &[OpExample { args: "", shows: "every branch that has a store" }];
    type Answer = KbBranchesAnswer;

    fn run(self, view: &View) -> Result<KbBranchesAnswer> {
        let all =
            branch_stores::all_branch_stores(view.store_locations()?, view.git(), view.call())?;
        let rows: Vec<BranchRow> = all.into_iter().map(|(row, _)| row).collect();
        let is_own = rows.is_empty() || rows.iter().any(|row| row.current);
        let has_store = |name: &String| rows.iter().any(|row| row.branch == *name);
        let read = view.store_locations()?.read_branch(&DURABLE);
        let read = read.filter(|name| !is_own && has_store(name));
        let (branches, paging) = Paging::cut(rows, self.offset, self.limit);
        Ok(KbBranchesAnswer { branches, read, is_own, paging })
    }
}

impl Render for KbBranchesAnswer {
    fn render(&self, page: &mut Page) {
        page.answer(match self.paging.total {
            0 => {
                "No branch has a knowledge base of its own yet; the first write creates one".into()
            }
            1 => "1 branch has a knowledge base of its own".to_owned(),
            total => format!("{total} branches have a knowledge base of their own"),
        });
        page.table(0, self.branches.iter().map(cells).collect());
        match &self.read {
            Some(read) => {
                page.say(format!("the current branch has none yet and uses the one of {read}"));
            }
            None if !self.is_own => page.say("the current branch has none yet"),
            None => {}
        }
        self.paging.render_rest(page, self.branches.len());
    }

    fn paging(&self) -> Option<Paging> {
        Some(self.paging)
    }
}

/// The cells of a branch's row.
pub(super) fn cells(row: &BranchRow) -> Vec<PageCell> {
    let gone = match &row.renamed_to {
        Some(new) => format!("renamed to {new}, which has its own"),
        None => "branch no longer exists".to_owned(),
    };
    let marks = [(row.current, "current"), (row.default, "default"), (!row.exists, &gone)];
    let marks: Vec<&str> = marks.iter().filter(|(is, _)| *is).map(|(_, mark)| *mark).collect();
    let unmerged = match row.unmerged {
        0 => String::new(),
        count => {
            let changesets = counted(count, "changeset");
            format!("{changesets} not on the default branch")
        }
    };
    let problem = row.problem.as_deref().unwrap_or_default();
    vec![
        PageCell::strong(&row.branch),
        PageCell::text(format!(
            "{}, {}",
            counted(row.entities, "entity"),
            counted(row.relations, "relation")
        )),
        PageCell::text(unmerged),
        PageCell::bad(problem),
        PageCell::faint(marks.join(", ")),
    ]
}
