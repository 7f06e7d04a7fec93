# SPDX-License-Identifier: ISC
# The page of the results of tests/planted/mutate_lines or mutate_c, with its title.
BEGIN {
    FS = "\t"
    print "# " title "\n\nMade by `make mutation`, seed " seed "; how: tests/planted/README.md.\n"
}
!($1 in seen) { seen[$1]; modules++ }
{
    count[$2]++
    if ($2 == "killed" && !kills[$3]++) check[++checks] = $3
    if ($2 != "killed") {
        gsub(/\|/, "\\|", $5)
        left = left "| " $1 ":" $4 " | `" $5 "` | " ($2 == "survived" ? "**not explained**" : $6) " |\n"
    }
}
END {
    printf "%d changed lines of %d files: %d killed, %d explained, %d survived.\n\n| killed by | lines |\n|---|---|\n",
        NR, modules, count["killed"], count["explained"], count["survived"]
    for (i = 1; i <= checks; i++) print "| " check[i] " | " kills[check[i]] " |"
    if (left != "") printf "\nNo check notices:\n\n| line | changed to | why it is harmless |\n|---|---|---|\n%s", left
}
