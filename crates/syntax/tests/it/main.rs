//! The laws of edits over real files: fixtures in every language, this repository, and the folder
//! that a variable names.
//!
//! `CAIRN_CORPUS=folder:folder cargo test -p syntax --test it corpus -- --nocapture` takes every
//! symbol of every file of every parsed language, and prints a table.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod corpus;

use std::path::Path;

#[test]
fn edits_of_this_repository_keep_their_laws() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let samples = corpus::run(&root.join("tests/corpus"), 1);
    assert!(samples.len() >= 12, "a sample of every language: {:?}", samples.keys());
    for (language, tally) in samples.into_iter().chain(corpus::run(&root.join("../base/src"), 12)) {
        assert!(tally.symbols >= 5, "{language}: {} symbols", tally.symbols);
        assert!(tally.wrong.is_empty(), "{}", tally.wrong.join("\n"));
        assert!(tally.refused.is_empty(), "{}", tally.refused.join("\n"));
    }
}

#[test]
fn edits_of_a_corpus_keep_their_laws() {
    #[expect(clippy::disallowed_methods, reason = "who runs the test says where the corpus is")]
    let Some(folders) = std::env::var_os("CAIRN_CORPUS") else {
        testskip::not_run("CAIRN_CORPUS names no folders");
        return;
    };
    println!(
        "| repository | language | files | symbols | joined | refused | wrong |\n\
         |---|---|---|---|---|---|---|"
    );
    let (mut refused, mut wrong) = (Vec::new(), Vec::new());
    for folder in std::env::split_paths(&folders) {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for (language, tally) in corpus::run(&folder, 1) {
            let (files, symbols, joined) = (tally.files, tally.symbols, tally.joined);
            let (no, bad) = (tally.refused.len(), tally.wrong.len());
            println!("| {name} | {language} | {files} | {symbols} | {joined} | {no} | {bad} |");
            refused.extend(tally.refused);
            wrong.extend(tally.wrong);
        }
    }
    println!("{}", refused.join("\n"));
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}
