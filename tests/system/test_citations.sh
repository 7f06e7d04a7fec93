#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Every section, figure, table or note of a paper that code or prose cites exists: tests/system/papers has those of each paper.
# Whose number it is says the name before it (August, January, Jesshope, Varvarigos, Gerla), or else the file's folder. Citations
# are numbers
#
#   behind a word      section 5.2, Figures 8 and 9, Table G, note 10
#   behind "paper"     August paper 4.5.1, 4.5.2
#   in parentheses     (4.7, Table H, Figure 9; in sources
#   in a column        of a table in hw/ or sim/ that is headed section, paper or from
#
# needs only:
set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")/../.."

cited=$(find -L README.md boards firmware hw host-tools sim tests -type f ! -name '*citations*' |
    grep -E '\.(v|vh|c|h|cpp|md|ini|mesh|sh|bugs|mk)$' | sort | xargs awk '
    function fault(what) { print "FAIL " FILENAME ":" FNR ": " what; faults++ }

    function paper_of_path(    i) {
        for (i = 1; i <= paths; i++)
            if (index(FILENAME, path[i]) == 1) return owner[i]
        return "none"
    }

    # The paper that a text names last.
    function paper_named(text,    name) {
        for (name = ""; match(text, /August|[Jj]anuary|Jesshope|Varvarigos|Gerla|1989|1993|1996/);
             text = substr(text, RSTART + RLENGTH))
            name = substr(text, RSTART, RLENGTH)
        return name == "1989" ? "jesshope" : name == "1993" ? "varvarigos" : name == "1996" ? "gerla" : tolower(name)
    }

    # Looks at the items of a list of KIND: a letter is a table, a number with points a section, whatever the word before it was.
    function check(list, kind, before, behind,    paper, items, count, i, item) {
        paper = match(behind, /^ of the (August|January) /) ? paper_named(substr(behind, 1, RLENGTH)) : paper_named(before)
        if (paper == "" && $0 !~ /^\|/ && previous !~ /[a-z/]january/) paper = paper_named(previous)
        if (paper == "") paper = paper_of_path()
        if (paper == "none") return
        gsub(/,? (and|or) |, /, " ", list)
        count = split(list, items, " ")
        for (i = 1; i <= count; i++) {
            item = items[i]
            if (item == "to") continue
            kind = item ~ /^[A-Z]$/ ? "table" : item ~ /[.]/ ? "section" : kind
            cited++
            if (!((paper, kind, item) in known))
                fault("the paper of " paper " has no " kind " " item)
        }
    }

    # The list of items at the beginning of the text.
    function list_of(text) {
        match(text, /^([A-H]|[1-9][0-9]*([.][1-9])*)((,|,? and|,? or| to) ([A-H]|[1-9][0-9]*([.][1-9])*))*/)
        return RLENGTH > 0 && substr(text, RLENGTH + 1, 1) !~ /[A-Za-z0-9_]/ ? substr(text, 1, RLENGTH) : ""
    }

    # Those matches of the expression that end in this line, behind the one before.
    function look_for(expression, kind,    text, from, start, list, word) {
        text = previous " " line
        for (start = 0; match(substr(text, start + 1), expression); ) {
            word = substr(text, start + RSTART, RLENGTH)
            start += RSTART + RLENGTH - 1
            list = list_of(substr(text, start + 1))
            if (list == "" || kind == "pointed" && list !~ /[.]/ || start + length(list) <= length(previous) + 1) continue
            from = start > length(previous) ? length(previous) + 2 : 1
            check(list, kind ? kind : kind_of(tolower(word)), substr(text, from, start + 1 - from),
                substr(text, start + length(list) + 1))
        }
    }

    function kind_of(word) {
        return word ~ /note/ ? "note" : word ~ /section/ ? "section" : word ~ /figure/ ? "figure" : "table"
    }

    # Cells of columns that have citations.
    function look_at_row(    cells, count, i, list) {
        count = split($0, cells, / *[|] */)
        for (i = 2; i < count; i++) {
            if (!in_table && cells[i] ~ /^(section|paper|from)$/) column[i] = cells[i]
            list = in_table && i in column ? list_of(cells[i]) : ""
            if (list ~ /[.]/ || list != "" && column[i] == "section")
                check(list, "section", substr($0, 1, index($0, cells[i])), "")
        }
        in_table = 1
    }

    FILENAME == "tests/system/papers" {
        if (split($0, field, / *[|] */) < 3) next
        count = split(field[3], values, " ")
        for (i = 1; i <= count; i++) {
            if (field[1] == "path") { path[++paths] = values[i]; owner[paths] = field[2] }
            else if (i > 1) known[field[2], values[1], values[i]]
        }
        next
    }

    FNR == 1 { previous = ""; in_table = 0 }
    {
        line = $0
        sub(/^ *(\/\/|\/?\*+|#+|;)? */, "", line)
        look_for("([Ff]igure|[Tt]able|[Ss]ection|[Ff]oot[Nn]ote|[Nn]ote)s? ", "")
        look_for("paper ", "pointed")
        if (FILENAME ~ /[.](v|c|h)$/ && line ~ /[(][1-9][.][1-9][.1-9]*[,;)]/) look_for("[(]", "pointed")
        if (FILENAME ~ /^(hw|sim)\/.*md$/ && /^\|/) look_at_row()
        else { in_table = 0; delete column }
        previous = line
    }
    END { print cited; exit faults > 0 }' tests/system/papers) || { echo "$cited"; exit 1; }
echo "$cited citations"
[ "$cited" -gt 150 ] || { echo "FAIL $cited citations are found, expected more than 150"; exit 1; }
echo PASS
