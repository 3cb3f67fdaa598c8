-- What a node is called, in lower case: all of its name, and the last part of it. In order, so
-- that a name is found whole before the names that start with it, however many those are.
CREATE TABLE doc_name (
    key TEXT NOT NULL,
    doc INTEGER NOT NULL,
    PRIMARY KEY (key, doc)
) WITHOUT ROWID;
-- A store that had texts before this step gets what can be told here; the rest comes as they are
-- written again.
INSERT OR IGNORE INTO doc_name SELECT lower(name), id FROM doc;
-- The words and the trigrams there are, each with how many rows hold it.
CREATE VIRTUAL TABLE doc_term USING fts5vocab (doc_word, col);
CREATE VIRTUAL TABLE doc_piece USING fts5vocab (doc_gram, row);
