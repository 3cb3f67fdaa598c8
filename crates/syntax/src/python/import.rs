//! Imports, and what they bind.

use super::Walk;
use crate::lines::offset;
use crate::model::{BindingKind, Expr, ImportKind, ImportedName};
use crate::tree::{Grown, Node, children, named, span};

impl Walk<'_> {
    /// `import a.b, c as d`.
    pub(super) fn import(&mut self, node: Node<'_>) {
        for part in named(node) {
            let (path, alias) = match part.kind() {
                "dotted_name" => (part, None),
                "aliased_import" => match part.field("name") {
                    Some(name) => (name, part.field("alias")),
                    None => continue,
                },
                _ => continue,
            };
            let specifier = self.dotted(path);
            let root = specifier.split('.').next().unwrap_or_default().to_owned();
            let import = self.b.import(ImportKind::Import, specifier, span(node));
            self.b.facts.imports[import as usize].is_type_only = self.types_only;
            match alias.map(|alias| self.text(alias)) {
                Some(alias) => {
                    self.taken(import, "*".into(), Some(alias.clone()), span(part));
                    self.bound(&alias, import, Some(0), Expr::Import(import));
                }
                None => self.bound(&root, import, None, Expr::Import(import)),
            }
        }
    }

    /// `from .a import b as c`.
    pub(super) fn import_from(&mut self, node: Node<'_>) {
        let module = node.field("module_name");
        let (level, specifier) = match module {
            Some(module) if module.kind() == "relative_import" => {
                let dots = module.child_of(&["import_prefix"]).map(|dots| self.text(dots));
                let level = dots.map_or(1, |dots| dots.matches('.').count());
                let path = module.child_of(&["dotted_name"]).map(|path| self.dotted(path));
                (u8::try_from(level).unwrap_or(u8::MAX), path.unwrap_or_default())
            }
            Some(module) => (0, self.dotted(module)),
            None => (0, "__future__".to_owned()),
        };
        let import = self.b.import(ImportKind::From, specifier, span(node));
        let kept = &mut self.b.facts.imports[import as usize];
        kept.level = level;
        kept.is_type_only = self.types_only;
        let skip = module.map(|module| span(module).start);
        for part in children(node) {
            match part.kind() {
                "wildcard_import" => self.taken(import, "*".into(), None, span(part)),
                "dotted_name" if Some(span(part).start) != skip => {
                    let name = self.text(part);
                    self.take(import, name, None, part);
                }
                "aliased_import" => {
                    let name = part.field("name").map(|name| self.text(name)).unwrap_or_default();
                    let alias = part.field("alias").map(|alias| self.text(alias));
                    self.take(import, name, alias, part);
                }
                _ => {}
            }
        }
    }

    fn take(&mut self, import: u32, name: String, alias: Option<String>, node: Node<'_>) {
        let local = alias.clone().unwrap_or_else(|| name.clone());
        let value = Expr::Import(import).member(name.clone());
        self.taken(import, name, alias, span(node));
        let at = offset(self.b.facts.imports[import as usize].names.len() - 1);
        self.bound(&local, import, Some(at), value);
    }

    fn taken(&mut self, import: u32, name: String, alias: Option<String>, span: base::Span) {
        let is_type = self.types_only;
        let alias = alias.filter(|alias| *alias != name);
        let names = &mut self.b.facts.imports[import as usize].names;
        names.push(ImportedName { name, alias, is_type, span });
    }

    /// Binds a name: the first import of it is what it is, a later one is one more value.
    fn bound(&mut self, name: &str, import: u32, at: Option<u32>, value: Expr) {
        let place = self.resolve(name);
        if let Expr::Local(local) = place
            && self.touched.insert(local)
        {
            self.b.facts.flow.bindings[local as usize].kind = BindingKind::Import(import, at);
            return;
        }
        let place = self.place(name);
        self.b.assign(place, value);
    }

    /// A dotted name without white space.
    pub(super) fn dotted(&self, node: Node<'_>) -> String {
        self.b.slice(span(node)).split_whitespace().collect()
    }
}
