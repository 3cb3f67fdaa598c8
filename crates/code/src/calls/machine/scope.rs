//! What names mean that are not bound in the file's flow: by modules, classes and imports.

use std::rc::Rc;

use syntax::{ImportKind, Owner, SymbolKind};

use super::super::value::{Atom, Base, Op, Term, Value, join};
use super::eval::global;
use super::{Family, Machine, is_scope};

impl Machine<'_> {
    /// What a free name means.
    pub(super) fn name(&mut self, name: &str, owner: Owner) -> Value {
        if self.family != Family::Go
            && let Some(cell) = self.named.get(name)
        {
            let held = cell.read(&self.active);
            if !held.is_empty() {
                return held;
            }
        }
        match self.family {
            Family::Python | Family::JavaScript => self.starred(name),
            Family::Rust => self.path(&[name.to_owned()], owner),
            Family::Classes => self.member_or_top(name, owner),
            Family::Go => self.of_package(name, owner),
        }
    }

    /// What the name of a type means.
    pub(super) fn type_name(&mut self, name: &str, owner: Owner) -> Value {
        match self.family {
            // Types are rarely inherited: what is declared or imported counts, and it comes last.
            Family::Classes => self.member_or_top(name, owner).pop().into_iter().collect(),
            Family::Rust => self.path(&[name.to_owned()], owner),
            Family::Go => self.type_of_package(name, owner),
            _ => match self.tops.get(&(None, name)).cloned() {
                Some(found) => self.best(&found).into_iter().map(Atom::Class).collect(),
                None => self.starred(name),
            },
        }
    }

    /// A name that may come with a star import, or with the language.
    fn starred(&self, name: &str) -> Value {
        let imports = self.facts.imports.iter().enumerate();
        let stars = imports.filter(|(_, import)| {
            import.kind == ImportKind::From && import.names.iter().any(|one| one.name == "*")
        });
        let from = |(at, _): (usize, _)| {
            Atom::ext(Base::Import(self.import_key(at), Some(name.to_owned())))
        };
        let mut all: Value = stars.map(from).collect();
        if all.is_empty() {
            all.push(global(name));
        }
        all
    }

    /// A member of a class around, else something at the top, else something imported or
    /// declared in another file of the package.
    fn member_or_top(&mut self, name: &str, owner: Owner) -> Value {
        // PHP's words for the class around, and Swift's.
        if matches!(name, "self" | "static" | "Self")
            && let Some(class) = owner.and_then(|owner| self.class_of_method(owner))
        {
            return vec![Atom::Class(class)];
        }
        let mut at = owner;
        let mut inherited = Value::new();
        while let Some(symbol) = at {
            if self.kind(symbol).is_type() {
                let Some(class) = self.home(symbol) else { break };
                let found = self.get(&Atom::Inst(class), name, owner);
                if !self.member_symbols(class, name).is_empty() {
                    return found;
                }
                // Only its parents' files can tell whether they have it.
                join(&mut inherited, found);
                if self.facts.symbols[symbol as usize].name == name {
                    return vec![Atom::Class(symbol)];
                }
            } else if let Some(found) = self.members.get(&symbol).and_then(|all| all.get(name)) {
                let found = self.best(&found.clone());
                return found.into_iter().flat_map(|one| self.symbol(one, 0)).collect();
            }
            at = self.facts.symbols[symbol as usize].parent;
        }
        if let Some(found) = self.tops.get(&(None, name)).cloned() {
            let found = self.best(&found);
            return found.into_iter().flat_map(|one| self.symbol(one, 0)).collect();
        }
        if let Some(atom) = self.imported_name(name) {
            return vec![atom];
        }
        join(&mut inherited, [global(name)]);
        inherited
    }

    fn imported_name(&self, name: &str) -> Option<Atom> {
        self.facts.imports.iter().enumerate().find_map(|(at, import)| {
            let key = || self.import_key(at);
            for one in &import.names {
                let here = one.alias.as_ref().unwrap_or(&one.name);
                if here == name && one.name != "*" {
                    return Some(Atom::ext(Base::Import(key(), Some(one.name.clone()))));
                }
                if one.name == "*" && one.alias.as_deref() == Some(name) {
                    return Some(Atom::ext(Base::Import(key(), None)));
                }
            }
            let last = import.specifier.rsplit(['/', '.', '\\', ':']).next();
            let is_whole = import.names.is_empty() && last == Some(name);
            is_whole.then(|| Atom::ext(Base::Import(key(), None)))
        })
    }

    /// What a path means. Paths through this file's own modules are followed here.
    pub(super) fn path(&mut self, parts: &[String], owner: Owner) -> Value {
        let Some((first, rest)) = parts.split_first() else { return Vec::new() };
        let mut value = match (self.family, first.as_str()) {
            (Family::Rust, "Self") => {
                let class = owner.and_then(|owner| self.class_of_method(owner));
                match class {
                    Some(class) => vec![Atom::Class(class)],
                    None => return self.foreign_self(rest, owner),
                }
            }
            (Family::Rust, _) => {
                let Some(found) = self.in_scope(first, owner) else {
                    let module = self.module_path(owner);
                    return vec![Atom::ext(Base::Scope(module, parts.to_vec()))];
                };
                found
            }
            _ => self.member_or_top(first, owner),
        };
        // Other files may have a part of the namespace too.
        let is_open = |atom: &Atom| matches!(atom, Atom::Class(one) if is_scope(self.kind(*one)));
        let is_open = self.family == Family::Classes && value.iter().all(is_open);
        for part in rest {
            value = self.get_all(&value, part, owner);
        }
        if value.is_empty() && is_open {
            let start = Term { base: Base::Global(first.clone()), ops: Vec::new() };
            let step = |term: Term, part: &String| term.then(Op::Get(part.clone()));
            let there = rest.iter().try_fold(start, step);
            value.extend(there.map(|term| Atom::Ext(Rc::new(term))));
        }
        value
    }

    fn foreign_self(&mut self, rest: &[String], owner: Owner) -> Value {
        let mut at = owner;
        while let Some(symbol) = at {
            let found = &self.facts.symbols[symbol as usize];
            if found.kind == SymbolKind::Impl {
                let ty = found.ty.clone();
                let parent = found.parent;
                // What this `impl` itself has comes first.
                if let [name] = rest
                    && let Some(own) =
                        self.members.get(&symbol).and_then(|all| all.get(name.as_str()))
                {
                    return own.clone().into_iter().flat_map(|one| self.symbol(one, 0)).collect();
                }
                let mut value = ty.map(|ty| self.class_of(&ty, parent)).unwrap_or_default();
                for part in rest {
                    value = self.get_all(&value, part, owner);
                }
                return value;
            }
            at = found.parent;
        }
        Vec::new()
    }

    /// What a name means in the functions and the module around.
    fn in_scope(&mut self, name: &str, owner: Owner) -> Option<Value> {
        let mut at = owner;
        loop {
            let is_module = at.is_none_or(|symbol| is_scope(self.kind(symbol)));
            let found = match at {
                _ if is_module => self.tops.get(&(at, name)).cloned(),
                Some(symbol) if self.kind(symbol).is_callable() => {
                    self.members.get(&symbol).and_then(|all| all.get(name)).cloned()
                }
                _ => None,
            };
            if let Some(found) = found {
                // An `impl` has its type's name and declares none.
                let declares =
                    |one: &u32| !self.is_file_module(*one) && self.kind(*one) != SymbolKind::Impl;
                let found: Vec<u32> = found.into_iter().filter(declares).collect();
                let value: Value = found.iter().flat_map(|one| self.symbol(*one, 0)).collect();
                return (!found.is_empty()).then_some(value);
            }
            if is_module {
                return None;
            }
            at = at.and_then(|symbol| self.facts.symbols[symbol as usize].parent);
        }
    }

    /// Whether a module's content is in a file of its own.
    pub(super) fn is_file_module(&self, symbol: u32) -> bool {
        let found = &self.facts.symbols[symbol as usize];
        found.kind == SymbolKind::Module && found.body.is_none()
    }

    /// The path of the module that something is in.
    pub(super) fn module_path(&self, owner: Owner) -> String {
        let mut at = owner;
        while let Some(symbol) = at {
            if is_scope(self.kind(symbol)) {
                return self.facts.symbols[symbol as usize].path.clone();
            }
            at = self.facts.symbols[symbol as usize].parent;
        }
        String::new()
    }

    /// A name of an import as a value.
    pub(super) fn imported(&self, import: u32, name: Option<u32>) -> Value {
        let names = &self.facts.imports[import as usize].names;
        let name = name.and_then(|name| names.get(name as usize));
        vec![self.import(import, name.map(|name| name.name.clone()).filter(|name| name != "*"))]
    }

    /// An import as a value: one of its names, or all of it.
    pub(super) fn import(&self, import: u32, name: Option<String>) -> Atom {
        Atom::ext(Base::Import(self.import_key(import as usize), name))
    }

    /// What an import is known by, whatever else is imported.
    pub(super) fn import_key(&self, import: usize) -> String {
        let import = &self.facts.imports[import];
        let only = match import.names.as_slice() {
            [one] if import.kind == ImportKind::From && one.name != "*" => one.name.as_str(),
            _ => "",
        };
        // `mod a` is a file; `use a::b` may lead through it to another.
        let form = match import.kind {
            ImportKind::Mod => "mod ",
            _ if import.names.is_empty() => "!",
            _ => "",
        };
        format!("{form}{}{}#{only}", ".".repeat(usize::from(import.level)), import.specifier)
    }
}
