//! Moving a top-level symbol to another file of its language: the target imports what it uses, its
//! users import it from there, or nothing is written.

use std::collections::BTreeSet;

use base::{Problem, RepoPath, Result};
use syntax::edit::{
    IdentifierMention, LocalImport, SymbolEdit, TextSplice, apply_splices, copied_import,
    edit_symbol, exported_declaration, find_mentions, import_like, import_statement, local_imports,
    symbol_spans,
};
use syntax::{Import, ImportKind, ImportResolver, Symbol, SymbolKind};

use super::SymbolPath;
use super::file_move::{EditedSource, refusal, refuse_other_language};
use super::module_item_move::move_item;
use crate::language_server::FileRewrite;
use engine::view::View;

/// A symbol at its new place, and the files that changed with it.
#[derive(Debug)]
pub(crate) struct MovedSymbol {
    /// The new texts of files that exist already
    pub files: Vec<FileRewrite>,
    /// The new file, if the target does not exist yet
    pub created: Option<(RepoPath, String)>,
}

/// Plans the move of a symbol.
pub(crate) fn move_symbol(
    view: &View,
    symbol: SymbolPath<'_>,
    to: &RepoPath,
) -> Result<MovedSymbol> {
    let source = EditedSource::read(view, symbol.path)?;
    refuse_other_language(source.language, to)?;
    if to == symbol.path {
        return Err(Problem::invalid(format!("`{}` is in `{to}` already", symbol.name)));
    }
    if source.language.semantics().imports == ImportResolver::Rust {
        return move_item(view, source, symbol.name, to);
    }
    if !source.language.semantics().rewrites_imports() {
        let why = format!("moving symbols is not supported for {}", source.language.name());
        return Err(refusal(why, Vec::new()));
    }
    let mover = SymbolMover::new(view, source, symbol.name, to)?;
    mover.plan(view)
}

struct SymbolMover<'a> {
    source: EditedSource,
    /// The target, if it exists
    target: Option<EditedSource>,
    to: &'a RepoPath,
    name: String,
    is_type: bool,
    is_exported: bool,
    /// The declaration with its comments
    text: String,
    /// The source without it
    rest: String,
}

impl<'a> SymbolMover<'a> {
    fn new(view: &View, source: EditedSource, name: &str, to: &'a RepoPath) -> Result<Self> {
        let found = source.facts.symbols.iter().find(|symbol| symbol.path == name);
        let found = found
            .ok_or_else(|| Problem::not_found(format!("no symbol `{name}` in {}", source.path)))?;
        refuse_unmovable(&source, found)?;
        let edited = |problem| {
            refusal(format!("`{name}` cannot be moved elsewhere: {problem:?}"), Vec::new())
        };
        let spans = symbol_spans(source.language, &source.text, name).map_err(edited)?;
        let rest = edit_symbol(source.language, &source.text, name, SymbolEdit::Delete);
        let rest = rest.map_err(edited)?;
        let text: Vec<&str> = spans.iter().rev().map(|span| &source.text[span.range()]).collect();
        let target = match view.tree().stat_if_reachable(to) {
            Some(_) => Some(EditedSource::read(view, to)?),
            None => None,
        };
        if let Some(target) = &target
            && target.facts.symbols.iter().any(|other| other.parent.is_none() && other.name == name)
        {
            return Err(refusal(format!("`{to}` has a `{name}` already"), Vec::new()));
        }
        let is_type = matches!(found.kind, SymbolKind::Interface | SymbolKind::Type);
        Ok(Self {
            name: name.to_owned(),
            is_type,
            is_exported: found.exported,
            text: text.join("\n"),
            rest,
            target,
            to,
            source,
        })
    }

    fn mentions(&self, text: &str, name: &str) -> bool {
        let found = find_mentions(self.source.language, text, name);
        found.iter().any(|mention| !mention.is_member)
    }

    fn plan(self, view: &View) -> Result<MovedSymbol> {
        let wanted = self.imports_for_target()?;
        let is_used_here = self.mentions(&self.rest, &self.name);
        if is_used_here && wanted.iter().any(|one| one.is_from_source) {
            let why = format!("`{}` and `{}` would import each other", self.source.path, self.to);
            return Err(refusal(why, wanted.into_iter().map(|one| one.statement).collect()));
        }
        let importers = self.importers(view)?;
        let mut files = Vec::new();
        for importer in importers {
            files.push(self.retarget(view, importer)?);
        }
        let target_in_importers = files.iter().position(|file| &file.path == self.to);
        let needs_export = (is_used_here || !files.is_empty()) && !self.is_exported;
        let declaration = self.declaration(needs_export);
        let base = target_in_importers.map(|at| files.remove(at));
        let (before, hash) = match (&self.target, &base) {
            (_, Some(file)) => (file.after.clone(), Some(file.hash)),
            (Some(target), None) => (target.text.clone(), Some(target.hash)),
            (None, None) => (String::new(), None),
        };
        let statements: Vec<String> = wanted.into_iter().map(|one| one.statement).collect();
        let with_imports = add_imports(self.source.language, &before, &statements);
        let after = append(&with_imports, &declaration);
        let mut rest = self.without_unused_imports();
        if is_used_here {
            let statement = self.import_of_symbol(&self.source.path)?;
            rest = add_imports(self.source.language, &rest, &[statement]);
        }
        let mut created = None;
        match (self.target, hash) {
            (Some(target), Some(_)) => files.push(target.rewritten(after)),
            _ => created = Some((self.to.clone(), after)),
        }
        files.push(self.source.rewritten(rest));
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(MovedSymbol { files, created })
    }

    fn declaration(&self, needs_export: bool) -> String {
        match needs_export {
            true => exported_declaration(self.source.language, &self.text),
            false => self.text.clone(),
        }
    }

    fn import_of_symbol(&self, importer: &RepoPath) -> Result<String> {
        import_statement(self.source.language, &self.name, self.is_type, importer, self.to)
            .ok_or_else(|| refusal(format!("`{importer}` cannot import `{}`", self.to), Vec::new()))
    }

    /// The imports that the target needs for the declaration.
    fn imports_for_target(&self) -> Result<Vec<WantedImport>> {
        let (source, language) = (&self.source, self.source.language);
        let has = |name: &str| {
            self.target.as_ref().is_some_and(|target| {
                let imports = target.facts.imports.iter();
                let mut locals = imports.flat_map(|import| local_imports(language, import));
                locals.any(|one| one.local == name)
            })
        };
        let mut wanted = Vec::new();
        for import in &source.facts.imports {
            for one in local_imports(language, import) {
                if self.mentions(&self.text, one.local) && !has(one.local) {
                    let statement = copied_statement(source, import, one, self.to)?;
                    wanted.push(WantedImport { statement, is_from_source: false });
                }
            }
        }
        let others = source.facts.symbols.iter().filter(|symbol| symbol.parent.is_none());
        for other in others.filter(|symbol| symbol.name != self.name && !symbol.is_anonymous()) {
            if !self.mentions(&self.text, &other.name) || has(&other.name) {
                continue;
            }
            if language.semantics().needs_export() && !other.exported {
                let why = format!("it uses `{}`, which is not exported", other.name);
                return Err(refusal(why, vec![format!("{}:{}", source.path, other.line)]));
            }
            let is_type = matches!(other.kind, SymbolKind::Interface | SymbolKind::Type);
            let statement = import_statement(language, &other.name, is_type, self.to, &source.path);
            let statement = statement.ok_or_else(|| {
                refusal(format!("`{}` cannot import `{}`", self.to, source.path), Vec::new())
            })?;
            wanted.push(WantedImport { statement, is_from_source: true });
        }
        Ok(wanted)
    }

    /// The files that import the symbol, and refusals for those that use it in another way.
    fn importers(&self, view: &View) -> Result<Vec<EditedSource>> {
        let conn = view.index()?.conn();
        let mut paths = BTreeSet::new();
        let mut refused = Vec::new();
        for row in code::importers(conn, &self.source.path)? {
            if row.name != self.name || row.via.is_some() {
                continue;
            }
            paths.insert(row.path);
        }
        let mut files = Vec::new();
        for path in paths {
            let file = EditedSource::read(view, &path)?;
            let targets = code::imports(conn, &path)?.into_iter().map(|row| row.target);
            let from_source = file.facts.imports.iter().zip(targets);
            let from_source =
                from_source.filter(|(_, target)| target.as_ref() == Some(&self.source.path));
            let imports: Vec<&Import> = from_source.map(|(import, _)| import).collect();
            let named = imports.iter().filter(|import| self.name_in(import).is_some()).count();
            let is_plain = |import: &&&Import| {
                matches!(import.kind, ImportKind::Import | ImportKind::From | ImportKind::ReExport)
            };
            if named != 1 || imports.iter().filter(is_plain).count() != imports.len() {
                let line = imports.first().map_or(1, |import| import.line);
                refused.push(format!("{path}:{line} does not import it by name in one statement"));
            }
            files.push(file);
        }
        match refused.is_empty() {
            true => Ok(files),
            false => Err(refusal("not every use can be rewritten".into(), refused)),
        }
    }

    fn name_in<'i>(&self, import: &'i Import) -> Option<&'i syntax::ImportedName> {
        import.names.iter().find(|taken| taken.name == self.name)
    }

    /// A file that imports the symbol, importing it from the target.
    fn retarget(&self, view: &View, file: EditedSource) -> Result<FileRewrite> {
        let conn = view.index()?.conn();
        let targets = code::imports(conn, &file.path)?.into_iter().map(|row| row.target);
        let mut found = file.facts.imports.iter().zip(targets).filter(|(import, target)| {
            target.as_ref() == Some(&self.source.path) && self.name_in(import).is_some()
        });
        let (import, taken) =
            found.find_map(|(import, _)| Some((import, self.name_in(import)?))).ok_or_else(
                || refusal(format!("`{}` no longer imports it", file.path), Vec::new()),
            )?;
        let is_target = &file.path == self.to;
        let mut splices = Vec::new();
        if import.names.len() == 1 {
            splices.push(statement_removal(&file.text, import));
        } else {
            splices.push(name_removal(&file.text, import, taken)?);
        }
        let after = apply_splices(&file.text, &splices);
        if is_target {
            return Ok(file.rewritten(after));
        }
        let statement = import_like(file.language, import, taken, &file.path, self.to);
        let statement = statement.ok_or_else(|| {
            refusal(format!("`{}` cannot import `{}`", file.path, self.to), Vec::new())
        })?;
        let after = add_imports(file.language, &after, &[statement]);
        Ok(file.rewritten(after))
    }

    /// The source without the declaration and without imports that only it used.
    fn without_unused_imports(&self) -> String {
        let facts = syntax::extract(Some(self.source.language), self.rest.as_bytes());
        let mut splices = Vec::new();
        for import in &facts.imports {
            if !matches!(import.kind, ImportKind::Import | ImportKind::From) {
                continue;
            }
            let is_unused = |one: &LocalImport<'_>| {
                let uses = find_mentions(self.source.language, &self.rest, one.local);
                let outside = |one: &IdentifierMention| {
                    !import.span.range().contains(&(one.span.start as usize))
                };
                self.mentions(&self.text, one.local) && !uses.iter().any(outside)
            };
            let all = local_imports(self.source.language, import);
            let unused: Vec<&LocalImport<'_>> = all.iter().filter(|one| is_unused(one)).collect();
            match unused.as_slice() {
                [] => {}
                every if every.len() == all.len() => {
                    splices.push(statement_removal(&self.rest, import));
                }
                [one] => {
                    let taken = one.taken.map(|taken| name_removal(&self.rest, import, taken));
                    splices.extend(taken.and_then(Result::ok));
                }
                _ => {} // several names of many are left to a linter
            }
        }
        splices.sort_by_key(|splice| splice.span.start);
        apply_splices(&self.rest, &splices)
    }
}

/// An import that the target needs.
struct WantedImport {
    statement: String,
    is_from_source: bool,
}

fn refuse_unmovable(source: &EditedSource, symbol: &Symbol) -> Result<()> {
    let why = if symbol.parent.is_some() {
        Some("is a part of another symbol")
    } else if source.facts.exports.iter().any(|export| {
        export.name == "default" && export.local.as_deref() == Some(symbol.name.as_str())
    }) {
        Some("is the default export")
    } else if source.facts.exports.iter().any(|one| one.kind == syntax::ExportKind::CommonJs) {
        Some("is in a CommonJS module, whose exports are assigned")
    } else {
        None
    };
    match why {
        Some(why) => Err(refusal(format!("`{}` {why}", symbol.path), Vec::new())),
        None => Ok(()),
    }
}

/// The statement by which the target imports what the source imports.
fn copied_statement(
    source: &EditedSource,
    import: &Import,
    local: LocalImport<'_>,
    to: &RepoPath,
) -> Result<String> {
    copied_import(source.language, import, local, &source.path, to).map_err(|why| {
        let place = format!("{}:{}", source.path, import.line);
        refusal(format!("an import that it needs cannot be written in `{to}`: {why}"), vec![place])
    })
}

/// Removes a statement with its line.
pub(super) fn statement_removal(text: &str, import: &Import) -> TextSplice {
    let range = import.span.range();
    let tail = text[range.end..].find('\n').map_or(text.len(), |at| range.end + at + 1);
    let is_alone = text[range.end..tail].trim().trim_start_matches(';').is_empty();
    let end = if is_alone { tail } else { range.end };
    let number = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    TextSplice { span: base::Span::new(number(range.start), number(end)), text: String::new() }
}

/// Removes one name of several from a statement.
pub(super) fn name_removal(
    text: &str,
    import: &Import,
    taken: &syntax::ImportedName,
) -> Result<TextSplice> {
    let span = taken.span.range();
    let after = &text[span.end..import.span.range().end];
    let before = &text[import.span.range().start..span.start];
    let number = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    let cut = |start: usize, end: usize| TextSplice {
        span: base::Span::new(number(start), number(end)),
        text: String::new(),
    };
    if let Some(at) = after.find(',').filter(|at| after[..*at].trim().is_empty()) {
        let space = after[at + 1..].len() - after[at + 1..].trim_start_matches(' ').len();
        let end = span.end + at + 1 + space;
        // If the name is alone on its line, the line is removed with it.
        let line = text[..span.start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = ["\n", "\r\n"].into_iter().find(|one| text[end..].starts_with(one));
        return Ok(match line_end.filter(|_| text[line..span.start].trim().is_empty()) {
            Some(one) => cut(line, end + one.len()),
            None => cut(span.start, end),
        });
    }
    let trimmed = before.trim_end();
    match trimmed.strip_suffix(',') {
        Some(kept) => Ok(cut(import.span.range().start + kept.len(), span.end)),
        None => Err(refusal("an import list has an unsupported form".into(), Vec::new())),
    }
}

/// The text with some import statements after the last one it has, or at its start.
pub(super) fn add_imports(language: syntax::Language, text: &str, statements: &[String]) -> String {
    if statements.is_empty() {
        return text.to_owned();
    }
    let facts = syntax::extract(Some(language), text.as_bytes());
    let top = facts.imports.iter().filter(|import| import.owner.is_none());
    let last = top.map(|import| import.span.range().end).max();
    let lines: String = statements.iter().map(|line| format!("{line}\n")).collect();
    if let Some(end) = last {
        let line_end = text[end..].find('\n').map_or(text.len(), |at| end + at + 1);
        let gap = if text[..line_end].ends_with('\n') { "" } else { "\n" };
        format!("{}{gap}{lines}{}", &text[..line_end], &text[line_end..])
    } else {
        let start = facts.doc.as_ref().map_or(0, |doc| doc.span.range().end);
        let (head, rest) = (&text[..start], text[start..].trim_start_matches(['\n', '\r']));
        let before = if head.is_empty() { "" } else { "\n\n" };
        let after = if rest.is_empty() { "" } else { "\n" };
        format!("{head}{before}{lines}{after}{rest}")
    }
}

/// The text with a declaration at its end, a blank line before it.
pub(super) fn append(text: &str, declaration: &str) -> String {
    let kept = text.trim_end();
    let gap = if kept.is_empty() { "" } else { "\n\n" };
    format!("{kept}{gap}{}\n", declaration.trim_end())
}
