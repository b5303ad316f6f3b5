#!/usr/bin/env bash
# The Azure SDK for Python against `sinew serve`: HTTP and HTTPS, SQLite and PostgreSQL.
#
# usage: tests/sdk-probe.sh [PROGRAM]      PROGRAM is a built sinew; without it one is built
#
# Needs the probe `tools/sdk_probe.py` in the folder `shared` beside the repository (or in SINEW_SHARED), and says so when
# it is not there. PYTHON names an interpreter that has azure-mgmt-resource and azure-mgmt-resource-deployments; without it
# a virtual environment is made. PostgreSQL runs as a private cluster when it is installed.
here=$(dirname "${BASH_SOURCE[0]}")
for probe in "${SINEW_SHARED:-$here/../../shared}" "$here/../../../shared"; do
  probe=$probe/tools/sdk_probe.py
  [ -f "$probe" ] && break
done
if [ ! -f "$probe" ]; then
  echo "sdk-probe: the probe is not there, nothing is checked"
  exit 0
fi
. "$here/serve.sh"

python=${PYTHON:-}
if [ -z "$python" ]; then
  python_with azure-mgmt-resource azure-mgmt-resource-deployments
  python=$work/venv/bin/python
fi

# check NAME STATE [OPTION…]: serves with the state and the options, and runs the probe.
check() {
  local name=$1 state=$2
  shift 2
  start_server --state "$state" --log error "$@"
  echo "== $name"
  REQUESTS_CA_BUNDLE=$work/home/tls/ca.pem "$python" "$probe" "$url"
  kill "$server"
  wait "$server"
}

check "HTTP, SQLite" "$work/state.db"
check "HTTPS, SQLite" "$work/state.db" --tls

bin=$(ls -d /usr/lib/postgresql/*/bin 2> /dev/null | sort -V | tail -1 || true)
if [ -z "$bin" ]; then
  echo "sdk-probe: PostgreSQL is not installed, only SQLite is checked"
  exit 0
fi
as_postgres=()
if [ "$(id -u)" = 0 ]; then
  # It refuses to run as root.
  as_postgres=(setpriv --reuid=postgres --regid=postgres --init-groups)
  chmod 755 "$work"
fi
mkdir "$work/postgres"
[ "$(id -u)" != 0 ] || chown postgres "$work/postgres"
port=$("$python" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
"${as_postgres[@]}" "$bin/initdb" --pgdata "$work/postgres/data" --username postgres --auth trust > /dev/null
"${as_postgres[@]}" "$bin/postgres" -D "$work/postgres/data" -p "$port" -c listen_addresses=127.0.0.1 \
  -c unix_socket_directories="$work/postgres" -c fsync=off > "$work/postgres.log" 2>&1 &
started+=($!)
for _ in $(seq 100); do "$bin/pg_isready" -q -h 127.0.0.1 -p "$port" && break; sleep 0.1; done
check "HTTP, PostgreSQL" "postgres://postgres@127.0.0.1:$port/postgres"
check "HTTPS, PostgreSQL" "postgres://postgres@127.0.0.1:$port/postgres" --tls
echo "sdk-probe: all steps pass, over HTTP and HTTPS, on SQLite and PostgreSQL"
