-- What was done to this store, with what would undo it. Every durable store has this table.
CREATE TABLE change (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    at      TEXT NOT NULL,
    actor   TEXT NOT NULL,
    summary TEXT NOT NULL,
    inverse TEXT NOT NULL
);
