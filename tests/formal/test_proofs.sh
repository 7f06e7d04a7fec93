#!/bin/bash
# What tests/formal/proofs lists is proved, but for its longest rows; and a proof can fail.
set -euo pipefail
cd "$(dirname "$0")/../.."

tests/formal/prove
tests/formal/planted_proofs net_output receive
