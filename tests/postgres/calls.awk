# calls.awk: calls of the functions of a program, one a line, always the same.
#
#     awk -f calls.awk -v count=2000 -v seed=1 [-v odd='0 -1'] smallbank.sql
#
# First load(1), then three kinds in turn: what the comments at the top of the
# file say (see scenarios/programs/README.md), now and then with one argument
# that is out of the ordinary; any function with any arguments of its types; and
# the invariants.

function draw(below) {
    state = state * 48271 % 2147483647
    return int(state / 8) % below
}

function between(low, high) { return low + draw(high - low + 1) }

# --- Values: kind n (a number), t (a text) or r (SQL as it stands) -----------

function sql_of(value) {
    return substr(value, 1, 1) == "t" ? "'" substr(value, 2) "'" : substr(value, 2)
}
function plain(value) { return substr(value, 2) }

function blank() { while (substr(input, 1, 1) == " ") input = substr(input, 2) }
function takes(symbol) {
    blank()
    if (substr(input, 1, length(symbol)) != symbol) return 0
    input = substr(input, length(symbol) + 1)
    return 1
}
function word(    w) {
    blank()
    match(input, /^[A-Za-z_0-9.]*/)
    w = substr(input, 1, RLENGTH)
    input = substr(input, RLENGTH + 1)
    return w
}

# A text in quotes; the first one is taken already.
function quoted(    at, t) {
    at = index(input, "'")
    t = substr(input, 1, at - 1)
    input = substr(input, at + 1)
    return t
}

# The texts of the arguments, each to be parsed when it is wanted, or not at all.
function arguments(list,    depth, n, c, in_text) {
    n = 1
    list[1] = ""
    takes("(")
    for (depth = 1; input != ""; input = substr(input, 2)) {
        c = substr(input, 1, 1)
        if (c == "'") in_text = !in_text
        if (!in_text && c == "(") depth++
        if (!in_text && c == ")" && --depth == 0) break
        if (!in_text && c == "," && depth == 1) list[++n] = ""
        else list[n] = list[n] c
    }
    takes(")")
    return n
}

function value_of(text,    outer, value) {
    outer = input
    input = text
    value = concatenation()
    input = outer
    return value
}
function number_of(text) { return plain(value_of(text)) + 0 }

function choice(list, n,    i, weights, total, at) {
    if (list[1] !~ /^ *[0-9]+:/) return value_of(list[1 + draw(n)])
    for (i = 1; i <= n; i++) total += list[i] + 0
    at = draw(total)
    for (i = 1; i < n && at >= list[i] + 0; i++) at -= list[i] + 0
    return value_of(substr(list[i], index(list[i], ":") + 1))
}

function call_of(name,    list, n, i, low, high, text) {
    n = arguments(list)
    if (name == "uniform" || name == "zipf") {
        low = number_of(list[1]); high = number_of(list[2])
        if (name == "zipf" && draw(2)) high = low + int((high - low) / 4)
        return "n" between(low, high)
    }
    if (name == "nurand") return "n" between(number_of(list[2]), number_of(list[3]))
    if (name == "choose") return choice(list, n)
    if (name == "lpad") {
        text = plain(value_of(list[1]))
        while (length(text) < number_of(list[2])) text = plain(value_of(list[3])) text
        return "t" text
    }
    if (name == "array") {
        low = number_of(list[1])
        for (i = 1; i <= low; i++) text = text (i > 1 ? "," : "") number_of(list[2])
        return "r'{" text "}'"
    }
    print "calls.awk: what is " name "()?" >"/dev/stderr"
    exit 2
}

function primary(    value) {
    value = uncast()
    if (takes("::")) word()
    return value
}
function uncast(    name, value) {
    if (takes("'")) return "t" quoted()
    if (takes("(")) { value = concatenation(); takes(")"); return value }
    if (takes("-")) return "n-" plain(primary())
    name = word()
    if (name ~ /^[0-9]/) return "n" name
    if (name == "fresh") return "n" (1000000000 + ++fresh)
    if (name == "now") return "rtimestamp '2001-02-03 04:05:06." (100000 + draw(900000)) "'"
    if (name == "true" || name == "false") return "r" name
    if (name == "timestamp") { takes("'"); return "rtimestamp '" quoted() "'" }
    if (name in size) return "n" size[name]
    return call_of(name)
}
function product(    value) {
    value = primary()
    for (;;) {
        if (takes("*")) value = "n" (plain(value) * plain(primary()))
        else if (takes("/")) value = "n" int(plain(value) / plain(primary()))
        else return value
    }
}
function sum(    value) {
    value = product()
    for (;;) {
        if (takes("+")) value = "n" (plain(value) + plain(product()))
        else if (takes("-")) value = "n" (plain(value) - plain(product()))
        else return value
    }
}
function concatenation(    value) {
    value = sum()
    while (takes("||")) value = "t" plain(value) plain(sum())
    return value
}

# --- The file ----------------------------------------------------------------

/^-- sizes:/ {
    sub(/^-- sizes: */, "")
    n = split($0, part, ", ")
    size["scale"] = 1
    for (i = 1; i <= n; i++) {
        at = index(part[i], " = ")
        size[substr(part[i], 1, at - 1)] = number_of(substr(part[i], at + 3))
    }
    next
}
/^-- arguments:/ {
    sub(/^-- arguments: */, "")
    pattern[++patterns] = $0
    continues = 1
    next
}
continues && /^--   / { sub(/^-- */, ""); pattern[patterns] = pattern[patterns] " " $0; next }
{ continues = 0 }

# CREATE FUNCTION name(p_x bigint, p_y text) RETURNS ..., maybe on several lines.
/^CREATE FUNCTION/ { head = "" ; in_head = 1 }
in_head {
    head = head " " $0
    if ($0 !~ /RETURNS/) next
    in_head = 0
    sub(/^ CREATE FUNCTION /, "", head)
    sub(/ RETURNS.*/, "", head)
    name = head
    sub(/\(.*/, "", name)
    if (name ~ /^load/) next
    if (name ~ /^invariant_/) { invariant[++invariants] = name; next }
    functions++
    function_name[functions] = name
    sub(/^[^(]*\(/, "", head)
    sub(/\) *$/, "", head)
    parameters[functions] = head
}

# Literals beyond 32 bits are bigints, and no arguments for an int.
function any_number(is_int) {
    if (draw(12) == 0) return odd_number[1 + draw(is_int ? odd_ints : odd_numbers)]
    return draw(4) ? between(0, 12) : between(-3, 60)
}

function any_of_type(type,    i, n, text) {
    if (draw(40) == 0) return "NULL"
    if (type ~ /\[\]/) {
        n = draw(17)
        for (i = 0; i < n; i++) text = text (i ? "," : "") (draw(30) ? between(0, 20) : "NULL")
        return "'{" text "}'"
    }
    if (type ~ /^(bigint|int|smallint)/) return any_number(type ~ /^int/)
    if (type ~ /^numeric/) return draw(5) ? between(-50, 900) / 4 : any_number()
    if (type ~ /^boolean/) return draw(2) ? "true" : "false"
    if (type ~ /^timestamp/) return "timestamp '2000-01-0" between(1, 9) " 00:00:0" draw(10) "'"
    n = draw(texts + 3)
    return n < texts ? "'" text_of[n + 1] between(0, 22) "'" : n == texts ? "''" : n == texts + 1 ? \
        "'id'" : "'" substr("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\
xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", 1, 1 + draw(150)) "'"
}

function random_call(number,    part, n, i, text) {
    n = split(parameters[number], part, ",")
    for (i = 1; i <= n; i++) {
        sub(/^ *[a-z_0-9]+ /, "", part[i])
        text = text (i > 1 ? ", " : "") any_of_type(part[i])
    }
    return function_name[number] "(" text ")"
}

function usual_call(    text, name, list, n, i, strange) {
    input = pattern[1 + draw(patterns)]
    name = word()
    if (takes("()")) return name "()"
    n = arguments(list)
    strange = draw(12) ? 0 : 1 + draw(n)
    for (i = 1; i <= n; i++) {
        if (list[i] ~ /^ *$/) continue
        text = text (i > 1 ? ", " : "") \
            (i == strange ? (draw(2) ? "NULL" : "'" draw(3) "'") : sql_of(value_of(list[i])))
    }
    return name "(" text ")"
}

END {
    state = seed + 1
    if (odd == "")
        odd = "0 -1 2147483647 32768 100000000 2147483648 -2147483649 9223372036854775807" \
            " -9223372036854775808"
    odd_numbers = split(odd, odd_number, " ")
    odd_ints = odd_numbers < 5 ? odd_numbers : 5
    texts = split("customer ,customer,nick ,region ,Page ,10.0.0.,User ,00000000000000,BAR,flyer", \
        text_of, ",")
    print "load(1)"
    for (k = 1; k <= count; k++) {
        if (k % 3 && patterns) print usual_call()
        else print random_call(1 + draw(functions))
        if (k % 50 == 0)
            for (i = 1; i <= invariants; i++) print invariant[i] "()"
    }
}
