//! Reads files and extracts their facts. A file whose metadata or content hash is unchanged is not
//! parsed again.

use std::sync::LazyLock;

use base::{Call, Hash, RepoPath, Result};
use git::ObjectFormat;
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use syntax::{FileFacts, Language};
use tree::{FileTime, ProjectFile, Stat, WorkingTree};

use super::refresh_plan::ParseScope;
use super::{Indexer, PreparedFile};
use crate::facts::{FactsCache, FactsKey};

/// Largest file that is hashed, in bytes. Larger files are compared by size and time only.
const MAX_HASHED_BYTES: u64 = 64 * 1024 * 1024;

/// Number of bytes at the start of a file that are searched for a NUL byte, which marks binary
/// files. Git uses the same number.
const BINARY_PROBE_BYTES: usize = 8000;

/// Length in bytes above which a line counts as generated.
const MAX_LINE_BYTES: usize = 20_000;

/// Stack size of the threads that parse files, in bytes. The parsers recurse as deeply as the
/// syntax of a file nests.
const STACK_BYTES: usize = 32 * 1024 * 1024;

/// The thread pool that reads files; `None` if threads cannot be started.
static THREADS: LazyLock<Option<ThreadPool>> =
    LazyLock::new(|| ThreadPoolBuilder::new().stack_size(STACK_BYTES).build().ok());

/// A file together with the result of reading it.
#[derive(Debug)]
pub(super) struct FileRead {
    pub path: RepoPath,
    pub stat: Stat,
    pub read_at: FileTime,
    pub language: Option<Language>,
    pub content: ScannedContent,
    /// The bytes of the file, if an area asked for them
    pub text: Option<Vec<u8>>,
}

/// The result of reading a file.
#[derive(Debug)]
pub(super) enum ScannedContent {
    /// The content is the same as when the file was last read
    Unchanged,
    /// The file was deleted before it could be read
    Vanished,
    /// The content was read
    Read(Box<FileDigest>),
}

/// The facts of a file's content, as the index stores them.
#[derive(Debug, Default)]
pub(super) struct FileDigest {
    pub hash: Option<Hash>,
    pub oid: Option<Vec<u8>>,
    pub oid_lf: Option<Vec<u8>>,
    pub skipped: Option<&'static str>,
    pub facts: FileFacts,
    /// What each area prepared from the facts, in the order of the areas
    pub prepared: Vec<Option<PreparedFile>>,
}

/// What is needed to read files.
pub(super) struct FileReader<'a> {
    pub tree: &'a WorkingTree,
    pub format: Option<ObjectFormat>,
    pub scope: ParseScope<'a>,
    pub read_at: FileTime,
    pub indexers: &'a [&'static dyn Indexer],
}

/// A file that a refresh has to read.
#[derive(Debug, Clone)]
pub(super) struct FileToRead {
    pub(super) file: ProjectFile,
    /// The content hash from the last time the file was read
    pub(super) known_hash: Option<Hash>,
}

impl FileReader<'_> {
    /// Reads files in parallel. A content that was parsed before, in any worktree, is not parsed
    /// again.
    pub(super) fn read_all(
        &self,
        suspects: &[FileToRead],
        cache: &mut FactsCache,
        call: &Call,
    ) -> Result<Vec<FileRead>> {
        call.check_stopped()?;
        let mut seen: Vec<FileRead> =
            on_threads(|| suspects.par_iter().map(|suspect| self.read(suspect)).collect());
        call.check_stopped()?;
        self.fill_facts(&mut seen, cache);
        let is_read =
            |path: &RepoPath| self.indexers.iter().any(|indexer| indexer.wants_bytes(path));
        seen.iter_mut().filter(|file| !is_read(&file.path)).for_each(|file| file.text = None);
        Ok(seen)
    }

    fn read(&self, to_read: &FileToRead) -> FileRead {
        let found = &to_read.file;
        let skip = |why| (ScannedContent::Read(Box::new(FileDigest::skipped(why))), None);
        let read = self.tree.read_at_most(&found.path, MAX_HASHED_BYTES);
        let (content, text) = match read.unwrap_or(Some(Err(0))) {
            None => (ScannedContent::Vanished, None),
            // A file that cannot be read is reported; the other files are still indexed.
            Some(Err(0)) => skip("unreadable"),
            Some(Err(_)) => skip("too large"),
            Some(Ok(blob)) if Some(blob.hash) == to_read.known_hash => {
                (ScannedContent::Unchanged, None)
            }
            Some(Ok(blob)) => {
                let held = self.digest(&found.path, blob.hash, &blob.bytes);
                let text = held.skipped.is_none().then_some(blob.bytes);
                (ScannedContent::Read(Box::new(held)), text)
            }
        };
        let (path, stat, read_at) = (found.path.clone(), found.stat, self.read_at);
        let language = Language::from_path(&path);
        FileRead { path, stat, read_at, language, content, text }
    }

    fn digest(&self, path: &RepoPath, hash: Hash, bytes: &[u8]) -> FileDigest {
        let oid = |bytes: &[u8]| self.format.map(|f| f.blob_id(bytes).as_bytes().to_vec());
        let lf = without_cr(bytes);
        let outside = || self.scope.excludes(path).then_some("outside source_dirs");
        FileDigest {
            hash: Some(hash),
            oid: oid(bytes),
            oid_lf: lf.as_deref().and_then(oid),
            skipped: skip_reason(bytes, self.scope.largest).or_else(outside),
            facts: FileFacts::default(),
            prepared: Vec::new(),
        }
    }

    /// Adds the facts, from the cache or by parsing, and lets each area prepare its part.
    fn fill_facts(&self, seen: &mut [FileRead], cache: &mut FactsCache) {
        let mut unread = Vec::new();
        for (at, file) in seen.iter_mut().enumerate() {
            let ScannedContent::Read(held) = &mut file.content else { continue };
            let (Some(hash), Some(_)) = (held.hash, &file.text) else { continue };
            match cache.find(FactsKey { hash: &hash, language: file.language }) {
                Some(facts) => held.facts = facts,
                None => unread.push(at),
            }
        }
        let prepare = |(at, file): (usize, &mut FileRead)| {
            let (ScannedContent::Read(held), Some(text)) = (&mut file.content, &file.text) else {
                return;
            };
            if unread.binary_search(&at).is_ok() {
                held.facts = syntax::extract(file.language, text);
            }
            let prepare = |indexer: &&dyn Indexer| indexer.prepare(&file.path, &held.facts, text);
            held.prepared = self.indexers.iter().map(prepare).collect();
        };
        on_threads(|| seen.par_iter_mut().enumerate().for_each(prepare));
        let read = unread.iter().filter_map(|at| {
            let file = &seen[*at];
            let ScannedContent::Read(held) = &file.content else { return None };
            let key = FactsKey { hash: held.hash.as_ref()?, language: file.language };
            Some((key, &held.facts))
        });
        cache.keep(read);
    }
}

impl FileDigest {
    fn skipped(why: &'static str) -> Self {
        Self { skipped: Some(why), ..Self::default() }
    }
}

fn on_threads<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    match &*THREADS {
        Some(threads) => threads.install(work),
        None => work(),
    }
}

fn skip_reason(bytes: &[u8], largest: u64) -> Option<&'static str> {
    if bytes[..bytes.len().min(BINARY_PROBE_BYTES)].contains(&0) {
        return Some("not text");
    }
    if bytes.len() as u64 > largest {
        return Some("too large");
    }
    // A file with a few long lines may be written by a person. If most of it is in long lines, it
    // is generated.
    let lines = bytes.split(|byte| *byte == b'\n').map(<[u8]>::len);
    let long: usize = lines.filter(|length| *length > MAX_LINE_BYTES).sum();
    (long > bytes.len() / 4 * 3).then_some("minified")
}

/// The bytes with LF line ends; `None` if there is no CRLF.
fn without_cr(bytes: &[u8]) -> Option<Vec<u8>> {
    bytes.windows(2).any(|pair| pair == b"\r\n").then(|| {
        let next = |at: usize| bytes.get(at + 1) == Some(&b'\n');
        let kept = bytes.iter().enumerate().filter(|(at, byte)| **byte != b'\r' || !next(*at));
        kept.map(|(_, byte)| *byte).collect()
    })
}
