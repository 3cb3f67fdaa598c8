//! The background process of the command line: it starts where that is allowed, gives the same
//! answers as the command itself, and ends when it should.

#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "the binary under test, and `kill`")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;
use testkit::TestRepo;

const SHOP: &str = "
//- src/pay.ts
/** Takes money. */
export function charge(amount: number): boolean {
  return amount > 0;
}
//- src/settle.ts
import { charge } from './pay';

export function settle(): boolean {
  return charge(3);
}
";

/// A repository with its own home folder, and a copy of the program that can be replaced.
struct BackgroundFixture {
    repo: TestRepo,
    home: TempDir,
    program: PathBuf,
}

impl BackgroundFixture {
    fn new() -> Self {
        // The path of a socket has at most 108 bytes, so the folder must be near the root.
        let home = tempfile::Builder::new().prefix("bg").tempdir_in("/tmp").unwrap();
        let program = home.path().join("bin");
        std::fs::copy(env!("CARGO_BIN_EXE_cairn"), &program).unwrap();
        std::fs::create_dir(home.path().join("run")).unwrap();
        Self { repo: TestRepo::new(SHOP), home, program }
    }

    fn trusted() -> Self {
        let fixture = Self::new();
        let trusted = fixture.run(&["trust"]);
        assert!(trusted.status.success(), "{}", String::from_utf8_lossy(&trusted.stderr));
        fixture
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.arg("-C").arg(self.repo.root()).args(words);
        command.env("HOME", self.home.path()).env("XDG_CONFIG_HOME", self.home.path());
        command.env("XDG_RUNTIME_DIR", self.home.path().join("run")).env("CAIRN_BACKGROUND", "on");
        command.env_remove("CI").env_remove("GIT_DIR").env_remove("GIT_INDEX_FILE");
        command.stdin(Stdio::null());
        command
    }

    fn run(&self, words: &[&str]) -> Output {
        self.command(words).output().unwrap()
    }

    fn text(&self, words: &[&str]) -> String {
        let output = self.run(words);
        let text = [output.stdout, output.stderr].concat();
        String::from_utf8(text).unwrap()
    }

    /// What the same command says without the process.
    fn text_alone(&self, words: &[&str]) -> String {
        let output = self.command(words).env("CAIRN_BACKGROUND", "off").output().unwrap();
        String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
    }

    /// A repository that is large enough for early answers, which come before its first index is
    /// built.
    fn with_many_files() -> Self {
        let fixture = Self::new();
        for number in 0..120 {
            fixture.repo.write(&format!("src/goods/f{number}.ts"), "export const one = 1;\n");
        }
        fixture.repo.commit("many goods");
        fixture
    }

    fn is_running(&self) -> bool {
        self.text(&["background"]).starts_with("It runs")
    }

    fn wait(&self, is_running: bool) {
        while self.is_running() != is_running {
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Repeats a question until a background process answers it. One that is ending may still hold
    /// the lock.
    fn ask_until_running(&self) {
        while !self.is_running() {
            assert!(self.text(&["code", "find", "charge"]).contains("src/pay.ts"));
        }
    }

    /// The id of the background process.
    fn process(&self) -> String {
        let text = self.text(&["background"]);
        let number = text.split("as process ").nth(1).and_then(|rest| rest.split(' ').next());
        number.unwrap_or_else(|| panic!("{text}")).to_owned()
    }
}

impl Drop for BackgroundFixture {
    fn drop(&mut self) {
        self.run(&["background", "off"]);
    }
}

#[test]
fn it_starts_only_where_the_user_trusts_the_repository() {
    let fixture = BackgroundFixture::new();
    assert!(fixture.text(&["code", "find", "charge"]).contains("src/pay.ts"));
    assert!(!fixture.is_running());
    assert!(sockets(fixture.home.path()).is_empty());
    fixture.run(&["trust"]);
    for variable in ["CI", "GIT_DIR"] {
        let mut command = fixture.command(&["code", "find", "charge"]);
        command.env(variable, "true").output().unwrap();
        assert!(sockets(fixture.home.path()).is_empty(), "{variable}");
    }
    fixture.ask_until_running();
    fixture.run(&["untrust"]);
    fixture.wait(false);
}

fn sockets(home: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(home.join("run/cairn")).into_iter().flatten().flatten();
    files
        .map(|file| file.path())
        .filter(|path| path.extension().is_some_and(|e| e == "sock"))
        .collect()
}

#[test]
fn answers_are_the_same_with_and_without_it() {
    let fixture = BackgroundFixture::trusted();
    fixture.ask_until_running();
    let questions: [&[&str]; 8] = [
        &["code", "find", "charge"],
        &["code", "show", "src/pay.ts#charge"],
        &["impact", "src/pay.ts#charge"],
        &["context", "src/pay.ts"],
        &["code", "references", "src/pay.ts#charge"],
        &["review"],
        &["verify"],
        &["code", "show", "src/none.ts"],
    ];
    for edit in ["export const one = 1;\n", "export const two = charge;\n"] {
        for words in questions {
            assert_eq!(fixture.text(words), fixture.text_alone(words), "{words:?}");
            let json = [words, &["--json"]].concat();
            let parse = |text: String| serde_json::from_str::<Value>(&text).unwrap();
            let (with, without) = (fixture.text(&json), fixture.text_alone(&json));
            assert_eq!(parse(with)["data"], parse(without)["data"], "{words:?}");
        }
        fixture.repo.write("src/more.ts", edit);
    }
    let told = fixture.text(&["background"]);
    let answered: u64 =
        told.split("answered ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    assert!(answered >= 32, "{told}");
}

#[test]
fn a_command_from_a_folder_means_that_folder() {
    let fixture = BackgroundFixture::trusted();
    fixture.ask_until_running();
    let ask = |switch: &str| {
        let mut command = fixture.command(&["code", "show", "pay.ts#charge", "--dir"]);
        let output = command.arg(fixture.repo.root().join("src")).env("CAIRN_BACKGROUND", switch);
        String::from_utf8(output.output().unwrap().stdout).unwrap()
    };
    let answer = ask("on");
    assert!(answer.contains("Takes money"), "{answer}");
    assert_eq!(answer, ask("off"));
}

#[test]
fn a_process_that_was_killed_is_replaced() {
    let fixture = BackgroundFixture::trusted();
    fixture.ask_until_running();
    let killed = fixture.process();
    assert!(Command::new("kill").args(["-9", &killed]).status().unwrap().success());
    fixture.wait(false);
    fixture.ask_until_running();
    assert_ne!(fixture.process(), killed);
}

#[test]
fn an_upgrade_ends_it() {
    let fixture = BackgroundFixture::trusted();
    fixture.ask_until_running();
    let old = fixture.process();
    let newer = fixture.home.path().join("newer");
    std::fs::copy(env!("CARGO_BIN_EXE_cairn"), &newer).unwrap();
    std::fs::rename(&newer, &fixture.program).unwrap();
    fixture.ask_until_running();
    assert_ne!(fixture.process(), old);
}

#[test]
fn it_can_be_switched_off_for_a_working_tree() {
    let fixture = BackgroundFixture::trusted();
    fixture.ask_until_running();
    fixture.run(&["background", "off"]);
    fixture.wait(false);
    fixture.run(&["code", "find", "charge"]);
    assert!(!fixture.is_running());
    fixture.run(&["background", "on"]);
    fixture.ask_until_running();
    fixture.run(&["background", "stop"]);
    fixture.wait(false);
}

#[test]
fn the_first_question_about_a_file_does_not_wait_for_the_index_which_is_built_meanwhile() {
    let fixture = BackgroundFixture::with_many_files();
    let question = ["code", "show", "src/pay.ts#charge"];
    let early = "the first index is still being built";
    let text = fixture.text(&question);
    assert!(text.contains("amount > 0") && text.contains(early), "{text}");
    while fixture.text(&question).contains(early) {
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(fixture.text_alone(&question).contains("amount > 0"));
}

#[test]
fn where_nothing_runs_in_the_background_the_first_question_waits() {
    let fixture = BackgroundFixture::with_many_files();
    let text = fixture.text_alone(&["code", "show", "src/pay.ts#charge"]);
    assert!(text.contains("amount > 0") && !text.contains("being built"), "{text}");
}
