//! Writes a refresh into the index. Each file is read once, and all changes are one transaction.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::mpsc::sync_channel;

use base::{Call, RepoPath, Result};
use store::{Connection, Store};
use tree::{FileTime, Stat};

use super::file_reader::{FileRead, FileReader, FileToRead, ScannedContent};
use super::refresh_plan::{
    IGNORE_NOTES_KEY, PARSE_SCOPE_KEY, RefreshPlan, RefreshSources, skip_reason_text,
};
use super::tables::{self, IndexedFileRow};
use super::{IndexedFile, Indexer, RefreshSummary};
use crate::facts::FactsCache;
use crate::repository::Repository;

/// Number of files that are read before the first of them is written. It limits memory use.
const BATCH: usize = 128;

/// What a refresh needs in order to write its plan into the index.
pub(super) struct RefreshWriter<'a> {
    pub(super) sources: &'a RefreshSources<'a>,
    pub(super) indexers: &'a [&'static dyn Indexer],
    /// Path of the cache of facts that all worktrees share
    pub(super) facts: &'a Path,
    /// When the files are read, by the clock of the file system
    pub(super) read_at: FileTime,
    /// Called with the number of files that are done and the files of the plan; an error stops the
    /// refresh
    pub(super) report_progress: &'a dyn Fn(usize, &[FileToRead]) -> Result<()>,
}

impl RefreshWriter<'_> {
    /// Reads the files of a plan and writes their rows, in one transaction.
    pub(super) fn apply(&self, store: &mut Store, todo: &RefreshPlan, call: &Call) -> Result<()> {
        let cache = FactsCache::open(self.facts, call.now);
        let looker = FileReader {
            tree: self.sources.tree,
            format: self.sources.git.map(Repository::format),
            scope: self.sources.scope,
            read_at: self.read_at,
            indexers: self.indexers,
        };
        store.write(|tx| {
            let (mut changed, mut gone) = (Vec::new(), todo.gone.clone());
            let (mut added, mut removed) = (0, 0);
            (self.report_progress)(0, &todo.to_read)?;
            read_ahead(&looker, cache, &todo.to_read, call, |round, files| {
                (self.report_progress)(round * BATCH, &todo.to_read)?;
                for seen in files {
                    match seen.content {
                        ScannedContent::Vanished => gone.push(seen.path),
                        ScannedContent::Unchanged => {
                            tables::touch_file(tx, &seen.path, &seen.stat, seen.read_at)?;
                        }
                        ScannedContent::Read(_) => {
                            added += u64::from(self.write_file(tx, &seen)?);
                            changed.push(seen.path);
                        }
                    }
                }
                Ok(())
            })?;
            for path in &gone {
                removed += u64::from(self.drop_file(tx, path)?);
            }
            write_skipped_paths(tx, todo)?;
            let (some_new, head_moved) = (added > 0, todo.head_moved);
            let news = RefreshSummary { changed: &changed, some_new, gone: &gone, head_moved };
            compare_with_head(tx, self.sources, todo, &news, call)?;
            self.indexers.iter().try_for_each(|indexer| indexer.finish(tx, &news))?;
            write_watermark(tx, todo)?;
            write_file_count(tx, added, removed)
        })
    }

    /// Writes the rows of a file. Returns whether the index did not have the file before.
    fn write_file(&self, tx: &Connection, seen: &FileRead) -> Result<bool> {
        let ScannedContent::Read(held) = &seen.content else { return Ok(false) };
        let is_new = !tables::has_file(tx, &seen.path)?;
        tables::put_file(
            tx,
            &IndexedFileRow {
                path: &seen.path,
                stat: &seen.stat,
                read_at: seen.read_at,
                hash: held.hash,
                oid: held.oid.as_deref(),
                oid_lf: held.oid_lf.as_deref(),
                language: seen.language.map(syntax::Language::name),
                skipped: held.skipped,
                lines: held.facts.lines,
                title: held.facts.title.as_deref(),
            },
        )?;
        for (at, indexer) in self.indexers.iter().enumerate() {
            let learned = IndexedFile {
                path: &seen.path,
                hash: held.hash,
                language: seen.language,
                facts: &held.facts,
                prepared: held.prepared.get(at).and_then(Option::as_ref),
                text: seen.text.as_deref(),
                skipped: held.skipped,
                is_new,
            };
            if !is_new {
                indexer.remove_file(tx, &seen.path, false)?;
            }
            indexer.index_file(tx, &learned)?;
        }
        Ok(is_new)
    }

    /// Removes the rows of a file. Returns whether the index had it.
    fn drop_file(&self, tx: &Connection, path: &RepoPath) -> Result<bool> {
        if !tables::has_file(tx, path)? {
            return Ok(false); // it was created and deleted between two comparisons
        }
        self.indexers.iter().try_for_each(|indexer| indexer.remove_file(tx, path, true))?;
        tables::remove_file(tx, path)?;
        Ok(true)
    }
}

/// Reads the next batch of files while the rows of the previous batch are written, because SQLite
/// writes on one core only.
fn read_ahead(
    looker: &FileReader<'_>,
    mut cache: FactsCache,
    suspects: &[FileToRead],
    call: &Call,
    mut take_in: impl FnMut(usize, Vec<FileRead>) -> Result<()>,
) -> Result<()> {
    std::thread::scope(|scope| {
        let (give, take) = sync_channel(1);
        scope.spawn(move || {
            for batch in suspects.chunks(BATCH) {
                let seen = looker.read_all(batch, &mut cache, call);
                let is_last = seen.is_err();
                // The receiver is gone if writing failed.
                if give.send(seen).is_err() || is_last {
                    break;
                }
            }
        });
        take.into_iter().enumerate().try_for_each(|(round, seen)| take_in(round, seen?))
    })
}

/// Records which files differ from the checked-out commit.
fn compare_with_head(
    tx: &Connection,
    sources: &RefreshSources<'_>,
    todo: &RefreshPlan,
    news: &RefreshSummary<'_>,
    call: &Call,
) -> Result<()> {
    let Some(git) = sources.git else { return Ok(()) };
    if todo.head_moved {
        tables::clear_head(tx)?;
        let tree = todo.head.as_ref().map(|commit| git.tree(commit, call)).transpose()?;
        for entry in tree.iter().flatten() {
            tables::put_head(tx, &entry.path, &entry.oid, entry.kind)?;
        }
        tables::compare_all(tx)?;
    } else {
        let touched = news.changed.iter().chain(news.gone);
        touched.into_iter().try_for_each(|path| tables::compare_one(tx, path))?;
    }
    let part = todo.part.as_ref().filter(|_| !todo.head_moved);
    // Without a part, every file may have changed; otherwise only the files in it.
    let missing: BTreeMap<RepoPath, String> = match part {
        None => tables::missing_from_files(tx)?.into_iter().collect(),
        Some(part) => {
            let mut missing = BTreeMap::new();
            for path in part {
                missing.extend(tables::missing_below(tx, path)?);
            }
            missing
        }
    };
    let left_out: BTreeSet<RepoPath> = match missing.is_empty() {
        true => BTreeSet::new(),
        false => git.sparse_excluded(call)?.into_iter().collect(),
    };
    for (path, kind) in missing {
        // A folder, a link or a pipe in the place of a file is not that file.
        let is_same_sort = |stat: &Stat| match kind.as_str() {
            "submodule" => true,
            "symlink" => stat.is_link() || stat.is_file(),
            _ => stat.is_file(),
        };
        let is_there =
            sources.tree.stat_if_reachable(&path).is_some_and(|stat| is_same_sort(&stat));
        match is_there || left_out.contains(&path) {
            true => tables::forget_deleted(tx, &path)?,
            false => tables::put_deleted(tx, &path)?,
        }
    }
    Ok(())
}

fn write_skipped_paths(tx: &Connection, todo: &RefreshPlan) -> Result<()> {
    let rows = || {
        todo.walk.skipped.iter().map(|skipped| (&skipped.path, skip_reason_text(skipped.reason)))
    };
    let Some(part) = &todo.part else { return tables::replace_skipped_paths(tx, rows()) };
    part.iter().try_for_each(|path| tables::forget_skipped_below(tx, path))?;
    rows().try_for_each(|(path, why)| tables::put_skipped_path(tx, path, why))
}

/// Records how many files the index has. Only a full build counts them; later refreshes add and
/// subtract.
fn write_file_count(tx: &Connection, added: u64, removed: u64) -> Result<()> {
    let before = tables::meta(tx, "files")?.and_then(|text| text.parse::<u64>().ok());
    let now = match before {
        Some(before) => (before + added).saturating_sub(removed),
        None => tables::count_files(tx)?,
    };
    tables::set_meta(tx, "files", &now.to_string())
}

/// Records what the index contains, so that a truncated file is noticed when it is opened.
fn write_watermark(tx: &Connection, todo: &RefreshPlan) -> Result<()> {
    let revision: u64 =
        tables::meta(tx, "revision")?.and_then(|text| text.parse().ok()).unwrap_or(0);
    tables::set_meta(tx, "revision", &(revision + 1).to_string())?;
    todo.tracked.store(tx)?;
    if let Some(notes) = &todo.notes {
        tables::set_meta(tx, IGNORE_NOTES_KEY, notes)?;
    }
    tables::set_meta(tx, PARSE_SCOPE_KEY, &todo.scope)?;
    tables::set_meta(tx, "head", todo.head.as_deref().unwrap_or_default())
}
