-- Whether the value of a secret is sealed. Those of earlier versions are sealed when the state is opened.

ALTER TABLE vault_secrets ADD COLUMN sealed BIGINT NOT NULL DEFAULT 0;

-- Nearly always there are none of these. Every write of a deployment asks for them.
CREATE INDEX resources_protecting ON resources (key)
  WHERE type_key IN ('microsoft.authorization/locks', 'microsoft.authorization/denyassignments');
