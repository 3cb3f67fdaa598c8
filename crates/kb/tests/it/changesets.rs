//! What a changeset does: a store, a changeset, and the rows or the faults that follow.

use base::Problem;
use serde_json::{Value, json};

use crate::kb_store::{Applied, KbStore};

/// The store that the examples start from.
fn store() -> KbStore {
    let mut store = KbStore::new();
    store
        .apply(&json!({
            "id": "first",
            "entities": [
                {"id": "REQ-1", "type": "req", "title": "Users sign in", "tags": "auth, login"},
                {"id": "SCEN-1", "type": "scenario", "title": "A wrong password"},
            ],
            "relations": [{"type": "specified_by", "from": "REQ-1", "to": "SCEN-1"}],
        }))
        .unwrap();
    store
}

/// Applies a changeset to the store of the examples and compares the outline of its rows, or the
/// faults, with what is expected.
#[track_caller]
fn check(payload: &Value, expected: &[&str]) {
    let mut store = store();
    let before = store.rows();
    let found = match store.apply(payload) {
        Ok(_) => store.outline(),
        Err(problem) => {
            assert_eq!(store.rows(), before, "a refused changeset wrote something");
            faults(&problem)
        }
    };
    assert_eq!(found.lines().collect::<Vec<_>>(), expected, "\n{found}");
}

/// The code of a problem, then each fault with its place.
fn faults(problem: &Problem) -> String {
    let rows = problem.details.get("problems").and_then(Value::as_array).cloned();
    let rows = rows.unwrap_or_else(|| vec![json!({"path": "", "problem": problem.message})]);
    let text = |row: &Value, key: &str| row[key].as_str().unwrap_or_default().to_owned();
    let lines = rows.iter().map(|row| format!("{}: {}\n", text(row, "path"), text(row, "problem")));
    format!("{:?}\n{}", problem.code, lines.collect::<String>())
}

const FIRST: [&str; 3] = [
    "REQ-1 req open v1 \"Users sign in\"",
    "SCEN-1 scenario draft v1 \"A wrong password\"",
    "REQ-1 specified_by SCEN-1",
];

#[test]
fn a_patch_changes_the_fields_that_it_names() {
    check(
        &json!({"entities": [{"id": "REQ-1", "status": "closed"}]}),
        &["REQ-1 req closed v2 \"Users sign in\"", FIRST[1], FIRST[2]],
    );
    check(&json!({"entities": [{"id": "REQ-1", "title": "Users sign in"}]}), &FIRST);
    check(
        &json!({"entities": [{"id": "REQ-1", "titel": "x"}, {"id": "REQ-2", "type": "req"}]}),
        &[
            "ValidationError",
            "entities[0].titel: unknown field; did you mean `title`?",
            "entities[1].title: missing `title`",
        ],
    );
    check(
        &json!({"entities": [
            {"id": "REQ-1", "status": "done"}, {"id": "REQ-2", "title": "x"}, {"id": "REQ-1"},
        ]}),
        &[
            "ValidationError",
            "entities[0].status: `done` is not a status of a req; expected one of: open, in_progress, \
             closed, deprecated",
            "entities[1].type: missing `type`; probably `req`",
        ],
    );
}

#[test]
fn ids_are_unique_and_owned() {
    check(
        &json!({"entities": [{"id": "req-1", "type": "req", "title": "x"}]}),
        &["InvariantViolation", "entities[0].id: req-1 differs from REQ-1 only in case"],
    );
    check(
        &json!({"entities": [{"id": "REQ-900", "title": "x"}], "delete": ["REQ-900"]}),
        &[
            "InvalidOperation",
            "delete[0]: REQ-900 is defined in docs/reqs/REQ-900.md; edit that file",
            "entities[0].id: REQ-900 is defined in docs/reqs/REQ-900.md; edit that file",
        ],
    );
    // Renaming by case: the old id is removed in the same changeset.
    check(
        &json!({
            "entities": [{"id": "scen-1", "type": "scenario", "title": "x"}],
            "delete": ["SCEN-1"], "cascade": true,
        }),
        &[FIRST[0], "scen-1 scenario draft v1 \"x\""],
    );
}

#[test]
fn versions_are_compared() {
    check(
        &json!({"entities": [{"id": "REQ-1", "title": "x", "if_version": 3}]}),
        &["Conflict", "entities[0].if_version: expected version 3, found 1"],
    );
    check(
        &json!({"delete": [{"id": "SCEN-1", "ifVersion": 2}], "cascade": true}),
        &["Conflict", "delete[0]: expected version 2, found 1"],
    );
    check(
        &json!({"entities": [{"id": "NEW", "type": "fact", "title": "x", "if_version": 1}]}),
        &["Conflict", "entities[0].if_version: expected version 1, found 0"],
    );
}

#[test]
fn a_relation_needs_two_ends_of_the_right_types() {
    check(
        &json!({"relations": [{"type": "depends_on", "from": "REQ-1", "to": "REQ-900"}]}),
        &[FIRST[0], FIRST[1], "REQ-1 depends_on REQ-900", FIRST[2]],
    );
    check(
        &json!({"relations": [
            {"type": "depends_on", "from": "REQ-1", "to": "SCEN-1"},
            {"type": "specified_by", "from": "REQ-1", "to": "SCEN-2"},
            {"type": "affects", "from": "REQ-1", "to": "dir:src/auth"},
            {"type": "implements", "from": "symbol:src/gone.ts#f", "to": "REQ-1"},
            {"type": "relates_to", "from": "REQ-1", "to": "SCEN-1"},
        ]}),
        &[
            "ValidationError",
            "relations[4].kind: `relates_to` requires `kind`",
            "relations[0]: `depends_on` relates (req) to (req), not (req) to (scenario)",
            "relations[1].to: no entity has the id SCEN-2",
            "relations[2]: `affects` relates (adr) to (symbol|component), not (req) to (component)",
            "relations[3].from: symbol:src/gone.ts#f does not exist in the working tree",
        ],
    );
}

#[test]
fn an_entity_that_is_referred_to_is_removed_with_cascade_only() {
    check(
        &json!({"delete": ["SCEN-1"]}),
        &["Blocked", "delete[0]: still needed: REQ-1 specified_by SCEN-1"],
    );
    check(&json!({"delete": ["SCEN-1"], "cascade": true}), &FIRST[..1]);
    // Relations that start at the removed entity do not prevent its removal.
    check(&json!({"delete": ["REQ-1"]}), &FIRST[1..2]);
    check(&json!({"delete": ["SCEN-1", "REQ-1"]}), &[]);
    check(
        &json!({"delete": ["FLAG-9", {"type": "affects", "from": "A-1", "to": "B-1"}]}),
        &[
            "NotFound",
            "delete[0]: no entity has the id FLAG-9",
            "delete[1]: no relation A-1 affects B-1",
        ],
    );
}

#[test]
fn a_changeset_with_an_id_is_applied_once() {
    let mut store = KbStore::new();
    let payload = json!({"id": "x", "entities": [{"id": "F-1", "type": "fact", "title": "one"}]});
    assert!(matches!(store.apply(&payload), Ok(Applied::Entry(seq)) if seq.0 == 1));
    assert!(matches!(store.apply(&payload), Ok(Applied::Before(seq)) if seq.0 == 1));
    let mut other = payload.clone();
    other["entities"][0]["title"] = "two".into();
    let problem = store.apply(&other).unwrap_err();
    assert_eq!(problem.message, "changeset x was already applied with different contents");
    // Without an id, a changeset that changes nothing leaves no entry.
    other["id"] = Value::Null;
    assert!(matches!(store.apply(&other), Ok(Applied::Entry(_))));
    assert!(matches!(store.apply(&other), Ok(Applied::Nothing)));
}
