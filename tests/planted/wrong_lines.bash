# SPDX-License-Identifier: ISC
# shellcheck shell=bash
# What mutate_lines and mutate_c share: `source tests/planted/wrong_lines.bash`, in the tree's folder.

# reason MODULE TEXT: why this change is harmless; lines of module, the changed line (a pattern of bash), reason.
reason() {
    local module pattern why
    while IFS='~' read -r module pattern why; do
        # shellcheck disable=SC2053  # the pattern is meant as one
        [[ $module == "$1" && $2 == $pattern ]] && { echo "$why"; return; }
    done < <(grep -v '^#' tests/planted/mutation/explained_lines.txt)
    return 1
}

# conclude RESULTS PAGE TITLE: says how many there are of each verdict; fails if some survived. PAGE: it becomes their table, if named.
conclude() {
    [ -z "$2" ] || {
        awk -v title="$3" -v seed="$SEED" -f tests/planted/mutation/lines_table.awk "$1"
        echo
        tests/bench/measure --stamp
    } >"$2"
    echo "$(wc -l <"$1") changed lines, $(cut -f 2 "$1" | sort | uniq -c | tr -s ' \n' ' ')"
    ! grep -q survived <(cut -f 2 "$1")
}
