#!/bin/bash
# SPDX-License-Identifier: ISC
# What tests/formal/proofs lists is proved: in `make test-long` all of it but for the longest rows, in `make test` what depends on
# something else than when it was last proved (tests/formal/proved, renewed by `make formal`). time limit: 1800 s
# needs only: nothing
# reads: hw
set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")/../.."

keys=${TMPDIR:-/tmp}/keys
tests/formal/proof_keys | sort >"$keys"

# changed_by EDIT FILE: the proofs that have another key in a copy of the tree with this edit
copy=${TMPDIR:-/tmp}/copy
mkdir -p "$copy/host-tools" "$copy/tests"
cp -rL hw "$copy"
cp -rL tests/formal "$copy/tests"
cp -rL host-tools/setup "$copy/host-tools"
changed_by() {
    sed -i.before "$1" "$copy/$2"
    ! cmp -s "$copy/$2" "$copy/$2.before" || { echo "no edit: $1 $2"; exit 1; }
    "$copy/tests/formal/proof_keys" | sort | comm -13 "$keys" - | cut -d ' ' -f 1 | tr '\n' ' '
    mv "$copy/$2.before" "$copy/$2"
}
used=$(changed_by 's/\(POSTROAD_TAG_NULL_TARGET 3.d\)4/\11/' hw/protocol/protocol.vh)
[[ " $used " == *" fifo_buffer "* && " $used " != *" dead_mark "* ]] || { echo "a tag has changed: $used"; exit 1; }
comment=$(changed_by '1s/$/ of hardware/' hw/common/fifo_buffer.v)
[ -z "$comment" ] || { echo "a comment has changed: $comment"; exit 1; }
# What a proof says stands above its row, behind its name; longer versions have none.
missing=$(awk '
    /^# [a-z][a-z_0-9, ]*: / {
        count = split(substr($0, 3, index($0, ":") - 3), part, /, */)
        split("", named)
        for (k = 1; k <= count; k++) if (part[k] ~ /^_/) named[base part[k]]; else named[base = part[k]]
    }
    !/^#/ && $1 !~ /_long$/ && !($1 in named) { print $1 }' tests/formal/proofs)
[ -z "$missing" ] || { echo "tests/formal/proofs does not say what holds: $(tr '\n' ' ' <<<"$missing")"; exit 1; }

mapfile -t names < <(comm -23 "$keys" <(sort tests/formal/proved) | cut -d ' ' -f 1 | grep -v '_long$')
if [ -n "${LONG:-}" ]; then
    tests/formal/prove
    [ ${#names[@]} -eq 0 ] || { echo "tests/formal/proved is stale for ${names[*]}: make formal"; exit 1; }
elif [ ${#names[@]} -gt 0 ]; then
    tests/formal/prove "${names[@]}"
fi
echo "$(($(wc -l <"$keys") - ${#names[@]})) proofs are of what is here; proved again: ${names[*]:-none}"
