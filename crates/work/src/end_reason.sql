-- Why a feature or task was given up.
ALTER TABLE feature ADD COLUMN end_reason TEXT;
ALTER TABLE task ADD COLUMN end_reason TEXT;
