//! `explain`: why something exists, in plain words.

use std::collections::BTreeMap;

use base::{NextCall, RepoPath, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::answers::line_target::line_target;
use crate::answers::source::{Excerpt, LineRange, SourceText};
use crate::explain::{Explanation, Reason, ReasonKind, explain, explain_lines};
use engine::contract::args::NodeTarget;
use engine::contract::op::{OpExample, Query, ToolVisibility};
use engine::contract::page::{Page, Render};
use engine::graph::{self, NodeDescription};
use engine::view::View;

/// Explain why a piece of code exists: requirement, spec, decision, commits, tasks
///
/// Use before removing or rewriting code that looks odd.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Explain {
    /// Path, symbol, id or handle to explain, or lines as `path:120-140`
    pub target: NodeTarget,
}

/// Why something exists
#[derive(Debug, Serialize, JsonSchema)]
pub struct ExplainAnswer {
    /// The node that was asked about
    #[serde(flatten)]
    pub target: NodeDescription,
    /// The lines that were asked about
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<Excerpt>,
    /// The reasons, from requirements to commits and tasks
    pub reasons: Vec<Reason>,
    /// How many reasons of a kind are not shown
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOutReasons>,
    /// Kinds of reason that are not documented
    pub gaps: Vec<&'static str>,
}

/// Reasons that an answer does not show
#[derive(Debug, Serialize, JsonSchema)]
pub struct LeftOutReasons {
    /// Their kind
    pub sort: ReasonKind,
    /// How many there are
    pub count: usize,
}

impl Query for Explain {
    const NAME: &'static str = "explain";
    const VISIBILITY: ToolVisibility = ToolVisibility::Everyday;
    const EXAMPLES: &'static [OpExample] = &[
        OpExample { args: "src/gateway.ts#charge", shows: "who asked for a function, and when" },
        OpExample {
            args: "src/gateway.ts:120-140",
            shows: "which commits made these lines, and why",
        },
        OpExample { args: "README.md", shows: "the history and the reasons of a document" },
    ];
    type Answer = ExplainAnswer;

    fn run(self, view: &View) -> Result<ExplainAnswer> {
        let (explanation, source) = match line_target(view, self.target.as_str())? {
            Some((path, lines)) => {
                let source = shown_lines(view, &path, lines)?;
                (explain_lines(view, &path, lines)?, Some(source))
            }
            None => (explain(view, &graph::resolve(view, &self.target)?)?, None),
        };
        let Explanation { target, mut reasons, gaps } = explanation;
        let left_out = cut_each_kind(&mut reasons);
        Ok(ExplainAnswer { target, source, reasons, left_out, gaps })
    }
}

/// How many reasons of one kind an answer shows.
const MAX_REASONS_OF_A_KIND: usize = 12;

/// Keeps the first reasons of each kind, and counts the others.
fn cut_each_kind(reasons: &mut Vec<Reason>) -> Vec<LeftOutReasons> {
    let mut counts: BTreeMap<ReasonKind, usize> = BTreeMap::new();
    reasons.retain(|reason| {
        let count = counts.entry(reason.sort).or_default();
        *count += 1;
        *count <= MAX_REASONS_OF_A_KIND
    });
    let left_out = counts.into_iter().filter_map(|(sort, count)| {
        let count = count.checked_sub(MAX_REASONS_OF_A_KIND).filter(|count| *count > 0)?;
        Some(LeftOutReasons { sort, count })
    });
    left_out.collect()
}

/// The call that lists all reasons of a kind for a path.
fn all_of_kind(sort: ReasonKind, path: &RepoPath) -> NextCall {
    let path = path.to_string();
    match sort {
        ReasonKind::Requirement | ReasonKind::Decision => {
            NextCall::new("kb.query").with("path", path)
        }
        ReasonKind::Spec => NextCall::new("card.list").with("path", path),
        ReasonKind::Knowledge => NextCall::new("knowledge.context").with("paths", json!([path])),
        ReasonKind::Commit => NextCall::new("history.provenance").with("path", path),
        ReasonKind::Task => NextCall::new("work.search").with("path", path),
    }
}

/// How many of the lines that were asked about an answer shows.
const MAX_SOURCE_LINES: u32 = 40;

fn shown_lines(view: &View, path: &RepoPath, lines: LineRange) -> Result<Excerpt> {
    let last = lines.last.min(lines.first + MAX_SOURCE_LINES - 1);
    Ok(SourceText::read(view, path)?.excerpt(LineRange { first: lines.first, last }))
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
        if let Some(source) = &self.source {
            page.source(&source.text, source.first_line);
        }
        let mut before = None;
        for (at, reason) in self.reasons.iter().enumerate() {
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
            let is_last = self.reasons.get(at + 1).is_none_or(|next| next.sort != reason.sort);
            let left_out = self.left_out.iter().find(|one| is_last && one.sort == reason.sort);
            if let Some(LeftOutReasons { sort, count }) = left_out {
                let text = format!("  …  {count} more");
                match self.target.node.path() {
                    Some(path) => page.say_call(text, all_of_kind(*sort, path)),
                    None => page.say(text),
                }
            }
        }
        if !self.gaps.is_empty() {
            page.heading(format!("Not documented: {}", self.gaps.join(", ")));
        }
    }
}
