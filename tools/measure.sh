#!/bin/sh
# measure [parameters|tags|symbols|dead|doors]: the shape of the tree in a few figures, so that a
# change of it can be stated. With a word, the places behind that figure are printed first.
#
# The library is every room except the command line, tests and benchmarks. The definitions:
#
#   own header       X.h or X_private.h beside X.c. Rows of a table (formats, protocols, workloads, databases) have none:
#                    the table's header declares them. They are counted, as is a file that shares its header with another
#   function         a definition that begins in the first column and whose body opens in the first column
#   parameters       commas of the list, outside inner parentheses, and one
#   door             a header that is not named _private; it is used where another room includes it, or, if it stands in
#                    a folder of its room, another folder
#   tag              the name of a struct, union or enum that is defined in the first column
#   module's name    an exported function begins with the name of its file, or with its first words, or with the
#                    name of its folder or room (a plural may lose its s)
#   dead             an exported function that no .c file of the library and the command line names, but where it
#                    is defined; if tests or benchmarks name it, it is used by tests alone
set -eu
cd "$(dirname "$0")/.."

library='base sim nemesis history programs store smt checkers verify trial audit predict directed record'
everything="$library cli"

existing() {
    for room in $1; do
        [ ! -d "$room" ] || printf '%s\n' "$room"
    done
}

rooms=$(existing "$everything")
# shellcheck disable=SC2086
units=$(find $rooms -name '*.c' | LC_ALL=C sort)
# shellcheck disable=SC2086
headers=$(find $rooms -name '*.h' | LC_ALL=C sort)
# shellcheck disable=SC2046
others=$(find $(existing 'tests bench') -name '*.[ch]' | LC_ALL=C sort)

without=0
for unit in $units; do
    [ -f "${unit%.c}.h" ] || [ -f "${unit%.c}_private.h" ] || without=$((without + 1))
done

# shellcheck disable=SC2086
{
    printf '%-62s %s\n' 'lines of the library and the command line' "$(cat $units $headers | wc -l)"
    printf '%-62s %s\n' 'files (.c)' "$(printf '%s\n' $units | wc -l)"
    printf '%-62s %s\n' 'files (.c) without a header of their own' "$without"
}

export units headers others
# shellcheck disable=SC2016
awk -v detail="${1-}" '
function words(text, set,    list, i, n) {
    n = split(text, list, /[ \n]+/)
    for (i = 1; i <= n; i++)
        if (list[i] != "")
            set[++set[0]] = list[i]
}

# The text of a file without comments, strings and characters, line by line.
function clean(line,    out, at, rest) {
    out = ""
    for (;;) {
        if (in_comment) {
            at = index(line, "*/")
            if (!at)
                return out
            line = substr(line, at + 2)
            in_comment = 0
        }
        if (!match(line, /"([^"\\]|\\.)*"|\047([^\047\\]|\\.)*\047|\/\*|\/\//))
            return out line
        rest = substr(line, RSTART, RLENGTH)
        out = out substr(line, 1, RSTART - 1)
        line = substr(line, RSTART + RLENGTH)
        if (rest == "//")
            return out
        if (rest == "/*")
            in_comment = 1
        else
            out = out "0"
    }
}

function parameters(list,    depth, i, c, n) {
    gsub(/[ \t]/, "", list)
    if (list == "" || list == "void")
        return 0
    n = 1
    depth = 0
    for (i = 1; i <= length(list); i++) {
        c = substr(list, i, 1)
        if (c == "(")
            depth++
        else if (c == ")")
            depth--
        else if (c == "," && depth == 0)
            n++
    }
    return n
}

function folder_of(path) {
    sub(/[^\/]*$/, "", path)
    return path
}

function is_inner(path) {
    return folder_of(path) != room_of(path) "/"
}

function room_of(path) {
    sub(/\/.*/, "", path)
    return path
}

# Does the symbol begin with its module, or with the first words of the name of its module?
function has_module(symbol, path,    parts, n, i, name) {
    sub(/\.[ch]$/, "", path)
    n = split(path, parts, "/")
    for (i = n; i >= 1; i--) {
        name = parts[i]
        for (;;) {
            if (index(symbol "_", name "_") == 1)
                return 1
            if (name ~ /s$/ && index(symbol "_", substr(name, 1, length(name) - 1) "_") == 1)
                return 1
            if (name ~ /ies$/ && index(symbol "_", substr(name, 1, length(name) - 3) "y_") == 1)
                return 1
            if (i < n || name !~ /_/)
                break
            sub(/_[^_]*$/, "", name)
        }
    }
    return 0
}

# A definition: "static int *name(…" up to a line that is "{".
function end_of_head(path,    head, at, name, list) {
    head = pending
    pending = ""
    if (head ~ /[=;]/ || head !~ /\)[ \t]*$/ || head ~ /^(struct|enum|union)[ \t]+[a-z_0-9]+[ \t]*$/)
        return
    at = index(head, "(")
    name = substr(head, 1, at - 1)
    sub(/[ \t]+$/, "", name)
    if (!match(name, /[A-Za-z_][A-Za-z_0-9]*$/))
        return
    name = substr(name, RSTART)
    list = substr(head, at + 1)
    sub(/\)[ \t]*$/, "", list)
    functions[room_of(path)]++
    if (parameters(list) > 6) {
        wide++
        if (detail == "parameters")
            print path ": " name ": " parameters(list)
    }
    if (head !~ /(^|[ \t])static[ \t]/ && path ~ /\.c$/ && name != "main") {
        exported[name] = path
        if (!has_module(name, path)) {
            nameless++
            if (detail == "symbols")
                print path ": " name
        }
    }
}

function read(path, is_ours,    line, text, n, i, list, tag, target) {
    in_comment = 0
    pending = ""
    while ((getline line < path) > 0) {
        if (is_ours && line ~ /^#[ \t]*include "/) {
            target = line
            sub(/^[^"]*"/, "", target)
            sub(/".*/, "", target)
            if (room_of(target) != room_of(path) || (is_inner(target) && folder_of(target) != folder_of(path)))
                used_outside[target] = 1
        }
        if (line ~ /^[ \t]*#/) {
            if (line ~ /^#define/ && is_ours)
                count_words(line, path)
            continue
        }
        text = clean(line)
        count_words(text, path)
        if (!is_ours)
            continue
        if (text ~ /^(struct|union|enum)[ \t]+[A-Za-z_0-9]+[ \t]*\{/) {
            split(text, list, /[ \t{]+/)
            tag = list[2]
            if (tags[tag]++ && detail == "tags")
                print path ": " tag
        }
        n = gsub(/(^|[^A-Za-z_0-9])(DEBUG_)?assert[ \t]*\(/, "&", text)
        asserts[room_of(path)] += n
        if (text ~ /^\{/)
            end_of_head(path)
        else if (text ~ /^[A-Za-z_].*\(/ && text !~ /[;{}]/)
            pending = text
        else if (pending != "" && text ~ /^[ \t]/ && text !~ /[;{}]/)
            pending = pending " " text
        else
            pending = ""
    }
    close(path)
}

# How often a name stands in code and in macros; declarations in headers do not count: they begin in the
# first column, where the bodies of inline functions and of macros do not.
function count_words(text, path,    list, n, i) {
    if (path ~ /\.h$/ && path !~ /^(tests|bench)\// && text !~ /^(#define|[ \t])/)
        return
    n = split(text, list, /[^A-Za-z_0-9]+/)
    for (i = 1; i <= n; i++)
        if (list[i] ~ /^[a-z_]/)
            named[(path ~ /^(tests|bench)\// ? "test " : "ours ") list[i]]++
}

BEGIN {
    words(ENVIRON["units"], unit)
    words(ENVIRON["headers"], header)
    words(ENVIRON["others"], other)
    for (i = 1; i <= header[0]; i++)
        read(header[i], 1)
    for (i = 1; i <= unit[0]; i++)
        read(unit[i], 1)
    for (i = 1; i <= other[0]; i++)
        read(other[i], 0)
    for (tag in tags)
        repeated += tags[tag] > 1
    for (name in exported)
        if (named["ours " name] <= 1) {
            if (named["test " name]) {
                tests_only++
                if (detail == "dead")
                    print exported[name] ": " name ": tests alone"
            } else {
                dead++
                if (detail == "dead")
                    print exported[name] ": " name
            }
        }
    for (i = 1; i <= header[0]; i++)
        if (header[i] !~ /_private\.h$/) {
            doors[room_of(header[i])]++
            if (used_outside[header[i]])
                used[room_of(header[i])]++
            else if (detail == "doors")
                print header[i]
        }
    line = "%-62s %s\n"
    printf line, "functions with more than 6 parameters", wide + 0
    printf line, "tags defined more than once", repeated + 0
    printf line, "exported functions without their module\047s name", nameless + 0
    printf line, "dead functions; used by tests alone", dead + 0 "; " tests_only + 0
    for (room in functions)
        printf "%-62s %s\n", room ": functions; asserts a function; doors used from outside", \
            sprintf("%d; %.2f; %d of %d", functions[room], asserts[room] / functions[room], used[room], doors[room]) \
            | "LC_ALL=C sort"
}' </dev/null
