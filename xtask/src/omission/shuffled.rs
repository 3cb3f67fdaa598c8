//! A history for the control: every commit touches as many files as the real one, and every file is touched as often,
//! but which files change together is left to chance.

#![expect(clippy::disallowed_methods, reason = "an evaluation runs git")]

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use super::fixes::FixCommit;
use crate::run::{self, XtaskResult};

/// The branch that is written.
const BRANCH: &str = "refs/heads/shuffled-history";

/// Writes such a history into a clone, and returns its last commit.
pub(super) fn write(clone: &Path, past: &[FixCommit]) -> XtaskResult<String> {
    let mut paths: Vec<&str> =
        past.iter().filter(|commit| commit.is_countable()).flat_map(FixCommit::paths).collect();
    shuffle(&mut paths);
    let mut rest = paths.into_iter();
    let mut stream = String::new();
    for (number, commit) in past.iter().filter(|commit| commit.is_countable()).enumerate() {
        let time = 1_000_000_000 + number * 60;
        let _ = write!(stream, "commit {BRANCH}\ncommitter a <a@b.c> {time} +0000\ndata 1\nx\n");
        for path in rest.by_ref().take(commit.paths().count()) {
            let text = format!("{number} {path}\n");
            let _ =
                write!(stream, "M 100644 inline {}\ndata {}\n{text}\n", quoted(path), text.len());
        }
    }
    let mut git = Command::new("git");
    git.arg("-C").arg(clone).args(["fast-import", "--quiet", "--force"]).stdin(Stdio::piped());
    let mut import = git.spawn().map_err(|error| error.to_string())?;
    let written = import.stdin.take().map(|mut input| input.write_all(stream.as_bytes()));
    if !import.wait().map_err(|error| error.to_string())?.success() {
        return Err(format!("git fast-import failed ({written:?})"));
    }
    let mut tip = Command::new("git");
    Ok(run::output(tip.arg("-C").arg(clone).args(["rev-parse", BRANCH]))?.trim().to_owned())
}

/// A path as `git fast-import` quotes it.
fn quoted(path: &str) -> String {
    format!("\"{}\"", path.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Shuffles with a fixed seed (xorshift), so that the order is always the same.
fn shuffle(paths: &mut [&str]) {
    let mut state: u64 = 0x9e37_79b9_7f4a_7c15;
    for at in (1..paths.len()).rev() {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let other = usize::try_from(state % (at as u64 + 1)).unwrap_or(0);
        paths.swap(at, other);
    }
}
