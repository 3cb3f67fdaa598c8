//! A server, a new process and a newly built index agree after any change of the working tree. The
//! long version is `cargo xtask prove freshness`.

use std::path::Path;

use testkit::freshness;

#[test]
fn a_server_a_new_process_and_an_index_from_nothing_agree_after_each_step() {
    let report = freshness::run(Path::new(env!("CARGO_BIN_EXE_cairn")), 25, 7, |_, _| {});
    assert!(report.differences.is_empty(), "{}", report.differences.join("\n"));
    assert!(report.declared_stale < report.answers / 2, "{report:?}");
}
