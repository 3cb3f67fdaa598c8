//! Imports the rows of an export into a store.

use base::{Problem, Result};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::draft::WorkDraft;
use crate::id::WorkRecordId;
use crate::record::Record as _;
use crate::record::{SharedAgreement, Table};

/// What an import of rows did.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct ImportedRows {
    /// How many rows were added
    pub added: usize,
    /// How many rows were there already, and the same
    pub known: usize,
    /// Rows that exist here with other values; they were not changed
    pub different: Vec<String>,
}

/// Imports the rows of an export that are missing. Rows that differ stay as they are here.
pub fn import_rows(draft: &mut WorkDraft<'_>, export: &Value) -> Result<ImportedRows> {
    let tables = ["tables", "data"].iter().find_map(|key| match *key {
        "tables" => export["tables"].as_object(),
        _ => export["data"]["tables"].as_object(),
    });
    let Some(tables) = tables else {
        return Err(Problem::invalid("the export has no `tables`"));
    };
    let mut done = ImportedRows::default();
    for (name, rows) in tables {
        let Some(table) = Table::named(name) else {
            return Err(Problem::invalid(format!("no table `{name}`"))
                .hint("a newer version of cairn wrote the export"));
        };
        if table == SharedAgreement::TABLE {
            continue; // it records what this clone and its shared files agree on
        }
        for row in rows.as_array().into_iter().flatten() {
            import_row(draft, table, row, &mut done)?;
        }
    }
    Ok(done)
}

fn import_row(
    draft: &mut WorkDraft<'_>,
    table: Table,
    row: &Value,
    done: &mut ImportedRows,
) -> Result<()> {
    let refused = |why: String| Problem::invalid(format!("a row of `{}`: {why}", table.name));
    let id = row["id"].as_str().unwrap_or_default().to_owned();
    let id = WorkRecordId::try_from(id).map_err(refused)?;
    let row = table.with_all_columns(row.clone());
    table.check_row(&row).map_err(refused)?;
    match draft.row(table, &id)? {
        None => {
            draft.set(table, &id, Some(row))?;
            done.added += 1;
        }
        Some(known) if known == row => done.known += 1,
        Some(_) => done.different.push(format!("{}:{id}", table.name)),
    }
    Ok(())
}
