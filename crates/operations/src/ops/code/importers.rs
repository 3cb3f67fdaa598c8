//! `code.importers`: the files that import a file or symbol, directly or through re-exports.

use std::collections::BTreeMap;

use base::{EntityRef, Problem, RepoPath, Result};
use clap::Args;
use code::ImporterRow;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use syntax::Language;

use super::mentions;
use super::unread::{self, UnreadFile};
use engine::areas::code::EmbeddedCode;
use engine::areas::files::file_node;
use engine::contract::alias::OpAlias;
use engine::contract::answer::Paging;
use engine::contract::args::{Limit, NodeTarget, Offset};
use engine::contract::op::{OpExample, Query};
use engine::contract::page::{Page, PageCell, Render};
use engine::graph;
use engine::index::tables;
use engine::view::View;

/// How many names a row of the page shows.
const MAX_NAMES: usize = 8;

/// Show who imports a file or one of its symbols, also through barrels and re-exports
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Importers {
    /// File, or symbol as path#name, that is imported
    pub path: NodeTarget,
    /// Rows to show
    #[arg(long, default_value_t)]
    #[serde(default)]
    pub limit: Limit,
    /// Rows to skip
    #[arg(long, default_value_t)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub offset: Offset,
}

/// Who imports a file
#[derive(Debug, Serialize, JsonSchema)]
pub struct ImportersAnswer {
    /// The file or symbol
    pub node: EntityRef,
    /// The files that import it
    pub importers: Vec<ImportingFile>,
    /// How many files were searched for imports
    pub files: u64,
    /// Files that mention it and could not be parsed completely
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<UnreadFile>,
    /// How many files of unparsed formats may import it, by extension
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub not_read: BTreeMap<&'static str, usize>,
    /// Those of them that contain its name
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mentioning: Vec<RepoPath>,
    /// HTML pages that name the file, as its script
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pages: Vec<RepoPath>,
    #[serde(skip)]
    paging: Paging,
}

/// One file that imports another
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ImportingFile {
    /// The file
    pub node: EntityRef,
    /// The imported names; `*` for the whole file
    pub names: Vec<String>,
    /// The line
    pub line: u32,
    /// Kind of import, unless plain: `re-export`, `dynamic`, `require`, `types`, `path`,
    /// `mod`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub how: Option<&'static str>,
    /// The re-exporting file, if it does not import it directly
    #[serde(skip_serializing_if = "Option::is_none")]
    pub through: Option<EntityRef>,
}

impl Query for Importers {
    const NAME: &'static str = "code.importers";
    const ALIASES: &'static [OpAlias] = &[OpAlias::of("kart_importers")];
    const EXAMPLES: &'static [OpExample] =
        &[OpExample { args: "src/lib.rs", shows: "every file that imports from it" }];
    type Answer = ImportersAnswer;

    fn run(self, view: &View) -> Result<ImportersAnswer> {
        let node = graph::resolve(view, &self.path)?;
        let (path, name) = match &node {
            EntityRef::Module(path) => (path, None),
            EntityRef::Symbol(path, name) => (path, name.as_str().split('.').next()),
            other => {
                return Err(Problem::invalid(format!(
                    "{other} is neither a file of code nor a symbol"
                ))
                .hint("name a source file, or a symbol as path#name"));
            }
        };
        let all = importers(view, path, name)?;
        let words = import_words(path, &all);
        let unread = unread_importers(view, path, &words, &all)?;
        let embedded = EmbeddedCode::find(view, Language::from_path(path), &words)?;
        embedded.report(view);
        let (importers, paging) = Paging::cut(all, self.offset, self.limit);
        let files = importable_file_count(view, path)?;
        let EmbeddedCode { counts: not_read, mentioning } = embedded;
        let pages = mentions::pages_with_script(view, path)?;
        Ok(ImportersAnswer { node, importers, files, unread, not_read, mentioning, pages, paging })
    }
}

/// The importing files, one row each, direct importers first.
pub(super) fn importers(
    view: &View,
    path: &RepoPath,
    name: Option<&str>,
) -> Result<Vec<ImportingFile>> {
    let takers = code::importers(view.index()?.conn(), path)?;
    let wanted =
        |taker: &ImporterRow| name.is_none_or(|name| taker.name == name || taker.name == "*");
    let mut found: BTreeMap<RepoPath, ImportingFile> = BTreeMap::new();
    for taker in takers.into_iter().filter(wanted) {
        let node = |path: &RepoPath| file_node(path);
        let row = found.entry(taker.path.clone()).or_insert_with(|| ImportingFile {
            node: node(&taker.path),
            names: Vec::new(),
            line: taker.line,
            how: import_style(&taker.kind, taker.type_only),
            through: taker.via.as_ref().map(node),
        });
        if taker.via.is_none() {
            row.through = None;
        }
        row.names.push(taker.name);
    }
    let mut all: Vec<ImportingFile> = found.into_values().collect();
    for row in &mut all {
        row.names.sort();
        row.names.dedup();
    }
    all.sort_by(|a, b| (a.through.is_some(), &a.node).cmp(&(b.through.is_some(), &b.node)));
    Ok(all)
}

/// The kind of an import that is not plain.
pub(super) fn import_style(kind: &str, type_only: bool) -> Option<&'static str> {
    match kind {
        "ReExport" | "PubUse" => Some("re-export"),
        "Dynamic" => Some("dynamic"),
        "Require" => Some("require"),
        "Path" => Some("path"),
        "Mod" => Some("mod"),
        "TypeImport" => Some("types"),
        _ if type_only => Some("types"),
        _ => None,
    }
}

/// How many files can import a file: those in a language of its family.
fn importable_file_count(view: &View, path: &RepoPath) -> Result<u64> {
    let family = unread::family(Language::from_path(path));
    let is_kin = |path: &&RepoPath| {
        Language::from_path(path).is_some_and(|language| family.contains(&language))
    };
    Ok(tables::all_files(view.index()?.conn())?.iter().filter(is_kin).count() as u64)
}

/// Words that an import of a file, or of a file that re-exports it, must contain.
fn import_words(path: &RepoPath, found: &[ImportingFile]) -> Vec<String> {
    let through = found.iter().filter_map(|row| row.through.as_ref()?.path().cloned());
    let mut words: Vec<String> = through.chain([path.clone()]).map(|path| stem(&path)).collect();
    words.sort();
    words.dedup();
    words
}

/// Files that could not be parsed completely and contain one of some words.
fn unread_importers(
    view: &View,
    path: &RepoPath,
    words: &[String],
    found: &[ImportingFile],
) -> Result<Vec<UnreadFile>> {
    let known = found.iter().filter_map(|row| row.node.path());
    let known: Vec<&RepoPath> = known.chain([path]).collect();
    unread::unread_with_words(view, &unread::family(Language::from_path(path)), words, &known)
}

/// The word that an import of a file must contain: its name, or its folder's for an index file.
fn stem(path: &RepoPath) -> String {
    let name = path.name();
    let stem = name.split('.').next().unwrap_or_default();
    match (stem, path.parent().filter(|folder| !folder.is_root())) {
        ("index" | "mod" | "lib" | "main" | "__init__", Some(folder)) => {
            match folder.name().as_str() {
                "src" => folder.parent().map(|above| above.name()).unwrap_or_default(),
                other => other.to_owned(),
            }
        }
        _ => stem.to_owned(),
    }
}

impl Render for ImportersAnswer {
    fn render(&self, page: &mut Page) {
        let (node, total) = (&self.node, self.paging.total);
        let unread = self.unread.len();
        let counts = EmbeddedCode { counts: self.not_read.clone(), mentioning: Vec::new() };
        let are = if self.not_read.values().sum::<usize>() == 1 { "is" } else { "are" };
        let not_parsed =
            || format!(", but {} {are} not parsed and may import it", counts.counts_text());
        let but = if counts.is_empty() { String::new() } else { not_parsed() };
        page.answer(match (total, unread) {
            (0, 0) if but.is_empty() && !self.pages.is_empty() => {
                format!("No file of code imports {node}, but pages name it")
            }
            (0, 0) if but.is_empty() => format!(
                "No importers of {node}. All {} files that can import it were parsed",
                self.files
            ),
            (0, _) => format!("No importers of {node} found{but}"),
            (1, _) => format!("1 file imports {node}{but}"),
            _ => format!("{total} files import {node}{but}"),
        });
        page.table(0, self.importers.iter().map(cells).collect());
        self.paging.render_rest(page, self.importers.len());
        if !self.mentioning.is_empty() {
            let shown = some_paths(&self.mentioning);
            page.say(format!("Unparsed files that contain the name: {shown}"));
        }
        if !self.pages.is_empty() {
            page.say(format!("Pages that name the file: {}", some_paths(&self.pages)));
        }
        if unread > 0 {
            let files = match unread {
                1 => "1 more file mentions".to_owned(),
                _ => format!("{unread} more files mention"),
            };
            page.say(format!("{files} it and could not be parsed:"));
            unread::render(page, &self.unread);
        }
    }

    fn paging(&self) -> Option<Paging> {
        Some(self.paging)
    }
}

/// A few paths, and how many more there are.
fn some_paths(paths: &[RepoPath]) -> String {
    let shown: Vec<String> = paths.iter().take(MAX_NAMES).map(ToString::to_string).collect();
    match paths.len().saturating_sub(MAX_NAMES) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

fn cells(importer: &ImportingFile) -> Vec<PageCell> {
    let through = importer.through.as_ref().map(|node| format!("through {node}"));
    let mut names: Vec<&str> = importer.names.iter().map(String::as_str).take(MAX_NAMES).collect();
    let more = importer.names.len() - names.len();
    let rest = format!("{more} more");
    if more > 0 {
        names.push(&rest);
    }
    vec![
        PageCell::faint(importer.line),
        PageCell::text(names.join(", ")),
        PageCell::faint(importer.how.unwrap_or_default()),
        PageCell::faint(through.unwrap_or_default()),
        PageCell::handle(&importer.node),
    ]
}
