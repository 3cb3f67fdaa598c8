//! Which package a file belongs to: the nearest folder above it that has a manifest.

use std::collections::BTreeSet;

use base::{RepoPath, Result};
use syntax::Language;

use engine::areas::files;
use engine::view::View;

/// The folders of a repository that are packages.
pub(crate) struct Packages(BTreeSet<RepoPath>);

impl Packages {
    pub(crate) fn read(view: &View) -> Result<Self> {
        let names = Language::ALL.iter().flat_map(|one| one.descriptor().files.package_manifests);
        let names: BTreeSet<&str> = names.copied().collect();
        let is_manifest = |path: &RepoPath| names.contains(path.name().as_str());
        let manifests = files::all_paths(view)?.into_iter().filter(is_manifest);
        Ok(Self(manifests.filter_map(|path| path.parent()).collect()))
    }

    /// The package of a file; none if no folder above it has a manifest.
    pub(crate) fn of(&self, path: &RepoPath) -> Option<&RepoPath> {
        let mut above = std::iter::successors(path.parent(), RepoPath::parent);
        above.find_map(|folder| self.0.get(&folder))
    }
}
