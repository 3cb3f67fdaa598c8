-- What the store and the files that share it last agreed on.
CREATE TABLE kb_shared (
    file TEXT PRIMARY KEY,
    hash TEXT NOT NULL
) WITHOUT ROWID;
