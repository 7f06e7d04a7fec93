#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# time limit: 600 s
# A mesh whose links are board links in RTL ([links] board = yes), and is up: where nothing moves, time stands still; it goes on
# when the host asks for something. What these meshes deliver, and how fast, is tests/conformance's.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/host-tools/verbs.bash
source tests/host-tools/verbs.bash links
export EXPECT_SECONDS=400   # a set is built when a simulation asks for it

check_idle() {
    expect 0 'links: shared board links' $postroad up hw/mesh/grid-2x1.mesh --nodes native --name links-test
    for _ in 1 2; do
        sleep 1
        expect 0 '' $postroad ping 1 --count 1 --gateway up:links-test
    done
    expect 0 '' $postroad down links-test --quiet
}

run_checks idle
