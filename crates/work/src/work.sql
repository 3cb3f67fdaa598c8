-- Work and knowledge. Plain SQL: a second backend will read the same file.
-- Ids are UUIDs as text, times RFC 3339 in UTC with six decimals, lists JSON.
CREATE TABLE project (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, summary TEXT NOT NULL, description TEXT NOT NULL,
    tags TEXT NOT NULL, version INTEGER NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL
);
CREATE TABLE feature (
    id TEXT PRIMARY KEY, project_id TEXT NOT NULL, name TEXT NOT NULL, summary TEXT NOT NULL,
    description TEXT NOT NULL, status TEXT NOT NULL, priority TEXT NOT NULL, tags TEXT NOT NULL,
    ended_from TEXT, version INTEGER NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL
);
CREATE INDEX feature_of_project ON feature (project_id);
CREATE INDEX feature_in_status ON feature (status);
CREATE TABLE task (
    id TEXT PRIMARY KEY, project_id TEXT NOT NULL, feature_id TEXT, title TEXT NOT NULL,
    summary TEXT NOT NULL, description TEXT NOT NULL, status TEXT NOT NULL, priority TEXT NOT NULL,
    complexity INTEGER NOT NULL, tags TEXT NOT NULL, evidence TEXT NOT NULL,
    version INTEGER NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL
);
CREATE INDEX task_of_project ON task (project_id);
CREATE INDEX task_of_feature ON task (feature_id);
CREATE INDEX task_in_status ON task (status);
CREATE TABLE section (
    id TEXT PRIMARY KEY, entity_type TEXT NOT NULL, entity_id TEXT NOT NULL, title TEXT NOT NULL,
    usage_description TEXT NOT NULL, content TEXT NOT NULL, content_format TEXT NOT NULL,
    ordinal INTEGER NOT NULL, tags TEXT NOT NULL, version INTEGER NOT NULL,
    created_at TEXT NOT NULL, updated_at TEXT NOT NULL
);
CREATE INDEX section_of_entity ON section (entity_id);
CREATE TABLE template (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, description TEXT NOT NULL,
    target_entity_type TEXT NOT NULL, is_built_in INTEGER NOT NULL, is_enabled INTEGER NOT NULL,
    tags TEXT NOT NULL, sections TEXT NOT NULL, version INTEGER NOT NULL,
    created_at TEXT NOT NULL, updated_at TEXT NOT NULL
);
-- One blocking relation, whichever operation made it. No `from_id`: blocked by a reason alone.
CREATE TABLE dependency (
    id TEXT PRIMARY KEY, relation TEXT NOT NULL, from_id TEXT, to_id TEXT NOT NULL,
    reason TEXT NOT NULL, created_at TEXT NOT NULL
);
CREATE INDEX dependency_from ON dependency (from_id);
CREATE INDEX dependency_to ON dependency (to_id);
-- The task's id is the key: two claims cannot be.
CREATE TABLE claim (
    id TEXT PRIMARY KEY, actor TEXT NOT NULL, since TEXT NOT NULL, until TEXT NOT NULL
);
CREATE TABLE molecule (
    id TEXT PRIMARY KEY, project_id TEXT NOT NULL, name TEXT NOT NULL, knowledge TEXT NOT NULL,
    related TEXT NOT NULL, created_by_task_id TEXT, last_task_id TEXT, version INTEGER NOT NULL,
    created_at TEXT NOT NULL, updated_at TEXT NOT NULL
);
CREATE INDEX molecule_of_project ON molecule (project_id);
CREATE TABLE atom (
    id TEXT PRIMARY KEY, project_id TEXT NOT NULL, molecule_id TEXT, name TEXT NOT NULL,
    paths TEXT NOT NULL, knowledge TEXT NOT NULL, related TEXT NOT NULL, created_by_task_id TEXT,
    last_task_id TEXT, version INTEGER NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL
);
CREATE INDEX atom_of_project ON atom (project_id);
CREATE INDEX atom_of_molecule ON atom (molecule_id);
-- What an atom's files looked like when its knowledge was written; apart, because it is long.
CREATE TABLE footprint (id TEXT PRIMARY KEY, files TEXT NOT NULL, at TEXT NOT NULL);
CREATE TABLE changelog (
    id TEXT PRIMARY KEY, parent_type TEXT NOT NULL, parent_id TEXT NOT NULL, task_id TEXT,
    summary TEXT NOT NULL, created_at TEXT NOT NULL
);
CREATE INDEX changelog_of_parent ON changelog (parent_id);
-- Where each shared record was when the store and the shared files last agreed.
CREATE TABLE shared (id TEXT PRIMARY KEY, version INTEGER NOT NULL, hash TEXT NOT NULL);
