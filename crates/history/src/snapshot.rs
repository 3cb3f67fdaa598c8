//! A history as one file: what its commits say, in order, and what they add up to.
//!
//! The commits are enough to build everything again, without git; a digest says whether that came
//! out as it was. So a snapshot outlives every change of tables, and a clone that lacks commits
//! can have them from one.

use base::{Code, NextCall, Problem, RepoPath, Result};
use store::Connection;

use crate::bytes::{Eye, Pen};
use crate::commit::{Change, Commit, How, Person};
use crate::line::{self, Live, Writer};

/// How a snapshot starts, whatever its format.
const MAGIC: &[u8] = b"cairn history ";

/// The format that is written here, which is also the newest that is read.
const FORMAT: u64 = 1;

/// Added to the number of a commit's parents where its renames are not known. No commit has as many
/// parents, and a commit that has all it needs is written as it was before this mark existed.
const RENAMES_UNKNOWN: usize = 1 << 32;

/// The length of the hash at the end.
const SEAL: usize = blake3::OUT_LEN;

/// What a snapshot is of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct About {
    /// The commit that was checked out
    pub head: Vec<u8>,
    /// When it was taken, in seconds since 1970
    pub made: i64,
    /// How many commits there are
    pub commits: usize,
    /// The patterns of paths that were left out
    pub exclude: Vec<String>,
    /// The paths that the head has
    pub tree: Vec<Vec<u8>>,
    /// What the commits add up to, as the hash of a sorted dump
    pub digest: String,
}

/// A snapshot that was read, and is whole.
#[derive(Debug, Clone)]
pub struct Snapshot<'a> {
    /// What it is of
    pub about: About,
    rest: Eye<'a>,
}

/// The commits of a snapshot as they are written, one after the other.
#[derive(Debug, Default)]
pub struct Roll {
    pen: Pen,
}

impl Roll {
    /// Adds the next commit.
    pub fn add(&mut self, commit: &Commit) {
        put(&mut self.pen, commit);
    }

    /// The snapshot. `about` says how many commits were added.
    pub fn finish(self, about: &About) -> Vec<u8> {
        let mut pen = Pen::default();
        pen.bytes.extend_from_slice(MAGIC);
        pen.bytes.extend_from_slice(format!("{FORMAT}\n").as_bytes());
        pen.bytes(&about.head);
        pen.time(about.made);
        pen.length(about.commits);
        pen.bytes(about.digest.as_bytes());
        pen.length(about.exclude.len());
        about.exclude.iter().for_each(|pattern| pen.bytes(pattern.as_bytes()));
        pen.length(about.tree.len());
        about.tree.iter().for_each(|path| pen.bytes(path));
        pen.bytes.extend_from_slice(&self.pen.bytes);
        let seal = blake3::hash(&pen.bytes);
        pen.bytes.extend_from_slice(seal.as_bytes());
        pen.bytes
    }
}

/// Reads a snapshot's beginning, and whether all of it is as it was written.
pub fn read(bytes: &[u8]) -> Result<Snapshot<'_>> {
    let rest = bytes.strip_prefix(MAGIC).ok_or_else(stranger)?;
    let end = rest.iter().position(|byte| *byte == b'\n').ok_or_else(stranger)?;
    let format = std::str::from_utf8(&rest[..end]).ok().and_then(|digits| digits.parse().ok());
    match format.ok_or_else(stranger)? {
        FORMAT => {}
        format => return Err(unknown(format)),
    }
    let (body, seal) = bytes.split_last_chunk::<SEAL>().ok_or_else(broken)?;
    if blake3::hash(body) != *seal {
        return Err(broken());
    }
    let body = rest[end + 1..].split_last_chunk::<SEAL>().ok_or_else(broken)?.0;
    let mut eye = Eye::new(body);
    let about = about(&mut eye).ok_or_else(broken)?;
    Ok(Snapshot { about, rest: eye })
}

impl Snapshot<'_> {
    /// What its commits add up to when they are replayed from nothing. `hides` says which paths
    /// its patterns leave out.
    pub fn replay(&self, hides: &dyn Fn(&RepoPath) -> bool) -> Result<String> {
        let failed = || store::problem("replay a snapshot");
        let conn = Connection::open_in_memory().map_err(failed())?;
        conn.execute_batch(line::SCHEMA).map_err(failed())?;
        let mut writer = Writer::from(&conn, 0, hides)?;
        for (id, commit) in (1..).zip(self.commits()) {
            writer.add(id, &commit?)?;
        }
        let paths =
            self.about.tree.iter().filter_map(|path| RepoPath::from_bytes(path.as_slice()).ok());
        writer.finish(&Live::Tree(&paths.collect::<Vec<_>>()))?;
        line::set_meta(&conn, "head", &crate::hex(&self.about.head))?;
        line::digest(&conn)
    }

    /// Its commits, in order.
    pub fn commits(&self) -> impl Iterator<Item = Result<Commit>> + '_ {
        let mut eye = self.rest.clone();
        let mut left = self.about.commits;
        std::iter::from_fn(move || {
            if left == 0 {
                let is_over = std::mem::replace(&mut eye, Eye::new(&[])).is_at_end();
                return (!is_over).then(|| Err(broken()));
            }
            let commit = take(&mut eye).ok_or_else(broken);
            left = if commit.is_ok() { left - 1 } else { 0 };
            if commit.is_err() {
                eye = Eye::new(&[]);
            }
            Some(commit)
        })
    }
}

fn about(eye: &mut Eye<'_>) -> Option<About> {
    let (head, made, commits) = (eye.bytes()?.to_vec(), eye.time()?, eye.length()?);
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).ok();
    let digest = text(eye.bytes()?)?;
    let exclude = (0..eye.length()?).map(|_| text(eye.bytes()?)).collect::<Option<_>>()?;
    let tree = (0..eye.length()?).map(|_| Some(eye.bytes()?.to_vec())).collect::<Option<_>>()?;
    Some(About { head, made, commits, exclude, tree, digest })
}

fn put(pen: &mut Pen, commit: &Commit) {
    pen.bytes(&commit.sha);
    let unknown = if commit.renames_unknown { RENAMES_UNKNOWN } else { 0 };
    pen.length(unknown + commit.parents.len() * 2 + usize::from(commit.is_edge));
    commit.parents.iter().for_each(|parent| pen.bytes(parent));
    for person in [&commit.author, &commit.committer] {
        pen.word(person.name.as_bytes());
        pen.word(person.email.as_bytes());
        pen.time(person.time);
    }
    pen.bytes(commit.message.as_bytes());
    pen.length(commit.changes.len());
    for change in &commit.changes {
        pen.number(u64::from(change.how.letter()));
        pen.word(&change.path);
        if change.how == How::Renamed {
            pen.word(change.old.as_deref().unwrap_or_default());
        }
        pen.bytes(change.oid.as_deref().unwrap_or_default());
    }
}

fn take(eye: &mut Eye<'_>) -> Option<Commit> {
    let sha = eye.bytes()?.to_vec();
    let marks = eye.length()?;
    let renames_unknown = marks >= RENAMES_UNKNOWN;
    let marks = marks % RENAMES_UNKNOWN;
    let parents = (0..marks / 2).map(|_| Some(eye.bytes()?.to_vec())).collect::<Option<_>>()?;
    let (author, committer) = (person(eye)?, person(eye)?);
    let message = String::from_utf8(eye.bytes()?.to_vec()).ok()?;
    let changes = (0..eye.length()?).map(|_| change(eye)).collect::<Option<_>>()?;
    let is_edge = marks % 2 == 1;
    Some(Commit { sha, parents, author, committer, message, changes, is_edge, renames_unknown })
}

fn person(eye: &mut Eye<'_>) -> Option<Person> {
    let mut text = || String::from_utf8(eye.word()?.to_vec()).ok();
    let (name, email) = (text()?, text()?);
    Some(Person { name, email, time: eye.time()? })
}

fn change(eye: &mut Eye<'_>) -> Option<Change> {
    let how = How::from_letter(eye.number()?.try_into().ok()?)?;
    let path = eye.word()?.to_vec();
    let old = if how == How::Renamed { Some(eye.word()?.to_vec()) } else { None };
    let oid = eye.bytes()?.to_vec();
    Some(Change { how, path, old, oid: (!oid.is_empty()).then_some(oid) })
}

fn stranger() -> Problem {
    Problem::invalid("it is no snapshot of a history")
        .hint_call("snapshots are listed by", NextCall::to("history.snapshots"))
        .hint_call("and one is written by", NextCall::to("history.snapshot"))
}

fn unknown(format: u64) -> Problem {
    let text = format!("it is a snapshot in format {format}; this cairn reads format {FORMAT}");
    Problem::new(Code::InvalidOperation, text).hint("a newer cairn wrote it: update this one")
}

fn broken() -> Problem {
    Problem::new(Code::StoreDamaged, "it is a snapshot that was cut off or changed")
        .hint_call("take it again with", NextCall::to("history.snapshot"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commit(number: u8) -> Commit {
        let person = |name: &str| Person {
            name: name.into(),
            email: "a@b.c".into(),
            time: -i64::from(number),
        };
        let change = |how, path: &[u8], old: Option<&[u8]>| Change {
            how,
            path: path.to_vec(),
            old: old.map(<[u8]>::to_vec),
            oid: (how != How::Deleted).then(|| vec![number; 20]),
        };
        Commit {
            sha: vec![number; 20],
            parents: (0..number).map(|parent| vec![parent; 20]).collect(),
            author: person("Ü"),
            committer: person("C"),
            message: format!("feat: {number}\n\n\u{1}\0anything"),
            changes: vec![
                change(How::Renamed, b"a \n\xff", Some(b"b")),
                change(How::Deleted, b"b", None),
                change(How::Added, b"b", None),
            ],
            is_edge: number == 1,
            renames_unknown: number == 2,
        }
    }

    fn rolled(about: &About, commits: u8) -> Vec<u8> {
        let mut roll = Roll::default();
        (0..commits).for_each(|number| roll.add(&commit(number)));
        roll.finish(about)
    }

    fn snapshot() -> (About, Vec<u8>) {
        let about = About {
            head: vec![2; 20],
            made: 1_700_000_000,
            commits: 3,
            exclude: vec!["*.lock".into()],
            tree: vec![b"b".to_vec(), b"a \n\xff".to_vec()],
            digest: "d".into(),
        };
        let bytes = rolled(&about, 3);
        (about, bytes)
    }

    #[test]
    fn what_is_written_reads_back() {
        let (about, bytes) = snapshot();
        let read = read(&bytes).unwrap();
        assert_eq!(read.about, about);
        let commits: Vec<Commit> = read.commits().collect::<Result<_>>().unwrap();
        assert_eq!(commits, (0..3).map(commit).collect::<Vec<_>>());
    }

    #[test]
    fn strange_newer_cut_and_changed_files_are_refused() {
        let (about, bytes) = snapshot();
        let code = |bytes: &[u8]| read(bytes).map(|_| ()).unwrap_err().code;
        assert_eq!(code(b""), Code::ValidationError);
        assert_eq!(code(b"SQLite format 3\0"), Code::ValidationError);
        assert_eq!(code(b"cairn history x\n"), Code::ValidationError);
        assert_eq!(code(b"cairn history 2\nanything"), Code::InvalidOperation);
        for end in [20, bytes.len() / 2, bytes.len() - 1] {
            assert_eq!(code(&bytes[..end]), Code::StoreDamaged, "cut at {end}");
        }
        let mut changed = bytes.clone();
        let middle = changed.len() / 2;
        changed[middle] ^= 1;
        assert_eq!(code(&changed), Code::StoreDamaged);
        // One that is sealed and yet says less, or more, than it promises.
        for (promised, there) in [(3, 2), (2, 3)] {
            let about = About { commits: promised, ..about.clone() };
            let bytes = rolled(&about, there);
            let commits: Result<Vec<Commit>> = read(&bytes).unwrap().commits().collect();
            assert_eq!(commits.unwrap_err().code, Code::StoreDamaged);
        }
    }
}
