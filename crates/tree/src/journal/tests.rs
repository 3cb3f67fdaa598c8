//! A change is made completely or not at all, whatever happens.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use super::*;

/// One file to change and one to delete; the plan also creates one.
fn repository() -> (tempfile::TempDir, WorkingTree, Journal) {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("only")).unwrap();
    fs::write(dir.path().join("a.md"), "old a").unwrap();
    fs::write(dir.path().join("only/gone.md"), "old").unwrap();
    let tree = WorkingTree::open(dir.path()).unwrap();
    let journal = Journal::new(PrivateFolder::below(dir.path(), ".git/cairn/journal"));
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

fn title(journal: &Journal) -> ChangeTitle {
    let id = ChangeId(journal.highest_number() + 1);
    ChangeTitle { id, summary: "three files".into(), undoes: None }
}

fn commit(tree: &WorkingTree, journal: &Journal, disk: &DiskWriter) -> Result<JournalEntry> {
    let call = Call::new("tester", Timestamp::UNIX_EPOCH);
    journal.commit(tree, disk, &edits(), title(journal), &call)
}

/// The whole tree: stray files and folders count.
fn contents(root: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            let name = entry.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/");
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

fn dying_after(steps: usize) -> DiskWriter {
    let left = Arc::new(AtomicUsize::new(steps));
    DiskWriter::with_faults(move |_| {
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
        let recovered = journal.recover(&tree, &DiskWriter::default()).unwrap();
        let found = contents(dir.path());
        match recovered.as_slice() {
            [] => assert!(found == new || found == old, "{steps}: {found:?}"),
            [RecoveryOutcome::Discarded(ChangeId(1))] => assert_eq!(found, old),
            [RecoveryOutcome::Finished(entry)] => assert_eq!((&found, entry.id.0), (&new, 1)),
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
    journal.recover(&tree, &DiskWriter::default()).unwrap();
    assert_eq!(contents(dir.path()), after());
}

/// Dies at the first step after which the change has to be finished.
fn crash_once_decided(tree: &WorkingTree, journal: &Journal) {
    for steps in 0.. {
        assert!(commit(tree, journal, &dying_after(steps)).is_err());
        if journal.home.path().join("pending-1/entry.json").exists() {
            return;
        }
        journal.recover(tree, &DiskWriter::default()).unwrap();
    }
}

#[test]
fn a_file_edited_after_the_crash_is_left_alone_and_reported() {
    let (dir, tree, journal) = repository();
    crash_once_decided(&tree, &journal);
    fs::write(dir.path().join("a.md"), "mine").unwrap();
    let recovered = journal.recover(&tree, &DiskWriter::default()).unwrap();
    let [RecoveryOutcome::PartlyFinished(entry, foreign)] = recovered.as_slice() else { panic!() };
    assert_eq!((entry.id.0, foreign[0].to_string()), (1, "a.md".into()));
    assert_eq!(contents(dir.path())[0], ("a.md".into(), "mine".into()));
}

#[test]
fn a_stale_edit_is_a_conflict_with_the_current_hash() {
    let (dir, tree, journal) = repository();
    fs::write(dir.path().join("a.md"), "theirs").unwrap();
    let problem = commit(&tree, &journal, &DiskWriter::default()).unwrap_err();
    assert_eq!(problem.code, ProblemCode::Conflict);
    assert_eq!(problem.details["current"], Hash::of(b"theirs").to_string());
    assert_eq!(journal.last_number(), 0);
}

#[test]
fn a_full_disk_at_any_step_loses_nothing() {
    for steps in 0.. {
        let (dir, tree, journal) = repository();
        let left = Arc::new(AtomicUsize::new(steps));
        let full = DiskWriter::with_faults(move |_| match left.load(SeqCst) {
            0 => Err(io::ErrorKind::StorageFull.into()),
            n => {
                left.store(n - 1, SeqCst);
                Ok(())
            }
        });
        let done = commit(&tree, &journal, &full);
        if let Err(problem) = &done {
            assert_eq!(problem.code, ProblemCode::Io);
        }
        journal.recover(&tree, &DiskWriter::default()).unwrap();
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
    commit(&tree, &journal, &DiskWriter::default()).unwrap();
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o755);
    symlink("a.md", dir.path().join("link.md")).unwrap();
    let call = Call::new("tester", Timestamp::UNIX_EPOCH);
    let through = [edit("link.md", Some("new a"), Some("x"))];
    let refused = journal.commit(&tree, &DiskWriter::default(), &through, title(&journal), &call);
    assert_eq!(refused.unwrap_err().code, ProblemCode::InvalidOperation);
}

/// A disk where somebody else does something just before the first name moves in the tree.
fn with_an_editor(steps: usize, act: impl Fn() + Send + Sync + 'static) -> DiskWriter {
    let left = Arc::new(AtomicUsize::new(steps));
    DiskWriter::with_faults(move |step| {
        if step == crate::DiskStep::Rename && left.fetch_sub(1, SeqCst) == 0 {
            act();
        }
        Ok(())
    })
}

/// The number of renames before the first file of a change is touched: that of `entry.json`.
const DECIDED: usize = 1;

fn one(
    tree: &WorkingTree,
    journal: &Journal,
    disk: &DiskWriter,
    edit: FileEdit,
) -> Result<JournalEntry> {
    let call = Call::new("tester", Timestamp::UNIX_EPOCH);
    journal.commit(tree, disk, &[edit], title(journal), &call)
}

#[test]
fn what_an_editor_saves_just_before_the_rename_is_not_lost() {
    let saves: [fn(&Path); 2] = [
        |file| fs::write(file, "saved").unwrap(),
        |file| {
            let new = file.with_extension("tmp");
            fs::write(&new, "saved").unwrap();
            fs::rename(new, file).unwrap();
        },
    ];
    let wanted = [
        edit("a.md", Some("old a"), Some("new a")),
        edit("a.md", Some("old a"), None),
        edit("sub/b.md", None, Some("new b")),
    ];
    for (save, edit) in saves.iter().flat_map(|save| wanted.iter().map(move |edit| (*save, edit))) {
        let (dir, tree, journal) = repository();
        let file = dir.path().join(edit.path.to_relative());
        let saved = file.clone();
        let disk = with_an_editor(DECIDED, move || {
            fs::create_dir_all(saved.parent().unwrap()).unwrap();
            save(&saved);
        });
        let refused = one(&tree, &journal, &disk, edit.clone()).unwrap_err();
        assert_eq!(refused.code, ProblemCode::Conflict, "{edit:?}");
        assert_eq!(fs::read_to_string(&file).unwrap(), "saved", "{edit:?}");
        assert!(!journal.is_unfinished());
        assert_eq!(journal.last_number(), 0, "nothing was changed, so there is nothing to undo");
    }
}

// The saves are placed between the steps of an exchange, which Windows cannot make.
#[cfg(unix)]
#[test]
fn an_editor_that_saves_twice_loses_neither() {
    let (dir, tree, journal) = repository();
    let file = dir.path().join("a.md");
    let (saved, count) = (file.clone(), AtomicUsize::new(0));
    let disk = DiskWriter::with_faults(move |step| {
        if step == crate::DiskStep::Rename {
            match count.fetch_add(1, SeqCst) {
                1 => fs::write(&saved, "first").unwrap(),
                2 => fs::write(&saved, "second").unwrap(),
                _ => {}
            }
        }
        Ok(())
    });
    let change = edit("a.md", Some("old a"), Some("new a"));
    assert_eq!(one(&tree, &journal, &disk, change).unwrap_err().code, ProblemCode::Conflict);
    assert_eq!(fs::read_to_string(&file).unwrap(), "first");
    let kept = journal.home.path().join("done-1/0.after");
    assert_eq!(fs::read_to_string(kept).unwrap(), "second");
}

#[test]
fn a_change_that_meets_an_editor_takes_back_what_it_had_done() {
    let (dir, tree, journal) = repository();
    let file = dir.path().join("only/gone.md");
    let saved = file.clone();
    // The first two files are in place when the third is saved by somebody else.
    let disk = with_an_editor(4, move || fs::write(&saved, "saved").unwrap());
    assert_eq!(commit(&tree, &journal, &disk).unwrap_err().code, ProblemCode::Conflict);
    let expected = named(&[("a.md", "old a"), ("only/gone.md", "saved")]);
    assert_eq!(contents(dir.path()), expected);
}

#[cfg(unix)]
#[test]
fn a_crash_right_after_an_exchange_does_not_lose_what_was_replaced() {
    let (dir, tree, journal) = repository();
    crash_once_decided(&tree, &journal);
    let (file, staged) = (dir.path().join("a.md"), journal.home.path().join("pending-1/0.after"));
    // As if names had been exchanged, and the replaced file had been saved just before.
    fs::rename(&staged, &file).unwrap();
    fs::write(&staged, "saved").unwrap();
    let recovered = journal.recover(&tree, &DiskWriter::default()).unwrap();
    let [RecoveryOutcome::PartlyFinished(_, foreign)] = recovered.as_slice() else {
        panic!("{recovered:?}")
    };
    assert_eq!(foreign[0].to_string(), "a.md");
    assert_eq!(fs::read_to_string(&file).unwrap(), "saved");
}

#[cfg(unix)]
#[test]
fn a_journal_behind_a_link_is_not_touched() {
    let (dir, tree, journal) = repository();
    let victim = tempfile::tempdir().unwrap();
    fs::create_dir(victim.path().join("pending-1")).unwrap();
    fs::write(victim.path().join("pending-1/precious"), "kept").unwrap();
    fs::create_dir_all(dir.path().join(".git/cairn")).unwrap();
    std::os::unix::fs::symlink(victim.path(), dir.path().join(".git/cairn/journal")).unwrap();
    let refused = journal.recover(&tree, &DiskWriter::default()).unwrap_err();
    assert_eq!(refused.code, ProblemCode::InvalidOperation);
    let refused = commit(&tree, &journal, &DiskWriter::default()).unwrap_err();
    assert_eq!(refused.code, ProblemCode::InvalidOperation);
    journal.prune(&DiskWriter::default());
    assert_eq!(fs::read_to_string(victim.path().join("pending-1/precious")).unwrap(), "kept");
}

#[cfg(unix)]
#[test]
fn an_entry_that_cannot_be_read_is_not_taken_for_one_that_is_not_there() {
    let (dir, tree, journal) = repository();
    crash_once_decided(&tree, &journal);
    let entry = journal.home.path().join("pending-1/entry.json");
    fs::remove_file(&entry).unwrap();
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mknodat(rustix::fs::CWD, &entry, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    let refused = journal.recover(&tree, &DiskWriter::default()).unwrap_err();
    assert_eq!(refused.code, ProblemCode::Io);
    assert!(journal.is_unfinished(), "what may have been decided is kept");
    assert_eq!(contents(dir.path()), before());
}

#[test]
fn an_undo_of_an_older_version_is_known_by_its_summary() {
    let entry = |text: &str| parse(text.as_bytes(), ChangeId(9)).unwrap();
    let old =
        r#"{"id":9,"summary":"undo of 7: x","actor":"a","at":"2026-01-02T03:04:05Z","edits":[]}"#;
    assert_eq!((entry(old).undoes, entry(old).session), (Some(ChangeId(7)), None));
    let new = old.replace("\"edits\"", "\"session\":\"s\",\"edits\"");
    assert_eq!(entry(&new).undoes, None, "a summary of today says nothing");
}
