# SPDX-License-Identifier: ISC
# shellcheck shell=bash
# A test's own tools read and write numbers with a point, while what it tests runs in the locale of whoever runs the test:
# `source tests/tools.bash`, in the tree's folder. work.bash, verbs.bash and others do it already.
awk() { LC_ALL=C command awk "$@"; }
sort() { LC_ALL=C command sort "$@"; }
printf() { LC_ALL=C builtin printf "$@"; }
