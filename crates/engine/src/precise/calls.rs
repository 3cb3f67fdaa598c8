//! Who calls whom, as a server's call hierarchy says.

use std::cell::RefCell;
use std::collections::BTreeMap;

use base::{EntityRef, Result};
use serde_json::{Value, json};
use syntax::Language;
use toolchain::lsp::{Position, offset_at, path_of};

use super::found::{Known, Texts, around};
use super::{Absent, By, Server, Spot};
use crate::answers::role::is_test;
use crate::contract::args::Target;
use crate::graph::Direction;
use crate::view::View;

/// What the protocol calls the two directions, and the field that names the other end.
const INCOMING: (&str, &str) = ("callHierarchy/incomingCalls", "from");
const OUTGOING: (&str, &str) = ("callHierarchy/outgoingCalls", "to");

/// A server's call graph, looked at from some node on.
pub(crate) struct CallGraph {
    language: Language,
    /// Who answered, or why it could not
    pub by: RefCell<By>,
    known: RefCell<BTreeMap<(EntityRef, bool), Vec<EntityRef>>>,
}

impl CallGraph {
    /// The call graph around a symbol or file. The inner failure says why there is none.
    pub(crate) fn of(view: &View, start: &EntityRef) -> Result<Result<Self, Absent>> {
        let language = start.path().and_then(Language::of).filter(|language| language.is_code());
        let Some((path, language)) = start.path().zip(language) else {
            let why = format!("{start} is not code, so no language server knows who calls it");
            return Ok(Err(Absent::new(base::Code::InvalidOperation, why)));
        };
        let server = match Server::open_for_all(view, (path, language))? {
            Ok(server) => server,
            Err(absent) => return Ok(Err(absent)),
        };
        if !server.offers("callHierarchyProvider") {
            let why = format!("{} knows no call hierarchy", server.session().title());
            return Ok(Err(Absent::new(base::Code::Unavailable, why)));
        }
        let by = RefCell::new(server.by());
        Ok(Ok(Self { language, by, known: RefCell::default() }))
    }

    /// The calls at a node; nothing where the server does not know, and the index has to.
    pub(crate) fn calls(
        &self,
        view: &View,
        here: &EntityRef,
        direction: Direction,
    ) -> Result<Option<Vec<(EntityRef, EntityRef)>>> {
        let EntityRef::Symbol(path, _) = here else { return Ok(None) };
        if Language::of(path).map(language_family) != Some(language_family(self.language)) {
            return Ok(None);
        }
        let mut edges = Vec::new();
        if direction != Direction::Along {
            let Some(callers) = self.ends(view, here, true)? else { return Ok(None) };
            edges.extend(callers.into_iter().map(|from| (from, here.clone())));
        }
        if direction != Direction::Against {
            let Some(callees) = self.ends(view, here, false)? else { return Ok(None) };
            edges.extend(callees.into_iter().map(|to| (here.clone(), to)));
        }
        Ok(Some(edges))
    }

    fn ends(
        &self,
        view: &View,
        here: &EntityRef,
        incoming: bool,
    ) -> Result<Option<Vec<EntityRef>>> {
        if let Some(known) = self.known.borrow().get(&(here.clone(), incoming)) {
            return Ok(Some(known.clone()));
        }
        let found = match ask(view, here, incoming)? {
            Ok(found) => found,
            Err(absent) => {
                view.doubt(format!("calls of {here} are the index's: {}", absent.why));
                return Ok(None);
            }
        };
        self.known.borrow_mut().insert((here.clone(), incoming), found.clone());
        Ok(Some(found))
    }
}

fn ask(view: &View, here: &EntityRef, incoming: bool) -> Result<Result<Vec<EntityRef>, Absent>> {
    let target: Target = match here.to_string().parse() {
        Ok(target) => target,
        Err(_) => return Ok(Ok(Vec::new())),
    };
    let spot = Spot::of(view, &target, None)?;
    let server = match Server::open(view, (&spot.path, spot.language))? {
        Ok(server) => server,
        Err(absent) => return Ok(Err(absent)),
    };
    // What a test declares, only its own project calls.
    let reaches_out = incoming && !is_test(&spot.path) && server.show_projects(&spot)?;
    let prepare = ("textDocument/prepareCallHierarchy", "callHierarchyProvider");
    let items = match server.ask(prepare, &server.at(&spot))? {
        Ok(items) => items,
        Err(absent) if absent.code == base::Code::InvalidOperation => Value::Null,
        Err(absent) => return Ok(Err(absent)),
    };
    let (method, field) = if incoming { INCOMING } else { OUTGOING };
    let texts = Texts::new(view);
    let mut found = Vec::new();
    for item in items.as_array().map_or(&[][..], Vec::as_slice) {
        let ask = (method, "callHierarchyProvider");
        let calls = match server.ask(ask, &json!({"item": item}))? {
            Ok(calls) => calls,
            Err(absent) => return Ok(Err(absent)),
        };
        for call in calls.as_array().map_or(&[][..], Vec::as_slice) {
            found.extend(end(&texts, &server, &call[field])?);
        }
    }
    if reaches_out {
        match calls_elsewhere(&texts, &server, &spot)? {
            Ok(callers) => found.extend(callers),
            Err(absent) => return Ok(Err(absent)),
        }
    }
    found.sort();
    found.dedup();
    Ok(Ok(found))
}

/// Who calls a symbol from other projects: the call hierarchy of a TypeScript server ends with the
/// project of the file that is asked about, its references do not.
fn calls_elsewhere(
    texts: &Texts<'_>,
    server: &Server<'_>,
    spot: &Spot,
) -> Result<Result<Vec<EntityRef>, Absent>> {
    let mut params = server.at(spot);
    params["context"] = json!({"includeDeclaration": false});
    let uses = match server.ask(("textDocument/references", "referencesProvider"), &params)? {
        Ok(uses) => uses,
        Err(absent) => return Ok(Err(absent)),
    };
    let mut found = Vec::new();
    for location in uses.as_array().map_or(&[][..], Vec::as_slice) {
        let Some(file) = location["uri"].as_str().and_then(path_of) else { continue };
        let Some(path) = texts.inside(&file) else { continue };
        let Some(known) = texts.read(&path)? else { continue };
        let at = Position::from_json(&location["range"]["start"]);
        let offset = at.and_then(|at| offset_at(&known.text, at, server.encoding()));
        found
            .extend(offset.filter(|at| is_called(&known, *at)).map(|at| around(&path, &known, at)));
    }
    Ok(Ok(found))
}

/// Whether the name at a byte is what is called there.
fn is_called(known: &Known, offset: usize) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$' || c == '#';
    if known.facts.symbols.iter().any(|symbol| symbol.name_span.start as usize == offset) {
        return false;
    }
    let (before, rest) = known.text.split_at(offset);
    let before = before.trim_end_matches(|c| is_part(c) || c == '.').trim_end();
    let after = rest.trim_start_matches(is_part).trim_start_matches('!');
    let after = after.strip_prefix("?.").unwrap_or(after);
    let after = after.strip_prefix('<').map_or(after, past_types).trim_start();
    // A tag starts with a bracket too, and a type argument with one that follows a name.
    let is_tag = before.strip_suffix('<').is_some_and(|before| !before.ends_with(is_part));
    after.starts_with(['(', '`']) || is_tag || before.ends_with('@') || before.ends_with("new")
}

/// What follows the type arguments that start here.
fn past_types(text: &str) -> &str {
    let mut open = 1;
    let end = text.char_indices().find(|(_, c)| {
        open += i32::from(*c == '<') - i32::from(*c == '>');
        open == 0
    });
    end.map_or("", |(at, _)| &text[at + 1..])
}

/// The symbol that an item of a call hierarchy is; nothing for what is not of the repository.
fn end(texts: &Texts<'_>, server: &Server<'_>, item: &Value) -> Result<Option<EntityRef>> {
    let Some(file) = item["uri"].as_str().and_then(path_of) else { return Ok(None) };
    let Some(path) = texts.inside(&file) else { return Ok(None) };
    let Some(known) = texts.read(&path)? else { return Ok(None) };
    // A file's own code is an item too, with the whole file as its name.
    if item["kind"].as_u64() == Some(MODULE) || item["kind"].as_u64() == Some(FILE) {
        return Ok(Some(crate::layers::files::node(&path)));
    }
    let at = Position::from_json(&item["selectionRange"]["start"]);
    let offset = at.and_then(|at| offset_at(&known.text, at, server.encoding()));
    Ok(offset.map(|offset| around(&path, &known, offset)))
}

/// Kinds of symbols, as the protocol numbers them.
const FILE: u64 = 1;
const MODULE: u64 = 2;

/// Languages that one server serves count as one.
fn language_family(language: Language) -> Language {
    match language {
        Language::Tsx | Language::JavaScript => Language::TypeScript,
        Language::C => Language::Cpp,
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_told_from_a_mention() {
        let is = |text: &str| {
            let (before, rest) = text.split_once('|').unwrap();
            let text = [before, rest].concat();
            let facts = syntax::extract(Some(Language::Tsx), text.as_bytes());
            is_called(&Known { text, facts }, before.len())
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
