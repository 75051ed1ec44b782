#!/usr/bin/env bash
# Clones the last commit into an empty folder and starts the node there as a newcomer would, with nothing
# installed; waits until it is ready, stops it with SIGTERM and expects a clean exit.
set -euo pipefail

repository=$(cd "$(dirname "$0")/.." && pwd)
ready_seconds=${SMOKE_READY_SECONDS:-240}
folder=$(mktemp -d)
pid=

cleanup() {
  # The whole group: npm and the launcher; the node goes with its launcher.
  if [ -n "$pid" ]; then kill -KILL -- "-$pid" 2>/dev/null || true; fi
  rm -rf "$folder"
}
trap cleanup EXIT

fail() {
  echo "smoke: $1" >&2
  [ ! -f "$folder/log" ] || tail -n 40 "$folder/log" >&2
  exit 1
}

free_port() {
  node -e 'const s = require("node:net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close(); });'
}

git clone --quiet --no-hardlinks "$repository" "$folder/clone"
cd "$folder/clone"
[ -f packages/server/src/main.ts ] || { echo 'smoke: not run, packages/server/src/main.ts does not exist yet'; exit 0; }

port=$(free_port)
export VARVE_SERVER__LISTEN="127.0.0.1:$port"
# Port overrides of further listeners come from the caller as VARVE_… variables.
setsid npm start >"$folder/log" 2>&1 &
pid=$!

deadline=$((SECONDS + ready_seconds))
until node -e 'fetch(process.argv[1]).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))' "http://127.0.0.1:$port/ready"; do
  kill -0 "$pid" 2>/dev/null || { wait "$pid" || true; pid=; fail 'npm start ended before the node was ready'; }
  [ "$SECONDS" -lt "$deadline" ] || fail "not ready after $ready_seconds s"
  sleep 0.5
done
echo "smoke: ready after $SECONDS s"

kill -TERM "$pid"
status=0
wait "$pid" || status=$?
pid=
[ "$status" -eq 0 ] || fail "exit code $status after SIGTERM, expected 0"
[ -z "$(git status --porcelain)" ] || fail "the run left files git does not ignore: $(git status --porcelain | head -n 3)"
echo 'smoke: stopped cleanly'
