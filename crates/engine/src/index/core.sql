-- The basis of all areas' rows: the files as they were last read, and the checked-out commit.
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE file (
    path       BLOB PRIMARY KEY,
    size       INTEGER NOT NULL,
    mtime      INTEGER NOT NULL,
    ctime      INTEGER NOT NULL,
    inode      INTEGER NOT NULL,
    executable INTEGER NOT NULL,
    read_at    INTEGER NOT NULL, -- by the file system's clock; decides if the metadata is trusted
    hash       BLOB,             -- blake3; null if the file was too large to read
    oid        BLOB,             -- git's object id of the bytes
    oid_lf     BLOB,             -- the same with CRLF replaced by LF, if that differs
    language   TEXT,
    skipped    TEXT,             -- why its text is not indexed
    lines      INTEGER NOT NULL,
    title      TEXT
) WITHOUT ROWID;

-- Paths that are not files of the project: symbolic links, other repositories, unreadable paths.
CREATE TABLE aside (path BLOB PRIMARY KEY, why TEXT NOT NULL) WITHOUT ROWID;

-- The tree of the checked-out commit, and the files that differ from it.
CREATE TABLE head_entry (path BLOB PRIMARY KEY, oid BLOB NOT NULL, kind TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE edited (path BLOB PRIMARY KEY, how TEXT NOT NULL) WITHOUT ROWID;
