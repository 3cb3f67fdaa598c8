//! The cache of facts by content hash, shared by all worktrees, so that no text is parsed twice.
//!
//! It is only a cache: an error of it costs time and is never reported to a caller.

mod tables;

use std::path::Path;

use base::{Hash, Problem, Result};
use jiff::Timestamp;
use store::{Durability, Store};
use syntax::{EXTRACTOR_VERSION, FileFacts, Language};

use self::tables::FactsRowKey;

/// Maximum size of the cache on disk, in bytes.
const MAX_CACHE_BYTES: u64 = 512 * 1024 * 1024;

/// Version of the stored form of facts. It is increased if the same facts are stored in another
/// form.
const FORMAT_VERSION: u32 = 1;

/// Version of the rows that this program reads and writes.
const ROW_VERSION: u32 = FORMAT_VERSION << 20 | EXTRACTOR_VERSION;

/// The cache; empty if it cannot be opened.
pub(crate) struct FactsCache {
    store: Option<Store>,
    day: i64,
    cap: u64,
}

/// The key of facts in the cache.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FactsKey<'a> {
    /// The hash of the text
    pub hash: &'a Hash,
    /// The language that the text is parsed as
    pub language: Option<Language>,
}

impl<'a> FactsKey<'a> {
    fn row(self) -> FactsRowKey<'a> {
        // Another program that shares the cache may have the grammar that this one was built without.
        let dialect = match self.language {
            Some(language) if language.is_left_out() => "left out",
            language => language.map_or("", Language::name),
        };
        FactsRowKey { hash: self.hash, dialect, version: ROW_VERSION }
    }
}

impl FactsCache {
    /// Opens the cache. A damaged cache is created again; without a usable one every text is
    /// parsed.
    pub(crate) fn open(path: &Path, now: Timestamp) -> Self {
        let day = now.as_second().div_euclid(86_400);
        let store = open(path).or_else(|problem| {
            let cause = problem.source.as_ref().and_then(|source| source.downcast_ref());
            if cause.is_some_and(store::is_corrupt) {
                // A damaged cache is deleted; one that is only busy is kept.
                for end in ["", "-wal", "-shm"] {
                    let mut name = path.as_os_str().to_owned();
                    name.push(end);
                    let _ = std::fs::remove_file(name);
                }
                return open(path);
            }
            Err(problem)
        });
        Self { store: store.ok(), day, cap: MAX_CACHE_BYTES }
    }

    /// The facts of a text, if the text was parsed before.
    pub(crate) fn find(&self, key: FactsKey<'_>) -> Option<FileFacts> {
        let conn = self.store.as_ref()?.connection();
        let (value, used) = tables::find(conn, key.row()).ok()??;
        if used < self.day {
            let _ = tables::mark_used(conn, key.hash, self.day);
        }
        postcard::from_bytes(&store::decompress(&value).ok()?).ok()
    }

    /// Stores the facts of some texts.
    pub(crate) fn keep<'a>(&mut self, facts: impl Iterator<Item = (FactsKey<'a>, &'a FileFacts)>) {
        let (day, cap) = (self.day, self.cap);
        let Some(store) = &mut self.store else { return };
        let _ = store.write(|transaction| {
            for (key, facts) in facts {
                let Ok(value) = postcard::to_stdvec(facts) else { continue };
                tables::put(transaction, key.row(), &store::compress(&value), day)
                    .map_err(store::sqlite_problem("keep facts"))?;
            }
            while tables::size(transaction).map_err(store::sqlite_problem("size up facts"))? > cap {
                tables::evict(transaction).map_err(store::sqlite_problem("evict facts"))?;
            }
            Ok(())
        });
    }
}

fn open(path: &Path) -> Result<Store> {
    let folder = path.parent().unwrap_or(path);
    std::fs::create_dir_all(folder).map_err(Problem::io("make the facts' folder"))?;
    let mut store = store::open(path, Durability::Derived)?;
    let make = |tx: &store::Transaction<'_>| {
        tx.execute_batch(tables::SCHEMA).map_err(store::sqlite_problem("make the facts cache"))
    };
    store.write(make)?;
    // Rows that an older program wrote are never read. If deleting them fails, they only cost disk
    // space.
    let _ = tables::drop_older_than(store.connection(), ROW_VERSION);
    Ok(store)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_found_again_and_a_damaged_cache_is_made_anew() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("cache/facts.sqlite");
        let (hash, facts) = (Hash::of(b"# a"), syntax::extract(Some(Language::Markdown), b"# a"));
        let key = FactsKey { hash: &hash, language: Some(Language::Markdown) };
        let mut cache = FactsCache::open(&path, Timestamp::UNIX_EPOCH);
        assert_eq!(cache.find(key), None);
        cache.keep([(key, &facts)].into_iter());
        assert_eq!(cache.find(key), Some(facts));
        assert_eq!(
            cache.find(FactsKey { hash: &hash, language: None }),
            None,
            "read as another language it says other things"
        );
        drop(cache);
        std::fs::write(&path, "garbage").unwrap();
        assert_eq!(FactsCache::open(&path, Timestamp::UNIX_EPOCH).find(key), None);
        assert!(std::fs::metadata(&path).unwrap().len() > 1000);
    }

    #[test]
    fn facts_of_an_older_version_are_dropped_and_their_space_is_given_back() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("facts.sqlite");
        drop(FactsCache::open(&path, Timestamp::UNIX_EPOCH));
        let (hash, old) = (Hash::of(b"a"), vec![1; 1_000_000]);
        let store = store::open(&path, Durability::Derived).unwrap();
        let key = FactsRowKey { hash: &hash, dialect: "", version: EXTRACTOR_VERSION };
        tables::put(store.connection(), key, &old, 0).unwrap();
        tables::set_newest_version(store.connection(), EXTRACTOR_VERSION).unwrap();
        drop(store);
        let cache = FactsCache::open(&path, Timestamp::UNIX_EPOCH);
        assert_eq!(cache.find(FactsKey { hash: &hash, language: None }), None);
        assert!(tables::size(cache.store.as_ref().unwrap().connection()).unwrap() < 100_000);
    }

    #[test]
    fn what_was_of_no_use_for_longest_goes_when_there_is_too_much() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("facts.sqlite");
        let on = |day: i64, cap: u64| {
            let now = Timestamp::from_second(day * 86_400).unwrap();
            FactsCache { cap, ..FactsCache::open(&path, now) }
        };
        let texts: Vec<String> =
            (0..600).map(|at| (0..40).map(|line| format!("# {at} {line}\n")).collect()).collect();
        let keep = |cache: &mut FactsCache, texts: &[String]| {
            for text in texts {
                let facts = syntax::extract(Some(Language::Markdown), text.as_bytes());
                let hash = Hash::of(text.as_bytes());
                cache.keep(
                    [(FactsKey { hash: &hash, language: Some(Language::Markdown) }, &facts)]
                        .into_iter(),
                );
            }
        };
        let count = |cache: &FactsCache, texts: &[String]| {
            let held = |text: &&String| {
                let hash = Hash::of(text.as_bytes());
                cache.find(FactsKey { hash: &hash, language: Some(Language::Markdown) }).is_some()
            };
            texts.iter().filter(held).count()
        };
        let size =
            |cache: &FactsCache| tables::size(cache.store.as_ref().unwrap().connection()).unwrap();
        let mut cache = on(1, MAX_CACHE_BYTES);
        keep(&mut cache, &texts[..400]);
        let cap = size(&cache);
        drop(cache);
        assert_eq!(count(&on(2, cap), &texts[..10]), 10, "ten are asked for again, later");
        let mut cache = on(3, cap);
        keep(&mut cache, &texts[400..500]);
        assert!(size(&cache) <= cap);
        let (kept, idle, new) = (
            count(&cache, &texts[..10]),
            count(&cache, &texts[10..400]),
            count(&cache, &texts[400..500]),
        );
        assert!(idle < 390 && kept == 10 && new == 100, "{kept} {idle} {new}");
        keep(&mut cache, &texts[500..]);
        assert!(size(&cache) <= cap, "it never grows beyond");
        assert!(count(&cache, &texts[500..]) > 0, "and still keeps what is new");
    }
}
