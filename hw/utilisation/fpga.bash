# SPDX-License-Identifier: ISC
# To be sourced in the tree's root: where `make setup-tools` has put the reference flow. These tools see no folder but
# the one they are started in and those below it, and only a private /tmp: give them relative paths.
# shellcheck shell=bash
# shellcheck disable=SC2034  # used by whoever sources this
FPGA_TOOLS=$PWD/build/venv/fpga
YOSYS=$FPGA_TOOLS/yosys
SBY=$FPGA_TOOLS/sby
NEXTPNR_ICE40=$FPGA_TOOLS/nextpnr-ice40
NEXTPNR_ECP5=$FPGA_TOOLS/nextpnr-ecp5
NEXTPNR_GOWIN=$FPGA_TOOLS/nextpnr-himbaechel-gowin
export YOWASP_CACHE_DIR=$PWD/build/venv/cache
