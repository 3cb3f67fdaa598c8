//! `explain`: why something is there, in plain words.

use base::Result;
use base::words::with_article;
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::contract::args::Target;
use crate::contract::op::{Example, Query, Toolset};
use crate::contract::page::{Page, Render};
use crate::explain::{Explained, Reason, Sort, explain};
use crate::graph::{self, Description};
use crate::view::View;

/// Tell why a piece of code is there: requirement, spec, decision, commits, tasks
///
/// Use before removing or rewriting what looks odd.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Explain {
    /// Path, symbol, id or handle to explain
    pub target: Target,
}

/// Why something is there
#[derive(Debug, Serialize, JsonSchema)]
pub struct Why {
    /// The thing itself
    #[serde(flatten)]
    pub target: Description,
    /// The chain of reasons, from what was asked to what was done
    pub reasons: Vec<Reason>,
    /// What nobody wrote down
    pub gaps: Vec<&'static str>,
}

impl Query for Explain {
    const NAME: &'static str = "explain";
    const TOOLSET: Toolset = Toolset::Everyday;
    const EXAMPLES: &'static [Example] = &[
        Example { args: "src/gateway.ts#charge", shows: "who asked for a function, and when" },
        Example { args: "README.md", shows: "how a document came about" },
    ];
    type Answer = Why;

    fn run(self, view: &View) -> Result<Why> {
        let node = graph::resolve(view, &self.target)?;
        let Explained { target, reasons, gaps } = explain(view, &node)?;
        Ok(Why { target, reasons, gaps })
    }
}

/// The heading of each sort of reason.
const fn heading(sort: Sort) -> &'static str {
    match sort {
        Sort::Requirement => "It must",
        Sort::Spec => "It is specified",
        Sort::Decision => "It was decided",
        Sort::Knowledge => "It is known",
        Sort::Commit => "It came about",
        Sort::Task => "It was worked on",
    }
}

/// Nouns with their articles: `a requirement, a spec`.
fn with_articles(nouns: &[&str]) -> String {
    nouns.iter().map(|noun| with_article(noun)).collect::<Vec<_>>().join(", ")
}

impl Render for Why {
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
            page.say_next(format!("  {}{way}", reason.says), &reason.node);
            if let Some(quote) = &reason.quote {
                page.quoted(quote, &reason.node);
            }
        }
        if !self.gaps.is_empty() {
            page.heading(format!("Nobody wrote down {} for it", with_articles(&self.gaps)));
        }
    }
}
