#!/bin/sh
# recorded.sh FOLDER: calls that `ordeal record --program` recorded in PostgreSQL, again in our engine.
#
# One client, so that calls follow each other. They are drawn as the comments of the program say, and every
# answer and SQLSTATE must be the engine's of FOLDER/machine/test_engine. PROGRAMS lists others.
set -eu
cd "$(dirname "$0")/../.."
: "${ORDEAL:?names the program to test}"
ours=$1/machine/test_engine
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if ! ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1; then
    case " ${REQUIRED:-} " in *" postgres "*) echo "not ok - PostgreSQL is installed"; exit 1 ;; esac
    echo "PostgreSQL is not installed: nothing is compared"
    echo "1 Tests 0 Failures 1 Ignored"
    exit 0
fi

# The calls of a program, as its comments have them, with numbers for its sizes: --call arguments, one a line.
calls_of() {
    awk '
        /^-- sizes:/ {
            sub(/^-- sizes: */, "")
            count = split($0, parts, ", ")
            for (i = 1; i <= count; i++) {
                split(parts[i], side, " = ")
                split(side[2], factor, " [*] ")
                size[side[1]] = factor[1] # the scale is 1
            }
            next
        }
        /^-- arguments:/ { sub(/^-- arguments: */, ""); call[++calls] = $0; continues = 1; next }
        continues && /^--   / { sub(/^-- */, ""); call[calls] = call[calls] " " $0; next }
        { continues = 0 }
        END {
            for (i = 1; i <= calls; i++) {
                for (name in size)
                    while (match(call[i], "[^A-Za-z_]" name "[^A-Za-z_]"))
                        call[i] = substr(call[i], 1, RSTART) size[name] substr(call[i], RSTART + RLENGTH - 1)
                print call[i]
            }
        }' "$1"
}

# "balance('7')<tab>1000.00" for each line of the log behind the first; of what failed the SQLSTATE.
answers_of() {
    sed -n '2,$p' "$1" | sed -E \
        -e "s/^.*\"call\":\"([a-z_0-9]*)\",\"arguments\":\[([^]]*)\],/\1(\2)\t/" \
        -e 's/"answers":\[\{"rows":\[\]\}\].*/""/' -e 's/"answers":\[\{"rows":\[\[null\]\]\}\].*/"<NULL>"/' \
        -e 's/"answers":\[\{"rows":\[\[(".*")\]\]\}\],"status".*/\1/' -e 's/"error":("[0-9A-Z]{5}").*/\1/' |
        awk -F '\t' -v OFS='\t' '{ gsub(/"/, "'"'"'", $1); gsub(/^"|"$/, "", $2); gsub(/\\"/, "\"", $2); print }'
}

for name in ${PROGRAMS:-bank smallbank tatp}; do
    file=scenarios/programs/$name.sql
    set -- record postgres --program "$file" --load 'load(1)' --clients 1 --transactions 300 --seed 7 \
        --out "$work/$name" --json
    calls_of "$file" >"$work/calls"
    while read -r call; do set -- "$@" --call "$call"; done <"$work/calls"
    "$ORDEAL" "$@" >"$work/out" 2>&1 </dev/null || [ $? -eq 3 ] || {
        cat "$work/out"
        echo "not ok - $name is recorded"
        exit 1
    }
    answers_of "$work/$name/audit.jsonl" >"$work/theirs"
    { echo 'load(1)'; cut -f 1 "$work/theirs"; } >"$work/asked"
    "$ours" --answer "$file" <"$work/asked" | sed -n '2,$p' | head -n "$(wc -l <"$work/theirs")" >"$work/ours"
    paste "$work/theirs" "$work/ours" | awk -F '\t' -v name="$name" '
        $1 != $3 || ($2 != $4 && (length($2) != 5 || substr($4, 1, 6) != $2 " ")) {
            if (++different <= 5) print "    " $0
        }
        $2 ~ /^[0-9A-Z]{5}$/ { errors++ }
        END {
            ok = NR == 300 && !different
            print (ok ? "ok" : "not ok") " - " name ": " NR " recorded calls, " errors + 0 \
                " of which failed, say the same in our engine; " different + 0 " do not"
            exit !ok
        }'
done
