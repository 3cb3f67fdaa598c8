//! The laws of edits over real files: fixtures in every language, this repository, and the folder
//! that a variable names.
//!
//! `CAIRN_CORPUS=folder cargo test -p syntax --test it` takes every file of every parsed language.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod corpus;

use std::path::Path;

#[test]
fn edits_of_this_repository_keep_their_laws() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (folder, every) in [(root.join("tests/corpus"), 1), (root.join("../base/src"), 12)] {
        let tally = corpus::run(&folder, every);
        assert!(tally.files > 5 && tally.symbols > 10, "{} symbols", tally.symbols);
        assert!(tally.wrong.is_empty(), "{}", tally.wrong.join("\n"));
        assert!(tally.refused.is_empty(), "{}", tally.refused.join("\n"));
    }
}

#[test]
fn edits_of_a_corpus_keep_their_laws() {
    #[expect(clippy::disallowed_methods, reason = "who runs the test says where the corpus is")]
    let Some(folder) = std::env::var_os("CAIRN_CORPUS") else { return };
    let tally = corpus::run(Path::new(&folder), 1);
    println!("{} files, {} symbols, {} refused", tally.files, tally.symbols, tally.refused.len());
    println!("{}", tally.refused.join("\n"));
    assert!(tally.wrong.is_empty(), "{} wrong:\n{}", tally.wrong.len(), tally.wrong.join("\n"));
}
