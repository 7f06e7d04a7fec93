#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Each pair of values of two keys of a .mesh file that is accepted: in a mesh that does the work of its service (pairs.h). Nearly
# every mesh needs a set of its own.
# needs only: build/tests/conformance/test_conformance
# runs in: test-long
# time limit: 3600 s
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
exec build/tests/conformance/test_conformance 'pairs-*'
