-- In which session a change was made, and which change of this store it takes back. A change
-- without a session was made before there were sessions; its number was counted by this store.
ALTER TABLE change ADD COLUMN session TEXT;
ALTER TABLE change ADD COLUMN undoes INTEGER;
-- Until now only the summary told what an undo had taken back.
UPDATE change SET undoes = CAST(substr(summary, instr(summary, ':') + 1) AS INTEGER)
    WHERE summary GLOB 'undo of [a-z]*:[0-9]*: *';
