# What the scripts that drive `sinew serve` have in common; to be sourced with their arguments. It gives them
#   root        the repository
#   work        a folder, removed at the end
#   program     a built sinew: the first argument, else it is built
#   started     processes to be ended at the end
#   start_server [OPTION…]   serves on a free port; `server` is the process, `url` the address, $work/log what it says
#   python_with PACKAGE…     makes a virtual environment with packages, at $work/venv
# A home of its own is set for sinew: nothing of the user is read or changed.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=$(mktemp -d)
started=()
finish() {
  for process in "${started[@]}"; do kill "$process" 2> /dev/null || true; done
  wait || true
  rm -rf "$work"
}
trap finish EXIT

program=${1:-}
if [ -z "$program" ]; then
  cargo build --manifest-path "$root/Cargo.toml" -p cli
  program=${CARGO_TARGET_DIR:-$root/target}/debug/sinew
fi
program=$(realpath "$program")
export SINEW_HOME=$work/home

start_server() {
  rm -f "$work/url"
  "$program" serve --listen 127.0.0.1:0 "$@" > "$work/url" 2> "$work/log" &
  server=$!
  started+=("$server")
  for _ in $(seq 100); do [ -s "$work/url" ] && break; sleep 0.1; done
  [ -s "$work/url" ] || { cat "$work/log"; exit 1; }
  url=$(head -1 "$work/url")
}

python_with() {
  python3 -m venv "$work/venv"
  "$work/venv/bin/pip" install --quiet "$@"
}
