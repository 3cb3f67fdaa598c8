//! Converts a target of a caller to a position in a file.

use base::entity::own_name;
use base::{EntityRef, NextCall, Problem, ProblemCode, RepoPath, Result};
use syntax::FileFacts;
use syntax::Language;
use toolchain::lsp::{LspPosition, PositionEncoding, position_at};

use engine::areas::code::named_node;
use engine::areas::files::{file_node, files_matching};
use engine::contract::args::NodeTarget;
use engine::graph;
use engine::view::View;

/// A place in a file as it is now.
pub(crate) struct TargetPosition {
    /// What was named: a symbol, or the file
    pub node: EntityRef,
    /// The file
    pub path: RepoPath,
    /// Its language
    pub language: Language,
    /// Its text
    pub text: String,
    /// What it declares
    pub facts: FileFacts,
    /// The byte offset of the target
    pub offset: usize,
}

impl TargetPosition {
    /// The position of a target: a symbol's name, `path:line:column`, or a use of the symbol
    /// on a line of its file.
    pub(crate) fn of(view: &View, target: &NodeTarget, line: Option<u32>) -> Result<Self> {
        if let Some((path, at)) = parse_place(view, target.as_str()) {
            return Self::at_place(view, path, at);
        }
        let node = graph::resolve(view, target)?;
        let Some(path) = node.path().cloned() else {
            return Err(Problem::invalid(format!("`{target}` is neither a symbol nor a file"))
                .hint("name a symbol as path#name, or a place as path:line:column"));
        };
        let mut target_position = Self::file(view, node, path)?;
        if let EntityRef::Symbol(_, name) = &target_position.node.clone() {
            target_position.offset = target_position.declaration_offset(name.as_str())?;
            if let Some(line) = line {
                target_position.offset = target_position.use_offset(name.as_str(), line)?;
            }
        }
        Ok(target_position)
    }

    /// Like [`Self::of`], for symbols only.
    pub(crate) fn of_symbol(view: &View, target: &NodeTarget, line: Option<u32>) -> Result<Self> {
        let target_position = Self::of(view, target, line)?;
        if parse_place(view, target.as_str()).is_none()
            && !matches!(target_position.node, EntityRef::Symbol(..))
        {
            return Err(Problem::invalid(format!(
                "`{target}` is not a symbol but {}",
                target_position.node
            ))
            .hint_call(
                "name a symbol as path#name; the symbols of a file are listed by",
                NextCall::new("code.zoom"),
            ));
        }
        Ok(target_position)
    }

    /// Like [`Self::of`], but also accepts a name that a file uses and does not declare:
    /// `path#name` then means the declaration of that name.
    pub(crate) fn of_use(view: &View, target: &NodeTarget, line: Option<u32>) -> Result<Self> {
        let problem = match Self::of_symbol(view, target, line) {
            Err(problem) if problem.code == ProblemCode::NotFound => problem,
            other => return other,
        };
        let text = target.as_str().trim();
        let text = text.strip_prefix("symbol:").unwrap_or(text);
        let Some((file, name)) = text.split_once('#') else { return Err(problem) };
        let found = files_matching(view, file)?;
        let is_code = |path: &RepoPath| Language::from_path(path).is_some_and(Language::is_code);
        let [path] = found.as_slice() else { return Err(problem) };
        if !is_code(path) {
            return Err(problem);
        }
        let mut target_position = Self::file(view, file_node(path), path.clone())?;
        let uses = syntax::edit::find_mentions(
            target_position.language,
            &target_position.text,
            own_name(name),
        );
        let Some(first) = uses.first() else { return Err(problem) };
        target_position.offset = match line {
            Some(line) => target_position.use_offset(name, line)?,
            None => first.span.start as usize,
        };
        if let [only] = referenced_symbols(view, path, own_name(name))?.as_slice() {
            target_position.node = only.clone();
        }
        Ok(target_position)
    }

    fn file(view: &View, node: EntityRef, path: RepoPath) -> Result<Self> {
        let language = Language::from_path(&path).filter(|language| language.is_code());
        let language =
            language.ok_or_else(|| Problem::invalid(format!("`{path}` is not parsed as code")))?;
        let blob = view.tree().read(&path)?;
        let blob = blob.ok_or_else(|| Problem::not_found(format!("`{path}` no longer exists")))?;
        let text = String::from_utf8_lossy(&blob.bytes).into_owned();
        let facts = syntax::extract(Some(language), text.as_bytes());
        Ok(Self { node, path, language, text, facts, offset: 0 })
    }

    fn at_place(view: &View, path: RepoPath, at: LineColumn) -> Result<Self> {
        let LineColumn { line, column } = at;
        let node = file_node(&path);
        let mut target_position = Self::file(view, node, path)?;
        let lines = target_position.text.split_inclusive('\n');
        let (start, length) = {
            let mut start = 0;
            let mut found = None;
            for (at, text) in lines.enumerate() {
                if at + 1 == line as usize {
                    found = Some((start, text.trim_end_matches(['\n', '\r']).len()));
                }
                start += text.len();
            }
            found.ok_or_else(|| {
                Problem::invalid(format!("`{}` has no line {line}", target_position.path))
            })?
        };
        let inside: usize = target_position.text[start..start + length]
            .chars()
            .take(column as usize - 1)
            .map(char::len_utf8)
            .sum();
        target_position.offset = start + inside;
        Ok(target_position)
    }

    /// Where the symbol's name is declared.
    fn declaration_offset(&self, name: &str) -> Result<usize> {
        let found = self.facts.symbols.iter().find(|symbol| symbol.path == name);
        let gone = || Problem::not_found(format!("no symbol `{name}` in {}", self.path));
        Ok(found.ok_or_else(gone)?.name_span.start as usize)
    }

    /// The offset of the symbol's own name on a line.
    fn use_offset(&self, name: &str, line: u32) -> Result<usize> {
        let own = own_name(name);
        let mut start = 0;
        for (at, text) in self.text.split_inclusive('\n').enumerate() {
            if at + 1 == line as usize {
                let found = word_offsets(text, own).next().map(|inside| start + inside);
                let none = || Problem::not_found(format!("no `{own}` on {}:{line}", self.path));
                return found.ok_or_else(none);
            }
            start += text.len();
        }
        Err(Problem::invalid(format!("`{}` has no line {line}", self.path)))
    }

    /// The name of what was asked about: a handle, or the place.
    pub(crate) fn display_name(&self) -> String {
        if let EntityRef::Symbol(..) = self.node {
            return self.node.to_string();
        }
        let at = position_at(&self.text, self.offset, PositionEncoding::Utf8);
        format!("{}:{}:{}", self.path, at.line + 1, at.character + 1)
    }

    /// The name at the position.
    pub(crate) fn name_at_offset(&self) -> String {
        let is_part = |one: &char| one.is_alphanumeric() || *one == '_' || *one == '$';
        self.text[self.offset..].chars().take_while(is_part).collect()
    }

    /// The position as the server counts it.
    pub(crate) fn position(&self, encoding: PositionEncoding) -> LspPosition {
        position_at(&self.text, self.offset, encoding)
    }
}

/// The symbols of other files that a name in a file refers to, as far as the index knows: from what
/// its code uses, otherwise from its imports.
fn referenced_symbols(view: &View, path: &RepoPath, name: &str) -> Result<Vec<EntityRef>> {
    let conn = view.index()?.conn();
    let mut from =
        code::symbols_in_file(conn, path)?.into_iter().map(|row| row.full).collect::<Vec<_>>();
    from.push(String::new());
    let ends: Vec<code::SymbolEndpoint<'_>> =
        from.iter().map(|full| code::SymbolEndpoint::new(path, full)).collect();
    let edges = code::edges_from(conn, &ends, &code::SymbolRelation::ALL)?;
    let mut found: Vec<EntityRef> = edges
        .into_iter()
        .filter(|edge| own_name(&edge.to.1) == name)
        .map(|edge| named_node(&edge.to.0, &edge.to.1))
        .collect();
    if found.is_empty() {
        for import in code::imports(conn, path)? {
            let Some(target) = &import.target else { continue };
            let is_it = |taken: &&code::ImportBinding| taken.1.as_ref().unwrap_or(&taken.0) == name;
            for taken in import.names.iter().filter(is_it) {
                let own = code::symbols_named(conn, target, &taken.0)?.into_iter();
                let handed_on = code::exported_as(conn, &taken.0, Some(target))?.into_iter();
                let all = own.chain(handed_on.map(|one| one.symbol));
                found.extend(all.map(|row| named_node(&row.path, &row.full)));
            }
        }
    }
    found.sort();
    found.dedup();
    Ok(found)
}

/// A place in a text, both counted from 1; columns are characters.
#[derive(Debug, Clone, Copy)]
struct LineColumn {
    line: u32,
    column: u32,
}

/// `path:line` or `path:line:column`, if there is such a file.
fn parse_place(view: &View, text: &str) -> Option<(RepoPath, LineColumn)> {
    let (rest, last) = text.trim().rsplit_once(':')?;
    let last: u32 = last.parse().ok().filter(|number| *number > 0)?;
    let both = rest.rsplit_once(':').and_then(|(path, line)| {
        line.parse::<u32>()
            .ok()
            .filter(|number| *number > 0)
            .map(|line| (path, LineColumn { line, column: last }))
    });
    let (path, at) = both.unwrap_or((rest, LineColumn { line: last, column: 1 }));
    let path = path.strip_prefix("module:").unwrap_or(path);
    let found = view.paths().candidates(path).into_iter();
    let found = found.into_iter().find(|path| view.tree().stat_if_reachable(path).is_some())?;
    Some((found, at))
}

/// The offsets of a name in a text, as a whole word.
pub(crate) fn word_offsets<'t>(text: &'t str, name: &'t str) -> impl Iterator<Item = usize> + 't {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let whole = move |at: &usize| {
        !text[..*at].ends_with(is_part) && !text[*at + name.len()..].starts_with(is_part)
    };
    let found = text.match_indices(name).map(|(at, _)| at);
    found.filter(move |at| !name.is_empty() && whole(at))
}
