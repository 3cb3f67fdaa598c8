-- Commits by their ids, shared by all branches and worktrees. It is a cache of what git stores, except
-- for commits of a snapshot that are beyond the edge of a shallow clone.
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
-- The identity of this file. Other files refer to its row ids, and must not use those of another file.
INSERT OR IGNORE INTO meta VALUES ('stamp', hex(randomblob(16)));

-- Authors, committers and changed paths. Each is stored once, with a number.
CREATE TABLE IF NOT EXISTS person (
    id    INTEGER PRIMARY KEY,
    name  TEXT NOT NULL,
    email TEXT NOT NULL,
    UNIQUE (name, email)
);
CREATE TABLE IF NOT EXISTS changed_path (id INTEGER PRIMARY KEY, path BLOB NOT NULL UNIQUE);

CREATE TABLE IF NOT EXISTS fact (
    id              INTEGER PRIMARY KEY,
    sha             BLOB NOT NULL UNIQUE,
    parents         BLOB NOT NULL,    -- their ids, concatenated; each is as long as `sha`
    author          INTEGER NOT NULL, -- a person
    authored        INTEGER NOT NULL, -- seconds since 1970
    committer       INTEGER NOT NULL, -- a person
    committed       INTEGER NOT NULL,
    message         BLOB NOT NULL,    -- compressed
    changes         BLOB NOT NULL,    -- paths by their numbers
    edge            INTEGER NOT NULL, -- whether a shallow clone hid its parents when it was read
    renames_unknown INTEGER NOT NULL  -- whether contents for finding renames were missing then
);
CREATE INDEX IF NOT EXISTS fact_edge ON fact (id) WHERE edge;
CREATE INDEX IF NOT EXISTS fact_renames_unknown ON fact (id) WHERE renames_unknown;
CREATE VIRTUAL TABLE IF NOT EXISTS said USING fts5 (
    subject, body, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2'
);
