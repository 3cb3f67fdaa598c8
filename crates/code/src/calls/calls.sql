-- The summary of the calls of each file: its export table (`face`), what linking it needs (`own`),
-- and digests of its exports (`parts`). All three are compressed.
CREATE TABLE summary (
    place INTEGER PRIMARY KEY,
    face  BLOB NOT NULL,
    own   BLOB NOT NULL,
    parts BLOB NOT NULL,
    cut   INTEGER NOT NULL      -- whether the budget ended before the whole file was analysed
);
CREATE INDEX summary_cut ON summary (place) WHERE cut;

-- The names that files export, each with a digest of everything that they stand for.
CREATE TABLE offer (
    place  INTEGER NOT NULL,
    name   INTEGER NOT NULL,
    digest INTEGER NOT NULL,
    PRIMARY KEY (place, name)
) WITHOUT ROWID;
CREATE INDEX offer_name ON offer (name);

-- The edges of the call graph, by the file that contains the code. An empty name is the file's
-- top-level code.
CREATE TABLE edge (
    place      INTEGER NOT NULL,
    from_name  INTEGER NOT NULL,
    relation   INTEGER NOT NULL,
    to_place   INTEGER NOT NULL,
    to_name    INTEGER NOT NULL,
    from_place INTEGER NOT NULL,  -- the file of its source, if it is another file; else 0
    sure       INTEGER NOT NULL,  -- 0 exact, 1 inferred
    line       INTEGER NOT NULL,
    PRIMARY KEY (place, from_name, relation, to_place, to_name, from_place)
) WITHOUT ROWID;

-- Calls of which only the name is known.
CREATE TABLE unsure (
    place     INTEGER NOT NULL,
    from_name INTEGER NOT NULL,
    name      INTEGER NOT NULL,
    line      INTEGER NOT NULL,
    PRIMARY KEY (place, from_name, name)
) WITHOUT ROWID;

-- The dependencies of the edges of a file: names that were looked up in other files, found or not.
CREATE TABLE rest (
    place    INTEGER NOT NULL,
    on_place INTEGER NOT NULL,
    on_name  INTEGER NOT NULL,
    PRIMARY KEY (place, on_place, on_name)
) WITHOUT ROWID;

-- Files to be linked again before this refresh ends. For touched files, the exports are compared as
-- well.
CREATE TABLE stale (place INTEGER PRIMARY KEY, touched INTEGER NOT NULL);
CREATE TRIGGER import_moved AFTER UPDATE OF target ON import WHEN old.target IS NOT new.target
BEGIN
    INSERT INTO stale VALUES (new.place, 1) ON CONFLICT DO UPDATE SET touched = 1;
END;

