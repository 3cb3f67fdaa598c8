//! Work and knowledge as one durable store: looked at, planned for, searched, undone.

mod about;
mod commits;
mod files;
mod layer;
pub(crate) mod records;
mod rules;
pub(crate) mod shared;
pub(crate) mod text;

use std::collections::BTreeMap;
use std::sync::Arc;

use base::{Code, Problem, Result};
use config::{Pipeline, Stage};
use serde_json::Value;
use store::{Connection, Transaction, problem};
use work::flow::Pipelines;
use work::graph::context::Recall;
use work::graph::files::{NamedLine, of_open_tasks, patterns};
use work::graph::globs::Matcher;
use work::words::{Kind, Status};
use work::{Draft, Id, Image};

use crate::durable::{self, Durable, StoreChange};
use crate::plan::{Change, Plan};
use crate::search;
use crate::view::View;

pub(crate) use commits::touched;
pub(crate) use files::{
    context_files, digest, drift, files_of, known_about, named_paths, seen, work_about,
};
pub(crate) use layer::{WorkLayer, ago};
pub(crate) use rules::RULES;

/// The store's name, which starts the numbers of its changes.
pub(crate) const STORE: &str = "work";

/// The name of what is kept of it.
const PATTERNS: &str = "work.patterns";

/// The store of work and knowledge.
pub(crate) const DURABLE: Durable = Durable {
    name: STORE,
    file: "work.sqlite",
    steps: &[
        work::tables::STEPS[0],
        search::STEP,
        search::NAMES,
        work::tables::STEPS[1],
        durable::UNDO,
    ],
    inverse: |json| {
        let read = serde_json::from_value(json.clone());
        let images = read.map_err(|error| {
            Problem::new(Code::StoreDamaged, "a recorded change cannot be read").because(error)
        })?;
        Ok(Arc::new(WorkChange { images, undoes: true }))
    },
    shared: Some(shared::SOURCE),
};

/// Rows that change.
#[derive(Debug)]
pub(crate) struct WorkChange {
    images: Vec<Image>,
    /// Whether it takes back what was done before: then what came since may stand in its way
    undoes: bool,
}

impl StoreChange for WorkChange {
    fn store(&self) -> &'static str {
        STORE
    }

    fn preview(&self) -> String {
        self.images.iter().map(text::preview).collect()
    }

    fn apply(&self, transaction: &Transaction<'_>) -> Result<Value> {
        work::draft::apply(transaction, &self.images)?;
        for image in &self.images {
            text::keep(transaction, image)?;
        }
        if self.undoes
            && let Some(first) = work::check::broken(transaction)?.first()
        {
            return Err(Problem::new(Code::Conflict, format!("what came since needs it: {first}"))
                .hint("undo what came since first"));
        }
        serde_json::to_value(work::draft::inverse(&self.images))
            .map_err(|error| Problem::internal("a change is not JSON").because(error))
    }
}

/// Looks at the store as of this view.
pub(crate) fn look<T>(view: &View, read: impl FnOnce(&Draft<'_>) -> Result<T>) -> Result<T> {
    match view.store(STORE)? {
        Some(reading) => read(&draft(view, &reading.conn)?),
        None => read(&draft(view, &empty()?)?),
    }
}

/// Plans a change to the store.
pub(crate) fn plan<A>(
    view: &View,
    summary: impl FnOnce(&A) -> String,
    write: impl FnOnce(&mut Draft<'_>) -> Result<A>,
) -> Result<Plan<A>> {
    let unwritten;
    let conn = if let Some(reading) = view.store(STORE)? {
        &reading.conn
    } else {
        unwritten = empty()?;
        &unwritten
    };
    let mut draft = draft(view, conn)?;
    let answer = write(&mut draft)?;
    let (summary, images) = (summary(&answer), draft.images());
    if images.is_empty() {
        return Ok(Plan { summary, change: Change::Nothing, answer, again: true });
    }
    let change = Change::Store(Arc::new(WorkChange { images, undoes: false }));
    Ok(Plan { summary, change, answer, again: true })
}

fn draft<'c>(view: &View, conn: &'c Connection) -> Result<Draft<'c>> {
    let mut seed = [0; 32];
    getrandom::fill(&mut seed)
        .map_err(|error| Problem::internal("no random numbers").because(error.to_string()))?;
    Ok(Draft::new(conn, view.call().now, &view.call().actor, seed))
}

/// A store that nobody has written to.
fn empty() -> Result<Connection> {
    let conn = Connection::open_in_memory().map_err(problem("open a store"))?;
    let mut steps = work::tables::STEPS.iter();
    steps.try_for_each(|step| conn.execute_batch(step.sql)).map_err(problem("open a store"))?;
    Ok(conn)
}

/// What every look at knowledge needs, derived once a revision.
#[derive(Debug, Default)]
pub(crate) struct Derived {
    /// The patterns of all atoms
    pub matcher: Arc<Matcher>,
    /// The atoms that were asked for
    pub recall: Recall,
    /// What open tasks name in their Context Files
    pub task_files: BTreeMap<Id, Vec<NamedLine>>,
    /// The same as patterns
    pub tasks: Matcher,
}

/// The patterns and files that the store names, as of this view.
pub(crate) fn derived(view: &View) -> Result<Arc<Derived>> {
    match view.store(STORE)? {
        Some(reading) => view
            .derived(("work", STORE), || Derived::of(&reading.conn, matcher(view, &reading.conn)?)),
        None => Ok(Arc::default()),
    }
}

/// The patterns of all atoms. Most writes to the store leave them as they are.
fn matcher(view: &View, conn: &Connection) -> Result<Arc<Matcher>> {
    let rows = work::tables::patterns(conn)?;
    let lines = rows.iter().map(|(id, project, patterns)| format!("{id} {project} {patterns}\n"));
    let mark = base::Hash::of(lines.collect::<String>().as_bytes()).to_string();
    match view.still_kept(PATTERNS, &mark) {
        Some(kept) => Ok(kept),
        None => Ok(view.keep(PATTERNS, mark, Matcher::of_rows(rows)?)),
    }
}

impl Derived {
    fn of(conn: &Connection, matcher: Arc<Matcher>) -> Result<Self> {
        let task_files = of_open_tasks(conn)?;
        let tasks = Matcher::of(task_files.iter().map(|(id, lines)| {
            // A word that is no file matches none.
            let names = lines.iter().flat_map(|line| line.paths.iter().chain(&line.maybe));
            (id.clone(), names.flat_map(|name| patterns(name)).collect())
        }));
        Ok(Self { matcher, recall: Recall::default(), task_files, tasks })
    }
}

/// Whether there is nothing to look at.
pub(crate) fn is_empty(view: &View) -> Result<bool> {
    Ok(view.store(STORE)?.is_none())
}

/// The states that work passes through: as the configuration has them, else the three that are
/// always there. A store that has rows in other states keeps the states it was written with.
pub(crate) fn pipelines(view: &View) -> Result<Pipelines> {
    let config = &view.config().work;
    Ok(Pipelines {
        feature: pipeline(view, Kind::Feature, &config.pipelines.feature)?,
        task: pipeline(view, Kind::Task, &config.pipelines.task)?,
        evidence: config.evidence.iter().map(ToString::to_string).collect(),
    })
}

fn pipeline<S: Stage + serde::Serialize>(
    view: &View,
    kind: Kind,
    configured: &Pipeline<S>,
) -> Result<Vec<Status>> {
    let (short, all) = (stages(configured.stages())?, stages(S::ALL)?);
    if configured.is_set() {
        return Ok(short);
    }
    let fits = look(view, |draft| work::flow::are_all_in(draft, kind, &short))?;
    Ok(if fits { short } else { all })
}

/// States of the configuration as the store names them.
fn stages<S: serde::Serialize>(stages: &[S]) -> Result<Vec<Status>> {
    serde_json::from_value(serde_json::json!(stages))
        .map_err(|error| Problem::internal("a state is not known").because(error))
}
