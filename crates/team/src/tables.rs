//! The SQL of the shared home. No other file of the crate contains SQL.

use crate::ids::ProjectId;

/// How long a writer waits for the row of its project, and how long its client may be silent before
/// the server ends the connection. They hold for one transaction, because behind a connection
/// pooler the next one may belong to another client.
pub(crate) const TRANSACTION_SETTINGS: &str =
    "SET LOCAL lock_timeout = 5000; SET LOCAL idle_in_transaction_session_timeout = 10000";

pub(crate) const CREATE_SCHEMA: &str = "
    CREATE SCHEMA IF NOT EXISTS cairn;
    CREATE TABLE IF NOT EXISTS cairn.schema_version (
        one boolean PRIMARY KEY DEFAULT true CHECK (one), version integer NOT NULL
    );
    GRANT USAGE ON SCHEMA cairn TO PUBLIC;
    GRANT SELECT ON cairn.schema_version TO PUBLIC;
    INSERT INTO cairn.schema_version (version) VALUES (0) ON CONFLICT DO NOTHING";
pub(crate) const READ_SCHEMA: &str =
    "SELECT version, pg_get_userbyid(nspowner)::text, pg_has_role(current_user, nspowner, 'USAGE')
     FROM cairn.schema_version, pg_namespace WHERE nspname = 'cairn'";
pub(crate) const LOCK_SCHEMA: &str = "SELECT version FROM cairn.schema_version FOR UPDATE";
pub(crate) const SET_SCHEMA: &str = "UPDATE cairn.schema_version SET version = $1";

pub(crate) const READ_PROJECT: &str =
    "SELECT id, name, roots, writers, readers, seq, layouts FROM cairn.projects WHERE id = $1";
/// Whether the caller may write, and the role that the server logged in.
pub(crate) const READ_MEMBERSHIP: &str =
    "SELECT current_user::text, cairn.is_member($1), cairn.is_member($2)";
pub(crate) const INSERT_PROJECT: &str =
    "INSERT INTO cairn.projects (id, name, roots, writers, readers) VALUES ($1, $2, $3, $4, $5)";
pub(crate) const SET_ROOTS: &str =
    "UPDATE cairn.projects SET roots = $2 WHERE id = $1 AND roots = '{}'";

/// Makes the two roles of a project. Their names come from the project's id, so they need no
/// quotes.
pub(crate) fn create_roles(writers: &str, readers: &str) -> String {
    format!(
        "CREATE ROLE {writers} NOLOGIN; CREATE ROLE {readers} NOLOGIN;
         GRANT {writers} TO CURRENT_USER"
    )
}

/// What the members of a project's roles may do; row security says with which rows.
pub(crate) fn grant_roles(writers: &str, readers: &str) -> String {
    format!(
        "GRANT SELECT ON cairn.projects, cairn.records, cairn.changes TO {readers}, {writers};
         GRANT INSERT, UPDATE ON cairn.records TO {writers};
         GRANT INSERT ON cairn.changes TO {writers};
         GRANT UPDATE (seq, layouts, roots) ON cairn.projects TO {writers}"
    )
}

/// Begins a transaction and takes the project's row, in one round trip, with the schema and whether
/// the server is PostgreSQL itself and not one that only uses its protocol. The id is written into
/// the text, which is safe because its type allows only a UUID: a statement with parameters cannot
/// be sent together with `BEGIN`.
pub(crate) fn begin_and_lock(project: &ProjectId) -> String {
    format!(
        "BEGIN; {TRANSACTION_SETTINGS}; SELECT p.seq, p.layouts,
             (SELECT c.id FROM cairn.changes c WHERE c.project = '{project}' AND c.seq = p.seq),
             (SELECT version FROM cairn.schema_version), version() LIKE 'PostgreSQL%'
         FROM cairn.projects p WHERE p.id = '{project}' FOR UPDATE OF p"
    )
}

/// Commits and notifies listeners.
pub(crate) fn commit_and_notify(project: &ProjectId) -> String {
    format!("NOTIFY {}; COMMIT", channel(project))
}

pub(crate) const COMMIT: &str = "COMMIT";
pub(crate) const ROLLBACK: &str = "ROLLBACK";
/// The channel of a project.
pub(crate) fn channel(project: &ProjectId) -> String {
    format!("cairn_{}", project.digits())
}

/// Listens to the changes of a project.
pub(crate) fn listen(project: &ProjectId) -> String {
    format!("LISTEN {}", channel(project))
}

/// A page of the records of one store that were written after a place in the order of changes, with
/// the schema, the newest change and the id of the one that the reader has. One statement, so that
/// all are of one moment.
pub(crate) const READ_RECORDS: &str = "
    SELECT p.seq AS newest, p.layouts, r.seq, r.kind, r.id, r.version, r.body, p.newest_change, p.own_change, p.schema
    FROM (
        SELECT id, seq, layouts, (SELECT version FROM cairn.schema_version) AS schema,
            (SELECT c.id FROM cairn.changes c WHERE c.project = $1 AND c.seq = o.seq) AS newest_change,
            (SELECT c.id FROM cairn.changes c WHERE c.project = $1 AND c.seq = $7) AS own_change
        FROM cairn.projects o WHERE o.id = $1 OFFSET 0
    ) p
    LEFT JOIN LATERAL (
        SELECT seq, kind, id, version, body FROM cairn.records
        WHERE project = p.id AND store = $2 AND (seq, kind, id) > ($3, $4, $5)
        ORDER BY seq, kind, id LIMIT $6
    ) r ON true
    ORDER BY r.seq, r.kind, r.id";

pub(crate) const READ_NEWEST: &str = "SELECT seq FROM cairn.projects WHERE id = $1";
pub(crate) const LAST_OF_STORE: &str =
    "SELECT seq FROM cairn.changes WHERE project = $1 AND store = $2 ORDER BY seq DESC LIMIT 1";
pub(crate) const STORES: &str =
    "SELECT DISTINCT store FROM cairn.changes WHERE project = $1 ORDER BY store";
pub(crate) const FIND_CHANGE: &str = "SELECT seq FROM cairn.changes WHERE project = $1 AND id = $2";

/// Writes the images of one change, its entry, and the project's new number.
pub(crate) const WRITE_CHANGE: &str = "
    WITH written AS (
        INSERT INTO cairn.records (project, store, kind, id, version, body, seq)
        SELECT $1, $2, kind, id, version, body, $3
        FROM unnest($4::text[], $5::text[], $6::bigint[], $7::text[]) AS i (kind, id, version, body)
        ON CONFLICT (project, store, kind, id)
            DO UPDATE SET version = excluded.version, body = excluded.body, seq = excluded.seq
    ), entered AS (
        INSERT INTO cairn.changes (project, seq, id, store, action, actor, session, summary, records)
        VALUES ($1, $3, $8, $2, $9, $10, $11, $12, cardinality($4))
    )
    UPDATE cairn.projects SET seq = $3, layouts = $13 WHERE id = $1";

/// Makes a store as a copy of another, with its entry.
pub(crate) const FORK_STORE: &str = "
    WITH copied AS (
        INSERT INTO cairn.records (project, store, kind, id, version, body, seq)
        SELECT project, $2, kind, id, version, body, $4 FROM cairn.records
        WHERE project = $1 AND store = $3 AND body IS NOT NULL
        ON CONFLICT DO NOTHING
        RETURNING 1
    ), entered AS (
        INSERT INTO cairn.changes (project, seq, id, store, action, source, actor, session, summary, records)
        VALUES ($1, $4, $5, $2, 'fork', $3, $6, $7, $8, (SELECT count(*) FROM copied))
    )
    UPDATE cairn.projects SET seq = $4 WHERE id = $1";

pub(crate) const READ_CHANGES: &str = "
    SELECT seq, id, store, action, source, actor, session, role, summary, records,
           to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')
    FROM cairn.changes WHERE project = $1 AND ($2::text IS NULL OR store = $2)
    ORDER BY seq DESC LIMIT $3 OFFSET $4";
pub(crate) const COUNT_CHANGES: &str =
    "SELECT count(*) FROM cairn.changes WHERE project = $1 AND ($2::text IS NULL OR store = $2)";
/// Who wrote within so many seconds, with their last change.
pub(crate) const READ_ACTIVE: &str = "
    SELECT actor, role, max(seq), to_char(max(at) AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')
    FROM cairn.changes WHERE project = $1 AND at > now() - $2 * interval '1 second'
    GROUP BY actor, role ORDER BY max(seq) DESC";
pub(crate) const READ_CLOCK: &str = "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint";
