//! Keeps servers in step with the disk.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use base::{Hash, RepoPath, Result};
use syntax::Language;
use toolchain::Host;
use toolchain::lsp::{Candidate, Change, Lack, News, Servers, Session, Stopped};

use super::choice::language_id;
use crate::index::tables;
use crate::view::View;

/// More changed files than this are a branch switch: the server is started anew.
const MOST_NEWS: usize = 150;

/// Larger files are not sent, in bytes.
const LARGEST: u64 = 8 << 20;

/// The servers of a workspace, with what each has been told of its files.
pub(crate) struct Pool {
    servers: Servers,
    host: Host,
    told: Mutex<Vec<Told>>,
}

/// What one server has been told.
struct Told {
    session: Arc<Session>,
    files: BTreeMap<RepoPath, Option<Hash>>,
}

impl Pool {
    /// The pool of a project. Nothing is started.
    pub(crate) fn new(root: &Path, env: &[(OsString, OsString)]) -> Self {
        let host = Host::new(root, env.iter().cloned());
        Self { servers: Servers::new(host.clone()), host, told: Mutex::default() }
    }

    /// Where programs are looked for.
    pub(crate) fn host(&self) -> &Host {
        &self.host
    }

    /// A server that runs.
    pub(super) fn session(
        &self,
        view: &View,
        candidates: &[Candidate],
    ) -> Result<Result<Arc<Session>, Lack>> {
        self.servers.session(candidates, view.call())
    }

    /// Ends all servers.
    pub(crate) fn stop(&self) -> Vec<Stopped> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner).clear();
        self.servers.stop()
    }

    /// Tells a server what changed since it was last asked, and shows it the files in question.
    pub(super) fn bring_up_to_date(
        &self,
        view: &View,
        session: Arc<Session>,
        (candidates, asked): (&[Candidate], &[&RepoPath]),
    ) -> Result<Result<Arc<Session>, Lack>> {
        let now = files(view)?;
        let mut all = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|told| told.session.is_running());
        let at = all.iter().position(|told| Arc::ptr_eq(&told.session, &session));
        let Some(at) = at else {
            // It reads the disk itself when it starts; what changes from now on it is told.
            all.push(Told { session: session.clone(), files: now });
            drop(all);
            session.tell(&self::asked(view, asked)?);
            return Ok(Ok(session));
        };
        let changes = changes(&all[at].files, &now);
        if changes.len() > MOST_NEWS {
            all.clear();
            drop(all);
            drop(session);
            self.servers.stop();
            let fresh = match self.session(view, candidates)? {
                Ok(fresh) => fresh,
                Err(lack) => return Ok(Err(lack)),
            };
            return self.bring_up_to_date(view, fresh, (candidates, asked));
        }
        let mut news = Vec::new();
        for (path, change) in changes {
            news.extend(one(view, path, change)?);
        }
        all[at].files = now;
        // Told under the lock: whoever comes next must not overtake this.
        session.tell(&news);
        drop(all);
        session.tell(&self::asked(view, asked)?);
        Ok(Ok(session))
    }
}

/// Files that are only asked about.
pub(super) fn asked(view: &View, paths: &[&RepoPath]) -> Result<Vec<News>> {
    let mut news = Vec::new();
    for path in paths {
        news.extend(one(view, path, Change::Asked)?);
    }
    Ok(news)
}

/// Every file that could matter to a server, as the index knows it.
fn files(view: &View) -> Result<BTreeMap<RepoPath, Option<Hash>>> {
    let all = tables::contents_below(view.index()?.conn(), &RepoPath::ROOT)?.into_iter();
    let matters = |path: &RepoPath| {
        Language::of(path).is_some_and(|language| language.is_code() || language.is_manifest())
    };
    Ok(all.filter(|(path, ..)| matters(path)).map(|(path, hash, _)| (path, hash)).collect())
}

fn changes<'a>(
    before: &'a BTreeMap<RepoPath, Option<Hash>>,
    now: &'a BTreeMap<RepoPath, Option<Hash>>,
) -> Vec<(&'a RepoPath, Change)> {
    let gone = before.keys().filter(|path| !now.contains_key(*path));
    let gone = gone.map(|path| (path, Change::Deleted));
    let other = now.iter().filter_map(|(path, hash)| match before.get(path) {
        None => Some((path, Change::Created)),
        Some(known) if known != hash => Some((path, Change::Changed)),
        Some(_) => None,
    });
    gone.chain(other).collect()
}

fn one(view: &View, path: &RepoPath, change: Change) -> Result<Option<News>> {
    let text = match change {
        Change::Deleted => None,
        _ => match view.tree().read_at_most(path, LARGEST)? {
            Some(Ok(blob)) => Some(String::from_utf8_lossy(&blob.bytes).into_owned()),
            _ if change == Change::Asked => return Ok(None),
            _ => None,
        },
    };
    let language = Language::of(path).map_or("plaintext", language_id);
    let path = view.tree().root().join(path.to_relative());
    Ok(Some(News { path, language, text, change }))
}
