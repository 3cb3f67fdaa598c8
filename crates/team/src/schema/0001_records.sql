-- The shared home of durable records. Plain SQL: row locks, no advisory locks, no triggers.
-- Texts, not UUIDs or JSON: what a client wrote comes back byte for byte.
CREATE TABLE cairn.projects (
    id         text PRIMARY KEY,
    name       text NOT NULL,
    roots      text[] NOT NULL,             -- root commits of the repository's history
    writers    text NOT NULL,               -- the role whose members may write
    readers    text NOT NULL,               -- the role whose members may read
    seq        bigint NOT NULL DEFAULT 0,   -- number of the last change
    layouts    text NOT NULL DEFAULT '{}',  -- schema of each store that the last writer had, as JSON
    created_at timestamptz NOT NULL DEFAULT now(),
    created_by text NOT NULL DEFAULT current_user
);
-- The last state of every record. A removed record stays, without a body, so that others learn of it.
CREATE TABLE cairn.records (
    project text NOT NULL REFERENCES cairn.projects (id),
    store   text NOT NULL,
    kind    text NOT NULL,
    id      text NOT NULL,
    version bigint NOT NULL,
    body    text,
    seq     bigint NOT NULL,                -- the change that wrote this state
    PRIMARY KEY (project, store, kind, id)
);
CREATE INDEX records_by_seq ON cairn.records (project, store, seq, kind, id);
-- Every change, by number. Nothing in here is ever changed or removed.
CREATE TABLE cairn.changes (
    project text NOT NULL REFERENCES cairn.projects (id),
    seq     bigint NOT NULL,
    id      text NOT NULL,                  -- made by the client: a lost reply is looked up by it
    store   text NOT NULL,
    action  text NOT NULL CHECK (action IN ('write', 'fork', 'push')),
    source  text,                           -- the store that a fork was made from
    actor   text NOT NULL,
    session text NOT NULL,
    role    text NOT NULL DEFAULT current_user,
    summary text NOT NULL,
    records integer NOT NULL,
    at      timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (project, seq),
    UNIQUE (project, id)
);
CREATE INDEX changes_by_store ON cairn.changes (project, store, seq);

-- A project is seen by the members of its two roles and by nobody else, not even by the owner of
-- the tables. Superusers are above row security.
ALTER TABLE cairn.projects ENABLE ROW LEVEL SECURITY;
ALTER TABLE cairn.projects FORCE ROW LEVEL SECURITY;
ALTER TABLE cairn.records ENABLE ROW LEVEL SECURITY;
ALTER TABLE cairn.records FORCE ROW LEVEL SECURITY;
ALTER TABLE cairn.changes ENABLE ROW LEVEL SECURITY;
ALTER TABLE cairn.changes FORCE ROW LEVEL SECURITY;

CREATE FUNCTION cairn.is_member(name text) RETURNS boolean LANGUAGE sql STABLE AS
    'SELECT coalesce(pg_has_role(current_user, to_regrole(quote_ident(name))::oid, ''MEMBER''), false)';

CREATE POLICY members_see ON cairn.projects FOR SELECT
    USING (cairn.is_member(writers) OR cairn.is_member(readers));
CREATE POLICY owner_creates ON cairn.projects FOR INSERT WITH CHECK (cairn.is_member(writers));
CREATE POLICY writers_count ON cairn.projects FOR UPDATE USING (cairn.is_member(writers))
    WITH CHECK (cairn.is_member(writers));

CREATE POLICY members_see ON cairn.records FOR SELECT
    USING (project IN (SELECT id FROM cairn.projects));
CREATE POLICY writers_add ON cairn.records FOR INSERT
    WITH CHECK (project IN (SELECT id FROM cairn.projects WHERE cairn.is_member(writers)));
CREATE POLICY writers_change ON cairn.records FOR UPDATE
    USING (project IN (SELECT id FROM cairn.projects WHERE cairn.is_member(writers)))
    WITH CHECK (project IN (SELECT id FROM cairn.projects WHERE cairn.is_member(writers)));

CREATE POLICY members_see ON cairn.changes FOR SELECT
    USING (project IN (SELECT id FROM cairn.projects));
CREATE POLICY writers_add ON cairn.changes FOR INSERT
    WITH CHECK (role = current_user
        AND project IN (SELECT id FROM cairn.projects WHERE cairn.is_member(writers)));
