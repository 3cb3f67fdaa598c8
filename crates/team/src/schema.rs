//! The schema of the team's database, as numbered migrations that are never edited after a release.

use std::time::Duration;

use base::{NextCall, Problem, ProblemCode};
use postgres::Client;
use postgres::error::SqlState;
use postgres::types::Type;

use crate::connection::TeamConnection;
use crate::failure::{TeamFailure, TeamResult, retry_on_collision};
use crate::tables;

/// The migrations, oldest first.
const STEPS: [&str; 3] = [
    include_str!("schema/0001_records.sql"),
    include_str!("schema/0002_changes_by_time.sql"),
    include_str!("schema/0003_membership_by_catalogue.sql"),
];

/// The version that this program reads and writes: the number of steps.
pub const SCHEMA_VERSION: i32 = 3;

/// Maximum time for the migrations.
const MIGRATION_TIMEOUT: Duration = Duration::from_mins(1);

/// The schema of a database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaState {
    /// Its version; 0 if there is none yet
    pub version: i32,
    /// The role that owns the schema and may migrate it; `None` if there is no schema
    pub owner: Option<String>,
    /// Whether the caller is that role or a member of it
    pub is_own: bool,
}

impl SchemaState {
    /// Fails if this program does not support the schema, with a hint.
    pub fn require_current(&self) -> Result<(), Problem> {
        let problem = |message: String| Problem::new(ProblemCode::Unavailable, message);
        let owner = self.owner.as_deref().unwrap_or("its owner");
        match self.version {
            SCHEMA_VERSION => Ok(()),
            0 => Err(problem("the database has no records of cairn yet".into())
                .hint_call("its owner has to join first:", join_call())),
            newer if newer > SCHEMA_VERSION => Err(problem(format!(
                "the team's database has schema {newer}; this cairn supports up to {SCHEMA_VERSION}"
            ))
            .detail("schema", newer)
            .hint("update cairn on this machine; nothing was read or written")),
            older => Err(problem(format!(
                "the team's database has schema {older}, and this cairn needs {SCHEMA_VERSION}"
            ))
            .detail("schema", older)
            .hint_call(
                &format!(
                    "the role `{owner}` brings it up to date once; until then use an older cairn:"
                ),
                join_call(),
            )),
        }
    }
}

/// The call that creates or migrates the schema.
fn join_call() -> NextCall {
    NextCall::new("team.join").with("address", "postgres://OWNER@HOST/DATABASE")
}

/// The schema of a database as it is.
pub(crate) fn read(client: &mut Client) -> TeamResult<SchemaState> {
    match client.query_typed_one(tables::READ_SCHEMA, &[]) {
        Ok(row) => {
            Ok(SchemaState { version: row.get(0), owner: Some(row.get(1)), is_own: row.get(2) })
        }
        Err(error) if is_missing(&error) => {
            Ok(SchemaState { version: 0, owner: None, is_own: false })
        }
        Err(error) => Err(error.into()),
    }
}

/// Fails if the schema that a statement found is not the supported one.
pub(crate) fn require(client: &mut Client, found: i32) -> TeamResult<()> {
    match found {
        SCHEMA_VERSION => Ok(()),
        _ => Ok(read(client)?.require_current()?),
    }
}

/// The reason why a statement failed. If a table or column is missing, the schema has changed,
/// which is the better explanation. It ends the transaction of the statement.
pub(crate) fn explain(client: &mut Client, error: postgres::Error) -> TeamFailure {
    let is_other_schema =
        is_missing(&error) || error.code().is_some_and(|code| *code == SqlState::UNDEFINED_COLUMN);
    let found = match is_other_schema {
        true => client.batch_execute(tables::ROLLBACK).ok().and_then(|()| read(client).ok()),
        false => None,
    };
    match found.map(|state| state.require_current()) {
        Some(Err(problem)) => TeamFailure::Refused(problem),
        _ => error.into(),
    }
}

/// Whether a statement names a table or a schema that is not there.
fn is_missing(error: &postgres::Error) -> bool {
    let missing = [SqlState::UNDEFINED_TABLE, SqlState::INVALID_SCHEMA_NAME];
    error.code().is_some_and(|code| missing.contains(code))
}

/// Creates or migrates the schema. Only its owner can. Two clients that try at the same time wait
/// for each other.
pub(crate) fn migrate(connection: &TeamConnection) -> TeamResult<SchemaState> {
    connection.run(MIGRATION_TIMEOUT, |client| {
        let state = read(client)?;
        if state.version >= SCHEMA_VERSION {
            return Ok(state);
        }
        if state.version > 0 && !state.is_own {
            return Ok(state); // the caller says who has to do it
        }
        if state.version == 0 {
            retry_on_collision(client, tables::CREATE_SCHEMA)?;
        }
        let mut transaction = client.transaction()?;
        transaction.batch_execute(tables::TRANSACTION_SETTINGS)?;
        let version: i32 = transaction.query_one(tables::LOCK_SCHEMA, &[])?.get(0);
        let done = usize::try_from(version).unwrap_or_default();
        for (at, step) in STEPS.iter().enumerate().skip(done) {
            transaction.batch_execute(step)?;
            let reached = i32::try_from(at + 1).unwrap_or(SCHEMA_VERSION);
            transaction.execute_typed(tables::SET_SCHEMA, &[(&reached, Type::INT4)])?;
        }
        transaction.commit()?;
        read(client)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_counts_the_steps() {
        assert_eq!(usize::try_from(SCHEMA_VERSION), Ok(STEPS.len()));
    }
}
