#!/bin/sh
# operators.sh FOLDER [--golden]: asks PostgreSQL and us the same.
#
# Some hundred thousand expressions (operators.awk) go to a PostgreSQL of its
# own, in a temporary directory and behind a unix socket, and to test_operator in the
# folder given; types, values, SQLSTATEs and messages must be the same. We may refuse,
# and say so: as not supported, as more than 38 digits, or as a timestamp in
# another form than ours, if that is an error there, too. --golden writes
# tests/programs/values/operators.txt anew: a sample of them, as PostgreSQL answered.
set -eu
cd "$(dirname "$0")/../.."

ours=$1/values/test_operator
golden=${2:-}
. tests/postgres/server

awk -f tests/postgres/operators.awk >"$work/lines"
"$ours" --answer <"$work/lines" >"$work/ours"
{
    cat tests/postgres/answer.sql
    echo 'SET client_min_messages = warning;'
    echo 'CREATE TEMPORARY TABLE asked (number bigserial, line text);'
    printf '%s\n' "\\copy asked (line) FROM '$work/lines'"
    printf '%s\n' "\\copy (SELECT line, pg_temp.answer(line) FROM asked ORDER BY number) TO '$work/theirs'"
} | "$bin/psql" -qAtX -v ON_ERROR_STOP=1

# Side by side: line, our answer, line, their answer.
paste "$work/ours" "$work/theirs" >"$work/both"
awk -F '\t' -v golden="$golden" -v file=tests/programs/values/operators.txt '
    function is_refused(answer, theirs) {
        return answer ~ /^0A000 / || answer ~ /^22003 .*more than 38 digits/ ||
            (answer ~ /^22007 / && theirs ~ /^2200[789] /)
    }
    $1 != $3 { print "not ok - lines stay in order: " $1; exit }
    $2 == $4 {
        same++
        if (golden && same % 389 == 0) print $1 "\t" $4 >file
        next
    }
    is_refused($2, $4) { refused++; next }
    ++different <= 20 { print "    " $1 ": " $2 ", but PostgreSQL: " $4 }
    END {
        ok = same > 100000 && !different
        print (ok ? "ok" : "not ok") " - PostgreSQL says the same: " same " of " NR \
            ", " refused + 0 " refused here, " different + 0 " different"
        exit !ok
    }' "$work/both"
