//! What names mean that are not bound in the file's flow: by modules, classes and imports.

use std::rc::Rc;

use syntax::{ImportKind, SymbolKind, SymbolOwner};

use super::super::value::{
    AbstractValue, ExternalBase, ExternalRef, ExternalStep, PossibleValue, join,
};
use super::eval::global_value;
use super::{Interpreter, LanguageFamily, is_module_like};

impl Interpreter<'_> {
    /// What a free name means.
    pub(super) fn resolve_name(&mut self, name: &str, owner: SymbolOwner) -> AbstractValue {
        if self.family != LanguageFamily::Go
            && let Some(cell) = self.free_names.get(name)
        {
            let held = cell.read(&self.active_blocks);
            if !held.is_empty() {
                return held;
            }
        }
        match self.family {
            LanguageFamily::Python | LanguageFamily::JavaScript => self.star_import_or_global(name),
            LanguageFamily::Rust => self.resolve_path(&[name.to_owned()], owner),
            LanguageFamily::Classes => self.member_or_top(name, owner),
            LanguageFamily::Go => self.resolve_package_name(name, owner),
        }
    }

    /// What the name of a type means.
    pub(super) fn resolve_type_name(&mut self, name: &str, owner: SymbolOwner) -> AbstractValue {
        match self.family {
            // Types are rarely inherited: what is declared or imported counts, and it comes last.
            LanguageFamily::Classes => self.member_or_top(name, owner).pop().into_iter().collect(),
            LanguageFamily::Rust => self.resolve_path(&[name.to_owned()], owner),
            LanguageFamily::Go => self.resolve_package_type(name, owner),
            _ => match self.top_level.get(&(None, name)).cloned() {
                Some(found) => self
                    .prefer_implementations(&found)
                    .into_iter()
                    .map(PossibleValue::Class)
                    .collect(),
                None => self.star_import_or_global(name),
            },
        }
    }

    /// A name that may come with a star import, or with the language.
    fn star_import_or_global(&self, name: &str) -> AbstractValue {
        let imports = self.facts.imports.iter().enumerate();
        let stars = imports.filter(|(_, import)| {
            import.kind == ImportKind::From && import.names.iter().any(|one| one.name == "*")
        });
        let from = |(at, _): (usize, _)| {
            PossibleValue::external(ExternalBase::Import(
                self.import_key(at),
                Some(name.to_owned()),
            ))
        };
        let mut all: AbstractValue = stars.map(from).collect();
        if all.is_empty() {
            all.push(global_value(name));
        }
        all
    }

    /// A member of a class around, else something at the top, else something imported or
    /// declared in another file of the package.
    fn member_or_top(&mut self, name: &str, owner: SymbolOwner) -> AbstractValue {
        // PHP's words for the class around, and Swift's.
        if matches!(name, "self" | "static" | "Self")
            && let Some(class) = owner.and_then(|owner| self.enclosing_class(owner))
        {
            return vec![PossibleValue::Class(class)];
        }
        let mut at = owner;
        let mut inherited = AbstractValue::new();
        while let Some(symbol) = at {
            if self.kind(symbol).is_type() {
                let Some(class) = self.self_type(symbol) else { break };
                let found = self.get(&PossibleValue::Instance(class), name, owner);
                if !self.member_symbols(class, name).is_empty() {
                    return found;
                }
                // Only its parents' files can tell whether they have it.
                join(&mut inherited, found);
                if self.facts.symbols[symbol as usize].name == name {
                    return vec![PossibleValue::Class(symbol)];
                }
            } else if let Some(found) = self.members.get(&symbol).and_then(|all| all.get(name)) {
                let found = self.prefer_implementations(&found.clone());
                return found.into_iter().flat_map(|one| self.symbol_value(one, 0)).collect();
            }
            at = self.facts.symbols[symbol as usize].parent;
        }
        if let Some(found) = self.top_level.get(&(None, name)).cloned() {
            let found = self.prefer_implementations(&found);
            return found.into_iter().flat_map(|one| self.symbol_value(one, 0)).collect();
        }
        if let Some(atom) = self.imported_name(name) {
            return vec![atom];
        }
        join(&mut inherited, [global_value(name)]);
        inherited
    }

    fn imported_name(&self, name: &str) -> Option<PossibleValue> {
        self.facts.imports.iter().enumerate().find_map(|(at, import)| {
            let key = || self.import_key(at);
            for one in &import.names {
                let here = one.alias.as_ref().unwrap_or(&one.name);
                if here == name && one.name != "*" {
                    return Some(PossibleValue::external(ExternalBase::Import(
                        key(),
                        Some(one.name.clone()),
                    )));
                }
                if one.name == "*" && one.alias.as_deref() == Some(name) {
                    return Some(PossibleValue::external(ExternalBase::Import(key(), None)));
                }
            }
            let last = import.specifier.rsplit(['/', '.', '\\', ':']).next();
            let is_whole = import.names.is_empty() && last == Some(name);
            is_whole.then(|| PossibleValue::external(ExternalBase::Import(key(), None)))
        })
    }

    /// What a path means. Paths through this file's own modules are followed here.
    pub(super) fn resolve_path(&mut self, parts: &[String], owner: SymbolOwner) -> AbstractValue {
        let Some((first, rest)) = parts.split_first() else { return Vec::new() };
        let mut value = match (self.family, first.as_str()) {
            (LanguageFamily::Rust, "Self") => {
                let class = owner.and_then(|owner| self.enclosing_class(owner));
                match class {
                    Some(class) => vec![PossibleValue::Class(class)],
                    None => return self.external_self_path(rest, owner),
                }
            }
            (LanguageFamily::Rust, _) => {
                let Some(found) = self.lookup_lexical(first, owner) else {
                    let module = self.module_path(owner);
                    return vec![PossibleValue::external(ExternalBase::Scope(
                        module,
                        parts.to_vec(),
                    ))];
                };
                found
            }
            _ => self.member_or_top(first, owner),
        };
        // Other files may have a part of the namespace too.
        let is_open = |atom: &PossibleValue| matches!(atom, PossibleValue::Class(one) if is_module_like(self.kind(*one)));
        let is_open = self.family == LanguageFamily::Classes && value.iter().all(is_open);
        for part in rest {
            value = self.get_all(&value, part, owner);
        }
        if value.is_empty() && is_open {
            let start = ExternalRef { base: ExternalBase::Global(first.clone()), ops: Vec::new() };
            let step =
                |term: ExternalRef, part: &String| term.then(ExternalStep::Get(part.clone()));
            let there = rest.iter().try_fold(start, step);
            value.extend(there.map(|term| PossibleValue::External(Rc::new(term))));
        }
        value
    }

    fn external_self_path(&mut self, rest: &[String], owner: SymbolOwner) -> AbstractValue {
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
                    return own
                        .clone()
                        .into_iter()
                        .flat_map(|one| self.symbol_value(one, 0))
                        .collect();
                }
                let mut value = ty.map(|ty| self.type_class(&ty, parent)).unwrap_or_default();
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
    fn lookup_lexical(&mut self, name: &str, owner: SymbolOwner) -> Option<AbstractValue> {
        let mut at = owner;
        loop {
            let is_module = at.is_none_or(|symbol| is_module_like(self.kind(symbol)));
            let found = match at {
                _ if is_module => self.top_level.get(&(at, name)).cloned(),
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
                let value: AbstractValue =
                    found.iter().flat_map(|one| self.symbol_value(*one, 0)).collect();
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
    pub(super) fn module_path(&self, owner: SymbolOwner) -> String {
        let mut at = owner;
        while let Some(symbol) = at {
            if is_module_like(self.kind(symbol)) {
                return self.facts.symbols[symbol as usize].path.clone();
            }
            at = self.facts.symbols[symbol as usize].parent;
        }
        String::new()
    }

    /// A name of an import as a value.
    pub(super) fn imported_value(&self, import: u32, name: Option<u32>) -> AbstractValue {
        let names = &self.facts.imports[import as usize].names;
        let name = name.and_then(|name| names.get(name as usize));
        vec![
            self.import_value(
                import,
                name.map(|name| name.name.clone()).filter(|name| name != "*"),
            ),
        ]
    }

    /// An import as a value: one of its names, or all of it.
    pub(super) fn import_value(&self, import: u32, name: Option<String>) -> PossibleValue {
        PossibleValue::external(ExternalBase::Import(self.import_key(import as usize), name))
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
