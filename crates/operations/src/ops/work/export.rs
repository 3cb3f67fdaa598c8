//! `work.export`: work and knowledge as text, for backups, for people and for other programs.

use std::collections::BTreeMap;

use base::Result;
use base::words::counted;
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use work::plan::backlog::{ExportedFile, backlog_files};
use work::plan::export::{all_plans, beads_lines, plan_of};
use work::plan::{PlanDocument, markdown};
use work::tables::export;
use work::words::{ExportFormat, WorkKind};
use work::{WorkDraft, WorkItem, WorkRecordRef};

use engine::areas::work::read_store;
use engine::contract::op::{OpExample, Query};
use engine::contract::page::{Page, PageCell, Render};
use engine::view::View;

/// Export work: a plan as Markdown, issues for beads, files for Backlog.md, or all rows as JSON
///
/// `work plan` and `work import` read what this writes.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Export {
    /// Project, feature or task to export; everything if left out
    #[serde(default)]
    pub id: Option<WorkRecordRef>,
    /// Format: markdown, beads, backlog, or json for all rows; json if no id is given
    #[arg(long)]
    #[serde(default)]
    pub format: Option<ExportFormat>,
}

/// Work as text, or as rows
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct ExportAnswer {
    /// The text, in the requested format
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The files, in a format that has one for each task
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<ExportedFile>,
    /// The rows of each table, by id
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub tables: BTreeMap<String, Vec<Value>>,
}

impl Query for Export {
    const NAME: &'static str = "work.export";
    const EXAMPLES: &'static [OpExample] = &[
        OpExample { args: "--json", shows: "a backup as text, for a file" },
        OpExample { args: "Login", shows: "a feature with its tasks as Markdown" },
    ];
    type Answer = ExportAnswer;

    fn run(self, view: &View) -> Result<ExportAnswer> {
        let by_default = match self.id {
            Some(_) => ExportFormat::Markdown,
            None => ExportFormat::Json,
        };
        read_store(view, |draft| match self.format.unwrap_or(by_default) {
            ExportFormat::Json => {
                Ok(ExportAnswer { tables: export(draft.conn())?, ..ExportAnswer::default() })
            }
            ExportFormat::Markdown => {
                let plans = self.plans(draft)?;
                let texts: Vec<String> = plans.iter().map(markdown::render).collect();
                Ok(ExportAnswer { text: Some(texts.join("\n")), ..ExportAnswer::default() })
            }
            ExportFormat::Beads => {
                let plans = self.plans(draft)?;
                let texts = plans.iter().map(beads_lines).collect::<Result<Vec<_>>>()?;
                Ok(ExportAnswer { text: Some(texts.concat()), ..ExportAnswer::default() })
            }
            ExportFormat::Backlog => {
                let files =
                    self.plans(draft)?.iter().map(backlog_files).collect::<Result<Vec<_>>>()?;
                Ok(ExportAnswer { files: files.concat(), ..ExportAnswer::default() })
            }
        })
    }
}

impl Export {
    fn plans(&self, draft: &WorkDraft<'_>) -> Result<Vec<PlanDocument>> {
        let Some(id) = &self.id else { return all_plans(draft) };
        let one = WorkItem::find(draft, WorkKind::ALL, id)?;
        Ok(vec![plan_of(draft, &one)?])
    }
}

impl Render for ExportAnswer {
    fn render(&self, page: &mut Page) {
        if let Some(text) = &self.text {
            return page.document(text);
        }
        if let [file] = self.files.as_slice() {
            return page.document(&file.text);
        }
        if !self.files.is_empty() {
            page.answer(format!(
                "{}; this answer as JSON has their texts",
                counted(self.files.len(), "file")
            ));
            return self.files.iter().for_each(|file| page.say(format!("  {}", file.path)));
        }
        let total: usize = self.tables.values().map(Vec::len).sum();
        page.answer(format!("{}; this answer as JSON has all of them", counted(total, "row")));
        let cells = |(name, rows): (&String, &Vec<Value>)| {
            vec![PageCell::text(name), PageCell::text(rows.len())]
        };
        page.table(2, self.tables.iter().map(cells).collect());
    }
}
