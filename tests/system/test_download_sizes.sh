#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# host-tools/setup/README.md says what set-up downloads and what it takes on the disk: for packages of Debian, what apt would
# install on a system without any; for wheels, what they take in build/venv. A tenth more or less is allowed, since packages
# get updates.
# runs in: test-long
# needs only: nothing
set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")/../.."
work=${TMPDIR:-/tmp}
: >"$work/none"

[ -n "$(apt-cache dumpavail 2>/dev/null)" ] || { echo "apt knows no packages here: nothing to compare"; exit 0; }

# closure PACKAGE...: what apt installs where no package is.
closure() {
    apt-get --simulate -o Debug::NoLocking=1 -o Dir::State::status="$work/none" -o Dir::State::extended_states="$work/none" \
        install "$@" 2>/dev/null | awk '$1 == "Inst" { print $2 }' | sort
}

packages_of() { awk -v who="$1" '$1 == who { print $2 }' host-tools/setup/packages.list; }

# megabytes LIST LARGER_LIST: those of the packages that the larger one has more: archives, then installed
megabytes() {
    comm -13 "$1" "$2" | xargs apt-cache show --no-all-versions | awk '
        $1 == "Size:" { archives += $2 }
        $1 == "Installed-Size:" { installed += $2 }
        END { printf "%.0f %.0f\n", archives / 1e6, installed * 1024 / 1e6 }'
}

on_disk() { du --apparent-size --block-size=1MB --summarize --total "$@" | awk 'END { print $1 }'; }

faults=0

# row TEXT DOWNLOAD DISK: the row of its table that begins so; a figure that is not checked is `.`
row() {
    local shown
    shown=$(sed -nE "/^\| $1/s/^\|[^|]*\| *([0-9]*)( MB)? *\| *([0-9]*) MB.*/\1 \3/p" host-tools/setup/README.md)
    if ! awk -v shown="$shown" -v there="$2 $3" 'BEGIN {
            split(shown, said); split(there, is)
            for (i = 1; i <= 2; i++)
                if (is[i] != "." && (said[i] > 1.1 * is[i] + 5 || said[i] < 0.9 * is[i] - 5)) exit 1
            exit said[2] == "" }'; then
        echo "host-tools/setup/README.md: '$1' has '$shown' MB, here are $2 and $3"
        faults=$((faults + 1))
    fi
}

mapfile -t minimal < <(apt-cache dumpavail | awk '$1 == "Package:" { name = $2 }
    /^Essential: yes/ || /^Priority: required/ { print name }' | sort -u)
so_far=(--no-install-recommends "${minimal[@]}" apt git make ca-certificates)
closure "${so_far[@]}" >"$work/start"
for who in demo qemu boards deb test long; do
    mapfile -t more < <(packages_of "$who")
    so_far+=("${more[@]}")
    closure "${so_far[@]}" >"$work/$who"
done

# shellcheck disable=SC2046  # two words
{
    row 'packages of `make demo`' $(megabytes "$work/start" "$work/demo")
    row 'packages that `make demo NODES=qemu` adds' $(megabytes "$work/demo" "$work/qemu")
    row 'packages that `make demo BOARDS=simulated` adds' $(megabytes "$work/qemu" "$work/boards")
    row 'packages that `make deb` adds' $(megabytes "$work/boards" "$work/deb")
    row 'packages that `make test` adds' $(megabytes "$work/deb" "$work/test")
    row 'packages that `make test-long` adds' $(megabytes "$work/test" "$work/long")
}
cores=$(on_disk build/venv/lib/python3*/site-packages/pythondata_cpu_*)
row 'the two CPU cores' . "$cores"
row 'Yosys and nextpnr' . $(($(on_disk build/venv) - cores))
[ $faults = 0 ] && echo PASS
exit $((faults != 0))
