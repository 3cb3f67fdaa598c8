-- Facts by content, shared by all branches and worktrees. A cache: losing it costs time alone.
CREATE TABLE IF NOT EXISTS fact (
    hash     BLOB NOT NULL,
    dialect  TEXT NOT NULL,
    version  INTEGER NOT NULL,
    used     INTEGER NOT NULL, -- day it was last of use, counted from 1970
    value    BLOB NOT NULL,
    PRIMARY KEY (hash, dialect, version)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS fact_used ON fact (used);
