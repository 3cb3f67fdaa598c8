-- The paths of files and folders. The tables below refer to them by number.
CREATE TABLE place (id INTEGER PRIMARY KEY, path BLOB NOT NULL UNIQUE);

-- Names, to which the tables below refer by number. A name that is no longer used stays until the
-- index is rebuilt.
CREATE TABLE name (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);

-- The symbols that files declare. Anonymous functions are left out; the parent is the nearest
-- symbol with a name.
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
    plain      INTEGER,          -- the full name without its disambiguator, if it has one
    overloads  TEXT,             -- its other signatures, one per line
    PRIMARY KEY (place, id)
) WITHOUT ROWID;

-- Imports, and the file or folder that each means; NULL if that is not in the repository.
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

-- Exports under a name other than the declared one: `export { a as b }`, `pub use a as b`.
CREATE TABLE alias (
    place  INTEGER NOT NULL,
    id     INTEGER NOT NULL,
    name   TEXT NOT NULL,       -- the exported name
    local  TEXT NOT NULL,       -- its name in this file, or in the re-exported one
    symbol TEXT,                -- the full name of the declaration, where it is in this file
    import INTEGER,             -- the import that it is re-exported from
    PRIMARY KEY (place, id)
) WITHOUT ROWID;

-- Syntax errors.
CREATE TABLE syntax_error (
    place   INTEGER NOT NULL,
    line    INTEGER NOT NULL,
    column  INTEGER NOT NULL,
    message TEXT NOT NULL,
    PRIMARY KEY (place, line, column, message)
) WITHOUT ROWID;
