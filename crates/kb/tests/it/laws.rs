//! Laws of the store: undo, merge and shared files keep the rows.

use std::collections::BTreeMap;

use base::shared::{MergePreference, SharedFiles};
use kb::{LogSeq, MergedBranch, share};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::kb_store::{Applied, KbStore};

const IDS: [(&str, &str); 5] = [
    ("REQ-1", "req"),
    ("REQ-2", "req"),
    ("SCEN-1", "scenario"),
    ("FLAG-1", "flag"),
    ("FACT-1", "fact"),
];

fn entity() -> impl Strategy<Value = Value> {
    let field = prop_oneof![
        Just(json!({})),
        "[a-z \"\\n🦀]{1,6}".prop_map(|text| json!({"text": text})),
        prop::collection::vec("[a-z]{1,3}", 0..3).prop_map(|tags| json!({"tags": tags})),
        Just(json!({"owner": null})),
        Just(json!({"owner": "ada", "allow_cycle": true})),
    ];
    (0..IDS.len(), "[a-z]{1,4}", field).prop_map(|(at, title, mut fields)| {
        let (id, kind) = IDS[at];
        fields["id"] = id.into();
        fields["type"] = kind.into();
        fields["title"] = title.into();
        fields
    })
}

fn relation() -> impl Strategy<Value = Value> {
    let kinds = prop::sample::select(vec!["depends_on", "specified_by", "relates_to", "guards"]);
    let confidence = prop::option::of(0.0..=1.0_f64);
    (kinds, 0..IDS.len(), 0..IDS.len(), confidence).prop_map(|(kind, from, to, confidence)| {
        let tie = if kind == "relates_to" { "like" } else { "" };
        json!({"type": kind, "from": IDS[from].0, "to": IDS[to].0, "kind": tie,
            "confidence": confidence})
    })
}

/// Random changesets, both valid and invalid.
fn changesets() -> impl Strategy<Value = Vec<Value>> {
    let deletes = prop::collection::vec((0..IDS.len()).prop_map(|at| IDS[at].0), 0..2);
    let set = (
        prop::collection::vec(entity(), 0..3),
        prop::collection::vec(relation(), 0..2),
        deletes,
        any::<bool>(),
    );
    let set = set.prop_map(|(entities, relations, delete, cascade)| {
        json!({"entities": entities, "relations": relations, "delete": delete,
            "cascade": cascade})
    });
    prop::collection::vec(set, 1..8)
}

/// A store to which all valid ones of the changesets were applied.
fn store_of(sets: &[Value]) -> KbStore {
    let mut store = KbStore::new();
    for set in sets {
        drop(store.apply(set));
    }
    store
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn undoing_entries_restores_the_rows(sets in changesets(), kept in 0..8_usize) {
        let mut store = KbStore::new();
        let mut rows = vec![store.rows()];
        let mut seqs: Vec<LogSeq> = Vec::new();
        for set in &sets {
            if let Ok(Applied::Entry(seq)) = store.apply(set) {
                seqs.push(seq);
                rows.push(store.rows());
            }
        }
        let kept = kept.min(seqs.len());
        let undone = store.roll_back(&seqs[kept..]).unwrap();
        prop_assert_eq!(&store.rows(), &rows[kept]);
        // Undoing the undo restores what it undid.
        store.roll_back(&undone).unwrap();
        prop_assert_eq!(&store.rows(), &rows[seqs.len()]);
    }

    #[test]
    fn merging_a_branch_gives_its_rows(sets in changesets(), undo in any::<bool>()) {
        let mut theirs = store_of(&sets);
        let last = kb::full_log(&theirs.conn).unwrap().last().map(|entry| entry.seq);
        if let Some(last) = last.filter(|_| undo) {
            theirs.roll_back(&[last]).unwrap();
        }
        let log = kb::full_log(&theirs.conn).unwrap();
        let mut ours = KbStore::new();
        for expected in [log.len(), 0] {
            let branch = MergedBranch { name: "feature", log: &log };
            let stamp = ours.stamp();
            let merge =
                kb::plan_merge(&ours.conn, branch, MergePreference::Neither, &stamp).unwrap();
            prop_assert_eq!(merge.plan.entries.len(), expected); // the second time there is nothing
            ours.transaction(|conn| kb::apply_plan(conn, &merge.plan)).unwrap();
            prop_assert_eq!(ours.rows(), theirs.rows());
        }
    }

    #[test]
    fn shared_files_read_back_as_the_rows(sets in changesets()) {
        let theirs = store_of(&sets);
        let texts =
            share::shared_file_texts(&theirs.conn, &BTreeMap::new(), &BTreeMap::new()).unwrap();
        let paths = texts.keys().cloned().collect();
        let files = SharedFiles { paths, texts: texts.clone(), ..SharedFiles::default() };
        let mut ours = KbStore::new();
        let stamp = ours.stamp();
        let prefer = MergePreference::Neither;
        let import =
            share::plan_import(&ours.conn, &files, &BTreeMap::new(), prefer, &stamp).unwrap();
        ours.transaction(|conn| kb::apply_plan(conn, &import.plan)).unwrap();
        prop_assert_eq!(ours.rows(), theirs.rows());
        let again = share::shared_file_texts(&ours.conn, &texts, &BTreeMap::new()).unwrap();
        prop_assert_eq!(again, texts);
    }
}
