//! A named pipe at any path that cairn opens: every command and the server answer or refuse, and
//! never block.

#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};
use testkit::TestRepo;

const CAIRN: &str = env!("CARGO_BIN_EXE_cairn");

/// Long enough for the slowest machine. A command that opens the pipe would wait forever.
const TIMEOUT_SECONDS: &str = "120";

/// The exit code of `timeout` if it had to end the command.
const EXIT_TIMED_OUT: i32 = 124;

/// Runs cairn under `timeout`. The callers assert that it ended by itself.
fn cairn(repo: &TestRepo, input: &str, args: &[&str]) -> Output {
    #[expect(clippy::disallowed_methods, reason = "the binary under test, with a limit")]
    let mut command = Command::new("timeout");
    let file = repo.root().with_extension("input");
    std::fs::write(&file, input).unwrap();
    command.args([TIMEOUT_SECONDS, CAIRN, "-C"]).arg(repo.root()).args(args);
    command.stdin(std::fs::File::open(file).unwrap()).env("NO_COLOR", "");
    command.output().unwrap()
}

#[expect(clippy::disallowed_methods, reason = "there is no pipe in the standard library")]
fn make_pipe(path: &Path) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// A repository with everything that cairn stores: cards, shared knowledge, stores, hooks.
fn repository() -> TestRepo {
    let repo = TestRepo::new(
        "//- cairn.jsonc\n{}\n//- .gitignore\ntarget/\n//- src/.gitignore\n*.log\n\
         //- src/a.ts\nexport function greet() {}\n//- package.json\n{\"name\": \"p\"}\n\
         //- tsconfig.json\n{}\n//- docs/adr/1.md\n---\nid: ADR-1\ntitle: T\nstatus: accepted\n---\n",
    );
    repo.commit("first");
    let run = |args: &[&str]| {
        let output = cairn(&repo, "", args);
        assert_eq!(output.status.code(), Some(0), "{args:?}: {output:?}");
    };
    run(&["init", "--agents", "claude"]);
    run(&["card", "create", "spec::first", "--summary", "First"]);
    run(&["kb", "upsert", r#"{"entities": [{"id": "FACT-1", "type": "fact", "title": "x"}]}"#]);
    run(&["work", "create", "project", "P"]);
    run(&["share"]);
    run(&["backup"]);
    run(&["sync"]);
    repo
}

/// The server's answer to one call. Its input is closed right after the call.
fn serve_one_call(repo: &TestRepo) -> Output {
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "pipes", "version": "1"}});
    let call = json!({"name": "status", "arguments": {}});
    let lines = [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call}),
    ];
    let input: String = lines.iter().map(|line| format!("{line}\n")).collect();
    cairn(repo, &input, &["mcp"])
}

/// Puts a pipe at each path in turn, and runs every command.
fn assert_nothing_waits(repo: &TestRepo, paths: &[PathBuf]) {
    for (number, path) in paths.iter().enumerate() {
        let aside = repo.root().with_extension("aside");
        let was_there = std::fs::rename(path, &aside).is_ok();
        make_pipe(path);
        let fact = format!(
            r#"{{"entities": [{{"id": "FACT-9{number}", "type": "fact", "title": "y"}}]}}"#
        );
        let key = format!("spec::made-{number}");
        let asked: [&[&str]; 4] = [
            &["status", "--json"],
            &["search", "greet", "--json"],
            &["card", "create", &key, "--summary", "Made", "--json"],
            &["kb", "upsert", &fact, "--json"],
        ];
        for args in asked {
            let output = cairn(repo, "", args);
            let code = output.status.code();
            assert!(
                matches!(code, Some(0..=3)),
                "{args:?} with a pipe at {}: {output:?}",
                path.display()
            );
            let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
            assert_ne!(answer["error"]["code"], "INTERNAL", "{}: {answer:#}", path.display());
        }
        let output = serve_one_call(repo);
        assert_ne!(
            output.status.code(),
            Some(EXIT_TIMED_OUT),
            "the server with a pipe at {}",
            path.display()
        );
        let _ = std::fs::remove_file(path); // a cache that is not one was replaced already
        if was_there {
            std::fs::rename(&aside, path).unwrap();
        }
    }
}

/// The files below a folder whose names a test accepts.
fn files_below(folder: &Path, wanted: fn(&str) -> bool) -> Vec<PathBuf> {
    let (mut found, mut folders) = (Vec::new(), vec![folder.to_path_buf()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            match entry.is_dir() {
                true => folders.push(entry),
                false if wanted(&entry.to_string_lossy()) => found.push(entry),
                false => {}
            }
        }
    }
    found.sort();
    assert!(!found.is_empty());
    found
}

#[test]
fn no_pipe_at_a_file_of_git_is_waited_for() {
    let repo = repository();
    let names = [
        "HEAD",
        "config",
        "index",
        "packed-refs",
        "commondir",
        "shallow",
        "info/exclude",
        "refs/heads/main",
        "objects/info/alternates",
        "hooks/post-checkout",
    ];
    assert_nothing_waits(&repo, &names.map(|name| repo.root().join(".git").join(name)));
}

#[test]
fn no_pipe_at_a_file_that_people_write_is_waited_for() {
    let repo = repository();
    let names = [
        "cairn.jsonc",
        ".gitignore",
        "src/.gitignore",
        "src/a.ts",
        "package.json",
        "tsconfig.json",
        "docs/adr/1.md",
        ".cairn/schema/version",
        ".cairn/cards/first.card.md",
        ".mcp.json",
    ];
    let mut paths: Vec<PathBuf> = names.iter().map(|name| repo.root().join(name)).collect();
    paths.extend(files_below(&repo.root().join(".cairn/shared"), |_| true).into_iter().take(3));
    assert_nothing_waits(&repo, &paths);
}

#[test]
fn no_pipe_at_a_file_that_cairn_keeps_is_waited_for() {
    let repo = repository();
    let (git, cache) = (repo.root().join(".git/cairn"), repo.root().join(".cairn/cache"));
    let mut paths = files_below(&git, |name| !name.contains("/journal/done-"));
    paths.extend(files_below(&cache, |name| !name.ends_with("/.gitignore")));
    for end in ["-wal", "-shm"] {
        paths.push(git.join(format!("work.sqlite{end}")));
    }
    paths.push(git.join("journal/pending-99/entry.json"));
    paths.sort();
    paths.dedup();
    assert_nothing_waits(&repo, &paths);
}
