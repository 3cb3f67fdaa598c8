-- Version 7 of the rules: other rules, other index.
-- What resolution needs of a file: what others see of it, what it asks, and the questions whose
-- answers decided where its imports lead, as numbers of eight bytes each.
CREATE TABLE outline (
    place     INTEGER PRIMARY KEY,
    offers    BLOB NOT NULL,    -- compressed
    asks      BLOB NOT NULL,    -- compressed
    looked    BLOB NOT NULL,
    path_mods INTEGER NOT NULL  -- whether it says by `#[path]` where modules are
);
CREATE INDEX outline_path_mods ON outline (place) WHERE path_mods;

-- What manifests say about where imports lead, and the name they give a package.
CREATE TABLE manifest (path BLOB PRIMARY KEY, name TEXT, value TEXT NOT NULL) WITHOUT ROWID;
CREATE INDEX manifest_name ON manifest (name);

-- What each file takes of others, where that is declared; `*` is the file itself.
CREATE TABLE taking (
    place  INTEGER NOT NULL,
    id     INTEGER NOT NULL,
    import INTEGER,             -- none where it is reached by a path
    target INTEGER NOT NULL,
    name   INTEGER NOT NULL,
    line   INTEGER NOT NULL,
    PRIMARY KEY (place, id)
) WITHOUT ROWID;
CREATE INDEX taking_target ON taking (target);

-- Questions whose answers changed since the last resolution; empty between two refreshes.
CREATE TABLE stirred (key INTEGER PRIMARY KEY);
