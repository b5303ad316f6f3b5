#!/usr/bin/env bash
# The steps of the Dockerfile behind the build, in an empty folder instead of an image: names in place, the program runs as
# somebody without rights, and finds nothing but itself.
#
# usage: packaging/image-steps.sh PROGRAM
set -euo pipefail
program=$(realpath "$1")
image=$(mktemp -d)
trap 'rm -rf "$image"' EXIT
mkdir -p "$image/usr/local/bin" "$image/work"
cp "$program" "$image/usr/local/bin/sinew"
"$image/usr/local/bin/sinew" self names --folder "$image/usr/local/bin"
printf "output one int = 1\n" > "$image/work/main.bicep"
cd "$image/work"
chmod 755 "$image"
export HOME=/nonexistent SINEW_HOME="$image/home" SINEW_TYPES_MIRROR=none PATH="$image/usr/local/bin:/usr/bin:/bin"
env -i PATH="$PATH" HOME="$HOME" SINEW_HOME="$SINEW_HOME" SINEW_TYPES_MIRROR=none sinew check .
bicep --version
jk --help > /dev/null
TemplateAnalyzer --help > /dev/null
sinew build main.bicep --stdout | grep -q templateHash
echo "the steps of the image work"
