//! Records that differ from what a waiting request found, with both sides.

use std::collections::BTreeSet;
use std::path::Path;

use base::call::ExpectedRecord;
use base::{Problem, ProblemCode, Result};
use serde_json::{Value, json};

use super::replica::record_tables;

/// Refuses a request that is planned again if another machine has changed its records meanwhile.
pub(super) fn check_expected(replica: &Path, expected: &[ExpectedRecord]) -> Result<()> {
    let conflicts = conflicting_records(replica, expected)?;
    if conflicts.is_empty() {
        return Ok(());
    }
    let count = base::words::counted(conflicts.len(), "record");
    Err(Problem::new(
        ProblemCode::Conflict,
        format!("{count} changed on another machine in the meantime"),
    )
    .detail(RECORDS_DETAIL, conflicts))
}

/// The detail of a conflict that holds both sides of each record.
pub(super) const RECORDS_DETAIL: &str = "records";

/// The records that differ from both the state before a request and the state after it, with both
/// sides.
pub(super) fn conflicting_records(
    replica: &Path,
    expected: &[ExpectedRecord],
) -> Result<Vec<Value>> {
    if !replica.exists() {
        return Ok(Vec::new());
    }
    let conn = store::open_read_only(replica)?;
    let records = record_tables(&conn)?;
    let mut conflicts = Vec::new();
    // Numbers are assigned again: a log entry of another machine may have the same one.
    for record in expected.iter().filter(|record| !has_number_key(&record.id)) {
        let here = records.image(&conn, &record.kind, &record.id)?.body;
        if here != record.before && here != record.after {
            let (mine, theirs) = (parse(record.after.as_deref()), parse(here.as_deref()));
            conflicts.push(conflict_row(&record.kind, &record.id, &mine, &theirs));
        }
    }
    Ok(conflicts)
}

fn has_number_key(id: &str) -> bool {
    id.as_bytes().get(1).is_some_and(u8::is_ascii_digit)
}

/// Both sides of a record that differs, reduced to the fields in which they differ. A side that has no such record is
/// null.
pub(super) fn conflict_row(kind: &str, id: &str, mine: &Value, theirs: &Value) -> Value {
    let sides = [mine, theirs];
    let keys = sides.iter().filter_map(|side| side.as_object()).flat_map(|side| side.keys());
    let keys: BTreeSet<&String> = keys.filter(|key| mine[*key] != theirs[*key]).collect();
    let reduced = |side: &Value| match side.as_object() {
        None => Value::Null,
        Some(_) => keys.iter().map(|key| ((*key).clone(), side[*key].clone())).collect(),
    };
    let record = format!("{kind}:{}", key_text(id));
    let name = sides.iter().find_map(|side| side["title"].as_str().or(side["name"].as_str()));
    let (mine, theirs) = (reduced(mine), reduced(theirs));
    match name {
        Some(name) => json!({"record": record, "name": name, "mine": mine, "theirs": theirs}),
        None => json!({"record": record, "mine": mine, "theirs": theirs}),
    }
}

fn parse(body: Option<&str>) -> Value {
    body.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
}

/// The key of a record for people: its columns, without quotes and brackets.
fn key_text(id: &str) -> String {
    let Ok(Value::Array(columns)) = serde_json::from_str(id) else { return id.to_owned() };
    let text =
        |column: &Value| column.as_str().map_or_else(|| column.to_string(), ToOwned::to_owned);
    columns.iter().map(text).collect::<Vec<_>>().join(" ")
}
