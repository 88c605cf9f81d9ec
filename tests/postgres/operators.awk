# Expressions for sql_row, one a line: every operator on every pair of values at
# the edges of their types, every function, every cast. No randomness.

function value(list, type,    i, n, parts) {
    n = split(list, parts, "|")
    for (i = 1; i <= n; i++) values[++count] = "'" parts[i] "'" (type == "" ? "" : "::" type)
}

function unary(list,    i, j, n, parts) {
    n = split(list, parts, "|")
    for (i = 1; i <= n; i++)
        for (j = 1; j <= count; j++) print parts[i] " " values[j]
}

function postfix(list,    i, j, n, parts) {
    n = split(list, parts, "|")
    for (i = 1; i <= n; i++)
        for (j = 1; j <= count; j++) print values[j] " " parts[i]
}

function binary(list,    i, j, k, n, parts) {
    n = split(list, parts, "|")
    for (i = 1; i <= n; i++)
        for (j = 1; j <= count; j++)
            for (k = 1; k <= count; k++)
                print values[j] " " (parts[i] == "BARS" ? "||" : parts[i]) " " values[k]
}

function call(list, arity,    i, j, k, n, parts) {
    n = split(list, parts, "|")
    for (i = 1; i <= n; i++)
        for (j = 1; j <= count; j++)
            if (arity == 1) print parts[i] "(" values[j] ")"
            else for (k = 1; k <= count; k++) print parts[i] "(" values[j] ", " values[k] ")"
}

# Literals that one of the input functions has an opinion about.
function literals(    texts, types, n, m, i, j) {
    n = split("| |5|-5|+5| 5 |5 5|--5|5x|x|1.5|1e3|1E-2|1e|1e+|.5|5.|.|-|+|1_0|0x10|NULL|" \
        "32767|32768|-32768|-32769|2147483647|2147483648|-2147483648|-2147483649|" \
        "9223372036854775807|9223372036854775808|-9223372036854775808|-9223372036854775809|" \
        "99999999999999999999x|1234567890123456789012345678901234.5|000000000000000000000000000000000000000000001|" \
        "0.00000000000000000000000000000000000001|-0|-0.0|-0.00|t|T|tr|true|truee|y|yes|on|o|of|off|n|no|f|false|1|0|01| TRUE |" \
        "{}|{ }| {1} |{1,2}|{1, 2 ,NULL}|{null}|{\"1\"}|{1,}|{,1}|{1|1}|{1}x|{a}|{1 2}|{1.5}|{1,,2}|{\"\"}|{\"1\"x}|{9223372036854775808}|" \
        "2024-02-29|2023-02-29|2024-02-29 12:30|2024-02-29 12:30:45|2024-02-29 12:30:45.1|2024-02-29T12:30:45.123456|" \
        "2024-13-01|2024-00-01|2024-01-32|2024-01-00|2024-01-01 24:00:00|2024-01-01 24:00:01|2024-01-01 23:60:00|2024-01-01 23:59:60|" \
        "2024-01-01 25:00:00|1969-12-31 23:59:59.999999|1900-03-01|2000-02-29|2100-02-28 00:00:00.000001|2024-1-5 1:2:3| 2024-01-01 |1700-01-01|2200-12-31 23:59:59.5", texts, "|")
    m = split("smallint|int|bigint|numeric|numeric(5,2)|numeric(3,5)|numeric(3,-2)|text|varchar(3)|boolean|timestamp|bigint[]", types, "|")
    for (i = 1; i <= n; i++)
        for (j = 1; j <= m; j++) print "'" texts[i] "'::" types[j]
}

function casts(    types, m, i, j) {
    m = split("smallint|int|bigint|numeric|numeric(5,2)|numeric(4,0)|numeric(3,5)|numeric(3,-2)|text|varchar|varchar(3)|boolean|timestamp|bigint[]", types, "|")
    for (i = 1; i <= count; i++)
        for (j = 1; j <= m; j++) {
            print values[i] "::" types[j]
            print types[j] " <- " values[i]
            print types[j] " := " values[i]
        }
}

function texts(    strings, places, n, m, i, j, k) {
    n = split("''|'abcdef'|'h\303\251\303\251llo'|'\342\202\254'|'  x '", strings, "|")
    m = split("-2147483648|-3|-1|0|1|2|3|5|7|2147483647", places, "|")
    for (i = 1; i <= n; i++)
        for (j = 1; j <= m; j++) {
            print "substr(" strings[i] "::text, '" places[j] "'::int)"
            if (places[j] < 1000) print "lpad(" strings[i] "::text, '" places[j] "'::int)"
            for (k = 1; k <= m; k++)
                print "substring(" strings[i] "::text, '" places[j] "'::int, '" places[k] "'::int)"
            for (k = 1; k <= n; k++)
                if (places[j] < 1000 || places[j] > 2000000)
                    print "lpad(" strings[i] "::text, '" places[j] "'::int, " strings[k] ")"
        }
}

# Texts and patterns of a few letters, all of them. (COPY would take a backslash for its own.)
function patterns(    strings, marks, n, m, i, j, k) {
    n = split("''|'a'|'ab'|'aab'|'a%b'|'a_b'|'\303\251b'|'abcabc'", strings, "|")
    m = split("|a|b|%|_|#|c|\303\251|%b|_b|a%", marks, "|")
    for (i = 1; i <= n; i++)
        for (j = 1; j <= m; j++)
            for (k = 1; k <= m; k++) {
                print strings[i] "::text LIKE '" marks[j] marks[k] "'"
                print strings[i] "::text NOT LIKE '%" marks[j] marks[k] "'"
                print strings[i] "::text LIKE '" marks[j] "%" marks[k] "%'"
            }
}

# Quotients with digits of every weight: their scales follow base 10000.
function quotients(    i, j, k, a, b) {
    for (i = -9; i <= 12; i++)
        for (j = -9; j <= 12; j++)
            for (k = 1; k <= 3; k++) {
                a = substr("179", k, 1) "e" i
                b = substr("323", k, 1) "e" j
                print "'" a "'::numeric / '" b "'::numeric"
                print "'-" a "'::numeric % '" b "'::numeric"
            }
}

# Of as many digits as there may be.
function giants(    list, n, i, j) {
    n = split("99999999999999999999999999999999999999|12345678901234567890123456789012345678|" \
        "3333333333333333333333333333333333333.3|10000000000000000000000000000000000000|" \
        "9999999999999999999999999999999999999|0.12345678901234567890123456789012345678|" \
        "18446744073709551616|-9223372036854775808.5|1234567890123456789.0123456789|" \
        "70000000000000000000000000000000000001|5e-38|0.00000000000000000007|3|2|-3.0000000000000001|3.0000000000000001", list, "|")
    for (i = 1; i <= n; i++) {
        for (j = 1; j <= n; j++) {
            print "'" list[i] "'::numeric / '" list[j] "'::numeric"
            print "'" list[i] "'::numeric % '" list[j] "'::numeric"
            print "'" list[i] "'::numeric + '" list[j] "'::numeric"
            print "'" list[i] "'::numeric * '" list[j] "'::numeric"
            print "'" list[i] "'::numeric < '" list[j] "'::numeric"
            print "'" list[i] "'::numeric >= '" list[j] "'::numeric"
        }
        for (j = -39; j <= 20; j++) print "round('" list[i] "'::numeric, '" j "'::int)"
        print "floor('" list[i] "'::numeric)"
        print "ceil('" list[i] "'::numeric)"
        print "'" list[i] "'::numeric::bigint"
    }
}

function extremes(names,    parts, n, i) {
    n = split(names, parts, "|")
    for (i = 1; i <= n; i++) {
        print parts[i] "('1'::int, NULL, '3'::bigint, '2.50'::numeric)"
        print parts[i] "('1.0'::numeric, '1.00'::numeric, '1'::int)"
        print parts[i] "(NULL, NULL)"
        print parts[i] "('b', 'a', NULL)"
        print parts[i] "('5', '40'::int, NULL)"
        print parts[i] "('x', '40'::int)"
    }
}

# What is no boolean is told by its type or by its text; where both are wrong, either may be said.
function truths(    i, j) {
    for (i = 1; i <= count; i++)
        for (j = 1; j <= count; j++)
            if (values[i] ~ /^NULL$|boolean/ || values[j] ~ /^NULL$|boolean/) {
                print values[i] " AND " values[j]
                print values[i] " OR " values[j]
            }
}

# Only of bigints: an array of integers is one here, too, which PostgreSQL's is not.
function arrays(    i) {
    for (i = 1; i <= count; i++)
        if (values[i] ~ /::bigint$/) print "ARRAY[" values[i] ", NULL, '5'::int]"
}

# Three values of a type at a time, and nulls.
function aggregates(    names, n, i, j, k, type, rows) {
    n = split("count(*)|count(x)|sum(x)|min(x)|max(x)|avg(x)", names, "|")
    for (j = 1; j + 2 <= count; j++) {
        type = values[j]
        if (!sub(/.*::/, "::", type)) continue
        rows = "(" values[j] ")"
        for (k = j + 1; k <= j + 2 && values[k] ~ /::/ && index(values[k], type) > 0; k++)
            rows = rows ", (" values[k] "), (NULL" type ")"
        for (i = 1; i <= n; i++) print "(SELECT " names[i] " FROM (VALUES " rows ") AS t (x))"
    }
}

BEGIN {
    value("0|1|-1|7|32767|-32768", "smallint")
    value("0|1|-1|3|100|2147483647|-2147483648", "int")
    value("0|1|-1|10|9223372036854775807|-9223372036854775808|4611686018427387904", "bigint")
    value("0|0.00|1|-1.0|0.5|-0.5|1.50|2.5|-3|0.001|1e-10|12345.6789|99999999999999999999", "numeric")
    value("-0.0000001|10000|9999|2147483647.5|-32768.4|9223372036854775807.5", "numeric")
    value("999.994|-1.234|123.4", "numeric(5,2)")
    value("|a|ab|B| |h\303\251\303\251|12|abcdef|abc  ", "text")
    value("abc|x", "varchar(5)")
    value("t|f", "boolean")
    value("2024-02-29 12:00:00|1999-12-31 23:59:59.25", "timestamp")
    value("{}|{1}|{1,2,NULL}|{NULL}|{2}", "bigint[]")
    value("1|-5|abc||1.5|t|{1}|2024-01-01| 42 |99999999999999999999", "")
    split("|::int|::bigint|::numeric|::text|::boolean|::timestamp|::bigint[]", nulls, "|")
    for (i = 1; i <= 8; i++) values[++count] = "NULL" nulls[i]

    quotients(); giants(); texts(); patterns(); literals(); casts(); aggregates()
    extremes("GREATEST|LEAST|COALESCE")
    unary("-|+|NOT")
    postfix("IS NULL|IS NOT NULL|IS TRUE|IS NOT TRUE|IS FALSE|IS NOT FALSE|IS UNKNOWN|IS NOT UNKNOWN")
    call("abs|floor|ceil|ceiling|sign|round|length|lower|upper|cardinality", 1)
    arrays(); truths()
    binary("+|-|*|/|%|=|<>|<|<=|>|>=|BARS|IS DISTINCT FROM|IS NOT DISTINCT FROM|LIKE|NOT LIKE")
    call("mod|round|substr|array_append|array_prepend|array_cat|array_length|GREATEST|LEAST|COALESCE|NULLIF", 2)
    for (i = 1; i <= count; i++)
        for (j = 1; j <= count; j++) {
            print values[i] " = ANY (" values[j] ")"
            if (values[i] ~ /\[\]|int/) print "(" values[i] ")[" values[j] "]"
        }
}
