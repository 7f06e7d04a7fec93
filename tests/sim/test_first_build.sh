#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# The first run with new parameters says that it builds a simulator, and for about how long: `sim` on standard error, `up` there
# and in its log. A run after it says nothing. What the build takes is not what the run costs. In a tree of its own, where `make`
# is a stand-in that takes its time and brings an object that is there.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

# shellcheck source=tests/host-tools/verbs.bash
source tests/host-tools/verbs.bash first_build
set=fabric-cutthrough-16-4-32-64
tree=$directory/tree
mkdir -p "$tree/sim" "$tree/build" "$tree/bin"
cp build/postroad "$tree/build/"
touch "$tree/sim/rules.mk" "$tree/Makefile"
postroad=$tree/build/postroad
cat >"$tree/bin/make" <<END
#!/usr/bin/env bash
object=$tree/build/sim/$set/site.so
if [ "\${*: -1}" = -q ]; then [ -e "\$object" ]; exit; fi
[ -e "\$object.again" ] || (ulimit -t 1; while :; do :; done) # a second of processor time
cp build/sim/$set/site.so "\$object"
END
sed -i "s|cp build|cp $PWD/build|" "$tree/bin/make"
chmod +x "$tree/bin/make"
PATH=$tree/bin:$PATH

expect 0 'postroad sim: building a simulator for these parameters, once, about 15 s' \
    "$postroad" sim hw/mesh/grid-4x4.mesh --packets 20 --json
cost=$(grep -o '"cpu_seconds":[^,]*' <<<"$said" | tr -dc '0-9.')
awk -v cost="$cost" 'BEGIN { exit !(cost > 0 && cost < 0.7) }' ||
    fault "the build is a part of the cost: $said"
expect 0 complete "$postroad" sim hw/mesh/grid-4x4.mesh --packets 20
! grep -q building <<<"$said" || fault "builds again: $said"

mv "$tree/build/sim/$set/site.so" "$tree/build/sim/$set/site.so.again"
expect 0 'postroad up: building a simulator for these parameters, once, about [1-9][0-9]* s' \
    "$postroad" up hw/mesh/grid-4x4.mesh --nodes native --name first
! grep -q 'about 15 s' <<<"$said" || fault "the forecast is not what the last build took: $said"
grep -q 'building a simulator' "$directory/postroad-$(id -u)/first/log" || fault 'the log has nothing of the build'
"$postroad" down first

rm "$tree/build/sim/$set/site.so"
expect 0 '^up:first$' "$postroad" up hw/mesh/grid-4x4.mesh --nodes native --name first --quiet
! grep -q building <<<"$said" || fault "--quiet is not quiet: $said"

[ $faults = 0 ] && echo 'test_first_build: PASS'
[ $faults = 0 ]
