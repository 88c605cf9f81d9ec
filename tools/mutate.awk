# mutate.awk: every small fault that can be put into a C file, one a line:
#
#     FILE <tab> LINE <tab> what is done <tab> the line as it then is
#
# Only lines within functions are changed (the style has a function's braces in the first column),
# never strings, comments, assertions, or what the preprocessor reads. Operators are recognised by
# the blanks around them.

# The line with its strings, characters and comments blotted out, as long as before.
function blot(line,    out, i, c, quote) {
    out = ""
    quote = ""
    for (i = 1; i <= length(line); i++) {
        c = substr(line, i, 1)
        if (in_comment) {
            out = out "~"
            if (c == "/" && substr(line, i - 1, 1) == "*") in_comment = 0
        } else if (quote != "") {
            out = out "~"
            if (c == "\\") { i++; out = out "~" }
            else if (c == quote) quote = ""
        } else if (c == "\"" || c == "'") {
            quote = c
            out = out "~"
        } else if (c == "/" && substr(line, i + 1, 1) == "*") {
            in_comment = 1
            i++
            out = out "~~"
        } else {
            out = out c
        }
    }
    return out
}

function emit(what, line) {
    print FILENAME "\t" FNR "\t" what "\t" line
}

# Each place in the line where `from` stands becomes `to`, one at a time.
function swap(from, to,    at, rest, start) {
    start = 1
    while ((at = index(substr(plain, start), from)) > 0) {
        at += start - 1
        emit("'" strip(from) "' becomes '" strip(to) "'",
             substr($0, 1, at - 1) to substr($0, at + length(from)))
        start = at + length(from)
    }
}

function strip(text) {
    gsub(/^ +| +$/, "", text)
    return text
}

# A word as a whole.
function swap_word(from, to,    at, start, before, after) {
    start = 1
    while ((at = index(substr(plain, start), from)) > 0) {
        at += start - 1
        before = substr(plain, at - 1, at > 1)
        after = substr(plain, at + length(from), 1)
        if (before !~ /[A-Za-z0-9_.]/ && after !~ /[A-Za-z0-9_.]/)
            emit("'" from "' becomes '" to "'",
                 substr($0, 1, at - 1) to substr($0, at + length(from)))
        start = at + length(from)
    }
}

# Numbers that stand alone become one more.
function swap_numbers(    rest, at, start, number, before, after) {
    start = 1
    while (match(substr(plain, start), /[0-9]+/)) {
        at = start + RSTART - 1
        number = substr(plain, at, RLENGTH)
        before = substr(plain, at - 1, at > 1)
        after = substr(plain, at + RLENGTH, 1)
        if (before !~ /[A-Za-z0-9_.]/ && after !~ /[A-Za-z0-9_.]/ && length(number) < 9)
            emit("'" number "' becomes '" number + 1 "'",
                 substr($0, 1, at - 1) (number + 1) substr($0, at + RLENGTH))
        start = at + RLENGTH
    }
}

# A condition that begins and ends on this line.
function negate(    open, i, depth, c) {
    open = match(plain, /(if|while) \(/)
    if (open == 0) return
    open += RLENGTH - 1
    depth = 0
    for (i = open; i <= length(plain); i++) {
        c = substr(plain, i, 1)
        if (c == "(") depth++
        if (c == ")" && --depth == 0) {
            emit("the condition is negated",
                 substr($0, 1, open) "!(" substr($0, open + 1, i - open - 1) ")" substr($0, i))
            return
        }
    }
}

# A statement that begins and ends on this line, and declares nothing.
function drop(    indent) {
    if (plain !~ /^ +[a-zA-Z_*(][^{}]*;$/ || !at_start) return
    if (plain ~ /^ +(return|break|continue|goto|case|default|else|do|for|while|if|switch)/) return
    if (plain ~ /^ +(const |static |struct |enum |unsigned |union |bool |char |int |size_t |double |u?int[0-9]+_t |uint8_t )/)
        return
    match($0, /^ +/)
    indent = substr($0, 1, RLENGTH)
    emit("the statement is gone", indent ";")
}

FNR == 1 { in_comment = in_function = in_assert = 0; at_start = 0 }
{ plain = blot($0) }
/^\{/ { in_function = 1; at_start = 1; next }
/^\}/ { in_function = 0; next }
!in_function || /^#/ || plain ~ /^[ ~]*$/ { next }
plain ~ /assert\(/ { in_assert = 1 }
in_assert { if (plain ~ /;$/) in_assert = 0; next }
{
    swap(" < ", " <= "); swap(" <= ", " < "); swap(" > ", " >= "); swap(" >= ", " > ")
    swap(" == ", " != "); swap(" != ", " == ")
    swap(" && ", " || "); swap(" || ", " && ")
    swap(" + ", " - "); swap(" - ", " + ")
    swap_word("true", "false"); swap_word("false", "true")
    swap_word("continue", "break"); swap_word("break", "continue")
    swap_numbers()
    negate()
    drop()
    # The next line begins a statement if this one ends one, or a head of one.
    at_start = plain ~ /[;{}:]$/ || plain ~ /^ *(else|do)$/ || plain ~ /^ *(if|for|while) .*\)$/
}
