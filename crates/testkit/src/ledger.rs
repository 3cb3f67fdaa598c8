//! A durable store for tests: a list to which lines are only added, so that a loss is noticed.

use std::sync::{Arc, LazyLock};

use base::{Call, Result};
use engine::{AREAS, Area, DurableStore, Plan, PlannedChange, StoreChange, Workspace};
use serde_json::{Value, json};
use store::{Migration, Transaction, sqlite_problem};

/// The store's name.
const NAME: &str = "ledger";

/// An area that consists of a store only.
pub const LEDGER: Area = Area {
    name: NAME,
    durable: Some(DurableStore {
        name: NAME,
        file: "ledger.sqlite",
        steps: &[Migration { name: "entries", sql: ENTRIES }, engine::UNDO_MIGRATION],
        inverse: |json| Ok(Arc::new(RemoveLine { line: json.to_string() })),
        shared: None,
        index_record: |_, _| Ok(()),
        needs_server: |_| None,
        added_record: |_, image| Ok(image),
        broken_rule: |_| Ok(None),
    }),
    ..Area::EMPTY
};

const ENTRIES: &str = "CREATE TABLE entry (id INTEGER PRIMARY KEY, line TEXT NOT NULL UNIQUE)";

/// All areas and the ledger.
pub static WITH_LEDGER: LazyLock<&'static [Area]> = LazyLock::new(|| {
    let all: Vec<Area> = AREAS.iter().copied().chain([LEDGER]).collect();
    Box::leak(all.into_boxed_slice())
});

/// Adds one line.
#[derive(Debug)]
struct AddLine(String);

/// Removes one line.
#[derive(Debug)]
struct RemoveLine {
    line: String,
}

impl StoreChange for AddLine {
    fn store(&self) -> &'static str {
        NAME
    }

    fn preview(&self) -> String {
        format!("+ {}\n", self.0)
    }

    fn apply(&self, transaction: &Transaction<'_>) -> Result<Value> {
        let add = "INSERT INTO entry (line) VALUES (?1)";
        transaction.execute(add, [&self.0]).map_err(sqlite_problem("add a line"))?;
        Ok(json!(self.0))
    }
}

impl StoreChange for RemoveLine {
    fn store(&self) -> &'static str {
        NAME
    }

    fn preview(&self) -> String {
        format!("- {}\n", self.line)
    }

    fn apply(&self, transaction: &Transaction<'_>) -> Result<Value> {
        let remove = "DELETE FROM entry WHERE line = ?1";
        transaction.execute(remove, [&self.line]).map_err(sqlite_problem("remove a line"))?;
        Ok(json!(self.line))
    }
}

/// Adds a line. After it returns, the line must never be lost.
pub fn add_line(workspace: &Workspace, call: &Arc<Call>, line: &str) -> Result<()> {
    let plan = |_: &engine::View<'_>| {
        let change = PlannedChange::Store(Arc::new(AddLine(line.to_owned())));
        Ok(Plan { summary: format!("add {line}"), change, answer: (), retry_on_conflict: true })
    };
    workspace.write(call, plan).map(drop)
}

/// All lines, oldest first.
pub fn lines(workspace: &Workspace, call: &Arc<Call>) -> Result<Vec<String>> {
    let view = workspace.view(call.clone())?;
    let Some(reading) = view.store(NAME)? else { return Ok(Vec::new()) };
    store::rows(
        &reading.conn,
        "SELECT line FROM entry ORDER BY id",
        "read the ledger",
        &[],
        |row| row.get(0),
    )
}
