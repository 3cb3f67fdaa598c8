//! The language servers that a workspace keeps running, and the files that each was sent.
//!
//! What is asked of a server, and how its answers are read, is above the engine.

mod programs;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use base::{Hash, RepoPath, Result};
use syntax::Language;
use toolchain::ToolHost;
use toolchain::lsp::{
    FileUpdate, FileUpdateKind, LspSession, ServerCandidate, ServerPool, ServerUnavailable,
    StoppedServer,
};

use crate::index::tables;
use crate::view::View;

pub(crate) use self::programs::programs;

/// More changed files than this count as a branch switch: the server is restarted.
const MAX_CHANGED_FILES: usize = 150;

/// Size above which files are not sent, in bytes.
const MAX_FILE_BYTES: u64 = 8 << 20;

/// The servers of a workspace, with the files that each was sent.
pub struct LanguageServerPool {
    servers: ServerPool,
    host: ToolHost,
    synced: Mutex<Vec<ServerFileState>>,
}

/// The files that were sent to one server.
struct ServerFileState {
    session: Arc<LspSession>,
    files: BTreeMap<RepoPath, Option<Hash>>,
}

impl LanguageServerPool {
    /// The pool of a project. Nothing is started.
    pub(crate) fn new(root: &Path, env: &[(OsString, OsString)]) -> Self {
        let host = ToolHost::new(root, env.iter().cloned());
        Self { servers: ServerPool::new(host.clone()), host, synced: Mutex::default() }
    }

    /// Where programs are looked for.
    pub fn host(&self) -> &ToolHost {
        &self.host
    }

    /// A server that runs.
    pub fn session(
        &self,
        view: &View,
        candidates: &[ServerCandidate],
    ) -> Result<Result<Arc<LspSession>, ServerUnavailable>> {
        self.servers.session(candidates, view.call())
    }

    /// Ends all servers.
    pub fn stop(&self) -> Vec<StoppedServer> {
        self.synced.lock().unwrap_or_else(PoisonError::into_inner).clear();
        self.servers.stop_all()
    }

    /// Tells a server what changed since it was last asked, and shows it the files in question.
    pub fn bring_up_to_date(
        &self,
        view: &View,
        session: Arc<LspSession>,
        candidates: &[ServerCandidate],
        asked: &[&RepoPath],
    ) -> Result<Result<Arc<LspSession>, ServerUnavailable>> {
        let now = server_files(view)?;
        let mut all = self.synced.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|told| told.session.is_running());
        let at = all.iter().position(|told| Arc::ptr_eq(&told.session, &session));
        let Some(at) = at else {
            // A server reads the disk when it starts; later changes are sent.
            all.push(ServerFileState { session: session.clone(), files: now });
            drop(all);
            session.sync_files(&self::open_notifications(view, asked)?);
            return Ok(Ok(session));
        };
        let changes = changes(&all[at].files, &now);
        if changes.len() > MAX_CHANGED_FILES {
            all.clear();
            drop(all);
            drop(session);
            self.servers.stop_all();
            let fresh = match self.session(view, candidates)? {
                Ok(fresh) => fresh,
                Err(lack) => return Ok(Err(lack)),
            };
            return self.bring_up_to_date(view, fresh, candidates, asked);
        }
        let mut news = Vec::new();
        for (path, change) in changes {
            news.extend(file_notification(view, path, change)?);
        }
        all[at].files = now;
        // Sent while the lock is held, so that a later question cannot reach the server first.
        session.sync_files(&news);
        drop(all);
        session.sync_files(&self::open_notifications(view, asked)?);
        Ok(Ok(session))
    }
}

/// Notifications for files that are only asked about.
pub fn open_notifications(view: &View, paths: &[&RepoPath]) -> Result<Vec<FileUpdate>> {
    let mut news = Vec::new();
    for path in paths {
        news.extend(file_notification(view, path, FileUpdateKind::Unchanged)?);
    }
    Ok(news)
}

/// Every file that could matter to a server, as the index knows it.
fn server_files(view: &View) -> Result<BTreeMap<RepoPath, Option<Hash>>> {
    let all = tables::contents_below(view.index()?.conn(), &RepoPath::ROOT)?.into_iter();
    let matters = |path: &RepoPath| {
        Language::from_path(path)
            .is_some_and(|language| language.is_code() || language.is_manifest())
    };
    Ok(all.filter(|(path, ..)| matters(path)).map(|(path, hash, _)| (path, hash)).collect())
}

fn changes<'a>(
    before: &'a BTreeMap<RepoPath, Option<Hash>>,
    now: &'a BTreeMap<RepoPath, Option<Hash>>,
) -> Vec<(&'a RepoPath, FileUpdateKind)> {
    let gone = before.keys().filter(|path| !now.contains_key(*path));
    let gone = gone.map(|path| (path, FileUpdateKind::Deleted));
    let other = now.iter().filter_map(|(path, hash)| match before.get(path) {
        None => Some((path, FileUpdateKind::Created)),
        Some(known) if known != hash => Some((path, FileUpdateKind::Changed)),
        Some(_) => None,
    });
    gone.chain(other).collect()
}

fn file_notification(
    view: &View,
    path: &RepoPath,
    change: FileUpdateKind,
) -> Result<Option<FileUpdate>> {
    let text = match change {
        FileUpdateKind::Deleted => None,
        _ => match view.tree().read_at_most(path, MAX_FILE_BYTES)? {
            Some(Ok(blob)) => Some(String::from_utf8_lossy(&blob.bytes).into_owned()),
            _ if change == FileUpdateKind::Unchanged => return Ok(None),
            _ => None,
        },
    };
    let language =
        Language::from_path(path).map_or("plaintext", |language| language.descriptor().lsp_id);
    let path = view.tree().root().join(path.to_relative());
    Ok(Some(FileUpdate { path, language, text, kind: change }))
}
