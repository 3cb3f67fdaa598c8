//! Regression tests for defects that were found.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::time::Duration;

use base::ProblemCode;
use base::call::Progress;
use engine::{AREAS, BasisState, JsonObject, Outcome, Workspace, WorkspaceMode};
use serde_json::{Value, json};
use testkit::{TestRepo, call, call_by};
use tree::DiskWriter;

fn ask(workspace: &Workspace, name: &str, args: Value) -> Outcome {
    let args: JsonObject = serde_json::from_value(args).unwrap();
    operations::ops::find(name)?.call(workspace, testkit::call_by("t"), args)
}

#[test]
fn links_that_a_repository_brings_in_our_folders_lead_nowhere() {
    for link in [".cairn", ".cairn/cache", ".cairn/cache/fence", ".cairn/cache/refresh.lock"] {
        let outside = tempfile::tempdir().unwrap();
        fs::create_dir_all(outside.path().join("cache")).unwrap();
        fs::write(outside.path().join("precious"), "kept").unwrap();
        fs::write(outside.path().join("cache/precious"), "kept").unwrap();
        let repo = TestRepo::new("//- a.md\n# A\n");
        let place = repo.root().join(link);
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        let target = match link.ends_with("lock") {
            true => outside.path().join("made"),
            false => outside.path().to_path_buf(),
        };
        symlink(target, &place).unwrap();
        let server = repo.open(WorkspaceMode::Serving, DiskWriter::default(), AREAS);
        for _ in 0..2 {
            if let Err(problem) = ask(&server, "status", json!({})) {
                let told = [ProblemCode::InvalidOperation, ProblemCode::Io];
                assert!(told.contains(&problem.code), "{link}: {problem}");
            }
        }
        let _ = repo.call_op("uninstall", json!({}));
        let left: Vec<_> =
            fs::read_dir(outside.path()).unwrap().flatten().map(|e| e.file_name()).collect();
        assert_eq!(left.len(), 2, "{link}: {left:?}");
        assert_eq!(fs::read_dir(outside.path().join("cache")).unwrap().count(), 1, "{link}");
    }
}

#[test]
fn a_handle_in_a_handle_in_a_handle_is_only_a_wrong_name() {
    let repo = TestRepo::new("//- a.md\n# A\n");
    for kind in ["dir:", "file:", "module:"] {
        let target = format!("{}x", kind.repeat(2000));
        assert_eq!(repo.code("context", json!({"targets": [target]})), ProblemCode::NotFound);
    }
    assert_eq!(repo.code("context", json!({"targets": []})), ProblemCode::ValidationError);
}

#[test]
fn what_a_held_lock_kept_from_being_indexed_is_indexed_later() {
    let repo = TestRepo::new("//- a.md\n# Old\n//- b.md\n# B\n");
    let server = repo.open(WorkspaceMode::Serving, DiskWriter::default(), AREAS);
    let about = |path: &str| ask(&server, "context", json!({"targets": [path]}));
    about("a.md").unwrap();
    about("a.md").unwrap();
    let lock = repo.root().join(".cairn/cache/refresh.lock");
    let held = tree::lock(&lock, Duration::from_secs(5), &call()).unwrap();
    repo.write("a.md", "# New\n");
    repo.remove("b.md");
    let behind = about("a.md").unwrap();
    assert_eq!(behind.basis.state, BasisState::Stale, "{:?}", behind.basis);
    drop(held);
    let fresh = about("a.md").unwrap();
    assert_eq!(fresh.basis.state, BasisState::Fresh);
    assert_eq!(fresh.data["targets"][0]["about"], "New (Markdown, 1 line)");
    assert_eq!(about("b.md").unwrap_err().code, ProblemCode::NotFound);
}

#[test]
fn a_stale_answer_shows_the_lines_that_a_symbol_has_now() {
    let repo = TestRepo::new(
        "//- /src/a.ts\nexport function first() {\n  return 'one';\n}\nexport function second() {\n  return first();\n}\n",
    );
    let server = repo.open(WorkspaceMode::Serving, DiskWriter::default(), AREAS);
    let show = |name: &str| ask(&server, "code.show", json!({"targets": [name]}));
    show("src/a.ts#second").unwrap();
    let lock = repo.root().join(".cairn/cache/refresh.lock");
    let held = tree::lock(&lock, Duration::from_secs(5), &call()).unwrap();
    let new = "// one\n// two\n// three\nexport function second() {\n  return 'new';\n}\n";
    repo.write("src/a.ts", new);
    let behind = show("src/a.ts#second").unwrap();
    assert_eq!(behind.basis.state, BasisState::Stale, "{:?}", behind.basis);
    let source = &behind.data["parts"][0];
    assert_eq!(source["text"], new.trim_end(), "{source}");
    assert_eq!((&source["first_line"], &source["last_line"]), (&json!(1), &json!(6)));
    assert_eq!(show("src/a.ts#first").unwrap_err().code, ProblemCode::NotFound);
    let about = ask(&server, "context", json!({"targets": ["src/a.ts#second"]})).unwrap();
    let shown = about.data["targets"].to_string();
    assert!(shown.contains("'new'") && !shown.contains("'one'"), "{shown}");
    drop(held);
}

#[test]
fn a_write_that_cannot_be_done_leaves_nothing_and_blocks_nobody() {
    let repo = TestRepo::new("//- .cursor\nnot a folder\n");
    let before = repo.snapshot();
    let refused = repo.call_op("init", json!({"agents": ["cursor", "claude"]})).unwrap_err();
    assert_eq!(refused.code, ProblemCode::InvalidOperation, "{refused}");
    assert_eq!(repo.snapshot(), before);
    repo.data("status", json!({}));
    // An entry that cannot be read is reported, and the other entries are still read.
    repo.write(".git/cairn/journal/pending-7/entry.json", "{ torn");
    let answer = repo.call_op("status", json!({})).unwrap();
    assert!(answer.basis.reasons[0].contains("could not be completed"), "{:?}", answer.basis);
}

#[test]
fn an_index_that_came_with_a_clone_is_not_believed() {
    let repo = TestRepo::new("//- a.md\n# True\n");
    repo.data("status", json!({}));
    let files = fs::read_dir(repo.root().join(".cairn/cache")).unwrap().flatten().map(|e| e.path());
    let index = files.into_iter().find(|p| p.extension().is_some_and(|e| e == "sqlite")).unwrap();
    let forged = store::open(&index, store::Durability::Derived).unwrap();
    forged.connection().execute("UPDATE file SET title = 'False'", []).unwrap();
    forged.checkpoint().unwrap();
    drop(forged);
    // A copy has another inode, as after a clone.
    let copy = fs::read(&index).unwrap();
    let _other = fs::File::create(repo.root().join(".cairn/cache/keeps-the-inode-taken")).unwrap();
    fs::rename(&index, repo.root().join(".cairn/cache/old")).unwrap();
    fs::write(&index, copy).unwrap();
    assert!(repo.text("context a.md").starts_with("a.md: True"));
}

#[test]
fn rules_that_git_keeps_apart_count_at_once() {
    let repo = TestRepo::new("//- a.md\n# A\n//- b.md\n# B\n");
    repo.git(&["rm", "-q", "--cached", "b.md"]);
    repo.git(&["commit", "-qm", "untrack"]);
    let server = repo.open(WorkspaceMode::Serving, DiskWriter::default(), AREAS);
    let files = || ask(&server, "status", json!({})).unwrap().data["files"].as_u64().unwrap();
    assert_eq!((files(), files()), (2, 2));
    repo.write(".git/info/exclude", "b.md\n");
    assert_eq!(files(), 1);
}

#[test]
fn a_filter_looks_at_everything_and_a_cut_is_told() {
    let repo = TestRepo::without_git("");
    (0..1200).for_each(|n| repo.write(&format!("a/widget{n}.txt"), ""));
    repo.write("b/widget9999.txt", "");
    let hits = repo.data("search", json!({"query": "widget", "path": "b"}));
    assert_eq!(hits["hits"][0]["name"], "b/widget9999.txt");
    let all = repo.data("search", json!({"query": "widget"}));
    assert_eq!(all["is_cut"], true);
}

#[test]
fn hooks_that_are_switched_off_or_linked_stay_so() {
    let repo = TestRepo::new("//- a.md\n# A\n//- tools/hook.sh\n#!/bin/sh\n");
    repo.write(".git/hooks/pre-commit", "#!/bin/sh\nexit 1\n");
    let off = repo.root().join(".git/hooks/pre-commit");
    fs::set_permissions(&off, fs::Permissions::from_mode(0o644)).unwrap();
    symlink("../../tools/hook.sh", repo.root().join(".git/hooks/post-merge")).unwrap();
    let written = repo.data("init", json!({}));
    assert_eq!(written["left"].as_array().unwrap().len(), 2, "{written:#}");
    assert_eq!(fs::metadata(&off).unwrap().permissions().mode() & 0o777, 0o644);
    assert_eq!(repo.read("tools/hook.sh").unwrap(), "#!/bin/sh\n");
    repo.data("uninstall", json!({}));
    assert!(repo.root().join(".git/hooks/post-merge").is_symlink());
}

#[test]
fn many_inits_at_once_all_succeed() {
    let repo = TestRepo::new("//- a.md\n# A\n");
    std::thread::scope(|scope| {
        let all: Vec<_> = (0..6)
            .map(|_| scope.spawn(|| repo.call_op("init", json!({"no_hooks": true}))))
            .collect();
        for one in all {
            let done = one.join().unwrap();
            assert!(done.is_ok(), "{}", done.unwrap_err());
        }
    });
}

#[test]
fn a_configuration_that_cannot_be_read_is_a_finding() {
    let repo = TestRepo::new("//- a.md\n# A\n");
    fs::create_dir(repo.root().join("cairn.jsonc")).unwrap();
    repo.data("version", json!({}));
    assert!(repo.call_op("doctor", json!({})).unwrap().has_findings);
}

#[test]
fn a_server_answers_for_its_own_folder_only() {
    let repo = TestRepo::new("//- repo/a.md\n# A\n");
    let inner = repo.root().join("repo");
    let served = TestRepo::existing(&inner);
    served.git(&["init", "-q", "-b", "main"]);
    let server = served.open(WorkspaceMode::Serving, DiskWriter::default(), AREAS);
    ask(&server, "status", json!({})).unwrap();
    fs::rename(&inner, repo.root().join("moved")).unwrap();
    fs::create_dir(&inner).unwrap();
    assert_eq!(ask(&server, "status", json!({})).unwrap_err().code, ProblemCode::Unavailable);
}

#[test]
fn an_index_that_another_process_built_meanwhile_is_not_taken_for_fresh() {
    let repo = TestRepo::new("//- a.md\n# A\n");
    repo.data("status", json!({}));
    let cache = repo.root().join(".cairn/cache");
    let files = fs::read_dir(&cache).unwrap().flatten().map(|entry| entry.path());
    let index = files.into_iter().find(|p| p.extension().is_some_and(|e| e == "sqlite")).unwrap();
    let aside = cache.join("aside");
    fs::rename(&index, &aside).unwrap();
    // The other process listed the tree before this file was written, and finishes while this one
    // waits.
    repo.write("b.md", "# B\n");
    let lock = cache.join("refresh.lock");
    let held = tree::lock(&lock, Duration::from_secs(5), &call()).unwrap();
    let (sender, waiting) = std::sync::mpsc::channel();
    let told = move |progress: Progress| {
        if progress.activity == tree::WAITING_FOR_LOCK {
            let _ = sender.send(());
        }
    };
    std::thread::scope(|scope| {
        let asked = scope.spawn(|| {
            let status = operations::ops::find("status").unwrap();
            status.call(&repo.workspace(), call_by("t").with_progress_sink(told), JsonObject::new())
        });
        waiting.recv().expect("it waits for the lock");
        fs::rename(&aside, &index).unwrap();
        drop(held);
        assert_eq!(asked.join().unwrap().unwrap().data["files"], json!(2));
    });
}

#[test]
fn a_link_at_the_journal_is_not_followed() {
    for link in ["journal", "branches", "backups", "cache"] {
        let outside = tempfile::tempdir().unwrap();
        fs::create_dir(outside.path().join("pending-1")).unwrap();
        fs::write(outside.path().join("pending-1/precious"), "kept").unwrap();
        let repo = TestRepo::new("//- a.md\n# A\n");
        let home = repo.root().join(".git/cairn");
        let _ = fs::remove_dir_all(home.join(link));
        fs::create_dir_all(&home).unwrap();
        symlink(outside.path(), home.join(link)).unwrap();
        let status = repo.call_op("status", json!({})).unwrap();
        assert_eq!(status.basis.state, BasisState::Partial, "{link}");
        let told = status.basis.reasons.iter().any(|reason| reason.contains(link));
        assert!(told, "{link}: {:?}", status.basis.reasons);
        let fact = json!({"entities": [{"id": "FACT-1", "type": "fact", "title": "x"}]});
        assert_eq!(repo.code("kb.upsert", fact), ProblemCode::InvalidOperation, "{link}");
        let card = json!({"key": "spec::a", "summary": "A"});
        assert_eq!(repo.code("card.create", card), ProblemCode::InvalidOperation, "{link}");
        assert_eq!(repo.code("backup", json!({})), ProblemCode::InvalidOperation, "{link}");
        if link == "journal" {
            let doctor = repo.data("doctor", json!({}))["findings"].to_string();
            assert!(doctor.contains("is not a folder; cairn stores its data there"), "{doctor}");
        }
        let kept = fs::read_to_string(outside.path().join("pending-1/precious")).unwrap();
        assert_eq!((kept.as_str(), fs::read_dir(outside.path()).unwrap().count()), ("kept", 1));
    }
}

#[test]
fn where_everything_is_ignored_answers_say_so_and_by_what() {
    let repo = TestRepo::without_git("//- a.md\n# A\n//- b/c.md\n# C\n//- .gitignore\n/*\n");
    let status = repo.call_op("status", json!({})).unwrap();
    assert_eq!(status.basis.state, BasisState::Partial);
    assert_eq!(status.basis.reasons, ["every file is ignored, by `/*` in .gitignore"]);
    repo.write(".gitignore", "/b\n");
    let status = repo.call_op("status", json!({})).unwrap();
    assert_eq!((status.basis.state, status.basis.reasons.len()), (BasisState::Fresh, 0));
    repo.write("cairn.jsonc", "{\"exclude\": [\"*.md\", \".gitignore\"]}");
    let status = repo.call_op("status", json!({})).unwrap();
    assert!(
        status.basis.reasons[0].contains("`*.md` in cairn.jsonc"),
        "{:?}",
        status.basis.reasons
    );
}

#[test]
fn a_large_ignore_file_counts_up_to_a_limit_and_is_told_of() {
    let repo = TestRepo::new("//- a.md\n# A\n");
    repo.write("first/b.md", "# B\n"); // not tracked: what is tracked is seen in any case
    let many: String = (0..400_000).map(|n| format!("*a{n}b*c\n")).collect();
    repo.write(".gitignore", format!("/first\n{many}"));
    let status = repo.call_op("status", json!({})).unwrap();
    assert_eq!(status.basis.state, BasisState::Partial);
    let about = |reason: &String| reason.starts_with(".gitignore: only ");
    assert!(status.basis.reasons.iter().any(about), "{:?}", status.basis.reasons);
    assert_eq!(repo.data("status", json!({}))["files"], 2, "its first rule holds");
}

#[test]
fn resources_are_files_of_the_project_alone() {
    let repo = TestRepo::new("//- a.md\n# A\n//- .gitignore\n.env\n//- .env\nTOKEN=1\n");
    symlink(".env", repo.root().join("link")).unwrap();
    let workspace = repo.workspace();
    let read = |path: &str| {
        let view = workspace.view(call()).unwrap();
        (operations::resources::RESOURCES[0].read)(&view, path)
    };
    assert!(read("a.md").is_ok());
    for path in [".env", "link", ".git/config", "nothing"] {
        assert!(read(path).is_err(), "{path}");
    }
}
