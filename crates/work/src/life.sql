-- Short names, people and dates of work, who holds a claim, and the history of each feature and task.
ALTER TABLE feature ADD COLUMN slug TEXT;
ALTER TABLE feature ADD COLUMN assignee TEXT;
ALTER TABLE feature ADD COLUMN due TEXT;
ALTER TABLE feature ADD COLUMN milestone TEXT;
ALTER TABLE feature ADD COLUMN estimate INTEGER;
ALTER TABLE feature ADD COLUMN source TEXT;
ALTER TABLE task ADD COLUMN slug TEXT;
ALTER TABLE task ADD COLUMN assignee TEXT;
ALTER TABLE task ADD COLUMN due TEXT;
ALTER TABLE task ADD COLUMN milestone TEXT;
ALTER TABLE task ADD COLUMN estimate INTEGER;
ALTER TABLE task ADD COLUMN source TEXT;
ALTER TABLE claim ADD COLUMN session TEXT;
CREATE TABLE event (
    id TEXT PRIMARY KEY, item_id TEXT NOT NULL, number INTEGER NOT NULL, kind TEXT NOT NULL,
    text TEXT NOT NULL, actor TEXT NOT NULL, session TEXT, at TEXT NOT NULL
);
CREATE INDEX event_of_item ON event (item_id);
-- A key ends with the last digits of the id.
CREATE INDEX project_suffix ON project (substr(id, 33));
CREATE INDEX feature_suffix ON feature (substr(id, 33));
CREATE INDEX task_suffix ON task (substr(id, 33));
CREATE INDEX feature_called ON feature (name COLLATE NOCASE);
CREATE INDEX task_called ON task (title COLLATE NOCASE);
CREATE INDEX feature_from_source ON feature (source);
CREATE INDEX task_from_source ON task (source);
CREATE INDEX task_of_assignee ON task (assignee);
CREATE INDEX feature_of_assignee ON feature (assignee);
-- Overviews, counts and the choice of the next task read these and no rows.
CREATE INDEX task_in_project ON task (project_id, feature_id, status, priority, title, id);
CREATE INDEX task_by_status
    ON task (project_id, status, priority, complexity, created_at, id, feature_id, assignee);
CREATE INDEX claim_until ON claim (until);
