#!/usr/bin/env bash
# Editors and protocol libraries as clients of the servers: Neovim; the libraries of Visual Studio Code and of the Model Context
# Protocol from npm; the extension and its grammar. What a machine does not have is left out, and said.
# `tests/editors.sh` takes the program that the tests have built; the variable SINEW names another one.
set -euo pipefail
cd "$(dirname "$0")/.."

TARGET=$(realpath -m "${CARGO_TARGET_DIR:-target}")
SINEW=${SINEW:-$TARGET/debug/sinew-tested}
export SINEW
if ! [ -x "$SINEW" ]; then
  echo "there is no program at $SINEW: run \`cargo build\` first, or name one in SINEW"
  exit 1
fi

if command -v nvim > /dev/null; then
  FOLDER=$(mktemp -d)
  export FOLDER
  trap 'rm -rf "$FOLDER"' EXIT
  timeout 120 nvim --headless -u NONE -i NONE -n -c 'luafile tests/editors/neovim.lua'
else
  echo "nvim is not there: Neovim is not tested"
fi

if ! command -v npm > /dev/null; then
  echo "npm is not there: the extension, the grammar and the protocol libraries are not tested"
  exit 0
fi
cd editors/vscode
if ! timeout 180 npm ci --no-audit --no-fund --loglevel=error; then
  echo "the packages could not be fetched: the extension, the grammar and the protocol libraries are not tested"
  exit 0
fi
npm run --silent check
node build.mjs --test
timeout 180 node --test --test-reporter=spec --test-timeout=120000 test/*.test.mjs
npx vsce package --no-dependencies --allow-missing-repository --skip-license --out dist/sinew.vsix > /dev/null
echo "dist/sinew.vsix has been packaged"
