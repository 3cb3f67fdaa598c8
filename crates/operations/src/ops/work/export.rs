//! `work.export`: the whole store of work and knowledge, for backups and other programs.

use std::collections::BTreeMap;

use base::Result;
use base::words::counted;
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use work::tables::export;

use engine::areas::work::read_store;
use engine::contract::op::{OpExample, Query};
use engine::contract::page::{Page, PageCell, Render};
use engine::view::View;

/// Export all work and knowledge; with --json every row, sorted
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Export {}

/// Every row of the store, by table
#[derive(Debug, Serialize, JsonSchema)]
pub struct ExportAnswer {
    /// The rows of each table, by id
    pub tables: BTreeMap<String, Vec<Value>>,
}

impl Query for Export {
    const NAME: &'static str = "work.export";
    const EXAMPLES: &'static [OpExample] =
        &[OpExample { args: "--json", shows: "a backup as text, for a file" }];
    type Answer = ExportAnswer;

    fn run(self, view: &View) -> Result<ExportAnswer> {
        read_store(view, |draft| Ok(ExportAnswer { tables: export(draft.conn())? }))
    }
}

impl Render for ExportAnswer {
    fn render(&self, page: &mut Page) {
        let total: usize = self.tables.values().map(Vec::len).sum();
        page.answer(format!("{}; --json prints all of them", counted(total, "row")));
        let cells = |(name, rows): (&String, &Vec<Value>)| {
            vec![PageCell::text(name), PageCell::text(rows.len())]
        };
        page.table(2, self.tables.iter().map(cells).collect());
    }
}
