//! Answers that list places: the common part of references, definitions and implementations.

use base::entity::own_name;
use base::words::{counted, plural};
use base::{EntityRef, Result};
use code::{EdgeConfidence, SymbolEndpoint, SymbolRelation};
use schemars::JsonSchema;
use serde::Serialize;

use super::access_list::AccessList;
use crate::language_server::{
    AnswerSource, CodeLocation, CodeLocations, ExternalLocation, LanguageServer, LspRequest,
    MissingServer, ParsedFileCache, TargetPosition,
};
use engine::areas::code::named_node;
use engine::contract::answer::Paging;
use engine::contract::args::{Limit, Offset};
use engine::contract::page::{Page, PageCell, Render};
use engine::view::View;

/// How many places outside the repository an answer lists.
const MAX_EXTERNAL_LISTED: usize = 20;

/// How many calls by name are counted.
const MAX_UNRESOLVED_CALLS: u32 = 200;

/// Places that were found
#[derive(Debug, Serialize, JsonSchema)]
pub struct LocationsAnswer {
    /// What was asked about
    pub target: String,
    /// Who answered
    pub by: AnswerSource,
    /// How many files they are in
    pub files: usize,
    /// The places, by file and line
    pub places: Vec<CodeLocation>,
    /// Places outside the repository
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub outside: Vec<ExternalLocation>,
    /// How each place uses the symbol, if that was requested
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accesses: Option<AccessList>,
    /// Limits of the answer
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    #[serde(skip)]
    pub(super) paging: Paging,
    #[serde(skip)]
    pub(super) noun: &'static str,
}

/// A request to the server, and the noun for its results.
pub(super) struct LocationQuery {
    pub request: LspRequest,
    /// The noun for one of them
    pub noun: &'static str,
    pub limit: Limit,
    pub offset: Offset,
}

impl LocationQuery {
    /// Asks the server about a place; the inner error says why it did not answer.
    pub(super) fn ask_server(
        &self,
        view: &View,
        target_position: &TargetPosition,
    ) -> Result<Result<LocationsAnswer, MissingServer>> {
        let server =
            match LanguageServer::open(view, &target_position.path, target_position.language)? {
                Ok(server) => server,
                Err(absent) => return Ok(Err(absent)),
            };
        let params = server.at(target_position);
        match server.ask(self.request, &params)? {
            Ok(answer) => {
                let places = ParsedFileCache::new(view).places(&answer, server.encoding())?;
                Ok(Ok(self.answer(target_position, server.by(), places)))
            }
            Err(absent) => Ok(Err(absent)),
        }
    }

    /// The answer with the requested page of places.
    pub(super) fn answer(
        &self,
        target_position: &TargetPosition,
        by: AnswerSource,
        places: CodeLocations,
    ) -> LocationsAnswer {
        let mut files: Vec<_> = places.inside.iter().map(|one| &one.path).collect();
        files.dedup();
        let files = files.len();
        let (inside, paging) = Paging::cut(places.inside, self.offset, self.limit);
        LocationsAnswer {
            target: target_position.display_name(),
            by,
            files,
            places: inside,
            outside: places.outside,
            accesses: None,
            notes: Vec::new(),
            paging,
            noun: self.noun,
        }
    }
}

/// The uses of a symbol that the index knows, and how many more calls match by name only.
pub(super) fn used_by(
    view: &View,
    target_position: &TargetPosition,
    relations: &[SymbolRelation],
    absent: MissingServer,
) -> Result<((Vec<CodeLocation>, AnswerSource), usize)> {
    let EntityRef::Symbol(path, name) = &target_position.node else {
        return Err(absent.into_problem());
    };
    let conn = view.index()?.conn();
    let texts = ParsedFileCache::new(view);
    let mut places = Vec::new();
    for row in code::edges_to(conn, &[SymbolEndpoint::new(path, name.as_str())], relations)? {
        let sure = if row.sure == EdgeConfidence::Exact { "exact" } else { "inferred" };
        let from = named_node(&row.from.0, &row.from.1);
        places.push(texts.location_of_line(&row.from.0, row.line, from, sure)?);
    }
    places.sort();
    places.dedup_by(|a, b| (&a.path, a.line, &a.node) == (&b.path, b.line, &b.node));
    let unsure = code::unresolved_calls(conn, own_name(name.as_str()), MAX_UNRESOLVED_CALLS)?.len();
    Ok(((places, absent.by()), unsure))
}

impl Render for LocationsAnswer {
    fn render(&self, page: &mut Page) {
        if let Some(accesses) = &self.accesses {
            accesses.render(page, &self.target, self.paging);
            self.by.render(page);
            return;
        }
        let inside = usize::try_from(self.paging.total).unwrap_or(usize::MAX);
        let total = inside + self.outside.len();
        let count = match total {
            0 => format!("No {}", plural(self.noun)),
            total => counted(total, self.noun),
        };
        let by = match self.by.name() {
            Some(name) => format!(", by {name}"),
            None => ", from the index".into(),
        };
        let files = match self.files {
            0 | 1 => String::new(),
            files => format!(" in {}", counted(files, "file")),
        };
        page.answer(format!("{count} of {}{files}{by}", self.target));
        page.table(2, self.places.iter().map(CodeLocation::cells).collect());
        self.paging.render_rest(page, self.places.len());
        let row =
            |one: &ExternalLocation| vec![PageCell::text(format!("{}:{}", one.file, one.line))];
        if !self.outside.is_empty() {
            page.say("Outside the repository:");
            page.table(2, self.outside.iter().take(MAX_EXTERNAL_LISTED).map(row).collect());
        }
        self.notes.iter().for_each(|note| page.say(note));
        self.by.render(page);
    }

    fn paging(&self) -> Option<Paging> {
        Some(self.paging)
    }
}
