//! The rendered answer of every operation, compared with a file in `snapshots`.
//!
//! Each answer is asked for with a command line, as a person types it, on one small repository.
//! Read the files as prose: they are what people and agents read. After a change of words, look at
//! `INSTA_UPDATE=always cargo test -p operations --test answers` and the diff that git shows.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod shop;
mod stories;
mod story;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use operations::ops;

use crate::stories::STORIES;
use crate::story::{Snapshot, Step};

/// Operations whose answer is not compared, and why.
const NOT_SHOWN: &[(&str, &str)] = &[];

#[test]
fn every_operation_is_shown() {
    let shown: BTreeSet<&str> = steps().filter_map(Step::shown_operation).collect();
    let excused = |name: &str| NOT_SHOWN.iter().any(|(operation, _)| *operation == name);
    let names = ops::ALL.iter().map(|op| op.name);
    let missing: Vec<&str> = names.filter(|name| !shown.contains(name) && !excused(name)).collect();
    assert!(missing.is_empty(), "add a step to a story in `stories.rs` for {missing:?}");
    let idle: Vec<_> = NOT_SHOWN.iter().filter(|(name, _)| shown.contains(name)).collect();
    assert!(idle.is_empty(), "these are shown, so they need no excuse: {idle:?}");
}

#[test]
fn every_file_belongs_to_a_step() {
    let asked: Vec<Snapshot> = steps().filter_map(Step::snapshot).collect();
    let unique: BTreeSet<&Snapshot> = asked.iter().collect();
    assert_eq!(unique.len(), asked.len(), "two steps share a file");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/answers/snapshots");
    for area in fs::read_dir(folder).unwrap() {
        for file in fs::read_dir(area.unwrap().path()).unwrap() {
            let path = file.unwrap().path();
            let belongs = asked.iter().any(|snapshot| {
                let name = format!("{}/{}.snap", snapshot.folder, snapshot.name);
                path.ends_with(name)
            });
            assert!(belongs, "no step shows {}", path.display());
        }
    }
}

fn steps() -> impl Iterator<Item = &'static Step> {
    STORIES.iter().flat_map(|steps| steps.iter())
}
