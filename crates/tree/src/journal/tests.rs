//! A change is before or after, whatever happens to it.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use super::*;

/// One file to change and one to delete; the plan also creates one.
fn repository() -> (tempfile::TempDir, Tree, Journal) {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("only")).unwrap();
    fs::write(dir.path().join("a.md"), "old a").unwrap();
    fs::write(dir.path().join("only/gone.md"), "old").unwrap();
    let tree = Tree::open(dir.path()).unwrap();
    let journal = Journal::at(dir.path().join(".git/cairn/journal"));
    (dir, tree, journal)
}

fn edit(path: &str, before: Option<&str>, after: Option<&str>) -> FileEdit {
    FileEdit {
        path: path.parse().unwrap(),
        expected: before.map(|text| Hash::of(text.as_bytes())),
        content: after.map(|text| text.as_bytes().to_vec()),
    }
}

fn edits() -> Vec<FileEdit> {
    vec![
        edit("a.md", Some("old a"), Some("new a")),
        edit("sub/deep/b.md", None, Some("new b")),
        edit("only/gone.md", Some("old"), None),
    ]
}

fn commit(tree: &Tree, journal: &Journal, disk: &Disk) -> Result<Entry> {
    let call = Call::new("tester", Timestamp::UNIX_EPOCH);
    journal.commit(tree, disk, &edits(), ("three files".into(), &call))
}

/// The whole tree: stray files and folders count.
fn contents(root: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            let name = entry.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            match entry.is_dir() {
                true if name == ".git" => {}
                true => folders.push(entry),
                false => found.push((name, fs::read_to_string(entry).unwrap())),
            }
        }
    }
    found.sort();
    found
}

fn named(files: &[(&str, &str)]) -> Vec<(String, String)> {
    files.iter().map(|(name, text)| (name.to_string(), text.to_string())).collect()
}

fn dying_after(steps: usize) -> Disk {
    let left = Arc::new(AtomicUsize::new(steps));
    Disk::failing(move |_| {
        let left = left.fetch_update(SeqCst, SeqCst, |left| left.checked_sub(1));
        left.map(drop).map_err(|_| io::Error::other("injected crash"))
    })
}

#[test]
fn a_crash_at_any_step_leaves_before_or_after() {
    let (old, new) = (before(), after());
    let mut seen = [0, 0];
    for steps in 0.. {
        let (dir, tree, journal) = repository();
        let survived = commit(&tree, &journal, &dying_after(steps)).is_ok();
        let recovered = journal.recover(&tree, &Disk::default()).unwrap();
        let found = contents(dir.path());
        match recovered.as_slice() {
            [] => assert!(found == new || found == old, "{steps}: {found:?}"),
            [Recovered::Forgotten(1)] => assert_eq!(found, old),
            [Recovered::Finished(entry)] => assert_eq!((&found, entry.id), (&new, 1)),
            other => panic!("{other:?}"),
        }
        seen[usize::from(found == new)] += 1;
        assert!(!journal.is_unfinished());
        if survived {
            break;
        }
    }
    assert!(seen[0] > 8 && seen[1] > 8, "both sides of the decision were hit: {seen:?}");
}

#[test]
fn a_crash_during_recovery_is_recovered_too() {
    let (dir, tree, journal) = repository();
    crash_once_decided(&tree, &journal);
    let again = (0..40).filter(|&n| journal.recover(&tree, &dying_after(n)).is_err());
    assert!(again.count() > 3, "recovery itself was cut off at several steps");
    journal.recover(&tree, &Disk::default()).unwrap();
    assert_eq!(contents(dir.path()), after());
}

/// Dies at the first step after which the change has to be finished.
fn crash_once_decided(tree: &Tree, journal: &Journal) {
    for steps in 0.. {
        assert!(commit(tree, journal, &dying_after(steps)).is_err());
        if journal.home.join("pending-1/entry.json").exists() {
            return;
        }
    }
}

#[test]
fn a_file_edited_after_the_crash_is_left_alone_and_reported() {
    let (dir, tree, journal) = repository();
    crash_once_decided(&tree, &journal);
    fs::write(dir.path().join("a.md"), "mine").unwrap();
    let recovered = journal.recover(&tree, &Disk::default()).unwrap();
    let [Recovered::Overtaken(entry, foreign)] = recovered.as_slice() else { panic!() };
    assert_eq!((entry.id, foreign[0].to_string()), (1, "a.md".into()));
    assert_eq!(contents(dir.path())[0], ("a.md".into(), "mine".into()));
}

#[test]
fn a_stale_edit_is_a_conflict_with_the_current_hash() {
    let (dir, tree, journal) = repository();
    fs::write(dir.path().join("a.md"), "theirs").unwrap();
    let problem = commit(&tree, &journal, &Disk::default()).unwrap_err();
    assert_eq!(problem.code, Code::Conflict);
    assert_eq!(problem.details["current"], Hash::of(b"theirs").to_string());
    assert_eq!(journal.last(), 0);
}

#[test]
fn a_full_disk_at_any_step_loses_nothing() {
    for steps in 0.. {
        let (dir, tree, journal) = repository();
        let left = Arc::new(AtomicUsize::new(steps));
        let full = Disk::failing(move |_| match left.load(SeqCst) {
            0 => Err(io::ErrorKind::StorageFull.into()),
            n => {
                left.store(n - 1, SeqCst);
                Ok(())
            }
        });
        let done = commit(&tree, &journal, &full);
        if let Err(problem) = &done {
            assert_eq!(problem.code, Code::Io);
        }
        journal.recover(&tree, &Disk::default()).unwrap();
        let found = contents(dir.path());
        assert!(found == before() || found == after(), "{steps}: {found:?}");
        if done.is_ok() {
            break;
        }
    }
}

fn before() -> Vec<(String, String)> {
    named(&[("a.md", "old a"), ("only/gone.md", "old")])
}

fn after() -> Vec<(String, String)> {
    named(&[("a.md", "new a"), ("sub/deep/b.md", "new b")])
}

#[cfg(unix)]
#[test]
fn permissions_survive_and_links_are_refused() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let (dir, tree, journal) = repository();
    let file = dir.path().join("a.md");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    commit(&tree, &journal, &Disk::default()).unwrap();
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o755);
    symlink("a.md", dir.path().join("link.md")).unwrap();
    let call = Call::new("tester", Timestamp::UNIX_EPOCH);
    let through = [edit("link.md", Some("new a"), Some("x"))];
    let refused = journal.commit(&tree, &Disk::default(), &through, ("x".into(), &call));
    assert_eq!(refused.unwrap_err().code, Code::InvalidOperation);
}
