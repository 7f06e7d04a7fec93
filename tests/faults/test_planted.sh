#!/usr/bin/env bash
# Every planted bug is caught by the bench that serves its rule.
# time limit: 600 s
exec "$(dirname "$0")/run"
