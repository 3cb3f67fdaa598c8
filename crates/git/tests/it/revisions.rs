//! Names of commits and how commits are related.

use std::fs;

use base::ProblemCode;

use crate::fixture::{Fixture, call};

#[test]
fn revisions_resolve_or_say_why_not() {
    let fixture = Fixture::new();
    let first = fixture.git("r", &["rev-parse", "HEAD"]);
    let second = fixture.commit("r", "a.txt", b"two\n");
    fixture.git("r", &["tag", "-a", "-m", "x", "v1"]);
    let repo = fixture.repo("r");
    let resolve = |revision: &str| repo.resolve(&call(), revision);
    for (revision, commit) in
        [("HEAD", &second), ("v1", &second), ("main~1", &first), (&first[..8], &first)]
    {
        assert_eq!(resolve(revision).unwrap().as_str(), commit, "{revision}");
    }
    for revision in
        ["", "-h", "--help", "--all", "nope", "main..v1", "HEAD:a.txt", "a\nb", "^main", "main --"]
    {
        assert_eq!(resolve(revision).unwrap_err().code, ProblemCode::NotFound, "{revision}");
    }
    let problem = resolve("mian").unwrap_err();
    assert_eq!(problem.message, "there is no commit `mian`");
    assert_eq!(problem.hints[0], "did you mean `main`?");
}

#[test]
fn a_branch_named_like_an_option_does_not_become_one() {
    let fixture = Fixture::new();
    let commit = fixture.git("r", &["rev-parse", "HEAD"]);
    fixture.write("r", ".git/refs/heads/--help", format!("{commit}\n").as_bytes());
    fixture.write("r", ".git/HEAD", b"ref: refs/heads/--help\n");
    let repo = fixture.repo("r");
    assert_eq!(repo.head(&call()).unwrap().branch.as_deref(), Some("--help"));
    let names: Vec<_> = repo.branches(&call()).unwrap().into_iter().map(|b| b.name).collect();
    assert_eq!(names, ["--help", "main"]);
    assert_eq!(repo.resolve(&call(), "--help").unwrap_err().code, ProblemCode::NotFound);
    assert_eq!(repo.resolve(&call(), "refs/heads/--help").unwrap().as_str(), commit);
}

#[test]
fn commits_are_related_or_not() {
    let fixture = Fixture::new();
    let first = fixture.git("r", &["rev-parse", "HEAD"]).parse().unwrap();
    let second = fixture.commit("r", "a.txt", b"two\n").parse().unwrap();
    fixture.git("r", &["checkout", "-q", "-b", "side", "HEAD~1"]);
    let side = fixture.commit("r", "b.txt", b"side\n").parse().unwrap();
    fixture.git("r", &["checkout", "-q", "--orphan", "alone"]);
    let alone = fixture.commit("r", "c.txt", b"alone\n").parse().unwrap();
    let repo = fixture.repo("r");
    assert_eq!(repo.merge_base(&call(), &first, &second).unwrap(), Some(first.clone()));
    assert_eq!(repo.merge_base(&call(), &second, &side).unwrap(), Some(first));
    assert_eq!(repo.merge_base(&call(), &second, &alone).unwrap(), None);
    let gone = "ce013625030ba8dba906f756967f9e9ca394464a".parse().unwrap();
    let problem = repo.merge_base(&call(), &gone, &second).unwrap_err();
    assert_eq!(problem.code, ProblemCode::NotFound);
}

#[test]
fn the_default_branch_is_that_of_origin() {
    let fixture = Fixture::new();
    assert_eq!(fixture.repo("r").default_branch(&call()).unwrap(), None);
    fixture.git("r", &["branch", "-m", "trunk/one"]);
    fixture.git("", &["clone", "-q", "r", "c"]);
    let repo = fixture.repo("c");
    assert_eq!(repo.default_branch(&call()).unwrap().as_deref(), Some("trunk/one"));
}

#[test]
fn the_root_commit_is_that_of_the_first_parents() {
    let fixture = Fixture::new();
    let root = fixture.git("r", &["rev-parse", "HEAD"]);
    fixture.git("r", &["checkout", "-q", "--orphan", "alone"]);
    fixture.commit("r", "c.txt", b"alone\n");
    fixture.git("r", &["checkout", "-q", "-f", "main"]);
    let second = fixture.commit("r", "b.txt", b"two\n");
    let merge = ["merge", "-q", "--allow-unrelated-histories", "-m", "x", "alone"];
    fixture.git("r", &merge);
    let found = |folder: &str| fixture.repo(folder).root_commit(&call()).unwrap();
    assert_eq!(found("r").unwrap().as_str(), root);
    assert_ne!(root, second);
    let url = format!("file://{}", fixture.root.join("r").display());
    fixture.git("", &["clone", "-q", "--depth", "1", &url, "shallow"]);
    assert_eq!(found("shallow"), None, "a shallow clone does not know its root");
    fixture.git("", &["init", "-q", "empty"]);
    assert_eq!(found("empty"), None);
}

#[test]
fn the_user_has_an_address_or_none() {
    let fixture = Fixture::new();
    let repo = fixture.repo("r");
    assert_eq!(repo.user_email(&call()).unwrap(), None);
    fixture.write("home", ".gitconfig", b"[user]\n\temail = me@example.org\n");
    assert_eq!(repo.user_email(&call()).unwrap().as_deref(), Some("me@example.org"));
}

#[test]
fn a_missing_or_damaged_commit_is_told() {
    let fixture = Fixture::new();
    let commit = fixture.git("r", &["rev-parse", "HEAD"]);
    let repo = fixture.repo("r");
    let file = fixture.root.join("r/.git/objects").join(&commit[..2]).join(&commit[2..]);
    fs::remove_file(&file).unwrap();
    let parsed = commit.parse().unwrap();
    let problem = repo.tree(&call(), &parsed).unwrap_err();
    assert_eq!(problem.code, ProblemCode::NotFound, "{problem:?}");
    fs::write(&file, b"rubbish").unwrap();
    let problem = repo.tree(&call(), &parsed).unwrap_err();
    assert_eq!(problem.code, ProblemCode::StoreDamaged, "{problem:?}");
}

#[test]
#[cfg(unix)]
fn a_repository_of_another_user_is_not_opened() {
    let fixture = Fixture::new();
    let owned = std::os::unix::fs::chown(fixture.root.join("r"), Some(12345), None);
    if owned.is_err() {
        return testskip::not_run("only root can give a folder to another user");
    }
    let problem = fixture.repo("r").branches(&call()).unwrap_err();
    assert_eq!(problem.code, ProblemCode::Unavailable);
    let root = fixture.root.join("r");
    let hint = format!(
        "if you trust it, run `git config --global --add safe.directory '{}'`",
        root.display()
    );
    assert_eq!(problem.hints, [hint]);
}
