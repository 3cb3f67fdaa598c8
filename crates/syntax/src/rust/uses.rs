//! `use` trees, `mod` and `extern crate` declarations.

use base::Span;

use super::RustWalker;
use crate::model::{Export, ExportKind, Expr, ImportKind, ImportedName, Visibility};
use crate::treesitter::{Node, NodeExt, named_children, span};

impl RustWalker<'_> {
    /// One import for every leaf of a `use` tree.
    pub(super) fn use_declaration(&mut self, node: Node<'_>) {
        let Some(tree) = node.field("argument") else { return };
        let is_public = self.visibility(node) != Visibility::Private;
        self.use_tree(tree, "", is_public, span(node));
    }

    fn use_tree(&mut self, node: Node<'_>, before: &str, is_public: bool, whole: Span) {
        match node.kind() {
            "use_list" => {
                for part in named_children(node) {
                    self.use_tree(part, before, is_public, whole);
                }
            }
            "scoped_use_list" => {
                let path = node.field("path").map(|path| self.text(path)).unwrap_or_default();
                if let Some(list) = node.field("list") {
                    self.use_tree(list, &join(before, &path), is_public, whole);
                }
            }
            "use_as_clause" => {
                let path = node.field("path").map(|path| self.text(path)).unwrap_or_default();
                let alias = node.field("alias").map(|alias| self.text(alias));
                self.add_use_leaf(&join(before, &path), alias, is_public, whole, span(node));
            }
            "use_wildcard" => {
                let path =
                    named_children(node).first().map(|path| self.text(*path)).unwrap_or_default();
                self.add_use_import(&join(before, &path), "*", None, is_public, whole, span(node));
            }
            "line_comment" | "block_comment" => {}
            _ => {
                let path = self.text(node);
                self.add_use_leaf(&join(before, &path), None, is_public, whole, span(node));
            }
        }
    }

    fn add_use_leaf(
        &mut self,
        path: &str,
        alias: Option<String>,
        is_public: bool,
        whole: Span,
        at: Span,
    ) {
        let path: String = path.split_whitespace().collect();
        let path = path.strip_suffix("::self").unwrap_or(&path);
        let (module, name) = path.rsplit_once("::").unwrap_or(("", path));
        let alias = alias.filter(|alias| alias != name);
        self.add_use_import(module, name, alias, is_public, whole, at);
    }

    fn add_use_import(
        &mut self,
        module: &str,
        name: &str,
        alias: Option<String>,
        is_public: bool,
        whole: Span,
        at: Span,
    ) {
        let kind = if is_public { ImportKind::PubUse } else { ImportKind::Use };
        let import = self.builder.add_import(kind, module, whole);
        let imported =
            ImportedName { name: name.into(), alias: alias.clone(), is_type: false, span: at };
        self.builder.facts.imports[import as usize].names.push(imported);
        if is_public && alias.as_deref() != Some("_") {
            self.builder.facts.exports.push(Export {
                name: alias.unwrap_or_else(|| name.into()),
                local: Some(name.into()),
                symbol: None,
                value: Expr::Unknown,
                from: Some(import),
                is_type: false,
                kind: ExportKind::PubUse,
                span: at,
                line: self.builder.lines.line(at.start),
            });
        }
    }

    /// `mod name;`, which may say where its file is.
    pub(super) fn mod_file(&mut self, node: Node<'_>, name: &str, path: Option<String>) {
        let is_path = path.is_some();
        let specifier = path.unwrap_or_else(|| name.to_owned());
        let import = self.builder.add_import(ImportKind::Mod, specifier, span(node));
        let kept = &mut self.builder.facts.imports[import as usize];
        kept.is_path = is_path;
        let (name, at) = (name.to_owned(), span(node));
        kept.names.push(ImportedName { name, alias: None, is_type: false, span: at });
    }

    pub(super) fn extern_crate(&mut self, node: Node<'_>) {
        let Some(name) = node.field("name").map(|name| self.text(name)) else { return };
        let alias = node.field("alias").map(|alias| self.text(alias));
        let import = self.builder.add_import(ImportKind::ExternCrate, name, span(node));
        let at = span(node);
        let imported = ImportedName { name: "*".into(), alias, is_type: false, span: at };
        self.builder.facts.imports[import as usize].names.push(imported);
    }
}

fn join(before: &str, path: &str) -> String {
    match (before, path) {
        ("", path) => path.to_owned(),
        (before, "") => before.to_owned(),
        (before, path) => format!("{before}::{path}"),
    }
}
