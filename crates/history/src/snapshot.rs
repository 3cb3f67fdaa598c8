//! A snapshot: all commits of a history in one file, and a digest of the history.
//!
//! The history is rebuilt from the commits without git, and the digest verifies the result. So a snapshot
//! stays valid when tables change, and a clone that lacks commits can take them from a snapshot.

use std::borrow::Cow;

use base::{NextCall, Problem, ProblemCode, RepoPath, Result};
use store::Connection;

use crate::checkout::{self, CheckedOutPaths, CheckoutHistoryWriter};
use crate::codec::{ByteDecoder, ByteEncoder};
use crate::commit::{CommitChangeKind, CommitFileChange, CommitSignature, HistoryCommit};
use crate::commit_store::CommitRowId;

/// The first bytes of every snapshot, in any format.
const MAGIC: &[u8] = b"cairn history ";

/// The format that is written, and the newest one that is read: all that follows is compressed.
const FORMAT: u64 = 2;

/// The format before it, which is still read: the same without compression.
const PLAIN_FORMAT: u64 = 1;

/// The largest uncompressed size of a snapshot, in bytes. A larger file was not written by cairn.
const MAX_BODY_BYTES: u64 = 4 << 30;

/// A flag in the number of parents: the renames of the commit are unknown. No commit has so many parents,
/// and a commit without the flag is written as older versions wrote it.
const RENAMES_UNKNOWN: usize = 1 << 32;

/// The length of the hash at the end.
const CHECKSUM_LEN: usize = blake3::OUT_LEN;

/// The header of a snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SnapshotHeader {
    /// The commit that was checked out
    pub head: Vec<u8>,
    /// When it was written, in seconds since 1970
    pub created_at: i64,
    /// How many commits there are
    pub commits: usize,
    /// The patterns of paths that were left out
    pub exclude: Vec<String>,
    /// The paths in the checked-out commit
    pub tree: Vec<Vec<u8>>,
    /// The digest of the history
    pub digest: String,
}

/// A snapshot whose hash was verified.
#[derive(Debug, Clone)]
pub struct Snapshot<'a> {
    /// Its header
    pub header: SnapshotHeader,
    body: Cow<'a, [u8]>,
    /// Where the commits start in the body
    commits_at: usize,
}

/// Writes a snapshot, commit by commit.
#[derive(Debug, Default)]
pub struct SnapshotWriter {
    encoder: ByteEncoder,
}

impl SnapshotWriter {
    /// Adds the next commit.
    pub fn add(&mut self, commit: &HistoryCommit) {
        write_commit(&mut self.encoder, commit);
    }

    /// The snapshot. `header` says how many commits were added.
    pub fn finish(self, about: &SnapshotHeader) -> Vec<u8> {
        let mut encoder = ByteEncoder::default();
        encoder.bytes(&about.head);
        encoder.time(about.created_at);
        encoder.length(about.commits);
        encoder.bytes(about.digest.as_bytes());
        encoder.length(about.exclude.len());
        about.exclude.iter().for_each(|pattern| encoder.bytes(pattern.as_bytes()));
        encoder.length(about.tree.len());
        about.tree.iter().for_each(|path| encoder.bytes(path));
        encoder.bytes.extend_from_slice(&self.encoder.bytes);
        let mut file = [MAGIC, format!("{FORMAT}\n").as_bytes()].concat();
        file.extend_from_slice(&store::compress(&encoder.bytes));
        let checksum = blake3::hash(&file);
        file.extend_from_slice(checksum.as_bytes());
        file
    }
}

/// Reads the header of a snapshot and verifies the hash of the whole file.
pub fn read(bytes: &[u8]) -> Result<Snapshot<'_>> {
    let rest = bytes.strip_prefix(MAGIC).ok_or_else(not_a_snapshot)?;
    let end = rest.iter().position(|byte| *byte == b'\n').ok_or_else(not_a_snapshot)?;
    let format = std::str::from_utf8(&rest[..end]).ok().and_then(|digits| digits.parse().ok());
    let format = format.ok_or_else(not_a_snapshot)?;
    if !(PLAIN_FORMAT..=FORMAT).contains(&format) {
        return Err(unsupported_format(format));
    }
    let (body, checksum) = bytes.split_last_chunk::<CHECKSUM_LEN>().ok_or_else(damaged_snapshot)?;
    if blake3::hash(body) != *checksum {
        return Err(damaged_snapshot());
    }
    let body = rest[end + 1..].split_last_chunk::<CHECKSUM_LEN>().ok_or_else(damaged_snapshot)?.0;
    let body = if format == PLAIN_FORMAT {
        Cow::Borrowed(body)
    } else {
        let body = store::decompress_at_most(body, MAX_BODY_BYTES);
        Cow::Owned(body.map_err(|_| damaged_snapshot())?)
    };
    let mut decoder = ByteDecoder::new(&body);
    let header = read_header(&mut decoder).ok_or_else(damaged_snapshot)?;
    let commits_at = body.len() - decoder.remaining();
    Ok(Snapshot { header, body, commits_at })
}

impl Snapshot<'_> {
    /// The digest of the history that its commits give. `hides` tells which paths its patterns leave out.
    pub fn replay(&self, hides: &dyn Fn(&RepoPath) -> bool) -> Result<String> {
        let failed = || store::sqlite_problem("replay a snapshot");
        let conn = Connection::open_in_memory().map_err(failed())?;
        conn.execute_batch(checkout::SCHEMA).map_err(failed())?;
        let mut writer = CheckoutHistoryWriter::truncated_to(&conn, 0, hides)?;
        for (id, commit) in (1..).map(CommitRowId).zip(self.commits()) {
            writer.add(id, &commit?)?;
        }
        let paths =
            self.header.tree.iter().filter_map(|path| RepoPath::from_bytes(path.as_slice()).ok());
        writer.finish(&CheckedOutPaths::Tree(&paths.collect::<Vec<_>>()))?;
        checkout::set_meta(&conn, "head", &crate::sha_to_hex(&self.header.head))?;
        checkout::digest(&conn)
    }

    /// Its commits, in order.
    pub fn commits(&self) -> impl Iterator<Item = Result<HistoryCommit>> + '_ {
        let mut decoder = ByteDecoder::new(&self.body[self.commits_at..]);
        let mut left = self.header.commits;
        std::iter::from_fn(move || {
            if left == 0 {
                let is_over = std::mem::replace(&mut decoder, ByteDecoder::new(&[])).is_at_end();
                return (!is_over).then(|| Err(damaged_snapshot()));
            }
            let commit = read_commit(&mut decoder).ok_or_else(damaged_snapshot);
            left = if commit.is_ok() { left - 1 } else { 0 };
            if commit.is_err() {
                decoder = ByteDecoder::new(&[]);
            }
            Some(commit)
        })
    }
}

fn read_header(decoder: &mut ByteDecoder<'_>) -> Option<SnapshotHeader> {
    let (head, made, commits) = (decoder.bytes()?.to_vec(), decoder.time()?, decoder.length()?);
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).ok();
    let digest = text(decoder.bytes()?)?;
    let exclude = (0..decoder.length()?).map(|_| text(decoder.bytes()?)).collect::<Option<_>>()?;
    let tree =
        (0..decoder.length()?).map(|_| Some(decoder.bytes()?.to_vec())).collect::<Option<_>>()?;
    Some(SnapshotHeader { head, created_at: made, commits, exclude, tree, digest })
}

fn write_commit(encoder: &mut ByteEncoder, commit: &HistoryCommit) {
    encoder.bytes(&commit.sha);
    let unknown = if commit.renames_unknown { RENAMES_UNKNOWN } else { 0 };
    encoder.length(unknown + commit.parents.len() * 2 + usize::from(commit.is_shallow_edge));
    commit.parents.iter().for_each(|parent| encoder.bytes(parent));
    for person in [&commit.author, &commit.committer] {
        encoder.interned_text(person.name.as_bytes());
        encoder.interned_text(person.email.as_bytes());
        encoder.time(person.time);
    }
    encoder.bytes(commit.message.as_bytes());
    encoder.length(commit.changes.len());
    for change in &commit.changes {
        encoder.number(u64::from(change.kind.letter()));
        encoder.interned_text(&change.path);
        if change.kind == CommitChangeKind::Renamed {
            encoder.interned_text(change.old_path.as_deref().unwrap_or_default());
        }
        encoder.bytes(change.oid.as_deref().unwrap_or_default());
    }
}

fn read_commit(decoder: &mut ByteDecoder<'_>) -> Option<HistoryCommit> {
    let sha = decoder.bytes()?.to_vec();
    let marks = decoder.length()?;
    let renames_unknown = marks >= RENAMES_UNKNOWN;
    let marks = marks % RENAMES_UNKNOWN;
    let parents = (0..marks / 2).map(|_| Some(decoder.bytes()?.to_vec())).collect::<Option<_>>()?;
    let (author, committer) = (read_signature(decoder)?, read_signature(decoder)?);
    let message = String::from_utf8(decoder.bytes()?.to_vec()).ok()?;
    let changes = (0..decoder.length()?).map(|_| read_change(decoder)).collect::<Option<_>>()?;
    let is_edge = marks % 2 == 1;
    Some(HistoryCommit {
        sha,
        parents,
        author,
        committer,
        message,
        changes,
        is_shallow_edge: is_edge,
        renames_unknown,
    })
}

fn read_signature(decoder: &mut ByteDecoder<'_>) -> Option<CommitSignature> {
    let mut text = || String::from_utf8(decoder.interned_text()?.to_vec()).ok();
    let (name, email) = (text()?, text()?);
    Some(CommitSignature { name, email, time: decoder.time()? })
}

fn read_change(decoder: &mut ByteDecoder<'_>) -> Option<CommitFileChange> {
    let how = CommitChangeKind::from_letter(decoder.number()?.try_into().ok()?)?;
    let path = decoder.interned_text()?.to_vec();
    let old = if how == CommitChangeKind::Renamed {
        Some(decoder.interned_text()?.to_vec())
    } else {
        None
    };
    let oid = decoder.bytes()?.to_vec();
    Some(CommitFileChange { kind: how, path, old_path: old, oid: (!oid.is_empty()).then_some(oid) })
}

fn not_a_snapshot() -> Problem {
    Problem::invalid("not a cairn history snapshot")
        .hint_call("snapshots are listed by", NextCall::new("history.snapshots"))
        .hint_call("and one is written by", NextCall::new("history.snapshot"))
}

fn unsupported_format(format: u64) -> Problem {
    let text = format!(
        "the snapshot has format {format}; this version of cairn reads formats 1 to {FORMAT}"
    );
    Problem::new(ProblemCode::InvalidOperation, text)
        .hint("a newer version of cairn wrote it; update this one")
}

fn damaged_snapshot() -> Problem {
    Problem::new(ProblemCode::StoreDamaged, "the snapshot is truncated or modified")
        .hint_call("write it again with", NextCall::new("history.snapshot"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commit(number: u8) -> HistoryCommit {
        let person = |name: &str| CommitSignature {
            name: name.into(),
            email: "a@b.c".into(),
            time: -i64::from(number),
        };
        let change = |how, path: &[u8], old: Option<&[u8]>| CommitFileChange {
            kind: how,
            path: path.to_vec(),
            old_path: old.map(<[u8]>::to_vec),
            oid: (how != CommitChangeKind::Deleted).then(|| vec![number; 20]),
        };
        HistoryCommit {
            sha: vec![number; 20],
            parents: (0..number).map(|parent| vec![parent; 20]).collect(),
            author: person("Ü"),
            committer: person("C"),
            message: format!("feat: {number}\n\n\u{1}\0anything"),
            changes: vec![
                change(CommitChangeKind::Renamed, b"a \n\xff", Some(b"b")),
                change(CommitChangeKind::Deleted, b"b", None),
                change(CommitChangeKind::Added, b"b", None),
            ],
            is_shallow_edge: number == 1,
            renames_unknown: number == 2,
        }
    }

    fn rolled(about: &SnapshotHeader, commits: u8) -> Vec<u8> {
        let mut snapshot_writer = SnapshotWriter::default();
        (0..commits).for_each(|number| snapshot_writer.add(&commit(number)));
        snapshot_writer.finish(about)
    }

    fn snapshot() -> (SnapshotHeader, Vec<u8>) {
        let about = SnapshotHeader {
            head: vec![2; 20],
            created_at: 1_700_000_000,
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
        assert_eq!(read.header, about);
        let commits: Vec<HistoryCommit> = read.commits().collect::<Result<_>>().unwrap();
        assert_eq!(commits, (0..3).map(commit).collect::<Vec<_>>());
    }

    #[test]
    fn a_snapshot_of_the_format_before_is_still_read() {
        let (about, bytes) = snapshot();
        let end = bytes.len() - CHECKSUM_LEN;
        let body = store::decompress(&bytes[MAGIC.len() + 2..end]).unwrap();
        let mut old = [MAGIC, b"1\n", &body].concat();
        let checksum = blake3::hash(&old);
        old.extend_from_slice(checksum.as_bytes());
        let read = read(&old).unwrap();
        assert_eq!(read.header, about);
        assert_eq!(read.commits().map(Result::unwrap).collect::<Vec<_>>(), [0, 1, 2].map(commit));
    }

    #[test]
    fn strange_newer_cut_and_changed_files_are_refused() {
        let (about, bytes) = snapshot();
        let code = |bytes: &[u8]| read(bytes).map(|_| ()).unwrap_err().code;
        assert_eq!(code(b""), ProblemCode::ValidationError);
        assert_eq!(code(b"SQLite format 3\0"), ProblemCode::ValidationError);
        assert_eq!(code(b"cairn history x\n"), ProblemCode::ValidationError);
        assert_eq!(code(b"cairn history 3\nanything"), ProblemCode::InvalidOperation);
        assert_eq!(code(b"cairn history 0\nanything"), ProblemCode::InvalidOperation);
        for end in [20, bytes.len() / 2, bytes.len() - 1] {
            assert_eq!(code(&bytes[..end]), ProblemCode::StoreDamaged, "cut at {end}");
        }
        let mut changed = bytes.clone();
        let middle = changed.len() / 2;
        changed[middle] ^= 1;
        assert_eq!(code(&changed), ProblemCode::StoreDamaged);
        // The checksum is right, but there are fewer or more commits than the header says.
        for (promised, there) in [(3, 2), (2, 3)] {
            let about = SnapshotHeader { commits: promised, ..about.clone() };
            let bytes = rolled(&about, there);
            let commits: Result<Vec<HistoryCommit>> = read(&bytes).unwrap().commits().collect();
            assert_eq!(commits.unwrap_err().code, ProblemCode::StoreDamaged);
        }
    }
}
