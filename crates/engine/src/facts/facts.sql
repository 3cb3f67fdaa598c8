-- Facts by content hash, shared by all branches and worktrees. This is a cache; losing it only costs
-- time.
CREATE TABLE IF NOT EXISTS fact (
    hash     BLOB NOT NULL,
    dialect  TEXT NOT NULL,
    version  INTEGER NOT NULL,
    used     INTEGER NOT NULL, -- the day it was last used, counted from 1970
    value    BLOB NOT NULL,
    PRIMARY KEY (hash, dialect, version)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS fact_used ON fact (used);
