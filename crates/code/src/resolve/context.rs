//! The inputs of import resolution, and a record of which of them were read.
//!
//! Everything that decides which file an import means is read here and recorded as a key, also if
//! nothing was found. If the value behind a recorded key changes, the file is resolved again.

use std::any::Any;
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::hash::Hash;
use std::rc::Rc;

use base::{RepoPath, Result};
use store::Connection;
use syntax::Manifest;

use super::tables;
use crate::outline::ModuleInterface;

/// The files of the repository. Tests use a set, the index a query.
pub trait FileCatalog {
    /// Whether a file exists.
    fn has(&self, path: &RepoPath) -> bool;
    /// The files directly in a folder.
    fn in_folder(&self, folder: &RepoPath) -> Vec<RepoPath>;
}

impl FileCatalog for BTreeSet<RepoPath> {
    fn has(&self, path: &RepoPath) -> bool {
        self.contains(path)
    }

    fn in_folder(&self, folder: &RepoPath) -> Vec<RepoPath> {
        let from = self.range(folder.clone()..);
        let below = from.take_while(|path| path.as_bytes().starts_with(folder.as_bytes()));
        below.filter(|path| path.parent().as_ref() == Some(folder)).cloned().collect()
    }
}

/// An input of resolution.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ResolutionKey<'a> {
    /// Whether a file exists
    File(&'a RepoPath),
    /// The files in a folder
    Folder(&'a RepoPath),
    /// The content of a manifest
    Manifest(&'a RepoPath),
    /// What other files see of a file
    Interface(&'a RepoPath),
    /// The manifests that declare a package name
    Package(&'a str),
    /// The Rust files with `#[path]` modules
    PathModules,
}

impl ResolutionKey<'_> {
    /// Stable hash of the key. A collision only causes an unneeded resolution.
    pub(crate) fn hash_key(self) -> u64 {
        let (kind, bytes): (u8, &[u8]) = match self {
            Self::File(path) => (1, path.as_bytes()),
            Self::Folder(path) => (2, path.as_bytes()),
            Self::Manifest(path) => (3, path.as_bytes()),
            Self::Interface(path) => (4, path.as_bytes()),
            Self::Package(name) => (5, name.as_bytes()),
            Self::PathModules => (6, &[]),
        };
        // FNV-1a: the hashes are stored, so they must be the same in every build.
        let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        [kind].iter().chain(bytes).fold(0xcbf2_9ce4_8422_2325, step)
    }
}

type ResolutionCache = HashMap<(&'static str, RepoPath, String), (Rc<dyn Any>, Rc<BTreeSet<u64>>)>;

/// The repository as import resolution sees it.
pub(crate) struct ResolutionContext<'a> {
    conn: &'a Connection,
    files: &'a dyn FileCatalog,
    offers: RefCell<HashMap<RepoPath, Option<Rc<ModuleInterface>>>>,
    manifests: RefCell<HashMap<RepoPath, Option<Rc<Manifest>>>>,
    packages: RefCell<HashMap<String, Rc<Vec<RepoPath>>>>,
    path_mods: RefCell<Option<Rc<Vec<RepoPath>>>>,
    memo: RefCell<ResolutionCache>,
    /// The recorded keys of nested computations, innermost last
    recorded_keys: RefCell<Vec<BTreeSet<u64>>>,
    /// The last read error. It is returned at the end, so that the resolution rules are plain
    /// functions
    read_error: RefCell<Option<base::Problem>>,
}

impl<'a> ResolutionContext<'a> {
    pub(crate) fn new(conn: &'a Connection, files: &'a dyn FileCatalog) -> Self {
        Self {
            conn,
            files,
            offers: RefCell::default(),
            manifests: RefCell::default(),
            packages: RefCell::default(),
            path_mods: RefCell::default(),
            memo: RefCell::default(),
            recorded_keys: RefCell::default(),
            read_error: RefCell::default(),
        }
    }

    /// Runs a computation and returns the keys that it read.
    pub(crate) fn record_dependencies<T>(
        &self,
        what: impl FnOnce() -> T,
    ) -> Result<(T, BTreeSet<u64>)> {
        self.recorded_keys.borrow_mut().push(BTreeSet::new());
        let value = what();
        let asked = self.recorded_keys.borrow_mut().pop().unwrap_or_default();
        match self.read_error.take() {
            Some(problem) => Err(problem),
            None => Ok((value, asked)),
        }
    }

    /// Computes a value about a path once. The keys that it read are recorded for every caller.
    pub(crate) fn memoise<T: 'static>(
        &self,
        what: &'static str,
        path: &RepoPath,
        name: &str,
        compute: impl FnOnce() -> T,
    ) -> Rc<T> {
        let key = (what, path.clone(), name.to_owned());
        let known = self.memo.borrow().get(&key).cloned();
        if let Some((value, asked)) = known
            && let Ok(value) = value.downcast::<T>()
        {
            self.record_keys(&asked);
            return value;
        }
        self.recorded_keys.borrow_mut().push(BTreeSet::new());
        let value = Rc::new(compute());
        let asked = Rc::new(self.recorded_keys.borrow_mut().pop().unwrap_or_default());
        self.record_keys(&asked);
        self.memo.borrow_mut().insert(key, (value.clone(), asked));
        value
    }

    fn record_key(&self, key: ResolutionKey<'_>) {
        if let Some(asked) = self.recorded_keys.borrow_mut().last_mut() {
            asked.insert(key.hash_key());
        }
    }

    fn record_keys(&self, keys: &BTreeSet<u64>) {
        if let Some(asked) = self.recorded_keys.borrow_mut().last_mut() {
            asked.extend(keys);
        }
    }

    /// Whether a file exists.
    pub(crate) fn has(&self, path: &RepoPath) -> bool {
        self.record_key(ResolutionKey::File(path));
        self.files.has(path)
    }

    /// The first of some paths that exists. Invalid paths are skipped.
    pub(crate) fn first_existing(
        &self,
        paths: impl IntoIterator<Item = String>,
    ) -> Option<RepoPath> {
        let parsed = paths.into_iter().filter_map(|text| RepoPath::normalised(&text)?.ok());
        parsed.into_iter().find(|path| self.has(path))
    }

    /// The files directly in a folder, sorted.
    pub(crate) fn in_folder(&self, folder: &RepoPath) -> Vec<RepoPath> {
        self.record_key(ResolutionKey::Folder(folder));
        self.files.in_folder(folder)
    }

    /// What other files see of a source file.
    pub(crate) fn interface(&self, path: &RepoPath) -> Option<Rc<ModuleInterface>> {
        self.record_key(ResolutionKey::Interface(path));
        let read = || tables::module_interface(self.conn, path);
        self.cached(&self.offers, path.clone(), || Ok(read()?.map(Rc::new)))
    }

    /// The content of a manifest.
    pub(crate) fn manifest(&self, path: &RepoPath) -> Option<Rc<Manifest>> {
        self.record_key(ResolutionKey::Manifest(path));
        let read = || tables::manifest(self.conn, path);
        self.cached(&self.manifests, path.clone(), || Ok(read()?.map(Rc::new)))
    }

    /// The manifests that declare a package name, the shortest path first.
    pub(crate) fn packages(&self, name: &str) -> Rc<Vec<RepoPath>> {
        self.record_key(ResolutionKey::Package(name));
        let read = || tables::manifests_of_package(self.conn, name).map(Rc::new);
        self.cached(&self.packages, name.to_owned(), read)
    }

    /// The Rust files with `#[path]` modules.
    pub(crate) fn files_with_path_modules(&self) -> Rc<Vec<RepoPath>> {
        self.record_key(ResolutionKey::PathModules);
        if let Some(known) = &*self.path_mods.borrow() {
            return Rc::clone(known);
        }
        let read = Rc::new(self.store_error(tables::files_with_path_modules(self.conn)));
        *self.path_mods.borrow_mut() = Some(Rc::clone(&read));
        read
    }

    fn cached<K: Eq + Hash, T: Clone + Default>(
        &self,
        cache: &RefCell<HashMap<K, T>>,
        key: K,
        read: impl FnOnce() -> Result<T>,
    ) -> T {
        if let Some(known) = cache.borrow().get(&key) {
            return known.clone();
        }
        let value = self.store_error(read());
        cache.borrow_mut().insert(key, value.clone());
        value
    }

    fn store_error<T: Default>(&self, read: Result<T>) -> T {
        read.unwrap_or_else(|problem| {
            *self.read_error.borrow_mut() = Some(problem);
            T::default()
        })
    }
}
