# SPDX-License-Identifier: ISC
# Lists every change of an operator, a term or a constant in the Verilog of one module or the functions of a file of C, one a
# line, tab-separated: line, column, length of the text that is replaced, the text in its place. Of Verilog only the body of
# the module counts: no ports, no parameters, no comment, nothing under FORMAL. Of C statements are left out as well.

function emit(at, length_of, text) { printf "%d\t%d\t%d\t%s\n", FNR, at, length_of, text }

# Every match of a pattern in the code of this line; `text` replaces it, but for the kinds that look at what was found.
function each(pattern, text, kind,    at, found, digits) {
    for (at = 1; match(substr(code, at), pattern); at += RLENGTH) {
        at += RSTART - 1
        found = substr(code, at, RLENGTH)
        if (kind == "first") emit(at, 1, text)            # `!` or `~` of what was found
        else if (kind == "next") {                       # the constant behind it
            digits = found
            sub(/.*[^0-9]/, "", digits)
            emit(at + RLENGTH - length(digits), length(digits), digits + 1)
        } else if (kind == "swap") {                      # ` ? a : b`
            split(substr(found, 4), branches, " : ")
            emit(at, RLENGTH, " ? " branches[2] " : " branches[1])
        } else emit(at, RLENGTH, text)
    }
}

# What both languages have.
function operators() {
    each(" == ", " != ")
    each(" != ", " == ")
    each(" && ", " || ")
    each(" \\|\\| ", " && ")
    each(" & ", " | ")
    each(" \\| ", " & ")
    each(" \\+ ", " - ")
    each(" - ", " + ")
    each(" < ", " <= ")
    each(" > ", " >= ")
    each(" >= ", " > ")
    each(" && " term, "")
    each(" \\|\\| " term, "")
    each(" & " term, "")
    each(" \\| " term, "")
    each("![a-z_(|&]", "", "first")
    each("~[a-z_(|&]", "", "first")
    each(" \\? " operand " : " operand, "", "swap")
    each("if \\(", "if (!")
}

# A statement that is one line is left out.
function statement(pattern) {
    if (match(code, "^ +" pattern "$") && match(code, /[^ ]/)) emit(RSTART, 0, "if (0) ")
}

/^`ifdef FORMAL/ { formal = 1 }
/^`endif/ { formal = 0 }
/^endmodule/ || /^}/ { body = 0 }
body == "verilog" && !formal && !/^ *(\/\/|localparam|genvar|generate|integer|`)/ && !/^ *for / {
    code = $0
    sub(/ *\/\/.*/, "", code)
    operand = "[a-z_0-9']+(\\[[^]]*\\])?"
    term = "[!~|&]*[a-z_]+[a-z_0-9]*(\\[[^]]*\\])?"
    operators()
    each("1'b0", "1'b1")
    each("1'b1", "1'b0")
    each("[0-9]+'d[0-9]+", "", "next")
}
body == "c" && !/^ *(\/\*|\*|#)/ {
    code = $0
    sub(/ *\/\*.*/, "", code)
    operand = "[a-zA-Z_0-9.>-]+(\\[[^]]*\\])?"
    term = "[!~]*[a-z_]+[a-z_0-9.>-]*(\\[[^]]*\\])?"
    operators()
    each(" <= ", " < ")
    each("[ ([][1-9][0-9]*", "", "next")
    each("true", "false")
    each("false", "true")
    each("\\+\\+", "--")
    each("--", "++")
    each(" [+]= ", " -= ")
    each(" -= ", " += ")
    statement("[a-z_0-9]+\\(.*\\);")
    statement("[a-z_0-9.>-]+(\\[.*\\])? [-+|&^]?= .*;")
}
/^\) ?(\(|;)/ || /^ *\);$/ { if (!seen_header && $0 ~ /;$/) { seen_header = 1; body = "verilog" } }
/^{$/ { body = "c" }
