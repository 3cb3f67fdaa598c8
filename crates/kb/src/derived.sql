-- What files say, as a part of the index. Which files count is decided when it is read.
-- Increase this number when the same document gives other rows, so that indexes are built again: 3
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

-- What looks like an entity and was not taken in.
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
