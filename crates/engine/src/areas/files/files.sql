-- Folders with files: `files` counts those directly inside, `below` all of them.
CREATE TABLE folder (
    path   BLOB PRIMARY KEY,
    parent BLOB,
    files  INTEGER NOT NULL,
    below  INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX folder_parent ON folder (parent);

-- Links from documents to other files, by path. Whether the target exists is checked by each query.
CREATE TABLE link (
    source BLOB NOT NULL,
    target BLOB NOT NULL,
    line   INTEGER NOT NULL,
    PRIMARY KEY (source, target, line)
) WITHOUT ROWID;
CREATE INDEX link_target ON link (target);

CREATE TABLE heading (
    path  BLOB NOT NULL,
    line  INTEGER NOT NULL,
    level INTEGER NOT NULL,
    text  TEXT NOT NULL,
    PRIMARY KEY (path, line)
) WITHOUT ROWID;
