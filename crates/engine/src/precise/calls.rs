//! Who calls whom, as a server's call hierarchy says.

use std::cell::RefCell;
use std::collections::BTreeMap;

use base::{EntityRef, Result};
use serde_json::{Value, json};
use syntax::Language;
use toolchain::lsp::{Position, offset_at, path_of};

use super::found::{Texts, around};
use super::{Absent, By, Server, Spot};
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
    if incoming {
        server.show_projects(&spot)?;
    }
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
    found.sort();
    found.dedup();
    Ok(Ok(found))
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
