//! Compares the tree with the index and plans a refresh.

use std::collections::{BTreeMap, BTreeSet};

use base::{Call, RepoPath, Result};
use store::Connection;
use syntax::Language;
use tree::{DirtyPaths, Excludes, FileWalk, ProjectFile, SkipReason, WorkingTree};

use super::file_reader::FileToRead;
use super::tables::{self, KnownFile};
use super::tracked_ignored::TrackedIgnored;
use crate::repository::Repository;

/// What a refresh compares.
pub(crate) struct RefreshSources<'a> {
    pub tree: &'a WorkingTree,
    pub git: Option<&'a Repository>,
    pub excludes: &'a Excludes,
    pub scope: ParseScope<'a>,
    pub watch: bool,
}

/// Which files are parsed as code.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ParseScope<'a> {
    /// Largest size of a file that is parsed, in bytes
    pub largest: u64,
    /// Code outside of these folders is not parsed
    pub folders: &'a [RepoPath],
}

impl ParseScope<'_> {
    /// Whether a file is code that the configuration excludes.
    pub(super) fn excludes(&self, path: &RepoPath) -> bool {
        let is_in =
            |folder: &RepoPath| folder.is_root() || path == folder || path.is_at_or_below(folder);
        Language::from_path(path).is_some_and(Language::is_code) && !self.folders.iter().any(is_in)
    }

    /// Identifies a scope. If it changes, every file is compared again.
    fn fingerprint(&self) -> String {
        let folders: Vec<String> = self.folders.iter().map(ToString::to_string).collect();
        format!("{} {}", self.largest, folders.join("\n"))
    }
}

/// Key of the `meta` entry with the fingerprint of the [`ParseScope`].
pub(super) const PARSE_SCOPE_KEY: &str = "parse_scope";

/// The difference between the tree and the index.
pub(super) struct RefreshPlan {
    pub(super) walk: FileWalk,
    pub(super) to_read: Vec<FileToRead>,
    pub(super) gone: Vec<RepoPath>,
    /// Paths that were compared; `None` means the whole tree
    pub(super) part: Option<BTreeSet<RepoPath>>,
    pub(super) head: Option<String>,
    pub(super) head_moved: bool,
    pub(super) tracked: TrackedIgnored,
    /// Whether the set of skipped files changed
    skipped_changed: bool,
    /// Notes about the ignore rules; `None` if only a part of the tree was compared
    pub(super) notes: Option<String>,
    notes_changed: bool,
    /// The state of the index that the tree was compared with
    pub(super) revision: Option<String>,
    /// Fingerprint of the scope that is configured now
    pub(super) scope: String,
    /// Fingerprint of the scope that the index was written with
    known_scope: Option<String>,
}

impl RefreshPlan {
    /// Whether the index is up to date.
    pub(super) fn is_empty(&self) -> bool {
        let same = self.to_read.is_empty() && self.gone.is_empty() && !self.skipped_changed;
        same && !self.head_moved
            && !self.tracked.is_new
            && !self.notes_changed
            && self.known_scope.as_ref() == Some(&self.scope)
    }

    /// Plans to read some files into an empty index, without comparing anything else.
    pub(super) fn of_files(
        sources: &RefreshSources<'_>,
        paths: &BTreeSet<RepoPath>,
        call: &Call,
    ) -> Result<Self> {
        let walk = FileWalk::of_paths(sources.tree, paths, sources.excludes, call)?;
        let to_read =
            walk.files.iter().map(|file| FileToRead { file: file.clone(), known_hash: None });
        Ok(Self {
            to_read: to_read.collect(),
            gone: Vec::new(),
            part: Some(paths.clone()),
            head: sources.git.map(|git| git.head_commit(call)).transpose()?.flatten(),
            head_moved: false,
            tracked: TrackedIgnored::unknown(),
            skipped_changed: false,
            notes: None,
            notes_changed: false,
            revision: None,
            scope: sources.scope.fingerprint(),
            known_scope: None,
            walk,
        })
    }

    /// Compares the tree with the index.
    pub(super) fn find(
        conn: &Connection,
        sources: &RefreshSources<'_>,
        dirty: &DirtyPaths,
        from_nothing: bool,
        call: &Call,
    ) -> Result<Self> {
        let head = sources.git.map(|git| git.head_commit(call)).transpose()?.flatten();
        let known_head = tables::meta(conn, "head")?;
        let head_moved =
            from_nothing || known_head.as_deref() != Some(head.as_deref().unwrap_or(""));
        let scope = sources.scope.fingerprint();
        let known_scope = tables::meta(conn, PARSE_SCOPE_KEY)?;
        let scope_changed = !from_nothing && known_scope.as_ref() != Some(&scope);
        let dirty = if scope_changed { &DirtyPaths::Everything } else { dirty };
        let TreeState { mut walk, known, part, tracked } =
            TreeState::of(conn, sources, dirty, call)?;
        tracked.add_to(&mut walk, sources, part.as_ref())?;
        let is_suspect = |found: &&ProjectFile| match known.get(&found.path) {
            None => true,
            Some(KnownFile { stat, read_at, .. }) => {
                part.is_some() || scope_changed || *stat != found.stat || stat.is_racy(*read_at)
            }
        };
        let with_hash = |found: &ProjectFile| {
            let known = known.get(&found.path).filter(|_| !scope_changed);
            FileToRead { file: found.clone(), known_hash: known.and_then(|known| known.hash) }
        };
        let suspects = walk.files.iter().filter(is_suspect).map(with_hash).collect();
        let there: BTreeSet<&RepoPath> = walk.files.iter().map(|found| &found.path).collect();
        let gone = known.keys().filter(|path| !there.contains(path)).cloned().collect();
        let mut known_aside = tables::skipped_paths(conn)?;
        known_aside
            .retain(|path, _| part.as_ref().is_none_or(|part| tree::is_at_or_below(path, part)));
        let aside = walk
            .skipped
            .iter()
            .map(|skipped| (skipped.path.clone(), skip_reason_text(skipped.reason).into()));
        let aside_changed = known_aside != aside.collect();
        let revision = tables::meta(conn, "revision")?;
        let notes = part.is_none().then(|| ignore_notes(&walk).join("\n"));
        let notes_changed = match &notes {
            Some(notes) => tables::meta(conn, IGNORE_NOTES_KEY)?.unwrap_or_default() != *notes,
            None => false,
        };
        Ok(Self {
            walk,
            to_read: suspects,
            gone,
            part,
            head,
            head_moved,
            tracked,
            skipped_changed: aside_changed,
            notes,
            notes_changed,
            revision,
            scope,
            known_scope,
        })
    }
}

/// The files of the tree and of the index, limited to the part that may have changed.
struct TreeState {
    walk: FileWalk,
    known: BTreeMap<RepoPath, KnownFile>,
    part: Option<BTreeSet<RepoPath>>,
    tracked: TrackedIgnored,
}

impl TreeState {
    fn of(
        conn: &Connection,
        sources: &RefreshSources<'_>,
        dirty: &DirtyPaths,
        call: &Call,
    ) -> Result<Self> {
        let tracked = TrackedIgnored::find(conn, None, sources, call)?;
        // Ignore rules that git stores outside of the tree may have changed together with git's
        // index.
        let Some(paths) = paths_of(dirty).filter(|_| !tracked.is_new) else {
            let walk = FileWalk::whole_tree(sources.tree, sources.excludes, call)?;
            let tracked = TrackedIgnored::find(conn, Some(&walk), sources, call)?;
            return Ok(Self { walk, known: tables::known_files(conn)?, part: None, tracked });
        };
        let walk = match paths.is_empty() {
            true => FileWalk::default(),
            false => FileWalk::of_paths(sources.tree, paths, sources.excludes, call)?,
        };
        let mut known = BTreeMap::new();
        for path in paths {
            known.append(&mut tables::known_files_below(conn, path)?);
        }
        Ok(Self { walk, known, part: Some(paths.clone()), tracked })
    }
}

const fn paths_of(dirty: &DirtyPaths) -> Option<&BTreeSet<RepoPath>> {
    match dirty {
        DirtyPaths::Paths(paths) => Some(paths),
        DirtyPaths::Everything => None,
    }
}

/// Key of the `meta` entry with the notes about the ignore rules.
pub(super) const IGNORE_NOTES_KEY: &str = "ignore_notes";

/// Notes about ignore rules that every answer has to show: rules that are ignored because they are
/// invalid, and rules that hide everything.
fn ignore_notes(walk: &FileWalk) -> Vec<String> {
    let limit = |limit: &tree::IgnoreLimit| format!("{}: {}", limit.file, limit.reason);
    let mut notes: Vec<String> = walk.limits.iter().map(limit).collect();
    let is_rule =
        |file: &ProjectFile| matches!(file.path.name().as_str(), ".gitignore" | "cairn.jsonc");
    if walk.files.iter().all(is_rule) && !walk.hidden.is_empty() {
        let mut rules: Vec<_> = walk.hidden.iter().collect();
        rules.sort_by_key(|(rule, count)| (std::cmp::Reverse(**count), *rule));
        let told = rules.iter().take(MAX_LISTED_RULES);
        let told: Vec<String> =
            told.map(|(rule, _)| format!("`{}` in {}", rule.pattern, rule.file)).collect();
        notes.push(format!("every file is ignored, by {}", told.join(", ")));
    }
    notes
}

/// Maximum number of rules that are named because they hide everything.
const MAX_LISTED_RULES: usize = 3;

/// The reason as answers show it.
pub(super) const fn skip_reason_text(why: SkipReason) -> &'static str {
    match why {
        SkipReason::Link => "symbolic link",
        SkipReason::Repository => "another repository",
        SkipReason::Special => "not a regular file",
        SkipReason::Unreadable => "unreadable",
    }
}
