#!/usr/bin/env bash
# A release for this machine: sinew-VERSION-TARGET.tar.gz and SHA256SUMS.
#
# usage: packaging/release.sh [FOLDER]      FOLDER takes the archive; `dist` without it
#
# PROGRAM names a program that is built already; without it one is built with the profile `dist`. SINEW_BUNDLE_TYPES names
# catalogues that are put into the program, GZIP_LEVEL how hard the archive is packed. SOURCE_DATE_EPOCH makes the archive the same each time.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
out=$(mkdir -p "${1:-dist}" && cd "${1:-dist}" && pwd)
cd "$root"

program=${PROGRAM:-}
if [ -z "$program" ]; then
  features=${SINEW_BUNDLE_TYPES:+bundled-types}
  cargo build --locked --profile dist -p cli --features "${features:-}"
  program=target/dist/sinew
fi
version=$("$program" --version | cut -d ' ' -f 2)
target=$(rustc -vV | sed -n 's/^host: //p')
name=sinew-$version-$target
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
folder=$work/$name
mkdir -p "$folder/completions" "$folder/man"

cp "$program" "$folder/sinew"
cp LICENSE README.md CHANGELOG.md "$folder"
"$program" self man-pages "$folder/man"
for shell in bash elvish fish powershell zsh; do
  "$program" completions $shell > "$folder/completions/sinew.$shell"
done
"$root/packaging/sbom.py" "$root" > "$folder/sinew.spdx.json"

tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@${SOURCE_DATE_EPOCH:-0}" \
  -C "$work" -cf - "$name" | gzip "-${GZIP_LEVEL:-9}n" > "$out/$name.tar.gz"
(cd "$out" && sha256sum ./*.tar.gz | sed 's|\./||' > SHA256SUMS)
echo "$out/$name.tar.gz"
