#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# The commands of README.md and of the START pages behind it work, as they stand there, in their order. `make test` is what runs
# this, and `make demo` is test_demo. apt-get is a stand-in: it refuses what it refuses on a machine without package lists, or
# where no user answers its questions.
# needs: firmware-library
# time limit: 900 s
set -euo pipefail
cd "$(dirname "$0")/../.."
source tests/tools.bash

# Lines between ```sh and ```, behind a heading if there is one.
commands_of() {
    awk -v heading="${2:-}" '
        heading == "" || $0 == heading { found = 1 }
        /^```sh$/ { inside = found; next }
        /^```$/ { if (inside && heading != "") exit; inside = 0 }
        inside' "$1"
}

commands=$(commands_of README.md)
for expected in 'apt-get update && apt-get install -y' 'git clone REPOSITORY postroad && cd postroad' 'make demo' 'make test'; do
    grep -q "^$expected" <<<"$commands" || { echo "README.md no longer says '$expected'"; exit 1; }
done
grep -q '&& exec make test$' .ci/run || { echo ".ci/run does not run 'make test'"; exit 1; }

XDG_RUNTIME_DIR=$(mktemp -d)
export XDG_RUNTIME_DIR
work=$(mktemp -d)
trap 'build/postroad down --all --quiet >/dev/null 2>&1 || true; rm -rf "$XDG_RUNTIME_DIR" "$work"' EXIT

# On a new machine, up to the folder that `make demo` is called in.
mkdir "$work/bin"
cat >"$work/bin/apt-get" <<'END'
#!/bin/sh
cd "$(dirname "$0")" || exit 1
case "$*" in
    update) touch lists ;;
    'install '*)
        [ -e lists ] || { echo "E: Unable to locate package"; exit 100; }
        case " $* " in *' -y '* | *' --yes '*) ;; *) echo "Do you want to continue? [Y/n] Abort."; exit 1 ;; esac
        for package; do [ "$package" = ca-certificates ] && touch certificates; done ;;
esac
END
chmod +x "$work/bin/apt-get"
# git clones for whoever owns a folder, unless told that it may for others.
clone=$(grep '^git clone' <<<"$commands")
there=$(cd "$work" && PATH=$work/bin:$PATH GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0='*' bash -ec "
$(grep '^apt-get' <<<"$commands")
${clone/REPOSITORY/--quiet $OLDPWD}
make --no-print-directory help") || { echo "README.md: what comes before make demo fails: $there"; exit 1; }
grep -q '^ *make demo ' <<<"$there" || { echo "README.md: there is no make demo where it leads: $there"; exit 1; }

rm -rf build/night # a new folder
for page in host-tools/START.md sim/START.md; do
    grep -q "($page)" README.md || { echo "README.md has no link to $page"; exit 1; }
    echo "$page"
    bash -ec "$(commands_of $page)" </dev/null >"$work/said" || { cat "$work/said"; echo "$page: a command fails"; exit 1; }
done
# Each fault that the last page schedules happens in its example.
for kind in 'words corrupted' resets; do
    grep -E "^faults .*[^0-9][1-9][0-9]* $kind" "$work/said" >/dev/null ||
        { echo "FAIL sim/START.md: no $kind in its example of faults: $(grep ^faults "$work/said")"; exit 1; }
done

# Its figure has a curve for each network, and the table of the search says what differs.
for said in '^grid  *transpose  *0\.25 .* +-.* 5 of 5 saturated' '^torus transpose  *grid uniform  *0\.2 .* less$' \
    '^mesh.topology  *saturation load' '^torus  *grid  *0\.[0-9]* +-0\.[0-9]* .* \(greater\|less\|not significant\)$'; do
    grep -q "$said" "$work/said" || { echo "FAIL sim/START.md: no line '$said'"; exit 1; }
done
grep -q 'mesh.topology=torus traffic=transpose' build/curves-latency.svg ||
    { echo "FAIL sim/START.md: no curve of a torus"; exit 1; }

for file in table.csv plot-latency.pdf report.html; do
    [ -s build/night/$file ] || { echo "FAIL sim/START.md: no build/night/$file"; exit 1; }
done

# What boards/START.md builds is enough for its commands, and for those of the pages behind it.
build=$(commands_of boards/START.md '## 1. Build' | head -n 1)
builds=$(bash -ec "${build/make/make --dry-run --no-print-directory BUILD=$work/build}")
for file in firmware/node.elf simulate_boards postroad.1 postroad.lua sigrok/postroad_packet/pd.py; do
    grep -qF "$work/build/$file" <<<"$builds" || { echo "boards/START.md: '$build' does not build $file"; exit 1; }
done

# An application of one's own, in a home of its own.
mkdir "$work/home"
own=$(commands_of firmware/START.md '## An application of your own')
heard=$(HOME=$work/home timeout 120 bash -ec "$own
wait" </dev/null) || { echo "firmware/START.md: an application of one's own fails: $heard"; exit 1; }
grep -q 'site 0: from 5 .*words:0x3,0x2,0x1' <<<"$heard" || { echo "firmware/START.md: $heard"; exit 1; }
build/postroad down --quiet

# Every folder of the folder map is there, and so are the files that README names.
paths=$(grep -oE '(hw|firmware|sim|host-tools|tests)/[A-Za-z0-9_./-]*' README.md | sed 's/[.,]*$//' | sort -u)
for path in $paths; do
    [ -e "$path" ] || { echo "README.md names $path, which is not there"; exit 1; }
done
