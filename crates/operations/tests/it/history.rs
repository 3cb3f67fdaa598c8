//! The history agrees with git, however the commits were made.
//!
//! @see spec::history/artifacts

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};

use base::ProblemCode;
use base::call::CallStopReason;
use engine::{AREAS, WorkspaceMode};
use proptest::prelude::*;
use serde_json::{Value, json};
use testkit::{TestRepo, assert_incremental_equals_full, call, call_by};
use tree::DiskWriter;

/// One thing that happens to a repository.
#[derive(Debug, Clone)]
enum Step {
    Write(usize, usize),
    Remove(usize),
    Rename(usize, usize),
    Commit(usize),
    Amend,
    Back,
    Branch(usize),
    Merge(usize),
    Collect,
    Read,
    Snapshot,
}

const PATHS: [&str; 5] = ["a.md", "src/b.md", "src/c/d.md", "e.lock", "src/f.md"];

const TEXTS: [&str; 3] = ["one\ntwo\nthree\n", "one\ntwo\nfour\n", "other\n"];

const MESSAGES: [&str; 3] = ["step", "feat: x\n\nwhy\n\ntags: +x, -src", "fix: y\n\ntags: -x, c"];

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0..PATHS.len(), 0..TEXTS.len()).prop_map(|(path, text)| Step::Write(path, text)),
        1 => (0..PATHS.len()).prop_map(Step::Remove),
        2 => (0..PATHS.len(), 0..PATHS.len()).prop_map(|(from, to)| Step::Rename(from, to)),
        4 => (0..MESSAGES.len()).prop_map(Step::Commit),
        1 => Just(Step::Amend),
        1 => Just(Step::Back),
        2 => (0..2_usize).prop_map(Step::Branch),
        2 => (0..2_usize).prop_map(Step::Merge),
        1 => Just(Step::Collect),
        3 => Just(Step::Read),
        2 => Just(Step::Snapshot),
    ]
}

/// A shallow clone, in a folder that is removed together with the original repository.
pub(crate) fn shallow(repo: &TestRepo, depth: usize) -> TestRepo {
    let url = format!("file://{}", repo.root().display());
    let folders = (0..).map(|number| repo.root().join(format!(".git/clone-{number}")));
    let to = folders.into_iter().find(|folder| !folder.exists()).unwrap();
    repo.git(&["clone", "-q", "--depth", &depth.to_string(), &url, to.to_str().unwrap()]);
    TestRepo::existing(&to)
}

fn branch(repo: &TestRepo, number: usize) -> &'static str {
    let name = ["main", "side"][number];
    if repo.git(&["branch", "--list", name]).is_empty() {
        repo.git(&["branch", "-q", name]);
    }
    name
}

fn take(repo: &TestRepo, workspace: &engine::Workspace, step: &Step) {
    match step {
        Step::Write(path, text) => repo.write(PATHS[*path], TEXTS[*text]),
        Step::Remove(path) => repo.remove(PATHS[*path]),
        Step::Rename(from, to) => {
            if repo.read(PATHS[*from]).is_some() && from != to {
                repo.rename(PATHS[*from], PATHS[*to]);
            }
        }
        Step::Commit(message) => drop(repo.commit(MESSAGES[*message])),
        Step::Amend => {
            repo.git(&["add", "-A"]);
            repo.git(&["commit", "-q", "--amend", "--allow-empty", "-m", "amended"]);
        }
        Step::Back => {
            repo.commit("to be lost");
            repo.git(&["reset", "-q", "--hard", "HEAD~1"]);
        }
        Step::Branch(number) => {
            repo.commit("before the switch");
            repo.git(&["checkout", "-q", branch(repo, *number)]);
        }
        Step::Merge(number) => {
            repo.commit("before the merge");
            let name = branch(repo, *number);
            repo.git(&["merge", "-q", "--no-ff", "-X", "ours", "-s", "ort", "-m", "merge", name]);
        }
        Step::Collect => {
            repo.git(&["reflog", "expire", "--expire=now", "--all"]);
            repo.git(&["prune", "--expire=now"]);
        }
        Step::Read => workspace.sync(false, &call()).unwrap(),
        Step::Snapshot => drop(repo.data("history.snapshot", json!({}))),
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None, cases: 24, ..ProptestConfig::default()
    })]

    #[test]
    fn brought_up_to_date_or_read_from_nothing_or_from_a_snapshot_it_is_the_same_history(
        steps in prop::collection::vec(step(), 1..16)
    ) {
        let repo = TestRepo::new("//- a.md\none\ntwo\nthree\n");
        let workspace = repo.open(WorkspaceMode::Once, DiskWriter::default(), AREAS);
        workspace.sync(false, &call()).unwrap();
        for step in &steps {
            // A merge with conflicts is skipped.
            let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                take(&repo, &workspace, step);
            }));
            if done.is_err() {
                repo.git(&["reset", "-q", "--hard"]);
            }
        }
        repo.commit("the end");
        workspace.sync(false, &call()).unwrap();
        let before = workspace.dump(&call()).unwrap();
        let cache = repo.root().join(".git/cairn/cache");
        // The stored commits are deleted. Those of the newest snapshot are taken from it, and the
        // others from git.
        for entry in fs::read_dir(&cache).unwrap().map(Result::unwrap) {
            if entry.file_name().to_string_lossy().starts_with("commits-") {
                fs::remove_file(entry.path()).unwrap();
            }
        }
        assert_incremental_equals_full(&workspace, &format!("from a snapshot: {steps:?}"));
        prop_assert_eq!(&before, &workspace.dump(&call()).unwrap());
        // A clone without history, which gets all of it from a snapshot.
        let taken = repo.data("history.snapshot", json!({}))["snapshot"]["name"].clone();
        let shallow = shallow(&repo, 1);
        let name = format!("{}.snapshot", taken.as_str().unwrap());
        let kept = shallow.root().join(".git/cairn/cache/snapshots");
        fs::create_dir_all(&kept).unwrap();
        fs::copy(cache.join("snapshots").join(&name), kept.join(&name)).unwrap();
        prop_assert_eq!(&before, &shallow.workspace().dump(&call()).unwrap());
        // Stored commits agree with git: after they are deleted, the answer is the same.
        fs::remove_dir_all(&cache).unwrap();
        assert_incremental_equals_full(&workspace, &format!("from git: {steps:?}"));
        prop_assert_eq!(before, workspace.dump(&call()).unwrap());
    }
}

fn subjects(answer: &Value) -> Vec<&str> {
    let commits = answer["commits"].as_array().unwrap();
    let subject = |commit: &'_ Value| -> usize { commit["message"].as_str().unwrap().len() };
    assert!(commits.iter().all(|commit| subject(commit) > 0));
    commits.iter().map(|commit| commit["message"].as_str().unwrap().trim_end()).collect()
}

#[test]
fn a_renamed_file_keeps_its_history_and_its_tags() {
    let repo = TestRepo::new("//- src/auth/a.ts\nexport const one = 1;\nexport const two = 2;\n");
    repo.write("src/auth/a.ts", "export const one = 1;\nexport const two = 3;\n");
    repo.commit("feat(auth): three\n\nwhy\n\ntags: +session, -auth");
    repo.rename("src/auth/a.ts", "src/login/b.ts");
    repo.commit("refactor!: move");
    let told = repo.data("history.provenance", json!({"path": "src/login/b.ts"}));
    assert_eq!(subjects(&told)[2], "refactor!: move");
    assert_eq!(told["earlier"], json!(["src/auth/a.ts"]));
    let tags: Vec<&Value> =
        told["commits"].as_array().unwrap().iter().map(|c| &c["tags_at_commit"]).collect();
    assert_eq!(tags, [&json!(["auth"]), &json!(["session"]), &json!(["login", "session"])]);
    assert_eq!(told["commits"][1]["conv_scope"], "auth");
    assert_eq!(told["commits"][2]["breaking"], true);
    // The old path means the same file. A new file with that path is another file.
    assert_eq!(repo.data("get_provenance", json!({"path": "src/auth/a.ts"})), told);
    let before = repo.data("history.show", json!({"path": "src/login/b.ts", "ref": "HEAD~2"}));
    assert_eq!(before["path"], "src/auth/a.ts");
    assert_eq!(before["content"], "export const one = 1;\nexport const two = 2;\n");
    repo.write("src/auth/a.ts", "anew\n");
    repo.commit("anew");
    let anew = repo.data("history.provenance", json!({"path": "src/auth/a.ts"}));
    assert_eq!(subjects(&anew), ["anew"]);
}

#[test]
fn files_are_listed_by_tag_and_dead_ones_on_request() {
    let repo = TestRepo::new(
        "//- src/auth/a.ts\na\n//- lib/auth/b.ts\nb\n//- Cargo.lock\nx\n//- web/deep/x.lock\ny\n",
    );
    repo.remove("lib/auth/b.ts");
    repo.commit("gone\n\ntags: old");
    let paths = |args: Value| {
        let data = repo.data("history.list", args);
        let rows = data["artifacts"].as_array().unwrap().iter();
        rows.map(|row| row["path"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(paths(json!({})), ["src/auth/a.ts"], "lock files are no history at any depth");
    assert_eq!(paths(json!({"tags": "auth", "include_deleted": true})).len(), 2);
    assert_eq!(paths(json!({"tags": ["auth", "old"], "includeDeleted": true})), ["lib/auth/b.ts"]);
    assert_eq!(paths(json!({"source_only": true, "include_deleted": true})), ["src/auth/a.ts"]);
    // A folder whose files were all deleted can still be asked about.
    for folder in ["lib", "lib/auth", "lib/auth/b.ts"] {
        let args = json!({"path": folder, "include_deleted": true});
        assert_eq!(paths(args), ["lib/auth/b.ts"], "{folder}");
    }
    assert_eq!(repo.code("history.list", json!({"path": "lib"})), base::ProblemCode::NotFound);
    let never = json!({"path": "never", "include_deleted": true});
    assert_eq!(repo.code("history.list", never), base::ProblemCode::NotFound);
    let tags = repo.data("list_tags", json!({}));
    assert_eq!(tags["tags"], json!([{"tag": "auth", "count": 1}]));
}

#[test]
fn what_changes_together_is_told_with_its_numbers() {
    let repo = TestRepo::new("//- a.rs\n1\n//- b.rs\n1\n//- c.rs\n1\n");
    for round in 0..4 {
        repo.write("a.rs", format!("{round}\n"));
        repo.write("b.rs", format!("{round} b\n"));
        repo.commit("both");
    }
    repo.write("c.rs", "alone\n");
    repo.commit("alone");
    let told = repo.data("get_cochange", json!({"path": "a.rs"}));
    let first = &told["partners"][0];
    assert_eq!((&first["path"], &first["count"]), (&json!("b.rs"), &json!(5)));
    assert_eq!((&first["jaccard"], &first["confidence"]), (&json!(1.0), &json!(1.0)));
    assert_eq!(first["support"], json!(0.8333));
    let context = repo.text("context a.rs");
    assert!(context.contains("usually changes too: 5 of 5 commits"), "{context}");
    let edges = repo.data("subgraph", json!({"center": "a.rs", "edges": ["co_change"], "hops": 1}));
    assert!(edges.to_string().contains("module:b.rs"), "{edges}");
}

#[test]
fn files_of_a_folder_that_change_together_are_pairs() {
    let repo = TestRepo::new("//- src/a.rs\n1\n//- src/b.rs\n1\n//- src/c.rs\n1\n//- d.rs\n1\n");
    for round in 0..4 {
        repo.write("src/a.rs", format!("{round}\n"));
        repo.write("src/b.rs", format!("{round} b\n"));
        repo.write("d.rs", format!("{round} d\n"));
        repo.commit("three");
    }
    repo.write("src/c.rs", "alone\n");
    repo.commit("alone");
    let told = repo.data("history.cochange", json!({"paths": "src"}));
    assert_eq!(told["paths"], json!(["src"]));
    assert_eq!(told["busiest"], json!(["src/a.rs", "src/b.rs", "src/c.rs"]));
    let first = &told["pairs"][0];
    assert_eq!((&first["first"], &first["second"]), (&json!("src/a.rs"), &json!("src/b.rs")));
    assert_eq!((&first["count"], &first["jaccard"]), (&json!(5), &json!(1.0)));
    // The same number as in the answer about a single file.
    let alone = repo.data("history.cochange", json!({"paths": "src/a.rs"}));
    let partner =
        alone["partners"].as_array().unwrap().iter().find(|row| row["path"] == "src/c.rs");
    assert_eq!(partner.unwrap()["jaccard"], told["pairs"][1]["jaccard"]);
    let text = repo.text("history cochange src");
    assert!(text.contains("3 pairs of the 3 busiest files of src change together"), "{text}");
}

#[test]
fn hotspots_tell_what_has_no_spec_and_no_test() {
    let repo = TestRepo::new(
        "//- src/called.ts\nexport function called() { return 1; }\n\
         //- src/between.ts\nimport { called } from './called';\nexport const between = () => called();\n\
         //- src/stem.ts\nexport const stem = 1;\n\
         //- src/bare.ts\nexport const bare = 1;\n\
         //- src/own.rs\npub fn own() {}\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn it_works() { super::own(); }\n}\n\
         //- src/specified.ts\n/** @see spec::a/b */\nexport function specified() {}\n\
         //- tests/flow.test.ts\nimport { between } from '../src/between';\ntest('flow', () => { between(); });\n\
         //- tests/stem.test.ts\ntest('s', () => {});\n\
         //- .cairn/cards/a/b.card.md\n---\nkey: spec::a/b\ntype: spec\nsummary: s\nstatus: accepted\n---\n",
    );
    repo.commit("first");
    let told = repo.data("history.hotspots", json!({"gaps": true}));
    let with = |field: &str| {
        let rows = told["files"].as_array().unwrap().iter();
        let mut paths: Vec<&str> = rows
            .filter(|row| row[field] == true)
            .map(|row| row["path"].as_str().unwrap())
            .collect();
        paths.sort_unstable();
        paths
    };
    assert_eq!(told["files"].as_array().unwrap().len(), 6);
    assert_eq!(with("has_spec"), ["src/specified.ts"]);
    assert_eq!(with("has_test"), ["src/between.ts", "src/called.ts", "src/own.rs", "src/stem.ts"]);
    // `impact` of a single file finds tests for the same files, except tests inside the file
    // itself.
    for path in
        ["src/between.ts", "src/called.ts", "src/stem.ts", "src/bare.ts", "src/specified.ts"]
    {
        let found = repo.data("impact", json!({"target": path}));
        let has_tests = found["tests"].as_array().is_some_and(|tests| !tests.is_empty());
        assert_eq!(has_tests, with("has_test").contains(&path), "{path}");
    }
    let plain = repo.data("history.hotspots", json!({}));
    assert_eq!(plain["files"][0].get("has_test"), None, "only on request");
}

#[test]
fn a_symbol_has_a_history_of_its_own() {
    let text = |name: &str, two: u8| {
        format!(
            "export function one() {{ return 1; }}\nexport function {name}() {{ return {two}; }}\n"
        )
    };
    let repo = TestRepo::new("//- a.ts\n// nothing yet\n");
    for (name, number, message) in
        [("two", 2, "both"), ("two", 3, "two alone"), ("deux", 3, "in French"), ("deux", 4, "four")]
    {
        repo.write("a.ts", text(name, number));
        repo.commit(message);
    }
    repo.rename("a.ts", "src/a.ts");
    repo.commit("moved");
    let told = |symbol: &str| {
        let told = repo.data("history.provenance", json!({"path": format!("src/a.ts#{symbol}")}));
        let row = |commit: &Value| {
            let word = |key: &str| commit[key].as_str().unwrap().trim_end().to_owned();
            format!("{} {}", word("change"), word("message"))
        };
        told["commits"].as_array().unwrap().iter().map(row).collect::<Vec<_>>()
    };
    assert_eq!(told("one"), ["added both"]);
    let deux = ["added both", "modified two alone", "renamed in French", "modified four"];
    assert_eq!(told("deux"), deux);
    assert_eq!(
        repo.code("history.provenance", json!({"path": "src/a.ts#no"})),
        ProblemCode::NotFound
    );
}

#[test]
fn odd_paths_and_messages_are_ordinary() {
    use std::os::unix::ffi::OsStrExt;
    let names: [&[u8]; 6] =
        [b"a b.md", b"new\nline.md", b"q\"uote'.md", b"[x]*.md", "ü.md".as_bytes(), b"bad\xff.md"];
    let repo = TestRepo::new("//- start.md\nx\n");
    for name in names {
        fs::write(repo.root().join(std::ffi::OsStr::from_bytes(name)), name).unwrap();
    }
    let long = format!("big\n\n{}\u{1}:100644 000 M", "x".repeat(1 << 20));
    repo.write("message", &long);
    repo.git(&["add", "-A", "--", ".", ":!message"]);
    repo.git(&["commit", "-q", "-F", "message"]);
    repo.write("latin", b"gr\xfc\xdfe\n");
    repo.git(&[
        "-c",
        "i18n.commitEncoding=ISO-8859-1",
        "commit",
        "-q",
        "--allow-empty",
        "-F",
        "latin",
    ]);
    repo.git(&["commit", "-q", "--allow-empty", "--allow-empty-message", "-m", ""]);
    let listed = repo.data("history.list", json!({}))["artifacts"].as_array().unwrap().len();
    assert_eq!(listed, 7);
    for name in ["a b.md", "new%0Aline.md", "q\"uote'.md", "[x]*.md", "ü.md", "bad%FF.md"] {
        let told = repo.data("history.provenance", json!({"path": name}));
        assert_eq!(told["path"], name);
        assert_eq!(told["commits"][0]["message"].as_str().unwrap().trim_end(), long.trim_end());
    }
    let found = repo.data("search", json!({"query": "grüße", "kinds": "commit"}));
    assert_eq!(found["hits"][0]["name"], "grüße");
    assert_eq!(
        repo.code("history.show", json!({"path": "ü.md", "ref": "-x"})),
        ProblemCode::NotFound
    );
    assert_eq!(repo.code("history.provenance", json!({"path": "no.md"})), ProblemCode::NotFound);
}

#[test]
fn an_empty_repository_has_an_empty_history() {
    let repo = TestRepo::without_git("//- a.md\nx\n");
    assert_eq!(repo.code("history.list", json!({})), ProblemCode::Unavailable);
    repo.git(&["init", "-q", "-b", "main"]);
    assert_eq!(repo.data("history.list", json!({}))["artifacts"], json!([]));
    assert_eq!(repo.code("history.provenance", json!({"path": "a.md"})), ProblemCode::NotFound);
}

#[test]
fn a_shallow_clone_is_read_as_far_as_it_goes_and_deepened() {
    let repo = TestRepo::new("//- a.md\none\n");
    for text in ["two\n", "three\n"] {
        repo.write("a.md", text);
        repo.commit(text);
    }
    let clone = shallow(&repo, 1);
    let count = || {
        let told = clone.data("history.provenance", json!({"path": "a.md"}));
        let how = told["commits"][0]["change"].as_str().unwrap().to_owned();
        (told["commits"].as_array().unwrap().len(), how)
    };
    assert_eq!(count(), (1, "first known".into()));
    let told = clone.text("history provenance a.md");
    assert!(told.contains("the clone is shallow and ends at commit:"), "{told}");
    clone.git(&["fetch", "-q", "--unshallow"]);
    assert_eq!(count(), (3, "added".into()));
    let told = clone.data("history.provenance", json!({"path": "a.md"}));
    assert_eq!(told["commits"][2]["change"], "modified");
}

#[test]
fn a_missing_object_is_told_and_no_wrong_row_is_kept() {
    let repo = TestRepo::new("//- a.md\none\n");
    repo.write("a.md", "two\n");
    repo.commit("two");
    let tree = repo.git(&["rev-parse", "HEAD~1^{tree}"]);
    let (folder, file) = tree.trim().split_at(2);
    let object = repo.root().join(".git/objects").join(folder).join(file);
    let bytes = fs::read(&object).unwrap();
    fs::remove_file(&object).unwrap();
    assert_eq!(repo.code("history.list", json!({})), ProblemCode::StoreDamaged);
    fs::write(&object, bytes).unwrap();
    assert_eq!(repo.data("history.list", json!({}))["artifacts"].as_array().unwrap().len(), 1);
}

#[test]
fn a_commit_that_was_amended_and_collected_is_forgotten() {
    let repo = TestRepo::new("//- a.md\none\n");
    repo.write("a.md", "two\n");
    repo.commit("wrong");
    let subjects_of = || {
        let told = repo.data("history.provenance", json!({"path": "a.md"}));
        subjects(&told).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(subjects_of(), ["start", "wrong"]);
    repo.git(&["commit", "-q", "--amend", "-m", "right"]);
    repo.git(&["reflog", "expire", "--expire=now", "--all"]);
    repo.git(&["gc", "-q", "--prune=now"]);
    assert_eq!(subjects_of(), ["start", "right"]);
    let found = repo.data("search", json!({"query": "wrong", "kinds": "commit"}));
    assert_eq!(found["hits"], json!([]), "what leads nowhere is not found");
}

#[test]
fn a_worktree_of_a_bare_repository_has_a_history() {
    let repo = TestRepo::new("//- a.md\none\n");
    let (bare, tree) = (repo.root().join(".git/bare"), repo.root().join(".git/tree"));
    repo.git(&["clone", "-q", "--bare", ".", bare.to_str().unwrap()]);
    let bare = TestRepo::existing(&bare);
    bare.git(&["worktree", "add", "-q", "--detach", tree.to_str().unwrap()]);
    let told = TestRepo::existing(&tree).data("history.provenance", json!({"path": "a.md"}));
    assert_eq!(subjects(&told), ["start"]);
}

#[test]
fn search_is_narrowed_by_tags_and_time_and_sentences_find_commits() {
    let repo = TestRepo::new(
        "//- src/auth/limit.ts\nexport const limit = 1;\n//- src/pay/limit.ts\nexport const x = 1;\n\
         //- .cairn/cards/limit.card.md\n---\nkey: spec::limit\ntype: spec\nsummary: limit\n\
         status: draft\ntags:\n  - auth\n---\n",
    );
    repo.write("src/auth/limit.ts", "export const limit = 2;\n");
    repo.commit(
        "feat(auth): limit sign-ins\n\nA sliding window in Redis counts attempts.\n\ntags: redis",
    );
    let nodes = |args: Value| {
        let found = repo.data("search", args);
        let hits = found["hits"].as_array().unwrap().iter();
        hits.map(|hit| hit["node"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let tagged = nodes(json!({"query": "limit", "tags": ["auth"]}));
    assert!(tagged.contains(&"module:src/auth/limit.ts".to_owned()), "{tagged:?}");
    assert!(tagged.contains(&"spec::limit".to_owned()), "{tagged:?}");
    assert!(tagged.iter().any(|node| node.starts_with("commit:")), "{tagged:?}");
    assert!(!tagged.iter().any(|node| node.contains("pay")), "{tagged:?}");
    let both = nodes(json!({"query": "limit", "tags": "auth,redis", "kinds": "module"}));
    assert_eq!(both, ["module:src/auth/limit.ts"]);
    let hit = &repo.data("search", json!({"query": "limit.ts", "tags": "auth"}))["hits"][0];
    assert_eq!(hit["tags"], json!(["auth", "redis"]));
    assert_eq!(nodes(json!({"query": "limit", "since": "2999-01-01"})), [""; 0]);
    assert!(!nodes(json!({"query": "limit", "since": "2000-01-01T00:00:00Z"})).is_empty());
    assert_eq!(
        repo.code("search", json!({"query": "x", "since": "soon"})),
        ProblemCode::ValidationError
    );
    let sentence = "which change made a sliding window in Redis count the attempts of sign-ins";
    let found = nodes(json!({"query": sentence, "kinds": "commit"}));
    assert_eq!(found.len(), 1, "{found:?}");
}

/// A repository with many commits, each of which changes one of fifty files.
pub(crate) fn long(commits: usize) -> TestRepo {
    let repo = TestRepo::new("//- a.md\none\n");
    let commit = |number: usize| {
        let (text, file) = (format!("{number}\n"), number % 50);
        let (length, parent) = (text.len(), if number == 1 { "from main^0\n" } else { "" });
        format!(
            "commit refs/heads/main\ncommitter T <t@t.t> {number} +0000\ndata 2\nx\n{parent}\
             M 644 inline f{file}.md\ndata {length}\n{text}\n"
        )
    };
    repo.write(".git/stream", (1..=commits).map(commit).collect::<String>());
    repo.git(&["-c", "alias.feed=!git fast-import --quiet <.git/stream", "feed"]);
    repo.git(&["reset", "-q", "--hard"]);
    repo
}

#[test]
fn a_history_whose_reading_was_cut_off_goes_on_where_it_stopped() {
    const COMMITS: usize = 5000;
    let repo = long(COMMITS);
    // The caller cancels after four thousand commits.
    let stopped = std::sync::Arc::new(AtomicBool::new(false));
    let (stop, is_stopped) = (stopped.clone(), stopped);
    let call_once = call_by("tester")
        .with_progress_sink(move |p| {
            stop.fetch_or(p.activity == "reading the history" && p.done > 4000, Ordering::Relaxed);
        })
        .with_stop_check(move || {
            is_stopped.load(Ordering::Relaxed).then_some(CallStopReason::Cancelled)
        });
    let cut_off = repo.workspace().sync(false, &call_once).unwrap_err();
    assert_eq!(cut_off.code, ProblemCode::Cancelled);
    let kept = fs::read_dir(repo.root().join(".git/cairn/cache")).unwrap().map(Result::unwrap);
    let mut kept = kept.map(|entry| entry.path()).filter(|path| path.extension().is_some());
    let kept = kept.find(|path| {
        path.to_string_lossy().ends_with(".sqlite") && path.to_string_lossy().contains("commits-")
    });
    let known =
        history::commit_store::last_id(&store::open_read_only(&kept.unwrap()).unwrap()).unwrap();
    assert!(known.0 >= 2000, "{known:?} commits need not be read again");
    let told = repo.data("history.provenance", json!({"path": "f7.md"}));
    assert_eq!(told["commits"].as_array().unwrap().len(), 50);
    assert_incremental_equals_full(&repo.workspace(), "after an interruption");
}
