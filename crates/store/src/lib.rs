//! SQLite: open, migrate, back up, read as of one moment, write in one transaction, change rows.
//!
//! It knows no domain: the SQL of an area is beside that area. Here is what every store needs, and
//! the one place where SQLite's errors become problems.

mod backup;
mod compression;
mod failure;
mod immutable;
mod migrate;
mod open;
mod record_tables;
mod row_change;
mod row_id;
mod rows;
mod tables;

pub use backup::{BackupNotes, back_up, backup_notes, remove_unfinished, restore};
pub use compression::{compress, decompress, decompress_at_most};
pub use failure::{is_corrupt, is_unwritable, sqlite_problem};
pub use immutable::MemoryStore;
pub use migrate::{Migration, migrate, open_durable, refuse_newer, schema_version};
pub use open::{
    Durability, Store, check_integrity, open, open_new, open_read_only, require_safe_sqlite,
    sqlite_version,
};
pub use record_tables::{REPLICA_PREFIX, RecordCapture, RecordChange, RecordImage, RecordTables};
pub use row_change::{
    PlannedRow, RowChange, RowOverlay, StaleRows, apply_row_changes, inverse_row_changes,
};
pub use rows::rows;
pub use rusqlite::{
    Connection, OptionalExtension, Row, Statement, ToSql, Transaction, params, params_from_iter,
};

pub use rusqlite::types::{FromSql, FromSqlResult, ToSqlOutput, ValueRef};

/// What SQLite itself returns, for the functions that read a row.
pub type SqlResult<T> = rusqlite::Result<T>;

/// A stored value that is not what its column holds.
pub fn bad_value(column: usize, why: String) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Blob, why.into())
}
