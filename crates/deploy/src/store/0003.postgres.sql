-- Keys are compared byte by byte, whatever the language of the database: ranges of keys are ranges of ids.

ALTER TABLE deployments ALTER COLUMN key TYPE TEXT COLLATE "C";
ALTER TABLE vault_secrets ALTER COLUMN key TYPE TEXT COLLATE "C";
ALTER TABLE resources ALTER COLUMN key TYPE TEXT COLLATE "C";
