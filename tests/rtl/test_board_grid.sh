#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# The ULX3S 85F, verilated: its four sites start from one flash and reach each other over wires in the FPGA
# (tests/rtl/board_grid/bench.cpp).
# needs only: board-grid-bench
# runs in: test-long
set -euo pipefail
cd "$(dirname "$0")/../.."
out=build/tests/rtl/board_grid
timeout 600 $out/bench $out/site{0,1,2,3}.flash
echo PASS
