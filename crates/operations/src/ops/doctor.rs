//! `doctor`: checks everything that cairn needs, and names a fix for each finding.

use std::sync::Arc;

use base::words::counted;
use base::{Call, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::doctor::{CHECKS, DoctorFinding, DoctorLevel};
use engine::contract::op::{Action, Effect, OpExample};
use engine::contract::page::{Page, PageCell, Render};
use engine::workspace::Workspace;

/// Check git, hooks, stores, configuration and language servers, with a fix for each finding
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Doctor {}

/// What was found
#[derive(Debug, Serialize, JsonSchema)]
pub struct DoctorAnswer {
    /// Names of the checks that ran
    pub checks: Vec<&'static str>,
    /// What they found
    pub findings: Vec<DoctorFinding>,
}

impl Action for Doctor {
    const NAME: &'static str = "doctor";
    const EFFECT: Effect = Effect::Read;
    const EXAMPLES: &'static [OpExample] =
        &[OpExample { args: "", shows: "the state of every part" }];
    type Answer = DoctorAnswer;

    fn run(self, workspace: &Workspace, call: &Arc<Call>) -> Result<DoctorAnswer> {
        let mut findings = Vec::new();
        for (done, check) in CHECKS.iter().enumerate() {
            call.step("checking", done, CHECKS.len())?;
            findings.extend(
                (check.run)(workspace, call)
                    .unwrap_or_else(|problem| vec![DoctorFinding::failed(check.name, &problem)]),
            );
        }
        Ok(DoctorAnswer { checks: CHECKS.iter().map(|check| check.name).collect(), findings })
    }
}

impl Render for DoctorAnswer {
    fn render(&self, page: &mut Page) {
        let count = |level: DoctorLevel| self.findings.iter().filter(|f| f.level == level).count();
        let (errors, warnings) = (count(DoctorLevel::Error), count(DoctorLevel::Warning));
        page.answer(format!(
            "{}, {} in {} ({})",
            counted(errors, "error"),
            counted(warnings, "warning"),
            counted(self.checks.len(), "check"),
            self.checks.join(", ")
        ));
        let cells = |finding: &DoctorFinding| {
            let level = match finding.level {
                DoctorLevel::Error => PageCell::bad("error"),
                DoctorLevel::Warning => PageCell::strong("warning"),
                DoctorLevel::Fine => PageCell::faint("ok"),
            };
            let mut cells =
                vec![level, PageCell::text(finding.check), PageCell::text(&finding.message)];
            cells.extend(finding.fix.iter().flat_map(PageCell::hint_cells));
            cells
        };
        page.table(0, self.findings.iter().map(cells).collect());
    }

    fn has_findings(&self) -> bool {
        self.findings.iter().any(|finding| finding.level == DoctorLevel::Error)
    }
}
