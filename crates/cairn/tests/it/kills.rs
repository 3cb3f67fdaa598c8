//! Commands that are killed: what they acknowledged is stored, and no change is stored in part. The
//! long version is `cargo xtask prove kills`.

use std::path::Path;

use testkit::kills;

/// How many commands are killed, each of another operation. The seed chooses the operations.
const KILLS: usize = 4;

#[test]
fn a_killed_command_leaves_the_state_before_or_after_it() {
    let report = kills::run(Path::new(env!("CARGO_BIN_EXE_cairn")), KILLS, 7, |_, _| {});
    assert!(report.failures.is_empty(), "{}", report.failures.join("\n"));
    assert_eq!(report.kills.values().sum::<usize>(), KILLS, "{report:?}");
}
