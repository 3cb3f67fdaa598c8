-- What files declare. Anonymous functions are left out; a parent is the nearest with a name.
CREATE TABLE symbol (
    path       BLOB NOT NULL,
    id         INTEGER NOT NULL,
    name       TEXT NOT NULL,
    full       TEXT NOT NULL,   -- with the names it is nested in
    kind       TEXT NOT NULL,
    parent     INTEGER,
    signature  TEXT NOT NULL,
    doc        TEXT,
    visibility TEXT NOT NULL,
    exported   INTEGER NOT NULL,
    is_test    INTEGER NOT NULL,
    start      INTEGER NOT NULL,
    stop       INTEGER NOT NULL,
    line       INTEGER NOT NULL,
    end_line   INTEGER NOT NULL,
    shape      INTEGER NOT NULL,
    body       INTEGER NOT NULL,
    plain      TEXT,            -- the full name without what tells namesakes apart, if it has that
    overloads  TEXT,            -- its other signatures, one a line
    PRIMARY KEY (path, id)
) WITHOUT ROWID;

-- What files ask of others, and the file that is meant; none if it is not in the repository.
CREATE TABLE import (
    path      BLOB NOT NULL,
    id        INTEGER NOT NULL,
    specifier TEXT NOT NULL,
    kind      TEXT NOT NULL,
    level     INTEGER NOT NULL,
    names     TEXT NOT NULL,    -- JSON: [[name, alias], …]
    type_only INTEGER NOT NULL,
    line      INTEGER NOT NULL,
    target    BLOB,
    PRIMARY KEY (path, id)
) WITHOUT ROWID;
CREATE INDEX import_target ON import (target);

-- What files offer under another name than it is declared with: `export { a as b }`.
CREATE TABLE alias (
    path   BLOB NOT NULL,
    id     INTEGER NOT NULL,
    name   TEXT NOT NULL,       -- its name outside
    local  TEXT NOT NULL,       -- its name here, or where it is handed on from
    symbol TEXT,                -- the full name of the declaration, where it is in this file
    import INTEGER,             -- the import it is handed on from
    PRIMARY KEY (path, id)
) WITHOUT ROWID;

-- Where a file could not be read as code.
CREATE TABLE syntax_error (
    path    BLOB NOT NULL,
    line    INTEGER NOT NULL,
    column  INTEGER NOT NULL,
    message TEXT NOT NULL,
    PRIMARY KEY (path, line, column, message)
) WITHOUT ROWID;
