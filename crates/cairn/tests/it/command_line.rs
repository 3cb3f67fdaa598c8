//! The command line, run as a person runs it.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use testkit::TestRepo;

#[expect(clippy::disallowed_methods, reason = "the binary under test")]
fn cairn(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cairn"));
    command.current_dir(folder).args(args).env("NO_COLOR", "").output().unwrap()
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn repo() -> TestRepo {
    TestRepo::new(
        "//- README.md\n# Top\n[a](src/deep/a.md)\n//- src/deep/a.md\n# A\n//- src/b.md\n# B\n",
    )
}

#[test]
fn without_words_a_repository_is_shown_and_any_other_folder_gets_the_help() {
    let repo = repo();
    let shown = cairn(&repo.root().join("src"), &[]);
    assert!(shown.status.success());
    assert!(out(&shown).contains("3 files (Markdown 3)"), "{}", out(&shown));
    assert!(out(&shown).contains("Next steps"), "{}", out(&shown));
    let json: Value = serde_json::from_str(&out(&cairn(&repo.root(), &["--json"]))).unwrap();
    assert_eq!(json["data"]["files"], 3);
    // A folder that is not a repository could be a whole disk.
    let plain = tempfile::tempdir().unwrap();
    let help = cairn(plain.path(), &[]);
    assert_eq!(help.status.code(), Some(2));
    let help = String::from_utf8_lossy(&help.stderr).into_owned();
    assert!(help.starts_with("Gives a repository a memory"), "{help}");
    assert_eq!(help.matches("Usage: cairn").count(), 1, "{help}");
    let last: Vec<&str> = help.lines().rev().take(2).collect();
    let said = "VALIDATION_ERROR  this folder is in no git repository";
    let hint = "hint: run it in a repository, or read any folder with  cairn overview";
    assert_eq!(last, [hint, said]);
    let json: Value = serde_json::from_str(&out(&cairn(plain.path(), &["--json"]))).unwrap();
    assert_eq!(json["error"]["message"], "this folder is in no git repository");
    assert!(!plain.path().join(".cairn").exists());
}

#[test]
fn it_works_from_any_folder_and_with_a_folder_named() {
    let repo = repo();
    let deep = repo.root().join("src/deep");
    for (folder, args) in [
        (&deep, vec!["impact", "a.md"]),
        (&deep, vec!["impact", "./a.md"]),
        (&deep, vec!["impact", "../deep/a.md"]),
        (&deep, vec!["impact", "src/deep/a.md"]),
        (&Path::new("/").to_path_buf(), vec!["-C", deep.to_str().unwrap(), "impact", "a.md"]),
    ] {
        let answer = cairn(folder, &args);
        assert!(answer.status.success(), "{args:?}");
        assert!(out(&answer).starts_with("src/deep/a.md reaches 1 file"), "{}", out(&answer));
    }
    let above = cairn(&deep, &["impact", "../../../x.md"]);
    assert_eq!(above.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&above.stderr).starts_with("OUTSIDE_REPOSITORY"));
}

#[test]
fn json_is_the_envelope_also_for_problems() {
    let repo = repo();
    let json = |args: &[&str]| -> (Value, Option<i32>) {
        let output = cairn(&repo.root(), args);
        assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
        (serde_json::from_slice(&output.stdout).unwrap(), output.status.code())
    };
    let (answer, code) = json(&["status", "--json"]);
    assert_eq!((&answer["data"]["files"], code), (&3.into(), Some(0)));
    assert_eq!(answer["basis"]["state"], "fresh");
    let (problem, code) = json(&["--json", "impact", "nothing-of-the-kind"]);
    assert_eq!((&problem["error"]["code"], code), (&"NOT_FOUND".into(), Some(2)));
    let (problem, code) = json(&["impact", "--dept", "3", "README.md", "--json"]);
    assert_eq!((&problem["error"]["code"], code), (&"VALIDATION_ERROR".into(), Some(2)));
}

#[test]
fn exit_codes_tell_findings_from_failures() {
    let repo = repo();
    let code = |args: &[&str]| cairn(&repo.root(), args).status.code();
    assert_eq!(code(&["version"]), Some(0));
    assert_eq!(code(&["frobnicate"]), Some(2));
    assert_eq!(code(&["-C", "/nowhere/at/all", "status"]), Some(2));
    repo.write("cairn.jsonc", "{ \"nonsense\": 1 }");
    assert_eq!(code(&["doctor"]), Some(1));
    let bare = tempfile::tempdir().unwrap();
    repo.git(&["clone", "-q", "--bare", ".", bare.path().to_str().unwrap()]);
    assert_eq!(cairn(bare.path(), &["status"]).status.code(), Some(2));
}

#[test]
fn a_closed_pipe_is_no_failure_and_output_has_no_colours() {
    let repo = repo();
    let answer = cairn(&repo.root(), &["help"]);
    assert!(!out(&answer).contains('\x1b') && answer.status.success());
    #[expect(clippy::disallowed_methods, reason = "a reader that has seen enough")]
    let head = Command::new("sh")
        .args(["-c", "\"$0\" -C \"$1\" help | head -n 1; echo ${PIPESTATUS:-ok}"])
        .args([env!("CARGO_BIN_EXE_cairn"), repo.root().to_str().unwrap()])
        .output()
        .unwrap();
    assert!(head.stderr.is_empty(), "{}", String::from_utf8_lossy(&head.stderr));
}

#[test]
fn completions_and_manual_pages_are_written() {
    let repo = repo();
    for shell in ["bash", "zsh", "fish", "powershell"] {
        let script = out(&cairn(&repo.root(), &["completions", shell]));
        assert!(script.contains("subgraph"), "{shell}");
    }
    let folder = tempfile::tempdir().unwrap();
    let written = cairn(&repo.root(), &["man", folder.path().to_str().unwrap()]);
    assert!(written.status.success());
    let page = std::fs::read_to_string(folder.path().join("cairn-impact.1")).unwrap();
    assert!(page.contains("Show what may break if this changes"));
}

#[test]
fn git_hooks_run_the_real_binary_and_never_stand_in_the_way() {
    let repo = repo();
    let init = cairn(&repo.root(), &["init"]);
    assert!(init.status.success(), "{}", String::from_utf8_lossy(&init.stderr));
    let binary = Path::new(env!("CARGO_BIN_EXE_cairn"));
    let path = format!("{}:/usr/local/bin:/usr/bin:/bin", binary.parent().unwrap().display());
    repo.write("new.md", "# New\n");
    #[expect(clippy::disallowed_methods, reason = "git runs the hooks")]
    let commit = Command::new("git")
        .current_dir(repo.root())
        .args(["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qam", "x", "--allow-empty"])
        .env("PATH", path)
        .output()
        .unwrap();
    assert!(commit.status.success(), "{}", String::from_utf8_lossy(&commit.stderr));
    let said = String::from_utf8_lossy(&[commit.stdout, commit.stderr].concat()).into_owned();
    assert_eq!(said, "", "hooks are silent");
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the binary under test")]
fn undo_is_of_the_session_and_redo_takes_it_back() {
    let repo = repo();
    let within = |session: &str, args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cairn"));
        let command = command.current_dir(repo.root()).args(args).args(["--actor", "ada"]);
        command.env("NO_COLOR", "").env("CAIRN_SESSION", session).output().unwrap()
    };
    for (session, slug) in [("one", "spec::x"), ("two", "spec::y"), ("", "spec::z")] {
        assert!(within(session, &["card", "create", slug, "--summary", slug]).status.success());
    }
    let there = || {
        let slugs = ["x", "y", "z"].into_iter();
        let file = |slug: &str| repo.root().join(format!(".cairn/cards/{slug}.card.md"));
        slugs.filter(|slug| file(slug).exists()).collect::<String>()
    };
    assert!(within("one", &["undo"]).status.success());
    assert_eq!(there(), "yz");
    assert_eq!(within("one", &["undo"]).status.code(), Some(2));
    assert!(within("one", &["redo"]).status.success());
    assert_eq!(there(), "xyz");
    assert!(within("", &["undo"]).status.success());
    assert_eq!(there(), "xy", "without the variable it is the actor on this machine");
}
