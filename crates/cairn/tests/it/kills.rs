//! Commands that are killed: what they acknowledged is there, and nothing is half done. The long version
//! is `cargo xtask prove kills`.

use std::path::Path;

use testkit::kills;

/// Each kill is of another operation; which ones they are depends on the seed.
const KILLS: usize = 4;

#[test]
fn a_killed_command_leaves_the_state_before_or_after_it() {
    let report = kills::run(Path::new(env!("CARGO_BIN_EXE_cairn")), KILLS, 7, |_, _| {});
    assert!(report.failures.is_empty(), "{}", report.failures.join("\n"));
    assert_eq!(report.kills.values().sum::<usize>(), KILLS, "{report:?}");
}
