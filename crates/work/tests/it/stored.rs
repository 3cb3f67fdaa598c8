//! Changes that cairn 0.1 recorded are still undone.

use store::{Connection, inverse_row_changes};
use work::{WorkRowChange, tables};

/// A store after six changes, and what undoes each of them, oldest first.
fn stored() -> (Connection, Vec<Vec<WorkRowChange>>) {
    let conn = Connection::open_in_memory().unwrap();
    conn.execute_batch(include_str!("fixtures/store_0.1.sql")).unwrap();
    for newer in &tables::MIGRATIONS[2..] {
        conn.execute_batch(newer.sql).unwrap();
    }
    (conn, serde_json::from_str(include_str!("fixtures/inverses_0.1.json")).unwrap())
}

/// How many rows each table has, without the empty ones.
fn sizes(conn: &Connection) -> String {
    let tables = tables::export(conn).unwrap().into_iter();
    let filled = tables.filter(|(_, rows)| !rows.is_empty());
    filled.map(|(name, rows)| format!("{name} {}\n", rows.len())).collect()
}

#[test]
fn recorded_changes_are_undone_and_redone() {
    let (conn, inverses) = stored();
    let after = tables::export(&conn).unwrap();
    let mut seen = Vec::new();
    for inverse in inverses.iter().rev() {
        work::draft::apply_changes(&conn, inverse).unwrap();
        seen.push(sizes(&conn));
    }
    assert_eq!(
        seen,
        [
            "atom 1\nfeature 1\nproject 1\ntask 1\n",
            "atom 1\nfeature 1\nproject 1\ntask 1\n",
            "feature 1\nproject 1\ntask 1\n",
            "feature 1\nproject 1\n",
            "project 1\n",
            "",
        ]
    );
    for inverse in &inverses {
        work::draft::apply_changes(&conn, &inverse_row_changes(inverse)).unwrap();
    }
    assert_eq!(tables::export(&conn).unwrap(), after);
}

#[test]
fn a_row_without_a_newer_column_is_recognized() {
    let (conn, inverses) = stored();
    // Rows that were recorded before `end_reason` was added do not have the field.
    let mut delete_task = inverses.last().unwrap().clone();
    for change in &mut delete_task {
        if let Some(row) = change.after.as_mut().and_then(serde_json::Value::as_object_mut) {
            row.remove("end_reason");
        }
    }
    work::draft::apply_changes(&conn, &delete_task).unwrap();
    work::draft::apply_changes(&conn, &inverse_row_changes(&delete_task)).unwrap();
}

#[test]
fn a_changed_row_is_a_conflict() {
    let (conn, inverses) = stored();
    let first = &inverses[2]; // the task was advanced and deleted since
    let problem = work::draft::apply_changes(&conn, first).unwrap_err();
    assert_eq!(problem.code, base::ProblemCode::Conflict);
    let record = problem.details["record"].as_str().unwrap();
    assert!(record.starts_with("task:"), "{record}");
}
