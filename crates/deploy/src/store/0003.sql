-- Whoever looks for work finds it without reading what is over, and lists are ranges of an index, whatever else is stored.

DROP INDEX deployments_by_scope;
DROP INDEX deployments_by_state;
DROP INDEX deployments_by_parent;
DROP INDEX deployments_by_creation;
DROP INDEX resources_by_type;
CREATE INDEX deployments_claimable ON deployments (created)
  WHERE parent_key IS NULL AND state IN ('Accepted', 'Running');
CREATE INDEX deployments_inside ON deployments (parent_key) WHERE parent_key IS NOT NULL;
CREATE INDEX deployments_by_creation ON deployments (scope_key, created, key);
CREATE INDEX deployments_succeeded ON deployments (scope_key, updated) WHERE state = 'Succeeded';
CREATE INDEX deployments_by_change ON deployments (updated, key);
CREATE INDEX resources_by_type ON resources (type_key, key);
CREATE INDEX statuses_by_change ON statuses (updated);

-- The values of the secrets of key vaults, by the key of the resource.
CREATE TABLE vault_secrets (
  key   TEXT PRIMARY KEY,
  value TEXT NOT NULL
);

-- Servers that say that they are there: writing here proves that the state can be written.
CREATE TABLE servers (
  owner TEXT PRIMARY KEY,
  beat  BIGINT NOT NULL,                 -- rises with every sign of life
  seen  BIGINT NOT NULL                  -- when, by the clock of the server, only to forget old ones
);
