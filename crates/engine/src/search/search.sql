-- Text that can be searched, one row a node, whatever layer it is from. The index has these
-- tables, and so has every durable store with texts: there they are a landed migration, so a
-- change of them is a new step.
CREATE TABLE doc (
    id   INTEGER PRIMARY KEY,
    node TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    path BLOB,                 -- the file or folder it belongs to, for filters
    name TEXT NOT NULL,
    body TEXT NOT NULL
);
-- Words with identifiers split, for ranking; trigrams for substrings, typos, and scripts
-- that put no space between words.
CREATE VIRTUAL TABLE doc_word USING fts5 (
    name, body, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2'
);
CREATE VIRTUAL TABLE doc_gram USING fts5 (
    text, content='', contentless_delete=1, detail=none, tokenize='trigram'
);
