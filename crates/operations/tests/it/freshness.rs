//! The index is never out of date, whatever happens to the tree or to the index itself.
//!
//! @see spec::workspace/freshness

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use engine::{AREAS, BasisState, Workspace, WorkspaceMode};
use proptest::prelude::*;
use serde_json::json;
use testkit::{TestRepo, assert_incremental_equals_full, call};
use tree::DiskWriter;

/// One thing that happens to a working tree.
#[derive(Debug, Clone)]
enum Step {
    Write(usize, usize),
    Remove(usize),
    Move(usize, usize),
    Link(usize, usize),
    Ignore(usize),
    Commit,
    Branch(usize),
    Read,
}

const PATHS: [&str; 21] = [
    "README.md",
    "docs/a.md",
    "docs/b.md",
    "src/a.ts",
    "src/deep/b.rs",
    "docs",
    "x.log",
    "src/deep",
    "src/deep/b.ts",
    "Cargo.toml",
    "src/deep/Cargo.toml",
    "tsconfig.json",
    "package.json",
    "src/deep/package.json",
    "go.mod",
    "src/deep/main.go",
    "src/deep/more.go",
    "src/main.go",
    "src/lib.rs",
    "src/deep/__init__.py",
    "src/c.py",
];

const TEXTS: [&str; 23] = [
    "# One\n[a](docs/a.md) [b](src/a.ts)\n",
    "# Two\n[a](../README.md)\n",
    "// What it does. And more\n",
    "// Same length as that on\n",
    "# One\r\n[a](docs/a.md) [b](src/a.ts)\r\n",
    "",
    "import { f } from './deep/b';\nexport * from \"../docs/a\";\nexport function f() { f(); }\n",
    "/** @see spec::a */\nexport class A { m() {} }\nexport default A;\n",
    "[package]\nname = \"a-b\"\n",
    "use a_b::b::X;\npub mod b;\nuse crate::a::{B, C as D};\n/// Doc\npub struct S { pub x: u8 }\nfn broken( {\n",
    "{\"compilerOptions\": {\"paths\": {\"@/*\": [\"src/*\"]}}, \"name\": \"deep\", \"main\": \"./b.ts\"}",
    "{\"extends\": \"./none\", \"workspaces\": [\"src/*\"], \"compilerOptions\": {\"baseUrl\": \"src\"}}",
    "import { f, A } from '@/deep/b';\nimport * as d from 'deep';\nexport { f as g } from 'deep/b';\nd.f();\n",
    "module example.com/x\n",
    "package main\nimport \"example.com/x/src/deep\"\nfunc F() { deep.F() }\n",
    "package deep\ntype T struct{}\ntype I interface { M() }\nfunc F() *T { return G() }\n",
    "package deep\nfunc G() *T { return F() }\nfunc (t *T) M() {}\nvar V = F()\n",
    "package use\nimport (\n\"example.com/x/src/deep\"\n. \"example.com/x/src\"\n)\nfunc F(i deep.I) { deep.G().M(); i.M(); main.F(); H() }\n",
    "mod deep;\n#[path = \"deep/b.rs\"]\nmod c;\npub use c::*;\nuse deep::b::X;\nfn f() { crate::c::S; }\n",
    "[package]\nname = \"deep\"\n[lib]\npath = \"b.rs\"\n[dependencies]\na-b = { path = \"../..\" }\n",
    "from . import c\nfrom deep import X\nfrom src.c import *\nimport src.deep\nsrc.deep.X()\n",
    "class X: ...\nfrom .c import Y\n",
    "[workspace]\n[workspace.dependencies]\na-b = { path = \"src/deep\" }\n[package]\nname = \"a-b\"\n[dependencies]\ndeep = { workspace = true }\n",
];

const RULES: [&str; 3] = ["*.log\n", "docs/\n!docs/a.md\n", ""];

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        5 => (0..PATHS.len(), 0..TEXTS.len()).prop_map(|(path, text)| Step::Write(path, text)),
        2 => (0..PATHS.len()).prop_map(Step::Remove),
        2 => (0..PATHS.len(), 0..PATHS.len()).prop_map(|(from, to)| Step::Move(from, to)),
        1 => (0..PATHS.len(), 0..PATHS.len()).prop_map(|(from, to)| Step::Link(from, to)),
        1 => (0..RULES.len()).prop_map(Step::Ignore),
        1 => Just(Step::Commit),
        1 => (0..2_usize).prop_map(Step::Branch),
        4 => Just(Step::Read),
    ]
}

fn take(repo: &TestRepo, workspace: &Workspace, step: &Step) {
    let at = |path: &usize| repo.root().join(PATHS[*path]);
    match step {
        Step::Write(path, text) => {
            // A file or link in the place of a parent folder is removed first.
            let file = at(path);
            let folders = file.ancestors().skip(1).take_while(|f| f.starts_with(repo.root()));
            let stands = |f: &&std::path::Path| f.is_file() || f.is_symlink();
            folders.filter(stands).for_each(|folder| fs::remove_file(folder).unwrap());
            if !file.is_dir() && !file.is_symlink() {
                repo.write(PATHS[*path], TEXTS[*text]);
            }
        }
        Step::Remove(path) => repo.remove(PATHS[*path]),
        Step::Move(from, to) => {
            let (from, to): (PathBuf, PathBuf) = (at(from), at(to));
            let apart = !to.starts_with(&from) && !from.starts_with(&to);
            if from.exists()
                && !to.exists()
                && apart
                && to.parent().is_some_and(std::path::Path::is_dir)
            {
                // A link in the path may prevent the rename. Then nothing has changed.
                let _ = fs::rename(from, to);
            }
        }
        Step::Link(from, to) => {
            let (from, to) = (at(from), at(to));
            if !to.exists()
                && to.symlink_metadata().is_err()
                && to.parent().is_some_and(std::path::Path::is_dir)
            {
                std::os::unix::fs::symlink(from, to).unwrap();
            }
        }
        Step::Ignore(rules) => repo.write(".gitignore", RULES[*rules]),
        Step::Commit => drop(repo.commit("step")),
        Step::Branch(number) => {
            repo.commit("before the switch");
            let name = ["main", "side"][*number];
            let known = repo.git(&["branch", "--list", name]);
            let create: &[&str] = if known.is_empty() { &["-b"] } else { &[] };
            let args = [&["checkout", "-q"], create, &[name]].concat();
            repo.git(&args);
        }
        Step::Read => workspace.sync(false, &call()).unwrap(),
    }
}

fn replay(steps: &[Step], mode: WorkspaceMode) {
    let repo = TestRepo::new("//- README.md\n# Start\n//- src/a.ts\n// A\n//- docs/a.md\n# A\n");
    let workspace = repo.open(mode, DiskWriter::default(), AREAS);
    workspace.sync(false, &call()).unwrap();
    for step in steps {
        take(&repo, &workspace, step);
    }
    assert_incremental_equals_full(&workspace, &format!("{steps:?}"));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn incremental_equals_full_by_scanning(steps in prop::collection::vec(step(), 1..14)) {
        replay(&steps, WorkspaceMode::Once);
    }

    #[test]
    fn incremental_equals_full_by_watching(steps in prop::collection::vec(step(), 1..14)) {
        replay(&steps, WorkspaceMode::Serving);
    }
}

#[test]
fn a_server_sees_every_write_that_came_before_the_question() {
    let repo = TestRepo::new("//- a.md\n# Nought\n");
    let workspace = repo.open(WorkspaceMode::Serving, DiskWriter::default(), AREAS);
    let title = |workspace: &Workspace| {
        let op = operations::ops::find("context").unwrap();
        let args = serde_json::from_value(json!({"targets": ["a.md"]})).unwrap();
        let answer = op.call(workspace, testkit::call_by("t"), args).unwrap();
        assert_eq!(answer.basis.state, BasisState::Fresh);
        answer.data["targets"][0]["about"].as_str().unwrap().to_owned()
    };
    for round in 10..60 {
        repo.write("a.md", format!("# Round {round}\n"));
        assert_eq!(title(&workspace), format!("Round {round} (Markdown, 1 line)"));
    }
}

fn index_files(repo: &TestRepo) -> Vec<PathBuf> {
    let entries = fs::read_dir(repo.root().join(".cairn/cache")).unwrap();
    let files = entries.map(|entry| entry.unwrap().path());
    files.filter(|path| path.extension().is_some_and(|end| end == "sqlite")).collect()
}

#[test]
fn a_damaged_index_is_mended_without_being_asked() {
    type Damage = fn(&PathBuf);
    let damages: [(&str, Damage); 6] = [
        ("truncated", |path| {
            fs::OpenOptions::new().write(true).open(path).unwrap().set_len(9000).unwrap();
        }),
        ("emptied", |path| fs::write(path, "").unwrap()),
        ("zeroed", |path| {
            fs::write(path, vec![0; fs::read(path).unwrap().len()]).unwrap();
        }),
        ("garbled", |path| fs::write(path, "no database").unwrap()),
        ("deleted", |path| fs::remove_file(path).unwrap()),
        ("flipped", |path| {
            let mut bytes = fs::read(path).unwrap();
            bytes.iter_mut().skip(4096).step_by(97).for_each(|byte| *byte ^= 0xff);
            fs::write(path, bytes).unwrap();
        }),
    ];
    for (what, damage) in damages {
        let repo = TestRepo::new("//- a.md\n# A\n[b](b.md)\n//- b.md\n# B\n");
        let before = repo.text("impact b.md");
        index_files(&repo).iter().for_each(damage);
        assert_eq!(repo.text("impact b.md"), before, "{what}");
        assert_eq!(repo.text("impact b.md"), before, "{what}, asked again");
    }
}

#[test]
fn a_server_survives_the_loss_of_its_index() {
    let repo = TestRepo::new("//- a.md\n# A\n");
    let workspace = repo.open(WorkspaceMode::Serving, DiskWriter::default(), AREAS);
    let files = |workspace: &Workspace| {
        let op = operations::ops::find("status").unwrap();
        let answer = op.call(workspace, testkit::call_by("t"), engine::JsonObject::new()).unwrap();
        answer.data["files"].as_u64().unwrap()
    };
    assert_eq!(files(&workspace), 1);
    repo.remove(".cairn/cache");
    repo.write("b.md", "# B\n");
    assert_eq!(files(&workspace), 2);
    for path in index_files(&repo) {
        fs::write(path, "garbage").unwrap();
    }
    repo.write("c.md", "# C\n");
    assert_eq!(files(&workspace), 3);
}

#[test]
fn many_readers_at_once_agree() {
    let repo = TestRepo::new("//- a.md\n# A\n");
    for round in 0..5 {
        repo.write(&format!("{round}.md"), format!("# {round}\n"));
        std::thread::scope(|scope| {
            let readers: Vec<_> = (0..8)
                .map(|_| scope.spawn(|| repo.data("status", json!({}))["files"].as_u64().unwrap()))
                .collect();
            for reader in readers {
                assert_eq!(reader.join().unwrap(), round + 2);
            }
        });
    }
}

#[test]
fn facts_are_shared_by_worktrees() {
    let repo = TestRepo::new("//- a.md\n# A\n");
    repo.workspace().sync(false, &call()).unwrap();
    assert!(repo.root().join(".git/cairn/cache/facts.sqlite").is_file());
    let other = tempfile::tempdir().unwrap();
    let side = other.path().join("side");
    repo.git(&["worktree", "add", "-q", side.to_str().unwrap()]);
    let sibling = TestRepo::existing(&side);
    assert_eq!(sibling.data("status", json!({}))["files"], 1);
    let text = sibling.text("status");
    assert!(text.contains("<common git folder>/cairn/cache/facts.sqlite"), "{text}");
    assert!(!side.join(".git/cairn").exists());
    let basis = sibling.call_op("status", json!({})).unwrap().basis;
    assert_eq!((basis.worktree.as_str(), basis.branch.as_deref()), ("side", Some("side")));
}

#[test]
fn tracked_files_count_even_if_ignored_and_edits_are_counted_by_content() {
    let repo = TestRepo::new("//- .gitignore\n*.gen\n//- a.md\n# A\n");
    repo.write("b.gen", "kept\n");
    repo.write("c.gen", "not kept\n");
    repo.git(&["add", "-f", "b.gen"]);
    repo.git(&["commit", "-qm", "generated"]);
    let status = || repo.data("status", json!({}));
    assert_eq!((&status()["files"], &status()["edited"]), (&json!(3), &json!(0)));
    repo.write("a.md", "# A\r\n");
    assert_eq!(status()["edited"], 0, "line endings are no edit");
    repo.write("a.md", "# B\n");
    repo.write("new.md", "");
    repo.remove("b.gen");
    assert_eq!(status()["edited"], 3);
    repo.git(&["checkout", "-q", "--", "."]);
    repo.remove("new.md");
    assert_eq!(status()["edited"], 0);
}

#[test]
fn without_git_there_is_still_an_answer() {
    let repo = TestRepo::without_git("//- a.md\n# A\n[b](b.md)\n//- b.md\n# B\n");
    assert_eq!(repo.data("impact", json!({"target": "b.md"}))["rows"][0]["node"], "file:a.md");
    let basis = repo.call_op("status", json!({})).unwrap().basis;
    assert_eq!((basis.branch, basis.commit, basis.state), (None, None, BasisState::Fresh));
    assert!(repo.root().join(".cairn/cache/.gitignore").is_file());
    assert!(!repo.root().join(".git").exists() && !repo.root().join(".cairn/local").exists());
}

#[test]
fn an_empty_repository_and_odd_names_are_ordinary() {
    let repo = TestRepo::without_git("");
    repo.git(&["init", "-q", "-b", "main"]);
    assert_eq!(repo.data("status", json!({}))["files"], 0);
    for name in ["a b.md", "ü.md", "new\nline.md", "per%cent#.md", "-rf", "q\"uote'.md"] {
        repo.write(name, "# Odd\n");
    }
    let repo = Arc::new(repo);
    assert_eq!(repo.data("status", json!({}))["files"], 6);
    let node = &repo.data("search", json!({"query": "line.md"}))["hits"][0]["node"];
    assert_eq!(node, "file:new%0Aline.md");
    assert_eq!(repo.data("impact", json!({"target": node}))["target"], *node);
}
