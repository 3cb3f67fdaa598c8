//! Translates git's error messages into problems: one table with the message, its meaning, and what
//! to do.

use std::io;
use std::process::ExitStatus;

use base::{Problem, ProblemCode};

use crate::command::GitCallInfo;
use crate::host::git_not_found;

/// A known error message of git: its words, the problem code, the meaning, and a hint. `{root}`
/// stands for the worktree.
struct KnownGitError {
    pattern: &'static str,
    code: ProblemCode,
    message: &'static str,
    hint: &'static str,
}

const fn known_error(
    words: &'static str,
    code: ProblemCode,
    means: &'static str,
    hint: &'static str,
) -> KnownGitError {
    KnownGitError { pattern: words, code, message: means, hint }
}

const FSCK_HINT: &str = "`git fsck` in {root} names the damage; a fresh clone repairs it";
const DAMAGED_OBJECT: &str = "an object of the repository is missing or damaged";
const OPEN_FILES_HINT: &str =
    "too many files are open; close some programs, or raise the limit with `ulimit -n`";
const DISK_FULL_HINT: &str = "the disk is full; free some space and repeat the request";
const READ_ONLY_HINT: &str = "the disk is read-only; make it writable, or work in another clone";
const OLD_GIT: &str = "the installed git is too old";
const UPGRADE_HINT: &str = "install git 2.45 or newer";
const REVISION_HINT: &str = "`git branch -a` lists branches, `git log` lists commits";

/// In order of priority: the first match is used.
const KNOWN_ERRORS: [KnownGitError; 25] = [
    known_error(
        "dubious ownership",
        ProblemCode::Unavailable,
        "{root} belongs to another user, so git does not open it",
        "if you trust it, run `git config --global --add safe.directory '{root}'`",
    ),
    known_error(
        "cannot use bare repository",
        ProblemCode::InvalidOperation,
        "{root} is a bare repository",
        "go to one of its worktrees",
    ),
    known_error(
        "not a git repository",
        ProblemCode::NotFound,
        "{root} is not in a git repository",
        "run `git init`, or go to a folder of a repository",
    ),
    known_error("unknown option", ProblemCode::Unavailable, OLD_GIT, UPGRADE_HINT),
    known_error("Expected git repo version", ProblemCode::Unavailable, OLD_GIT, UPGRADE_HINT),
    known_error("unknown repository extension", ProblemCode::Unavailable, OLD_GIT, UPGRADE_HINT),
    known_error(
        "Too many open files",
        ProblemCode::Io,
        "git could not open a file",
        OPEN_FILES_HINT,
    ),
    known_error(
        "No space left on device",
        ProblemCode::Io,
        "git could not write a file",
        DISK_FULL_HINT,
    ),
    known_error(
        "Read-only file system",
        ProblemCode::Io,
        "git could not write a file",
        READ_ONLY_HINT,
    ),
    known_error(
        "bad config",
        ProblemCode::StoreDamaged,
        "a git configuration file cannot be read",
        "`git config --list --show-origin` in {root} shows which one",
    ),
    known_error(
        "lazy fetching disabled",
        ProblemCode::Unavailable,
        "the object is missing from this partial clone",
        "fetch it with git first; cairn does not use the network",
    ),
    known_error(
        "is ambiguous",
        ProblemCode::Ambiguous,
        "the name matches several objects",
        "give more digits",
    ),
    known_error(
        "unknown revision",
        ProblemCode::NotFound,
        "there is no such revision",
        REVISION_HINT,
    ),
    known_error(
        "Needed a single revision",
        ProblemCode::NotFound,
        "there is no such revision",
        REVISION_HINT,
    ),
    known_error("bad revision", ProblemCode::NotFound, "there is no such revision", REVISION_HINT),
    known_error(
        "Not a valid object name",
        ProblemCode::NotFound,
        "there is no such object",
        REVISION_HINT,
    ),
    known_error(
        "Not a valid commit name",
        ProblemCode::NotFound,
        "there is no such commit",
        REVISION_HINT,
    ),
    known_error("not a tree object", ProblemCode::NotFound, "there is no such tree", REVISION_HINT),
    known_error(
        "index file",
        ProblemCode::StoreDamaged,
        "the index cannot be read",
        "`git reset` in {root} writes it anew",
    ),
    known_error("bad object", ProblemCode::StoreDamaged, DAMAGED_OBJECT, FSCK_HINT),
    known_error("corrupt", ProblemCode::StoreDamaged, DAMAGED_OBJECT, FSCK_HINT),
    known_error("inflate", ProblemCode::StoreDamaged, DAMAGED_OBJECT, FSCK_HINT),
    known_error("unable to stream", ProblemCode::StoreDamaged, DAMAGED_OBJECT, FSCK_HINT),
    known_error("unable to read", ProblemCode::StoreDamaged, DAMAGED_OBJECT, FSCK_HINT),
    known_error("could not read", ProblemCode::StoreDamaged, DAMAGED_OBJECT, FSCK_HINT),
];

/// A call that ended badly.
pub(crate) fn call_failed(about: &GitCallInfo, status: ExitStatus, complaint: &[u8]) -> Problem {
    let said = String::from_utf8_lossy(complaint);
    let found = KNOWN_ERRORS.iter().find(|known| said.contains(known.pattern));
    let problem = match found {
        Some(known) => Problem::new(known.code, fill_placeholders(known.message, about)),
        None => {
            Problem::new(ProblemCode::Unavailable, format!("git {} failed ({status})", about.verb))
        }
    };
    let hint = found.map_or("run `git status` in {root} to see more", |known| known.hint);
    problem
        .hint(fill_placeholders(hint, about))
        .detail("git", about.verb)
        .detail("stderr", printable(&said))
}

/// A call that could not start.
pub(crate) fn start_failed(about: &GitCallInfo, error: io::Error) -> Problem {
    if error.kind() == io::ErrorKind::NotFound && about.root.is_dir() {
        return git_not_found().with_source(error);
    }
    Problem::new(ProblemCode::Unavailable, format!("cannot start git in {}", about.root.display()))
        .hint("check that the folder is there and that git can be run")
        .with_source(error)
}

/// A call whose output broke off.
pub(crate) fn read_failed(about: &GitCallInfo, error: io::Error) -> Problem {
    Problem::new(ProblemCode::Unavailable, format!("cannot parse the output of git {}", about.verb))
        .hint("repeat the request")
        .with_source(error)
}

/// An answer that does not have the form git documents.
pub(crate) fn unexpected_output(verb: &str, line: &[u8]) -> Problem {
    let line = String::from_utf8_lossy(line);
    Problem::internal(format!("git {verb} wrote an unexpected line"))
        .detail("line", line.escape_debug().to_string())
}

fn fill_placeholders(text: &str, about: &GitCallInfo) -> String {
    text.replace("{root}", &about.root.display().to_string())
}

/// A message of git with control characters escaped, because it can contain names from the
/// repository.
fn printable(said: &str) -> String {
    let lines = said.trim_end().lines().take(20);
    lines.map(|line| line.escape_debug().to_string()).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::process::ExitStatusExt;

    use super::*;

    fn problem(said: &str) -> Problem {
        let about = GitCallInfo { verb: "ls-tree", root: "/r".into(), git_dirs: Vec::new() };
        call_failed(&about, ExitStatus::from_raw(128 << 8), said.as_bytes())
    }

    #[test]
    fn what_git_says_becomes_a_next_step() {
        let dubious = problem("fatal: detected dubious ownership in repository at '/r'\n");
        assert_eq!(dubious.code, ProblemCode::Unavailable);
        assert_eq!(
            dubious.hints,
            ["if you trust it, run `git config --global --add safe.directory '/r'`"]
        );
        assert_eq!(problem("fatal: not a git repository").code, ProblemCode::NotFound);
        assert_eq!(problem("error: inflate: data stream error").code, ProblemCode::StoreDamaged);
        assert_eq!(problem("fatal: Needed a single revision").code, ProblemCode::NotFound);
    }

    #[test]
    fn unknown_complaints_are_kept_and_escaped() {
        let odd = problem("fatal: \u{1b}[31m\nhmm\n");
        assert_eq!(odd.message, "git ls-tree failed (exit status: 128)");
        assert_eq!(odd.details["stderr"], "fatal: \\u{1b}[31m\nhmm");
    }
}
