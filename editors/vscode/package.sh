#!/usr/bin/env bash
# Packages the extension as dist/sinew.vsix. `package.sh FILE` puts the program FILE into it, for the platform of this machine.
set -euo pipefail
cd "$(dirname "$0")"
npm ci
npm run check
npm run build
cp ../../LICENSE LICENSE
trap 'rm -rf LICENSE server' EXIT
if [ $# -gt 0 ]; then
  mkdir -p server
  cp "$1" server/
  chmod +x server/*
fi
npx vsce package --no-dependencies --out dist/sinew.vsix
