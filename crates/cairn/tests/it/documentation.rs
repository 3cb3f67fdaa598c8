//! Runs the commands of the tutorial and of the how-to pages, and compares what they print.
//!
//! A page is a script. A `console` block holds commands after `$ `, and below each command what it
//! prints. In printed text `…` stands for any text within a line, and a line that is only `…` for
//! any number of lines. A block whose info string ends in a path, such as
//! ```` ```markdown docs/a.md ````, is the content of that file. Every command has to succeed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use testkit::TestRepo;

/// The address that the tutorial clones. Git is told to clone a local repository instead.
const TUTORIAL_ADDRESS: &str = "https://github.com/spf13/cobra";

/// Names a local clone of that repository, to check the tutorial against the real code. Without it
/// the tutorial runs on [`FLAG_LIBRARY`].
const TUTORIAL_CLONE: &str = "CAIRN_TUTORIAL_CLONE";

/// A small library with the files and symbols that the tutorial names.
const FLAG_LIBRARY: &str = r#"
//- go.mod
module github.com/spf13/cobra

go 1.21
//- command.go
package cobra

// Command is a command with its flags.
type Command struct {
	annotations map[string][]string
	set         map[string]bool
}

func (c *Command) execute(args []string) error {
	for _, name := range args {
		c.set[name] = true
	}
	return c.ValidateFlagGroups()
}

// ExecuteC runs the command and returns it.
func (c *Command) ExecuteC(args []string) (*Command, error) {
	return c, c.execute(args)
}
//- flag_groups.go
package cobra

import "errors"

// MarkFlagsRequiredTogether marks flags that have to be given together.
func (c *Command) MarkFlagsRequiredTogether(names ...string) {
	c.annotations["together"] = names
}

// MarkFlagsMutuallyExclusive marks flags that exclude each other.
func (c *Command) MarkFlagsMutuallyExclusive(names ...string) {
	c.annotations["exclusive"] = names
}

// ValidateFlagGroups validates the groups of required and of exclusive flags.
func (c *Command) ValidateFlagGroups() error {
	if err := validateRequiredFlagGroups(c); err != nil {
		return err
	}
	return validateExclusiveFlagGroups(c)
}

func validateRequiredFlagGroups(c *Command) error {
	if n := countSet(c, "together"); n > 0 && n < len(c.annotations["together"]) {
		return errors.New("some flags of the group are missing")
	}
	return nil
}

func validateExclusiveFlagGroups(c *Command) error {
	if countSet(c, "exclusive") > 1 {
		return errors.New("flags exclude each other")
	}
	return nil
}

func countSet(c *Command, group string) int {
	count := 0
	for _, name := range c.annotations[group] {
		if c.set[name] {
			count++
		}
	}
	return count
}
//- flag_groups_test.go
package cobra

import "testing"

func TestValidateFlagGroups(t *testing.T) {
	c := &Command{}
	if c.ValidateFlagGroups() != nil {
		t.Fatal("a command without groups is valid")
	}
}
"#;

/// The repository of the how-to pages: a shop with a login and one decision record.
const SHOP: &str = r#"
//- README.md
# Shop

Read [the decision about tokens](doc/adr/0001-session-tokens.md).
//- package.json
{ "name": "shop", "private": true, "type": "module" }
//- src/auth/session.ts
/** A signed-in user. */
export interface Session {
  user: string;
  token: string;
}

/** Opens a session for a user. */
export function openSession(user: string): Session {
  return { user, token: user + "-token" };
}
//- src/auth/login.ts
import { openSession, type Session } from "./session.js";

/** Signs a user in, or throws if the password is wrong. */
export function login(user: string, password: string): Session {
  if (password.length === 0) {
    throw new Error("wrong password");
  }
  return openSession(user);
}
//- src/auth/login.test.ts
import { login } from "./login.js";

test("login opens a session", () => {
  login("ada", "secret");
});
//- doc/adr/0001-session-tokens.md
# 1. Sessions use opaque tokens

Date: 2025-03-01

## Status

Accepted

## Context

Sessions must be revocable.

## Decision

A session has an opaque token that the server stores.

## Consequences

Every request looks the token up.
"#;

#[test]
#[expect(clippy::disallowed_methods, reason = "a test is told where the public repository is")]
fn the_tutorial_runs_as_written() {
    let library = flag_library();
    let origin = std::env::var_os(TUTORIAL_CLONE).map_or_else(|| library.root(), PathBuf::from);
    let home = tempfile::tempdir().unwrap();
    let session = ShellSession::new(home.path(), &origin);
    session.run_page("docs/tutorial.md", home.path().canonicalize().unwrap());
}

/// [`FLAG_LIBRARY`] with a little history: two commits that touch the same two files.
fn flag_library() -> TestRepo {
    let repo = TestRepo::new("//- README.md\n# A library for command lines\n");
    let files = testkit::parse_fixture(FLAG_LIBRARY);
    for (path, text) in &files {
        repo.write(path, text);
    }
    repo.commit("Add ability to mark flags as required or exclusive as a group");
    for (path, text) in files.iter().filter(|(path, _)| FILES_CHANGED_TWICE.contains(&&**path)) {
        repo.write(path, format!("{text}\n// The end.\n"));
    }
    repo.commit("Mark the end of files");
    repo.git(&["tag", "v1.9.1"]);
    repo
}

/// The files of [`FLAG_LIBRARY`] that its second commit touches.
const FILES_CHANGED_TWICE: [&str; 2] = ["command.go", "flag_groups.go"];

#[test]
fn the_how_to_pages_run_as_written() {
    let pages = fs::read_dir(documentation_root().join("docs/how-to")).unwrap();
    let mut pages: Vec<String> = pages
        .map(|page| format!("docs/how-to/{}", page.unwrap().file_name().to_string_lossy()))
        .collect();
    pages.sort();
    assert!(pages.len() >= 6, "{pages:?}");
    for page in pages {
        let shop = TestRepo::new(SHOP);
        let home = tempfile::tempdir().unwrap();
        ShellSession::new(home.path(), &shop.root()).run_page(&page, shop.root());
    }
}

/// A block of Rust whose first line is a comment with a path shows a part of that file.
#[test]
fn the_how_to_pages_quote_the_source_as_it_is() {
    let root = documentation_root();
    let mut quoted = 0;
    for page in fs::read_dir(root.join("docs/how-to")).unwrap() {
        let page = page.unwrap().path();
        let text = fs::read_to_string(&page).unwrap();
        for block in text.split("```rust\n// ").skip(1) {
            let Some((path, rest)) = block.split_once('\n') else { continue };
            let Some((excerpt, _)) = rest.split_once("```") else { continue };
            if Path::new(path).extension().is_none_or(|extension| extension != "rs") {
                continue;
            }
            let source = fs::read_to_string(root.join(path)).unwrap();
            assert!(
                source.contains(excerpt),
                "{}: {path} has no longer:\n{excerpt}",
                page.display()
            );
            quoted += 1;
        }
    }
    assert!(quoted >= 3, "{quoted}");
}

#[test]
fn printed_text_is_compared_line_by_line() {
    for (expected, printed, fits) in [
        ("a\nb", "a\nb", true),
        ("a\nb", "a\nb\nc", false),
        ("a\n…", "a\nb\nc", true),
        ("…\nc", "a\nb\nc", true),
        ("a\n…\nc", "a\nc", true),
        ("a…c", "abc", true),
        ("a…c", "ab", false),
        ("…b…", "abc", true),
        ("a… b …c", "a b c b xc", true),
        ("a…a", "a", false),
    ] {
        let expected: Vec<&str> = expected.lines().collect();
        let printed: Vec<&str> = printed.lines().collect();
        assert_eq!(lines_fit(&expected, &printed), fits, "{expected:?} {printed:?}");
    }
}

/// One step that a page asks its reader to perform.
#[derive(Debug)]
enum PageStep {
    /// Save a file
    Write { path: String, content: String },
    /// Run a command; what it prints is compared if the page shows anything
    Run { command: String, expected: Vec<String> },
}

/// The steps of a page, in order.
fn page_steps(page: &str) -> Vec<PageStep> {
    let mut steps = Vec::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        let Some(info) = line.strip_prefix("```") else { continue };
        let block: Vec<&str> = lines.by_ref().take_while(|line| !line.starts_with("```")).collect();
        match info.split_once(' ') {
            None if info == "console" => steps.extend(console_steps(&block)),
            Some((_, path)) => steps.push(PageStep::Write {
                path: path.to_owned(),
                content: block.iter().map(|line| format!("{line}\n")).collect(),
            }),
            None => {}
        }
    }
    steps
}

fn console_steps(block: &[&str]) -> Vec<PageStep> {
    let mut steps: Vec<PageStep> = Vec::new();
    for line in block {
        match (line.strip_prefix("$ "), steps.last_mut()) {
            (Some(command), _) => {
                steps.push(PageStep::Run { command: command.to_owned(), expected: Vec::new() });
            }
            (None, Some(PageStep::Run { expected, .. })) => expected.push((*line).to_owned()),
            (None, _) => panic!("a console block starts with a command, not with {line:?}"),
        }
    }
    steps
}

/// A shell as a reader has it: the binary on the path, a home folder of its own, a git user.
struct ShellSession {
    home: PathBuf,
    path: String,
}

impl ShellSession {
    /// A session for which [`TUTORIAL_ADDRESS`] is the repository `origin`.
    fn new(home: &Path, origin: &Path) -> Self {
        let settings = format!(
            "[user]\n\tname = Ada\n\temail = ada@example.org\n[url \"{}\"]\n\tinsteadOf = {}\n",
            origin.display(),
            TUTORIAL_ADDRESS
        );
        fs::write(home.join(".gitconfig"), settings).unwrap();
        let folder = Path::new(env!("CARGO_BIN_EXE_cairn")).parent().unwrap();
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin", folder.display());
        Self { home: home.to_owned(), path }
    }

    /// Does what a page says, starting in a folder.
    fn run_page(&self, page: &str, mut folder: PathBuf) {
        let text = fs::read_to_string(documentation_root().join(page)).unwrap();
        for step in page_steps(&text) {
            match step {
                PageStep::Write { path, content } => {
                    let file = folder.join(path);
                    fs::create_dir_all(file.parent().unwrap()).unwrap();
                    fs::write(file, content).unwrap();
                }
                PageStep::Run { command, .. } if command.starts_with("cd ") => {
                    folder = folder.join(&command["cd ".len()..]).canonicalize().unwrap();
                }
                PageStep::Run { command, expected } => {
                    self.check_command(page, &folder, &command, &expected);
                }
            }
        }
    }

    #[expect(clippy::disallowed_methods, reason = "a page is followed in a shell")]
    fn check_command(&self, page: &str, folder: &Path, command: &str, expected: &[String]) {
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("exec 2>&1\n{command}")]).current_dir(folder).env_clear();
        shell.env("HOME", &self.home).env("PATH", &self.path).env("NO_COLOR", "1");
        let output = shell.output().unwrap();
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{page}: `{command}` failed\n{printed}");
        let expected: Vec<&str> = expected.iter().map(|line| line.trim_end()).collect();
        let lines: Vec<&str> = printed.lines().map(str::trim_end).collect();
        assert!(
            expected.is_empty() || lines_fit(&expected, &lines),
            "{page}: `{command}`\n--- printed\n{printed}--- the page says\n{}",
            expected.join("\n")
        );
    }
}

/// Whether printed lines are what a page shows.
fn lines_fit(expected: &[&str], printed: &[&str]) -> bool {
    match expected {
        [] => printed.is_empty(),
        ["…", rest @ ..] => (0..=printed.len()).any(|count| lines_fit(rest, &printed[count..])),
        [line, rest @ ..] => printed
            .split_first()
            .is_some_and(|(first, others)| line_fits(line, first) && lines_fit(rest, others)),
    }
}

/// Whether a printed line has the parts that a page shows, in order, with anything at each `…`.
fn line_fits(expected: &str, printed: &str) -> bool {
    let Some((start, rest)) = expected.split_once('…') else { return expected == printed };
    let Some(mut left) = printed.strip_prefix(start) else { return false };
    let (middle, end) = rest.rsplit_once('…').unwrap_or(("", rest));
    for part in middle.split('…') {
        let Some((_, after)) = left.split_once(part) else { return false };
        left = after;
    }
    left.ends_with(end)
}

fn documentation_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}
