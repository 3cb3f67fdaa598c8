-- Who was active lately is asked often, and the log only grows.
CREATE INDEX changes_by_time ON cairn.changes (project, at);
