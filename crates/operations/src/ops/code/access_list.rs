//! The places that read, write, call or construct a symbol, by kind and file.

use std::collections::BTreeMap;

use base::EntityRef;
use base::words::counted;
use schemars::JsonSchema;
use serde::Serialize;

use crate::answers::accesses::{Access, AccessEvidence, SymbolAccess};
use engine::contract::answer::Paging;
use engine::contract::args::{Limit, Offset};
use engine::contract::page::{Page, PageCell};

/// Maximum length of a shown line, in characters.
const MAX_LINE_CHARS: usize = 100;

/// The places that use a symbol, and how
#[derive(Debug, Serialize, JsonSchema)]
pub struct AccessList {
    /// How many places of each kind there are, tests included
    pub counts: BTreeMap<Access, usize>,
    /// How many places are in tests
    pub in_tests: usize,
    /// How many places are known by each kind of evidence
    pub evidence: BTreeMap<AccessEvidence, usize>,
    /// How many mentions of the name mean something else
    pub others: usize,
    /// How many places use it as the key of a member, as in `user[symbol] = 1`
    pub as_key: usize,
    /// The places: by kind, production code before tests, then by file and line
    pub places: Vec<SymbolAccess>,
}

/// The kinds and rows that were asked for.
pub(super) struct AccessSelection<'a> {
    pub kinds: &'a [Access],
    pub limit: Limit,
    pub offset: Offset,
}

impl AccessList {
    pub(super) fn new(
        mut places: Vec<SymbolAccess>,
        others: usize,
        selection: &AccessSelection<'_>,
    ) -> (Self, Paging) {
        places.retain(|place| selection.kinds.contains(&place.access));
        places.sort_by_key(|place| (place.is_test, place.access));
        let mut counts = BTreeMap::new();
        let mut evidence = BTreeMap::new();
        for place in &places {
            *counts.entry(place.access).or_default() += 1;
            *evidence.entry(place.evidence).or_default() += 1;
        }
        let in_tests = places.iter().filter(|place| place.is_test).count();
        let as_key = places.iter().filter(|place| place.is_key).count();
        let (places, paging) = Paging::cut(places, selection.offset, selection.limit);
        (Self { counts, in_tests, evidence, others, as_key, places }, paging)
    }

    pub(super) fn render(&self, page: &mut Page, target: &str, paging: Paging) {
        let name = target.strip_prefix("symbol:").unwrap_or(target);
        page.answer(format!("{name}: {}", self.headline()));
        let same_group =
            |a: &SymbolAccess, b: &SymbolAccess| (a.is_test, a.access) == (b.is_test, b.access);
        for group in self.places.chunk_by(same_group) {
            page.heading(heading(&group[0]));
            for file in group.chunk_by(|a, b| a.path == b.path) {
                page.say(format!("  {}", file[0].path));
                page.table(4, file.iter().map(row).collect());
            }
        }
        paging.render_rest(page, self.places.len());
        page.say(self.evidence_note());
    }

    fn headline(&self) -> String {
        if self.counts.is_empty() {
            return "no such use found".into();
        }
        let kinds = self.counts.iter().map(|(access, count)| counted(*count, access.noun()));
        let kinds = kinds.collect::<Vec<_>>().join(", ");
        match self.in_tests {
            0 => kinds,
            tests => format!("{kinds}; {tests} of them in tests"),
        }
    }

    fn evidence_note(&self) -> String {
        let part = |evidence: &AccessEvidence, count: &usize| match evidence {
            AccessEvidence::Server => format!("{count} by the language server"),
            AccessEvidence::Scope => format!("{count} by scope and imports"),
            AccessEvidence::Type => format!("{count} by the type of the receiver"),
            AccessEvidence::Name => format!("{count} by name, on values of unknown type"),
        };
        let parts = self.evidence.iter().map(|(evidence, count)| part(evidence, count));
        let found = match parts.collect::<Vec<_>>().join("; ") {
            none if none.is_empty() => "Searched all files of the language".into(),
            found => format!("Found {found}"),
        };
        let keys = match self.as_key {
            0 => String::new(),
            count => format!("; {count} of them as the key of a member (`value[key]`)"),
        };
        match self.others {
            0 => format!("{found}{keys}"),
            others => {
                format!("{found}{keys}. Mentions of the name that mean something else: {others}")
            }
        }
    }
}

fn heading(place: &SymbolAccess) -> String {
    let kind = match place.access {
        Access::Write => "Writes",
        Access::Read => "Reads",
        Access::Call => "Calls",
        Access::Construct => "Constructions",
        Access::Type => "Uses as a type",
    };
    if place.is_test { format!("{kind} in tests") } else { kind.into() }
}

fn row(place: &SymbolAccess) -> Vec<PageCell> {
    let name = match &place.node {
        EntityRef::Symbol(_, name) => name.to_string(),
        _ => "(top level)".into(),
    };
    let text = match place.text.char_indices().nth(MAX_LINE_CHARS) {
        Some((end, _)) => format!("{}…", &place.text[..end]),
        None => place.text.clone(),
    };
    vec![PageCell::text(place.line.to_string()), PageCell::text(name), PageCell::faint(text)]
}
