#!/bin/sh
# The judge of includes, itself judged: each breach in a tree of its own.
set -u

rooms=$PWD/tools/rooms.sh
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

# Every door in the table of folders, as FOLDER/DOOR.
listed_doors() {
    sed -n "/^folders='/,/^'/p" "$rooms" | awk '
        /^[^ \t\047]/ && $1 !~ /^folders=/ { folder = $1; kind = "" }
        { for (i = 1; i <= NF; i++)
              if ($i ~ /^(uses|inside|doors)$/) kind = $i
              else if (kind ~ /inside|doors/ && $i ~ /\.h$/) print folder "/" $i }'
}
doors=$(listed_doors)

put() { # file, its text, as printf has it
    [ -d "$tree/${1%/*}" ] || mkdir -p "$tree/${1%/*}"
    # shellcheck disable=SC2059
    printf "$2" >"$tree/$1" || exit 1
}

fresh_tree() {
    rm -rf "${tree:?}"/*
    put base/arena.h 'struct arena;\n'
    put base/arena.c '#include "base/arena.h"\n\n#include <stdlib.h>\n'
    put sim/queue.h '#include "base/arena.h"\n'
    put sim/queue_private.h '#include "sim/queue.h"\n'
    put checkers/graph/edges_private.h 'int edges;\n'
    for door in $doors; do
        put "$door" 'int door;\n'
    done
    put programs/machine/predicates.h 'int random_of(int);\n'
    put store/store.h '#include "programs/machine/predicates.h"\n'
}

report() { # the line that says how the test went
    if [ "$1" -eq 0 ]; then echo "ok - $2"; else
        echo "not ok - $2; rooms.sh said:"
        printf '%s\n' "$said" | sed 's/^/    /'
    fi
}

accepts() { # sentence, file, its text
    fresh_tree
    put "$2" "$3"
    said=$("$rooms" "$tree" 2>&1)
    report $? "$1"
}

is_refused() { # sentence, what must be said, as grep or, with -F before it, as it is
    sentence=$1
    shift
    said=$("$rooms" "$tree" 2>&1) && { report 1 "$sentence"; return; }
    printf '%s\n' "$said" | grep -q "$@"
    report $? "$sentence"
}

refuses() { # sentence, file, its text, what must be said
    fresh_tree
    put "$2" "$3"
    is_refused "$1" -F -e "$4"
}

accepts "a tree that keeps to the table passes" \
    store/run.c '#include "sim/queue.h"\n#include "programs/machine/predicates.h"\n'
accepts "a protocol sees the doors of its own room" \
    store/protocols/mvto.c '#include "store/store.h"\n'
accepts "a room sees its own private header" \
    sim/queue.c '#include "sim/queue.h"\n#include "sim/queue_private.h"\n'
accepts "the predicates are a door for checkers" \
    checkers/checker.c '#include "programs/machine/predicates.h"\n'
accepts "a door may bear the name of the library that it wraps" \
    tests/test_z3.c '#include "sim/queue.h"\n#include "checkers/z3.h"\n'
accepts "floating point in comments, strings and names is nobody's business" \
    sim/net.c '/* a double\n float */ // double\nconst char *s = "float \\" double";\nint c = \x27"\x27, double_check;\n'
accepts "a call through a member may be called time" \
    sim/net.c 'int f(struct s *s) { return s->time() + runtime(1); }\n'
accepts "cli may read the clock and count in doubles" \
    cli/progress.c '#include <math.h>\ndouble now(void) { return time(0); }\n'

refuses "checkers do not see sim" \
    checkers/checker.c '\n#include "sim/queue.h"\n' \
    'checkers/checker.c:2: "sim/queue.h": checkers may use base history programs/machine/predicates.h'
refuses "checkers see nothing of programs but predicates" \
    checkers/checker.c '#include "programs/bytecode.h"\n' '"programs/bytecode.h": checkers may use'
refuses "base sees nothing of ours" \
    base/error.c '#include "sim/queue.h"\n' 'base may use nothing of ours'
refuses "nobody sees cli" \
    store/run.c '#include "trial/scenario/scenario.h"\n' 'store may use base sim programs history'
refuses "a private header is private, and its door is named" \
    store/run.c '#include "sim/queue_private.h"\n' \
    '"sim/queue_private.h" is private to sim; its door is sim/queue.h'
accepts "a folder below sees the private headers of its room" \
    sim/disk/pages.c '#include "sim/queue_private.h"\n'
accepts "the tests of a room see its private headers" \
    tests/sim/test_queue.c '#include "sim/queue_private.h"\n'

refuses "a private header of a folder is private to it" \
    sim/net.c '#include "sim/disk/pages_private.h"\n' \
    '"sim/disk/pages_private.h" is private to sim/disk; the doors are none yet'
refuses "tests keep out of the private headers of other rooms" \
    tests/store/test_run.c '#include "sim/queue_private.h"\n' 'is private to sim'
refuses "an include names its room" \
    sim/net.c '#include "queue.h"\n' 'as in "sim/queue.h"'
refuses "a .c includes its own header first" \
    sim/queue.c '#include "base/arena.h"\n#include "sim/queue.h"\n' \
    'a .c includes its own header first: "sim/queue.h"'
refuses "trial does not see cli" \
    trial/run.c '#include "cli/output.h"\n' '"cli/output.h": trial may use'
refuses "toml.h is for trial" \
    sim/net.c '#include <toml.h>\n' '<toml.h> is for trial only'
refuses "libsodium is for base" \
    sim/net.c '#include <sodium.h>\n' '<sodium.h> is for base only'
refuses "floating point has no place in sim" \
    sim/net.c 'static double latency;\n' 'sim/net.c:1: no floating point in sim'
refuses "floating point is seen after a comment that ends on its line" \
    sim/net.c '/* a\n b */ float x;\n' 'sim/net.c:2: no floating point in sim'
refuses "math.h has no place in programs" \
    programs/generator/generate.c '#include <math.h>\n' '<math.h>: no floating point in programs'
refuses "the wall clock has no place in the store" \
    store/run.c 'long t(void) { return time(0); }\n' 'time(): store knows virtual time'
refuses "rand has no place in nemesis" \
    nemesis/swarm.c 'int f(void) { return 1 + rand (); }\n' 'rand(): nemesis knows'

fresh_tree
for file in scenario report; do put trial/$file.c '#include <toml.h>\n'; done
is_refused "one file of trial wraps toml.h" -F '<toml.h> is wrapped in trial/report.c already'

fresh_tree
put sim/clock.c '#include "store/store.h"\n'
put store/run.c '#include "sim/queue.h"\n'
is_refused "a cycle between two rooms is named" 'a cycle among the rooms:.* sim'

# Folders: a door for each kind of visitor, and a private header.
accepts "a folder uses the doors of the folders in its row, and what is its own" \
    checkers/order/order.c '#include "checkers/order/order.h"\n#include "checkers/graph/graph.h"\n'
accepts "files of the room itself may use every folder's doors" \
    checkers/checker.c '#include "checkers/graph/graph.h"\n#include "checkers/proof/proof.h"\n'
accepts "another room sees the doors for every room" \
    cli/story.c '#include "checkers/proof/tell.h"\n'
accepts "the tests of a room see all its folders" \
    tests/checkers/order/test_order.c '#include "checkers/order/order.h"\n#include "checkers/search/solver/anneal_private.h"\n'

refuses "a private header of a folder is private, and the doors are named" \
    checkers/order/order.c '#include "checkers/order/order.h"\n#include "checkers/graph/edges_private.h"\n' \
    'private to checkers/graph; the doors are checkers/graph/'
refuses "the room itself keeps out of a folder's private headers" \
    checkers/checker.c '#include "checkers/graph/edges_private.h"\n' \
    '"checkers/graph/edges_private.h" is private to checkers/graph'
refuses "no checker includes another" \
    checkers/weak/weak.c '#include "checkers/order/order.h"\n' \
    '"checkers/order/order.h": checkers/weak may use graph proof search values'
refuses "a folder uses the folders in its row alone" \
    checkers/proof/proof.c '#include "checkers/proof/proof.h"\n#include "checkers/graph/graph.h"\n' \
    '"checkers/graph/graph.h": checkers/proof may use no folder beside it'
refuses "another room does not see what is for the inside" \
    cli/check.c '#include "checkers/proof/proof.h"\n' \
    'private to checkers/proof; its doors for cli are checkers/proof/tell.h'
refuses "tests of another room see the doors for every room alone" \
    tests/verify/test_order.c '#include "checkers/order/order.h"\n' \
    '"checkers/order/order.h" is private to checkers/order'
refuses "a checker does not reach past a folder into one within it" \
    checkers/weak/weak.c '#include "checkers/search/solver/smt_search.h"\n' \
    '"checkers/search/solver/smt_search.h" is private to checkers/search'
refuses "an inner folder uses only the inner folders in its row" \
    checkers/search/polygraph/pairs.c '#include "checkers/search/refuter/refute.h"\n' \
    'checkers/search/polygraph may use solver'
refuses "a header that is no door must be named private" \
    checkers/graph/index.h 'int index;\n' \
    'checkers/graph/index.h: no door of checkers/graph: name it checkers/graph/index_private.h'

fresh_tree
rm "$tree/checkers/graph/graph.h"
is_refused "a door in the table must exist" -F 'a door that is not there: checkers/graph/graph.h'

fresh_tree
put checkers/proof/proof.c '#include "checkers/graph/graph.h"\n'
put checkers/graph/index.c '#include "checkers/proof/proof.h"\n'
is_refused "a cycle between two folders is named" 'a cycle among the folders:.* checkers/graph'
