-- Paths that the tables below name, files and folders, each by a number.
CREATE TABLE place (id INTEGER PRIMARY KEY, path BLOB NOT NULL UNIQUE);

-- Names that the tables below name, each by a number. One that nothing uses any more stays until
-- the index is rebuilt.
CREATE TABLE name (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);

-- What files declare. Anonymous functions are left out; a parent is the nearest with a name.
CREATE TABLE symbol (
    place      INTEGER NOT NULL,
    id         INTEGER NOT NULL,
    name       INTEGER NOT NULL,
    full       INTEGER NOT NULL, -- with the names it is nested in
    kind       INTEGER NOT NULL, -- by its position in `SymbolKind::ALL`
    parent     INTEGER,
    signature  TEXT NOT NULL,
    doc        TEXT,
    visibility TEXT,             -- as the language writes it; empty if public, none if private
    exported   INTEGER NOT NULL,
    is_test    INTEGER NOT NULL,
    start      INTEGER NOT NULL,
    length     INTEGER NOT NULL,
    line       INTEGER NOT NULL,
    lines      INTEGER NOT NULL, -- from the line of its name to its last
    plain      INTEGER,          -- the full name without what tells namesakes apart, if it has that
    overloads  TEXT,             -- its other signatures, one a line
    PRIMARY KEY (place, id)
) WITHOUT ROWID;

-- What files ask of others, and the file or folder that is meant; none if it is not in the repository.
CREATE TABLE import (
    place     INTEGER NOT NULL,
    id        INTEGER NOT NULL,
    specifier TEXT NOT NULL,
    kind      TEXT NOT NULL,
    level     INTEGER NOT NULL,
    names     TEXT NOT NULL,    -- JSON: [[name, alias], …]
    type_only INTEGER NOT NULL,
    line      INTEGER NOT NULL,
    target    INTEGER,
    PRIMARY KEY (place, id)
) WITHOUT ROWID;
CREATE INDEX import_target ON import (target) WHERE target IS NOT NULL;

-- What files offer under another name than it is declared with: `export { a as b }`.
CREATE TABLE alias (
    place  INTEGER NOT NULL,
    id     INTEGER NOT NULL,
    name   TEXT NOT NULL,       -- its name outside
    local  TEXT NOT NULL,       -- its name here, or where it is handed on from
    symbol TEXT,                -- the full name of the declaration, where it is in this file
    import INTEGER,             -- the import it is handed on from
    PRIMARY KEY (place, id)
) WITHOUT ROWID;

-- Where a file could not be read as code.
CREATE TABLE syntax_error (
    place   INTEGER NOT NULL,
    line    INTEGER NOT NULL,
    column  INTEGER NOT NULL,
    message TEXT NOT NULL,
    PRIMARY KEY (place, line, column, message)
) WITHOUT ROWID;
