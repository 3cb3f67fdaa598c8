//! A repository whose files try to run programs: no operation runs any of them.

use std::path::Path;
use std::process::Command;

use git::hostile::{programs_that_ran, set_traps};
use operations::ops::ALL;
use testkit::TestRepo;

/// Arguments that make each operation do its work here.
fn args(name: &str) -> Vec<&'static str> {
    match name {
        "context" | "impact" | "deps" => vec!["README.md"],
        "subgraph" => vec!["."],
        "trace" => vec!["README.md", "src"],
        "search" => vec!["start"],
        "hook" => vec!["post-commit"],
        "sync" => vec!["--full"],
        "init" => vec!["--agents", "all"],
        _ => vec![],
    }
}

/// A toolchain wrapper such as rustup reads its settings from the folders above its working folder.
#[test]
#[expect(clippy::disallowed_methods, reason = "the binary under test, and its environment")]
fn a_language_server_is_probed_outside_of_the_repository() {
    use std::os::unix::fs::PermissionsExt;
    let repo = TestRepo::new("//- src/main.rs\nfn main() {}\n");
    let bin = tempfile::tempdir().unwrap();
    let (server, seen) = (bin.path().join("rust-analyzer"), bin.path().join("seen"));
    std::fs::write(&server, format!("#!/bin/sh\npwd > '{}'\n", seen.display())).unwrap();
    std::fs::set_permissions(&server, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = std::env::var("PATH").unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_cairn"));
    command.arg("-C").arg(repo.root()).arg("doctor");
    command.env("PATH", format!("{}:{path}", bin.path().display())).output().unwrap();
    let folder = std::fs::read_to_string(seen).expect("the server was started");
    assert!(!Path::new(folder.trim()).starts_with(repo.root()), "it was started in {folder}");
}

/// The command lines that an operation is tried with: ours, and its own examples.
fn lines(op: &engine::OpSpec) -> Vec<Vec<String>> {
    let ours: Vec<String> = args(op.name).into_iter().map(ToOwned::to_owned).collect();
    let examples = op.examples.iter().map(|example| {
        example.args.replace('"', "").split_whitespace().map(ToOwned::to_owned).collect()
    });
    [ours].into_iter().chain(examples).collect()
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the binary under test")]
fn nothing_that_a_repository_names_is_run_or_read() {
    let repo =
        TestRepo::new("//- README.md\n# Start\n[s](src/a.ts)\n//- src/a.ts\n// A\n//- -rf\nx\n");
    let (canaries, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    std::fs::write(outside.path().join("secret.md"), "# hunter2\n").unwrap();
    for (name, target) in
        [("out", outside.path().into()), ("s.md", outside.path().join("secret.md"))]
    {
        std::os::unix::fs::symlink(target, repo.root().join(name)).unwrap();
    }
    repo.git(&["add", "-A"]);
    repo.git(&["commit", "-qm", "links"]);
    repo.git(&["update-ref", "refs/heads/-x", "HEAD"]);
    repo.git(&["update-ref", "refs/tags/--upload-pack=touch", "HEAD"]);
    set_traps(&repo.root(), canaries.path());
    repo.write("src/a.ts", "// changed\n");
    for (op, line) in ALL.iter().flat_map(|op| lines(op).into_iter().map(move |line| (op, line))) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cairn"));
        command.arg("-C").arg(repo.root()).args(op.words().split(' ')).args(&line);
        let output = command.stdin(std::process::Stdio::null()).output().unwrap();
        let (code, name) = (output.status.code(), op.name);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(code.is_some_and(|code| code <= 3), "{name} {line:?} ended with {code:?}: {said}");
        assert_eq!(
            programs_that_ran(canaries.path()),
            Vec::<String>::new(),
            "{name} {line:?} ran something"
        );
        let told = String::from_utf8_lossy(&output.stdout);
        assert!(!told.contains("hunter2") && !said.contains("hunter2"), "{name} {line:?} read it");
    }
    assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 1, "nothing was written there");
}
