//! `code.references`: every use of a symbol.

use std::collections::{BTreeMap, BTreeSet};

use base::{RepoPath, Result};
use clap::Args;
use code::SymbolRelation;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::access_list::{AccessList, AccessSelection};
use super::locations::{LocationQuery, LocationsAnswer, used_by};
use crate::answers::accesses::{
    Access, FoundAccesses, SymbolAccess, accesses_at, find_symbol_accesses,
};
use crate::language_server::{
    AnswerSource, CodeLocations, LanguageServer, LspRequest, MissingServer, ParsedFileCache,
    TargetPosition,
};
use engine::contract::alias::OpAlias;
use engine::contract::args::{Limit, NodeTarget, Offset, comma_list};
use engine::contract::op::{OpExample, Query};
use engine::view::View;

/// Show every use of a symbol
///
/// Asks the language server; without one the index answers, with its confidence.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct References {
    /// Symbol as path#name, or place as path:line:column
    pub target: NodeTarget,
    /// Only uses of these kinds, grouped by kind; also for fields and properties
    #[arg(long, value_enum, value_delimiter = ',')]
    #[serde(default, deserialize_with = "comma_list")]
    pub access: Vec<Access>,
    /// Line of the use in that file, counted from 1, if the target names a symbol
    #[arg(long)]
    #[serde(default)]
    pub line: Option<u32>,
    /// Rows to show
    #[arg(long, default_value_t)]
    #[serde(default)]
    pub limit: Limit,
    /// Rows to skip
    #[arg(long, default_value_t)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub offset: Offset,
}

impl Query for References {
    const NAME: &'static str = "code.references";
    const ALIASES: &'static [OpAlias] =
        &[OpAlias::of("kart_references").joining(["path|file", "symbol", "#", "target"])];
    const EXAMPLES: &'static [OpExample] = &[
        OpExample { args: "src/session.ts#Session.refresh", shows: "who uses a method" },
        OpExample {
            args: "src/session.ts#Session.token --access write,read",
            shows: "who sets a field, and who reads it",
        },
    ];
    type Answer = LocationsAnswer;

    fn run(self, view: &View) -> Result<LocationsAnswer> {
        let target_position = TargetPosition::of_use(view, &self.target, self.line)?;
        let asked = LocationQuery {
            request: LspRequest {
                method: "textDocument/references",
                capability: "referencesProvider",
            },
            noun: "reference",
            limit: self.limit,
            offset: self.offset,
        };
        let answered = from_server(view, &target_position, &asked)?;
        if !self.access.is_empty() {
            let selection =
                AccessSelection { kinds: &self.access, limit: self.limit, offset: self.offset };
            return accesses(view, &target_position, &asked, answered, &selection);
        }
        match answered {
            Ok((places, by)) => Ok(asked.answer(&target_position, by, places)),
            Err(absent) => from_index(view, &target_position, &asked, absent),
        }
    }
}

/// The places that use a symbol, each with its kind of access: from the server, otherwise from the
/// index and the texts of files.
fn accesses(
    view: &View,
    target_position: &TargetPosition,
    asked: &LocationQuery,
    answered: Result<(CodeLocations, AnswerSource), MissingServer>,
    selection: &AccessSelection<'_>,
) -> Result<LocationsAnswer> {
    let (found, by) = match answered {
        Ok((places, by)) => {
            (FoundAccesses { places: classified(view, target_position, &places)?, others: 0 }, by)
        }
        Err(absent) => (find_symbol_accesses(view, target_position)?, absent.by()),
    };
    let (list, paging) = AccessList::new(found.places, found.others, selection);
    let mut answer = asked.answer(target_position, by, CodeLocations::default());
    answer.files = list.places.iter().map(|place| &place.path).collect::<BTreeSet<_>>().len();
    answer.accesses = Some(list);
    answer.paging = paging;
    Ok(answer)
}

/// The kind of access at each place that a server named.
fn classified(
    view: &View,
    target_position: &TargetPosition,
    places: &CodeLocations,
) -> Result<Vec<SymbolAccess>> {
    let texts = ParsedFileCache::new(view);
    let name = target_position.name_at_offset();
    let mut lines: BTreeMap<&RepoPath, BTreeSet<u32>> = BTreeMap::new();
    for place in &places.inside {
        lines.entry(&place.path).or_default().insert(place.line);
    }
    let mut found = Vec::new();
    for (path, lines) in lines {
        if let Some(known) = texts.read(path)? {
            found.extend(accesses_at(path, &known, &name, &lines));
        }
    }
    Ok(found)
}

fn from_server(
    view: &View,
    target_position: &TargetPosition,
    asked: &LocationQuery,
) -> Result<Result<(CodeLocations, AnswerSource), MissingServer>> {
    let server = match LanguageServer::open_for_all(
        view,
        &target_position.path,
        target_position.language,
    )? {
        Ok(server) => server,
        Err(absent) => return Ok(Err(absent)),
    };
    server.open_projects_mentioning(target_position)?;
    let mut params = server.at(target_position);
    params["context"] = json!({"includeDeclaration": false});
    match server.ask(asked.request, &params)? {
        Ok(answer) => {
            let places = ParsedFileCache::new(view).places(&answer, server.encoding())?;
            Ok(Ok((places, server.by())))
        }
        Err(absent) => Ok(Err(absent)),
    }
}

fn from_index(
    view: &View,
    target_position: &TargetPosition,
    asked: &LocationQuery,
    absent: MissingServer,
) -> Result<LocationsAnswer> {
    let ((places, by), unsure) = used_by(view, target_position, &SymbolRelation::ALL, absent)?;
    let mut found =
        asked.answer(target_position, by, CodeLocations { inside: places, outside: Vec::new() });
    found.notes.push("Each symbol that uses it is listed once".into());
    if unsure > 0 {
        let more = match unsure {
            1 => "1 more call matches".to_owned(),
            _ => format!("{unsure} more calls match"),
        };
        found.notes.push(format!("{more} by name only, on receivers of unknown type"));
    }
    Ok(found)
}
