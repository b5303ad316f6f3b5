-- A status changes once, soon after it is written: with room in its page, the new version stays there and no index is written.

ALTER TABLE statuses SET (fillfactor = 50);
