//! `kb.check`: the rules of the knowledge base.

use base::words::counted;
use base::{Hint, Problem, RepoPath, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use engine::areas::kb::{RULES, kb_state, resolve_path};
use engine::contract::alias::OpAlias;
use engine::contract::answer::Paging;
use engine::contract::args::{Limit, NodeTarget, Offset, comma_list};
use engine::contract::op::{OpExample, Query};
use engine::contract::page::{Page, PageCell, Render};
use engine::rules::{
    self, RuleFinding, RuleReport, RuleScope, RuleSeverity, StagedChanges, VerifyRule,
};
use engine::view::View;

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
    pub path: Option<NodeTarget>,
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

/// The problems of the knowledge base
#[derive(Debug, Serialize, JsonSchema)]
pub struct KbCheckAnswer {
    /// How many errors there are
    pub errors: usize,
    /// How many warnings there are
    pub warnings: usize,
    /// How many rules were run
    pub rules: usize,
    /// How many entities there are
    pub entities: usize,
    /// The problems, worst first
    pub violations: Vec<RuleFinding>,
    #[serde(skip)]
    paging: Paging,
}

impl Query for KbCheck {
    const NAME: &'static str = "kb.check";
    const ALIASES: &'static [OpAlias] = &[OpAlias::of("kb.check")];
    const EXAMPLES: &'static [OpExample] = &[
        OpExample { args: "", shows: "every rule" },
        OpExample { args: "--rules must_coverage", shows: "one rule" },
    ];
    type Answer = KbCheckAnswer;

    fn run(self, view: &View) -> Result<KbCheckAnswer> {
        let scope = match self.staged {
            true => RuleScope::Staged(StagedChanges::read(view)?),
            false => RuleScope::Everything,
        };
        let chosen = selected_rules(&self.rules)?;
        let RuleReport { mut findings, rules } =
            rules::run_selected(view, &scope, &chosen, !self.rules.is_empty())?;
        if let Some(place) = resolve_path(view, self.path.as_ref())? {
            let below = |path: &RepoPath| *path == place || path.is_at_or_below(&place);
            findings.retain(|finding| finding.path.as_ref().is_some_and(below));
        }
        let count = |severity| findings.iter().filter(|found| found.severity == severity).count();
        let (errors, warnings) = (count(RuleSeverity::Error), count(RuleSeverity::Warning));
        let rules = rules.len();
        let entities = kb_state(view)?.model.facts().count();
        let (violations, paging) = Paging::cut(findings, self.offset, self.limit);
        Ok(KbCheckAnswer { errors, warnings, rules, entities, violations, paging })
    }
}

/// The named rules of this area, with or without `KB_`; all of them if none is named.
fn selected_rules(names: &[String]) -> Result<Vec<&'static VerifyRule>> {
    if names.is_empty() {
        return Ok(RULES.iter().collect());
    }
    names.iter().map(|name| find(name)).collect()
}

fn find(name: &str) -> Result<&'static VerifyRule> {
    let plain = name.to_uppercase().replace('-', "_");
    let is = |code: &str| code == plain || code.strip_prefix("KB_") == Some(&plain);
    RULES.iter().find(|rule| is(rule.code)).ok_or_else(|| {
        let codes = || RULES.iter().map(|rule| rule.code);
        let problem = Problem::not_found(format!("no rule is called `{name}`"));
        let all = format!("the rules are {}", codes().collect::<Vec<_>>().join(", "));
        problem.hint_near(&plain, codes()).hint(all)
    })
}

impl Render for KbCheckAnswer {
    fn render(&self, page: &mut Page) {
        let rules = counted(self.rules, "rule");
        let of = format!("{rules} over {}", counted(self.entities, "entity"));
        page.answer(match (self.errors, self.warnings) {
            (0, 0) => format!("No problems in {of}"),
            (errors, warnings) => {
                let errors = counted(errors, "error");
                let warnings = counted(warnings, "warning");
                format!("{errors}, {warnings} in {of}")
            }
        });
        let cells = |finding: &RuleFinding| {
            let word = finding.severity.as_str();
            let severity = match finding.severity {
                RuleSeverity::Error => PageCell::bad(word),
                _ => PageCell::text(word),
            };
            let fix = Hint { text: format!("fix: {}", finding.fix.text), ..finding.fix.clone() };
            let mut row = vec![
                severity,
                PageCell::text(finding.code),
                PageCell::text(&finding.message),
                PageCell::handle(finding.place()),
            ];
            row.extend(PageCell::hint_cells(&fix));
            row
        };
        page.table(0, self.violations.iter().map(cells).collect());
        self.paging.render_rest(page, self.violations.len());
    }

    fn paging(&self) -> Option<Paging> {
        Some(self.paging)
    }

    fn has_findings(&self) -> bool {
        self.errors > 0
    }
}
