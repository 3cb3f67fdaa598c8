//! Reading many blobs through one git process.
//!
//! Sizes are asked for before contents, so that an object over the cap is never read.

use base::{Call, Problem, ProblemCode, RepoPath, Result};

use crate::failure;
use crate::oid::Oid;
use crate::repo::Repo;
use crate::run::GitProcess;

/// How many names are requested at once. They fit into the smallest pipe (4 KiB), so that writing
/// them never blocks. Git reads all of them before it answers (`--buffer`, then `flush`), so that
/// its output does not come in many small pieces.
const BATCH_SIZE: usize = 50;

/// A line that announces an object is shorter than this.
const MAX_HEADER_BYTES: usize = 8 << 10;

/// The result of reading an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Blob {
    /// Its content
    Bytes(Vec<u8>),
    /// The object is not here: the clone is partial, or the repository is damaged
    Missing,
    /// Larger than the cap; this is its size in bytes
    TooLarge(u64),
    /// The object is a tree, commit or tag
    OtherKind,
}

/// Reads blobs through one process, which starts with the first read and is started again after a
/// failure.
pub struct BlobReader<'a> {
    repo: &'a Repo,
    cap: u64,
    process: Option<CatFileProcess>,
}

struct CatFileProcess {
    running: GitProcess,
    buffer: Vec<u8>,
    position: usize,
}

/// The header that git writes for an object.
pub(crate) enum BlobHeader {
    Content(usize),
    Unavailable(Blob),
}

impl Repo {
    /// A reader of blobs of up to `cap` bytes.
    pub fn blobs(&self, cap: u64) -> BlobReader<'_> {
        BlobReader { repo: self, cap, process: None }
    }

    /// The file at `path` in the commit that `revision` names.
    pub fn show(&self, call: &Call, revision: &str, path: &RepoPath, cap: u64) -> Result<Vec<u8>> {
        let commit = self.resolve(call, revision)?;
        let name = [commit.as_str().as_bytes(), b":", path.as_bytes()].concat();
        let place = || format!("{path} in {}", revision.escape_debug());
        match self.blobs(cap).read_one(call, &name)? {
            Blob::Bytes(bytes) => Ok(bytes),
            // Git gives the same answer for a path that is not in the tree and for a content that
            // is missing.
            Blob::Missing if self.tree_contains(call, commit.as_str(), path)? => Err(Problem::new(
                ProblemCode::Unavailable,
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

    /// Whether the tree of a commit has a path, even if its content is not here.
    fn tree_contains(&self, call: &Call, commit: &str, path: &RepoPath) -> Result<bool> {
        let args = ["-z", "--name-only", "--full-tree", "--end-of-options", commit, "--"];
        let listed = self.git("ls-tree")?.args(args).args([path.to_relative()]);
        Ok(!listed.run(call)?.output()?.is_empty())
    }
}

impl BlobReader<'_> {
    /// Reads one blob.
    pub fn read(&mut self, call: &Call, oid: Oid) -> Result<Blob> {
        self.read_one(call, oid.to_string().as_bytes())
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
        self.read_one(call, &name)
    }

    /// Reads many blobs and passes each on as soon as it is read, in the order given.
    pub fn read_all(
        &mut self,
        call: &Call,
        oids: &[Oid],
        mut each: impl FnMut(Oid, Blob) -> Result<()>,
    ) -> Result<()> {
        for oids in oids.chunks(BATCH_SIZE) {
            let names: Vec<_> = oids.iter().map(|oid| oid.to_string().into_bytes()).collect();
            self.read_batch(call, &names, |at, blob| each(oids[at], blob))?;
        }
        Ok(())
    }

    fn read_one(&mut self, call: &Call, name: &[u8]) -> Result<Blob> {
        let mut answer = Blob::Missing;
        self.read_batch(call, &[name.to_vec()], |_, blob| {
            answer = blob;
            Ok(())
        })?;
        Ok(answer)
    }

    /// Reads a few. A process that failed half-way is not used again.
    fn read_batch(
        &mut self,
        call: &Call,
        names: &[Vec<u8>],
        mut each: impl FnMut(usize, Blob) -> Result<()>,
    ) -> Result<()> {
        call.check_stopped()?;
        let mut process = match self.process.take() {
            Some(process) => process,
            None => CatFileProcess::start(self.repo)?,
        };
        let headers = process.headers(call, names, self.cap)?;
        process.request_contents(call, names, &headers)?;
        for (at, header) in headers.into_iter().enumerate() {
            each(at, process.blob(call, header)?)?;
        }
        self.process = Some(process);
        Ok(())
    }
}

impl CatFileProcess {
    fn start(repo: &Repo) -> Result<Self> {
        let git = repo.git("cat-file")?.args(["--batch-command", "--buffer", "-Z"]).with_stdin();
        Ok(Self { running: git.start()?, buffer: Vec::new(), position: 0 })
    }

    /// The headers of some objects.
    fn headers(&mut self, call: &Call, names: &[Vec<u8>], cap: u64) -> Result<Vec<BlobHeader>> {
        self.send_requests(call, b"info ", names.iter())?;
        names.iter().map(|_| Ok(read_header(&self.read_record(call)?, cap))).collect()
    }

    /// Requests the contents of those that are blobs and not too large.
    fn request_contents(
        &mut self,
        call: &Call,
        names: &[Vec<u8>],
        headers: &[BlobHeader],
    ) -> Result<()> {
        let pairs = names.iter().zip(headers);
        let wanted = pairs.filter(|(_, header)| matches!(header, BlobHeader::Content(_)));
        self.send_requests(call, b"contents ", wanted.map(|(name, _)| name))
    }

    /// The content of a blob, if it was requested.
    fn blob(&mut self, call: &Call, header: BlobHeader) -> Result<Blob> {
        if let BlobHeader::Unavailable(blob) = header {
            return Ok(blob);
        }
        match read_header(&self.read_record(call)?, u64::MAX) {
            BlobHeader::Unavailable(blob) => Ok(blob),
            BlobHeader::Content(size) => {
                let mut bytes = self.read_exact(call, size + 1)?;
                bytes.pop();
                Ok(Blob::Bytes(bytes))
            }
        }
    }

    fn send_requests<'n>(
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
        if self.running.write_input(&text).is_ok() {
            return Ok(());
        }
        Err(self.early_exit_problem(call))
    }

    /// The next record of the output, without the NUL that ends it.
    fn read_record(&mut self, call: &Call) -> Result<Vec<u8>> {
        let mut seen = 0;
        loop {
            let fresh = &self.buffer[self.position + seen..];
            if let Some(end) = fresh.iter().position(|byte| *byte == 0) {
                let mut line = self.read_exact(call, seen + end + 1)?;
                line.pop();
                return Ok(line);
            }
            seen += fresh.len();
            if seen > MAX_HEADER_BYTES {
                return Err(failure::unexpected_output(
                    "cat-file",
                    &self.buffer[self.position..][..80],
                ));
            }
            self.fill(call)?;
        }
    }

    fn read_exact(&mut self, call: &Call, length: usize) -> Result<Vec<u8>> {
        while self.buffer.len() - self.position < length {
            self.fill(call)?;
        }
        let bytes = self.buffer[self.position..self.position + length].to_vec();
        self.position += length;
        Ok(bytes)
    }

    /// Reads more output into the buffer and drops what was already used.
    fn fill(&mut self, call: &Call) -> Result<()> {
        self.buffer.drain(..self.position);
        self.position = 0;
        match self.running.read_chunk(call)? {
            Some(bytes) => self.buffer.extend(bytes),
            None => return Err(self.early_exit_problem(call)),
        }
        Ok(())
    }

    /// The error that git ended too early, with the reason it gave.
    fn early_exit_problem(&mut self, call: &Call) -> Problem {
        match self.running.wait_for_exit(call) {
            Ok(done) => done.problem(),
            Err(problem) => problem,
        }
    }
}

/// Parses `<name> <kind> <size>`, `<name> missing` and similar headers.
pub(crate) fn read_header(line: &[u8], cap: u64) -> BlobHeader {
    let mut words = line.rsplit(|byte| *byte == b' ');
    let (last, kind) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let size = std::str::from_utf8(last).ok().and_then(|size| size.parse::<u64>().ok());
    match size {
        None => BlobHeader::Unavailable(Blob::Missing),
        Some(_) if kind != b"blob" => BlobHeader::Unavailable(Blob::OtherKind),
        Some(size) if size > cap => BlobHeader::Unavailable(Blob::TooLarge(size)),
        Some(size) => match usize::try_from(size) {
            Ok(size) => BlobHeader::Content(size),
            Err(_) => BlobHeader::Unavailable(Blob::TooLarge(size)),
        },
    }
}
