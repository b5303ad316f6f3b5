#!/usr/bin/env bash
# Azure's SDK for JavaScript against `sinew serve`, over HTTPS.
#
# usage: tests/js-probe.sh [PROGRAM]      PROGRAM is a built sinew; without it one is built
#
# NODE_MODULES names a folder `node_modules` that has the packages; without it they are installed from npm. Says so and checks
# nothing when there is no Node.js, or when npm does not reach its registry.
. "$(dirname "${BASH_SOURCE[0]}")/serve.sh"

packages=(@azure/arm-resources@7 @azure/arm-resourcesdeployments@2 @azure/arm-resourcesdeploymentstacks@1)
if ! command -v node > /dev/null || ! command -v npm > /dev/null; then
  echo "js-probe: Node.js is not installed, nothing is checked"
  exit 0
fi
if [ -n "${NODE_MODULES:-}" ]; then
  ln -s "$(realpath "$NODE_MODULES")" "$work/node_modules"
elif ! (cd "$work" && npm install --silent --no-audit --no-fund "${packages[@]}" > "$work/npm.log" 2>&1); then
  tail -3 "$work/npm.log"
  echo "js-probe: npm does not reach its registry, nothing is checked"
  exit 0
fi

cp "$root/tests/js-probe.mjs" "$work/probe.mjs"
start_server --tls --state "$work/state.db" --log error
NODE_EXTRA_CA_CERTS=$work/home/tls/ca.pem node "$work/probe.mjs" "$url"
