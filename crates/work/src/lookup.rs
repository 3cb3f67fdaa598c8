//! Finds the record that a reference means: by id, by a prefix of the id, or by name.

use std::collections::BTreeMap;

use base::similarity::most_similar;
use base::words::plural;
use base::{Problem, ProblemCode, Result};
use serde_json::{Value, json};

use crate::draft::WorkDraft;
use crate::id::{WorkRecordId, WorkRecordRef};
use crate::record::Table;

/// How many near names a problem lists.
const MAX_NEAR_NAMES: usize = 3;

/// How many candidates a problem lists.
const MAX_CANDIDATES: usize = 20;

/// A record that matches a reference.
struct RecordMatch {
    table: Table,
    id: WorkRecordId,
    name: String,
}

impl WorkDraft<'_> {
    /// The one record of some tables that a reference means. Ids are tried first, then whole names, then
    /// names that contain all words. Several matches are an error that lists them.
    pub(crate) fn look_up(
        &self,
        tables: &[Table],
        asked: &WorkRecordRef,
    ) -> Result<(Table, WorkRecordId)> {
        let mut found = self.by_id(tables, asked)?;
        let mut names = Vec::new();
        if found.is_empty() {
            for table in tables {
                names.push((*table, self.names(*table)?));
            }
            found = records_named(&names, |name| name.eq_ignore_ascii_case(&asked.name));
        }
        if found.is_empty() {
            let words = asked.name.to_lowercase();
            let holds = |name: &str| {
                let name = name.to_lowercase();
                words.split_whitespace().all(|word| name.contains(word))
            };
            found = records_named(&names, holds);
        }
        match found.as_slice() {
            [only] => Ok((only.table, only.id.clone())),
            [] => Err(no_match(tables, asked, &names)),
            several => Err(ambiguous(asked, several)),
        }
    }

    fn by_id(&self, tables: &[Table], asked: &WorkRecordRef) -> Result<Vec<RecordMatch>> {
        let mut found = Vec::new();
        if asked.prefix.is_empty() {
            return Ok(found);
        }
        for table in tables {
            let ids = self.ids_with_prefix(*table, &asked.prefix)?;
            found.extend(ids.into_iter().map(|id| RecordMatch {
                table: *table,
                id,
                name: String::new(),
            }));
        }
        if found.len() > 1 {
            for one in &mut found {
                one.name = self.names(one.table)?.remove(&one.id).unwrap_or_default();
            }
        }
        Ok(found)
    }
}

/// The records whose names match.
fn records_named(
    names: &[(Table, BTreeMap<WorkRecordId, String>)],
    fits: impl Fn(&str) -> bool,
) -> Vec<RecordMatch> {
    let mut found = Vec::new();
    for (table, names) in names {
        let matching = names.iter().filter(|(_, name)| fits(name));
        found.extend(matching.map(|(id, name)| RecordMatch {
            table: *table,
            id: id.clone(),
            name: name.clone(),
        }));
    }
    found.sort_by(|a, b| (&a.name, &a.id).cmp(&(&b.name, &b.id)));
    found
}

fn ambiguous(asked: &WorkRecordRef, several: &[RecordMatch]) -> Problem {
    let handle = |one: &RecordMatch| format!("{}:{}", one.table.name, one.id);
    let row = |one: &RecordMatch| json!({"node": handle(one), "name": one.name});
    let listed: Vec<Value> = several.iter().take(MAX_CANDIDATES).map(row).collect();
    Problem::new(ProblemCode::Ambiguous, format!("`{asked}` may mean {} records", several.len()))
        .detail("candidates", listed)
        .hint(format!("name one, for example {}", handle(&several[0])))
}

fn no_match(
    tables: &[Table],
    asked: &WorkRecordRef,
    names: &[(Table, BTreeMap<WorkRecordId, String>)],
) -> Problem {
    let words: Vec<&str> = tables.iter().map(|table| table.name).collect();
    let problem = not_found(&words.join(" or "), &asked.to_string());
    let all = names.iter().flat_map(|(_, names)| names.values().map(String::as_str));
    match most_similar(&asked.name, all, MAX_NEAR_NAMES).as_slice() {
        [] => match words.as_slice() {
            [one] => problem.hint(format!("there are no {} of that name", plural(one))),
            _ => problem,
        },
        near => problem.hint(format!("the nearest: {}", near.join(", "))),
    }
}

/// The problem that no record has this id or name.
pub(crate) fn not_found(kind: &str, asked: &str) -> Problem {
    Problem::not_found(format!("no {kind} {asked}"))
}
