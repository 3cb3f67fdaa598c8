//! What a test proves about code: that it passed, and that the code is still what it was then.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use base::{EntityRef, ProblemCode, RepoPath, Result};
use kb::Entity;
use schemars::JsonSchema;
use serde::Serialize;

use super::content::{EndReader, digest, substance_in};
use crate::view::View;

/// The largest file of an older commit that is read, in bytes.
const MAX_FILE_BYTES: u64 = 8 * 1024 * 1024;

/// What a test says about the code that it covers, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TestEvidence {
    /// It passed, and the code has not changed in substance since
    Verified,
    /// It exists; no report says whether it passed
    Present,
    /// It passed before the code changed
    Outdated,
    /// It was not run
    Skipped,
    /// It failed
    Failed,
}

impl TestEvidence {
    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Verified => "verified",
            Self::Present => "present",
            Self::Outdated => "outdated",
            Self::Skipped => "skipped",
            Self::Failed => "failed",
        }
    }
}

/// A file of an older commit; `None` if it is not there.
type OlderFile = Option<Rc<Vec<u8>>>;

/// Compares code with its state when tests ran. Each older file is read once.
pub struct EvidenceReader<'v> {
    view: &'v View<'v>,
    now: EndReader<'v>,
    files: RefCell<BTreeMap<(String, RepoPath), OlderFile>>,
}

impl<'v> EvidenceReader<'v> {
    /// A reader for a view.
    pub const fn new(view: &'v View<'v>) -> Self {
        Self { view, now: EndReader::new(view), files: RefCell::new(BTreeMap::new()) }
    }

    /// What a test says about some code. Without code, it is [`TestEvidence::Present`] at best.
    pub fn evidence(&self, test: &Entity, code: &[EntityRef]) -> Result<TestEvidence> {
        match (test.status.as_str(), &test.more.commit) {
            ("failing", _) => Ok(TestEvidence::Failed),
            ("skipped", _) => Ok(TestEvidence::Skipped),
            ("passing", Some(commit)) => self.passed_on(commit, code),
            _ => Ok(TestEvidence::Present),
        }
    }

    /// The evidence about some code if a test passed on a commit.
    pub fn passed_on(&self, commit: &str, code: &[EntityRef]) -> Result<TestEvidence> {
        if code.is_empty() {
            return Ok(TestEvidence::Present);
        }
        for node in code {
            if !self.is_unchanged_since(commit, node)? {
                return Ok(TestEvidence::Outdated);
            }
        }
        Ok(TestEvidence::Verified)
    }

    fn is_unchanged_since(&self, commit: &str, node: &EntityRef) -> Result<bool> {
        let Ok(path) = self.now.path_of(node)? else { return Ok(false) };
        let Some(before) = self.older(commit, &path)? else { return Ok(false) };
        let Ok(then) = substance_in(node, &path, &before) else { return Ok(false) };
        Ok(self.now.read(node)?.is_ok_and(|now| now.side.digest == digest(&then)))
    }

    fn older(&self, commit: &str, path: &RepoPath) -> Result<OlderFile> {
        let key = (commit.to_owned(), path.clone());
        if let Some(known) = self.files.borrow().get(&key) {
            return Ok(known.clone());
        }
        let Some(git) = self.view.git() else { return Ok(None) };
        let file = match git.repo().show(self.view.call(), commit, path, MAX_FILE_BYTES) {
            Ok(bytes) => Some(Rc::new(bytes)),
            Err(problem) if problem.code == ProblemCode::Timeout => return Err(problem),
            Err(_) => None,
        };
        self.files.borrow_mut().insert(key, file.clone());
        Ok(file)
    }
}
