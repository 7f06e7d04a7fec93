#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# The bench of loads over a mesh works: two of sixteen boards are loaded through a third one, with as many packets as the parts
# need that board.v has spoilt, and few repeats. What the clocks are is not checked.
# runs in: test-long
# needs: build/tests/bench/load/bench build/tests/bench/load/images build/postroad build/firmware/node.elf
set -euo pipefail
cd "$(dirname "$0")/../.."

row=$(tests/bench/load/bench_load build/tests/bench/load short)
echo "$row"
[[ $row =~ 'sites loaded: 2, clocks '[1-9][0-9]*', ms '[0-9]+', words '([0-9]+)', packets '([0-9]+)', repeated '([0-9]+)$ ]]
words=${BASH_REMATCH[1]} packets=${BASH_REMATCH[2]} repeats=${BASH_REMATCH[3]}
((words >= 1280 && words < 2560)) || { echo "$words words, expected those of 5 parts of 256 words"; exit 1; }
((packets - repeats < 70 && repeats < 20)) || { echo "$packets packets, $repeats of them repeated"; exit 1; }
