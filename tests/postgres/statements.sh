#!/bin/sh
# statements.sh FOLDER: generated statements, here and in PostgreSQL.
#
# ROUNDS programs of 250 functions, each with a statement or two
# (statements.awk), get thousands of calls, in the engine of FOLDER/machine/test_engine
# and in a PostgreSQL. SEED is the first program's. Numbers stay small: of the rows
# and conjuncts that could overflow, PostgreSQL evaluates those it likes.
set -eu
cd "$(dirname "$0")/../.."
ours=$1/machine/test_engine
. tests/postgres/server
. tests/postgres/compare

seed=${SEED:-1}
last=$((seed + ${ROUNDS:-10} - 1))
while [ "$seed" -le "$last" ]; do
    awk -f tests/postgres/statements.awk -v count=250 -v seed="$seed" >"$work/statements.sql"
    awk -f tests/postgres/calls.awk -v count=2500 -v seed="$seed" -v odd='0 -1 32768 -7' \
        "$work/statements.sql" >"$work/calls"
    compare "statements_$seed" "$work/statements.sql" "$work/calls"
    seed=$((seed + 1))
done
