//! Places as an answer: what references, definitions and implementations have in common.

use base::entity::own_name;
use base::words::{counted, plural};
use base::{EntityRef, Result};
use code::{Relation, Sure};
use schemars::JsonSchema;
use serde::Serialize;

use crate::contract::answer::Paging;
use crate::contract::args::{Limit, Offset};
use crate::contract::page::{Cell, Page, Render};
use crate::layers::code::edge_end;
use crate::precise::{Absent, By, Outside, Places, Server, Sighting, Spot, Texts};
use crate::view::View;

/// How many places outside the repository an answer lists.
const LISTED: usize = 20;

/// Calls by name that are counted.
const MOST_UNSURE: u32 = 200;

/// Places that were found
#[derive(Debug, Serialize, JsonSchema)]
pub struct Found {
    /// What was asked about
    pub target: String,
    /// Who answered
    pub by: By,
    /// How many files they are in
    pub files: usize,
    /// The places, by file and line
    pub places: Vec<Sighting>,
    /// Places outside the repository
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub outside: Vec<Outside>,
    /// What the answer leaves open
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    #[serde(skip)]
    pub(super) paging: Paging,
    #[serde(skip)]
    pub(super) what: &'static str,
}

/// What is asked of the server, and how the answer is called.
pub(super) struct Asked {
    pub method: (&'static str, &'static str),
    /// The noun for one of them
    pub what: &'static str,
    pub limit: Limit,
    pub offset: Offset,
}

impl Asked {
    /// Asks the server about a place; the inner failure says why it does not answer.
    pub(super) fn server(&self, view: &View, spot: &Spot) -> Result<Result<Found, Absent>> {
        let server = match Server::open(view, (&spot.path, spot.language))? {
            Ok(server) => server,
            Err(absent) => return Ok(Err(absent)),
        };
        let params = server.at(spot);
        match server.ask(self.method, &params)? {
            Ok(answer) => {
                let places = Texts::new(view).places(&answer, server.encoding())?;
                Ok(Ok(self.found(spot, server.by(), places)))
            }
            Err(absent) => Ok(Err(absent)),
        }
    }

    /// The answer with its part of the list.
    pub(super) fn found(&self, spot: &Spot, by: By, places: Places) -> Found {
        let mut files: Vec<_> = places.inside.iter().map(|one| &one.path).collect();
        files.dedup();
        let files = files.len();
        let (inside, paging) = Paging::cut(places.inside, self.offset, self.limit);
        Found {
            target: spot.named(),
            by,
            files,
            places: inside,
            outside: places.outside,
            notes: Vec::new(),
            paging,
            what: self.what,
        }
    }
}

/// Who uses a symbol, as far as the index knows: the places with who answers, and how many more
/// calls have only its name.
pub(super) fn used_by(
    view: &View,
    spot: &Spot,
    relations: &[Relation],
    absent: Absent,
) -> Result<((Vec<Sighting>, By), usize)> {
    let EntityRef::Symbol(path, name) = &spot.node else { return Err(absent.problem()) };
    let conn = view.index()?.conn();
    let texts = Texts::new(view);
    let mut places = Vec::new();
    for row in code::edges_to(conn, &[(path, name.as_str())], relations)? {
        let sure = if row.sure == Sure::Exact { "exact" } else { "inferred" };
        let from = edge_end(&row.from);
        places.push(texts.line((&row.from.0, row.line), from, sure)?);
    }
    places.sort();
    places.dedup_by(|a, b| (&a.path, a.line, &a.node) == (&b.path, b.line, &b.node));
    let unsure = code::unsure_calls(conn, own_name(name.as_str()), MOST_UNSURE)?.len();
    Ok(((places, absent.by()), unsure))
}

impl Render for Found {
    fn render(&self, page: &mut Page) {
        let inside = usize::try_from(self.paging.total).unwrap_or(usize::MAX);
        let total = inside + self.outside.len();
        let count = match total {
            0 => format!("No {}", plural(self.what)),
            total => counted(total, self.what),
        };
        let by = match self.by.name() {
            Some(name) => format!(", by {name}"),
            None => ", as far as the index knows".into(),
        };
        let files = match self.files {
            0 | 1 => String::new(),
            files => format!(" in {}", counted(files, "file")),
        };
        page.answer(format!("{count} of {}{files}{by}", self.target));
        page.table(2, self.places.iter().map(Sighting::cells).collect());
        self.paging.say_rest(page, self.places.len());
        let row = |one: &Outside| vec![Cell::text(format!("{}:{}", one.file, one.line))];
        if !self.outside.is_empty() {
            page.say("Outside the repository:");
            page.table(2, self.outside.iter().take(LISTED).map(row).collect());
        }
        self.notes.iter().for_each(|note| page.say(note));
        self.by.render(page);
    }

    fn paging(&self) -> Option<Paging> {
        Some(self.paging)
    }
}
