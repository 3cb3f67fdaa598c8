//! The SQL of searches, overviews and tags. It reads indexes rather than rows where it can.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use base::Result;
use serde_json::json;
use store::{Connection, Row, ToSql, rows};

use crate::id::WorkRecordId;
use crate::record::{Record, Table, Task};
use crate::tables::{BLOCKS_NOW, PRIORITY_ORDER, id_column};
use crate::words::{WorkPriority, WorkStatus};

/// A filter of features or tasks, in the terms of the store. An empty list asks for nothing.
#[derive(Debug, Clone, Default)]
pub(crate) struct ItemFilter<'a> {
    pub project: Option<&'a str>,
    pub feature: Option<&'a str>,
    pub statuses: &'a [&'static str],
    pub priorities: &'a [&'static str],
    /// Words in lower case that the texts contain
    pub words: &'a [&'a str],
    /// Words in lower case that the texts do not contain
    pub unwanted_words: &'a [&'a str],
    pub tags: &'a [&'a str],
    pub unwanted_tags: &'a [&'a str],
    /// Person or agent that it is assigned to
    pub assignee: Option<&'a str>,
    pub milestone: Option<&'a str>,
    /// Only these records
    pub ids: Option<&'a BTreeSet<WorkRecordId>>,
}

/// A part of the features and tasks that fit a filter.
#[derive(Debug, Clone, Default)]
pub(crate) struct MatchingPage {
    /// How many there are
    pub total: usize,
    /// The kind and id of each, by priority, then by name
    pub items: Vec<(String, WorkRecordId)>,
}

/// A part of the features and tasks that fit. Conditions that are not asked for are left out, because
/// those on texts, tags and people read whole rows and not only an index.
pub(crate) fn matching_items(
    conn: &Connection,
    tables: &[Table],
    wanted: &ItemFilter<'_>,
    offset: usize,
    limit: usize,
) -> Result<MatchingPage> {
    let mut filter = FilterSql::default();
    let parts: Vec<String> = tables.iter().map(|table| filter.select(*table, wanted)).collect();
    let params: Vec<&dyn ToSql> = filter.params.iter().map(|one| one as &dyn ToSql).collect();
    let all = parts.join(" UNION ALL ");
    let sql = format!("SELECT count(*) FROM ({all})");
    let totals = rows(conn, &sql, "search work", &params, |row| row.get::<_, u32>(0))?;
    let total = totals.first().map_or(0, |total| *total as usize);
    if total <= offset {
        return Ok(MatchingPage { total, items: Vec::new() });
    }
    let sql = format!(
        "SELECT kind, id FROM ({all}) ORDER BY rank, name, id LIMIT {limit} OFFSET {offset}"
    );
    let read = |row: &Row<'_>| Ok((row.get(0)?, id_column(row, 1)?));
    let items = rows(conn, &sql, "search work", &params, read)?;
    Ok(MatchingPage { total, items })
}

/// A filter as SQL, with the texts that are bound to it.
#[derive(Debug, Default)]
struct FilterSql {
    params: Vec<String>,
}

impl FilterSql {
    /// Binds a text; returns its place in the SQL.
    fn bind(&mut self, text: impl Into<String>) -> String {
        let text = text.into();
        let at = self.params.iter().position(|known| *known == text);
        let at = at.unwrap_or_else(|| {
            self.params.push(text);
            self.params.len() - 1
        });
        format!("?{}", at + 1)
    }

    /// The rows of one table that fit.
    fn select(&mut self, table: Table, wanted: &ItemFilter<'_>) -> String {
        let name = table.name_column().unwrap_or("id");
        let mut conditions = vec!["1".to_owned()];
        if let Some(project) = wanted.project {
            conditions.push(format!("x.project_id = {}", self.bind(project)));
        }
        if let Some(feature) = wanted.feature {
            let column = if table == Task::TABLE { "x.feature_id" } else { "NULL" };
            conditions.push(format!("{column} = {}", self.bind(feature)));
        }
        if wanted.statuses.len() < WorkStatus::ALL.len() {
            conditions.push(self.is_one_of("x.status", wanted.statuses));
        }
        if wanted.priorities.len() < WorkPriority::ALL.len() {
            conditions.push(self.is_one_of("x.priority", wanted.priorities));
        }
        let people = [("assignee", wanted.assignee), ("milestone", wanted.milestone)];
        for (column, value) in people {
            if let Some(value) = value {
                conditions.push(format!("x.{column} = {} COLLATE NOCASE", self.bind(value)));
            }
        }
        for word in wanted.words {
            conditions.push(self.has_word(name, word));
        }
        for word in wanted.unwanted_words {
            conditions.push(format!("NOT {}", self.has_word(name, word)));
        }
        for tag in wanted.tags {
            conditions.push(self.has_tag(tag));
        }
        for tag in wanted.unwanted_tags {
            conditions.push(format!("NOT {}", self.has_tag(tag)));
        }
        if let Some(ids) = wanted.ids {
            let ids = self.bind(json!(ids).to_string());
            conditions.push(format!("x.id IN (SELECT value FROM json_each({ids}))"));
        }
        format!(
            "SELECT '{}' AS kind, x.id AS id, {PRIORITY_ORDER} AS rank, x.{name} AS name
             FROM {} x WHERE {}",
            table.name,
            table.name,
            conditions.join(" AND ")
        )
    }

    fn is_one_of(&mut self, column: &str, values: &[&str]) -> String {
        match values {
            [only] => format!("{column} = {}", self.bind(*only)),
            values => {
                let values = self.bind(json!(values).to_string());
                format!("{column} IN (SELECT value FROM json_each({values}))")
            }
        }
    }

    /// Whether a text of a row contains a word; `LIKE` ignores the case of ASCII letters and copies nothing.
    fn has_word(&mut self, name: &str, word: &str) -> String {
        let like = self.bind(format!("%{}%", escape_like(word)));
        let column = |column: &str| format!("x.{column} LIKE {like} ESCAPE '\\'");
        let columns = [name, "summary", "description"].map(column);
        format!("({})", columns.join(" OR "))
    }

    /// Whether a row has a tag. Most rows are sorted out by their text before their tags are read.
    fn has_tag(&mut self, tag: &str) -> String {
        let like = self.bind(format!("%{}%", escape_like(&json!(tag).to_string())));
        let tag = self.bind(tag);
        format!(
            "(x.tags LIKE {like} ESCAPE '\\' AND EXISTS
                (SELECT 1 FROM json_each(x.tags) t WHERE t.value = {tag} COLLATE NOCASE))"
        )
    }
}

/// A text whose characters `LIKE` takes as they are.
fn escape_like(text: &str) -> String {
    let escaped = |c: char| match c {
        '%' | '_' | '\\' => vec!['\\', c],
        c => vec![c],
    };
    text.chars().flat_map(escaped).collect()
}

/// How many tasks of a project have each status, by feature. An empty text stands for no feature.
pub(crate) fn task_counts(
    conn: &Connection,
    project: &str,
) -> Result<Vec<(String, String, usize)>> {
    let sql = "SELECT ifnull(feature_id, ''), status, count(*) FROM task WHERE project_id = ?1
               GROUP BY feature_id, status ORDER BY feature_id, status";
    rows(conn, sql, "count tasks", &[&project], |row| {
        Ok((row.get(0)?, row.get(1)?, row.get::<_, u32>(2)? as usize))
    })
}

/// How many tasks of a feature have each status.
pub(crate) fn feature_task_counts(
    conn: &Connection,
    feature: &str,
) -> Result<Vec<(String, usize)>> {
    let sql = "SELECT status, count(*) FROM task WHERE feature_id = ?1 GROUP BY status";
    rows(conn, sql, "count tasks", &[&feature], |row| {
        Ok((row.get(0)?, row.get::<_, u32>(1)? as usize))
    })
}

/// How many rows of a table a project has.
pub(crate) fn count(conn: &Connection, table: Table, project: &str) -> Result<usize> {
    let sql = format!("SELECT count(*) FROM {} WHERE project_id = ?1", table.name);
    let counts = rows(conn, &sql, "count work", &[&project], |row| row.get::<_, u32>(0))?;
    Ok(counts.first().map_or(0, |count| *count as usize))
}

/// The first rows of an overview, open before finished, then by priority and name: the features of a
/// project, its tasks without a feature, or the tasks of a feature.
pub(crate) fn overview_rows(
    conn: &Connection,
    table: Table,
    scope: OverviewScope<'_>,
    limit: usize,
) -> Result<Vec<WorkRecordId>> {
    let name = table.name_column().unwrap_or("id");
    let limit = limit.min(i32::MAX as usize); // SQLite takes larger numbers for fractions
    let (condition, value) = match scope {
        OverviewScope::Features(project) => ("x.project_id = ?1", project),
        OverviewScope::LooseTasks(project) => {
            ("x.project_id = ?1 AND x.feature_id IS NULL", project)
        }
        OverviewScope::Tasks(feature) => ("x.feature_id = ?1", feature),
    };
    let sql = format!(
        "SELECT x.id FROM {} x WHERE {condition}
         ORDER BY x.status IN ('CLOSED', 'WILL_NOT_IMPLEMENT'), {PRIORITY_ORDER}, x.{name}, x.id
         LIMIT {limit}",
        table.name
    );
    rows(conn, &sql, "read the overview", &[&value], |row| id_column(row, 0))
}

/// Whose features or tasks an overview shows.
#[derive(Debug, Clone, Copy)]
pub(crate) enum OverviewScope<'a> {
    /// The features of a project
    Features(&'a str),
    /// The tasks of a project that have no feature
    LooseTasks(&'a str),
    /// The tasks of a feature
    Tasks(&'a str),
}

/// How many active blocks each of some features and tasks has; those without are left out.
pub(crate) fn block_counts(
    conn: &Connection,
    ids: &[&WorkRecordId],
) -> Result<BTreeMap<WorkRecordId, usize>> {
    let sql = format!(
        "SELECT d.to_id, count(*) FROM dependency d
         WHERE d.to_id IN (SELECT value FROM json_each(?1)) AND {BLOCKS_NOW} GROUP BY d.to_id"
    );
    let ids = json!(ids).to_string();
    let count = |row: &Row<'_>| Ok((id_column(row, 0)?, row.get::<_, u32>(1)? as usize));
    Ok(rows(conn, &sql, "count blocks", &[&ids], count)?.into_iter().collect())
}

/// When each task of a project, or of a feature of it, was made, and when it was finished or given
/// up if it is not open.
pub(crate) fn task_lives(
    conn: &Connection,
    project: &str,
    feature: Option<&str>,
) -> Result<Vec<(String, Option<String>)>> {
    let sql = "SELECT t.created_at, CASE WHEN t.status IN ('CLOSED', 'WILL_NOT_IMPLEMENT') THEN
                 coalesce((SELECT max(e.at) FROM event e WHERE e.item_id = t.id AND e.kind = 'status'), t.updated_at)
               END
               FROM task t WHERE t.project_id = ?1 AND (?2 IS NULL OR t.feature_id = ?2)";
    let params: [&dyn ToSql; 2] = [&project, &feature];
    let read = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
    rows(conn, sql, "read when tasks were made and finished", &params, read)
}

/// How often each tag of a table is used, in one project or in all. Rows with the same tags are counted before
/// their tags are read.
pub(crate) fn tag_counts(
    conn: &Connection,
    table: Table,
    project: Option<&str>,
) -> Result<Vec<(String, usize)>> {
    let column = project_column(table);
    let sql = format!(
        "SELECT t.value, sum(x.uses) FROM
            (SELECT x.tags, count(*) AS uses FROM {} x
             WHERE x.tags <> '[]' AND (?1 IS NULL OR {column} = ?1) GROUP BY x.tags) x,
            json_each(x.tags) t GROUP BY t.value ORDER BY t.value",
        table.name
    );
    rows(conn, &sql, "count tags", &[&project], |row| {
        Ok((row.get(0)?, row.get::<_, u32>(1)? as usize))
    })
}

/// The rows of a table that have a tag, by id.
pub(crate) fn ids_with_tag(
    conn: &Connection,
    table: Table,
    project: Option<&str>,
    tag: &str,
) -> Result<Vec<WorkRecordId>> {
    let column = project_column(table);
    let sql = format!(
        "SELECT x.id FROM {} x WHERE x.tags <> '[]' AND (?2 IS NULL OR {column} = ?2)
           AND EXISTS (SELECT 1 FROM json_each(x.tags) t WHERE t.value = ?1) ORDER BY x.id",
        table.name
    );
    rows(conn, &sql, "find a tag", &[&tag, &project], |row| id_column(row, 0))
}

/// A filter of atoms or molecules.
#[derive(Debug, Clone)]
pub(crate) struct KnowledgeFilter<'a> {
    pub project: &'a str,
    /// Only atoms of this molecule
    pub molecule: Option<&'a str>,
    /// Only atoms without a molecule
    pub orphans_only: bool,
    /// Words in lower case that the name or the knowledge contains
    pub words: Vec<&'a str>,
}

/// The atoms or molecules that fit a filter, by name.
pub(crate) fn matching_knowledge(
    conn: &Connection,
    table: Table,
    wanted: &KnowledgeFilter<'_>,
) -> Result<Vec<WorkRecordId>> {
    let mut params: Vec<&dyn ToSql> = vec![&wanted.project];
    let mut sql = format!("SELECT x.id FROM {} x WHERE x.project_id = ?1", table.name);
    if let Some(molecule) = &wanted.molecule {
        params.push(molecule);
        sql.push_str(" AND x.molecule_id = ?2");
    }
    if wanted.orphans_only {
        sql.push_str(" AND x.molecule_id IS NULL");
    }
    for word in &wanted.words {
        params.push(word);
        let number = params.len();
        let _ = write!(sql, " AND instr(lower(x.name || char(10) || x.knowledge), ?{number}) > 0");
    }
    sql.push_str(" ORDER BY x.name, x.id");
    rows(conn, &sql, "search knowledge", &params, |row| id_column(row, 0))
}

/// The column of a table that has the project.
fn project_column(table: Table) -> &'static str {
    match table.name {
        "project" => "x.id",
        "feature" | "task" => "x.project_id",
        _ => "NULL",
    }
}
