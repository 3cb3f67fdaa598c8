//! Calls according to a server's call hierarchy.

use std::cell::RefCell;
use std::collections::BTreeMap;

use base::{EntityRef, Result};
use serde_json::{Value, json};
use syntax::Language;
use toolchain::lsp::{LspPosition, offset_at, path_from_uri};

use super::locations::{ParsedFile, ParsedFileCache, enclosing_node};
use super::{AnswerSource, LanguageServer, LspRequest, MissingServer, TargetPosition};
use crate::answers::role::is_test_file;
use engine::contract::args::NodeTarget;
use engine::graph::{CallEdge, CallSource, Direction};
use engine::view::View;

/// How the protocol asks for one direction of calls.
struct CallDirection {
    method: &'static str,
    /// The field of an answer that names the other end
    end_field: &'static str,
}

const INCOMING: CallDirection =
    CallDirection { method: "callHierarchy/incomingCalls", end_field: "from" };
const OUTGOING: CallDirection =
    CallDirection { method: "callHierarchy/outgoingCalls", end_field: "to" };

/// A language server's call graph around a node. Answers are kept for one walk.
#[derive(Debug)]
pub(crate) struct CallGraph {
    language: Language,
    /// The server that answers
    pub by: AnswerSource,
    call_cache: RefCell<BTreeMap<(EntityRef, bool), Vec<EntityRef>>>,
}

impl CallGraph {
    /// The call graph around a symbol or file. The inner error says why there is none.
    pub(crate) fn of(view: &View, start: &EntityRef) -> Result<Result<Self, MissingServer>> {
        let language =
            start.path().and_then(Language::from_path).filter(|language| language.is_code());
        let Some((path, language)) = start.path().zip(language) else {
            let why = format!("{start} is not code, so no language server knows its callers");
            return Ok(Err(MissingServer::new(base::ProblemCode::InvalidOperation, why)));
        };
        let server = match LanguageServer::open_for_all(view, path, language)? {
            Ok(server) => server,
            Err(absent) => return Ok(Err(absent)),
        };
        if !server.offers("callHierarchyProvider") {
            let why = format!("{} does not offer a call hierarchy", server.session().title());
            return Ok(Err(MissingServer::new(base::ProblemCode::Unavailable, why)));
        }
        Ok(Ok(Self { language, by: server.by(), call_cache: RefCell::default() }))
    }

    fn call_ends(
        &self,
        view: &View,
        here: &EntityRef,
        incoming: bool,
    ) -> Result<Option<Vec<EntityRef>>> {
        if let Some(known) = self.call_cache.borrow().get(&(here.clone(), incoming)) {
            return Ok(Some(known.clone()));
        }
        let found = match ask(view, here, incoming)? {
            Ok(found) => found,
            Err(absent) => {
                view.mark_partial(format!("calls of {here} come from the index: {}", absent.why));
                return Ok(None);
            }
        };
        self.call_cache.borrow_mut().insert((here.clone(), incoming), found.clone());
        Ok(Some(found))
    }
}

impl CallSource for CallGraph {
    fn calls(
        &self,
        view: &View,
        node: &EntityRef,
        direction: Direction,
    ) -> Result<Option<Vec<CallEdge>>> {
        let EntityRef::Symbol(path, _) = node else { return Ok(None) };
        if Language::from_path(path).map(Language::family) != Some(self.language.family()) {
            return Ok(None);
        }
        let mut edges = Vec::new();
        if direction != Direction::Outgoing {
            let Some(callers) = self.call_ends(view, node, true)? else { return Ok(None) };
            let edge = |caller| CallEdge { caller, callee: node.clone() };
            edges.extend(callers.into_iter().map(edge));
        }
        if direction != Direction::Incoming {
            let Some(callees) = self.call_ends(view, node, false)? else { return Ok(None) };
            let edge = |callee| CallEdge { caller: node.clone(), callee };
            edges.extend(callees.into_iter().map(edge));
        }
        Ok(Some(edges))
    }
}

fn ask(
    view: &View,
    here: &EntityRef,
    incoming: bool,
) -> Result<Result<Vec<EntityRef>, MissingServer>> {
    let target: NodeTarget = match here.to_string().parse() {
        Ok(target) => target,
        Err(_) => return Ok(Ok(Vec::new())),
    };
    let target_position = TargetPosition::of(view, &target, None)?;
    let server = match LanguageServer::open(view, &target_position.path, target_position.language)?
    {
        Ok(server) => server,
        Err(absent) => return Ok(Err(absent)),
    };
    // Code in tests is only called in its own project.
    let reaches_out = incoming
        && !is_test_file(&target_position.path)
        && server.open_projects_mentioning(&target_position)?;
    let prepare = LspRequest {
        method: "textDocument/prepareCallHierarchy",
        capability: "callHierarchyProvider",
    };
    let items = match server.ask(prepare, &server.at(&target_position))? {
        Ok(items) => items,
        Err(absent) if absent.code == base::ProblemCode::InvalidOperation => Value::Null,
        Err(absent) => return Ok(Err(absent)),
    };
    let CallDirection { method, end_field } = if incoming { INCOMING } else { OUTGOING };
    let texts = ParsedFileCache::new(view);
    let mut found = Vec::new();
    for item in items.as_array().map_or(&[][..], Vec::as_slice) {
        let ask = LspRequest { method, capability: "callHierarchyProvider" };
        let calls = match server.ask(ask, &json!({"item": item}))? {
            Ok(calls) => calls,
            Err(absent) => return Ok(Err(absent)),
        };
        for call in calls.as_array().map_or(&[][..], Vec::as_slice) {
            found.extend(hierarchy_item_node(&texts, &server, &call[end_field])?);
        }
    }
    if reaches_out {
        match calls_elsewhere(&texts, &server, &target_position)? {
            Ok(callers) => found.extend(callers),
            Err(absent) => return Ok(Err(absent)),
        }
    }
    found.sort();
    found.dedup();
    Ok(Ok(found))
}

/// The callers of a symbol in other projects: the call hierarchy of a TypeScript server is limited
/// to the project of the file, its references are not.
fn calls_elsewhere(
    texts: &ParsedFileCache<'_>,
    server: &LanguageServer<'_>,
    target_position: &TargetPosition,
) -> Result<Result<Vec<EntityRef>, MissingServer>> {
    let mut params = server.at(target_position);
    params["context"] = json!({"includeDeclaration": false});
    let uses = match server.ask(
        LspRequest { method: "textDocument/references", capability: "referencesProvider" },
        &params,
    )? {
        Ok(uses) => uses,
        Err(absent) => return Ok(Err(absent)),
    };
    let mut found = Vec::new();
    for location in uses.as_array().map_or(&[][..], Vec::as_slice) {
        let Some(file) = location["uri"].as_str().and_then(path_from_uri) else { continue };
        let Some(path) = texts.path_in_repository(&file) else { continue };
        let Some(known) = texts.read(&path)? else { continue };
        let at = LspPosition::from_json(&location["range"]["start"]);
        let offset = at.and_then(|at| offset_at(&known.text, at, server.encoding()));
        found.extend(
            offset.filter(|at| is_called(&known, *at)).map(|at| enclosing_node(&path, &known, at)),
        );
    }
    Ok(Ok(found))
}

/// Whether the name at a byte offset is called there.
fn is_called(known: &ParsedFile, offset: usize) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$' || c == '#';
    if known.facts.symbols.iter().any(|symbol| symbol.name_span.start as usize == offset) {
        return false;
    }
    let (before, rest) = known.text.split_at(offset);
    let before = before.trim_end_matches(|c| is_part(c) || c == '.').trim_end();
    let after = rest.trim_start_matches(is_part).trim_start_matches('!');
    let after = after.strip_prefix("?.").unwrap_or(after);
    let after = after.strip_prefix('<').map_or(after, skip_type_arguments).trim_start();
    // A JSX tag starts with `<` too; type arguments start with one that follows a name.
    let is_tag = before.strip_suffix('<').is_some_and(|before| !before.ends_with(is_part));
    after.starts_with(['(', '`']) || is_tag || before.ends_with('@') || before.ends_with("new")
}

/// The text after the type arguments that start here.
fn skip_type_arguments(text: &str) -> &str {
    let mut open = 1;
    let end = text.char_indices().find(|(_, c)| {
        open += i32::from(*c == '<') - i32::from(*c == '>');
        open == 0
    });
    end.map_or("", |(at, _)| &text[at + 1..])
}

/// The symbol of a call hierarchy item; none if it is outside the repository.
fn hierarchy_item_node(
    texts: &ParsedFileCache<'_>,
    server: &LanguageServer<'_>,
    item: &Value,
) -> Result<Option<EntityRef>> {
    let Some(file) = item["uri"].as_str().and_then(path_from_uri) else { return Ok(None) };
    let Some(path) = texts.path_in_repository(&file) else { return Ok(None) };
    let Some(known) = texts.read(&path)? else { return Ok(None) };
    // Top-level code is an item too, with the whole file as its name range.
    if item["kind"].as_u64() == Some(MODULE_SYMBOL_KIND)
        || item["kind"].as_u64() == Some(FILE_SYMBOL_KIND)
    {
        return Ok(Some(engine::areas::files::file_node(&path)));
    }
    let at = LspPosition::from_json(&item["selectionRange"]["start"]);
    let offset = at.and_then(|at| offset_at(&known.text, at, server.encoding()));
    Ok(offset.map(|offset| enclosing_node(&path, &known, offset)))
}

/// Kinds of symbols, as the protocol numbers them.
const FILE_SYMBOL_KIND: u64 = 1;
const MODULE_SYMBOL_KIND: u64 = 2;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_told_from_a_mention() {
        let is = |text: &str| {
            let (before, rest) = text.split_once('|').unwrap();
            let text = [before, rest].concat();
            let facts = syntax::extract(Some(Language::Tsx), text.as_bytes());
            is_called(&ParsedFile { text, facts }, before.len())
        };
        for called in
            ["|f()", "a.b.|f<Map<A, B>>(1)", "|f?.(1)", "new a.|F", "<|F a=\"1\" />", "|f`x`"]
        {
            assert!(is(called), "{called}");
        }
        for mentioned in
            ["import { |f } from 'a'", "g(|f)", "const x: |F = 1", "let x: Map<|F> = y"]
        {
            assert!(!is(mentioned), "{mentioned}");
        }
        assert!(!is("class A { |f() {} }"), "a declaration");
    }
}
