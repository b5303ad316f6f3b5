-- Whether the value of a secret is sealed. Those of earlier versions are sealed when the state is opened.

ALTER TABLE vault_secrets ADD COLUMN sealed BIGINT NOT NULL DEFAULT 0;
