//! The confirmations and the ends of links in one state of the repository. A server caches them for
//! later views of the same state, because reading thousands of files takes longer than everything
//! else that is done with links.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use base::{EntityRef, Problem, RepoPath, Result};
use git::{Blob, Oid};

use super::confirmation::{FOLDER, LinkConfirmation};
use super::content::{EndContent, EndReader, digest, substance_in};
use super::state::{MAX_BLOB_BYTES, StoredConfirmation};
use crate::areas::kb::STORE;
use crate::index::tables;
use crate::view::View;

/// The cache key.
const CACHE_KEY: &str = "spec_links.reads";

/// A file among the confirmations.
#[derive(Debug, Clone)]
pub(super) enum ConfirmationRead {
    /// A confirmation
    Stored(Box<StoredConfirmation>),
    /// A file that is not a confirmation
    Unreadable {
        /// The file
        path: RepoPath,
        /// Why it is not
        why: String,
    },
}

/// An end as it was when somebody confirmed a link of it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ConfirmedEnd {
    /// The git object of its file
    pub blob: String,
    /// The end
    pub node: EntityRef,
    /// Its file as it is called now, which tells the language
    pub path: RepoPath,
}

/// The digest of an end, or why there is none; `None` if git does not have the file.
type ConfirmedDigest = Option<Result<String, String>>;

/// What was read in one state of the repository.
#[derive(Debug, Default)]
pub(super) struct SharedReads {
    confirmations: OnceLock<Vec<ConfirmationRead>>,
    contents: Mutex<BTreeMap<EntityRef, Result<EndContent, String>>>,
    /// The git object of a file's text as it is now; `None` if there is none
    blobs: Mutex<BTreeMap<RepoPath, Option<String>>>,
    /// The digests of earlier contents, as this version computes them
    confirmed: Mutex<BTreeMap<ConfirmedEnd, ConfirmedDigest>>,
}

/// Identifies the state that ends, confirmations and everything derived from them depend on; `None`
/// if the index is in memory and has no fingerprint.
pub(super) fn state_mark(view: &View) -> Result<Option<String>> {
    let store = view.store_fingerprint(STORE)?;
    Ok(view.index()?.fingerprint().map(|index| format!("{index} {store}")))
}

impl SharedReads {
    /// The reads of the state that a view sees.
    pub(super) fn of(view: &View) -> Result<Arc<Self>> {
        let Some(mark) = state_mark(view)? else { return Ok(Arc::default()) };
        match view.cached_at(CACHE_KEY, &mark) {
            Some(known) => Ok(known),
            None => Ok(view.cache_at(CACHE_KEY, mark, Self::default())),
        }
    }

    /// All confirmations.
    pub(super) fn confirmations(&self, view: &View) -> Result<&[ConfirmationRead]> {
        if let Some(known) = self.confirmations.get() {
            return Ok(known);
        }
        let folder: RepoPath = FOLDER.parse().map_err(Problem::internal)?;
        let mut read = Vec::new();
        for (path, ..) in tables::contents_below(view.index()?.conn(), &folder)? {
            let Some(file) = view.tree().read(&path)? else { continue };
            read.push(match LinkConfirmation::parse(&String::from_utf8_lossy(&file.bytes)) {
                Err(why) => ConfirmationRead::Unreadable { path, why },
                Ok(record) => ConfirmationRead::Stored(Box::new(StoredConfirmation {
                    path,
                    hash: file.hash,
                    record,
                })),
            });
        }
        Ok(self.confirmations.get_or_init(|| read))
    }

    /// The content of an end, or why it cannot be compared.
    pub(super) fn content(
        &self,
        view: &View,
        node: &EntityRef,
    ) -> Result<Result<EndContent, String>> {
        let known = || self.contents.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known().get(node) {
            return Ok(known.clone());
        }
        let content = EndReader::new(view).read(node)?;
        known().insert(node.clone(), content.clone());
        Ok(content)
    }

    /// The digest of an end as it was confirmed.
    pub(super) fn confirmed(&self, view: &View, end: &ConfirmedEnd) -> Result<ConfirmedDigest> {
        self.read_confirmed(view, std::slice::from_ref(end))?;
        let known = self.confirmed.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(known.get(end).cloned().flatten())
    }

    /// Reads ends as they were confirmed, each git object once.
    pub(super) fn read_confirmed(&self, view: &View, wanted: &[ConfirmedEnd]) -> Result<()> {
        let Some(git) = view.git() else { return Ok(()) };
        let mut ends: BTreeMap<Oid, Vec<&ConfirmedEnd>> = BTreeMap::new();
        {
            let known = self.confirmed.lock().unwrap_or_else(PoisonError::into_inner);
            for end in wanted.iter().filter(|end| !known.contains_key(*end)) {
                if let Ok(oid) = end.blob.parse() {
                    ends.entry(oid).or_default().push(end);
                }
            }
        }
        if ends.is_empty() {
            return Ok(());
        }
        let mut read = Vec::new();
        let oids: Vec<Oid> = ends.keys().copied().collect();
        git.read_blobs(&oids, MAX_BLOB_BYTES, view.call(), |oid, blob| {
            for end in ends.get(&oid).into_iter().flatten() {
                let digest = match &blob {
                    Blob::Bytes(bytes) => {
                        let text = substance_in(&end.node, &end.path, bytes);
                        Some(text.map(|text| digest(&text)))
                    }
                    _ => None,
                };
                read.push(((*end).clone(), digest));
            }
        })?;
        self.confirmed.lock().unwrap_or_else(PoisonError::into_inner).extend(read);
        Ok(())
    }

    /// The git object of the file that an end is in, as the file is now.
    pub(super) fn blob(&self, view: &View, node: &EntityRef) -> Result<Option<String>> {
        let reader = EndReader::new(view);
        let (Some(git), Ok(path)) = (view.git(), reader.path_of(node)?) else { return Ok(None) };
        let known = || self.blobs.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known().get(&path) {
            return Ok(known.clone());
        }
        let bytes = reader.bytes(&path)?;
        let blob = bytes.map(|bytes| git.repo().blob_id(&bytes).to_string());
        known().insert(path, blob.clone());
        Ok(blob)
    }
}
