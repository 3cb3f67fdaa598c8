-- What every area's rows hang on: the files as they were last read, and the commit below them.
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE file (
    path       BLOB PRIMARY KEY,
    size       INTEGER NOT NULL,
    mtime      INTEGER NOT NULL,
    ctime      INTEGER NOT NULL,
    inode      INTEGER NOT NULL,
    executable INTEGER NOT NULL,
    read_at    INTEGER NOT NULL, -- by the file system's clock; decides whether the stat can be believed
    hash       BLOB,             -- blake3; none where the file was too large to read
    oid        BLOB,             -- what git would name the bytes
    oid_lf     BLOB,             -- the same with LF for CRLF, where that differs
    language   TEXT,
    skipped    TEXT,             -- why its text was not taken in
    lines      INTEGER NOT NULL,
    title      TEXT
) WITHOUT ROWID;

-- Seen on the way, and no file of the project: links, other repositories, what could not be read.
CREATE TABLE aside (path BLOB PRIMARY KEY, why TEXT NOT NULL) WITHOUT ROWID;

-- The tree of the commit that is checked out, and what differs from it.
CREATE TABLE head_entry (path BLOB PRIMARY KEY, oid BLOB NOT NULL, kind TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE edited (path BLOB PRIMARY KEY, how TEXT NOT NULL) WITHOUT ROWID;
