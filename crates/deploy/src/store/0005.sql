-- Fewer indexes for what is written with every deployment.

-- The last success of a scope is found by creation: a scope has 800 deployments at most.
DROP INDEX deployments_succeeded;

-- A status keeps its time: it is forgotten a while after its run began. So its changes touch no index.
DROP INDEX statuses_by_change;
ALTER TABLE statuses RENAME COLUMN updated TO created;
CREATE INDEX statuses_by_creation ON statuses (created);
