-- The searchable texts of the index, one row per node. The text of a symbol is in the symbol's own
-- row, so its row here only says which symbol it is.
CREATE TABLE doc_row (
    id     INTEGER PRIMARY KEY,
    place  INTEGER,            -- of a symbol: its file, as an id of the table `place`
    symbol INTEGER,            -- of a symbol: its number in the file
    node   TEXT,
    kind   TEXT,
    path   BLOB,               -- the file or folder it belongs to, for filters
    name   TEXT,
    body   TEXT
);
CREATE UNIQUE INDEX doc_node ON doc_row (node) WHERE node IS NOT NULL;
-- The ids of the rows of a file's symbols, which are consecutive.
CREATE TABLE doc_range (place INTEGER PRIMARY KEY, first INTEGER NOT NULL, last INTEGER NOT NULL);
-- A durable store has a table with this name. The code area creates a view that also reads the texts
-- of symbols; this one is for an index without that area.
CREATE VIEW IF NOT EXISTS doc AS SELECT id, node, kind, path, name, body FROM doc_row;
-- Words with identifiers split, for ranking; trigrams for substrings, typos, and scripts
-- that put no space between words.
CREATE VIRTUAL TABLE doc_word USING fts5 (
    name, body, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2'
);
CREATE VIRTUAL TABLE doc_gram USING fts5 (
    text, content='', contentless_delete=1, detail=none, tokenize='trigram'
);
-- The names of a node, in lower case: its full name, and the last part of it.
CREATE TABLE doc_name (
    key TEXT NOT NULL,
    doc INTEGER NOT NULL,
    PRIMARY KEY (key, doc)
) WITHOUT ROWID;
CREATE VIRTUAL TABLE doc_term USING fts5vocab (doc_word, col);
CREATE VIRTUAL TABLE doc_piece USING fts5vocab (doc_gram, row);
