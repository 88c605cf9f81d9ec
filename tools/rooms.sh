#!/bin/sh
# rooms [ROOT]: compares every #include with the table of rooms.
#
# A room's headers are its doors; nothing reaches round them. A header named
# _private is for its own folder and the folders below, and for the tests of its
# room. The tables below say who may use which, for rooms and for folders inside
# them. Also refused: a cycle between rooms or between folders, a .c that does not
# include its own header first, and, where a run must come out the same on any
# machine, floating point, clocks and foreign randomness.
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
smt
checkers  history programs/machine/predicates.h smt
verify    history
audit   history programs checkers smt
predict   history programs checkers smt
record    programs history
trial     sim nemesis history programs store checkers verify audit predict record
cli       base sim nemesis history programs store checkers verify audit predict record trial
bench     base sim nemesis history programs store checkers verify audit predict record trial cli tests
tests     base sim nemesis history programs store smt checkers verify audit predict record trial cli
'

# A folder inside a room. It may include its own files, the files that stand in the
# room itself, and after "uses" the folders beside it. Its doors: after "doors"
# those for every room that may use this room, after "inside" those for the rest of
# the room. All its other headers are private to it, and named so: x_private.h. What
# an inner folder opens to the whole room stands in the row of the outer folder, too.
# A row goes on in the next line if that is indented. A folder without a row has no
# walls but its private headers; its other headers are for the folder around it.
folders='
history/io
    doors json_lines.h sink.h source.h
history/jsonl               uses io
    doors excerpt.h jsonl_read.h jsonl_write.h
history/binary              uses io
    doors oh.h
history/foreign             uses io
    doors foreign.h
programs/values
    inside aggregate.h heap.h numeric.h sql_error.h type.h    doors datum.h operator.h operator_evaluate.h
programs/sql                uses values
    inside analyze.h analyze_build.h analyze_expression.h    doors access.h schema.h tree.h
programs/plpgsql            uses sql values
programs/machine            uses sql values
    doors condition.h engine.h machine.h predicates.h program.h row_index.h row_cells.h row_indexes.h row_keys.h
    doors final_state.h sequences.h
programs/workloads          uses values machine
    doors builtin.h calls.h listed.h workload.h zipf.h    inside key_distribution.h mix.h
programs/generator          uses workloads
    doors generate.h plant.h
checkers/graph              uses proof
    inside barriers.h cycles.h graph.h level_graph.h places.h projection.h
checkers/proof
    inside proof.h witness.h    doors tell.h
checkers/rows
    inside answers.h keys.h matcher.h rows.h
checkers/values             uses graph proof rows
    inside appends.h contents.h suspects.h values.h writers.h wrong_answer.h
checkers/search             uses graph proof rows values
    inside explain.h hints.h looks.h minimal_core.h prefix_encoding.h
           polygraph/distill_part.h
    doors solver/search.h
checkers/search/solver
    doors search.h    inside smt_search.h
checkers/search/polygraph   uses solver
    inside distill.h distill_part.h fixed_order.h pairs.h polygraph.h saturate.h steps.h
checkers/search/refuter     uses polygraph
    inside refute.h
checkers/order              uses graph proof rows values
    inside order.h
checkers/certificate        uses graph proof rows values
    inside certificate.h
checkers/blackbox           uses proof search
    inside blackbox.h
checkers/weak               uses graph proof search values
checkers/infer              uses graph proof rows search values
    inside infer.h workloads/workloads.h
checkers/infer/lists        uses infer
    inside lists.h lists_edges.h
checkers/infer/registers    uses infer
    inside registers.h registers_edges.h
checkers/infer/predicates   uses infer registers
    inside predicates.h
checkers/infer/models
    inside models.h
checkers/infer/orders       uses infer lists models predicates registers
    inside graph.h
checkers/infer/linear
    inside linear.h
checkers/infer/workloads    uses models
    inside workloads.h
checkers/interval           uses proof rows
    inside interval.h    doors profile.h interval_model.h online/watcher.h
audit/programs
    inside influence.h open_order.h quiet_numbers.h used_columns.h
audit/z3
    inside by_z3.h
predict/z3
    doors z3.h
verify/witness
    inside steps.h witness.h workings.h
verify/calls
    inside audit.h
verify/sql
    inside query.h
verify/versions             uses sql witness
    inside answer.h versions.h
verify/values               uses sql versions witness
    inside inferred.h sources.h workload.h
verify/instants             uses sql versions witness
    inside instant_order.h instant_proof.h instants.h
verify/invalid              uses instants sql values versions witness
    inside anomaly.h
verify/valid                uses sql values versions witness
    inside valid.h
predict/director
    doors choices.h directed.h director.h
verify/prediction           uses sql witness
    inside prediction.h
predict/explore             uses director
    doors explore.h
trial/scenario
    doors scenario.h profile_file.h    inside latency.h
trial/run                   uses scenario
    doors call_audit.h run.h record_trial.h simulation.h jury.h signature.h
    doors director_trial.h   inside outcome.h
trial/sweep                 uses scenario run
    doors sweep.h tally.h    inside plan.h workers.h sweep_work.h
trial/bisect                uses scenario run sweep
    doors bisect.h shrink.h
trial/prove                 uses scenario run sweep
    doors prove.h matrix.h mutations.h
trial/explore               uses scenario run sweep
    doors histories.h schedules.h
'

# header of others, the rooms that may include it; "once": in one file a room.
libraries='
sodium.h              base
zstd.h                history tests
pg_query.h            programs verify tests
pg_query.pb-c.h       programs verify tests
protobuf-c.h          programs verify tests
cJSON.h               programs verify record tests
z3.h            once  smt
toml.h          once  trial
gvc.h                 cli
libpq-fe.h            record tests
mysql.h               record
curl.h          once  record
unity.h               tests
'

# The rooms that are a function of scenario and seed; base is spared the
# second list, since it is where randomness comes from.
exact='base sim nemesis store programs'
exact_headers='math.h tgmath.h complex.h fenv.h float.h'
timeless='sim nemesis store programs'
timeless_calls='rand srand random time gettimeofday clock_gettime wall_clock_ns randombytes_buf randombytes_random'

# shellcheck disable=SC2046
sources=$(find $(echo "$rooms" | awk '{ print $1 }') -name '*.[ch]' 2>/dev/null | LC_ALL=C sort) || true
[ -n "$sources" ] || { echo "ok - there is no source yet"; exit 0; }

export rooms folders libraries sources exact exact_headers timeless timeless_calls
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

# The folder with a row that holds the path, or the next one outside `folder`.
function walls_of(path) {
    while (sub(/\/[^\/]*$/, "", path))
        if (path in has_walls) return path
    return ""
}

function is_in(path, folder) { return index(path, folder "/") == 1 }

# Whether the header is a door of the folder for the file at hand.
function is_open(folder, header,    its) {
    its = room_of(folder)
    if ((folder, header) in door_for_all) return 1
    return here == its && (folder, header) in door_inside
}

function folder_doors(folder,    list, n, i, text) {
    n = split(doors_of[folder], list, " ")
    for (i = 1; i <= n; i++)
        if (is_open(folder, list[i])) text = text " " folder "/" list[i]
    if (text != "") return "its doors for " here " are" text
    return "it has no door for " here
}

# Past the walls of the folders that hold the header but not the file at hand. The tests of
# a room see all of it. Returns whether each wall has a door for it.
function judge_walls(path,    folder) {
    if (index(FILENAME, "tests/" room_of(path) "/") == 1) return 1
    for (folder = walls_of(path); folder != "" && !is_in(FILENAME, folder); \
         folder = walls_of(folder)) {
        if (!is_open(folder, substr(path, length(folder) + 2))) {
            breach("\"" path "\" is private to " folder "; " folder_doors(folder))
            return 0
        }
    }
    return 1
}

# From a folder with a row to another folder of the same room, or from the files that stand
# in a folder to a folder within it.
function judge_neighbours(path,    folder, outer, rest, to) {
    for (folder = walls_of(FILENAME); folder != "" && !is_in(path, folder); \
         folder = walls_of(folder)) {
        outer = folder
        sub(/\/[^\/]*$/, "", outer)
        if (!is_in(path, outer)) continue
        rest = substr(path, length(outer) + 2)
        if (rest !~ /\//) {
            if (!(outer in is_room) && !((folder, name_of(outer)) in folder_uses))
                breach("\"" path "\": " folder " may use" \
                       (uses_of[folder] == "" ? " no folder beside it" : uses_of[folder]))
            return
        }
        sub(/\/.*/, "", rest)
        to = outer "/" rest
        folder_used[folder, to] = 1
        if (!((folder, name_of(to)) in folder_uses))
            breach("\"" path "\": " folder " may use" \
                   (uses_of[folder] == "" ? " no folder beside it" : uses_of[folder]))
        return
    }
    outer = walls_of(FILENAME)
    if (outer != "" && outer == folder && is_in(path, outer)) {
        rest = substr(path, length(outer) + 2)
        if (sub(/\/.*/, "", rest) && FILENAME !~ ("^" outer "/.*/"))
            folder_used[outer, outer "/" rest] = 1
    }
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
    if (!judge_walls(path)) return
    if (its == here) {
        judge_neighbours(path)
        return
    }
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
        if (FILENAME ~ /\.c$/ && !(own_header in exists) && walls_of(FILENAME) != "")
            sub(/\.h$/, "_private.h", own_header)
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

# Takes away, again and again, each of the set that uses none still standing, or that
# none still standing uses. What remains goes round in circles.
function judge_cycles(set, uses_each, what,    pair, part, standing, uses, is_used, name, taken, names) {
    for (name in set) standing[name] = 1
    do {
        taken = 0
        for (name in set) {
            if (!(name in standing)) continue
            uses = is_used = 0
            for (pair in uses_each) {
                split(pair, part, SUBSEP)
                if (part[1] == name && part[2] in standing) uses = 1
                if (part[2] == name && part[1] in standing) is_used = 1
            }
            if (!uses || !is_used) { delete standing[name]; taken = 1 }
        }
    } while (taken)
    for (name in standing) names = names " " name
    if (names != "") { print "a cycle among the " what ":" names; breaches++ }
}

# What the table of folders says must be so: doors are there, and all else is named private.
function judge_folders(    pair, part, path, folder) {
    for (pair in listed) {
        split(pair, part, SUBSEP)
        path = part[1] "/" part[2]
        if (!is_there[part[1]] || path in exists) continue
        print "the table of folders names a door that is not there: " path
        breaches++
    }
    for (path in exists) {
        folder = walls_of(path)
        if (path !~ /\.h$/ || path ~ /_private\.h$/ || folder == "") continue
        if ((folder, substr(path, length(folder) + 2)) in listed) continue
        if (folder_of(path) != folder "/") continue
        print path ": no door of " folder ": name it " substr(path, 1, length(path) - 2) \
              "_private.h, or list it in tools/rooms.sh"
        breaches++
    }
}

function read_folders(text,    line, n, i, field, m, j, folder, kind) {
    n = split(text, line, "\n")
    for (i = 1; i <= n; i++) {
        m = split(line[i], field, " ")
        if (!m) continue
        j = 1
        if (line[i] !~ /^[ \t]/) {
            folder = field[j++]
            has_walls[folder] = 1
        }
        kind = ""
        for (; j <= m; j++) {
            if (field[j] ~ /^(uses|inside|doors)$/) { kind = field[j]; continue }
            if (kind == "uses") {
                folder_uses[folder, field[j]] = 1
                uses_of[folder] = uses_of[folder] " " field[j]
                continue
            }
            if (kind == "doors") door_for_all[folder, field[j]] = 1
            door_inside[folder, field[j]] = 1
            if (!((folder, field[j]) in listed)) doors_of[folder] = doors_of[folder] " " field[j]
            listed[folder, field[j]] = 1
        }
    }
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
    read_folders(ENVIRON["folders"])
    words(ENVIRON["exact"], is_exact)
    words(ENVIRON["exact_headers"], refused_header)
    words(ENVIRON["timeless"], is_timeless)
    words(ENVIRON["timeless_calls"], refused_call)
    files = split(ENVIRON["sources"], line, "\n")
    for (i = 1; i <= files; i++) {
        exists[line[i]] = 1
        if ((folder = walls_of(line[i])) != "") is_there[folder] = 1
    }
    judge_folders()
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
    judge_cycles(is_room, used, "rooms")
    judge_cycles(has_walls, folder_used, "folders")
    if (breaches) printf "not ok - %d breaches of the table of rooms\n", breaches
    else printf "ok - %d files include only what the table of rooms allows\n", files
    exit breaches > 0
}' $sources
