//! Checks that an index that was updated equals one built from scratch.

use engine::Workspace;

use crate::call;

/// Compares the present index with one built from scratch.
pub fn assert_incremental_equals_full(workspace: &Workspace, what: &str) {
    let incremental = workspace.dump(&call()).expect("a dump");
    workspace.sync(true, &call()).expect("a full build");
    let full = workspace.dump(&call()).expect("a dump");
    if incremental == full {
        return;
    }
    let lines = |text: &str| text.lines().map(ToOwned::to_owned).collect::<Vec<_>>();
    let (incremental, full) = (lines(&incremental), lines(&full));
    let only = |a: &[String], b: &[String]| {
        a.iter().filter(|line| !b.contains(line)).cloned().collect::<Vec<_>>().join("\n  ")
    };
    panic!(
        "{what}\nonly in the incremental index:\n  {}\nonly in the full one:\n  {}",
        only(&incremental, &full),
        only(&full, &incremental)
    );
}
