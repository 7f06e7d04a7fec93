#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Every planted bug is caught by the bench that serves its rule.
# time limit: 1800 s
exec "$(dirname "$0")/run"
