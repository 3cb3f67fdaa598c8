//! `code.list`: the files and folders of a folder.

use base::words::counted;
use base::{EntityRef, Problem, RepoPath, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use engine::areas::files;
use engine::contract::alias::OpAlias;
use engine::contract::answer::Paging;
use engine::contract::args::{Limit, NodeTarget, Offset};
use engine::contract::op::{OpExample, Query};
use engine::contract::page::{Page, PageCell, Render};
use engine::graph;
use engine::path_globs::PathGlobs;
use engine::view::View;

/// List files and folders, without what git ignores
///
/// Names a folder and optionally a glob; `**/*.rs` finds files by name anywhere below it.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct List {
    /// Folder to list; the root if left out
    #[serde(default)]
    pub path: Option<NodeTarget>,
    /// Also list the content of its folders
    #[arg(long)]
    #[serde(default)]
    pub recursive: bool,
    /// Only files below the folder that match this glob
    #[arg(long)]
    #[serde(default)]
    pub glob: Option<String>,
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

/// The content of a folder
#[derive(Debug, Serialize, JsonSchema)]
pub struct CodeListAnswer {
    /// The folder
    pub path: RepoPath,
    /// Its folders and files
    pub entries: Vec<CodeListEntry>,
    #[serde(skip)]
    paging: Paging,
}

/// A file or folder
#[derive(Debug, Serialize, JsonSchema)]
pub struct CodeListEntry {
    /// Its handle
    pub node: EntityRef,
    /// Short description
    pub about: String,
}

impl Query for List {
    const NAME: &'static str = "code.list";
    const ALIASES: &'static [OpAlias] = &[OpAlias::of("kart_list")];
    const EXAMPLES: &'static [OpExample] = &[
        OpExample { args: "docs", shows: "one folder" },
        OpExample { args: "--glob **/*.sql", shows: "files by name, anywhere" },
    ];
    type Answer = CodeListAnswer;

    fn run(self, view: &View) -> Result<CodeListAnswer> {
        let folder = folder(view, self.path.as_ref())?;
        let globs = self.glob.as_deref().map(|glob| PathGlobs::new([glob])).transpose()?;
        let deep = self.recursive || globs.is_some();
        let mut entries: Vec<CodeListEntry> = Vec::new();
        for (node, about) in files::list_folder(view, &folder, deep)? {
            let is_dir = matches!(node, EntityRef::Dir(_));
            let path = node.path().cloned().unwrap_or(RepoPath::ROOT);
            let wanted =
                globs.as_ref().is_none_or(|globs| !is_dir && globs.match_below(&path, &folder));
            if wanted {
                entries.push(CodeListEntry { node, about });
            }
        }
        let (entries, paging) = Paging::cut(entries, self.offset, self.limit);
        Ok(CodeListAnswer { path: folder, entries, paging })
    }
}

/// The folder that was named.
pub(super) fn folder(view: &View, path: Option<&NodeTarget>) -> Result<RepoPath> {
    let Some(path) = path else { return Ok(RepoPath::ROOT) };
    match graph::resolve(view, path)? {
        EntityRef::Dir(folder) => Ok(folder),
        other => Err(Problem::invalid(format!("{other} is not a folder"))
            .hint("name a folder, or read the file itself")),
    }
}

impl Render for CodeListAnswer {
    fn render(&self, page: &mut Page) {
        let total = self.paging.total;
        match total {
            0 => page.answer(format!("No matching entries in {}", self.path)),
            _ => page.answer(format!("{} in {}", counted(total, "entry"), self.path)),
        }
        let cells = |entry: &CodeListEntry| {
            vec![PageCell::handle(&entry.node), PageCell::faint(&entry.about)]
        };
        page.table(0, self.entries.iter().map(cells).collect());
        self.paging.render_rest(page, self.entries.len());
    }

    fn paging(&self) -> Option<Paging> {
        Some(self.paging)
    }
}
