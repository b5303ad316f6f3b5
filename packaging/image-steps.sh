#!/usr/bin/env bash
# The steps of the Dockerfile after the build, in an empty folder instead of an image: the names are in place, and the program
# works for a user without rights who has nothing else.
#
# usage: packaging/image-steps.sh PROGRAM
set -euo pipefail
program=$(realpath "$1")
image=$(mktemp -d)
trap 'rm -rf "$image"' EXIT
mkdir -p "$image/usr/local/bin" "$image/work" "$image/home"
cp "$program" "$image/usr/local/bin/sinew"
"$image/usr/local/bin/sinew" self names --folder "$image/usr/local/bin"
printf "output one int = 1\n" > "$image/work/main.bicep"
chmod -R a+rX "$image"
user=()
if [ "$(id -u)" = 0 ]; then
  chown 10001 "$image/home"
  user=(setpriv --reuid=10001 --regid=10001 --clear-groups)
fi
# What the image has: nothing of the environment but the path and the home of the user.
inside() {
  (cd "$image/work" && "${user[@]}" env -i PATH="$image/usr/local/bin:/usr/bin:/bin" HOME="$image/home" SINEW_TYPES_MIRROR=none "$@")
}
inside sinew help > /dev/null
inside sinew check .
inside bicep --version
inside jk --help > /dev/null
inside TemplateAnalyzer --help > /dev/null
inside sinew build main.bicep --stdout | grep -q templateHash
echo "the steps of the image work"
