# SPDX-License-Identifier: ISC
# Lists every change of an operator, a term or a constant in the Verilog of one module, one a line, tab-separated: line, column,
# length of the text that is replaced, the text in its place. Only the body of the module counts: no ports, no parameters, no
# comment, nothing under FORMAL.

function emit(at, length_of, text) { printf "%d\t%d\t%d\t%s\n", FNR, at, length_of, text }

# Every match of a pattern in the code of this line; `text` replaces it, but for the kinds that look at what was found.
function each(pattern, text, kind,    at, found, digits) {
    for (at = 1; match(substr(code, at), pattern); at += RLENGTH) {
        at += RSTART - 1
        found = substr(code, at, RLENGTH)
        if (kind == "first") emit(at, 1, text)            # `!` or `~` of what was found
        else if (kind == "next") {                       # the constant behind it
            digits = found
            sub(/.*d/, "", digits)
            emit(at + RLENGTH - length(digits), length(digits), digits + 1)
        } else if (kind == "swap") {                      # ` ? a : b`
            split(substr(found, 4), branches, " : ")
            emit(at, RLENGTH, " ? " branches[2] " : " branches[1])
        } else emit(at, RLENGTH, text)
    }
}

/^`ifdef FORMAL/ { formal = 1 }
/^`endif/ { formal = 0 }
/^endmodule/ { body = 0 }
body && !formal && !/^ *(\/\/|localparam|genvar|generate|integer|`)/ && !/^ *for / {
    code = $0
    sub(/ *\/\/.*/, "", code)
    operand = "[a-z_0-9']+(\\[[^]]*\\])?"
    term = "[!~|&]*[a-z_]+[a-z_0-9]*(\\[[^]]*\\])?"
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
    each("1'b0", "1'b1")
    each("1'b1", "1'b0")
    each("[0-9]+'d[0-9]+", "", "next")
    each(" \\? " operand " : " operand, "", "swap")
    each("if \\(", "if (!")
}
/^\) ?(\(|;)/ || /^ *\);$/ { if (!seen_header && $0 ~ /;$/) body = seen_header = 1 }
