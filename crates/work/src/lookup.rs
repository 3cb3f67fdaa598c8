//! Finds the record that a reference means: by id, by a prefix of the id, or by name.

use std::collections::BTreeMap;

use base::similarity::{did_you_mean_one_of, most_similar};
use base::{NextCall, Problem, ProblemCode, Result};
use serde_json::{Value, json};

use crate::container::WorkItem;
use crate::draft::WorkDraft;
use crate::id::{WorkRecordId, WorkRecordRef};
use crate::key::{WrittenKey, slug};
use crate::planned_index::RowLookup;
use crate::record::Table;
use crate::tables;
use crate::words::WorkKind;

/// How many near names a problem lists.
const MAX_NEAR_NAMES: usize = 3;

/// How many candidates a problem lists.
const MAX_CANDIDATES: usize = 20;

/// The columns by which a record is looked up.
#[derive(Clone, Copy)]
enum NameColumn {
    Name,
    Source,
    Slug,
}

impl NameColumn {
    fn of(self, table: Table) -> Option<&'static str> {
        let column =
            |wanted: &str| table.columns.iter().map(|(name, _)| *name).find(|name| *name == wanted);
        match self {
            Self::Name => table.name_column(),
            Self::Source => column("source"),
            Self::Slug => column("slug"),
        }
    }
}

/// A record that matches a reference.
struct RecordMatch {
    table: Table,
    id: WorkRecordId,
    name: String,
    slug: String,
}

impl WorkDraft<'_> {
    /// The one record of some tables that a reference means. Ids are tried first, then keys, whole names,
    /// sources, keys without their digits, and names that contain all words. Several matches are an error that lists
    /// them.
    pub(crate) fn look_up(
        &self,
        tables: &[Table],
        asked: &WorkRecordRef,
    ) -> Result<(Table, WorkRecordId)> {
        let mut found = self.by_id(tables, asked)?;
        if found.is_empty() {
            found = self.by_key(tables, &asked.name)?;
        }
        for column in [NameColumn::Name, NameColumn::Source, NameColumn::Slug] {
            if found.is_empty() {
                found = self.by_column(tables, column, &asked.name)?;
            }
        }
        let mut names = Vec::new();
        if found.is_empty() {
            for table in tables {
                names.push((*table, self.names(*table)?));
            }
            let words = asked.name.to_lowercase();
            found = records_named(&names, |name| holds_all(name, words.split_whitespace()));
            if found.is_empty() {
                // The start of a key: its words are the title's.
                let words: Vec<&str> = words.split('-').filter(|word| !word.is_empty()).collect();
                let fits = |name: &str| !words.is_empty() && holds_all(name, words.iter().copied());
                found = records_named(&names, fits);
            }
        }
        match found.as_slice() {
            [only] => Ok((only.table, only.id.clone())),
            [] => Err(no_match(tables, asked, &names)),
            several => Err(self.ambiguous(asked, several)?),
        }
    }

    /// The records with this key, or with the digits of a key alone.
    fn by_key(&self, tables: &[Table], written: &str) -> Result<Vec<RecordMatch>> {
        let mut found = Vec::new();
        let Some(key) = WrittenKey::parse(written) else { return Ok(found) };
        for table in tables {
            let Some(column) = table.name_column() else { continue };
            let stored = tables::ids_with_digits(self.conn(), *table, &key.digits)?;
            let ids = self.ids_where(*table, stored, RowLookup::KeyDigits, &key.digits);
            for id in ids {
                let Some(row) = self.row(*table, &id)? else { continue };
                let name = row[column].as_str().unwrap_or_default().to_owned();
                let own = row["slug"].as_str().map_or_else(|| slug(&name), ToOwned::to_owned);
                if key.fits(&own) {
                    found.push(RecordMatch { table: *table, id, name, slug: own });
                }
            }
        }
        Ok(found)
    }

    /// The feature or task with exactly this key.
    pub(crate) fn with_key(&self, kind: WorkKind, key: &str) -> Result<Option<WorkItem>> {
        for one in self.by_key(&[kind.table()], key)? {
            let item = WorkItem::get(self, kind, &one.id)?;
            if item.as_ref().is_some_and(|item| item.key().as_str() == key) {
                return Ok(item);
            }
        }
        Ok(None)
    }

    /// The feature or task that was imported from a source.
    pub(crate) fn imported_from(&self, kind: WorkKind, source: &str) -> Result<Option<WorkItem>> {
        let found = self.by_column(&[kind.table()], NameColumn::Source, source)?;
        let first = found.first().map(|one| WorkItem::get(self, kind, &one.id)).transpose()?;
        Ok(first.flatten())
    }

    /// The features or tasks with this name, ignoring case.
    pub(crate) fn items_named(&self, kind: WorkKind, name: &str) -> Result<Vec<WorkItem>> {
        let mut items = Vec::new();
        for one in self.by_column(&[kind.table()], NameColumn::Name, name)? {
            items.extend(WorkItem::get(self, kind, &one.id)?);
        }
        Ok(items)
    }

    /// Whether another record of a table has the key of this slug and id.
    pub(crate) fn is_key_taken(&self, table: Table, slug: &str, id: &WorkRecordId) -> Result<bool> {
        let key = format!("{slug}-{}", id.key_digits());
        let same = |one: &RecordMatch| one.slug == slug;
        Ok(self.by_key(&[table], &key)?.iter().any(same))
    }

    /// The records whose name or source is a text, ignoring case.
    fn by_column(
        &self,
        tables: &[Table],
        column: NameColumn,
        text: &str,
    ) -> Result<Vec<RecordMatch>> {
        let mut found = Vec::new();
        for table in tables {
            let (Some(name), Some(column)) = (table.name_column(), column.of(*table)) else {
                continue;
            };
            let stored = tables::ids_called(self.conn(), *table, column, text)?;
            for id in self.ids_where(*table, stored, RowLookup::Name(column), text) {
                let Some(row) = self.row(*table, &id)? else { continue };
                let name = row[name].as_str().unwrap_or_default().to_owned();
                found.push(RecordMatch { table: *table, id, name, slug: String::new() });
            }
        }
        Ok(found)
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
                slug: String::new(),
            }));
        }
        if found.len() > 1 {
            for one in &mut found {
                one.name = self.names(one.table)?.remove(&one.id).unwrap_or_default();
            }
        }
        Ok(found)
    }

    /// The problem that a reference means several records, with the handles by which each can be named.
    fn ambiguous(&self, asked: &WorkRecordRef, several: &[RecordMatch]) -> Result<Problem> {
        let mut listed: Vec<Value> = Vec::new();
        for one in several.iter().take(MAX_CANDIDATES) {
            listed.push(json!({"node": self.handle(one)?, "name": one.name}));
        }
        let what = format!("`{asked}` may mean {} records", several.len());
        let first = listed.first().and_then(|row| row["node"].as_str()).unwrap_or_default();
        let hint = format!("name one, for example {first}");
        Ok(Problem::new(ProblemCode::Ambiguous, what).detail("candidates", listed).hint(hint))
    }

    /// The handle of a record: with its key if it is work.
    fn handle(&self, one: &RecordMatch) -> Result<String> {
        let kind = [WorkKind::Project, WorkKind::Feature, WorkKind::Task]
            .into_iter()
            .find(|kind| kind.table().name == one.table.name);
        let item = kind.map(|kind| WorkItem::get(self, kind, &one.id)).transpose()?;
        let id = || format!("{}:{}", one.table.name, one.id);
        Ok(item.flatten().map_or_else(id, |item| item.brief().handle()))
    }
}

fn holds_all<'w>(name: &str, mut words: impl Iterator<Item = &'w str>) -> bool {
    let name = name.to_lowercase();
    words.all(|word| name.contains(word))
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
            slug: String::new(),
        }));
    }
    found.sort_by(|a, b| (&a.name, &a.id).cmp(&(&b.name, &b.id)));
    found
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
        [] => problem.hint_call(
            "no name is similar; search with",
            NextCall::new("search").with("query", asked.name.as_str()),
        ),
        near => problem.hint(did_you_mean_one_of(near)),
    }
}

/// The problem that no record has this id or name.
pub(crate) fn not_found(kind: &str, asked: &str) -> Problem {
    Problem::not_found(format!("no {kind} {asked}"))
}
