#!/bin/sh
# coverage FOLDER TEST...: runs the tests of the coverage build in FOLDER and
# prints how many lines of each file they reach, by room.
set -u

folder=$1
shift
find "$folder/obj" -name '*.gcda' -delete
tools/run-tests.sh "$@" | tail -n 1

find "$folder/obj" -name '*.gcda' ! -path '*/obj/tests/*' | sort |
    xargs -r -n 1 gcov -n 2>/dev/null | awk -v q="'" '
    /^File / { split($0, part, q); file = part[2] }
    /^Lines executed:/ && file ~ /^[a-z].*\.c$/ {
        split($0, part, /[:% ]+/) # Lines executed:93.33% of 45
        lines = part[5]
        room = file
        sub(/\/.*/, "", room)
        if (!(room in all)) order[++rooms] = room
        all[room] += lines
        reached[room] += lines * part[3] / 100
        files[room] = files[room] sprintf("    %6.1f%%  %5d  %s\n", part[3], lines, file)
        file = ""
    }
    END {
        for (i = 1; i <= rooms; i++) {
            room = order[i]
            printf "  %6.1f%%  %6d  %s/\n%s", 100 * reached[room] / all[room], all[room], room,
                files[room]
            total += all[room]
            total_reached += reached[room]
        }
        if (total) printf "  %6.1f%%  %6d  lines in all\n", 100 * total_reached / total, total
    }'
