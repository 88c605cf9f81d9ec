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
    case $level in
    *snapshot)
        check "in each state" mentions out "the same, but a row that it writes was written meanwhile   in the first state"
        ;;
    esac
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
# What nobody answered is not right.
head -n 1 serial.jsonl >unjudged.jsonl
for answers in 0 2; do
    run 3 audit unjudged.jsonl --programs deposit.sql --level snapshot --witness none.json
    check "a log without an answer proves nothing" mentions out "unknown  nothing was judged: "
    check "and has no witness" test ! -e none.json
    run 0 audit unjudged.jsonl --programs deposit.sql --level snapshot --allow-unjudged
    check "unless that is allowed" mentions out "audit      snapshot              valid"
    sed 's/,"answers":.*}$/}/' serial.jsonl >unjudged.jsonl
done
sed '/"txn":1/s/"answers":.*}$/"answers":[null]}/' serial.jsonl >unjudged.jsonl
run 3 audit unjudged.jsonl --programs deposit.sql --level snapshot --json
check "one missing answer leaves the verdict open" mentions out '"reason":"1 of 3 answers are missing, and may have been wrong'
check "and is counted" mentions out '"unjudged":{"answers":1},"transactions":3,"answers":2,'
run 1 audit unjudged.jsonl --programs deposit.sql --initial rows.jsonl --level snapshot
check "what is wrong is wrong all the same" mentions out "INVALID"
run 0 audit unjudged.jsonl --programs deposit.sql --level snapshot --allow-unjudged --witness w.json
run 0 verify unjudged.jsonl w.json --programs deposit.sql
check "what is called valid has its witness" mentions out "accepted: "
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

# Rows that nothing tells apart are rows of their own.
echo 'CREATE TABLE seen (who bigint, what text);' >seen.sql
cat >seen.jsonl <<'JSON'
{"ordeal-log":1,"rows":{"seen":[{"who":"1","what":"a"},{"who":"1","what":"a"}]}}
{"txn":1,"session":0,"statements":[{"sql":"INSERT INTO seen VALUES (1, 'a') RETURNING *"}],"status":"ok","at":[100,200],"answers":[{"rows":[["1","a"]]}]}
{"txn":2,"session":1,"statements":[{"sql":"UPDATE seen SET what = 'b' WHERE who = 1"},{"sql":"SELECT * FROM seen"}],"status":"ok","at":[300,400],"answers":[{"count":3},{"rows":[["1","b"],["1","b"],["1","b"]]}]}
{"txn":3,"session":1,"statements":[{"sql":"DELETE FROM seen WHERE what = 'b'"}],"status":"ok","at":[500,600],"answers":[{"count":3}]}
JSON
sed '/"txn":3/s/3}\]/2}]/' seen.jsonl >fewer.jsonl
for level in strict-serializable strict-snapshot read-committed; do
    run 0 audit seen.jsonl --programs seen.sql --level $level --witness w.json
    check "rows without a primary key may be alike at $level" mentions out "audit      $level"
    run 0 verify seen.jsonl w.json --programs seen.sql
    check "and the verifier says so, too" mentions out "accepted: $level holds"
    run 1 audit fewer.jsonl --programs seen.sql --level $level --witness w.json
    check "each of them counts at $level" mentions out "expected   3 rows"
    run 0 verify fewer.jsonl w.json --programs seen.sql
    check "which the verifier finds as well" mentions out "accepted: "
done

# What a sequence gave is not in the log, but an answer may tell it.
echo 'CREATE TABLE item (id serial PRIMARY KEY, what text);' >item.sql
cat >item.jsonl <<'JSON'
{"ordeal-log":1,"rows":{}}
{"txn":1,"session":0,"statements":[{"sql":"INSERT INTO item (what) VALUES ('a') RETURNING id"},{"sql":"SELECT currval('item_id_seq')"}],"status":"ok","at":[100,200],"answers":[{"rows":[["17"]]},{"rows":[["17"]]}]}
{"txn":2,"session":1,"statements":[{"sql":"INSERT INTO item (what) VALUES ('b'), ('c')"}],"status":"ok","at":[150,250],"answers":[{"count":2}]}
{"txn":4,"session":0,"statements":[{"sql":"SELECT currval('item_id_seq'), lastval()"}],"status":"ok","at":[260,280],"answers":[{"rows":[["17","17"]]}]}
{"txn":3,"session":1,"statements":[{"sql":"SELECT what FROM item WHERE id = 17 OR what = 'c'"}],"status":"ok","at":[300,400],"answers":[{"rows":[["a"],["c"]]}]}
JSON
sed '/"txn":1/s/"17"\]\]}\],*}*$/"18"]]}]}/' item.jsonl >other.jsonl
sed 's/"sql":"INSERT INTO item (what) VALUES (.b.), (.c.)"/"sql":"INSERT INTO item (what) VALUES ('"'c'"') RETURNING id"/; /"txn":2/s/{"count":2}/{"rows":[["17"]]}/' item.jsonl >both.jsonl
for level in strict-serializable snapshot read-committed; do
    run 0 audit item.jsonl --programs item.sql --level $level --witness w.json
    check "numbers of a sequence are found out at $level" mentions out "audit      $level"
    check "and stand in the witness" mentions w.json '"numbers":[['
    run 0 verify item.jsonl w.json --programs item.sql
    check "with which the verifier comes to the same" mentions out "accepted: $level holds"
    for log in other both; do
        run 3 audit $log.jsonl --programs item.sql --level $level
        check "with numbers that are not known nothing is refuted ($log)" \
            mentions out "the number that a sequence gave in line"
    done
done
sed 's/"numbers":\[\[1,17/"numbers":[[1,18/' w.json >changed.json
run 1 verify item.jsonl changed.json --programs item.sql
check "another number in the witness does not do" mentions out "refused: transaction 1"

# Nobody looks at the numbers, so that it makes no difference which they are.
cat >count.sql <<'SQL'
CREATE TABLE visits (id serial PRIMARY KEY, who text, n bigint);
CREATE FUNCTION visit(p_who text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    v_count bigint;
BEGIN
    SELECT count(*) INTO v_count FROM visits WHERE who = p_who;
    INSERT INTO visits (who, n) VALUES (p_who, v_count);
    RETURN v_count;
END;
$$;
SQL
for answer in 1:0 0:1; do
    printf '%s\n' '{"ordeal-log":1}' \
        '{"txn":1,"session":0,"call":"visit","arguments":["ann"],"status":"ok","at":[1,2],"ts":1,"answers":[{"rows":[["0"]]}]}' \
        '{"txn":2,"session":0,"call":"visit","arguments":["bob"],"status":"ok","at":[3,4],"ts":2,"answers":[{"rows":[["0"]]}]}' \
        '{"txn":3,"session":0,"call":"visit","arguments":["ann"],"status":"ok","at":[5,6],"ts":3,"answers":[{"rows":[["'"${answer%:*}"'"]]}]}' \
        >visits.jsonl
    for level in serializable strict-snapshot; do
        code=${answer#*:}
        [ "$code$level" = 1serializable ] && words=INVALID || words=$level
        run "$code" audit visits.jsonl --programs count.sql --level $level --witness w.json
        check "a count of rows with numbers is judged at $level" mentions out "$words"
        run 0 verify visits.jsonl w.json --programs count.sql
        check "by the verifier, too" mentions out "accepted: "
    done
done
sed '1s/}/,"rows":{"visits":[{"id":"1000000000"},{"id":"1000000001"},{"id":"1000000002"}]}}/; s/\["1"\]/["0"]/' visits.jsonl >high.jsonl
run 3 audit high.jsonl --programs count.sql --level strict-snapshot
check "nor does it, where one that was chosen is there already" mentions out "is not known, and others were not tried"
for change in 's/RETURN v_count/RETURN v_count + currval('"'visits_id_seq'"') * 0/' 's/(p_who, v_count)/(p_who, v_count) RETURNING id INTO v_id/' \
    's/WHERE who = p_who/WHERE who = p_who AND id > 0/' 's/RETURN v_count/UPDATE visits SET id = id + 5; RETURN v_count/' \
    's/n bigint/n bigint CHECK (n < id)/' 's/(p_who, v_count)/(p_who, v_count) ON CONFLICT DO NOTHING/'; do
    sed "$change; s/^    v_count bigint;/    v_count bigint; v_id bigint;/" count.sql >looks.sql
    run 3 audit visits.jsonl --programs looks.sql --level serializable
    check "where somebody looks, nothing is refuted ($change)" mentions out "is not known, and others were not tried"
    sed 's/"programs":"[^"]*"/&/' w.json >looks.json
    run 1 verify visits.jsonl looks.json --programs looks.sql
    check "nor by the verifier" mentions out "undecided: "
done

run 0 run "$root/scenarios/helpdesk.toml" --set workload.transactions=150 --audit-log help.jsonl
for level in serializable snapshot; do
    run 0 audit help.jsonl --programs "$programs/helpdesk.sql" --level $level --witness w.json --timeout 60
    check "a run with a sequence is right at $level" mentions out "audit      $level"
    run 0 verify help.jsonl w.json --programs "$programs/helpdesk.sql"
    check "and its witness holds" mentions out "accepted: $level holds"
done

# Tables may be created and dropped in the log, before all that use them, and dropped behind all.
cat >made.jsonl <<'JSON'
{"ordeal-log":1}
{"txn":1,"session":0,"statements":[{"sql":"CREATE SEQUENCE s START 5"},{"sql":"create table made (w int)"},{"sql":"DROP TABLE IF EXISTS others, made"},{"sql":"create table made (id int primary key default nextval('s'), v int)"}],"status":"ok"}
{"txn":2,"session":0,"statements":[{"sql":"CREATE TABLE made (x int)"}],"status":"abort"}
{"txn":3,"session":0,"statements":[{"sql":"INSERT INTO made (v) VALUES (1) RETURNING id"}],"status":"ok","answers":[{"rows":[["6"]]}]}
{"txn":4,"session":1,"statements":[{"sql":"SELECT id + v FROM made"}],"status":"ok","answers":[{"rows":[["7"]]}]}
{"txn":5,"session":1,"statements":[{"sql":"drop table made"}],"status":"ok"}
JSON
run 0 audit made.jsonl --level serializable --witness w.json
check "a log may create and drop its tables" mentions out "audit      serializable          valid"
run 0 verify made.jsonl w.json --programs deposit.sql
check "and the verifier reads them from there" mentions out "accepted: serializable holds"
odd_is_refused() { # sentence, what is said of the log
    run 2 audit odd.jsonl --level serializable
    check "$1" mentions err "odd.jsonl:$2"
}
{ sed -n '1p;4p' made.jsonl; sed -n '2p' made.jsonl; } >odd.jsonl
odd_is_refused "not after others" "3: CREATE or DROP behind transactions that do something else is not supported"
sed 's/create table made (id/create table made (at timestamptz, id/' made.jsonl >odd.jsonl
odd_is_refused "an error in one has the line of the log" "2: "
{ sed -n '1,4p;6p' made.jsonl; sed -n '5p' made.jsonl; } >odd.jsonl
odd_is_refused "nor may a table be dropped before others" "5: CREATE or DROP behind transactions that do"
sed 's/IF EXISTS others, //; s/create table made (w int)/DROP TABLE made/' made.jsonl >odd.jsonl
odd_is_refused "what is not there cannot be dropped" "2: column 1: table \"made\" does not exist"
sed 's/SELECT id + v FROM made"/SELECT 7"},{"sql":"DROP TABLE made"/; s/\["7"\]\]}/["7"]]},null/' made.jsonl >odd.jsonl
odd_is_refused "DROP beside something else is refused by name" "5: DROP is not supported here"

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
CREATE FUNCTION any_fetched() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    c CURSOR FOR SELECT v FROM t;
    v_any bigint;
BEGIN
    OPEN c;
    UPDATE t SET v = v + 1;
    FETCH c INTO v_any;
    CLOSE c;
    RETURN v_any;
END;
$$;
CREATE FUNCTION least_fetched() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    c CURSOR (p_least bigint) FOR SELECT v FROM t WHERE v > p_least ORDER BY v;
    v_least bigint;
BEGIN
    OPEN c(15);
    UPDATE t SET v = v - 1;
    FETCH c INTO v_least;
    RETURN v_least;
END;
$$;
SQL
for call in any_v:10:0:valid any_v:20:3:'SQL leaves open (line 6)' least_v:10:0:valid least_v:20:1:INVALID \
    any_fetched:10:0:valid any_fetched:20:3:'SQL leaves open (line 20)' least_fetched:20:0:valid least_fetched:19:1:INVALID; do
    IFS=: read -r name value code words <<END
$call
END
    printf '%s\n' '{"ordeal-log":1,"rows":{"t":[{"id":"1","v":"10"},{"id":"2","v":"20"}]}}' \
        '{"txn":1,"session":0,"call":"'"$name"'","arguments":[],"status":"ok","answers":[{"rows":[["'"$value"'"]]}]}' >rows.jsonl
    run "$code" audit rows.jsonl --programs first.sql --level serializable --witness w.json
    check "$name answers $value: $words" mentions out "$words"
    [ "$code" -eq 3 ] && continue
    run 0 verify rows.jsonl w.json --programs first.sql
    check "which the verifier says, too" mentions out "accepted: "
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

# --- Logs that grow -------------------------------------------------------------

phantom="--programs $programs/phantom.sql --follow"
# shellcheck disable=SC2086 # several arguments
{
    for level in serializable snapshot read-committed; do
        (head -n 40 first.jsonl; sleep 1.5; tail -n +41 first.jsonl) |
            "$ORDEAL" audit - $phantom --level $level --witness w.json >out 2>err
        verdict $? "a log that comes through a pipe is followed at $level"
        check "with a verdict on all of it" grep -q "^log  *$(($(wc -l <first.jsonl) - 1)) transactions" out
        exits 0 "and its witness is that of the whole log" verify first.jsonl w.json --programs "$programs/phantom.sql"
    done
    head -n 40 first.jsonl >growing.jsonl
    (sleep 0.5; tail -n +41 first.jsonl; sleep 0.5) >>growing.jsonl &
    exits 0 "a file is followed while somebody writes to it" audit growing.jsonl $phantom --level snapshot --json
    check "and who is out of order is not counted" mentions out '"displaced":null'
    exits 1 "what is wrong in a log of which nothing was settled is wrong" \
        audit changed.jsonl $phantom --level strict-serializable --witness w.json
    exits 0 "and proved as usual" verify changed.jsonl w.json --programs "$programs/phantom.sql"
    exits 2 "a line that is none is refused" audit bad.jsonl $phantom --level snapshot
    check "with its place" mentions err 'bad.jsonl:4: unknown field "stats": did you mean "status"?'
    exits 2 "what is packed has to be unpacked on its way" audit log.jsonl.zst $phantom --level snapshot
    check "and the error says how" mentions err "is packed: zstd -dc FILE | ordeal audit - --follow"
    exits 2 "initial rows stand in the log" audit first.jsonl --initial rows.jsonl $phantom --level snapshot
    check "and the error says where" mentions err "the first line of the log has its rows"
}
# A run that audits its own calls.
bug=$root/scenarios/bugs/update-of-older-version.toml
run 1 run "$bug"
check "a bug that no history shows is found by the audit of a run" mentions out "audit      strict-serializable   INVALID"
check "and by nobody else" test "$(grep -c INVALID out)" -eq 2
run 1 run "$bug" --json
check "so it is in the answer" mentions out '"failures":[{"checker":"audit","level":"strict-serializable","anomaly":"wrong-answer"'
run 0 run "$bug" --set 'cluster.bugs=[]'
check "without the bug it is valid" mentions out "audit      strict-serializable   valid"
run 2 run "$root/scenarios/list-append.toml" --set check.audit=true
check "a workload without calls is not audited" mentions err "check.audit is for the calls of a program or a schedule"
run 2 run "$bug" --set check.level=prefix
check "nor at any level" mentions err "there is no audit at prefix"

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

# Several threads.
for level in snapshot serializable; do
    run "$([ $level = snapshot ]; echo $?)" audit skew.jsonl --programs "$root/scenarios/isolation/hermitage.sql" --level $level -j 1 --witness one.json
    run "$([ $level = snapshot ]; echo $?)" audit skew.jsonl --programs "$root/scenarios/isolation/hermitage.sql" --level $level -j 8 --witness eight.json
    check "at $level threads change nothing in the witness" cmp one.json eight.json
done
run 2 audit skew.jsonl --programs "$root/scenarios/isolation/hermitage.sql" --level snapshot -j 2 --engine z3
check "Z3 has one thread" mentions err "-j is for --engine native"
run 2 audit skew.jsonl --programs "$root/scenarios/isolation/hermitage.sql" --level snapshot -j 0
check "there is at least one thread" mentions err "-j"

run 0 generate predicate-mix --transactions 60 --sessions 4 --predicates 60 --seed 3 -o statements.jsonl
run 0 audit statements.jsonl --level serializable --timeout 60
check "a history of statements is audited" mentions out "audit      serializable          valid"
run 0 audit statements.jsonl --level serializable --timeout 60 --witness w.json
run 0 verify statements.jsonl w.json
check "and its witness verified with the history alone" mentions out "accepted: serializable holds"

# Rows that nobody knows.
run 0 run "$root/scenarios/voter.toml" --set workload.transactions=200 --audit-log voter.jsonl
run 0 audit voter.jsonl --programs "$programs/voter.sql" --level serializable --initial unknown --witness w.json
check "initial rows that nobody knows are read off the answers" mentions out "initial    6 rows, read off the answers"
run 0 verify voter.jsonl w.json --programs "$programs/voter.sql" --initial unknown
run 1 verify voter.jsonl w.json --programs "$programs/voter.sql"
run 3 audit deposits.jsonl --programs deposit.sql --level snapshot --initial unknown --json
check "and nothing is refuted without them" mentions out '"first_rows":1,'

finish
