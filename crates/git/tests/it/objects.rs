//! Trees, differences, the index and blobs.

use std::fs;

use base::{ProblemCode, RepoPath};
use git::{Blob, ObjectFormat, Oid, TreeChangeStatus, TreeEntryKind};

use crate::fixture::{Fixture, call};

const CAP: u64 = 1 << 20;

fn path(text: &str) -> RepoPath {
    text.parse().unwrap()
}

#[test]
#[cfg(unix)]
fn every_sort_of_entry_and_name_is_listed() {
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::{PermissionsExt, symlink};
    let fixture = Fixture::new();
    let odd = std::ffi::OsStr::from_bytes(b"a b\n\xff\t\"c");
    fixture.write("r", odd, b"odd\n");
    fixture.write("r", "run.sh", b"#!/bin/sh\n");
    let script = fixture.root.join("r/run.sh");
    fs::set_permissions(script, fs::Permissions::from_mode(0o755)).unwrap();
    symlink("a.txt", fixture.root.join("r/link")).unwrap();
    fixture.commit("r", "dir/ü.txt", b"x");
    let link = fixture.git("r", &["rev-parse", "HEAD"]);
    fixture.git("r", &["update-index", "--add", "--cacheinfo", &format!("160000,{link},sub")]);
    fixture.git("r", &["commit", "-q", "-m", "a submodule"]);

    let repo = fixture.repo("r");
    let head = repo.head(&call()).unwrap().commit.unwrap();
    let tree = repo.tree(&call(), &head).unwrap();
    let listed: Vec<_> =
        tree.items.iter().map(|entry| (entry.path.to_string(), entry.object.kind)).collect();
    let expected = [
        ("a b%0A%FF%09\"c", TreeEntryKind::File),
        ("a.txt", TreeEntryKind::File),
        ("dir/ü.txt", TreeEntryKind::File),
        ("link", TreeEntryKind::Symlink),
        ("run.sh", TreeEntryKind::Executable),
        ("sub", TreeEntryKind::Submodule),
    ];
    assert_eq!(listed, expected.map(|(path, kind)| (path.to_owned(), kind)));
    assert_eq!(tree.items[0].object.oid, repo.blob_id(b"odd\n"));
    assert_eq!(tree.items[0].object.mode, 0o100_644);
    let staged: Vec<_> = repo.staged(&call()).unwrap().items.into_iter().map(|s| s.entry).collect();
    assert_eq!(staged, tree.items);
    assert_eq!(repo.submodules(&call()).unwrap().items, [path("sub")]);
    let shown = repo.show(&call(), "HEAD", &tree.items[0].path, CAP).unwrap();
    assert_eq!(shown, b"odd\n");
}

#[test]
fn differences_have_both_sides() {
    let fixture = Fixture::new();
    let old = fixture.commit("r", "b.txt", b"same\n").parse().unwrap();
    fixture.git("r", &["mv", "b.txt", "c.txt"]);
    let new = fixture.commit("r", "a.txt", b"two\n").parse().unwrap();
    let repo = fixture.repo("r");
    let changes = repo.diff_trees(&call(), Some(&old), &new).unwrap().items;
    let oid = |bytes: &[u8]| Some(repo.blob_id(bytes));
    let told: Vec<_> = changes
        .iter()
        .map(|change| {
            let sides = [change.old, change.new].map(|side| side.map(|leaf| leaf.oid));
            (change.path.to_string(), change.status, sides)
        })
        .collect();
    let expected = [
        ("a.txt", TreeChangeStatus::Modified, [oid(b"one\n"), oid(b"two\n")]),
        ("b.txt", TreeChangeStatus::Deleted, [oid(b"same\n"), None]),
        ("c.txt", TreeChangeStatus::Added, [None, oid(b"same\n")]),
    ];
    assert_eq!(told, expected.map(|(path, status, sides)| (path.to_owned(), status, sides)));
    let all = repo.diff_trees(&call(), None, &new).unwrap().items;
    assert!(all.iter().all(|change| change.status == TreeChangeStatus::Added) && all.len() == 2);
}

#[test]
fn a_moved_submodule_is_seen_even_if_the_repository_hides_it() {
    let fixture = Fixture::new();
    let first = fixture.git("r", &["rev-parse", "HEAD"]);
    let link = |commit: &str| {
        let info = format!("160000,{commit},sub");
        fixture.git("r", &["update-index", "--add", "--cacheinfo", &info]);
        fixture.git("r", &["commit", "-q", "-m", "a submodule"]);
        fixture.git("r", &["rev-parse", "HEAD"])
    };
    let modules = b"[submodule \"sub\"]\n\tpath = sub\n\turl = ./x\n\tignore = all\n";
    fixture.commit("r", ".gitmodules", modules);
    fixture.git("r", &["config", "diff.ignoreSubmodules", "all"]);
    let (old, new) = (link(&first), link(&first.replace('a', "b")));
    let repo = fixture.repo("r");
    let changes = repo.diff_trees(&call(), Some(&old.parse().unwrap()), &new.parse().unwrap());
    assert_eq!(changes.unwrap().items[0].path, path("sub"));
}

#[test]
fn paths_nobody_may_name_are_reported() {
    let fixture = Fixture::new();
    let commit = fixture.commit("r", ".cairn/cache/x", b"").parse().unwrap();
    let tree = fixture.repo("r").tree(&call(), &commit).unwrap();
    assert_eq!(tree.items.len(), 1);
    assert_eq!(tree.invalid_paths, [".cairn/cache/x"]);
}

#[test]
fn blobs_are_read_missed_and_capped() {
    let fixture = Fixture::new();
    fixture.commit("r", "big", &vec![b'x'; 200_000]);
    let repo = fixture.repo("r");
    let (one, big) = (repo.blob_id(b"one\n"), repo.blob_id(&vec![b'x'; 200_000]));
    let gone = repo.blob_id(b"never written");
    let tree: Oid = fixture.git("r", &["rev-parse", "HEAD^{tree}"]).parse().unwrap();
    let mut blobs = repo.blobs(CAP);
    assert_eq!(blobs.read(&call(), gone).unwrap(), Blob::Missing);
    assert_eq!(blobs.read(&call(), one).unwrap(), Blob::Bytes(b"one\n".to_vec()));
    assert_eq!(blobs.read(&call(), tree).unwrap(), Blob::OtherKind);
    let mut seen = Vec::new();
    let oids: Vec<_> = (0..100).map(|at| [one, big, gone, tree][at % 4]).collect();
    blobs
        .read_all(&call(), &oids, |oid, blob| {
            seen.push((oid, matches!(blob, Blob::Bytes(bytes) if repo.blob_id(&bytes) == oid)));
            Ok(())
        })
        .unwrap();
    let expected: Vec<_> = oids.iter().map(|oid| (*oid, [one, big].contains(oid))).collect();
    assert_eq!(seen, expected);
    assert_eq!(repo.blobs(100).read(&call(), big).unwrap(), Blob::TooLarge(200_000));
    let problem = repo.show(&call(), "HEAD", &path("big"), 100).unwrap_err();
    assert_eq!(
        (problem.code, problem.details["size_bytes"].as_u64()),
        (ProblemCode::ValidationError, Some(200_000))
    );
}

#[test]
fn a_damaged_object_is_a_problem_and_the_reader_goes_on() {
    let fixture = Fixture::new();
    let repo = fixture.repo("r");
    let bad = repo.blob_id(b"two\n");
    fixture.commit("r", "b.txt", b"two\n");
    let name = bad.to_string();
    let file = fixture.root.join("r/.git/objects").join(&name[..2]).join(&name[2..]);
    let whole = fs::read(&file).unwrap();
    fs::remove_file(&file).unwrap();
    fs::write(&file, &whole[..whole.len() - 4]).unwrap();
    let mut blobs = repo.blobs(CAP);
    let damaged = blobs.read(&call(), bad);
    assert!(
        matches!(&damaged, Err(problem) if problem.code == ProblemCode::StoreDamaged),
        "{damaged:?}"
    );
    let good = blobs.read(&call(), repo.blob_id(b"one\n")).unwrap();
    assert_eq!(good, Blob::Bytes(b"one\n".to_vec()));
}

#[test]
fn show_tells_what_is_not_a_file() {
    let fixture = Fixture::new();
    fixture.commit("r", "dir/b.txt", b"two\n");
    let repo = fixture.repo("r");
    let show = |revision: &str, name: &str| repo.show(&call(), revision, &path(name), CAP);
    assert_eq!(show("main", "dir/b.txt").unwrap(), b"two\n");
    assert_eq!(show("main", "dir/c.txt").unwrap_err().code, ProblemCode::NotFound);
    assert_eq!(show("HEAD~1", "dir/b.txt").unwrap_err().code, ProblemCode::NotFound);
    assert_eq!(show("main", "dir").unwrap_err().code, ProblemCode::ValidationError);
    assert_eq!(show("main", ".").unwrap_err().code, ProblemCode::ValidationError);
    assert_eq!(show("nope", "a.txt").unwrap_err().code, ProblemCode::NotFound);
}

#[test]
fn line_endings_are_no_change() {
    let fixture = Fixture::new();
    fixture.git("r", &["config", "core.autocrlf", "true"]);
    fixture.commit("r", "b.txt", b"a\r\nb\r\n");
    let repo = fixture.repo("r");
    let head = repo.head(&call()).unwrap().commit.unwrap();
    let entry = repo.tree(&call(), &head).unwrap().items.pop().unwrap();
    assert_eq!(entry.object.oid, repo.blob_id(b"a\nb\n"));
    let file = fs::read(fixture.root.join("r/b.txt")).unwrap();
    assert_eq!(file, b"a\r\nb\r\n");
    assert!(repo.same_content(&file, entry.object.oid));
    assert!(!repo.same_content(b"a\r\nc\r\n", entry.object.oid));
}

#[test]
fn sha256_repositories_work() {
    let fixture = Fixture::empty();
    fixture.git("", &["init", "-q", "-b", "main", "--object-format=sha256", "r"]);
    fixture.commit("r", "a.txt", b"one\n");
    let repo = fixture.repo("r");
    assert_eq!(repo.format(), ObjectFormat::Sha256);
    let head = repo.head(&call()).unwrap().commit.unwrap();
    assert_eq!(head.as_str().len(), 64);
    let entry = repo.tree(&call(), &head).unwrap().items.pop().unwrap();
    assert_eq!(entry.object.oid, repo.blob_id(b"one\n"));
    assert_eq!(repo.diff_trees(&call(), None, &head).unwrap().items.len(), 1);
    let blob = repo.blobs(CAP).read(&call(), entry.object.oid).unwrap();
    assert_eq!(blob, Blob::Bytes(b"one\n".to_vec()));
}

#[test]
fn tracked_files_are_listed_whatever_the_rules_say() {
    let fixture = Fixture::new();
    fixture.write("r", "dist/b.js", b"");
    fixture.commit("r", "debug log.txt", b"");
    fixture.commit("r", ".gitignore", b"dist/\n*log*\n");
    let tracked = fixture.repo("r").tracked(&call()).unwrap();
    let expected = [".gitignore", "a.txt", "debug log.txt", "dist/b.js"];
    assert_eq!(tracked.items, expected.map(path));
}

#[test]
fn another_index_can_be_looked_at() {
    let fixture = Fixture::new();
    let index = fixture.root.join("other-index");
    fs::copy(fixture.root.join("r/.git/index"), &index).unwrap();
    fixture.write("r", "b.txt", b"two\n");
    fixture.git("r", &["add", "b.txt"]);
    let repo = fixture.repo("r");
    assert_eq!(repo.staged(&call()).unwrap().items.len(), 2);
    assert_eq!(repo.with_index(index).staged(&call()).unwrap().items.len(), 1);
}

#[test]
fn a_conflict_has_three_stages() {
    let fixture = Fixture::new();
    fixture.git("r", &["checkout", "-q", "-b", "x"]);
    fixture.commit("r", "a.txt", b"theirs\n");
    fixture.git("r", &["checkout", "-q", "main"]);
    fixture.commit("r", "a.txt", b"ours\n");
    assert!(!fixture.try_git("r", &["merge", "x"]).status.success());
    let listing = fixture.repo("r").staged(&call()).unwrap();
    let stages: Vec<_> = listing.items.iter().map(|staged| staged.stage).collect();
    assert_eq!(stages, [1, 2, 3]);
}
