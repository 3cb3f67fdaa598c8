-- What commits say, by name: shared by all branches and worktrees. A cache: git can tell it again,
-- but for commits that came with a snapshot and lie beyond the edge of a shallow clone.
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
-- Which file this is: rows elsewhere name commits by id, and must not meet another file's ids.
INSERT OR IGNORE INTO meta VALUES ('stamp', hex(randomblob(16)));

-- Who wrote and committed, and the paths that changed: each once, by a number.
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
    parents         BLOB NOT NULL,    -- names of the length of its own, one after the other
    author          INTEGER NOT NULL, -- a person
    authored        INTEGER NOT NULL, -- seconds since 1970
    committer       INTEGER NOT NULL, -- a person
    committed       INTEGER NOT NULL,
    message         BLOB NOT NULL,    -- compressed
    changes         BLOB NOT NULL,    -- paths by their numbers
    edge            INTEGER NOT NULL, -- whether a shallow clone hid its parents when it was read
    renames_unknown INTEGER NOT NULL  -- whether contents that tell renames were missing when it was read
);
CREATE INDEX IF NOT EXISTS fact_edge ON fact (id) WHERE edge;
CREATE INDEX IF NOT EXISTS fact_renames_unknown ON fact (id) WHERE renames_unknown;
CREATE VIRTUAL TABLE IF NOT EXISTS said USING fts5 (
    subject, body, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2'
);
