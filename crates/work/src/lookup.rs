//! Which record a caller means: by its id, the first digits of it, or its name.

use std::collections::BTreeMap;

use base::near::nearest;
use base::words::plural;
use base::{Code, Problem, Result};
use serde_json::{Value, json};

use crate::draft::Draft;
use crate::id::{Id, Ref};
use crate::record::Table;

/// How many near names a problem lists.
const NEAREST: usize = 3;

/// How many candidates a problem lists.
const LISTED: usize = 20;

/// A record that may be meant.
struct RecordMatch {
    table: Table,
    id: Id,
    name: String,
}

impl Draft<'_> {
    /// The one record of some tables that a caller means. Digits of an id are tried first, then
    /// whole names, then names that hold all words. Several are an error that lists them.
    pub(crate) fn look_up(&self, tables: &[Table], asked: &Ref) -> Result<(Table, Id)> {
        let mut found = self.by_id(tables, asked)?;
        let mut names = Vec::new();
        if found.is_empty() {
            for table in tables {
                names.push((*table, self.names(*table)?));
            }
            found = called(&names, |name| name.eq_ignore_ascii_case(&asked.name))?;
        }
        if found.is_empty() {
            let words = asked.name.to_lowercase();
            let holds = |name: &str| {
                let name = name.to_lowercase();
                words.split_whitespace().all(|word| name.contains(word))
            };
            found = called(&names, holds)?;
        }
        match found.as_slice() {
            [only] => Ok((only.table, only.id.clone())),
            [] => Err(nothing(tables, asked, &names)),
            several => Err(ambiguous(asked, several)),
        }
    }

    fn by_id(&self, tables: &[Table], asked: &Ref) -> Result<Vec<RecordMatch>> {
        let mut found = Vec::new();
        if asked.prefix.is_empty() {
            return Ok(found);
        }
        for table in tables {
            let ids = self.starting(*table, &asked.prefix)?;
            found.extend(ids.into_iter().map(|id| RecordMatch {
                table: *table,
                id,
                name: String::new(),
            }));
        }
        if found.len() > 1 {
            for one in &mut found {
                one.name = self.names(one.table)?.remove(one.id.as_str()).unwrap_or_default();
            }
        }
        Ok(found)
    }
}

/// The records whose names fit.
fn called(
    names: &[(Table, BTreeMap<String, String>)],
    fits: impl Fn(&str) -> bool,
) -> Result<Vec<RecordMatch>> {
    let mut found = Vec::new();
    for (table, names) in names {
        for (id, name) in names.iter().filter(|(_, name)| fits(name)) {
            let id = Id::try_from(id.clone()).map_err(Problem::internal)?;
            found.push(RecordMatch { table: *table, id, name: name.clone() });
        }
    }
    found.sort_by(|a, b| (&a.name, &a.id).cmp(&(&b.name, &b.id)));
    Ok(found)
}

fn ambiguous(asked: &Ref, several: &[RecordMatch]) -> Problem {
    let handle = |one: &RecordMatch| format!("{}:{}", one.table.name, one.id);
    let row = |one: &RecordMatch| json!({"node": handle(one), "name": one.name});
    let listed: Vec<Value> = several.iter().take(LISTED).map(row).collect();
    Problem::new(Code::Ambiguous, format!("`{asked}` may mean {} records", several.len()))
        .detail("candidates", listed)
        .hint(format!("name one, for example {}", handle(&several[0])))
}

fn nothing(tables: &[Table], asked: &Ref, names: &[(Table, BTreeMap<String, String>)]) -> Problem {
    let words: Vec<&str> = tables.iter().map(|table| table.name).collect();
    let problem = missing(&words.join(" or "), &asked.to_string());
    let all = names.iter().flat_map(|(_, names)| names.values().map(String::as_str));
    match nearest(&asked.name, all, NEAREST).as_slice() {
        [] => match words.as_slice() {
            [one] => problem.hint(format!("there are no {} of that name", plural(one))),
            _ => problem,
        },
        near => problem.hint(format!("the nearest: {}", near.join(", "))),
    }
}

/// Nothing has this id or name.
pub(crate) fn missing(kind: &str, asked: &str) -> Problem {
    Problem::not_found(format!("no {kind} {asked}"))
}
