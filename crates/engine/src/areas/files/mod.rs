//! Files and folders as an area of the graph: which folder contains what, and which document links
//! to what.

mod graph_area;
mod index;
mod tables;

use base::{EntityRef, RepoPath, Result};

use crate::view::View;

pub(crate) use graph_area::{CONTAINS, FilesGraphArea};
pub(crate) use index::FilesIndexer;
pub use index::{file_node, link_path, link_target};
pub use tables::FileSummary;

/// The summary of a file, if the file exists.
pub fn file_summary(view: &View<'_>, path: &RepoPath) -> Result<Option<FileSummary>> {
    tables::file(view.index()?.conn(), path)
}

/// The files in a folder itself.
pub fn in_folder(view: &View<'_>, folder: &RepoPath) -> Result<Vec<FileSummary>> {
    tables::files_in(view.index()?.conn(), folder)
}

/// The files that a typed path means: the file at that path, otherwise all whose path ends with it.
pub fn files_matching(view: &View<'_>, typed: &str) -> Result<Vec<RepoPath>> {
    let conn = view.index()?.conn();
    let paths = view.paths().candidates(typed);
    for path in &paths {
        if tables::file(conn, path)?.is_some() {
            return Ok(vec![path.clone()]);
        }
    }
    let Some(end) = paths.last().filter(|path| !path.is_root()) else { return Ok(Vec::new()) };
    let ending = tables::files_with_suffix(conn, end)?;
    ending
        .into_iter()
        .filter_map(|path| {
            let is_file = tables::file(conn, &path).map(|file| file.is_some());
            is_file.map(|yes| yes.then_some(path)).transpose()
        })
        .collect()
}

/// All files below a folder.
pub fn files_below(view: &View<'_>, folder: &RepoPath) -> Result<Vec<FileSummary>> {
    tables::files_below(view.index()?.conn(), folder)
}

/// The folders and files in a folder, or all below it, each with its kind.
pub fn list_folder(
    view: &View<'_>,
    folder: &RepoPath,
    deep: bool,
) -> Result<Vec<(EntityRef, String)>> {
    let conn = view.index()?.conn();
    let (folders, files) = match deep {
        true => (tables::folders_below(conn, folder)?, tables::files_below(conn, folder)?),
        false => (tables::folders_in(conn, folder)?, tables::files_in(conn, folder)?),
    };
    let folders =
        folders.iter().map(|f| (EntityRef::Dir(f.path.clone()), graph_area::about_folder(f)));
    let files = files.iter().map(|file| (file_node(&file.path), graph_area::about_file(file)));
    let mut all: Vec<(EntityRef, String)> = folders.chain(files).collect();
    all.sort_by(|(a, _), (b, _)| a.path().cmp(&b.path()));
    Ok(all)
}

/// Every file and folder.
pub fn all_paths(view: &View<'_>) -> Result<Vec<RepoPath>> {
    tables::all_paths(view.index()?.conn())
}

/// Links in documents that lead to no file or folder: source, target and line.
pub fn dead_links(view: &View<'_>) -> Result<Vec<(RepoPath, RepoPath, u32)>> {
    tables::dead_links(view.index()?.conn())
}

/// Links in documents to a path: source and line.
pub fn links_to(view: &View<'_>, path: &RepoPath) -> Result<Vec<(RepoPath, u32)>> {
    tables::links_to(view.index()?.conn(), path)
}

/// Whether a path is a file or a folder.
pub fn is_there(view: &View<'_>, path: &RepoPath) -> Result<bool> {
    let conn = view.index()?.conn();
    Ok(crate::index::tables::has_file(conn, path)? || tables::is_folder(conn, path)?)
}
