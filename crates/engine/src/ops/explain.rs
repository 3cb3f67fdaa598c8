//! `explain`: why something exists, in plain words.

use base::Result;
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::contract::args::NodeTarget;
use crate::contract::op::{OpExample, Query, ToolVisibility};
use crate::contract::page::{Page, Render};
use crate::explain::{Explanation, Reason, ReasonKind, explain};
use crate::graph::{self, NodeDescription};
use crate::view::View;

/// Explain why a piece of code exists: requirement, spec, decision, commits, tasks
///
/// Use before removing or rewriting code that looks odd.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Explain {
    /// Path, symbol, id or handle to explain
    pub target: NodeTarget,
}

/// Why something exists
#[derive(Debug, Serialize, JsonSchema)]
pub struct ExplainAnswer {
    /// The node that was asked about
    #[serde(flatten)]
    pub target: NodeDescription,
    /// The reasons, from requirements to commits and tasks
    pub reasons: Vec<Reason>,
    /// Kinds of reason that are not documented
    pub gaps: Vec<&'static str>,
}

impl Query for Explain {
    const NAME: &'static str = "explain";
    const TOOLSET: ToolVisibility = ToolVisibility::Everyday;
    const EXAMPLES: &'static [OpExample] = &[
        OpExample {
            args: "src/gateway.ts#charge",
            shows: "which requirement a function serves, and since when",
        },
        OpExample { args: "README.md", shows: "which commits made a document" },
    ];
    type Answer = ExplainAnswer;

    fn run(self, view: &View) -> Result<ExplainAnswer> {
        let node = graph::resolve(view, &self.target)?;
        let Explanation { target, reasons, gaps } = explain(view, &node)?;
        Ok(ExplainAnswer { target, reasons, gaps })
    }
}

/// The heading of each kind of reason.
const fn heading(sort: ReasonKind) -> &'static str {
    match sort {
        ReasonKind::Requirement => "Requirements",
        ReasonKind::Spec => "Specs",
        ReasonKind::Decision => "Decisions",
        ReasonKind::Knowledge => "Knowledge",
        ReasonKind::Commit => "Commits",
        ReasonKind::Task => "Tasks",
    }
}

impl Render for ExplainAnswer {
    fn render(&self, page: &mut Page) {
        page.answer(format!("{}: {}", self.target.name, self.target.about));
        let mut before = None;
        for reason in &self.reasons {
            if before != Some(reason.sort) {
                page.heading(heading(reason.sort));
                before = Some(reason.sort);
            }
            let way = match &reason.through {
                Some(through) => format!(", through {through}"),
                None => String::new(),
            };
            page.say_handle(format!("  {}{way}", reason.says), &reason.node);
            if let Some(quote) = &reason.quote {
                page.quoted(quote, &reason.node);
            }
        }
        if !self.gaps.is_empty() {
            page.heading(format!("Not documented: {}", self.gaps.join(", ")));
        }
    }
}
