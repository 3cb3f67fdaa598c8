//! Git's failures as problems: one table of what git says, what it means, and what to do.

use std::io;
use std::process::ExitStatus;

use base::{Code, Problem};

use crate::command::About;
use crate::host::no_git;

/// A complaint we know: its words, the code, what it means, and the next step.
/// `{root}` stands for the worktree.
struct Known {
    words: &'static str,
    code: Code,
    means: &'static str,
    hint: &'static str,
}

const fn known(words: &'static str, code: Code, means: &'static str, hint: &'static str) -> Known {
    Known { words, code, means, hint }
}

const FSCK: &str = "`git fsck` in {root} names the damage; a fresh clone repairs it";
const DAMAGED: &str = "an object of the repository is missing or damaged";
const HANDLES: &str =
    "too many files are open; close some programs, or raise the limit with `ulimit -n`";
const SPACE: &str = "the disk is full; free some space and repeat the request";
const READ_ONLY: &str = "the disk is read-only; make it writable, or work in another clone";
const OLD: &str = "install git 2.45 or newer";
const REVISION: &str = "`git branch -a` and `git log` list what there is";

/// The first that fits is taken.
const TABLE: [Known; 25] = [
    known(
        "dubious ownership",
        Code::Unavailable,
        "{root} belongs to another user, so git does not open it",
        "if you trust it, run `git config --global --add safe.directory '{root}'`",
    ),
    known(
        "cannot use bare repository",
        Code::InvalidOperation,
        "{root} is a bare repository",
        "go to one of its worktrees",
    ),
    known(
        "not a git repository",
        Code::NotFound,
        "{root} is not in a git repository",
        "run `git init`, or go to a folder of a repository",
    ),
    known("unknown option", Code::Unavailable, "this git is too old", OLD),
    known("Expected git repo version", Code::Unavailable, "this git is too old", OLD),
    known("unknown repository extension", Code::Unavailable, "this git is too old", OLD),
    known("Too many open files", Code::Io, "git could not open a file", HANDLES),
    known("No space left on device", Code::Io, "git could not write a file", SPACE),
    known("Read-only file system", Code::Io, "git could not write a file", READ_ONLY),
    known(
        "bad config",
        Code::StoreDamaged,
        "a git configuration file cannot be read",
        "`git config --list --show-origin` in {root} says which",
    ),
    known(
        "lazy fetching disabled",
        Code::Unavailable,
        "this is a partial clone and the object is not here",
        "fetch it with git first; cairn does not use the network",
    ),
    known("is ambiguous", Code::Ambiguous, "the name fits several objects", "give more digits"),
    known("unknown revision", Code::NotFound, "there is no such revision", REVISION),
    known("Needed a single revision", Code::NotFound, "there is no such revision", REVISION),
    known("bad revision", Code::NotFound, "there is no such revision", REVISION),
    known("Not a valid object name", Code::NotFound, "there is no such object", REVISION),
    known("Not a valid commit name", Code::NotFound, "there is no such commit", REVISION),
    known("not a tree object", Code::NotFound, "there is no such tree", REVISION),
    known(
        "index file",
        Code::StoreDamaged,
        "the index cannot be read",
        "`git reset` in {root} writes it anew",
    ),
    known("bad object", Code::StoreDamaged, DAMAGED, FSCK),
    known("corrupt", Code::StoreDamaged, DAMAGED, FSCK),
    known("inflate", Code::StoreDamaged, DAMAGED, FSCK),
    known("unable to stream", Code::StoreDamaged, DAMAGED, FSCK),
    known("unable to read", Code::StoreDamaged, DAMAGED, FSCK),
    known("could not read", Code::StoreDamaged, DAMAGED, FSCK),
];

/// A call that ended badly.
pub(crate) fn ended(about: &About, status: ExitStatus, complaint: &[u8]) -> Problem {
    let said = String::from_utf8_lossy(complaint);
    let found = TABLE.iter().find(|known| said.contains(known.words));
    let problem = match found {
        Some(known) => Problem::new(known.code, fill(known.means, about)),
        None => Problem::new(Code::Unavailable, format!("git {} failed ({status})", about.verb)),
    };
    let hint = found.map_or("run `git status` in {root} to see more", |known| known.hint);
    problem.hint(fill(hint, about)).detail("git", about.verb).detail("stderr", printable(&said))
}

/// A call that could not start.
pub(crate) fn not_started(about: &About, error: io::Error) -> Problem {
    if error.kind() == io::ErrorKind::NotFound && about.root.is_dir() {
        return no_git().because(error);
    }
    Problem::new(Code::Unavailable, format!("cannot start git in {}", about.root.display()))
        .hint("check that the folder is there and that git can be run")
        .because(error)
}

/// A call whose output broke off.
pub(crate) fn not_read(about: &About, error: io::Error) -> Problem {
    Problem::new(Code::Unavailable, format!("cannot read what git {} says", about.verb))
        .hint("repeat the request")
        .because(error)
}

/// An answer that does not have the form git documents.
pub(crate) fn not_understood(verb: &str, line: &[u8]) -> Problem {
    let line = String::from_utf8_lossy(line);
    Problem::internal(format!("git {verb} wrote a line we do not know"))
        .detail("line", line.escape_debug().to_string())
}

fn fill(text: &str, about: &About) -> String {
    text.replace("{root}", &about.root.display().to_string())
}

/// What git said, with control characters escaped: names in it are the repository's.
fn printable(said: &str) -> String {
    let lines = said.trim_end().lines().take(20);
    lines.map(|line| line.escape_debug().to_string()).collect::<Vec<_>>().join("\n")
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::process::ExitStatusExt;

    use super::*;

    fn problem(said: &str) -> Problem {
        let about = About { verb: "ls-tree", root: "/r".into(), git_dirs: Vec::new() };
        ended(&about, ExitStatus::from_raw(128 << 8), said.as_bytes())
    }

    #[test]
    fn what_git_says_becomes_a_next_step() {
        let dubious = problem("fatal: detected dubious ownership in repository at '/r'\n");
        assert_eq!(dubious.code, Code::Unavailable);
        assert_eq!(
            dubious.hints,
            ["if you trust it, run `git config --global --add safe.directory '/r'`"]
        );
        assert_eq!(problem("fatal: not a git repository").code, Code::NotFound);
        assert_eq!(problem("error: inflate: data stream error").code, Code::StoreDamaged);
        assert_eq!(problem("fatal: Needed a single revision").code, Code::NotFound);
    }

    #[test]
    fn unknown_complaints_are_kept_and_escaped() {
        let odd = problem("fatal: \u{1b}[31m\nhmm\n");
        assert_eq!(odd.message, "git ls-tree failed (exit status: 128)");
        assert_eq!(odd.details["stderr"], "fatal: \\u{1b}[31m\nhmm");
    }
}
