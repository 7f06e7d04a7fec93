#!/bin/bash
# SPDX-License-Identifier: ISC
# What tests/formal/proofs lists is proved, but for its longest rows. time limit: 1200 s
# needs only: nothing
set -euo pipefail
cd "$(dirname "$0")/../.."

tests/formal/prove
