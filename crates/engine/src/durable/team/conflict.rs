//! Records that a waiting request found otherwise than they are now, with both sides.

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
        format!("{count} changed on another machine meanwhile"),
    )
    .detail(RECORDS_DETAIL, conflicts))
}

/// The detail of a conflict that holds both sides of each record.
pub(super) const RECORDS_DETAIL: &str = "records";

/// The records that are neither as a request found them nor as it left them, with both sides.
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
    // Numbers are given anew: a log entry of another machine may have the same.
    for record in expected.iter().filter(|record| !has_number_key(&record.id)) {
        let here = records.image(&conn, &record.kind, &record.id)?.body;
        if here != record.before && here != record.after {
            conflicts.push(conflict_row(record, here.as_deref()));
        }
    }
    Ok(conflicts)
}

fn has_number_key(id: &str) -> bool {
    id.as_bytes().get(1).is_some_and(u8::is_ascii_digit)
}

/// Both sides of a conflict: the fields that differ.
fn conflict_row(record: &ExpectedRecord, theirs: Option<&str>) -> Value {
    let parse = |text: Option<&str>| {
        text.and_then(|text| serde_json::from_str::<Value>(text).ok()).unwrap_or(Value::Null)
    };
    let (before, mine, theirs) =
        (parse(record.before.as_deref()), parse(record.after.as_deref()), parse(theirs));
    let differs = |key: &&String| mine[key.as_str()] != theirs[key.as_str()];
    let keys: Vec<String> = [&before, &mine, &theirs]
        .iter()
        .filter_map(|side| side.as_object())
        .flat_map(|side| side.keys())
        .filter(differs)
        .cloned()
        .collect::<std::collections::BTreeSet<_>>()
        .into_iter()
        .collect();
    let side = |side: &Value| match side.as_object() {
        None => Value::Null,
        Some(_) => keys.iter().map(|key| (key.clone(), side[key].clone())).collect(),
    };
    let id: Value = serde_json::from_str(&record.id).unwrap_or_default();
    let id: Vec<String> = id
        .as_array()
        .into_iter()
        .flatten()
        .map(|part| part.as_str().map_or_else(|| part.to_string(), ToOwned::to_owned))
        .collect();
    json!({
        "record": format!("{}:{}", record.kind, id.join(" ")),
        "before": side(&before), "mine": side(&mine), "theirs": side(&theirs),
    })
}
