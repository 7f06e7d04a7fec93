#!/bin/bash
# SPDX-License-Identifier: ISC
# What tests/formal/proofs lists is proved, but for its longest rows; and a proof can fail. time limit: 1200 s
# needs only: nothing
set -euo pipefail
cd "$(dirname "$0")/../.."

if [ -n "${FAULTS_RESULTS:-}" ]; then  # `make faults` (tests/faults/result.bash) wants all bugs and nothing else
    exec tests/formal/planted_proofs
fi
tests/formal/prove
tests/formal/planted_proofs net_output receive
