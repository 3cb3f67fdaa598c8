//! Finds the new place of moved files and symbols: by git's renames, and by unique matches of
//! symbols.

use std::collections::BTreeMap;

use base::{RepoPath, Result};
use code::MoveEvidence;
use git::{Blob, Oid};
use syntax::Language;

use crate::diff::{
    self, ChangedFile, ChangedSymbol, DiffRange, FileSymbols, MAX_FILE_BYTES, SymbolHow,
};
use engine::areas::history::{HistoryReader, short_commit_id};
use engine::index::tables;
use engine::view::View;

/// How many commits of a file are searched for the one that moved a symbol.
const MAX_COMMITS: usize = 200;

/// Number of files in a commit above which its moves are not certain.
const MAX_FILES_IN_COMMIT: usize = 200;

/// How many successive moves of a symbol are followed.
const MAX_MOVES: usize = 8;

/// How many candidates are named.
const MAX_CANDIDATES: usize = 3;

/// Where something is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Relocation {
    /// The certain new place
    Certain { path: RepoPath, symbol: Option<String>, because: String },
    /// Unknown; candidates may be given
    Uncertain { candidates: Vec<String>, because: String },
}

impl Relocation {
    /// The place as references write it: `path`, or `path#name`.
    pub(super) fn reference(&self) -> String {
        match self {
            Self::Certain { path, symbol: Some(name), .. } => format!("{path}#{name}"),
            Self::Certain { path, symbol: None, .. } => path.to_string(),
            Self::Uncertain { .. } => String::new(),
        }
    }

    pub(super) fn reason(&self) -> String {
        let (Self::Certain { because, .. } | Self::Uncertain { because, .. }) = self;
        because.clone()
    }
}

/// All known moves, collected once.
pub(super) struct MoveTracker<'v> {
    view: &'v View<'v>,
    history: Option<HistoryReader<'v>>,
    /// Moves that are not committed yet
    files: BTreeMap<RepoPath, RepoPath>,
    symbols: BTreeMap<(RepoPath, String), (RepoPath, String)>,
    /// The texts before and after the uncommitted changes
    pub changed: Vec<ChangedFile>,
}

impl<'v> MoveTracker<'v> {
    pub(super) fn new(view: &'v View<'v>) -> Result<Self> {
        let changed = match view.git() {
            Some(_) => diff::diff(view, &DiffRange::WorkingTree)?.files,
            None => Vec::new(),
        };
        let renamed =
            changed.iter().filter_map(|file| Some((file.old.clone()?, file.path.clone())));
        let files = renamed.collect();
        let symbols = moved_symbols(&ChangedSymbol::all(&diff::pairs(&changed)));
        let history = if view.git().is_some() { Some(HistoryReader::open(view)?) } else { None };
        Ok(Self { view, history, files, symbols, changed })
    }

    fn is_file(&self, path: &RepoPath) -> Result<bool> {
        tables::has_file(self.view.index()?.conn(), path)
    }

    fn is_symbol(&self, path: &RepoPath, name: &str) -> Result<bool> {
        Ok(code::symbol(self.view.index()?.conn(), path, name)?.is_some())
    }

    /// Whether a path is an existing file or folder.
    pub(super) fn exists(&self, path: &RepoPath) -> Result<bool> {
        engine::areas::files::is_there(self.view, path)
    }

    /// The earlier paths of a file, newest first.
    pub(super) fn earlier_paths(&self, path: &RepoPath) -> Result<Vec<RepoPath>> {
        let mut earlier: Vec<RepoPath> = Vec::new();
        let committed = match self.files.iter().find(|(_, to)| *to == path) {
            Some((from, _)) => from.clone(),
            None => path.clone(),
        };
        if committed != *path {
            earlier.push(committed.clone());
        }
        if let Some(history) = &self.history
            && let Some(artifact) = history.artifact_at(&committed)?
        {
            let touches = history.touches(artifact.id)?.into_iter().rev().take(MAX_COMMITS);
            earlier.extend(touches.filter_map(|touch| touch.old_path));
        }
        earlier.retain(|one| one != path);
        Ok(earlier)
    }

    /// The documents that were in another folder before.
    pub(super) fn moved_documents(&self) -> Result<Vec<RepoPath>> {
        let mut moved = Vec::new();
        for path in tables::all_files(self.view.index()?.conn())? {
            if !Language::from_path(&path).is_some_and(Language::is_document) {
                continue;
            }
            let earlier = self.earlier_paths(&path)?;
            if earlier.iter().any(|before| before.parent() != path.parent()) {
                moved.push(path);
            }
        }
        Ok(moved)
    }

    /// The new place of a file that no longer exists.
    pub(super) fn locate_file(&self, path: &RepoPath) -> Result<Relocation> {
        let mut here = path.clone();
        let mut because = String::new();
        if let Some(history) = &self.history
            && let Some(artifact) = history.artifact_at(path)?.filter(|artifact| artifact.is_live)
            && artifact.path != *path
        {
            because = "renamed in git's history".into();
            here = artifact.path;
        }
        if let Some(to) = self.files.get(&here) {
            because = "renamed since the last commit".into();
            here = to.clone();
        }
        if here != *path && self.is_file(&here)? {
            return Ok(Relocation::Certain { path: here, symbol: None, because });
        }
        let name = path.name();
        let paths = engine::areas::files::files_matching(self.view, &name)?;
        let candidates = paths.iter().take(MAX_CANDIDATES).map(ToString::to_string).collect();
        Ok(Relocation::Uncertain { candidates, because: "no rename was found".into() })
    }

    /// The new place of a symbol that no longer exists.
    pub(super) fn locate_symbol(&self, path: &RepoPath, name: &str) -> Result<Relocation> {
        let mut here = (path.clone(), name.to_owned());
        for _ in 0..MAX_MOVES {
            let Some((next, because)) = self.next_move(&here.0, &here.1)? else { break };
            if next == here {
                break;
            }
            here = next;
            if self.is_symbol(&here.0, &here.1)? {
                let (path, symbol) = (here.0, Some(here.1));
                return Ok(Relocation::Certain { path, symbol, because });
            }
        }
        let last = name.rsplit('.').next().unwrap_or(name);
        let named = code::symbols_with_name(self.view.index()?.conn(), last)?;
        let handle = |row: &code::SymbolRow| format!("{}#{}", row.path, row.full);
        let candidates = named.iter().take(MAX_CANDIDATES).map(handle).collect();
        Ok(Relocation::Uncertain { candidates, because: "no certain move was found".into() })
    }

    /// The next move, oldest first: those of commits, then the uncommitted ones.
    fn next_move(
        &self,
        path: &RepoPath,
        name: &str,
    ) -> Result<Option<((RepoPath, String), String)>> {
        if let Some(found) = self.committed_move(path, name)? {
            return Ok(Some(found));
        }
        let key = (path.clone(), name.to_owned());
        if let Some(to) = self.symbols.get(&key) {
            return Ok(Some((to.clone(), "moved since the last commit".into())));
        }
        let renamed = self.files.get(path).map(|to| (to.clone(), name.to_owned()));
        Ok(renamed.map(|to| (to, "its file was renamed since the last commit".into())))
    }

    fn committed_move(
        &self,
        path: &RepoPath,
        name: &str,
    ) -> Result<Option<((RepoPath, String), String)>> {
        let (Some(history), Some(git)) = (&self.history, self.view.git()) else { return Ok(None) };
        let Some(artifact) = history.artifact_at(path)? else { return Ok(None) };
        if artifact.is_live && artifact.path != *path && self.is_symbol(&artifact.path, name)? {
            return Ok(Some((
                (artifact.path, name.to_owned()),
                "its file was renamed in git's history".into(),
            )));
        }
        let mut blobs = git.repo().blobs(MAX_FILE_BYTES);
        let mut read =
            |oid: Oid, parent: Option<usize>, path: &RepoPath| -> Result<Option<Vec<u8>>> {
                Ok(match blobs.read_at(self.view.call(), oid, parent, path)? {
                    Blob::Bytes(bytes) => Some(bytes),
                    _ => None,
                })
            };
        for touch in history.touches(artifact.id)?.into_iter().rev().take(MAX_COMMITS) {
            self.view.call().check_stopped()?;
            let stop = history.commit_position(touch.pos)?;
            let Some(oid) = Oid::from_bytes(&stop.sha) else { continue };
            let earlier = touch.old_path.as_ref().unwrap_or(&touch.path);
            let before = FileSymbols::of(earlier, read(oid, Some(1), earlier)?.as_deref());
            if !before.has(name) {
                continue;
            }
            if FileSymbols::of(&touch.path, read(oid, None, &touch.path)?.as_deref()).has(name) {
                return Ok(None); // it still exists: the newest commit that touched it has it
            }
            let touched = history.touched(&stop)?;
            if touched.len() > MAX_FILES_IN_COMMIT {
                return Ok(None);
            }
            let (mut gone, mut came) = (Vec::new(), Vec::new());
            for (_, touch) in touched {
                let earlier = touch.old_path.as_ref().unwrap_or(&touch.path);
                let before = FileSymbols::of(earlier, read(oid, Some(1), earlier)?.as_deref());
                let after = FileSymbols::of(&touch.path, read(oid, None, &touch.path)?.as_deref());
                gone.extend(before.missing_in(earlier, &after));
                came.extend(after.missing_in(&touch.path, &before));
            }
            let is_it = |at: usize| gone[at].full == name && gone[at].path == *earlier;
            let found = code::match_moves(&gone, &came).into_iter().find(|(old, ..)| is_it(*old));
            return Ok(found.map(|(_, new, why)| {
                let to = (came[new].path.clone(), came[new].full.clone());
                let why = match why {
                    MoveEvidence::Whole => "with the same name and body",
                    MoveEvidence::Body => "with the same body",
                    MoveEvidence::Shape => "with the same name and signature",
                };
                (to, format!("moved in commit:{} {why}", short_commit_id(&stop.sha)))
            }));
        }
        Ok(None)
    }

    /// Visits the earlier texts of a file, newest first, until the closure stops.
    pub(super) fn find_in_earlier_text<T>(
        &self,
        path: &RepoPath,
        mut look: impl FnMut(&[u8]) -> Option<T>,
    ) -> Result<Option<(RepoPath, T)>> {
        for file in self.changed.iter().filter(|file| file.before_path() == path) {
            if let Some(found) = file.before.as_deref().and_then(&mut look) {
                return Ok(Some((file.path.clone(), found)));
            }
        }
        let (Some(history), Some(git)) = (&self.history, self.view.git()) else { return Ok(None) };
        let Some(artifact) = history.artifact_at(path)?.filter(|artifact| artifact.is_live) else {
            return Ok(None);
        };
        let now = self.files.get(&artifact.path).cloned().unwrap_or(artifact.path);
        let mut blobs = git.repo().blobs(MAX_FILE_BYTES);
        for touch in history.touches(artifact.id)?.into_iter().rev().take(MAX_COMMITS) {
            let stop = history.commit_position(touch.pos)?;
            let Some(oid) = Oid::from_bytes(&stop.sha) else { continue };
            if let Blob::Bytes(bytes) = blobs.read_at(self.view.call(), oid, None, &touch.path)?
                && let Some(found) = look(&bytes)
            {
                return Ok(Some((now, found)));
            }
        }
        Ok(None)
    }
}

fn moved_symbols(symbols: &[ChangedSymbol]) -> BTreeMap<(RepoPath, String), (RepoPath, String)> {
    let moved = symbols.iter().filter(|symbol| symbol.kind == SymbolHow::Moved);
    let pair = |symbol: &ChangedSymbol| {
        Some((symbol.previous.clone()?, (symbol.path.clone(), symbol.full_name.clone())))
    };
    moved.filter_map(pair).collect()
}
