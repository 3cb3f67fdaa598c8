-- Text of the index that can be searched, one row a node. What a symbol's own row says is not
-- repeated here: such a row has its place and nothing else.
CREATE TABLE doc_row (
    id     INTEGER PRIMARY KEY,
    place  INTEGER,            -- of a symbol: the file in `place`
    symbol INTEGER,            -- of a symbol: its number in the file
    node   TEXT,
    kind   TEXT,
    path   BLOB,               -- the file or folder it belongs to, for filters
    name   TEXT,
    body   TEXT
);
CREATE UNIQUE INDEX doc_node ON doc_row (node) WHERE node IS NOT NULL;
-- The rows of a file's symbols, which follow each other.
CREATE TABLE doc_range (place INTEGER PRIMARY KEY, first INTEGER NOT NULL, last INTEGER NOT NULL);
-- What a durable store has as a table. The code area makes one that reads the texts of symbols as
-- well; this is for an index without that area.
CREATE VIEW IF NOT EXISTS doc AS SELECT id, node, kind, path, name, body FROM doc_row;
-- Words with identifiers split, for ranking; trigrams for substrings, typos, and scripts
-- that put no space between words.
CREATE VIRTUAL TABLE doc_word USING fts5 (
    name, body, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2'
);
CREATE VIRTUAL TABLE doc_gram USING fts5 (
    text, content='', contentless_delete=1, detail=none, tokenize='trigram'
);
-- What a node is called, in lower case: all of its name, and the last part of it.
CREATE TABLE doc_name (
    key TEXT NOT NULL,
    doc INTEGER NOT NULL,
    PRIMARY KEY (key, doc)
) WITHOUT ROWID;
CREATE VIRTUAL TABLE doc_term USING fts5vocab (doc_word, col);
CREATE VIRTUAL TABLE doc_piece USING fts5vocab (doc_gram, row);
