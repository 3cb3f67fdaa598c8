//! Reading many blobs through one git process.
//!
//! Sizes are asked for before contents, so that an object over the cap is never read.

use base::{Call, Code, Problem, RepoPath, Result};

use crate::failure;
use crate::oid::Oid;
use crate::repo::Repo;
use crate::run::Running;

/// So many names are asked for at once: they fit into the smallest pipe (4 KiB), so that feeding
/// never waits. Git takes them all in before it answers (`--buffer`, then `flush`), so that few
/// small pieces cross the pipe.
const AT_ONCE: usize = 50;

/// A line that announces an object is shorter than this.
const LONGEST_LINE: usize = 8 << 10;

/// What is behind an object's name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Blob {
    /// Its content
    Bytes(Vec<u8>),
    /// It is not here: a partial clone, or a damaged repository
    Missing,
    /// Larger than the cap; this is its size in bytes
    TooLarge(u64),
    /// Not a blob but a tree, commit or tag
    OtherKind,
}

/// A reader of blobs. The process starts with the first read, and anew after a failure.
pub struct Blobs<'a> {
    repo: &'a Repo,
    cap: u64,
    process: Option<Process>,
}

struct Process {
    running: Running,
    buffer: Vec<u8>,
    at: usize,
}

/// What git announces for a name.
pub(crate) enum Header {
    Blob(usize),
    Answer(Blob),
}

impl Repo {
    /// A reader of blobs of up to `cap` bytes.
    pub fn blobs(&self, cap: u64) -> Blobs<'_> {
        Blobs { repo: self, cap, process: None }
    }

    /// The file at `path` in the commit that `revision` names.
    pub fn show(&self, call: &Call, revision: &str, path: &RepoPath, cap: u64) -> Result<Vec<u8>> {
        let commit = self.resolve(call, revision)?;
        let name = [commit.as_str().as_bytes(), b":", path.as_bytes()].concat();
        let place = || format!("{path} in {}", revision.escape_debug());
        match self.blobs(cap).one(call, &name)? {
            Blob::Bytes(bytes) => Ok(bytes),
            // Git says the same of a name that is not in the tree and of a content that is not here.
            Blob::Missing if self.lists(call, commit.as_str(), path)? => Err(Problem::new(
                Code::Unavailable,
                format!("the content of {} is missing", place()),
            )
            .hint("fetch it with git first; cairn does not use the network")
            .hint("in a clone that should be whole, `git fsck` names the damage")),
            Blob::Missing => Err(Problem::not_found(format!("there is no {}", place()))
                .hint("`git ls-tree -r --name-only` with the revision lists its files")),
            Blob::OtherKind => Err(Problem::invalid(format!("{} is not a file", place()))),
            Blob::TooLarge(size) => Err(Problem::invalid(format!("{} is too large", place()))
                .hint("read a smaller file, or this one with git itself")
                .detail("size_bytes", size)
                .detail("limit_bytes", cap)),
        }
    }

    /// Whether the tree of a commit has a path, be its content here or not.
    fn lists(&self, call: &Call, commit: &str, path: &RepoPath) -> Result<bool> {
        let args = ["-z", "--name-only", "--full-tree", "--end-of-options", commit, "--"];
        let listed = self.git("ls-tree")?.args(args).args([path.to_relative()]);
        Ok(!listed.run(call)?.output()?.is_empty())
    }
}

impl Blobs<'_> {
    /// Reads one blob.
    pub fn read(&mut self, call: &Call, oid: Oid) -> Result<Blob> {
        self.one(call, oid.to_string().as_bytes())
    }

    /// Reads the file at `path` in a commit, or in its first, second… parent.
    pub fn read_at(
        &mut self,
        call: &Call,
        commit: Oid,
        parent: Option<usize>,
        path: &RepoPath,
    ) -> Result<Blob> {
        let parent = parent.map(|parent| format!("^{parent}")).unwrap_or_default();
        let name = [format!("{commit}{parent}:").as_bytes(), path.as_bytes()].concat();
        self.one(call, &name)
    }

    /// Reads many, handing each on as it comes, in the order given.
    pub fn read_all(
        &mut self,
        call: &Call,
        oids: &[Oid],
        mut each: impl FnMut(Oid, Blob) -> Result<()>,
    ) -> Result<()> {
        for oids in oids.chunks(AT_ONCE) {
            let names: Vec<_> = oids.iter().map(|oid| oid.to_string().into_bytes()).collect();
            self.some(call, &names, |at, blob| each(oids[at], blob))?;
        }
        Ok(())
    }

    fn one(&mut self, call: &Call, name: &[u8]) -> Result<Blob> {
        let mut answer = Blob::Missing;
        self.some(call, &[name.to_vec()], |_, blob| {
            answer = blob;
            Ok(())
        })?;
        Ok(answer)
    }

    /// Reads a few. A process that failed half-way is not used again.
    fn some(
        &mut self,
        call: &Call,
        names: &[Vec<u8>],
        mut each: impl FnMut(usize, Blob) -> Result<()>,
    ) -> Result<()> {
        call.go_on()?;
        let mut process = match self.process.take() {
            Some(process) => process,
            None => Process::start(self.repo)?,
        };
        let headers = process.headers(call, names, self.cap)?;
        process.ask_for_contents(call, names, &headers)?;
        for (at, header) in headers.into_iter().enumerate() {
            each(at, process.blob(call, header)?)?;
        }
        self.process = Some(process);
        Ok(())
    }
}

impl Process {
    fn start(repo: &Repo) -> Result<Self> {
        let git = repo.git("cat-file")?.args(["--batch-command", "--buffer", "-Z"]).fed();
        Ok(Self { running: git.start()?, buffer: Vec::new(), at: 0 })
    }

    /// What each name is, by the size that git announces.
    fn headers(&mut self, call: &Call, names: &[Vec<u8>], cap: u64) -> Result<Vec<Header>> {
        self.ask(call, b"info ", names.iter())?;
        names.iter().map(|_| Ok(read_header(&self.line(call)?, cap))).collect()
    }

    /// Asks for those that are blobs and not too large.
    fn ask_for_contents(
        &mut self,
        call: &Call,
        names: &[Vec<u8>],
        headers: &[Header],
    ) -> Result<()> {
        let pairs = names.iter().zip(headers);
        let wanted = pairs.filter(|(_, header)| matches!(header, Header::Blob(_)));
        self.ask(call, b"contents ", wanted.map(|(name, _)| name))
    }

    /// The content that was asked for, if it was.
    fn blob(&mut self, call: &Call, header: Header) -> Result<Blob> {
        if let Header::Answer(blob) = header {
            return Ok(blob);
        }
        match read_header(&self.line(call)?, u64::MAX) {
            Header::Answer(blob) => Ok(blob),
            Header::Blob(size) => {
                let mut bytes = self.take(call, size + 1)?;
                bytes.pop();
                Ok(Blob::Bytes(bytes))
            }
        }
    }

    fn ask<'n>(
        &mut self,
        call: &Call,
        verb: &[u8],
        names: impl Iterator<Item = &'n Vec<u8>>,
    ) -> Result<()> {
        let mut text: Vec<u8> = names.flat_map(|name| [verb, name, b"\0"].concat()).collect();
        if text.is_empty() {
            return Ok(());
        }
        text.extend(b"flush\0");
        if self.running.feed(&text).is_ok() {
            return Ok(());
        }
        Err(self.ended(call))
    }

    /// The next line, which ends with NUL.
    fn line(&mut self, call: &Call) -> Result<Vec<u8>> {
        let mut seen = 0;
        loop {
            let fresh = &self.buffer[self.at + seen..];
            if let Some(end) = fresh.iter().position(|byte| *byte == 0) {
                let mut line = self.take(call, seen + end + 1)?;
                line.pop();
                return Ok(line);
            }
            seen += fresh.len();
            if seen > LONGEST_LINE {
                return Err(failure::not_understood("cat-file", &self.buffer[self.at..][..80]));
            }
            self.fill(call)?;
        }
    }

    fn take(&mut self, call: &Call, length: usize) -> Result<Vec<u8>> {
        while self.buffer.len() - self.at < length {
            self.fill(call)?;
        }
        let bytes = self.buffer[self.at..self.at + length].to_vec();
        self.at += length;
        Ok(bytes)
    }

    /// Waits for more, and forgets what was taken.
    fn fill(&mut self, call: &Call) -> Result<()> {
        self.buffer.drain(..self.at);
        self.at = 0;
        match self.running.pull(call)? {
            Some(bytes) => self.buffer.extend(bytes),
            None => return Err(self.ended(call)),
        }
        Ok(())
    }

    /// Why git ended before it was told to.
    fn ended(&mut self, call: &Call) -> Problem {
        match self.running.reap(call) {
            Ok(done) => done.problem(),
            Err(problem) => problem,
        }
    }
}

/// Reads `<name> <kind> <size>`, or `<name> missing` and the like.
pub(crate) fn read_header(line: &[u8], cap: u64) -> Header {
    let mut words = line.rsplit(|byte| *byte == b' ');
    let (last, kind) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let size = std::str::from_utf8(last).ok().and_then(|size| size.parse::<u64>().ok());
    match size {
        None => Header::Answer(Blob::Missing),
        Some(_) if kind != b"blob" => Header::Answer(Blob::OtherKind),
        Some(size) if size > cap => Header::Answer(Blob::TooLarge(size)),
        Some(size) => match usize::try_from(size) {
            Ok(size) => Header::Blob(size),
            Err(_) => Header::Answer(Blob::TooLarge(size)),
        },
    }
}
