//! Moving a top-level item to another module of its crate, in a language whose modules are declared in other files.
//!
//! A type goes with the `impl` blocks of its file. Statements that import the item alone are
//! rewritten. Every other way to name it, such as a path in the code, keeps working through a
//! re-export in the file that it leaves. A move that only a compiler could check is refused, with
//! the reason.

use std::collections::BTreeSet;

use base::{Problem, RepoPath, Result};
use syntax::edit::{
    SymbolEdit, TextSplice, apply_splices, edit_symbol, find_mentions, symbol_spans,
};
use syntax::{Import, ImportKind, Symbol, SymbolKind, Visibility};

use super::file_move::{EditedSource, refusal};
use super::symbol_move::{MovedSymbol, add_imports, append, name_removal, statement_removal};
use crate::language_server::FileRewrite;
use engine::view::View;

/// How deep modules are nested at most.
const MAX_DEPTH: usize = 32;

/// The kinds of items that can be moved.
const MOVABLE_KINDS: [SymbolKind; 8] = [
    SymbolKind::Function,
    SymbolKind::Struct,
    SymbolKind::Enum,
    SymbolKind::Union,
    SymbolKind::Trait,
    SymbolKind::Constant,
    SymbolKind::Variable,
    SymbolKind::Type,
];

/// A module: the file at the root of its crate, and the names that lead to it from there.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ModulePlace {
    root: RepoPath,
    names: Vec<String>,
    /// For each module on the path, whether it can be named from everywhere in the crate
    is_open: Vec<bool>,
}

impl ModulePlace {
    /// The module that a file is, by the declarations that lead to it.
    fn of(view: &View, file: &RepoPath) -> Result<Self> {
        let conn = view.index()?.conn();
        let (mut at, mut names, mut is_open) = (file.clone(), Vec::new(), Vec::new());
        for _ in 0..MAX_DEPTH {
            let declared = code::importers(conn, &at)?.into_iter().find(|row| row.kind == "Mod");
            let Some(declared) = declared else {
                names.reverse();
                is_open.reverse();
                return Ok(Self { root: at, names, is_open });
            };
            let around = EditedSource::read(view, &declared.path)?;
            let statement = around.facts.imports.iter().find(|import| {
                import.kind == ImportKind::Mod
                    && import.line == declared.line
                    && import.owner.is_none()
            });
            let name = statement.and_then(|import| import.names.first());
            let name = name.ok_or_else(|| {
                refusal(format!("the module of `{at}` is declared inside another"), Vec::new())
            })?;
            let symbol = around.facts.symbols.iter().find(|one| one.path == name.name);
            let is_private = symbol.is_none_or(|one| one.visibility == Visibility::Private);
            is_open.push(!is_private);
            names.push(name.name.clone());
            at = declared.path;
        }
        Err(refusal(format!("the modules around `{file}` form a cycle"), Vec::new()))
    }

    /// Whether another module of the crate can name this one.
    fn is_visible_from(&self, other: &Self) -> bool {
        (0..self.names.len())
            .all(|at| self.is_open[at] || other.names.starts_with(&self.names[..at]))
    }

    /// The path of something in the module.
    fn path_of(&self, name: &str) -> String {
        let mut parts = vec!["crate"];
        parts.extend(self.names.iter().map(String::as_str));
        parts.push(name);
        parts.join("::")
    }

    /// A path as written in this module, from the root of the crate.
    fn absolute(&self, specifier: &str, source: &EditedSource) -> Option<String> {
        let mut names = self.names.clone();
        let mut parts = specifier.split("::").filter(|part| !part.is_empty()).peekable();
        match parts.peek().copied() {
            Some("self") => drop(parts.next()),
            Some("super") => {
                while parts.peek() == Some(&"super") {
                    parts.next();
                    names.pop()?;
                }
            }
            Some(first) => {
                let is_own = |symbol: &Symbol| {
                    symbol.parent.is_none()
                        && symbol.kind == SymbolKind::Module
                        && symbol.name == first
                };
                if !source.facts.symbols.iter().any(is_own) {
                    return Some(specifier.to_owned());
                }
            }
            None => return Some(String::new()),
        }
        let whole = ["crate".to_owned()].into_iter().chain(names).chain(parts.map(str::to_owned));
        Some(whole.collect::<Vec<_>>().join("::"))
    }
}

/// An item and where it goes.
struct ItemMover<'a> {
    source: EditedSource,
    target: EditedSource,
    from: ModulePlace,
    to: ModulePlace,
    item: &'a Symbol,
    /// The item with its `impl` blocks
    text: String,
    /// The source without them
    rest: String,
}

/// Plans the move of an item to the file of another module.
pub(super) fn move_item(
    view: &View,
    source: EditedSource,
    name: &str,
    to: &RepoPath,
) -> Result<MovedSymbol> {
    if view.tree().stat_if_reachable(to).is_none() {
        return Err(refusal(format!("`{to}` does not exist"), Vec::new())
            .hint("create it and declare its module first"));
    }
    let facts = source.facts.clone();
    let item = facts.symbols.iter().find(|symbol| symbol.path == name);
    let item =
        item.ok_or_else(|| Problem::not_found(format!("no symbol `{name}` in {}", source.path)))?;
    if item.parent.is_some() || !MOVABLE_KINDS.contains(&item.kind) {
        return Err(refusal(format!("`{name}` is not a top-level item of its file"), Vec::new()));
    }
    let target = EditedSource::read(view, to)?;
    let (from, into) = (ModulePlace::of(view, &source.path)?, ModulePlace::of(view, to)?);
    if from.root != into.root {
        return Err(refusal(format!("`{to}` is in another crate"), Vec::new()));
    }
    if target.facts.symbols.iter().any(|one| one.parent.is_none() && one.name == item.name) {
        return Err(refusal(format!("`{to}` has a `{name}` already"), Vec::new()));
    }
    let (text, rest) = take_out(&source, item)?;
    ItemMover { source, target, from, to: into, item, text, rest }.plan(view)
}

/// The text of an item with its `impl` blocks, and the source without them.
fn take_out(source: &EditedSource, item: &Symbol) -> Result<(String, String)> {
    let is_impl = |one: &&Symbol| {
        one.parent.is_none() && one.kind == SymbolKind::Impl && one.name == item.name
    };
    let impls = source.facts.symbols.iter().filter(is_impl).map(|one| one.path.as_str());
    let paths: BTreeSet<&str> = std::iter::once(item.path.as_str()).chain(impls).collect();
    let failed = |path: &str| refusal(format!("`{path}` cannot be moved elsewhere"), Vec::new());
    let mut spans = Vec::new();
    let mut rest = source.text.clone();
    for path in paths {
        let own = symbol_spans(source.language, &source.text, path).map_err(|_| failed(path))?;
        spans.extend(own.iter().map(|span| span.range()));
        while symbol_spans(source.language, &rest, path).is_ok() {
            rest = edit_symbol(source.language, &rest, path, SymbolEdit::Delete)
                .map_err(|_| failed(path))?;
        }
    }
    spans.sort_by_key(|span| span.start);
    spans.dedup();
    let parts: Vec<&str> = spans.into_iter().map(|span| source.text[span].trim_end()).collect();
    Ok((parts.join("\n\n"), rest))
}

impl ItemMover<'_> {
    fn plan(self, view: &View) -> Result<MovedSymbol> {
        self.refuse_relative_paths()?;
        self.refuse_private_members()?;
        let wanted = self.imports_for_target()?;
        let mut files = Vec::new();
        let mut needs_reexport = false;
        let mut target_text = self.target.text.clone();
        let mut is_used = self.mentions(&self.rest, &self.item.name);
        for path in self.users(view)? {
            is_used = true;
            let file = EditedSource::read(view, &path)?;
            if path == self.target.path {
                target_text = self.without_import(&file)?;
                continue;
            }
            let (rewrite, is_complete) = self.retarget(view, file)?;
            needs_reexport |= !is_complete;
            files.extend(rewrite);
        }
        if is_used && !self.to.is_visible_from(&self.from) {
            let why =
                format!("`{}` cannot name the module of `{}`", self.source.path, self.target.path);
            return Err(refusal(why, Vec::new()));
        }
        let declaration = self.declaration(is_used);
        let with_imports = add_imports(self.source.language, &target_text, &wanted);
        let after = self.with_declaration(&with_imports, &declaration);
        let mut rest = self.without_unused_imports();
        if needs_reexport || self.mentions(&self.rest, &self.item.name) {
            let visibility = match (needs_reexport, &self.item.visibility) {
                (false, _) => "",
                (true, Visibility::Public) => "pub ",
                (true, _) => "pub(crate) ",
            };
            let statement = format!("{visibility}use {};", self.to.path_of(&self.item.name));
            rest = add_imports(self.source.language, &rest, &[statement]);
        }
        files.push(self.target.rewritten(after));
        files.push(self.source.rewritten(rest));
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(MovedSymbol { files, created: None })
    }

    fn mentions(&self, text: &str, name: &str) -> bool {
        let found = find_mentions(self.source.language, text, name);
        found.iter().any(|mention| !mention.is_member)
    }

    fn mentions_member(&self, text: &str, name: &str) -> bool {
        find_mentions(self.source.language, text, name).iter().any(|mention| mention.is_member)
    }

    /// Refuses paths that start at the current module, because they would mean something else after
    /// the move.
    fn refuse_relative_paths(&self) -> Result<()> {
        let is_sibling = self.from.names.split_last().map(|(_, around)| around)
            == self.to.names.split_last().map(|(_, around)| around);
        for word in ["super::", "self::"] {
            if self.text.contains(word) && !(word == "super::" && is_sibling) {
                return Err(refusal(
                    format!("it contains a path that begins with `{word}`"),
                    Vec::new(),
                ));
            }
        }
        Ok(())
    }

    /// Refuses private members that the moved item and the remaining code use of each other.
    fn refuse_private_members(&self) -> Result<()> {
        let symbols = &self.source.facts.symbols;
        let owner = |symbol: &Symbol| symbol.parent.map(|at| &symbols[at as usize]);
        for symbol in symbols.iter().filter(|one| one.visibility == Visibility::Private) {
            let Some(around) = owner(symbol) else { continue };
            let is_trait = around.kind == SymbolKind::Trait || around.path.contains(" for ");
            if is_trait || symbol.kind == SymbolKind::Variant || owner(around).is_some() {
                continue;
            }
            let moves = around.name == self.item.name;
            let (inside, other) = match moves {
                true => (&self.from.names, &self.to.names),
                false => (&self.to.names, &self.from.names),
            };
            let text = if moves { &self.rest } else { &self.text };
            if !inside.starts_with(other) && self.mentions_member(text, &symbol.name) {
                let place = format!("{}:{}", self.source.path, symbol.line);
                let why =
                    format!("`{}` is private and may be used across the two files", symbol.path);
                return Err(refusal(why, vec![place]));
            }
        }
        Ok(())
    }

    /// The statements by which the target imports what the item uses.
    fn imports_for_target(&self) -> Result<Vec<String>> {
        let has = |name: &str| {
            let facts = &self.target.facts;
            facts.imports.iter().any(|import| import.names.iter().any(|one| local(one) == name))
                || facts.symbols.iter().any(|one| one.parent.is_none() && one.name == name)
        };
        let mut wanted = Vec::new();
        for import in &self.source.facts.imports {
            if !matches!(import.kind, ImportKind::Use | ImportKind::PubUse)
                || import.owner.is_some()
            {
                continue;
            }
            for name in &import.names {
                let known = local(name);
                let is_star = name.name == "*";
                // An import whose name does not occur may be a trait whose methods are called, also
                // by a macro.
                let is_trait = self.text.contains(['.', '!'])
                    && known.starts_with(char::is_uppercase)
                    && !self.mentions(&self.rest_without_imports(), known);
                let is_wanted = is_star || is_trait || self.mentions(&self.text, known);
                if !is_wanted || (!is_star && has(known)) {
                    continue;
                }
                let module = self.from.absolute(&import.specifier, &self.source);
                let module = module.ok_or_else(|| {
                    refusal(format!("the path `{}` is not known", import.specifier), Vec::new())
                })?;
                let path = match module.as_str() {
                    "" => name.name.clone(),
                    module => format!("{module}::{}", name.name),
                };
                if path == self.to.path_of("*") {
                    continue;
                }
                let alias = name.alias.as_ref().map(|alias| format!(" as {alias}"));
                wanted.push(format!("use {path}{};", alias.unwrap_or_default()));
            }
        }
        wanted.extend(self.neighbours(has)?);
        wanted.sort();
        wanted.dedup();
        Ok(wanted)
    }

    /// The source without the item and without its imports.
    fn rest_without_imports(&self) -> String {
        let facts = syntax::extract(Some(self.source.language), self.rest.as_bytes());
        let splices = facts.imports.iter().map(|import| statement_removal(&self.rest, import));
        let mut splices: Vec<TextSplice> = splices.collect();
        splices.sort_by_key(|splice| splice.span.start);
        splices.dedup_by_key(|splice| splice.span.start);
        apply_splices(&self.rest, &splices)
    }

    /// The source without the item and without the imports that only the item used.
    fn without_unused_imports(&self) -> String {
        let facts = syntax::extract(Some(self.source.language), self.rest.as_bytes());
        let others = self.rest_without_imports();
        let is_unused = |import: &&Import| {
            let known = import.names.first().map(local).unwrap_or_default();
            import.kind == ImportKind::Use
                && self.mentions(&self.text, known)
                && !self.mentions(&others, known)
        };
        let top = || facts.imports.iter().filter(|import| import.owner.is_none());
        let mut splices: Vec<TextSplice> = Vec::new();
        for import in top().filter(is_unused) {
            let leaves: Vec<&Import> = top().filter(|one| one.span == import.span).collect();
            let unused = leaves.iter().filter(|one| is_unused(one)).count();
            let is_known = splices.last().is_some_and(|last| last.span.start == import.span.start);
            if unused == leaves.len() && !is_known {
                splices.push(statement_removal(&self.rest, import));
            } else if unused == 1
                && let Some(taken) = import.names.first()
            {
                splices.extend(name_removal(&self.rest, import, taken).ok());
            }
        }
        apply_splices(&self.rest, &splices)
    }

    /// Imports of the items that stay in the source and that the moved one uses.
    fn neighbours(&self, has: impl Fn(&str) -> bool) -> Result<Vec<String>> {
        let is_item = |one: &&Symbol| {
            one.parent.is_none()
                && one.kind != SymbolKind::Impl
                && one.name != self.item.name
                && !one.is_anonymous()
        };
        let mut wanted = Vec::new();
        for other in self.source.facts.symbols.iter().filter(is_item) {
            if has(&other.name) || !self.mentions(&self.text, &other.name) {
                continue;
            }
            let is_open = match &other.visibility {
                Visibility::Public => true,
                Visibility::Restricted(text) => text == "pub(crate)",
                Visibility::Private => false,
            };
            let is_inside = self.to.names.starts_with(&self.from.names);
            if !(is_open || is_inside) || !self.from.is_visible_from(&self.to) {
                let why = format!("it uses `{}`, which its new module cannot name", other.name);
                return Err(refusal(why, vec![format!("{}:{}", self.source.path, other.line)]));
            }
            wanted.push(format!("use {};", self.from.path_of(&other.name)));
        }
        Ok(wanted)
    }

    /// The files other than the source that use the item.
    fn users(&self, view: &View) -> Result<BTreeSet<RepoPath>> {
        let rows = code::importers(view.index()?.conn(), &self.source.path)?;
        let inside = format!("{}.", self.item.name);
        let is_it = |name: &str| name == self.item.name || name.starts_with(&inside);
        Ok(rows.into_iter().filter(|row| is_it(&row.name)).map(|row| row.path).collect())
    }

    /// A file whose import statements of the item alone name its new place, and whether these were all its uses.
    fn retarget(&self, view: &View, file: EditedSource) -> Result<(Option<FileRewrite>, bool)> {
        let conn = view.index()?.conn();
        let rows = code::importers(conn, &self.source.path)?;
        let uses = rows.iter().filter(|row| row.path == file.path && row.name == self.item.name);
        let is_path = uses.clone().any(|row| row.kind == "Path" || row.via.is_some());
        let place = ModulePlace::of(view, &file.path)?;
        if place.root != self.from.root || !self.to.is_visible_from(&place) {
            return Ok((None, false));
        }
        let mut splices = Vec::new();
        for (import, statement) in self.imports_of_item(view, &file)? {
            let Some((head, tail)) = statement.split_once("use ") else { continue };
            let end = tail.find([';', ' ']).unwrap_or(tail.len());
            let is_alone = !statement.contains(['{', '*']);
            if is_alone {
                let text =
                    format!("{head}use {}{}", self.to.path_of(&self.item.name), &tail[end..]);
                splices.push(TextSplice { span: import.span, text });
            }
        }
        let is_complete = !is_path && splices.len() == self.imports_of_item(view, &file)?.len();
        if splices.is_empty() {
            return Ok((None, is_complete));
        }
        let after = apply_splices(&file.text, &splices);
        Ok((Some(file.rewritten(after)), is_complete))
    }

    /// The statements of a file that import the item from the source.
    fn imports_of_item<'f>(
        &self,
        view: &View,
        file: &'f EditedSource,
    ) -> Result<Vec<(&'f Import, &'f str)>> {
        let rows = code::imports(view.index()?.conn(), &file.path)?;
        let pairs = file.facts.imports.iter().zip(rows);
        let found = pairs.filter(|(import, row)| {
            row.target.as_ref() == Some(&self.source.path)
                && import.names.iter().any(|name| name.name == self.item.name)
        });
        Ok(found.map(|(import, _)| (import, &file.text[import.span.range()])).collect())
    }

    /// The target without its import of the item.
    fn without_import(&self, file: &EditedSource) -> Result<String> {
        let mut splices = Vec::new();
        for import in &file.facts.imports {
            let Some(taken) = import.names.iter().find(|name| name.name == self.item.name) else {
                continue;
            };
            let statement = &file.text[import.span.range()];
            splices.push(match statement.contains('{') {
                true => name_removal(&file.text, import, taken)?,
                false => statement_removal(&file.text, import),
            });
        }
        Ok(apply_splices(&file.text, &splices))
    }

    /// The item as other modules can use it.
    fn declaration(&self, is_used: bool) -> String {
        let is_narrow = match &self.item.visibility {
            Visibility::Public => false,
            Visibility::Restricted(text) => text != "pub(crate)",
            Visibility::Private => true,
        };
        if !is_used || !is_narrow {
            return self.text.clone();
        }
        let facts = syntax::extract(Some(self.source.language), self.text.as_bytes());
        let own = facts.symbols.iter().find(|one| one.path == self.item.path);
        let Some(own) = own else { return self.text.clone() };
        let start = own.declaration.start as usize;
        let written = match &self.item.visibility {
            Visibility::Restricted(text) => text.len() + 1,
            _ => 0,
        };
        format!("{}pub(crate) {}", &self.text[..start], &self.text[start + written..])
    }

    /// The target with the item at its end, before its tests.
    fn with_declaration(&self, text: &str, declaration: &str) -> String {
        let facts = syntax::extract(Some(self.target.language), text.as_bytes());
        let is_tests =
            |one: &&Symbol| one.parent.is_none() && one.kind == SymbolKind::Module && one.is_test;
        let tests = facts.symbols.iter().rfind(is_tests);
        let spans = tests.and_then(|one| symbol_spans(self.target.language, text, &one.path).ok());
        match spans.as_deref() {
            Some([span]) => {
                let at = span.range().start;
                format!("{}{}\n\n{}", &text[..at], declaration.trim_end(), &text[at..])
            }
            _ => append(text, declaration),
        }
    }
}

/// The name that an import binds.
fn local(name: &syntax::ImportedName) -> &str {
    name.alias.as_deref().unwrap_or(&name.name)
}
