#!/bin/sh
# Programs in a real PostgreSQL: their functions are called there, and the log says what they answered.
. "$(dirname "$0")/helpers"

cat >count.sql <<'END'
CREATE TABLE counters (id bigint PRIMARY KEY, n bigint NOT NULL);

CREATE FUNCTION load(p_count bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    FOR i IN 1..p_count LOOP
        INSERT INTO counters (id, n) VALUES (i, 0);
    END LOOP;
END;
$$;

CREATE FUNCTION add(p_id bigint, p_n bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    v_n bigint;
BEGIN
    SELECT n INTO v_n FROM counters WHERE id = p_id;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no counter %', p_id;
    END IF;
    UPDATE counters SET n = v_n + p_n WHERE id = p_id;
    RETURN v_n;
END;
$$;

CREATE FUNCTION rename(p_id bigint, p_name text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM p_id;
END;
$$;

CREATE FUNCTION invariant_none_is_negative() RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    v_count bigint;
BEGIN
    SELECT count(*) INTO v_count FROM counters WHERE n < 0;
    RETURN v_count = 0;
END;
$$;
END

run 2 record sqlite --program count.sql --call 'add(1, 1)'
check "SQLite has no functions" mentions err "SQLite has no functions"
run 2 record postgres --call 'add(1, 1)'
check "a call is of a program" mentions err "are of a --program"
run 2 record postgres --program count.sql --workload bank --call 'add(1, 1)'
check "clients run one of the two" mentions err "not both"
run 2 record postgres --program count.sql --call 'add'
check "a call has arguments" mentions err "--call takes name(arguments)"
run 2 record postgres --program count.sql --call 'x: add(1, 1)'
check "a weight is a number" mentions err "is no number"
run 2 record postgres --program count.sql --call 'add(1, 1)' --watch
check "nobody can watch what functions read" mentions err "nobody can watch"

needs postgres

run 2 record postgres --program count.sql --call 'subtract(1, 1)'
check "a function that is not there is missed" mentions err "no procedure 'subtract'"
run 2 record postgres --program count.sql --call 'add(1)'
check "arguments are counted" mentions err "add takes 2 arguments, not 1"
run 2 record postgres --program count.sql --load 'load(1, 2)' --call 'add(1, 1)'
check "a load that cannot be called is told" mentions err "the program"

for name in first second; do
    run 3 record postgres --program count.sql --load 'load(5)' --call '3: add(uniform(1, 6), uniform(1, 9))' \
        --call "rename(uniform(1, 5), 'o''hara, (' || text(3))" --clients 1 --transactions 60 --certificate --seed 7 --out $name
    sed -n 's/.*\("call".*\],"\(answers\|error\)\).*/\1/p' $name/audit.jsonl | sed 's/,"error":.*//; s/,"answers.*//' >$name.calls
done
check "what was not judged is said, and that is not valid" mentions out "only its invariants were judged"
check "there is a line for each call" test "$(wc -l <first/audit.jsonl)" -eq 61
check "the first line says what was loaded" sh -c 'head -n 1 first/audit.jsonl | grep -q "\"ordeal-log\":1.*\"load\":\"load(5)\""'
check "the same seed makes the same calls" cmp first.calls second.calls
check "of both functions" sh -c 'grep -q add first.calls && grep -q "hara, (" first.calls'
check "an answer is there" grep -q '"call":"add","arguments":\["[1-5]","[0-9]"\],"answers":\[{"rows":\[\["[0-9]*"\]\]}\]' first/audit.jsonl
check "a function that fails says with what" grep -q '"arguments":\["6","[0-9]"\],"error":"P0001","status":"abort"' first/audit.jsonl
check "what wrote has its place among the commits" sh -c '[ "$(grep -c "\"ts\":" first/audit.jsonl)" -eq "$(grep -c "\"call\":\"add\".*\"status\":\"ok\"" first/audit.jsonl)" ]'
check "each place once" sh -c '[ "$(sed -n "s/.*\"ts\":\([0-9]*\).*/\1/p" first/audit.jsonl | sort | uniq -d | wc -l)" -eq 0 ]'
check "it is known for certain" sh -c '! head -n 1 first/audit.jsonl | grep -q hint'
run 3 record postgres --program count.sql --load 'load(5)' --call 'add(1, 1)' --clients 2 --transactions 20 --level read-committed --certificate --out third
check "unless statements have snapshots of their own" sh -c 'head -n 1 third/audit.jsonl | grep -q "\"ts\":\"hint\""'
check "of each call that committed it is known what it saw at first and at last" \
    sh -c '[ "$(grep -c "\"status\":\"ok\".*\"saw\":\[[0-9]*,[0-9]*\]}$" third/audit.jsonl)" -eq 20 ]'
check "which was nothing that was committed with it or after it" awk '
    match($0, /"ts":[0-9]+,"saw":\[[0-9]+,[0-9]+\]/) {
        split(substr($0, RSTART, RLENGTH), n, /[^0-9]+/)
        right += n[3] <= n[4] && n[4] < n[2]
    }
    END { exit right != 20 }' third/audit.jsonl

run 1 record postgres --program count.sql --load 'load(2)' --call 'add(1, -3)' --clients 1 --transactions 5
check "an invariant of the program that does not hold is found" mentions out "invariant_none_is_negative() is not true"

cat >count.toml <<'END'
name = "counters"

[database]
kind = "postgres"

[workload]
program = "count.sql"
load = "load(3)"
sessions = 4
transactions = 200

[[workload.call]]
procedure = "add"
arguments = ["uniform(1, 3)", "1"]

[[invariant]]
query = "SELECT count(*) FROM counters"
equals = 3
END
run 3 run count.toml
check "a scenario runs its program in the database" mentions out "program    count.sql"
check "and asks its invariants there" sh -c '! grep -q BROKEN out'
run 1 run count.toml --set invariant.0.equals=4
check "one that does not hold is found" mentions out "gives 3, not 4"
finish
