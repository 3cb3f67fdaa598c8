//! How often the program starts git: starting a process takes longer than what most of them do.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use testkit::TestRepo;

/// The arguments of every start of git by one command, a line each.
#[expect(clippy::disallowed_methods, reason = "the binary under test, with a git that counts")]
fn git_calls(repo: &TestRepo, args: &[&str]) -> Vec<String> {
    let path = std::env::var_os("PATH").unwrap();
    let has_git = |folder: &std::path::PathBuf| folder.join("git").is_file();
    let real = std::env::split_paths(&path).find(has_git).unwrap().join("git");
    let folder = tempfile::tempdir().unwrap();
    let (counting, calls) = (folder.path().join("git"), folder.path().join("calls"));
    let script = format!(
        "#!/bin/sh\necho \"$*\" >>'{}'\nexec '{}' \"$@\"\n",
        calls.display(),
        real.display()
    );
    fs::write(&counting, script).unwrap();
    fs::set_permissions(&counting, fs::Permissions::from_mode(0o755)).unwrap();
    let folders = [folder.path().to_path_buf()].into_iter().chain(std::env::split_paths(&path));
    let mut command = Command::new(Path::new(env!("CARGO_BIN_EXE_cairn")));
    command.current_dir(repo.root()).args(args).env("CAIRN_BACKGROUND", "off");
    let done = command.env("PATH", std::env::join_paths(folders).unwrap()).output().unwrap();
    assert!(done.status.success(), "{done:?}");
    fs::read_to_string(calls).unwrap_or_default().lines().map(str::to_owned).collect()
}

/// A repository with some links whose confirmation is of an earlier version, and whose files have
/// another comment since.
fn with_old_confirmations(links: usize) -> TestRepo {
    let mut fixture = "//- .cairn/cards/pay/capture.card.md
---
key: spec::pay/capture
type: spec
summary: A payment is captured once
status: implemented
---
"
    .to_owned();
    for number in 0..links {
        let code = format!("export function take{number}(): number {{\n  return {number};\n}}\n");
        let file = format!("//- src/take{number}.ts\n/** @see spec::pay/capture */\n{code}");
        fixture.push_str(&file);
    }
    let repo = TestRepo::new(&fixture);
    git_calls(&repo, &["confirm", "--all", "--why", "read all of it"]);
    for (path, _) in repo.snapshot() {
        if path.starts_with(".cairn/links/") {
            let text = repo.read(&path).unwrap();
            let present = text.lines().find(|line| line.starts_with("normaliser: ")).unwrap();
            repo.write(&path, text.replace(present, "normaliser: 0"));
        }
    }
    repo.commit("confirmed by an earlier version");
    for number in 0..links {
        let path = format!("src/take{number}.ts");
        let text = repo.read(&path).unwrap();
        repo.write(&path, format!("// Money.\n{text}"));
    }
    git_calls(&repo, &["sync"]);
    repo
}

#[test]
fn confirmations_of_an_earlier_version_are_read_with_one_git_process() {
    let calls = |links| git_calls(&with_old_confirmations(links), &["verify"]);
    let (one, many) = (calls(1), calls(5));
    assert!(one.iter().any(|call| call.contains("cat-file")), "{one:#?}");
    assert_eq!(one.len(), many.len(), "{many:#?}");
}
