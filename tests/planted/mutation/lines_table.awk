# SPDX-License-Identifier: ISC
# The page of the results of tests/planted/mutate_lines or mutate_c, with its title.
BEGIN {
    FS = "\t"
    print "# " title "\n\nMade by `make mutation`, seed " seed "; how: tests/planted/README.md.\n"
    print "| module | changed lines | killed | by | explained | survived |\n|---|---|---|---|---|---|"
}
!($1 in all) { order[++modules] = $1 }
{
    all[$1]++
    count[$1, $2]++
    if ($2 == "killed" && !by[$1, $3]++) checks[$1] = checks[$1] (checks[$1] == "" ? "" : ", ") $3
    if ($2 != "killed") {
        gsub(/\|/, "\\|", $5)
        left = left "| " $1 ":" $4 " | `" $5 "` | " ($2 == "survived" ? "**not explained**" : $6) " |\n"
    }
}
END {
    for (i = 1; i <= modules; i++) {
        m = order[i]
        print "| " m " | " all[m] " | " count[m, "killed"] + 0 " | " checks[m] " | " count[m, "explained"] + 0 " | " \
            count[m, "survived"] + 0 " |"
    }
    if (left != "") printf "\nNo check notices:\n\n| line | changed to | why it is harmless |\n|---|---|---|\n%s", left
}
