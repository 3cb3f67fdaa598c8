//! The hooks' lines, run by real shells beside scripts that must not notice them.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::{Mutex, MutexGuard, PoisonError};

use setup::GitHook;
use tempfile::TempDir;

/// One test at a time: a program cannot start while another thread's child holds it open.
fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A folder with a `cairn` that notes its arguments in `$NOTE` and exits as it is told.
fn bin(exit: u8) -> TempDir {
    let folder = TempDir::new().unwrap();
    let body =
        format!("#!/bin/sh\necho noise; echo noise >&2\necho \"$@\" >> \"$NOTE\"\nexit {exit}\n");
    executable(&folder.path().join("cairn"), body.as_bytes());
    folder
}

fn executable(path: &Path, body: &[u8]) {
    fs::write(path, body).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[expect(clippy::disallowed_methods, reason = "what a shell does with the lines is the test")]
fn program(name: &str) -> Command {
    Command::new(name)
}

/// Runs a script as git would, with `hello` on its standard input.
fn run(shell: &str, script: &[u8], bin: Option<&Path>, note: &Path, args: &[&str]) -> Output {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("hook");
    executable(&file, script);
    let path = bin.map_or("/usr/bin:/bin".into(), |bin| format!("{}:/usr/bin:/bin", bin.display()));
    let mut command = program(shell);
    command.arg(&file).args(args).env_clear().env("PATH", path).env("NOTE", note);
    let input = folder.path().join("input");
    fs::write(&input, "hello").unwrap();
    command.stdin(fs::File::open(&input).unwrap()).output().unwrap()
}

/// The lines with their call in the foreground, so that what it did is there when they end.
fn foreground(script: &[u8]) -> Vec<u8> {
    String::from_utf8(script.to_vec()).unwrap().replace(" & )", " )").into_bytes()
}

const SCRIPT: &[u8] = b"#!/bin/sh\nset -eu\ncat\necho \"$#:$1\"\nexit 3\n";
const SHELLS: [&str; 2] = ["sh", "bash"];

#[test]
fn the_scripts_input_output_and_exit_status_are_its_own() {
    let _turn = turn();
    for (hook, exit) in
        GitHook::ALL.into_iter().flat_map(|hook| [0, 2, 3, 70].map(|exit| (hook, exit)))
    {
        let (bin, folder) = (bin(exit), TempDir::new().unwrap());
        let note = folder.path().join("note");
        let script = foreground(&hook.install(Some(SCRIPT)).unwrap());
        for shell in SHELLS {
            for bin in [Some(bin.path()), None] {
                let output = run(shell, &script, bin, &note, &["a", "b", "1"]);
                let said = String::from_utf8(output.stdout).unwrap();
                let noise = hook == GitHook::PreCommit && bin.is_some();
                assert_eq!(said, if noise { "noise\nhello3:a\n" } else { "hello3:a\n" });
                assert_eq!(output.status.code(), Some(3), "{hook} {shell}");
                assert_eq!(output.stderr.is_empty(), !noise, "{hook} {shell}");
            }
        }
        let called = format!("hook {hook} a b 1\n").repeat(SHELLS.len());
        assert_eq!(fs::read_to_string(&note).unwrap(), called);
    }
}

#[test]
fn findings_alone_stop_a_commit() {
    let _turn = turn();
    let folder = TempDir::new().unwrap();
    let note = folder.path().join("note");
    for own in [None, Some(&b"#!/bin/sh -e\necho mine\n"[..])] {
        let script = GitHook::PreCommit.install(own).unwrap();
        for (exit, expected) in [(0, 0), (1, 1), (2, 0), (70, 0), (127, 0)] {
            for shell in SHELLS {
                let output = run(shell, &script, Some(bin(exit).path()), &note, &[]);
                assert_eq!(output.status.code(), Some(expected), "cairn exits with {exit}");
            }
        }
        assert_eq!(run("sh", &script, None, &note, &[]).status.code(), Some(0));
    }
}

#[test]
fn checking_out_single_files_is_not_told() {
    let _turn = turn();
    let (bin, folder) = (bin(0), TempDir::new().unwrap());
    let note = folder.path().join("note");
    let script = foreground(&GitHook::PostCheckout.install(None).unwrap());
    for args in [&["a", "b", "0"][..], &[]] {
        assert_eq!(run("sh", &script, Some(bin.path()), &note, args).status.code(), Some(0));
        assert!(!note.exists());
    }
}

#[test]
fn a_slow_cairn_does_not_keep_git_waiting() {
    let _turn = turn();
    let (bin, folder) = (bin(0), TempDir::new().unwrap());
    let note = folder.path().join("note");
    assert!(program("mkfifo").arg(&note).status().unwrap().success());
    for hook in GitHook::ALL.into_iter().filter(|hook| *hook != GitHook::PreCommit) {
        let script = hook.install(None).unwrap();
        // cairn cannot end before the pipe is read below, and yet the hook does.
        let output = run("sh", &script, Some(bin.path()), &note, &["a", "b", "1"]);
        assert_eq!(output.status.code(), Some(0));
        assert_eq!(fs::read_to_string(&note).unwrap(), format!("hook {hook} a b 1\n"));
    }
}
