-- What commits say, by name: shared by all branches and worktrees. A cache: git can tell it again,
-- but for commits that came with a snapshot and lie beyond the edge of a shallow clone.
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
-- Which file this is: rows elsewhere name commits by id, and must not meet another file's ids.
INSERT OR IGNORE INTO meta VALUES ('stamp', hex(randomblob(16)));

CREATE TABLE IF NOT EXISTS fact (
    id              INTEGER PRIMARY KEY,
    sha             BLOB NOT NULL UNIQUE,
    parents         BLOB NOT NULL,    -- names of the length of its own, one after the other
    author          TEXT NOT NULL,
    email           TEXT NOT NULL,
    authored        INTEGER NOT NULL, -- seconds since 1970
    committer       TEXT NOT NULL,
    committer_email TEXT NOT NULL,
    committed       INTEGER NOT NULL,
    message         TEXT NOT NULL,
    changes         BLOB NOT NULL,
    edge            INTEGER NOT NULL, -- whether a shallow clone hid its parents when it was read
    renames_unknown INTEGER NOT NULL  -- whether contents that tell renames were missing when it was read
);
CREATE INDEX IF NOT EXISTS fact_edge ON fact (id) WHERE edge;
CREATE INDEX IF NOT EXISTS fact_renames_unknown ON fact (id) WHERE renames_unknown;
CREATE VIRTUAL TABLE IF NOT EXISTS said USING fts5 (
    subject, body, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2'
);
