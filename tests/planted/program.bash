# SPDX-License-Identifier: ISC
# shellcheck shell=bash
# `program [NAME=VALUE...] [build/FILE...] tests/FOLDER/test_NAME [ARGUMENT...]`: a test in C. It is built with the bug, and has to
# fail with a word about it, or to end by a signal; it gets so much processor time that only one that hangs uses it up. build/FILE:
# what the test loads, which is built with the bug in its place.
# shellcheck source=tests/planted/build.bash
source tests/planted/build.bash
program_limit=30 # seconds

# program_words WORD...: the environment, the files to be built, the command.
program_words() {
    environment=() built=()
    while [[ $1 != tests/* ]]; do
        case $1 in
            build/*) built+=("${1#build/}") ;;
            *) environment+=("$1") ;;
        esac
        shift
    done
    [ ${#built[@]} -gt 0 ] || built=("$1")
    command=("build/$1" "${@:2}")
}

program_exists() {
    local environment built command
    [[ " $*" == *' tests/'* ]] || { echo "no test is named"; return 1; }
    program_words "$@"
    [ -e "${command[0]#build/}.c" ] || { echo "there is no test ${command[0]#build/}.c"; return 1; }
}

program_tested() {
    true
}

program_needs() {
    local environment built command
    program_words "$@"
    printf '%s\n' "${command[0]}" "${built[@]/#/build/}"
}

# program_run FOLDER LOG: what it prints goes to the log, with a line if a signal has ended it.
program_run() {
    local status
    (
        ulimit -c 0 -St $program_limit
        cd "$1" && exec env SEED=1 "${environment[@]}" timeout 600 "${command[@]}"
    ) >"$2" 2>&1 </dev/null
    status=$?
    case $status in
        124) echo 'no end in 600 s' >>"$2" ;;
        152) echo "FAIL no end in $program_limit s of processor time" >>"$2" ;;
        1[3-9]?) echo "FAIL ended by signal $((status - 128))" >>"$2" ;;
    esac
    return $status
}

program_sound() {
    local environment built command status
    program_words "$@"
    program_run . "$TMPDIR/sound.log"
    status=$?
    [ $status = 0 ] || tail -n 5 "$TMPDIR/sound.log"
    return $status
}

program_judge() {
    local tree=$1 environment built command name status
    program_words "${@:2}"
    for name in "${built[@]}"; do
        planted_program "$tree" "$name" >&2 || return 2
    done
    program_run "$tree" "$TMPDIR/log"
    status=$?
    [ $status != 0 ] && [ $status != 124 ] &&
        grep -a -m 1 -E 'FAIL|not true|expected|runtime error:|Sanitizer|ssert' "$TMPDIR/log" | cut -c 1-160 && return
    tail -n 5 "$TMPDIR/log" >&2
    return 1
}
