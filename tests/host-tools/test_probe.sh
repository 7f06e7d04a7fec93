#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# `postroad probe`: pins are shown and set, one by one and as a testbed names them, of nodes whose rows of LINK_MEMORY do what
# strobe_probe.v does (its own tests: tests/formal). Wrong operands, sites without pins or an answer.
# usage: test_probe.sh [CHECK...]      default: all of them, see the end
# needs: build/tests/host-tools/imitate
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

# shellcheck source=tests/host-tools/verbs.bash
source tests/host-tools/verbs.bash probe
socket=$directory/node
testbed=boards/testbeds/icebreaker-probes.ini

# nodes OPTION...: the two sites that the verb then talks to, until node_gone.
nodes() { node_at "$socket" -x 2 -y 1 "$@"; }

# probe EXIT TEXT ARGUMENT...
probe() {
    local code=$1 text=$2
    shift 2
    expect "$code" "$text" "$postroad" probe -g "unix:$socket" "$@"
}

# shows PINS...: what $said has of all sites, as `SITE PIN STROBE`, pins without a strobe left out.
shows() {
    local found
    found=$(awk '$1 ~ /^[0-9]+$/ && $3 != "none" { printf "%s ", $1 " " $2 " " $3 "," }' <<<"$said")
    [ "$found" = "$* " ] || fault "the pins show '$found', expected '$*'"
}

check_pins() {
    nodes -P 5
    probe 0 '1 +4 +none'
    probe 0 '0 +2 +east.head' 0 2 east.head
    probe 0 '1 +0 +local.stall' all 0 local.stall
    probe 0 '1 +4 +south.terminator' 1 4 south.terminator
    probe 0 '1 +0 +west.head' 1 0 west.head
    probe 0 'north.stall' 0 3 north.stall
    probe 0 ''
    shows '0 0 local.stall, 0 2 east.head, 0 3 north.stall, 1 0 west.head, 1 4 south.terminator,'
    probe 0 '"local.stall", "none", "none", "north.stall", "none"' 0 2 none --json
    node_gone
    nodes -P 8 -p 13 # an answer holds fewer values than there are pins
    probe 0 '1 +7 +local.head' 1 7 local.head
    node_gone
}

check_testbed() {
    nodes -P 5
    probe 0 '' --testbed $testbed
    shows '0 0 east.head, 0 1 east.terminator, 1 0 local.head, 1 1 local.terminator, 1 4 west.head,'
    sed "s|mesh = |&$PWD/boards/testbeds/|; s/probe1 east.terminator/probe5 east.terminator/" $testbed >"$directory/testbed"
    probe 1 'testbed:26: pin 5 of site 0, expected a pin from 0 to 4' --testbed "$directory/testbed"
    sed -i 's/^D. = .*probe.*//' "$directory/testbed"
    probe 1 'testbed: no channel at a probe pin, expected lines as' --testbed "$directory/testbed"
    probe 1 'nothing: No such file' --testbed "$directory/nothing"
    probe 1 '1 operands and --testbed' 0 --testbed $testbed
    node_gone
}

# Another program reads the links' memory in between: the choice is made again, but not for ever.
check_disturbed() {
    nodes -P 5:3
    probe 0 '1 +2 +east.head' all 2 east.head
    node_gone
    nodes -P 5:100
    probe 3 'pin 2 does not keep east.head, expected no other program' 1 2 east.head
    node_gone
}

check_wrong() {
    nodes -P 5
    probe 1 '2 operands, expected SITES, or SITES PIN STROBE' 0 1
    probe 1 "PIN is '8', expected a number from 0 to 7" 0 8 none
    probe 1 "pin 5 of site 0, expected a pin from 0 to 4" 0 5 none
    probe 1 "STROBE is 'up.head', expected none or PORT.EVENT" 0 1 up.head
    probe 1 "STROBE is 'east.tail', expected" 0 1 east.tail
    probe 1 "STROBE is 'east2.head', expected" 0 1 east2.head
    probe 1 'SITES' 7 1 none
    node_gone
    nodes -k 5:1
    probe 1 'no site has probe pins, expected boards whose .mesh file has \[links\] probe = yes'
    probe 1 'site 1 has no probe pins' 1 0 none
    probe 1 'probes.ini:25: site 0 has no probe pins' --testbed $testbed
    node_gone
    nodes -P 5 -s 1
    probe 4 '1 +no answer' -t 1
    probe 5 '' 1 0 none -t 1
    node_gone
}

[ $# -gt 0 ] || set -- pins testbed disturbed wrong
run_checks "$@"
