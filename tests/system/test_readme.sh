#!/usr/bin/env bash
# The commands in README.md work, as they stand there, in their order. `make test` is what runs this; `make demo` is
# test_demo; apt-get and the commands behind them are checked by name only.
# time limit: 900 s
set -euo pipefail
cd "$(dirname "$0")/../.."

commands=$(awk '/^```sh$/ { inside = 1; next } /^```$/ { inside = 0 } inside' README.md)
for expected in 'make demo' 'make test' 'build/postroad up sim/meshes/grid-4x4.mesh'; do
    grep -q "^$expected" <<<"$commands" || { echo "README.md no longer says '$expected'"; exit 1; }
done
grep -q '&& exec make test$' .ci/run || { echo ".ci/run does not run 'make test'"; exit 1; }

XDG_RUNTIME_DIR=$(mktemp -d)
export XDG_RUNTIME_DIR
trap 'build/postroad down --all --quiet >/dev/null 2>&1 || true; rm -rf "$XDG_RUNTIME_DIR"' EXIT
while read -r command; do
    case $command in
        '' | 'apt-get '* | 'make demo'* | 'make test'*) continue ;;
    esac
    echo "README.md: $command"
    bash -c "$command" </dev/null
done <<<"$commands"

# Every folder of the folder map is there, and so are the files that README names.
paths=$(grep -oE '(hw|firmware|sim|host-tools|tests)/[A-Za-z0-9_./-]*' README.md | sed 's/[.,]*$//' | sort -u)
for path in $paths; do
    [ -e "$path" ] || { echo "README.md names $path, which is not there"; exit 1; }
done
