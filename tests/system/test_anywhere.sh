#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# tests/anywhere makes what it says: in a small tree whose one test shows its environment, each value of each setting is there.
# A seed draws the same again, a failing test is named with its settings, and its loops end with it, however it ends.
# needs only: nothing
# runs in: test-long
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/work.bash
source tests/work.bash
unset KEEP SHOW LIMIT ORDER_SEED

tree=$work/tree
plain='locale=C umask=0022 zone=unset tmpdir=unset home=as-is variables=as-is posix=no cores=all jobs=1 load=no nice=0
    order=listed layout=random malloc=plain stack=8192 files=as-is stdin=null signals=default network=as-is place=tree'
mkdir -p "$tree/tests"
cp tests/anywhere "$tree/tests/"
# In place of the runner: what a test would see.
cat >"$tree/tests/run" <<'END'
#!/usr/bin/env bash
[ -e /proc/$$/fd/0 ] || closed=1
{
    echo "LC_ALL=${LC_ALL-} LANG=${LANG-} comma=$(awk 'BEGIN { printf "%.1f", 1 }')"
    echo "TZ=${TZ-} TMPDIR=${TMPDIR-} HOME=${HOME-unset}"
    echo "umask=$(umask) posix=${POSIXLY_CORRECT-} CDPATH=${CDPATH-} JOBS=$JOBS order=${ORDER_SEED-} SEED=$SEED"
    echo "perturb=${MALLOC_PERTURB_-} stack=$(ulimit -s) files=$(ulimit -n) open=$(ls /proc/$$/fd | wc -l) place=$(pwd)"
    echo "nice=$(nice) cores=$(nproc) layout=$(setarch --show 2>/dev/null) personality=$(cat /proc/$$/personality)"
    # Those of the C library, from 32 on, may be ignored anyway. bash itself ignores SIGQUIT while it waits for a substitution.
    echo "ignored=$(sed -n 's/^SigIgn:\t*//p' /proc/$$/status) stdin=$([ "${closed-}" ] && echo closed || readlink /proc/$$/fd/0)"
    echo "loops=$(pgrep -cf "^bash -c while .* bash $ANYWHERE\$") interfaces=$(ls /sys/class/net | wc -l) names=$*"
} >"${0%/*}/../shown" 2>&1
mkdir -p "${TMPDIR:-/tmp}" && touch "${TMPDIR:-/tmp}/anywhere.$$" && rm "${TMPDIR:-/tmp}/anywhere.$$" || exit 1
[ -z "${SLEEP:-}" ] || sleep "$SLEEP"
[ -z "${FAILS:-}" ] || { echo 'failed: area/test_bad'; echo '1 passed, 1 failed'; exit 1; }
echo '1 passed, 0 failed'
END
chmod +x "$tree/tests/run"
shown=$tree/shown

# shows SETTINGS TEXT...: with them a test sees the texts (regular expressions).
shows() {
    local settings=$1 text
    shift
    rm -f "$shown"
    KEEP="$plain $settings" "$tree/tests/anywhere" 1 some >"$work/output" 2>&1 ||
        { fail "$settings: exit status $?"; cat "$work/output"; }
    for text in "$@"; do
        grep -E -- "$text" "$shown" >"$work/lines" || { fail "$settings: nothing like '$text'"; cat "$shown" "$work/output"; }
    done
}

cores=$(nproc)
shows '' 'LC_ALL=C LANG= comma=1\.0' 'TZ= TMPDIR= HOME=' 'order= SEED=1' 'loops=0 ' 'stdin=/dev/null' 'names=some'
shows 'locale=de_DE.UTF-8 umask=0077 zone=Pacific/Kiritimati tmpdir=spaces home=unset posix=yes cores=1 jobs=16' \
    'LC_ALL=de_DE.UTF-8' 'umask=0077' 'TZ=Pacific/Kiritimati' 'TMPDIR=.*two  words ' 'HOME=unset' 'posix=1' 'cores=1 ' 'JOBS=16'
shows 'locale=comma-numbers tmpdir=long home=read-only variables=strange cores=2 load=yes nice=19 order=shuffled layout=fixed' \
    'comma=1,0' 'TMPDIR=.*0{40} ' 'HOME=/proc' 'CDPATH=\.:' "cores=$((cores < 2 ? 1 : 2)) " "loops=$cores " 'nice=19' \
    'order=1 SEED=1' 'personality=0*40000$'
shows 'locale=not-there variables=few layout=old malloc=perturbed stack=unlimited files=256 stdin=silent signals=pipe-ignored' \
    'LANG=xx_XX.UTF-8' 'CDPATH= ' 'personality=0*200000$' 'perturb=2 ' 'stack=unlimited' 'files=256 ' 'stdin=pipe:' \
    'ignored=[0-9a-f]*100[04] '
shows 'locale=tr_TR.UTF-8 files=many-open stdin=closed signals=hangup-ignored place=link' \
    'LANG=tr_TR.UTF-8' 'open=20[0-9] ' 'stdin=closed' 'ignored=[0-9a-f]*7 ' 'place=.*/tree$'
shows 'place=gone' 'names=some'

export SHOW=1
"$tree/tests/anywhere" 10 >"$work/first"
SEED=4 "$tree/tests/anywhere" 1 | tail -n +2 >"$work/fourth"
sed -n '/^round 4 of/,/^round 5 of/p' "$work/first" | sed '1d;$d' | cmp -s - "$work/fourth" || fail 'SEED=4 draws something else'
for value in locale=tr_TR.UTF-8 umask=0077 cores=1 jobs=16 load=yes order=shuffled posix=yes signals=pipe-ignored stdin=closed; do
    grep -F " $value " "$work/first" >"$work/lines" || fail "ten rounds draw no $value"
done
unset SHOW

export KEEP="$plain load=yes"
status=0
FAILS=1 "$tree/tests/anywhere" 1 >"$work/output" 2>&1 || status=$?
[ $status -eq 1 ] && grep -x 'SEED=1 tests/anywhere 1: area/test_bad' "$work/output" >"$work/lines" || fail "a failure: $status"
tail -n 1 "$work/output" | grep -x '0 rounds passed, 1 failed' >"$work/lines" || fail 'the last line after a failure'
for argument in 0 ten -1; do
    status=0
    "$tree/tests/anywhere" "$argument" >"$work/output" 2>&1 || status=$?
    [ $status -eq 2 ] || fail "'$argument' rounds: exit status $status"
done

# ends_with SIGNAL: no loop is left, and no runner.
ends_with() {
    TMPDIR=$work SLEEP=60 "$tree/tests/anywhere" 1 >"$work/output" 2>&1 &
    local process=$! tries
    for ((tries = 0; tries < 300; tries++)); do
        ! grep -E "loops=$cores " "$shown" >"$work/lines" 2>&1 || break
        sleep 0.1
    done
    rm -f "$shown"
    kill -"$1" "$process"
    wait "$process" || true
    for ((tries = 0; tries < 100; tries++)); do
        pgrep -f "^bash -c while .* bash $process\$" >"$work/lines" || return 0
        sleep 0.1
    done
    fail "$1: loops are left"
    kill "$(cat "$work/lines")"
}
ends_with TERM
ends_with KILL

verdict test_anywhere
