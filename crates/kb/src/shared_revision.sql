-- The revision that a shared file had when the store last agreed with it.
ALTER TABLE kb_shared ADD COLUMN revision INTEGER NOT NULL DEFAULT 1;
