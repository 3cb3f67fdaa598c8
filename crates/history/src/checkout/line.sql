-- The history of the checked-out commit: its ancestors in order, and the changes of each file.
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS line (
    pos   INTEGER PRIMARY KEY,     -- parents first, ties by name
    id    INTEGER NOT NULL UNIQUE, -- in the store of commits
    sha   BLOB NOT NULL,
    time  INTEGER NOT NULL,        -- when it was committed, seconds since 1970
    files INTEGER NOT NULL,        -- how many files it touched
    merge INTEGER NOT NULL
);
-- Each path with its folder and its stem, the part of the name that its tests share. Both say which
-- paths are related.
CREATE TABLE IF NOT EXISTS path (
    id     INTEGER PRIMARY KEY,
    path   BLOB NOT NULL UNIQUE,
    folder BLOB NOT NULL,
    stem   BLOB NOT NULL
);

-- The last artifact at each path. `alive`: it still exists after all commits were replayed. `live`:
-- the checked-out commit contains the path.
CREATE TABLE IF NOT EXISTS place (
    path     INTEGER PRIMARY KEY,
    artifact INTEGER NOT NULL,
    alive    INTEGER NOT NULL,
    live     INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS touch (
    pos      INTEGER NOT NULL,
    artifact INTEGER NOT NULL,
    path     INTEGER NOT NULL,
    old      INTEGER,          -- where it was before it was renamed
    how      INTEGER NOT NULL, -- git's status letter
    size     INTEGER NOT NULL, -- how many files its commit touched; 0 for a merge
    PRIMARY KEY (pos, artifact, path)
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS tag_op (
    artifact INTEGER NOT NULL,
    pos      INTEGER NOT NULL,
    nth      INTEGER NOT NULL,
    tag      TEXT NOT NULL,
    adds     INTEGER NOT NULL,
    PRIMARY KEY (artifact, pos, nth)
) WITHOUT ROWID;
