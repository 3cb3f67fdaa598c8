-- What each file says about calls: what others may ask of it, what it asks itself, and digests of
-- what it offers. All three are compressed.
CREATE TABLE summary (
    place INTEGER PRIMARY KEY,
    face  BLOB NOT NULL,
    own   BLOB NOT NULL,
    parts BLOB NOT NULL,
    cut   INTEGER NOT NULL      -- whether more goes on in it than was followed
);
CREATE INDEX summary_cut ON summary (place) WHERE cut;

-- The names that files offer, each with a digest of all that is behind it.
CREATE TABLE offer (
    place  INTEGER NOT NULL,
    name   INTEGER NOT NULL,
    digest INTEGER NOT NULL,
    PRIMARY KEY (place, name)
) WITHOUT ROWID;
CREATE INDEX offer_name ON offer (name);

-- Who uses whom, by the file that says so. The empty name is the file's own code.
CREATE TABLE edge (
    place      INTEGER NOT NULL,
    from_name  INTEGER NOT NULL,
    relation   INTEGER NOT NULL,
    to_place   INTEGER NOT NULL,
    to_name    INTEGER NOT NULL,
    from_place INTEGER NOT NULL,  -- where it starts, if that is another file; else 0
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

-- What the edges of a file rest on: names that were looked up in other files, found or not.
CREATE TABLE rest (
    place    INTEGER NOT NULL,
    on_place INTEGER NOT NULL,
    on_name  INTEGER NOT NULL,
    PRIMARY KEY (place, on_place, on_name)
) WITHOUT ROWID;

-- Files to be linked again before this refresh ends; those that were touched offer anew as well.
CREATE TABLE stale (place INTEGER PRIMARY KEY, touched INTEGER NOT NULL);
CREATE TRIGGER import_moved AFTER UPDATE OF target ON import WHEN old.target IS NOT new.target
BEGIN
    INSERT INTO stale VALUES (new.place, 1) ON CONFLICT DO UPDATE SET touched = 1;
END;

