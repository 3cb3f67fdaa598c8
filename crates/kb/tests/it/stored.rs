//! Stores that cairn 0.1 wrote are still read, recognized and undone.

use kb::LogSeq;
use serde_json::Value;
use store::Connection;

use crate::kb_store::{Applied, KbStore};

/// The changesets that were applied to the store of the fixture; entry 4 of its log undoes entry 3.
fn changesets() -> Vec<Value> {
    serde_json::from_str(include_str!("fixtures/changesets_0.1.json")).unwrap()
}

fn stored() -> KbStore {
    let conn = Connection::open_in_memory().unwrap();
    conn.execute_batch(include_str!("fixtures/store_0.1.sql")).unwrap();
    KbStore::of(conn)
}

#[test]
fn a_changeset_is_recognized_by_the_digest_of_an_older_version() {
    let mut store = stored();
    let [first, _, second] = changesets().try_into().unwrap();
    assert!(matches!(store.apply(&first), Ok(Applied::Before(seq)) if seq == LogSeq(1)));
    assert!(matches!(store.apply(&second), Ok(Applied::Before(seq)) if seq == LogSeq(3)));
    let mut other = first;
    other["relations"][1]["confidence"] = 0.2.into();
    assert!(store.apply(&other).is_err());
}

#[test]
fn the_same_changesets_give_the_same_rows() {
    let mut store = KbStore::new();
    for payload in &changesets()[..2] {
        store.apply(payload).unwrap();
    }
    assert_eq!(store.outline(), stored().outline());
}

#[test]
fn recorded_entries_are_undone() {
    let mut store = stored();
    let before = store.rows();
    // Entry 4 undid entry 3, so undoing entry 4 applies entry 3 again.
    let redone = store.roll_back(&[LogSeq(4)]).unwrap();
    assert_eq!(
        store.outline(),
        "ADR-1 adr accepted v1 \"Tokens expire\"\nREQ-001 req in_progress v2 \"Users sign in\"\n\
         symbol:src/auth/login.ts#Session.refresh implements REQ-001\n"
    );
    store.roll_back(&redone).unwrap();
    assert_eq!(store.rows(), before);
    store.roll_back(&[LogSeq(1), LogSeq(2)]).unwrap();
    assert_eq!(store.rows(), "");
}

#[test]
fn a_rollback_of_a_changed_row_is_refused() {
    let mut store = KbStore::new();
    for title in ["one", "two"] {
        let entity = serde_json::json!({"id": "F-1", "type": "fact", "title": title});
        store.apply(&serde_json::json!({"entities": [entity]})).unwrap();
    }
    let problem = store.roll_back(&[LogSeq(1)]).unwrap_err();
    assert_eq!(problem.message, "entry 1 cannot be undone: F-1 changed since");
    assert_eq!(problem.details["changed"], serde_json::json!(["F-1"]));
    // Two entries that changed one row are undone together, and redone.
    let undone = store.roll_back(&[LogSeq(1), LogSeq(2)]).unwrap();
    assert_eq!(store.outline(), "");
    store.roll_back(&undone).unwrap();
    assert_eq!(store.outline(), "F-1 fact active v2 \"two\"\n");
}

#[test]
fn a_confidence_of_many_digits_is_undone() {
    let mut store = KbStore::new();
    let relation = serde_json::json!({
        "type": "depends_on", "from": "REQ-1", "to": "REQ-900", "confidence": 0.939_880_877_597_481_1,
    });
    let entity = serde_json::json!({"id": "REQ-1", "type": "req", "title": "A"});
    store.apply(&serde_json::json!({"entities": [entity], "relations": [relation]})).unwrap();
    store.roll_back(&[LogSeq(1)]).unwrap();
    assert_eq!(store.rows(), "");
}
