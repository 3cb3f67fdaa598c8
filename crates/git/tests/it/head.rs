//! What is checked out, in every state a worktree can be in.

use git::WorktreeState;

use crate::fixture::{Fixture, call};

/// The branch, the commit, and the state.
fn head(fixture: &Fixture) -> (Option<String>, Option<String>, WorktreeState) {
    let head = fixture.repo("r").head(&call()).unwrap();
    (head.branch, head.commit.map(String::from), head.state)
}

/// Two branches that change the same line; `main` is checked out.
fn conflict() -> (Fixture, String, String) {
    let fixture = Fixture::new();
    fixture.git("r", &["checkout", "-q", "-b", "feature/x"]);
    let theirs = fixture.commit("r", "a.txt", b"theirs\n");
    fixture.git("r", &["checkout", "-q", "main"]);
    let ours = fixture.commit("r", "a.txt", b"ours\n");
    (fixture, ours, theirs)
}

#[test]
fn before_the_first_commit_there_is_a_branch_alone() {
    let fixture = Fixture::empty();
    fixture.git("", &["init", "-q", "-b", "trunk", "r"]);
    assert_eq!(head(&fixture), (Some("trunk".into()), None, WorktreeState::Normal));
}

#[test]
fn loose_and_packed_branches_are_the_same() {
    let fixture = Fixture::new();
    let commit = fixture.git("r", &["rev-parse", "HEAD"]);
    let expected = (Some("main".into()), Some(commit), WorktreeState::Normal);
    assert_eq!(head(&fixture), expected);
    fixture.git("r", &["pack-refs", "--all"]);
    assert!(!fixture.root.join("r/.git/refs/heads/main").exists());
    assert_eq!(head(&fixture), expected);
}

#[test]
fn a_commit_can_be_checked_out_without_a_branch() {
    let fixture = Fixture::new();
    fixture.git("r", &["checkout", "-q", "--detach"]);
    let commit = fixture.git("r", &["rev-parse", "HEAD"]);
    assert_eq!(head(&fixture), (None, Some(commit), WorktreeState::Detached));
}

#[test]
fn a_rebase_belongs_to_its_branch() {
    for backend in ["--merge", "--apply"] {
        let (fixture, ours, _) = conflict();
        fixture.git("r", &["checkout", "-q", "feature/x"]);
        assert!(!fixture.try_git("r", &["rebase", backend, "main"]).status.success());
        let expected = (Some("feature/x".into()), Some(ours), WorktreeState::Rebasing);
        assert_eq!(head(&fixture), expected, "{backend}");
    }
}

#[test]
fn merges_picks_reverts_and_searches_are_seen() {
    let (fixture, ours, theirs) = conflict();
    let states = [
        (vec!["merge", "-q", "feature/x"], WorktreeState::Merging),
        (vec!["cherry-pick", &theirs], WorktreeState::CherryPicking),
        (vec!["revert", &theirs], WorktreeState::Reverting),
    ];
    for (args, state) in states {
        assert!(!fixture.try_git("r", &args).status.success(), "{args:?}");
        assert_eq!(head(&fixture), (Some("main".into()), Some(ours.clone()), state));
        fixture.git("r", &[args[0], "--abort"]);
    }
    fixture.git("r", &["bisect", "start"]);
    assert_eq!(head(&fixture).2, WorktreeState::Bisecting);
}

#[test]
fn a_bisect_belongs_to_the_branch_it_began_on() {
    let fixture = Fixture::new();
    let good = fixture.git("r", &["rev-parse", "HEAD"]);
    let middle = fixture.commit("r", "a.txt", b"two\n");
    let bad = fixture.commit("r", "a.txt", b"three\n");
    fixture.git("r", &["bisect", "start", &bad, &good]);
    assert_eq!(
        head(&fixture),
        (Some("main".into()), Some(middle.clone()), WorktreeState::Bisecting)
    );
    fixture.git("r", &["bisect", "reset"]);
    fixture.git("r", &["checkout", "-q", "--detach"]);
    fixture.git("r", &["bisect", "start", &bad, &good]);
    assert_eq!(head(&fixture), (None, Some(middle), WorktreeState::Bisecting));
}

#[test]
fn references_that_are_not_files_are_asked_of_git() {
    let fixture = Fixture::empty();
    fixture.git("", &["init", "-q", "-b", "main", "--ref-format=reftable", "r"]);
    assert_eq!(head(&fixture), (Some("main".into()), None, WorktreeState::Normal));
    let commit = fixture.commit("r", "a.txt", b"one\n");
    assert_eq!(head(&fixture), (Some("main".into()), Some(commit.clone()), WorktreeState::Normal));
    fixture.git("r", &["checkout", "-q", "-b", "x"]);
    let theirs = fixture.commit("r", "a.txt", b"theirs\n");
    fixture.git("r", &["checkout", "-q", "main"]);
    let ours = fixture.commit("r", "a.txt", b"ours\n");
    assert!(!fixture.try_git("r", &["cherry-pick", &theirs]).status.success());
    assert_eq!(head(&fixture), (Some("main".into()), Some(ours), WorktreeState::CherryPicking));
    fixture.git("r", &["cherry-pick", "--abort"]);
    fixture.git("r", &["checkout", "-q", &commit]);
    assert_eq!(head(&fixture), (None, Some(commit), WorktreeState::Detached));
}

#[test]
fn a_branch_that_stands_for_another_is_asked_of_git() {
    let fixture = Fixture::new();
    let commit = fixture.git("r", &["rev-parse", "HEAD"]);
    fixture.git("r", &["symbolic-ref", "refs/heads/alias", "refs/heads/main"]);
    fixture.git("r", &["symbolic-ref", "HEAD", "refs/heads/alias"]);
    let (branch, found, _) = head(&fixture);
    assert_eq!((branch.as_deref(), found), (Some("main"), Some(commit)));
}
