#!/bin/sh
# program: what a file of SQL says, what its functions do, and how it is refused.
. "$(dirname "$0")/helpers"

programs=$root/scenarios/programs

for file in "$programs"/*.sql; do
    name=${file##*/}
    run 0 program "$file" --json
    check "$name: the JSON is one line" test "$(wc -l <out)" -eq 1
    if command -v python3 >/dev/null; then
        check "$name: tables and functions have what they should" python3 -c '
import json, sys
program = json.load(open(sys.argv[1]))
tables = {table["name"]: table for table in program["tables"]}
assert tables and all(table["columns"] for table in tables.values())
names = {t: [column["name"] for column in table["columns"]] for t, table in tables.items()}
assert [t for t in tables if not tables[t]["key"]] in ([], ["messages"])
assert all(set(table["key"]) <= set(names[t]) for t, table in tables.items())
assert program["functions"]
for function in program["functions"]:
    for access in function["access"]:
        assert access["operations"]
        assert set(access["reads"] + access["writes"]) <= set(names[access["table"]])
    if function["name"].startswith("invariant_"):
        assert not any(access["writes"] for access in function["access"])' out
    fi
done

run 0 program "$programs/bank.sql"
check "a table is listed with its columns" says out "    balance numeric(12,2) not null"
check "and its key" says out "    primary key (acc_id)"
check "a function is listed with its parameters" \
    says out "function transfer(p_src bigint, p_tgt bigint, p_amt numeric) returns void"
check "and with what the functions that it calls do" says out "    reads, updates accounts"

run 0 program "$programs/bank.sql" --call 'load(1)' --call 'transfer(1, 2, 10)' \
    --call 'balance(1)'
check "a call prints its result" says out "  returned 990.00"
check "and the row it wrote" says out "        = 1 | 990.00 | 0.00"
check "calls are printed without the list" sh -c '! grep -q "^table" out'

run 1 program "$programs/bank.sql" --call 'load(1)' --call 'withdraw(1, 5000)'
check "a call that fails says where, with its SQLSTATE" grep -Eqx \
    '  failed in line [0-9]+: ERROR P0001: account 1 has too little for 5000' out
run 1 program "$programs/bank.sql" --call 'withdraw(1, 5)' --json
check "in JSON too" mentions out '"sqlstate":"P0001","message":"no account 1"'

run 2 program "$programs/bank.sql" --call 'no_such(1)'
check "a call of nothing is refused" \
    says err "ordeal: call no_such(1): function no_such(integer) does not exist"
run 2 program "$programs/bank.sql" --call 'deposit(1'
check "a call that cannot be parsed is refused" mentions err "call deposit(1: syntax error"
run 2 program "$programs/bank.sql" --call 'deposit(1, 2, 3)'
check "so is one with too many arguments" \
    mentions err "function deposit(integer, integer, integer) does not exist"

printf 'CREATE TABLE t (\n    id bigint PRIMARY KEY,\n    x real\n);\n' >real.sql
run 2 program real.sql
check "what is outside of the language is refused with line, column and name" \
    says err "real.sql:3: column 7: type real is not supported"
run 2 program real.sql --json
check "in JSON too" mentions out '"file":"real.sql","line":3,'
run 2 program nowhere.sql
check "a file that is not there is an error" mentions err "nowhere.sql: No such file"
head -c 2000000 /dev/zero | tr '\0' ' ' >large.sql
run 2 program large.sql
check "so is one that is too large" mentions err "large.sql: more than 1 MB of SQL"

cat >endless.sql <<'END'
CREATE TABLE t (id bigint PRIMARY KEY);
CREATE FUNCTION down(n bigint) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
    RETURN down(n + 1);
END;
$$;
CREATE FUNCTION round_and_round() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    LOOP
    END LOOP;
END;
$$;
END
run 1 program endless.sql --call 'down(1)'
check "recursion without end meets a limit" mentions out "ERROR 54001: stack depth limit exceeded"
run 1 program endless.sql --call 'round_and_round()'
check "so does a loop without end" mentions out "  failed in line "

finish
