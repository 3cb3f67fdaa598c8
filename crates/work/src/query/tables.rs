//! The SQL of searches, overviews and tags. It reads indexes rather than rows where it can.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use base::Result;
use serde_json::json;
use store::{Connection, Row, ToSql, rows};

use crate::id::WorkRecordId;
use crate::record::{Record, Table, Task};
use crate::tables::{BLOCKS_NOW, PRIORITY_ORDER, id_column};

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
    /// Who is to do it
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
    let list = |list: &[&str]| (!list.is_empty()).then(|| json!(list).to_string());
    let (words, unwanted) = (list(wanted.words), list(wanted.unwanted_words));
    let (tags, unwanted_tags) = (list(wanted.tags), list(wanted.unwanted_tags));
    let statuses = json!(wanted.statuses).to_string();
    let priorities = json!(wanted.priorities).to_string();
    let ids = wanted.ids.map(|ids| json!(ids).to_string());
    let params: [&dyn ToSql; 11] = [
        &wanted.project,
        &wanted.feature,
        &statuses,
        &priorities,
        &wanted.assignee,
        &wanted.milestone,
        &words,
        &unwanted,
        &tags,
        &unwanted_tags,
        &ids,
    ];
    let parts: Vec<String> = tables.iter().map(|table| select_matching(*table, wanted)).collect();
    let all = parts.join(" UNION ALL ");
    let sql = format!("SELECT count(*) FROM ({all})");
    let totals = rows(conn, &sql, "search work", &params, |row| row.get::<_, u32>(0))?;
    let total = totals.first().map_or(0, |total| *total as usize);
    let sql = format!(
        "SELECT kind, id FROM ({all}) ORDER BY rank, name, id LIMIT {limit} OFFSET {offset}"
    );
    let read = |row: &Row<'_>| Ok((row.get(0)?, id_column(row, 1)?));
    let items = rows(conn, &sql, "search work", &params, read)?;
    Ok(MatchingPage { total, items })
}

/// The rows of one table that fit.
fn select_matching(table: Table, wanted: &ItemFilter<'_>) -> String {
    let name = table.name_column().unwrap_or("id");
    let feature = if table == Task::TABLE { "x.feature_id" } else { "NULL" };
    let text = format!("lower(x.{name} || char(10) || x.summary || char(10) || x.description)");
    let has_words = !wanted.words.is_empty() || !wanted.unwanted_words.is_empty();
    let has_tags = !wanted.tags.is_empty() || !wanted.unwanted_tags.is_empty();
    let has_people = wanted.assignee.is_some() || wanted.milestone.is_some();
    let if_asked = |is_asked: bool, condition: String, otherwise: &str| {
        if is_asked { condition } else { otherwise.to_owned() }
    };
    let conditions = [
        "(?1 IS NULL OR x.project_id = ?1)".to_owned(),
        format!("(?2 IS NULL OR {feature} = ?2)"),
        "x.status IN (SELECT value FROM json_each(?3))".to_owned(),
        "x.priority IN (SELECT value FROM json_each(?4))".to_owned(),
        if_asked(
            has_people,
            "(?5 IS NULL OR x.assignee = ?5 COLLATE NOCASE)
             AND (?6 IS NULL OR x.milestone = ?6 COLLATE NOCASE)"
                .into(),
            "?5 IS NULL AND ?6 IS NULL",
        ),
        if_asked(
            has_words,
            format!(
                "(?7 IS NULL OR NOT EXISTS
                    (SELECT 1 FROM json_each(?7) w WHERE instr({text}, w.value) = 0))
                 AND (?8 IS NULL OR NOT EXISTS
                    (SELECT 1 FROM json_each(?8) w WHERE instr({text}, w.value) > 0))"
            ),
            "?7 IS NULL AND ?8 IS NULL",
        ),
        if_asked(
            has_tags,
            "(?9 IS NULL OR NOT EXISTS (SELECT 1 FROM json_each(?9) w WHERE NOT EXISTS
                (SELECT 1 FROM json_each(x.tags) t WHERE t.value = w.value COLLATE NOCASE)))
             AND (?10 IS NULL OR NOT EXISTS (SELECT 1 FROM json_each(?10) w, json_each(x.tags) t
                WHERE t.value = w.value COLLATE NOCASE))"
                .into(),
            "?9 IS NULL AND ?10 IS NULL",
        ),
        if_asked(
            wanted.ids.is_some(),
            "x.id IN (SELECT value FROM json_each(?11))".into(),
            "?11 IS NULL",
        ),
    ];
    format!(
        "SELECT '{}' AS kind, x.id AS id, {PRIORITY_ORDER} AS rank, x.{name} AS name
         FROM {} x WHERE {}",
        table.name,
        table.name,
        conditions.join(" AND ")
    )
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

/// How often each tag of a table is used, in one project or in all.
pub(crate) fn tag_counts(
    conn: &Connection,
    table: Table,
    project: Option<&str>,
) -> Result<Vec<(String, usize)>> {
    let column = project_column(table);
    let sql = format!(
        "SELECT t.value, count(*) FROM {} x, json_each(x.tags) t
         WHERE x.tags <> '[]' AND (?1 IS NULL OR {column} = ?1) GROUP BY t.value ORDER BY t.value",
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
