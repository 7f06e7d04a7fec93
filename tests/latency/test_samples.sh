#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# The captures of boards/samples are those that the commands of their page make today, and small. What the pages show of them is
# what the commands print, and the figures of two boards are those that the boards have. Those that have times of their own
# are made by
#
#   build/postroad up hw/mesh/grid-4x4.mesh --nodes native --fault corrupt:0.004
#   build/postroad listen all --events --pcap boards/samples/packets.pcapng --timeout 8 & sleep 1
#   build/postroad send 5 --data text:hello
#   build/postroad send 1,2,5-7 --from 12 --data text:"to five sites"
#   build/postroad send all --count 4 --handler 1 --data words:1,2,3
#   wait; build/postroad down
#
#   make bitstream BOARD=icebreaker MESH=boards/testbeds/grid-2x1-probe.mesh
#   build/postroad up boards/testbeds/icebreaker-probes.ini --nodes bitstream
#   build/postroad probe --testbed boards/testbeds/icebreaker-probes.ini --timeout 100
#   hands=${XDG_RUNTIME_DIR:-/tmp}/postroad-$(id -u)/icebreaker-probes/boards
#   echo "capture $PWD/pair.sr" >$hands
#   build/postroad send 1 --count 20 --data text:hello --timeout 100
#   echo capture >$hands
#   build/postroad down
#   sigrok-cli -i pair.sr -o boards/samples/pair.sr    # an eighth of the bytes

set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/work.bash
source tests/work.bash
# shellcheck source=tests/bitstream/start_figures.bash
source tests/bitstream/start_figures.bash
samples=boards/samples

# block PAGE LANGUAGE NUMBER: the lines of this block of the page, between ```LANGUAGE and ```.
block() {
    awk -v language="\`\`\`$2" -v number="$3" '
        /^```/ { inside = !inside; shown = inside && $0 == language && ++count == number; next }
        shown' "$1"
}

# The zip files may differ in how they are packed.
same_capture() {
    python3 -c 'import sys, zipfile
first, second = (zipfile.ZipFile(name) for name in sys.argv[1:])
sys.exit(first.namelist() != second.namelist() or any(first.read(n) != second.read(n) for n in first.namelist()))' "$@"
}

block $samples/README.md sh 4 | sed "s,$samples,$work,g" | bash -e >"$work/log" 2>&1 || fail "a command: $(cat "$work/log")"
for name in four cable; do
    same_capture $samples/$name.sr "$work/$name.sr" || fail "$samples/$name.sr is not what its command makes"
done
for file in "$samples"/*.sr "$samples"/*.pcapng; do
    [ "$(stat -c %s "$file")" -le 200000 ] || fail "$file is larger than 200 KB"
done

block $samples/README.md sh 2 | bash -e >"$work/decoded" 2>"$work/log" || fail "the decoder: $(cat "$work/log")"
block $samples/README.md '' 1 | cmp - "$work/decoded" || fail "$samples/README.md shows something else than the decoder"
[ "$(block $samples/README.md sh 2 | sed 's/south-west.east/south-east.north/' | bash 2>/dev/null)" = \
    "131426-135170 $(sed -n '3s/[^ ]* //p' "$work/decoded")" ] || fail "behind the dead cable packet 2 is not seen once"

block $samples/README.md sh 3 | bash -e >"$work/packets" 2>"$work/log" || fail "tshark: $(cat "$work/log")"
for text in 'site 12 .* site 2 .*"to five sites"' 'site 12: sequence 0: resent after time-out, 2 targets'; do
    grep -q -- "$text" "$work/packets" || fail "packets.pcapng has no $text"
done
! grep -v ' Postroad ' "$work/packets" || fail "these are no packets of today's format"

# shows PAGE SAMPLE: the lines of the page's table of figures are in what latency says of the sample.
shows() {
    local line
    while IFS= read -r line; do
        grep -qFx -- "$line" "$work/$2.text" || fail "$1 has '$line', which latency does not say of $2.sr"
    done < <(awk '/^from +to +packets/ { inside = 1 } /^```/ { inside = 0 } inside && NF' "$1")
}
while read -r _ _ sample rest; do
    # shellcheck disable=SC2086  # words
    build/postroad latency $sample $rest >"$work/$(basename "$sample" .sr).text" || fail "latency $sample"
done < <(block $samples/README.md sh 1)
shows boards/START.md pair
shows host-tools/latency/README.md four
near "$(figure "$work/pair.text" left.east 'left east.head')" $HEAD_US 'to the strobe of the head'
near "$(figure "$work/pair.text" left.east 'right local.head')" $OPERATOR_US 'to the operator of the other board'
verdict samples
