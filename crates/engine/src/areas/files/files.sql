-- Folders that hold files, with how many they hold themselves and in all.
CREATE TABLE folder (
    path   BLOB PRIMARY KEY,
    parent BLOB,
    files  INTEGER NOT NULL,
    below  INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX folder_parent ON folder (parent);

-- Links between documents and other files, by name: what is there is looked up when asked.
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
