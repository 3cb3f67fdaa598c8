-- Cards by their files: two files may declare one key, which is an error that is reported.
CREATE TABLE card (
    path        BLOB PRIMARY KEY,
    key         TEXT NOT NULL,
    folded      TEXT NOT NULL,  -- the folded key, which is equal for keys that clash
    type        TEXT NOT NULL,
    summary     TEXT NOT NULL,
    status      TEXT NOT NULL,
    tags        TEXT NOT NULL,  -- JSON, like the next three
    subjects    TEXT NOT NULL,
    constraints TEXT NOT NULL,
    extra       TEXT NOT NULL,
    body        TEXT NOT NULL,
    key_line    INTEGER NOT NULL,
    type_line   INTEGER NOT NULL,
    status_line INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX card_key ON card (key);
CREATE INDEX card_folded ON card (folded);

-- Relations between cards. Reverse relations are the same rows, read by their target.
CREATE TABLE card_relation (
    path   BLOB NOT NULL,
    number INTEGER NOT NULL,
    source TEXT NOT NULL,
    type   TEXT NOT NULL,
    target TEXT NOT NULL,
    line   INTEGER NOT NULL,
    PRIMARY KEY (path, number)
) WITHOUT ROWID;
CREATE INDEX card_relation_source ON card_relation (source);
CREATE INDEX card_relation_target ON card_relation (target);

-- Code that is mentioned in the texts of cards.
CREATE TABLE card_mention (
    path   BLOB NOT NULL,
    number INTEGER NOT NULL,
    source TEXT NOT NULL,
    target BLOB NOT NULL,
    symbol TEXT,                -- null for the file as a whole
    line   INTEGER NOT NULL,
    PRIMARY KEY (path, number)
) WITHOUT ROWID;
CREATE INDEX card_mention_source ON card_mention (source);
CREATE INDEX card_mention_target ON card_mention (target);

-- Faults of card files.
CREATE TABLE card_trouble (
    path    BLOB NOT NULL,
    number  INTEGER NOT NULL,
    code    TEXT NOT NULL,
    message TEXT NOT NULL,
    line    INTEGER NOT NULL,
    PRIMARY KEY (path, number)
) WITHOUT ROWID;

-- Tags `@see type::slug` in doc comments, whether or not such a card exists.
CREATE TABLE see (
    path   BLOB NOT NULL,
    number INTEGER NOT NULL,
    owner  TEXT,                -- the symbol; null for the module itself
    key    TEXT NOT NULL,
    line   INTEGER NOT NULL,
    colons INTEGER NOT NULL,    -- whether `::` is part of the language
    PRIMARY KEY (path, number)
) WITHOUT ROWID;
CREATE INDEX see_key ON see (key);
