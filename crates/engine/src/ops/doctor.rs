//! `doctor`: whether everything cairn needs is there and sound, with a fix for each finding.

use std::sync::Arc;

use base::words::counted;
use base::{Call, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::contract::op::{Action, Effect, Example};
use crate::contract::page::{Cell, Page, Render};
use crate::doctor::{CHECKS, Finding, Level};
use crate::workspace::Workspace;

/// Check git, hooks, stores, configuration and language servers, with a fix for each finding
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Doctor {}

/// What was found
#[derive(Debug, Serialize, JsonSchema)]
pub struct Diagnosis {
    /// The checks that were made
    pub checks: Vec<&'static str>,
    /// What they found
    pub findings: Vec<Finding>,
}

impl Action for Doctor {
    const NAME: &'static str = "doctor";
    const EFFECT: Effect = Effect::Read;
    const EXAMPLES: &'static [Example] = &[Example { args: "", shows: "the state of every part" }];
    type Answer = Diagnosis;

    fn run(self, workspace: &Workspace, call: &Arc<Call>) -> Result<Diagnosis> {
        let mut findings = Vec::new();
        for (done, check) in CHECKS.iter().enumerate() {
            call.step("checking", done, CHECKS.len())?;
            findings.extend(
                (check.run)(workspace, call)
                    .unwrap_or_else(|problem| vec![Finding::failed(check.name, &problem)]),
            );
        }
        Ok(Diagnosis { checks: CHECKS.iter().map(|check| check.name).collect(), findings })
    }
}

impl Render for Diagnosis {
    fn render(&self, page: &mut Page) {
        let count = |level: Level| self.findings.iter().filter(|f| f.level == level).count();
        let (errors, warnings) = (count(Level::Error), count(Level::Warning));
        page.answer(format!(
            "{}, {} in {} ({})",
            counted(errors, "error"),
            counted(warnings, "warning"),
            counted(self.checks.len(), "check"),
            self.checks.join(", ")
        ));
        let cells = |finding: &Finding| {
            let level = match finding.level {
                Level::Error => Cell::bad("error"),
                Level::Warning => Cell::strong("warning"),
                Level::Fine => Cell::faint("ok"),
            };
            let mut cells = vec![level, Cell::text(finding.check), Cell::text(&finding.message)];
            cells.extend(finding.fix.iter().flat_map(Cell::of_hint));
            cells
        };
        page.table(0, self.findings.iter().map(cells).collect());
    }

    fn has_findings(&self) -> bool {
        self.findings.iter().any(|finding| finding.level == Level::Error)
    }
}
