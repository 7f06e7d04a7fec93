# SPDX-License-Identifier: ISC
# For scripts that run `build/postroad sim`, or the program $postroad, and print tables of Markdown. To be sourced in the tree's
# root, with `seed` and `work`, a folder for scratch files, set.
# shellcheck shell=bash
# shellcheck disable=SC2154  # seed and work, see above

# run CODES MESH ARGUMENTS...: one run on a mesh of hw/mesh, or on a file; its JSON goes to $json. Any other exit code ends
# the script.
run() {
    local codes=$1 mesh=$2 status=0
    shift 2
    [[ $mesh == */* ]] || mesh=hw/mesh/$mesh.mesh
    json=$("${postroad:-build/postroad}" sim "$mesh" --seed "$seed" --quiet --json "$@" 2>"$work/err") || status=$?
    [[ " $codes " == *" $status "* ]] && return
    echo "$0: $mesh $*: exit code $status, expected $codes: $(head -n 1 "$work/err")" >&2
    exit 1
}

# value KEY [OBJECT]: a member of the JSON object in $json, or of an object in it.
value() {
    local text=$json
    if [ $# -eq 2 ]; then
        text=${text#*"\"$2\":{"}
        text=${text%%\}*}
    fi
    [[ $text =~ \"$1\":(\"[^\"]*\"|[^,}]*) ]] && tr -d '"' <<<"${BASH_REMATCH[1]}"
}

# calculate FORMAT EXPRESSION
calculate() {
    awk "BEGIN { printf \"$1\", $2 }"
}

# in_parallel FUNCTION: FUNCTION with the words of each line of standard input, JOBS of them at a time, in shells and scratch
# folders of their own. Prints what they print in the order of the lines. Fails if one of them fails, and then starts no more.
in_parallel() {
    local function=$1 line number=0 failed=0 jobs=${JOBS:-$(nproc)}
    mkdir -p "$work/parallel"
    while IFS= read -r line && [ $failed = 0 ]; do
        [ $number -lt "$jobs" ] || wait -n || failed=1
        # shellcheck disable=SC2086  # words
        (mkdir "$work/$number" && work=$work/$number && "$function" $line) </dev/null >"$work/parallel/$number" &
        number=$((number + 1))
    done
    while [ "$(jobs -p)" ]; do wait -n || failed=1; done
    for ((line = 0; line < number; line++)); do cat "$work/parallel/$line"; rm -r "${work:?}/$line"; done
    return $failed
}

row() {
    local cell
    printf '|'
    for cell in "$@"; do printf ' %s |' "$cell"; done
    echo
}

heading() {
    local cell
    row "$@"
    printf '|'
    for cell in "$@"; do if [ "$cell" = "$1" ]; then printf -- '---|'; else printf -- '---:|'; fi; done
    echo
}
