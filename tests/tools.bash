# SPDX-License-Identifier: ISC
# shellcheck shell=bash
# A test's own tools speak C (numbers with a point, letters from a to z), while what it tests runs in the locale of whoever runs the
# test: `source tests/tools.bash`, in the tree's folder. work.bash, verbs.bash and others do it already.
awk() { LC_ALL=C command awk "$@"; }
comm() { LC_ALL=C command comm "$@"; }
grep() { LC_ALL=C command grep "$@"; }
sed() { LC_ALL=C command sed "$@"; }
sort() { LC_ALL=C command sort "$@"; }
tr() { LC_ALL=C command tr "$@"; }
printf() { LC_ALL=C builtin printf "$@"; }
