#!/bin/sh
# audit: logs of calls, from the run that writes one to the verdict on it.
. "$(dirname "$0")/helpers"

programs=$root/scenarios/programs
bookings=$root/scenarios/bookings.toml

# --- Writing logs ---------------------------------------------------------------

small="--set workload.transactions=120 --set workload.sessions=6"
run 0 run "$bookings" $small --audit-log log.jsonl
grep '^simulated' out | sed 's/.*trace//' >with
run 0 run "$bookings" $small
grep '^simulated' out | sed 's/.*trace//' >without
check "a run is the same with its log and without" same with without
check "the first line says what was loaded" \
    says log.jsonl '{"ordeal-log":1,"producer":"ordeal","load":"load(2)"}'
check "each call is there with its answer" \
    grep -Eq '^\{"txn":[0-9]+,"session":[0-9]+,"call":"look_twice","arguments":\["[^]]*"\],"answers":\[\{"rows":\[\["t"\]\]\}\],"status":"ok","at":\[[0-9]+,[0-9]+\],"ts":\[[0-9,]*\]\}$' log.jsonl
check "a call that was aborted has neither answer nor place" \
    sh -c 'grep "\"status\":\"abort\"" log.jsonl | grep -vq "answers\|\"ts\""'
cp log.jsonl first.jsonl
run 0 run "$bookings" $small --audit-log log.jsonl
check "the same run writes the same log" same first.jsonl log.jsonl
run 0 run "$bookings" $small --audit-log log.jsonl.zst
check "a log whose name says so is compressed" sh -c '! cmp -s log.jsonl log.jsonl.zst && [ -s log.jsonl.zst ]'
run 2 run "$bookings" $small --audit-log - --json
check "the log and the object do not share standard output" mentions err "both want standard output"
run 2 run "$root/scenarios/bank-under-partition.toml" --audit-log log.jsonl
check "a workload that sends no SQL has no log" mentions err "--audit-log needs calls of a program or a schedule"

# --- Reading them ---------------------------------------------------------------

run 2 audit log.jsonl --programs "$programs/counters.sql"
check "the level must be named" mentions err "audit needs --level L"
run 2 audit log.jsonl --level causal
check "an audit does not decide every level" mentions err "there is no 'causal'"
run 2 audit log.jsonl --level snapshot --rc-model paper
check "a model is of read-committed" mentions err "--rc-model is for --level read-committed"
run 2 audit missing.jsonl --level snapshot
check "a log that is not there is named" mentions err "missing.jsonl: cannot"
{ head -n 3 log.jsonl; echo '{"txn":0,"call":"f","stats":"ok"}'; } >bad.jsonl
run 2 audit bad.jsonl --level snapshot --json
check "a field that is unknown is refused with its line" \
    mentions err 'bad.jsonl:4: unknown field "stats": did you mean "status"?'
check "and with its byte" \
    mentions out "\"line\":4,\"offset\":$(($(head -n 3 log.jsonl | wc -c) + 20)),"
run 2 audit first.jsonl --initial bad.jsonl --level snapshot
check "initial rows are refused likewise" mentions err "bad.jsonl:1: expected an array of rows"

run 0 generate rw-mix --transactions 20 --seed 1 -o items.jsonl
run 2 audit items.jsonl --level snapshot
check "a history of items has no SQL" mentions err "items.jsonl: transaction 1: an operation on an item that is no row"
run 2 audit items.jsonl --programs "$programs/counters.sql" --level snapshot
check "and brings no programs" mentions err "--programs is for a log of calls"

# --- Verdicts -------------------------------------------------------------------

sed -n '/^```sql/,/^```/{/^```/d;p}' "$root/docs/audit.md" >deposit.sql
sed -n '/^```json/,/^```/{/^```/d;p}' "$root/docs/audit.md" >deposits.jsonl
check "the log of the page is there" test "$(wc -l <deposits.jsonl)" -eq 4
run 0 audit deposits.jsonl --programs deposit.sql --level read-committed
check "a lost update may happen at read-committed" mentions out "audit      read-committed        valid  model locking"
for level in snapshot strict-snapshot serializable strict-serializable; do
    run 1 audit deposits.jsonl --programs deposit.sql --level $level
    check "and not at $level" mentions out "audit      $level"
    check "where it is shown with its call" mentions out "wrong      T2 in line 3   deposit('1', '7')"
    check "and what it would have answered" mentions out "expected   22   after T1"
    check "in each state" mentions out "the same, but a row that it writes was written meanwhile   in the first state"
done
run 1 audit deposits.jsonl --programs deposit.sql --level snapshot --json
check "and as JSON" mentions out '"verdict":"invalid","level":"snapshot","checker":"audit","model":null,"first_committer":null,"anomalies":[{"kind":"wrong-answer","transactions":[2],'
sed '/"txn":2/s/"17"/"22"/; s/"37"/"42"/' deposits.jsonl >serial.jsonl
for level in read-committed snapshot strict-snapshot serializable strict-serializable; do
    run 0 audit serial.jsonl --programs deposit.sql --level $level --witness w.json
    check "two deposits one after the other are right at $level" mentions out "audit      $level"
    check "with a witness" mentions w.json "\"level\":\"$level\",\"verdict\":\"valid\""
done
run 0 audit serial.jsonl --programs deposit.sql --level serializable --witness -
check "a witness on standard output" mentions out '{"ordeal-audit":1,"log":"'
printf '{"accounts":[{"id":"1","balance":"11"},{"id":"2","balance":"20"}]}\n' >rows.jsonl
run 1 audit serial.jsonl --programs deposit.sql --initial rows.jsonl --level read-committed
check "other initial rows give other answers" mentions out "wrong "
run 2 audit serial.jsonl --level snapshot
check "a function that is not there is named" mentions err "deposit"

for level in serializable snapshot read-committed; do
    run 0 audit first.jsonl --programs "$programs/phantom.sql" --level $level --timeout 60
    check "a run without bugs is right at $level" mentions out "audit      $level"
done
# look_twice asks the same twice: nothing that is serializable answers f.
run 0 run "$bookings" --set workload.transactions=40 --set workload.sessions=3 --audit-log small.jsonl
number=$(grep -n '"call":"look_twice".*"t"' small.jsonl | head -n 1 | cut -d : -f 1)
sed "${number}s/\"t\"/\"f\"/" small.jsonl >changed.jsonl
for level in strict-serializable snapshot strict-snapshot; do
    run 1 audit changed.jsonl --programs "$programs/phantom.sql" --level $level --timeout 60
    check "an answer that was changed is found at $level" mentions out "in line $number   look_twice("
done
run 0 audit changed.jsonl --programs "$programs/phantom.sql" --level read-committed --timeout 60
check "at read-committed it might be right" mentions out "audit      read-committed        valid"

# Which row comes first is SQL's to say; where it does not, nothing is refuted.
cat >first.sql <<'SQL'
CREATE TABLE t (id bigint PRIMARY KEY, v bigint NOT NULL);
CREATE FUNCTION any_v() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    v_any bigint;
BEGIN
    SELECT v INTO v_any FROM t;
    RETURN v_any;
END;
$$;
CREATE FUNCTION least_v() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    v_least bigint;
BEGIN
    SELECT v INTO v_least FROM t ORDER BY v LIMIT 1;
    RETURN v_least;
END;
$$;
SQL
for call in any_v:10:0:valid any_v:20:3:'SQL leaves open (line 6)' least_v:10:0:valid least_v:20:1:INVALID; do
    IFS=: read -r name value code words <<END
$call
END
    printf '%s\n' '{"ordeal-log":1,"rows":{"t":[{"id":"1","v":"10"},{"id":"2","v":"20"}]}}' \
        '{"txn":1,"session":0,"call":"'"$name"'","arguments":[],"status":"ok","answers":[{"rows":[["'"$value"'"]]}]}' >rows.jsonl
    run "$code" audit rows.jsonl --programs first.sql --level serializable
    check "$name answers $value: $words" mentions out "$words"
done

# --- Witnesses ------------------------------------------------------------------

for level in serializable snapshot read-committed; do
    run 0 audit first.jsonl --programs "$programs/phantom.sql" --level $level --timeout 60 --witness w.json
    run 0 verify first.jsonl w.json --programs "$programs/phantom.sql"
    check "the witness of $level is accepted" mentions out "accepted: $level holds"
done
sed 's/"look_twice","arguments":\["1"/"look_twice","arguments":["2"/' first.jsonl >other.jsonl
run 1 verify other.jsonl w.json --programs "$programs/phantom.sql"
check "of another log it is refused" mentions out "refused: "
run 0 audit serial.jsonl --programs deposit.sql --level serializable --witness w.json
sed 's/"order":\[1,2,3\]/"order":[2,1,3]/' w.json >other.json
run 1 verify serial.jsonl other.json --programs deposit.sql
check "an order in which the answers are not right is refused" mentions out "refused: "
run 1 audit deposits.jsonl --programs deposit.sql --level snapshot --witness w.json
run 0 verify deposits.jsonl w.json --programs deposit.sql
check "an invalid verdict is proved" mentions out "accepted: "
run 2 verify deposits.jsonl w.json --programs deposit.sql --nil-read any
check "what is of histories is not of audits" mentions err "no --nil-read"
run 2 verify items.jsonl items.jsonl --programs deposit.sql
check "a witness of a history needs no programs" mentions err "--programs is for the witness of an audit"

# Statements of a schedule, which says itself what it shows.
run 0 run "$root/scenarios/isolation/p4-rc.toml" --audit-log lost.jsonl
check "a schedule's log has statements" mentions lost.jsonl '"statements":[{"sql":"'
run 0 audit lost.jsonl --programs "$root/scenarios/isolation/hermitage.sql" --level read-committed
check "a lost update is right at read-committed" mentions out "valid  model locking"
run 1 audit lost.jsonl --programs "$root/scenarios/isolation/hermitage.sql" --level snapshot
check "and wrong at snapshot" mentions out "audit      snapshot              INVALID"
run 0 run "$root/scenarios/isolation/g2-item-si.toml" --audit-log skew.jsonl
run 0 audit skew.jsonl --programs "$root/scenarios/isolation/hermitage.sql" --level snapshot
check "write skew is right at snapshot" mentions out "valid  first committer by version"
run 1 audit skew.jsonl --programs "$root/scenarios/isolation/hermitage.sql" --level serializable
check "and wrong at serializable" mentions out "audit      serializable          INVALID"

run 0 generate predicate-mix --transactions 60 --sessions 4 --predicates 60 --seed 3 -o statements.jsonl
run 0 audit statements.jsonl --level serializable --timeout 60
check "a history of statements is audited" mentions out "audit      serializable          valid"
run 0 audit statements.jsonl --level serializable --timeout 60 --witness w.json
run 0 verify statements.jsonl w.json
check "and its witness verified with the history alone" mentions out "accepted: serializable holds"

finish
