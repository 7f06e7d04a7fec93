#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Planted bugs (tests/planted/*.bugs) are caught: one of every fifth table, which SEED draws; in `make test-long`, all. All
# apply, and each rule has one.
# needs only: $(shell tests/plant --needs --drawn)
# long needs: $(shell tests/plant --needs)
# time limit: 14400 s
if [ -n "${LONG:-}" ]; then
    exec "$(dirname "$0")/../plant" -j 1
fi
exec "$(dirname "$0")/../plant" -j 1 --drawn
