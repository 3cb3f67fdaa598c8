//! Imports, and what they bind.

use super::PythonWalker;
use crate::line_index::offset;
use crate::model::{BindingKind, Expr, ImportKind, ImportedName};
use crate::treesitter::{Node, NodeExt, children, named_children, span};

impl PythonWalker<'_> {
    /// `import a.b, c as d`.
    pub(super) fn import(&mut self, node: Node<'_>) {
        for part in named_children(node) {
            let (path, alias) = match part.kind() {
                "dotted_name" => (part, None),
                "aliased_import" => match part.field("name") {
                    Some(name) => (name, part.field("alias")),
                    None => continue,
                },
                _ => continue,
            };
            let specifier = self.dotted_name(path);
            let root = specifier.split('.').next().unwrap_or_default().to_owned();
            let import = self.builder.add_import(ImportKind::Import, specifier, span(node));
            self.builder.facts.imports[import as usize].is_type_only = self.types_only;
            match alias.map(|alias| self.text(alias)) {
                Some(alias) => {
                    self.record_imported_name(import, "*".into(), Some(alias.clone()), span(part));
                    self.bind_import(&alias, import, Some(0), Expr::Import(import));
                }
                None => self.bind_import(&root, import, None, Expr::Import(import)),
            }
        }
    }

    /// `from .a import b as c`.
    pub(super) fn import_from(&mut self, node: Node<'_>) {
        let module = node.field("module_name");
        let (level, specifier) = match module {
            Some(module) if module.kind() == "relative_import" => {
                let dots = module.child_of_kind(&["import_prefix"]).map(|dots| self.text(dots));
                let level = dots.map_or(1, |dots| dots.matches('.').count());
                let path =
                    module.child_of_kind(&["dotted_name"]).map(|path| self.dotted_name(path));
                (u8::try_from(level).unwrap_or(u8::MAX), path.unwrap_or_default())
            }
            Some(module) => (0, self.dotted_name(module)),
            None => (0, "__future__".to_owned()),
        };
        let import = self.builder.add_import(ImportKind::From, specifier, span(node));
        let kept = &mut self.builder.facts.imports[import as usize];
        kept.level = level;
        kept.is_type_only = self.types_only;
        let skip = module.map(|module| span(module).start);
        for part in children(node) {
            match part.kind() {
                "wildcard_import" => {
                    self.record_imported_name(import, "*".into(), None, span(part));
                }
                "dotted_name" if Some(span(part).start) != skip => {
                    let name = self.text(part);
                    self.import_name(import, name, None, part);
                }
                "aliased_import" => {
                    let name = part.field("name").map(|name| self.text(name)).unwrap_or_default();
                    let alias = part.field("alias").map(|alias| self.text(alias));
                    self.import_name(import, name, alias, part);
                }
                _ => {}
            }
        }
    }

    fn import_name(&mut self, import: u32, name: String, alias: Option<String>, node: Node<'_>) {
        let local = alias.clone().unwrap_or_else(|| name.clone());
        let value = Expr::Import(import).member(name.clone());
        self.record_imported_name(import, name, alias, span(node));
        let at = offset(self.builder.facts.imports[import as usize].names.len() - 1);
        self.bind_import(&local, import, Some(at), value);
    }

    fn record_imported_name(
        &mut self,
        import: u32,
        name: String,
        alias: Option<String>,
        span: base::Span,
    ) {
        let is_type = self.types_only;
        let alias = alias.filter(|alias| *alias != name);
        let names = &mut self.builder.facts.imports[import as usize].names;
        names.push(ImportedName { name, alias, is_type, span });
    }

    /// Binds a name: the first import of it is what it is, a later one is one more value.
    fn bind_import(&mut self, name: &str, import: u32, at: Option<u32>, value: Expr) {
        let place = self.resolve(name);
        if let Expr::Local(local) = place
            && self.touched.insert(local)
        {
            self.builder.facts.flow.bindings[local as usize].kind = BindingKind::Import(import, at);
            return;
        }
        let place = self.assign_target(name);
        self.builder.add_assignment(place, value);
    }

    /// A dotted name without white space.
    pub(super) fn dotted_name(&self, node: Node<'_>) -> String {
        self.builder.slice(span(node)).split_whitespace().collect()
    }
}
