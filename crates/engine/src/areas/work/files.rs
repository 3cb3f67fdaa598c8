//! Where the store meets the working tree: what atoms cover, how far it drifted, what tasks touch.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use base::{Problem, RepoPath, Result};
use work::knowledge::context::{
    KnowledgePage, KnowledgeSources, PathKnowledge, knowledge_for_paths,
};
use work::knowledge::drift::{self, KnowledgeDrift, MAX_FOOTPRINT_FILES};
use work::knowledge::files::{self, NamedLine};
use work::knowledge::globs::{GlobList, PathGlob, literal_folders};
use work::record::{Atom, FileFingerprint, Footprint, Task};
use work::{WorkDraft, WorkItem, WorkRecordId};

use super::{WorkPatterns, work_patterns};
use crate::contract::args::NodeTarget;
use crate::graph;
use crate::index::tables;
use crate::view::View;

/// Number of hexadecimal digits of a hash in a footprint, enough to distinguish contents.
const HASH_DIGITS: usize = 16;

/// How many files one glob or folder may stand for.
const MAX_EXPANDED_FILES: usize = 1_000;

/// The cache key of what patterns match.
const MATCHES_CACHE_KEY: &str = "work.covered";

/// What patterns match, looked up once for each state of the index.
#[derive(Debug, Default)]
struct PatternMatches(Mutex<HashMap<Vec<String>, Arc<Vec<FileFingerprint>>>>);

/// What patterns match in the index that a view sees.
pub(super) struct CoveredFiles<'v, 'w> {
    view: &'v View<'w>,
    known: Arc<PatternMatches>,
}

/// What patterns match now, for many patterns.
pub(super) fn covered_files<'v, 'w>(view: &'v View<'w>) -> Result<CoveredFiles<'v, 'w>> {
    let known = view.cached_for_index(MATCHES_CACHE_KEY, || Ok(PatternMatches::default()))?;
    Ok(CoveredFiles { view, known })
}

impl CoveredFiles<'_, '_> {
    /// The files that patterns match.
    pub(super) fn matching(&self, patterns: &[String]) -> Result<Arc<Vec<FileFingerprint>>> {
        let lock = || self.known.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(patterns) {
            return Ok(known.clone());
        }
        let found = Arc::new(match_files(self.view, patterns)?);
        lock().insert(patterns.to_vec(), found.clone());
        Ok(found)
    }
}

/// The files that patterns match now.
pub fn matched_files(view: &View, patterns: &[String]) -> Result<Arc<Vec<FileFingerprint>>> {
    covered_files(view)?.matching(patterns)
}

fn match_files(view: &View, patterns: &[String]) -> Result<Vec<FileFingerprint>> {
    let conn = view.index()?.conn();
    let mut files = Vec::new();
    for folder in literal_folders(patterns) {
        if let Ok(folder) = folder_of(&folder) {
            files.extend(tables::contents_below(conn, &folder)?);
        }
    }
    if files.is_empty() {
        return Ok(Vec::new()); // compiling the patterns would cost more than this check
    }
    let set = GlobList::of(patterns);
    let seen = |(path, hash, lines): (RepoPath, Option<base::Hash>, u32)| {
        let hash = hash.map(|hash| hash.to_string()[..HASH_DIGITS].to_owned()).unwrap_or_default();
        Some(FileFingerprint { path: path.to_string(), hash, lines })
            .filter(|seen| set.matches(&seen.path))
    };
    let mut found: Vec<FileFingerprint> = files.into_iter().filter_map(seen).collect();
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found.dedup_by(|a, b| a.path == b.path);
    found.truncate(MAX_FOOTPRINT_FILES);
    Ok(found)
}

fn folder_of(text: &str) -> Result<RepoPath, String> {
    if text.is_empty() { Ok(RepoPath::ROOT) } else { text.parse() }
}

/// How much the files of an atom have changed; `None` if their state was not recorded.
pub fn drift(view: &View, draft: &WorkDraft<'_>, atom: &Atom) -> Result<Option<KnowledgeDrift>> {
    let Some(then) = drift::footprint(draft, &atom.id)? else { return Ok(None) };
    Ok(Some(drift::compute_drift(&then, &matched_files(view, &atom.paths)?)))
}

/// Where missing files went: to the only file with the same content, otherwise to the only file of
/// the same name.
pub fn moved_files(view: &View, gone: &[FileFingerprint]) -> Result<BTreeMap<String, String>> {
    if gone.is_empty() {
        return Ok(BTreeMap::new());
    }
    let conn = view.index()?.conn();
    let (mut by_hash, mut by_name) = (HashMap::new(), HashMap::new());
    for (path, hash, _) in tables::contents_below(conn, &RepoPath::ROOT)? {
        let path = path.to_string();
        let name = path.rsplit('/').next().unwrap_or_default().to_owned();
        if let Some(hash) = hash {
            let hash = hash.to_string()[..HASH_DIGITS].to_owned();
            by_hash.entry(hash).or_insert_with(Vec::new).push(path.clone());
        }
        by_name.entry(name).or_insert_with(Vec::new).push(path);
    }
    let only = |found: Option<&Vec<String>>| match found.map(Vec::as_slice) {
        Some([only]) => Some(only.clone()),
        _ => None,
    };
    let mut moved = BTreeMap::new();
    for file in gone {
        let name = file.path.rsplit('/').next().unwrap_or_default();
        let new = only(by_hash.get(&file.hash)).or_else(|| only(by_name.get(name)));
        moved.extend(new.filter(|new| *new != file.path).map(|new| (file.path.clone(), new)));
    }
    Ok(moved)
}

/// What is known about some paths, with its age.
pub fn knowledge_about(
    view: &View,
    draft: &WorkDraft<'_>,
    project: Option<&WorkRecordId>,
    paths: &[String],
    part: KnowledgePage,
) -> Result<PathKnowledge> {
    let derived = work_patterns(view)?;
    let aged = |atom: &Atom, then: &Footprint| {
        Ok(drift::compute_drift(then, &matched_files(view, &atom.paths)?))
    };
    let sources = KnowledgeSources { draft, matcher: &derived.matcher, cache: &derived.recall };
    knowledge_for_paths(sources, project, paths, part, aged)
}

/// Expands the paths that a caller named: a folder into the files below it, a glob into the files
/// that match.
pub fn expand_paths(view: &View, named: &[String]) -> Result<Vec<String>> {
    let conn = view.index()?.conn();
    let is_glob =
        |name: &str| name.contains(['*', '?', '{', '[']) && name.parse::<PathGlob>().is_ok();
    let typed: Vec<Option<RepoPath>> =
        named
            .iter()
            .map(|name| {
                if is_glob(name) { None } else { view.paths().candidates(name).into_iter().next() }
            })
            .collect();
    let plain: Vec<RepoPath> = typed.iter().flatten().cloned().collect();
    let files = tables::which_are_files(conn, &plain)?;
    let mut paths: Vec<String> = Vec::new();
    let mut told: HashSet<String> = HashSet::new();
    for (name, typed) in named.iter().zip(typed) {
        let mut found = match typed {
            Some(path) if files.contains(&path) => vec![path.to_string()],
            Some(path) => {
                let below = tables::contents_below(conn, &path)?;
                let below = below.into_iter().map(|(path, ..)| path.to_string()).collect();
                or_name(below, path.to_string())
            }
            None if is_glob(name) => {
                let matched = matched_files(view, std::slice::from_ref(name))?;
                or_name(matched.iter().map(|seen| seen.path.clone()).collect(), name.clone())
            }
            None => vec![name.clone()],
        };
        found.truncate(MAX_EXPANDED_FILES);
        found.retain(|path| told.insert(path.clone()));
        paths.append(&mut found);
    }
    Ok(paths)
}

/// What the Context Files of a record name.
#[derive(Debug, Clone, Default)]
pub struct ContextFiles {
    /// Paths and globs as written, without duplicates
    pub names: Vec<String>,
    /// Lines that name no file
    pub unread: Vec<String>,
}

/// What lines of Context Files name, once it is known which words of them are files.
pub fn context_files(view: &View, lines: &[NamedLine]) -> ContextFiles {
    let is_there = |name: &&String| {
        let paths = view.paths().candidates(name);
        paths.iter().any(|path| view.tree().stat_if_reachable(path).is_some())
    };
    let mut found = ContextFiles::default();
    for line in lines {
        let names = line.paths.iter().chain(line.possible_files.iter().filter(is_there));
        let names: Vec<&String> = names.collect();
        if names.is_empty() {
            found.unread.push(line.text.clone());
        }
        for name in names {
            if !found.names.contains(name) {
                found.names.push(name.clone());
            }
        }
    }
    found
}

/// The files that the Context Files of a record name.
pub fn files_of(view: &View, draft: &WorkDraft<'_>, owner: &WorkItem) -> Result<Vec<String>> {
    expand_paths(view, &context_files(view, &files::context_files_of(draft, owner)?).names)
}

/// The open tasks whose Context Files name something at or below a path, and their features.
pub fn tasks_about(
    view: &View,
    draft: &WorkDraft<'_>,
    path: &NodeTarget,
) -> Result<BTreeSet<WorkRecordId>> {
    let node = graph::resolve(view, path)?;
    let Some(place) = node.path() else {
        return Err(Problem::invalid(format!("{node} is neither a file nor a folder")));
    };
    let mut found = BTreeSet::new();
    for (id, lines) in &work_patterns(view)?.task_files {
        let named = expand_paths(view, &context_files(view, lines).names)?;
        let is_at =
            |path: RepoPath| place.is_root() || path == *place || path.is_at_or_below(place);
        if named.iter().filter_map(|path| path.parse().ok()).any(is_at) {
            let task: Option<Task> = draft.get(id)?;
            found.extend(task.and_then(|task| task.feature_id));
            found.insert(id.clone());
        }
    }
    Ok(found)
}

/// The name itself if it matched nothing.
fn or_name(found: Vec<String>, name: String) -> Vec<String> {
    if found.is_empty() { vec![name] } else { found }
}

/// A digest of the contents of some files.
pub fn files_digest(view: &View, paths: &[String]) -> Result<String> {
    let conn = view.index()?.conn();
    let mut parts = Vec::new();
    for path in paths {
        let Ok(path) = path.parse::<RepoPath>() else { continue };
        for (path, hash, _) in tables::contents_below(conn, &path)? {
            let hash = hash.map(|hash| hash.to_string()).unwrap_or_default();
            parts.push(format!("{path} {hash}\n"));
        }
    }
    Ok(base::Hash::of(parts.concat().as_bytes()).short())
}

impl WorkPatterns {
    /// Open tasks whose Context Files name a path, by name or glob.
    pub fn tasks_naming(&self, path: &str) -> Vec<&WorkRecordId> {
        self.tasks.matching(path, None).into_iter().collect()
    }
}
