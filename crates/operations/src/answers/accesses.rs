//! Which places read, write, call or construct a symbol.
//!
//! A mention belongs to the symbol if the index has an edge there, if the receiver has the type
//! that declares the symbol, or, if that type is not known, if it has the symbol's name. The answer
//! says which.

use std::collections::{BTreeSet, HashSet};
use std::str::FromStr;

use base::entity::own_name;
use base::{EntityRef, RepoPath, Result};
use clap::ValueEnum;
use code::{SymbolEndpoint, SymbolRelation};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use syntax::{
    AccessForm, AccessKind, AssignTarget, CallKind, Expr, FileFacts, FlowAction, Language,
    NameAccess, Symbol, SymbolKind, TypeRef, find_accesses,
};

use super::role::is_test_file;
use crate::language_server::{ParsedFile, TargetPosition, enclosing_node};
use engine::index::tables;
use engine::view::View;

/// Files above this size are not searched, in bytes.
const MAX_FILE_BYTES: u64 = 2 * 1024 * 1024;

/// How far types are followed to their subtypes and supertypes.
const MAX_TYPE_LEVELS: usize = 6;

/// Words for the value that a method belongs to.
const RECEIVER_WORDS: [&str; 5] = ["this", "self", "Self", "cls", "$this"];

/// Kinds of symbols that have members.
const DECLARING_KINDS: [SymbolKind; 7] = [
    SymbolKind::Class,
    SymbolKind::Interface,
    SymbolKind::Trait,
    SymbolKind::Struct,
    SymbolKind::Enum,
    SymbolKind::Union,
    SymbolKind::Type,
];

/// What is done with a symbol
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    ValueEnum,
    Serialize,
    Deserialize,
    JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// A value is assigned to it
    Write,
    /// Its value is used
    Read,
    /// It is called
    Call,
    /// A value of this type is constructed
    Construct,
    /// It is written as a type
    Type,
}

impl FromStr for Access {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        <Self as ValueEnum>::from_str(text, true)
    }
}

impl Access {
    /// The kind of access of a mention; `None` if it declares or imports the name.
    const fn of(kind: AccessKind) -> Option<Self> {
        match kind {
            AccessKind::Write => Some(Self::Write),
            AccessKind::Read => Some(Self::Read),
            AccessKind::Call => Some(Self::Call),
            AccessKind::Construct => Some(Self::Construct),
            AccessKind::Type => Some(Self::Type),
            AccessKind::Import | AccessKind::Declaration => None,
        }
    }

    /// The noun for one access of this kind.
    pub(crate) const fn noun(self) -> &'static str {
        match self {
            Self::Write => "write",
            Self::Read => "read",
            Self::Call => "call",
            Self::Construct => "construction",
            Self::Type => "use as a type",
        }
    }
}

/// How it is known that a mention means the symbol
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AccessEvidence {
    /// The language server says so
    Server,
    /// It is in the scope of the declaration, or imports it
    Scope,
    /// The receiver has the type that declares it
    Type,
    /// Only the name matches; the type of the receiver is not known
    Name,
}

/// One place that uses a symbol
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct SymbolAccess {
    /// What is done there
    pub access: Access,
    /// The file
    pub path: RepoPath,
    /// The line, from 1
    pub line: u32,
    /// The column, from 1, in characters
    pub column: u32,
    /// The symbol around it, or the file
    pub node: EntityRef,
    /// The line's text
    pub text: String,
    /// Whether it is in a test
    pub is_test: bool,
    /// How it is known that it means the symbol
    pub evidence: AccessEvidence,
    /// Whether the symbol is the key of the member that is accessed: `user[symbol]`
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_key: bool,
    /// The assigned value, if it is a short literal
    #[serde(skip_serializing_if = "Option::is_none")]
    pub literal: Option<String>,
}

/// The places that use a symbol.
#[derive(Debug, Default)]
pub(crate) struct FoundAccesses {
    pub places: Vec<SymbolAccess>,
    /// Mentions of the name that mean something else
    pub others: usize,
}

/// Every place that uses the symbol named at a position, as far as the index and the texts show.
pub(crate) fn find_symbol_accesses(
    view: &View,
    target_position: &TargetPosition,
) -> Result<FoundAccesses> {
    let target = AccessTarget::of(view, target_position)?;
    let files = tables::all_files(view.index()?.conn())?;
    let family = target_position.language.family();
    let candidates: Vec<(&RepoPath, Language)> = files
        .iter()
        .filter_map(|path| Some((path, Language::from_path(path)?)))
        .filter(|(_, language)| language.is_code() && language.family() == family)
        .collect();
    let tree = view.tree();
    let found: Vec<FoundAccesses> = candidates
        .par_iter()
        .filter_map(|(path, language)| {
            let blob = tree.read_at_most(path, MAX_FILE_BYTES).ok()??.ok()?;
            let text = String::from_utf8(blob.bytes).ok()?;
            text.contains(target.name.as_str()).then(|| target.accesses_in(path, *language, text))
        })
        .collect();
    let mut all = FoundAccesses::default();
    for one in found {
        all.places.extend(one.places);
        all.others += one.others;
    }
    all.places.sort();
    Ok(all)
}

/// The access at each of some places that a language server named.
pub(crate) fn accesses_at(
    path: &RepoPath,
    known: &ParsedFile,
    name: &str,
    places: &BTreeSet<u32>,
) -> Vec<SymbolAccess> {
    let Some(language) = Language::from_path(path) else { return Vec::new() };
    let accesses = find_accesses(language, &known.text, name).into_iter();
    accesses
        .filter_map(|access| {
            let place = place_of(path, known, &access, AccessEvidence::Server)?;
            places.contains(&place.line).then_some(place)
        })
        .collect()
}

/// The symbol whose accesses are searched.
struct AccessTarget {
    /// Its own name
    name: String,
    /// The file that declares it
    path: RepoPath,
    /// The types whose member it is; empty if it is not a member or the type is unknown
    types: HashSet<String>,
    /// Whether it is used without a receiver: a function, type or constant, not a member
    is_free: bool,
    /// Files that use it by an edge or an import
    users: HashSet<RepoPath>,
}

impl AccessTarget {
    fn of(view: &View, target_position: &TargetPosition) -> Result<Self> {
        let EntityRef::Symbol(path, full) = &target_position.node else {
            return Ok(Self {
                name: target_position.name_at_offset(),
                path: target_position.path.clone(),
                types: HashSet::new(),
                is_free: false,
                users: HashSet::new(),
            });
        };
        let conn = view.index()?.conn();
        let symbol =
            target_position.facts.symbols.iter().find(|symbol| symbol.path == full.as_str());
        let container = symbol.and_then(|symbol| enclosing_type(&target_position.facts, symbol));
        let mut users: HashSet<RepoPath> = HashSet::new();
        let own = SymbolEndpoint::new(path, full.as_str());
        for edge in code::edges_to(conn, &[own], &SymbolRelation::ALL)? {
            users.insert(edge.from.0);
        }
        for importer in code::importers(conn, path)? {
            if importer.name == full.as_str() || importer.name == "*" {
                users.insert(importer.path);
            }
        }
        let types = match &container {
            Some(container) => related_types(view, path, container)?,
            None => HashSet::new(),
        };
        Ok(Self {
            name: own_name(full.as_str()).to_owned(),
            path: path.clone(),
            is_free: container.is_none(),
            types,
            users,
        })
    }

    fn accesses_in(&self, path: &RepoPath, language: Language, text: String) -> FoundAccesses {
        let accesses = find_accesses(language, &text, &self.name);
        let mut found = FoundAccesses::default();
        if accesses.is_empty() {
            return found;
        }
        let facts = syntax::extract(Some(language), text.as_bytes());
        let known = ParsedFile { text, facts };
        for mut access in accesses {
            if self.is_free && access.form == AccessForm::Shorthand {
                access.kind = AccessKind::Read; // `{ name }` writes the entry and reads the symbol
            }
            match self.evidence(path, &known.facts, &access) {
                Some(evidence) => found.places.extend(place_of(path, &known, &access, evidence)),
                None => found.others += usize::from(Access::of(access.kind).is_some()),
            }
        }
        found
    }

    /// How it is known that a mention means the target; `None` if it means something else.
    fn evidence(
        &self,
        path: &RepoPath,
        facts: &FileFacts,
        access: &NameAccess,
    ) -> Option<AccessEvidence> {
        if self.is_free {
            let is_near = path == &self.path || self.users.contains(path);
            let is_meant = is_near && !is_member_of_value(facts, access);
            return is_meant.then_some(AccessEvidence::Scope);
        }
        if let Some(constructed) = &access.constructed {
            let around = symbols_around(facts, access.span.start);
            let own = RECEIVER_WORDS.contains(&constructed.as_str());
            let own = own.then(|| type_around(facts, &around)).flatten();
            let name = own.as_deref().unwrap_or_else(|| last_part(constructed));
            return self.types.contains(name).then_some(AccessEvidence::Type);
        }
        if !access.is_member || self.types.is_empty() {
            return access.is_member.then_some(AccessEvidence::Name);
        }
        match receiver_type(facts, access) {
            Some(ty) => self.types.contains(&ty).then_some(AccessEvidence::Type),
            None => Some(AccessEvidence::Name),
        }
    }
}

/// Whether a mention is a member of a value, and therefore no symbol of a file: an entry, or behind
/// `this` or a variable of a function. Behind another name it may be a symbol of a module.
fn is_member_of_value(facts: &FileFacts, access: &NameAccess) -> bool {
    if matches!(access.form, AccessForm::Entry | AccessForm::Text) {
        return true;
    }
    let Some(first) = access.receiver.first() else { return false };
    let around = symbols_around(facts, access.span.start);
    let is_local = |binding: &syntax::Binding| {
        binding.name == *first && binding.owner.is_some_and(|owner| around.contains(&owner))
    };
    RECEIVER_WORDS.contains(&first.as_str()) || facts.flow.bindings.iter().any(is_local)
}

fn place_of(
    path: &RepoPath,
    known: &ParsedFile,
    access: &NameAccess,
    evidence: AccessEvidence,
) -> Option<SymbolAccess> {
    let offset = access.span.start as usize;
    let before = &known.text[..offset];
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let count = |number: usize| u32::try_from(number + 1).unwrap_or(u32::MAX);
    Some(SymbolAccess {
        access: Access::of(access.kind)?,
        path: path.clone(),
        line: count(before.matches('\n').count()),
        column: count(before[start..].chars().count()),
        node: enclosing_node(path, known, offset),
        text: known.text[start..].lines().next().unwrap_or_default().trim().to_owned(),
        is_test: is_test_file(path) || is_in_test_symbol(&known.facts, access.span.start),
        evidence,
        is_key: access.form == AccessForm::Key,
        literal: access.literal.clone(),
    })
}

fn is_in_test_symbol(facts: &FileFacts, offset: u32) -> bool {
    symbols_around(facts, offset).iter().any(|at| facts.symbols[*at as usize].is_test)
}

fn last_part(path: &str) -> &str {
    let name = path.rsplit([':', '.', '\\', '*', '&']).next().unwrap_or(path);
    name.split('<').next().unwrap_or(name).trim()
}

/// The own name of the type that a member belongs to.
fn enclosing_type(facts: &FileFacts, symbol: &Symbol) -> Option<String> {
    let parent = facts.symbols.get(symbol.parent? as usize)?;
    if let Some(TypeRef::Named { path, .. }) =
        parent.ty.as_ref().filter(|_| parent.kind == SymbolKind::Impl)
    {
        return Some(last_part(path).to_owned());
    }
    DECLARING_KINDS.contains(&parent.kind).then(|| parent.name.clone())
}

/// A type with its subtypes and supertypes, by their own names.
fn related_types(view: &View, path: &RepoPath, name: &str) -> Result<HashSet<String>> {
    const PARENTS: [SymbolRelation; 2] = [SymbolRelation::Extends, SymbolRelation::Implements];
    let conn = view.index()?.conn();
    let mut known: HashSet<String> = HashSet::from([name.to_owned()]);
    let mut open: Vec<(RepoPath, String)> = vec![(path.clone(), name.to_owned())];
    for _ in 0..MAX_TYPE_LEVELS {
        let ends: Vec<SymbolEndpoint<'_>> =
            open.iter().map(|(path, name)| SymbolEndpoint::new(path, name)).collect();
        let below = code::edges_to(conn, &ends, &PARENTS)?.into_iter().map(|edge| edge.from);
        let above = code::edges_from(conn, &ends, &PARENTS)?.into_iter().map(|edge| edge.to);
        let next: Vec<(RepoPath, String)> = below.chain(above).collect();
        open =
            next.into_iter().filter(|(_, name)| known.insert(own_name(name).to_owned())).collect();
        if open.is_empty() {
            break;
        }
    }
    Ok(known)
}

/// The symbols around a byte, innermost first.
fn symbols_around(facts: &FileFacts, offset: u32) -> Vec<u32> {
    let is_around = |symbol: &Symbol| symbol.span.start <= offset && offset < symbol.span.end;
    let all = (0u32..).zip(&facts.symbols).filter(|(_, symbol)| is_around(symbol));
    let mut around: Vec<u32> = all.map(|(at, _)| at).collect();
    around.reverse();
    around
}

/// The own name of the type that some code is a part of.
fn type_around(facts: &FileFacts, around: &[u32]) -> Option<String> {
    around.iter().find_map(|at| enclosing_type(facts, &facts.symbols[*at as usize]))
}

/// The own name of the type that a receiver has where it is used, if that is written in its file.
fn receiver_type(facts: &FileFacts, access: &NameAccess) -> Option<String> {
    let (first, members) = access.receiver.split_first()?;
    let around = symbols_around(facts, access.span.start);
    let first = match RECEIVER_WORDS.contains(&first.as_str()) {
        true => type_around(facts, &around)?,
        false => variable_type(facts, &around, first)?,
    };
    members.iter().try_fold(first, |owner, member| member_type(facts, &owner, member))
}

/// The type of a member, or of what it returns, if its type is declared in the file.
fn member_type(facts: &FileFacts, owner: &str, member: &str) -> Option<String> {
    let named = facts.symbols.iter().filter(|symbol| symbol.name == member);
    let mut own = named.filter(|symbol| enclosing_type(facts, symbol).as_deref() == Some(owner));
    own.find_map(|symbol| symbol.ty.as_ref().and_then(type_name))
}

/// The type of a variable or parameter, seen from inside some symbols, innermost first.
fn variable_type(facts: &FileFacts, around: &[u32], name: &str) -> Option<String> {
    let owners = around.iter().copied().map(Some).chain([None]);
    let (at, binding) = owners.into_iter().find_map(|owner| {
        let mut bindings = (0u32..).zip(&facts.flow.bindings);
        bindings.find(|(_, binding)| binding.name == name && binding.owner == owner)
    })?;
    let written = binding.ty.as_ref().and_then(type_name);
    let of_parameter = || {
        let params = around.iter().flat_map(|function| {
            facts.flow.params.iter().filter(move |param| param.function == *function)
        });
        let mut named = params.filter(|param| param.name == name);
        named.find_map(|param| param.ty.as_ref().and_then(type_name))
    };
    written.or_else(of_parameter).or_else(|| constructed_by(facts, at))
}

/// The type that a variable gets by `new T()`, if all its values do.
fn constructed_by(facts: &FileFacts, binding: u32) -> Option<String> {
    let values = facts.flow.steps.iter().filter_map(|step| match &step.action {
        FlowAction::Assign(AssignTarget::Local(to), value) if *to == binding => Some(value),
        _ => None,
    });
    let types: BTreeSet<Option<String>> = values
        .map(|value| match value {
            Expr::Call(call) => {
                let call = facts.flow.calls.get(*call as usize)?;
                (call.kind == CallKind::New).then(|| expression_name(facts, &call.callee)).flatten()
            }
            Expr::Typed(_, ty) => type_name(ty),
            _ => None,
        })
        .collect();
    let mut types = types.into_iter();
    types.next().flatten().filter(|_| types.next().is_none())
}

fn expression_name(facts: &FileFacts, value: &Expr) -> Option<String> {
    match value {
        Expr::Local(binding) => Some(facts.flow.bindings.get(*binding as usize)?.name.clone()),
        Expr::Name(name) | Expr::Member(_, name) => Some(name.clone()),
        Expr::Path(parts) => parts.last().cloned(),
        _ => None,
    }
}

fn type_name(ty: &TypeRef) -> Option<String> {
    match ty {
        TypeRef::Named { path, .. } => Some(last_part(path).to_owned()),
        TypeRef::Union(parts) => {
            let names: BTreeSet<String> = parts.iter().filter_map(type_name).collect();
            let mut known = names
                .into_iter()
                .filter(|name| !["null", "undefined", "None"].contains(&name.as_str()));
            known.next().filter(|_| known.next().is_none())
        }
        _ => None,
    }
}
