-- One text for SQLite and PostgreSQL: numbers are 64 bits, documents are JSON as text, times are milliseconds since 1970.

CREATE TABLE deployments (
  key         TEXT PRIMARY KEY,          -- the id in lower case
  id          TEXT NOT NULL,
  scope_key   TEXT NOT NULL,
  name        TEXT NOT NULL,
  parent_key  TEXT,                      -- the deployment that this one is part of
  state       TEXT NOT NULL,
  run         TEXT NOT NULL,             -- new with every deployment of the name
  document    TEXT NOT NULL,             -- what GET returns
  job         TEXT NOT NULL,             -- what is needed to go on with it, without secrets
  template    TEXT NOT NULL,
  owner       TEXT,                      -- the process that works on it
  epoch       BIGINT NOT NULL,           -- rises with every change of owner
  lease       BIGINT NOT NULL,           -- until when the owner has it
  cancel      BIGINT NOT NULL,           -- 1 when it is to stop
  created     BIGINT NOT NULL,
  updated     BIGINT NOT NULL
);
CREATE INDEX deployments_by_scope ON deployments (scope_key, updated);
CREATE INDEX deployments_by_state ON deployments (state);
CREATE INDEX deployments_by_parent ON deployments (parent_key);

CREATE TABLE operations (
  deployment_key TEXT NOT NULL,
  operation_id   TEXT NOT NULL,
  position       BIGINT NOT NULL,
  subject        TEXT NOT NULL,          -- which planned resource it is about, the same in every attempt
  state          TEXT NOT NULL,
  document       TEXT NOT NULL,
  PRIMARY KEY (deployment_key, operation_id)
);

CREATE TABLE statuses (
  id             TEXT PRIMARY KEY,       -- the run of a deployment
  deployment_key TEXT NOT NULL,
  state          TEXT NOT NULL,
  error          TEXT,
  updated        BIGINT NOT NULL
);

CREATE TABLE resources (
  key        TEXT PRIMARY KEY,           -- the id in lower case
  id         TEXT NOT NULL,
  group_key  TEXT,
  type_key   TEXT NOT NULL,
  document   TEXT NOT NULL,
  created    BIGINT NOT NULL,
  updated    BIGINT NOT NULL
);
CREATE INDEX resources_by_group ON resources (group_key);
CREATE INDEX resources_by_type ON resources (type_key);
