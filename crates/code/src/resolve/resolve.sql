-- Version 7 of the resolution rules. Increase the number when the rules change: the text of this
-- schema is part of the name of the index, so the index is then rebuilt.

-- What resolution needs of a file: its interface for other files (`offers`), its references
-- (`asks`), and hashes of the resolution keys that decided what its imports mean (`looked`), eight
-- bytes each.
CREATE TABLE outline (
    place     INTEGER PRIMARY KEY,
    offers    BLOB NOT NULL,    -- compressed
    asks      BLOB NOT NULL,    -- compressed
    looked    BLOB NOT NULL,
    path_mods INTEGER NOT NULL  -- whether it has `#[path]` modules
);
CREATE INDEX outline_path_mods ON outline (place) WHERE path_mods;

-- Manifests that import resolution reads, and the package name that each declares.
CREATE TABLE manifest (path BLOB PRIMARY KEY, name TEXT, value TEXT NOT NULL) WITHOUT ROWID;
CREATE INDEX manifest_name ON manifest (name);

-- Uses of symbols of other files, by the declaring file; `*` is the file itself.
CREATE TABLE taking (
    place  INTEGER NOT NULL,
    id     INTEGER NOT NULL,
    import INTEGER,             -- NULL if the symbol is used through a path
    target INTEGER NOT NULL,
    name   INTEGER NOT NULL,
    line   INTEGER NOT NULL,
    PRIMARY KEY (place, id)
) WITHOUT ROWID;
CREATE INDEX taking_target ON taking (target);

-- Resolution keys whose values changed since the last resolution; empty between two refreshes.
CREATE TABLE stirred (key INTEGER PRIMARY KEY);
