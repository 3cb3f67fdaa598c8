//! Files and folders as a layer of the graph: what holds what, and which document links where.

mod index;
mod layer;
mod tables;

use base::{RepoPath, Result};

use crate::view::View;

pub(crate) use index::{FilesIndexer, node};
pub(crate) use layer::FilesLayer;
pub(crate) use tables::File as Shown;

/// The files in a folder itself.
pub(crate) fn in_folder(view: &View<'_>, folder: &RepoPath) -> Result<Vec<Shown>> {
    tables::files_in(view.index()?.conn(), folder)
}

/// Every file and folder.
pub(crate) fn paths(view: &View<'_>) -> Result<Vec<RepoPath>> {
    tables::all_paths(view.index()?.conn())
}
