#!/bin/sh
# Answers the external inputs of type `contoso.git`: a list of values, by type and configuration.
# A pipeline would run `git rev-parse HEAD`; COMMIT stands in for it so that the example is the same everywhere.
commit=${COMMIT:-$(git rev-parse HEAD)}
printf '[{ "type": "contoso.git", "config": { "what": "commit" }, "value": "%s" }]\n' "$commit"
