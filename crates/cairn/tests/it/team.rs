//! A team through the real binary: the ways to give a password, and that it is stored nowhere.

#![cfg(unix)]

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::json;
use testkit::TestRepo;
use testkit::postgres::{PostgresServer, wait_until};

const CAIRN: &str = env!("CARGO_BIN_EXE_cairn");
const PASSWORD: &str = "correct-horse-7391";

/// Runs the binary with nothing in its environment but what is given.
#[expect(clippy::disallowed_methods, reason = "the binary under test")]
fn cairn(repo: &TestRepo, env: &[(&str, &str)], args: &[&str]) -> Output {
    let mut command = Command::new(CAIRN);
    command.env_clear().env("PATH", std::env::var_os("PATH").unwrap()).env("HOME", "/nonexistent");
    command.env("CAIRN_BACKGROUND", "off");
    command.arg("-C").arg(repo.root()).args(args).envs(env.iter().copied()).output().unwrap()
}

fn write_private(file: &Path, text: &str, mode: u32) {
    std::fs::write(file, text).unwrap();
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(mode)).unwrap();
}

/// The files below a folder that contain a text.
fn files_with(folder: &Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let (path, kind) = (entry.path(), entry.file_type().unwrap());
        if kind.is_dir() {
            found.extend(files_with(&path, text));
        } else if kind.is_file() {
            let bytes = std::fs::read(&path).unwrap();
            if bytes.windows(text.len()).any(|part| part == text.as_bytes()) {
                found.push(path.display().to_string());
            }
        }
    }
    found
}

#[test]
fn a_password_comes_from_the_environment_or_a_private_file_and_is_kept_nowhere() {
    let Some(server) = PostgresServer::start() else {
        return testskip::not_run("PostgreSQL is not installed; `cargo xtask test` installs it");
    };
    let database = server.database();
    server.require_password(&database.owner, PASSWORD);
    let repo = TestRepo::new("//- /a.ts\nexport const a = 1;\n");
    let address = database.url();
    let said = |output: &Output| String::from_utf8_lossy(&output.stderr).into_owned();
    let join = |env: &[(&str, &str)]| cairn(&repo, env, &["team", "join", &address]);
    for wrong in [&[][..], &[("PGPASSWORD", "wrong")]] {
        let refused = join(wrong);
        assert_eq!(refused.status.code(), Some(2), "{}", said(&refused));
        assert!(said(&refused).contains("refuses the login"), "{}", said(&refused));
        assert!(said(&refused).contains("CAIRN_TEAM_PASSWORD_FILE"), "{}", said(&refused));
    }
    let with_password = address.replacen('@', &format!(":{PASSWORD}@"), 1);
    let refused = cairn(&repo, &[], &["team", "join", &with_password]);
    assert!(said(&refused).contains("the address contains a password"), "{}", said(&refused));
    let joined = join(&[("PGPASSWORD", PASSWORD)]);
    assert!(joined.status.success(), "{}", said(&joined));
    // The other ways to give the password; a file that others can read is refused.
    let folder = tempfile::tempdir().unwrap();
    let (private, shared, list) =
        (folder.path().join("private"), folder.path().join("shared"), folder.path().join("list"));
    write_private(&private, &format!("{PASSWORD}\n"), 0o600);
    write_private(&shared, &format!("{PASSWORD}\n"), 0o644);
    write_private(&list, &format!("127.0.0.1:*:*:{}:{PASSWORD}\n", database.owner), 0o600);
    let create = |env: &[(&str, &str)]| {
        cairn(&repo, env, &["work", "create", "project", "P", "--summary", "s"])
    };
    for (variable, value) in [
        ("CAIRN_TEAM_PASSWORD", PASSWORD),
        ("CAIRN_TEAM_PASSWORD_FILE", private.to_str().unwrap()),
        ("PGPASSFILE", list.to_str().unwrap()),
    ] {
        let made = create(&[(variable, value)]);
        assert!(made.status.success(), "{variable}: {}", said(&made));
    }
    let refused = create(&[("CAIRN_TEAM_PASSWORD_FILE", shared.to_str().unwrap())]);
    assert!(said(&refused).contains("others can read the passwords"), "{}", said(&refused));
    // Without a password, a write is refused, not queued, because the network works.
    let refused = create(&[]);
    assert!(said(&refused).contains("it asks for a password"), "{}", said(&refused));
    let read = cairn(&repo, &[], &["work", "overview"]);
    let text = String::from_utf8_lossy(&read.stdout).into_owned();
    assert!(text.contains("it asks for a password"), "{text}");
    assert_eq!(files_with(&repo.root(), PASSWORD), Vec::<String>::new());
}

#[test]
fn the_background_process_of_a_member_listens_for_its_commands() {
    let Some(server) = PostgresServer::start() else {
        return testskip::not_run("PostgreSQL is not installed; `cargo xtask test` installs it");
    };
    let database = server.database();
    let origin = TestRepo::new("//- /a.ts\nexport const a = 1;\n");
    origin.data("team.join", json!({"address": database.url()}));
    origin.commit("join");
    // The path of a socket has at most 108 bytes, so the folder must be near the root.
    let home = tempfile::Builder::new().prefix("bt").tempdir_in("/tmp").unwrap();
    let clone = home.path().join("clone");
    origin.git(&["clone", "-q", ".", clone.to_str().unwrap()]);
    let member = TestRepo::existing(&clone);
    let folder = home.path().to_str().unwrap();
    let run = home.path().join("run");
    std::fs::create_dir(&run).unwrap();
    let env = [
        ("HOME", folder),
        ("XDG_CONFIG_HOME", folder),
        ("XDG_RUNTIME_DIR", run.to_str().unwrap()),
        ("CAIRN_BACKGROUND", "on"),
    ];
    let ask = |words: &[&str]| {
        let output = cairn(&member, &env, words);
        String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
    };
    assert!(ask(&["team", "join", &database.url()]).contains("Joined"));
    // Joining is enough, without trust: the first question starts the background process.
    ask(&["work", "overview"]);
    wait_until(|| ask(&["background"]).starts_with("It runs"));
    // Only a listening process runs this query, which reads nothing but the newest change number.
    let mut admin = server.admin(&database.name).unwrap();
    let listeners =
        "SELECT 1 FROM pg_stat_activity WHERE query LIKE 'SELECT seq FROM cairn.projects%'";
    while admin.query(listeners, &[]).unwrap().is_empty() {
        std::thread::yield_now();
    }
    origin.data("work.create", json!({"kind": "project", "name": "Heard of", "summary": "s"}));
    wait_until(|| ask(&["work", "overview"]).contains("Heard of"));
    assert!(ask(&["background"]).contains("question"), "{}", ask(&["background"]));
    ask(&["background", "off"]);
}

#[test]
fn people_whom_git_does_not_know_do_not_share_claims_across_clones() {
    let Some(server) = PostgresServer::start() else {
        return testskip::not_run("PostgreSQL is not installed; `cargo xtask test` installs it");
    };
    let database = server.database();
    let origin = TestRepo::new("//- /a.ts\nexport const a = 1;\n");
    origin.data("team.join", json!({"address": database.url()}));
    origin.commit("join");
    let folder = tempfile::tempdir().unwrap();
    let clones: Vec<TestRepo> = ["one", "two"]
        .map(|name| {
            let clone = folder.path().join(name);
            origin.git(&["clone", "-q", ".", clone.to_str().unwrap()]);
            TestRepo::existing(&clone)
        })
        .into();
    let ask = |clone: &TestRepo, words: &[&str]| {
        let output = cairn(clone, &[], words);
        (
            output.status.success(),
            String::from_utf8([output.stdout, output.stderr].concat()).unwrap(),
        )
    };
    for clone in &clones {
        clone.git(&["config", "user.email", ""]);
        let (joined, said) = ask(clone, &["team", "join", &database.url()]);
        assert!(joined, "{said}");
    }
    for words in [
        &["work", "create", "project", "P", "--summary", "s"][..],
        &["work", "create", "task", "Refund", "--summary", "s"],
        &["work", "claim", "Refund"],
        &["work", "claim", "Refund"], // its own claim is only renewed
    ] {
        let (done, said) = ask(&clones[0], words);
        assert!(done, "{words:?}: {said}");
    }
    let (taken, said) = ask(&clones[1], &["work", "claim", "Refund"]);
    assert!(!taken, "two clones hold one task: {said}");
    assert!(said.contains("cli"), "{said}");
}
