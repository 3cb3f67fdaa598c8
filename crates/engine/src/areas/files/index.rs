//! Indexes files and folders.

use base::{EntityRef, RepoPath, Result};
use store::Connection;
use syntax::{FileFacts, Language};

use super::tables;
use crate::file_text;
use crate::index::{IndexedFile, Indexer, PreparedFile, RefreshSummary};
use crate::search::{self, SearchText};

/// Writes the rows of folders, links and headings, and the search text of files.
pub(crate) struct FilesIndexer;

impl Indexer for FilesIndexer {
    fn schema(&self) -> &'static str {
        tables::SCHEMA
    }

    fn dump(&self) -> &'static [&'static str] {
        tables::DUMP
    }

    fn prepare(&self, path: &RepoPath, _: &FileFacts, text: &[u8]) -> Option<PreparedFile> {
        Language::from_path(path)?;
        Some(Box::new(file_text::indexed_words(&String::from_utf8_lossy(text))))
    }

    fn remove_file(&self, conn: &Connection, path: &RepoPath, gone: bool) -> Result<()> {
        tables::forget(conn, path)?;
        file_text::tables::remove(conn, &file_node(path).to_string())?;
        if gone {
            search::remove_indexed(conn, &file_node(path).to_string())?;
            count_in_folders(conn, path, -1)?;
        }
        Ok(())
    }

    fn index_file(&self, conn: &Connection, file: &IndexedFile<'_>) -> Result<()> {
        if file.is_new {
            count_in_folders(conn, file.path, 1)?;
        }
        for heading in &file.facts.headings {
            tables::put_heading(conn, file.path, heading)?;
        }
        for link in &file.facts.links {
            if let Some(target) = link_target(file.path, &link.target) {
                tables::put_link(conn, file.path, &target, link.line)?;
            }
        }
        let text = text(file);
        search::put_indexed(conn, &text)?;
        let words = file.prepared.and_then(|prepared| prepared.downcast_ref::<String>());
        words.map_or(Ok(()), |words| file_text::tables::put(conn, &text.node, words))
    }

    fn finish(&self, _: &Connection, _: &RefreshSummary<'_>) -> Result<()> {
        Ok(())
    }
}

/// The node of a file: a module if it is a program, otherwise a file.
pub fn file_node(path: &RepoPath) -> EntityRef {
    match Language::from_path(path) {
        Some(language) if language.is_code() => EntityRef::Module(path.clone()),
        _ => EntityRef::File(path.clone()),
    }
}

/// Adds `by` to the number of files in all folders above a file. A folder with files gets search
/// text.
fn count_in_folders(conn: &Connection, path: &RepoPath, by: i64) -> Result<()> {
    let above = std::iter::successors(path.parent(), RepoPath::parent);
    for (height, folder) in above.enumerate() {
        let own = if height == 0 { by } else { 0 };
        tables::count_up(conn, &folder, own, by)?;
        let handle = EntityRef::Dir(folder.clone()).to_string();
        match tables::folder(conn, &folder)? {
            None => search::remove_indexed(conn, &handle)?,
            Some(known) if by > 0 && known.below == 1 && !folder.is_root() => {
                let (name, body) = (folder.to_string(), String::new());
                let path = Some(folder);
                search::put_indexed(
                    conn,
                    &SearchText { node: handle, kind: "dir", path, name, body },
                )?;
            }
            Some(_) => {}
        }
    }
    Ok(())
}

fn text(file: &IndexedFile<'_>) -> SearchText {
    let headings = file.facts.headings.iter().map(|heading| heading.text.as_str());
    let said: Vec<&str> = file.facts.title.as_deref().into_iter().chain(headings).collect();
    let node = file_node(file.path);
    SearchText {
        kind: node.kind(),
        node: node.to_string(),
        path: Some(file.path.clone()),
        name: file.path.to_string(),
        body: said.join("\n"),
    }
}

/// The file of the repository that a link in a document points to, if there is one and it is not
/// the document itself.
pub fn link_target(from: &RepoPath, link: &str) -> Option<RepoPath> {
    link_path(from, link).filter(|target| target != from)
}

/// The path that a link in a document points to; that of the document itself if the link names its
/// file. `None` for a link that leads out of the repository.
pub fn link_path(from: &RepoPath, link: &str) -> Option<RepoPath> {
    let plain = link.split(['#', '?']).next().unwrap_or_default();
    let is_url = plain.split_once(':').is_some_and(|(scheme, _)| !scheme.contains('/'));
    if plain.is_empty() || is_url || plain.starts_with("//") {
        return None;
    }
    let folder = from.parent().unwrap_or(RepoPath::ROOT);
    let joined = match plain.strip_prefix('/') {
        Some(absolute) => absolute.to_owned(),
        None if folder.is_root() => plain.to_owned(),
        None => format!("{folder}/{plain}"),
    };
    RepoPath::normalised(&joined)?.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_to_files_of_the_repository() {
        let from: RepoPath = "docs/guide/a.md".parse().unwrap();
        let to = |link: &str| link_target(&from, link).map(|path| path.to_string());
        assert_eq!(to("../b.md#why"), Some("docs/b.md".into()));
        assert_eq!(to("c%20d.md"), Some("docs/guide/c d.md".into()));
        assert_eq!(to("/README.md"), Some("README.md".into()));
        for link in ["https://example.org/a.md", "mailto:a@b.c", "#here", "../../../x", "a.md"] {
            assert_eq!(to(link), None, "{link}");
        }
    }
}
