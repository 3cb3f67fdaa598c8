//! `code.imports`: the imports of a file.

use base::words::counted;
use base::{EntityRef, Problem, Result};
use clap::Args;
use code::ImportRow;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use syntax::Language;

use super::importers::import_style;
use super::unread;
use engine::areas::files::file_node;
use engine::contract::alias::OpAlias;
use engine::contract::answer::Paging;
use engine::contract::args::{Limit, NodeTarget, Offset};
use engine::contract::op::{OpExample, Query};
use engine::contract::page::{Page, PageCell, Render};
use engine::graph;
use engine::view::View;

/// Show what a file imports, and which files those are
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Imports {
    /// File whose imports to list
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

/// What a file imports
#[derive(Debug, Serialize, JsonSchema)]
pub struct ImportsAnswer {
    /// The file
    pub node: EntityRef,
    /// Its imports, in source order
    pub imports: Vec<ListedImport>,
    /// How many of all imports lead to files in this repository
    pub own: usize,
    #[serde(skip)]
    paging: Paging,
}

/// One import
#[derive(Debug, Serialize, JsonSchema)]
pub struct ListedImport {
    /// The module, as written
    pub specifier: String,
    /// The imported names
    pub names: Vec<String>,
    /// Whether only types are imported
    pub type_only: bool,
    /// The line
    pub line: u32,
    /// Kind of import, unless plain: `re-export`, `dynamic`, `require`, `types`, `mod`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub how: Option<&'static str>,
    /// The imported file, if it is in this repository
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<EntityRef>,
}

impl Query for Imports {
    const NAME: &'static str = "code.imports";
    const ALIASES: &'static [OpAlias] = &[OpAlias::of("kart_imports")];
    const EXAMPLES: &'static [OpExample] =
        &[OpExample { args: "src/main.rs", shows: "what a file imports" }];
    type Answer = ImportsAnswer;

    fn named_targets(&self) -> Vec<&NodeTarget> {
        vec![&self.path]
    }

    fn run(self, view: &View) -> Result<ImportsAnswer> {
        let node = graph::resolve(view, &self.path)?;
        let path = module(&node)?;
        let imports = code::imports(view.index()?.conn(), path)?;
        let own = imports.iter().filter(|import| import.target.is_some()).count();
        unread::note_if_unread(view, path)?;
        let (imports, paging) = Paging::cut(imports, self.offset, self.limit);
        let imports = imports.into_iter().map(row).collect();
        Ok(ImportsAnswer { node, imports, own, paging })
    }
}

/// The path of a file of code.
pub(super) fn module(node: &EntityRef) -> Result<&base::RepoPath> {
    match node {
        EntityRef::Module(path) => Ok(path),
        other => {
            Err(Problem::invalid(format!("{other} is not a file of code"))
                .hint("name a source file"))
        }
    }
}

pub(super) fn row(import: ImportRow) -> ListedImport {
    ListedImport {
        target: import.target.map(|target| match Language::from_path(&import.path) {
            Some(language) if language.semantics().imports_folders => EntityRef::Dir(target),
            _ => file_node(&target),
        }),
        how: import_style(&import.kind, import.type_only),
        specifier: import.specifier,
        names: import.names.into_iter().map(|taken| taken.0).collect(),
        type_only: import.type_only,
        line: import.line,
    }
}

impl Render for ImportsAnswer {
    fn render(&self, page: &mut Page) {
        let (node, count, own) = (&self.node, counted(self.paging.total, "import"), self.own);
        page.answer(format!("{count} in {node}, {own} from this repository"));
        let cells = |import: &ListedImport| {
            let names = import.names.join(", ");
            let target = import.target.as_ref().map(ToString::to_string).unwrap_or_default();
            vec![
                PageCell::faint(import.line),
                PageCell::text(&import.specifier),
                PageCell::text(names),
                PageCell::handle(target),
            ]
        };
        page.table(0, self.imports.iter().map(cells).collect());
        self.paging.render_rest(page, self.imports.len());
    }

    fn paging(&self) -> Option<Paging> {
        Some(self.paging)
    }
}
