//! Which branches there are, wherever git keeps them.

use std::fs;

use crate::fixture::{Fixture, call};

fn names(fixture: &Fixture) -> Vec<String> {
    let list = fixture.repo("r").branch_list(&call()).unwrap();
    list.names().map(ToOwned::to_owned).collect()
}

#[test]
fn branches_of_other_worktrees_are_there_before_their_first_commit() {
    let fixture = Fixture::new();
    fixture.git("r", &["worktree", "add", "-q", "--detach", "../w"]);
    let commit = fixture.git("r", &["rev-parse", "HEAD"]);
    let list = fixture.repo("r").branch_list(&call()).unwrap();
    assert!(list.is_detached_at(&commit) && !list.contains("x"));
    fixture.git("w", &["checkout", "-q", "--orphan", "x"]);
    assert_eq!(names(&fixture), ["main", "x"]);
    // The worktree is on a disk that is not there now: its branch is not gone.
    fs::rename(fixture.root.join("w"), fixture.root.join("away")).unwrap();
    assert_eq!(names(&fixture), ["main", "x"]);
    let list = fixture.repo("r").branch_list(&call()).unwrap();
    assert!(!list.is_detached_at(&commit));
}

#[test]
fn the_main_worktree_of_a_linked_one_has_its_branch_too() {
    let fixture = Fixture::new();
    fixture.git("r", &["worktree", "add", "-q", "-b", "side", "../w"]);
    fixture.git("r", &["checkout", "-q", "--orphan", "new"]);
    let list = fixture.repo("w").branch_list(&call()).unwrap();
    assert_eq!(list.names().collect::<Vec<_>>(), ["main", "new", "side"]);
}

#[test]
fn a_branch_that_was_renamed_twice_knows_both_names() {
    for format in ["files", "reftable"] {
        let fixture = Fixture::empty();
        let format = format!("--ref-format={format}");
        fixture.git("", &["init", "-q", "-b", "one", &format, "r"]);
        fixture.commit("r", "a.txt", b"one\n");
        fixture.git("r", &["branch", "-m", "two/2"]);
        fixture.git("r", &["branch", "-m", "three"]);
        let repo = fixture.repo("r");
        assert_eq!(repo.former_names("three", &call()).unwrap(), ["two/2", "one"], "{format}");
        assert!(repo.former_names("one", &call()).unwrap().is_empty());
        assert_eq!(names(&fixture), ["three"]);
    }
}
