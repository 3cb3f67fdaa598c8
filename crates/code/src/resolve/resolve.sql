
-- Version 7 of the rules: other rules, other index.
-- What resolution needs of a file: what others see of it, what it asks, and the questions whose
-- answers decided where its imports lead, as numbers of eight bytes each.
CREATE TABLE outline (
    path      BLOB PRIMARY KEY,
    offers    BLOB NOT NULL,
    asks      BLOB NOT NULL,
    looked    BLOB NOT NULL,
    path_mods INTEGER NOT NULL  -- whether it says by `#[path]` where modules are
) WITHOUT ROWID;
CREATE INDEX outline_path_mods ON outline (path) WHERE path_mods;

-- What manifests say about where imports lead, and the name they give a package.
CREATE TABLE manifest (path BLOB PRIMARY KEY, name TEXT, value TEXT NOT NULL) WITHOUT ROWID;
CREATE INDEX manifest_name ON manifest (name);

-- What each file takes of others, where that is declared; `*` is the file itself.
CREATE TABLE taking (
    path   BLOB NOT NULL,
    id     INTEGER NOT NULL,
    import INTEGER,             -- none where it is reached by a path
    target BLOB NOT NULL,
    name   TEXT NOT NULL,
    line   INTEGER NOT NULL,
    PRIMARY KEY (path, id)
) WITHOUT ROWID;
CREATE INDEX taking_target ON taking (target, path, name, import);

-- Questions whose answers changed since the last resolution; empty between two refreshes.
CREATE TABLE stirred (key INTEGER PRIMARY KEY);
