#!/bin/sh
# rooms [ROOT]: compares every #include with the table of rooms.
#
# A room's headers are its doors; nothing reaches round them. A header named
# _private is for its own folder and the folders below, and for the tests of its
# room. The tables below say who may use which. Also refused: a cycle between
# rooms, a .c that does not include its own header first, and, where a run must
# come out the same on any machine, floating point, clocks and foreign randomness.
set -eu
cd "${1:-.}"

# room, and the rooms (or single doors) it may use besides itself and base.
rooms='
base
sim
nemesis   sim
history
programs  history
store     sim programs history
checkers  history programs/predicate.h
verify    history
predict   history programs checkers
record    programs history
cli       base sim nemesis history programs store checkers verify predict record
bench     base sim nemesis history programs store checkers verify predict record cli tests
tests     base sim nemesis history programs store checkers verify predict record cli
'

# header of others, the rooms that may include it; "once": in one file a room.
libraries='
sodium.h              base
zstd.h                history tests
pg_query.h            programs verify tests
pg_query.pb-c.h       programs verify tests
protobuf-c.h          programs verify tests
cJSON.h               programs verify tests
z3.h            once  checkers predict
toml.h          once  cli
gvc.h                 cli
libpq-fe.h            record
mysql.h               record
unity.h               tests
'

# The rooms that are a function of scenario and seed; base is spared the
# second list, since it is where randomness comes from.
exact='base sim nemesis store programs'
exact_headers='math.h tgmath.h complex.h fenv.h float.h'
timeless='sim nemesis store programs'
timeless_calls='rand srand random time gettimeofday clock_gettime randombytes_buf randombytes_random'

# shellcheck disable=SC2046
sources=$(find $(echo "$rooms" | awk '{ print $1 }') -name '*.[ch]' 2>/dev/null | LC_ALL=C sort) || true
[ -n "$sources" ] || { echo "ok - there is no source yet"; exit 0; }

export rooms libraries sources exact exact_headers timeless timeless_calls
# shellcheck disable=SC2086
awk '

function words(text, set,    list, i, n) {
    n = split(text, list, " ")
    for (i = 1; i <= n; i++) set[list[i]] = 1
    return n
}

function room_of(path) { sub(/\/.*/, "", path); return path }
function name_of(path) { sub(/.*\//, "", path); return path }
function folder_of(path) { sub(/[^\/]*$/, "", path); return path }

function breach(text) {
    printf "%s:%d: %s\n", FILENAME, FNR, text
    breaches++
}

# The doors of a folder, for the message to one who went round them.
function doors(folder,    path, text) {
    for (path in exists)
        if (folder_of(path) == folder && path ~ /\.h$/ && path !~ /_private\.h$/)
            text = text " " path
    return text == "" ? " none yet" : text
}

function neighbours(room,    text) {
    text = may[room]
    gsub(/  +/, " ", text)
    return room " may use" (room == "base" ? " nothing of ours" : " base" text)
}

# Private headers are for their own folder, those below it, and the tests of their room.
function may_see(path,    folder) {
    folder = folder_of(path)
    return index(FILENAME, folder) == 1 || index(FILENAME, "tests/" room_of(path) "/") == 1
}

# One of ours: "room/door.h".
function judge_door(path,    its, door) {
    its = room_of(path)
    if (path ~ /_private\.h$/ && !may_see(path)) {
        door = path
        sub(/_private\.h$/, ".h", door)
        its = folder_of(path)
        breach("\"" path "\" is private to " substr(its, 1, length(its) - 1) "; " \
               (door in exists ? "its door is " door : "the doors are" doors(its)))
        return
    }
    if (its == here) return
    used[here, its] = 1
    if (its == "base" || (here, its) in allowed || (here, path) in allowed) return
    breach("\"" path "\": " neighbours(here))
}

# One of others: "toml.h", <cjson/cJSON.h>.
function judge_library(header,    name) {
    name = name_of(header)
    if (here in is_exact && name in refused_header)
        breach("<" header ">: no floating point in " here)
    if (!(name in library)) return 0
    if (!((name, here) in taker))
        breach("<" header "> is for " library[name] " only")
    else if (name in once && (name, here) in owner && owner[name, here] != FILENAME)
        breach("<" header "> is wrapped in " owner[name, here] " already: use that")
    else
        owner[name, here] = FILENAME
    return 1
}

function judge_include(line,    header, quoted) {
    sub(/^[ \t]*#[ \t]*include[ \t]*/, "", line)
    quoted = substr(line, 1, 1) == "\""
    header = substr(line, 2)
    sub(/[">].*/, "", header)

    if (first_include == "") {
        first_include = header
        if (FILENAME ~ /\.c$/ && own_header in exists && header != own_header)
            breach("a .c includes its own header first: \"" own_header "\"")
    }
    # A door may bear the name of the library behind it.
    if (quoted && header ~ /\// && room_of(header) in is_room) {
        judge_door(header)
        return
    }
    if (!judge_library(header) && quoted)
        breach("\"" header "\" is in no room: name the path from the root, as in \"" \
               here "/" name_of(header) "\"")
}

# The line without comments and without what stands between quotes.
function code_of(line,    code, at, mark, rest) {
    code = ""
    while (line != "") {
        if (in_comment) {
            at = index(line, "*/")
            if (!at) return code
            line = substr(line, at + 2)
            in_comment = 0
            code = code " "
            continue
        }
        if (!match(line, /\/\*|\/\/|"|\047/)) return code line
        mark = substr(line, RSTART, RLENGTH)
        code = code substr(line, 1, RSTART - 1)
        rest = substr(line, RSTART + RLENGTH)
        if (mark == "//") return code
        if (mark == "/*") { in_comment = 1; line = rest; continue }
        if (mark == "\"") { if (!match(rest, /^([^"\\]|\\.)*"/)) return code }
        else if (!match(rest, /^([^\047\\]|\\.)*\047/)) return code
        line = substr(rest, RLENGTH + 1)
        code = code "_"
    }
    return code
}

function judge_code(code,    call) {
    if (here in is_exact && match(code, /(^|[^A-Za-z0-9_])(float|double)([^A-Za-z0-9_]|$)/))
        breach("no floating point in " here)
    if (here in is_timeless)
        for (call in refused_call)
            if (code ~ ("(^|[^A-Za-z0-9_.>])" call "[ \t]*\\("))
                breach(call "(): " here " knows virtual time and forked randomness only")
}

# Takes away, again and again, each room that uses none still standing, or that
# none still standing uses. What remains goes round in circles.
function judge_cycles(    pair, part, standing, uses, is_used, room, taken, names) {
    for (room in is_room) standing[room] = 1
    do {
        taken = 0
        for (room in is_room) {
            if (!(room in standing)) continue
            uses = is_used = 0
            for (pair in used) {
                split(pair, part, SUBSEP)
                if (part[1] == room && part[2] in standing) uses = 1
                if (part[2] == room && part[1] in standing) is_used = 1
            }
            if (!uses || !is_used) { delete standing[room]; taken = 1 }
        }
    } while (taken)
    for (room in standing) names = names " " room
    if (names != "") { print "a cycle among the rooms:" names; breaches++ }
}

BEGIN {
    n = split(ENVIRON["rooms"], line, "\n")
    for (i = 1; i <= n; i++) {
        m = split(line[i], field, " ")
        if (!m) continue
        is_room[field[1]] = 1
        for (j = 2; j <= m; j++) {
            allowed[field[1], field[j]] = 1
            if (field[j] != "base") may[field[1]] = may[field[1]] " " field[j]
        }
    }
    n = split(ENVIRON["libraries"], line, "\n")
    for (i = 1; i <= n; i++) {
        m = split(line[i], field, " ")
        for (j = 2; j <= m; j++) {
            if (field[j] == "once") { once[field[1]] = 1; continue }
            taker[field[1], field[j]] = 1
            library[field[1]] = library[field[1]] (library[field[1]] == "" ? "" : ", ") field[j]
        }
    }
    words(ENVIRON["exact"], is_exact)
    words(ENVIRON["exact_headers"], refused_header)
    words(ENVIRON["timeless"], is_timeless)
    words(ENVIRON["timeless_calls"], refused_call)
    files = split(ENVIRON["sources"], line, "\n")
    for (i = 1; i <= files; i++) exists[line[i]] = 1
}

FNR == 1 {
    here = room_of(FILENAME)
    own_header = FILENAME
    sub(/\.c$/, ".h", own_header)
    first_include = ""
    in_comment = 0
}

/^[ \t]*#[ \t]*include[ \t]*["<]/ && !in_comment { judge_include($0); next }
here in is_exact { judge_code(code_of($0)) }

END {
    judge_cycles()
    if (breaches) printf "not ok - %d breaches of the table of rooms\n", breaches
    else printf "ok - %d files include only what the table of rooms allows\n", files
    exit breaches > 0
}' $sources
