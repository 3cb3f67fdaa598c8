//! Commits with their messages and the files they touched, streamed in the order asked for.
//!
//! Several processes work at once, since comparing trees is what takes the time. A merge touches
//! what differs from every parent. For merges git is not asked to find renames: without that it
//! walks all parents at once and looks into no folder that one of them already had.
//!
//! Git compares contents to find renames and ends when it cannot read one, as in a partial clone or
//! after damage. Such a commit is read again without comparing contents, and says so.

use std::collections::VecDeque;

use base::{Call, Problem, ProblemCode, Result};

use crate::ancestry::CommitParents;
use crate::failure;
use crate::oid::Oid;
use crate::repo::Repo;
use crate::run::GitProcess;

/// The processes take turns of this many commits. Runs are long because what a process has unpacked
/// for one commit serves the next one. Its output waits until it is read.
const COMMITS_PER_TURN: usize = 256;

/// How many processes compare commits with one parent.
const WORKERS: usize = 2;

/// Fields end with NUL, which no field can hold.
const FORMAT: &str = "--format=%H%x00%an%x00%ae%x00%at%x00%cn%x00%ce%x00%ct%x00%B%x00";

/// Raw output with whole names, and nothing the repository could hide, reorder or run.
const FLAGS: [&str; 13] = [
    "--stdin",
    "-r",
    "-z",
    "--raw",
    "--root",
    "--always",
    "--no-abbrev",
    "--full-index",
    "--no-relative",
    "--no-ext-diff",
    "--no-textconv",
    "--ignore-submodules=none",
    "--encoding=UTF-8",
];

/// How one process looks for renames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RenameDetection {
    /// By comparing contents, among at most 1000 pairs of files, whatever is configured
    BySimilarity,
    /// Only files with the same content, which their object ids show without reading them
    ExactOnly,
    /// Not at all: merges, whose moves are found by [`detect_moves`]
    Disabled,
}

impl RenameDetection {
    const fn flags(self) -> [&'static str; 2] {
        match self {
            Self::BySimilarity => ["-M50%", "-l1000"],
            Self::ExactOnly => ["-M100%", "-l1000"],
            Self::Disabled => ["-c", "--no-renames"],
        }
    }
}

/// After this many commits whose contents cannot be compared, comparison is switched off: in a
/// partial clone, starting a new process for each of them would take too long.
const MAX_FAILURES: usize = 8;

/// A commit with its authors, its message and the files that it touched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitCommit {
    /// Its name
    pub oid: Oid,
    /// Who wrote it
    pub author: GitSignature,
    /// Who committed it
    pub committer: GitSignature,
    /// Its message, in UTF-8 where git knows its encoding
    pub message: Vec<u8>,
    /// The files it touched, in git's order
    pub touched: Vec<TouchedFile>,
    /// Whether files that are listed as deleted and added may be renames: the contents that would
    /// show it are missing
    pub renames_unknown: bool,
}

/// Somebody, and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitSignature {
    /// Their name
    pub name: Vec<u8>,
    /// Their address
    pub email: Vec<u8>,
    /// Seconds since 1970
    pub time: i64,
}

/// A file that a commit touched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TouchedFile {
    /// What happened to it
    pub kind: TouchKind,
    /// Where it is, as git wrote it
    pub path: Vec<u8>,
    /// Where it was before it was renamed
    pub old_path: Option<Vec<u8>>,
    /// Its content after the commit; `None` if it was deleted
    pub oid: Option<Oid>,
}

/// What happened to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TouchKind {
    /// It is new
    Added,
    /// It is gone
    Deleted,
    /// Its content or mode changed
    Modified,
    /// It became another sort of thing, such as a link
    TypeChanged,
    /// It was renamed
    Renamed,
}

/// A reader of commits.
pub struct CommitReader {
    readers: Vec<DiffTreeReader>,
    /// The commits that are still to come, each with the process that reads it
    turns: VecDeque<(Oid, usize)>,
}

impl Repo {
    /// Reads commits in the order of `links`, which say who has several parents.
    pub fn commits(&self, links: &[CommitParents]) -> Result<CommitReader> {
        let mut lists = vec![Vec::new(); WORKERS + 1];
        let mut turns = VecDeque::with_capacity(links.len());
        for (at, link) in links.iter().enumerate() {
            let turn =
                if link.parents.len() > 1 { WORKERS } else { (at / COMMITS_PER_TURN) % WORKERS };
            lists[turn].push(link.oid);
            turns.push_back((link.oid, turn));
        }
        let readers = lists.into_iter().enumerate().map(|(at, commits)| {
            let renames = if at == WORKERS {
                RenameDetection::Disabled
            } else {
                RenameDetection::BySimilarity
            };
            DiffTreeReader::start(self, commits, renames)
        });
        Ok(CommitReader { readers: readers.collect::<Result<_>>()?, turns })
    }

    /// Starts a process that writes commits in this order; none if there are no commits.
    fn diff_commits(
        &self,
        commits: impl IntoIterator<Item = Oid>,
        renames: RenameDetection,
    ) -> Result<Option<GitProcess>> {
        let list: String = commits.into_iter().map(|oid| format!("{oid}\n")).collect();
        if list.is_empty() {
            return Ok(None);
        }
        let git = self.git("diff-tree")?.args(FLAGS).args(renames.flags()).args([FORMAT]);
        Ok(Some(git.with_stdin().start()?.with_input(list.into_bytes())))
    }
}

impl CommitReader {
    /// The next commit; none after the last.
    pub fn next(&mut self, call: &Call) -> Result<Option<GitCommit>> {
        let Some((oid, turn)) = self.turns.pop_front() else { return Ok(None) };
        let commit = self.readers[turn].next(call)?;
        if commit.oid != oid {
            return Err(failure::unexpected_output("diff-tree", commit.oid.to_string().as_bytes()));
        }
        Ok(Some(commit))
    }
}

/// Reads commits from one process, and from another where that one fails.
struct DiffTreeReader {
    repo: Repo,
    renames: RenameDetection,
    /// The commits that are still to come
    pending: VecDeque<Oid>,
    output: DiffTreeOutput,
    /// How many commits could only be read without comparing contents
    failures: usize,
}

impl DiffTreeReader {
    fn start(repo: &Repo, commits: Vec<Oid>, renames: RenameDetection) -> Result<Self> {
        let output = DiffTreeOutput::of(repo.diff_commits(commits.iter().copied(), renames)?);
        Ok(Self { repo: repo.clone(), renames, pending: commits.into(), output, failures: 0 })
    }

    fn next(&mut self, call: &Call) -> Result<GitCommit> {
        let mut commit = match self.output.commit(call) {
            Err(problem)
                if self.renames == RenameDetection::BySimilarity && !is_interruption(&problem) =>
            {
                return self.read_single(call);
            }
            read => read?,
        };
        self.pending.pop_front();
        commit.renames_unknown &= self.renames == RenameDetection::ExactOnly;
        Ok(commit)
    }

    /// Reads the next commit by itself after the process that read many failed, and starts another
    /// one for those that follow.
    fn read_single(&mut self, call: &Call) -> Result<GitCommit> {
        let oid = self.pending.pop_front();
        let single =
            |renames| DiffTreeOutput::of(self.repo.diff_commits(oid, renames)?).commit(call);
        let commit = match single(RenameDetection::BySimilarity) {
            Err(problem) if !is_interruption(&problem) => {
                self.failures += 1;
                single(RenameDetection::ExactOnly)?
            }
            read => GitCommit { renames_unknown: false, ..read? },
        };
        if self.failures >= MAX_FAILURES {
            self.renames = RenameDetection::ExactOnly;
        }
        let rest = self.pending.iter().copied();
        self.output = DiffTreeOutput::of(self.repo.diff_commits(rest, self.renames)?);
        Ok(commit)
    }
}

/// Whether the caller gave up, so that nothing has to be tried again.
fn is_interruption(problem: &Problem) -> bool {
    matches!(problem.code, ProblemCode::Timeout | ProblemCode::Cancelled)
}

/// Takes one process's output apart.
struct DiffTreeOutput {
    running: Option<GitProcess>,
    buffer: Vec<u8>,
    position: usize,
    /// A field that turned out to be the next commit's
    lookahead: Option<Vec<u8>>,
}

impl DiffTreeOutput {
    const fn of(running: Option<GitProcess>) -> Self {
        Self { running, buffer: Vec::new(), position: 0, lookahead: None }
    }

    /// The next commit. `renames_unknown` says only whether files were both added and deleted; the
    /// caller knows how the process looks for renames, and corrects it.
    fn commit(&mut self, call: &Call) -> Result<GitCommit> {
        let digits = match self.lookahead.take() {
            Some(digits) => digits,
            None => self.required_field(call)?,
        };
        let oid = Oid::from_hex(&digits);
        let oid = oid.ok_or_else(|| failure::unexpected_output("diff-tree", &digits))?;
        let (author, committer) = (self.person(call)?, self.person(call)?);
        let message = self.required_field(call)?;
        let touched = self.touched_files(call)?;
        let has = |how: TouchKind| touched.iter().any(|touched| touched.kind == how);
        let renames_unknown = has(TouchKind::Added) && has(TouchKind::Deleted);
        Ok(GitCommit { oid, author, committer, message, touched, renames_unknown })
    }

    fn person(&mut self, call: &Call) -> Result<GitSignature> {
        let (name, email) = (self.required_field(call)?, self.required_field(call)?);
        let time = self.required_field(call)?;
        let time = std::str::from_utf8(&time).ok().and_then(|time| time.trim().parse().ok());
        // A time that does not fit a number is certainly wrong.
        Ok(GitSignature { name, email, time: time.unwrap_or(0) })
    }

    /// The files, up to the next commit or the end.
    fn touched_files(&mut self, call: &Call) -> Result<Vec<TouchedFile>> {
        let mut found = Vec::new();
        while let Some(field) = self.field(call)? {
            // An empty field ends the message; a line feed starts the list of one parent.
            let words = field.strip_prefix(b"\n").unwrap_or(&field);
            if words.is_empty() {
                continue;
            }
            if !words.starts_with(b":") {
                self.lookahead = Some(field);
                break;
            }
            let raw = RawDiffRecord::parse(words);
            let raw = raw.ok_or_else(|| failure::unexpected_output("diff-tree", words))?;
            let first = self.required_field(call)?;
            found.push(match raw.kind {
                TouchKind::Renamed => {
                    let path = self.required_field(call)?;
                    (
                        raw.before,
                        TouchedFile { kind: raw.kind, path, old_path: Some(first), oid: raw.after },
                    )
                }
                how => (
                    raw.before,
                    TouchedFile { kind: how, path: first, old_path: None, oid: raw.after },
                ),
            });
        }
        Ok(detect_moves(found))
    }

    fn required_field(&mut self, call: &Call) -> Result<Vec<u8>> {
        match self.field(call)? {
            Some(field) => Ok(field),
            None => Err(failure::unexpected_output("diff-tree", b"(the end)")),
        }
    }

    /// What comes before the next NUL; none at the end of the output.
    fn field(&mut self, call: &Call) -> Result<Option<Vec<u8>>> {
        let mut seen = 0;
        loop {
            let fresh = &self.buffer[self.position + seen..];
            if let Some(end) = fresh.iter().position(|byte| *byte == 0) {
                let field = self.buffer[self.position..self.position + seen + end].to_vec();
                self.position += seen + end + 1;
                return Ok(Some(field));
            }
            seen += fresh.len();
            if !self.fill(call)? {
                return Ok(None);
            }
        }
    }

    fn fill(&mut self, call: &Call) -> Result<bool> {
        self.buffer.drain(..self.position);
        self.position = 0;
        let Some(running) = &mut self.running else { return Ok(false) };
        if let Some(piece) = running.read_chunk(call)? {
            self.buffer.extend(piece);
            return Ok(true);
        }
        let mut running = self.running.take().expect("it was there a line above");
        running.wait_for_exit(call)?.output()?;
        Ok(false)
    }
}

/// The fields of a raw diff record that come before its path.
pub(crate) struct RawDiffRecord {
    kind: TouchKind,
    before: Vec<Oid>,
    after: Option<Oid>,
}

impl RawDiffRecord {
    /// Reads `:mode mode name name S`; each further parent adds a colon, a mode and a name.
    pub(crate) fn parse(words: &[u8]) -> Option<Self> {
        let parents = words.iter().take_while(|byte| **byte == b':').count();
        let words: Vec<&[u8]> = words[parents..].split(|byte| *byte == b' ').collect();
        let [modes @ .., status] = words.as_slice() else { return None };
        if modes.len() != 2 * (parents + 1) {
            return None;
        }
        let names = &modes[parents + 1..];
        let oids: Vec<Oid> = names.iter().map(|n| Oid::from_hex(n)).collect::<Option<_>>()?;
        let (after, before) = oids.split_last()?;
        let every = |letter: u8| status.iter().all(|byte| *byte == letter);
        let how = match status.first()? {
            b'R' => TouchKind::Renamed,
            b'T' => TouchKind::TypeChanged,
            b'A' if every(b'A') => TouchKind::Added,
            b'D' if every(b'D') => TouchKind::Deleted,
            b'A' | b'D' | b'M' => TouchKind::Modified,
            _ => return None,
        };
        let after = Some(*after).filter(|oid| !oid.is_null());
        Some(Self { kind: how, before: before.to_vec(), after })
    }
}

/// In merges, a file that disappeared and a file that appeared with the same content are one file
/// that moved.
fn detect_moves(found: Vec<(Vec<Oid>, TouchedFile)>) -> Vec<TouchedFile> {
    let is = |how: TouchKind| move |(_, touched): &&(Vec<Oid>, TouchedFile)| touched.kind == how;
    let pairs: Vec<(Vec<u8>, Vec<u8>)> = {
        let mut gone: Vec<_> = found.iter().filter(is(TouchKind::Deleted)).collect();
        let came = found.iter().filter(is(TouchKind::Added)).filter_map(|(_, new)| {
            let at = gone.iter().position(|(old, _)| new.oid.is_some_and(|o| old.contains(&o)))?;
            Some((gone.remove(at).1.path.clone(), new.path.clone()))
        });
        came.collect()
    };
    if pairs.is_empty() {
        return found.into_iter().map(|(_, touched)| touched).collect();
    }
    let moved = |(_, mut touched): (Vec<Oid>, TouchedFile)| {
        if let Some((old, _)) = pairs.iter().find(|(_, new)| *new == touched.path) {
            (touched.kind, touched.old_path) = (TouchKind::Renamed, Some(old.clone()));
        }
        let left = pairs.iter().any(|(old, _)| *old == touched.path);
        (!left || touched.kind == TouchKind::Renamed).then_some(touched)
    };
    found.into_iter().filter_map(moved).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raw_lines_of_one_and_of_several_parents_are_read() {
        let (a, b, no) = ("1".repeat(40), "2".repeat(40), "0".repeat(40));
        let read = |line: String| RawDiffRecord::parse(line.as_bytes()).map(|raw| raw.kind);
        assert_eq!(read(format!(":100644 100644 {a} {b} M")), Some(TouchKind::Modified));
        assert_eq!(read(format!(":100644 100644 {a} {b} R087")), Some(TouchKind::Renamed));
        assert_eq!(read(format!("::1 1 1 {a} {b} {a} MM")), Some(TouchKind::Modified));
        assert_eq!(read(format!("::1 0 1 {a} {no} {a} MA")), Some(TouchKind::Modified));
        assert_eq!(read(format!("::0 0 1 {no} {no} {a} AA")), Some(TouchKind::Added));
        assert_eq!(read(format!("::1 1 0 {a} {b} {no} DD")), Some(TouchKind::Deleted));
        for line in ["", ":", ":1 2 3", "::1 1 1 a b c MM", ":100644 100644 1 2 M"] {
            assert!(read(line.to_owned()).is_none(), "{line}");
        }
    }
}
