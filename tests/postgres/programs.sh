#!/bin/sh
# programs.sh FOLDER: the programs in scenarios/programs, here and in PostgreSQL.
#
# Each is loaded, unchanged, into a database of its own and into the engine of
# FOLDER/machine/test_engine, and gets the same calls (calls.awk); CALLS says how many.
set -eu
cd "$(dirname "$0")/../.."
ours=$1/machine/test_engine
. tests/postgres/server
. tests/postgres/compare

for file in scenarios/programs/*.sql; do
    awk -f tests/postgres/calls.awk -v count="${CALLS:-2000}" -v seed="${SEED:-1}" \
        "$file" >"$work/calls"
    compare "$(basename "$file" .sql)" "$file" "$work/calls"
done
