#!/bin/sh
# Puts beside the written files of this project what commands make of them, with a history in git.
# `sinew` is on the path; EXAMPLES is the folder of the examples of the repository.
set -eu
git() { command git -c user.name=somebody -c user.email=somebody@example.com "$@"; }

git init -q -b main .
git add main.bicep main.bicepparam infra && git commit -qm 'first' && git tag v1.0
sed -i "s/'northeurope'/'westeurope'/" main.bicep
git add main.bicep && git commit -qm 'second' && git tag v1.1

mkdir -p templates types .local/share/bash-completion/completions .config/fish/completions
cp "$EXAMPLES"/providers/types/*.json types/
mkdir -p node_modules/@jkcfg/kubernetes
cp valid.js node_modules/@jkcfg/kubernetes/validate.js
{
  sinew build main.bicep --outfile main.json
  sinew build-params prod.bicepparam --outfile prod.json
  sinew generate-params main.bicep --include-params all --outfile main.parameters.json
  sinew docs modules
  sinew docs main.bicep
  sinew analyze . --write-baseline accepted.json
  sinew snapshot main.bicepparam
  sinew generate config.js
  sinew deploy main.bicep
  sinew deploy main.bicep --state try.db
} > made.txt 2>&1
for copy in template azuredeploy templates/storage; do cp main.json $copy.json; done
