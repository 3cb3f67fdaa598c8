//! `kb.check`: the rules of the knowledge base.

use base::words::counted;
use base::{Problem, RepoPath, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::contract::alias::Alias;
use crate::contract::answer::Paging;
use crate::contract::args::{Limit, Offset, Target, comma_list};
use crate::contract::op::{Example, Query};
use crate::contract::page::{Cell, Page, Render};
use crate::layers::kb::{RULES, known, place};
use crate::rules::{self, Finding, Report, Rule, Scope, Severity, Staged};
use crate::view::View;

/// Check the knowledge base: coverage, cycles, references, fields, stale and contradicting facts
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KbCheck {
    /// Only check these rules; all if left out
    #[arg(long, value_delimiter = ',')]
    #[serde(default, deserialize_with = "comma_list")]
    pub rules: Vec<String>,
    /// Only problems in this file or folder
    #[arg(long)]
    #[serde(default)]
    pub path: Option<Target>,
    /// Only check what the next commit would change
    #[arg(long)]
    #[serde(default)]
    pub staged: bool,
    /// Problems to show
    #[arg(long, default_value_t)]
    #[serde(default)]
    pub limit: Limit,
    /// Problems to skip
    #[arg(long, default_value_t)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub offset: Offset,
}

/// What does not hold in the knowledge base
#[derive(Debug, Serialize, JsonSchema)]
pub struct Checked {
    /// How many errors there are
    pub errors: usize,
    /// How many warnings there are
    pub warnings: usize,
    /// How many rules were run
    pub rules: usize,
    /// How many entities there are
    pub entities: usize,
    /// The problems, worst first
    pub violations: Vec<Finding>,
    #[serde(skip)]
    paging: Paging,
}

impl Query for KbCheck {
    const NAME: &'static str = "kb.check";
    const ALIASES: &'static [Alias] = &[Alias::of("kb.check")];
    const EXAMPLES: &'static [Example] = &[
        Example { args: "", shows: "every rule" },
        Example { args: "--rules must_coverage", shows: "one rule" },
    ];
    type Answer = Checked;

    fn run(self, view: &View) -> Result<Checked> {
        let scope = match self.staged {
            true => Scope::Staged(Staged::look(view)?),
            false => Scope::Everything,
        };
        let chosen = chosen(&self.rules)?;
        let Report { mut findings, rules } =
            rules::run_these(view, &scope, (&chosen, !self.rules.is_empty()))?;
        if let Some(place) = place(view, self.path.as_ref())? {
            let below = |path: &RepoPath| *path == place || path.is_below(&place);
            findings.retain(|finding| finding.path.as_ref().is_some_and(below));
        }
        let count = |severity| findings.iter().filter(|found| found.severity == severity).count();
        let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
        let rules = rules.len();
        let entities = known(view)?.model.facts().count();
        let (violations, paging) = Paging::cut(findings, self.offset, self.limit);
        Ok(Checked { errors, warnings, rules, entities, violations, paging })
    }
}

/// The rules of this area that are meant, with or without `KB_`; all of them if none is named.
fn chosen(names: &[String]) -> Result<Vec<&'static Rule>> {
    if names.is_empty() {
        return Ok(RULES.iter().collect());
    }
    names.iter().map(|name| find(name)).collect()
}

fn find(name: &str) -> Result<&'static Rule> {
    let plain = name.to_uppercase().replace('-', "_");
    let is = |code: &str| code == plain || code.strip_prefix("KB_") == Some(&plain);
    RULES.iter().find(|rule| is(rule.code)).ok_or_else(|| {
        let codes = || RULES.iter().map(|rule| rule.code);
        let problem = Problem::not_found(format!("no rule is called `{name}`"));
        let near = base::near::nearest(&plain, codes(), 1);
        let hint = near.first().map(|near| format!("the nearest is `{near}`"));
        let all = format!("there are {}", codes().collect::<Vec<_>>().join(", "));
        hint.into_iter().chain([all]).fold(problem, Problem::hint)
    })
}

impl Render for Checked {
    fn render(&self, page: &mut Page) {
        let rules = counted(self.rules, "rule");
        let of = format!("{rules} over {}", counted(self.entities, "entity"));
        page.answer(match (self.errors, self.warnings) {
            (0, 0) => format!("All is well: {of}"),
            (errors, warnings) => {
                let errors = counted(errors, "error");
                let warnings = counted(warnings, "warning");
                format!("{errors}, {warnings} in {of}")
            }
        });
        let cells = |finding: &Finding| {
            let word = finding.severity.word();
            let severity = match finding.severity {
                Severity::Error => Cell::bad(word),
                _ => Cell::text(word),
            };
            vec![
                severity,
                Cell::text(finding.code),
                Cell::text(&finding.message),
                Cell::faint(format!("fix: {}", finding.fix)),
                Cell::handle(finding.place()),
            ]
        };
        page.table(0, self.violations.iter().map(cells).collect());
        self.paging.say_rest(page, self.violations.len());
    }

    fn paging(&self) -> Option<Paging> {
        Some(self.paging)
    }

    fn has_findings(&self) -> bool {
        self.errors > 0
    }
}
