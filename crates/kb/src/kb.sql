-- What agents wrote, and the log of how it came about.
CREATE TABLE kb_entity (
    id         TEXT PRIMARY KEY,
    type       TEXT NOT NULL,
    title      TEXT NOT NULL,
    status     TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    source     TEXT NOT NULL,
    author     TEXT NOT NULL,
    version    INTEGER NOT NULL,
    more       TEXT NOT NULL -- the optional fields, as JSON
);

CREATE TABLE kb_relation (
    type        TEXT NOT NULL,
    source_end  TEXT NOT NULL,
    target_end  TEXT NOT NULL,
    kind        TEXT NOT NULL,
    created_at  TEXT NOT NULL,
    created_by  TEXT NOT NULL,
    source      TEXT NOT NULL,
    confidence  REAL,
    allow_cycle INTEGER NOT NULL,
    PRIMARY KEY (type, source_end, target_end, kind)
);
CREATE INDEX kb_relation_source ON kb_relation (source_end);
CREATE INDEX kb_relation_target ON kb_relation (target_end);

-- Every changeset, with each row before and after. Nothing in here is ever changed or removed.
CREATE TABLE kb_audit (
    seq       INTEGER PRIMARY KEY AUTOINCREMENT,
    uid       TEXT NOT NULL UNIQUE, -- the same in every branch that took it over
    changeset TEXT UNIQUE,          -- the caller's own name for it
    digest    TEXT NOT NULL,        -- of what the caller sent, to know it again
    at        TEXT NOT NULL,
    actor     TEXT NOT NULL,
    source    TEXT NOT NULL,
    action    TEXT NOT NULL,
    edits     TEXT NOT NULL
);
CREATE TRIGGER kb_audit_stays BEFORE UPDATE ON kb_audit
BEGIN SELECT RAISE(ABORT, 'the audit log is never changed'); END;
CREATE TRIGGER kb_audit_remains BEFORE DELETE ON kb_audit
BEGIN SELECT RAISE(ABORT, 'the audit log is never shortened'); END;
