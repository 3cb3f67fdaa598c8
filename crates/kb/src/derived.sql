-- Entities (`kb_said`) and relations (`kb_told`) that files declare. The queries decide which files
-- count.
-- Increase this number when the same document gives other rows, so that indexes are rebuilt: 3
CREATE TABLE kb_said (
    path      BLOB NOT NULL,
    number    INTEGER NOT NULL,
    line      INTEGER NOT NULL,
    extractor TEXT NOT NULL,
    entity    TEXT NOT NULL, -- as JSON
    PRIMARY KEY (path, number)
) WITHOUT ROWID;
CREATE INDEX kb_said_id ON kb_said (entity ->> 'id');

CREATE TABLE kb_told (
    path       BLOB NOT NULL,
    number     INTEGER NOT NULL,
    line       INTEGER NOT NULL,
    extractor  TEXT NOT NULL,
    type       TEXT NOT NULL, -- empty for a plain link
    source_end TEXT NOT NULL,
    target_end TEXT NOT NULL,
    kind       TEXT NOT NULL,
    PRIMARY KEY (path, number)
) WITHOUT ROWID;

-- Text that looks like an entity but was not read as one.
CREATE TABLE kb_notice (
    path      BLOB NOT NULL,
    number    INTEGER NOT NULL,
    line      INTEGER NOT NULL,
    extractor TEXT NOT NULL,
    message   TEXT NOT NULL,
    PRIMARY KEY (path, number)
) WITHOUT ROWID;

CREATE TABLE kb_fault (
    path    BLOB NOT NULL,
    number  INTEGER NOT NULL,
    line    INTEGER NOT NULL,
    message TEXT NOT NULL,
    PRIMARY KEY (path, number)
) WITHOUT ROWID;
