//! The SQL that every store needs.

/// Wait this long for another writer, in milliseconds, before giving `BUSY`.
pub(crate) const BUSY_TIMEOUT_MS: u32 = 5_000;

pub(crate) const SETTINGS: &str = "
    PRAGMA foreign_keys = ON;
    PRAGMA trusted_schema = OFF;
    PRAGMA temp_store = MEMORY;
    PRAGMA cache_size = -16384;
    PRAGMA mmap_size = 268435456;
";
pub(crate) const WAL: &str = "PRAGMA journal_mode = WAL";
pub(crate) const NO_LOG: &str = "PRAGMA journal_mode = OFF";
/// Memory mapping does not pay for pages that are written once.
pub(crate) const SYNC_OFF: &str =
    "PRAGMA synchronous = OFF; PRAGMA mmap_size = 0; PRAGMA cache_size = -32768";
pub(crate) const SYNC_NORMAL: &str = "PRAGMA synchronous = NORMAL";
pub(crate) const SYNC_FULL: &str = "PRAGMA synchronous = FULL";
pub(crate) const READ_ONLY: &str = "PRAGMA query_only = ON";
pub(crate) const INTEGRITY: &str = "PRAGMA integrity_check(20)";
pub(crate) const VERSION: &str = "PRAGMA user_version";
pub(crate) const CHECKPOINT: &str = "PRAGMA wal_checkpoint(TRUNCATE)";
pub(crate) const VACUUM_INTO: &str = "VACUUM INTO ?1";

/// The notes of a backup are in a table of their own, which the store itself does not have.
pub(crate) const NOTES_TABLE: &str = "backup_note";
pub(crate) const CREATE_NOTES: &str =
    "CREATE TABLE backup_note (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID";
pub(crate) const ADD_NOTE: &str = "INSERT INTO backup_note VALUES (?1, ?2)";
pub(crate) const READ_NOTES: &str = "SELECT key, value FROM backup_note";
pub(crate) const DROP_NOTES: &str = "DROP TABLE IF EXISTS backup_note";

pub(crate) fn set_version(number: u32) -> String {
    format!("PRAGMA user_version = {number}")
}
