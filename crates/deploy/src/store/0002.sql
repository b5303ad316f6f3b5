-- Deployments are listed in the order in which they were made.

CREATE INDEX deployments_by_creation ON deployments (scope_key, created);
