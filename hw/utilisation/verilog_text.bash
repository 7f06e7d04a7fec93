# SPDX-License-Identifier: ISC
# To be sourced in the tree's root: what of Verilog files decides a netlist, so that a figure or a proof is made again when
# that changes, and not when a comment does.
# shellcheck shell=bash

# text_of FILE...: neither comments nor the numbers of lines decide what synthesis makes of a file.
text_of() {
    sed -E 's,/\*([^*]|\*[^/])*\*/,,g; s,//.*,,; s/[[:space:]]+$//; /^$/d' "$@"
}

# used_macros FILE...: the macros of hw/*/*.vh that the files name, and those that these name.
used_macros() {
    awk '
        function use(words,   name) {
            while (match(words, /`[A-Za-z_][A-Za-z0-9_]*/)) {
                name = substr(words, RSTART + 1, RLENGTH - 1)
                words = substr(words, RSTART + RLENGTH)
                if (name in body && !used[name]++) use(body[name])
            }
        }
        FNR == NR && $1 == "`define" { name = $2; sub(/\(.*/, "", name); names[++count] = name; body[name] = substr($0, 8) }
        FNR < NR { use($0) }
        END { for (i = 1; i <= count; i++) if (used[names[i]]) print body[names[i]] }
    ' <(text_of hw/*/*.vh) <(text_of "$@")
}
