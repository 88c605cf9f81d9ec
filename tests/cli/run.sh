#!/bin/sh
# run: scenarios from file to verdict.
. "$(dirname "$0")/helpers"

cp "$root/scenarios/ping.toml" ping.toml
trace() { grep -o '"trace":"[0-9a-f]*"' "$1"; }
# ping FILE ARGUMENT...: runs the scenario, prints the hash of its trace into FILE.
ping() {
    into=$1
    shift
    run 0 run ping.toml --json "$@" && trace out >"$into"
}

ping first
ping again
check "a scenario leaves the same trace every time" same first again
check "the trace is 64 hex digits" grep -Eqx '"trace":"[0-9a-f]{64}"' first
ping seven --seed 7
check "another seed leaves another trace" differ first seven
ping seven_set --set seed=7
check "--seed and --set seed are the same" same seven seven_set

run 0 run ping.toml --json
check "the answer is one line" test "$(wc -l <out)" -eq 1
for field in '"scenario":"ping under partition and skew"' '"seed":42' '"simulated_seconds":6' \
    '"wall_seconds":' '"events":' '"committed":0' '"aborted":0' '"unknown":0' \
    '"needless_aborts":null' '"faults":{"partition":' '"sometimes":{"peer-suspected":' \
    '"checks":[]' '"skipped":[]' '"verdict":"valid"'; do
    check "the answer has $field" mentions out "$field"
done
grep -o '"faults":{[^}]*}' out >faults
check "faults are counted" test -s faults
check "every fault that was asked for was felt" sh -c '! grep ":0[,}]" faults'
check "on no terminal there is no progress bar" is_empty err

run 0 run ping.toml --twice
check "--twice says that it came out the same" says out "twice      the same trace"
check "the report says how to run it again" \
    mentions out "verdict    VALID   again: ordeal run ping.toml --seed 42"

ping nodes --set cluster.nodes=7
check "--set changes what is run" differ first nodes
run 0 run ping.toml --set cluster.nodes=7
check "and the report repeats it" mentions out "--seed 42 --set cluster.nodes=7"
run 2 run ping.toml --set cluster.nodse=7
check "a mistyped setting gets the nearest name" \
    says err "ordeal: --set cluster.nodse=7: cluster has no 'nodse'; did you mean 'nodes'?"

run 0 run ping.toml --seed 5 --set cluster.nodes=4 --out a/b --json
trace out >original
check "--out writes the answer" same out a/b/run.json
run 0 run a/b/scenario.toml --json
trace out >reloaded
check "the scenario that --out writes leaves the same trace" same original reloaded
run 0 run a/b/scenario.toml --out a/c
check "and writes itself" same a/b/scenario.toml a/c/scenario.toml
touch file
run 2 run ping.toml --out file/x
check "a folder that cannot be made is an error" mentions err "file"

run 0 run ping.toml --trace trace.txt
check "--trace writes what happened" grep -q 'deliver' trace.txt
run 0 run ping.toml --trace again.txt
check "and the same every time" same trace.txt again.txt
ping traced --trace trace.txt
check "--trace does not change the trace" same first traced
run 2 run ping.toml --trace - --json
check "--trace - and --json are refused together" mentions err "standard output"
run 2 run ping.toml --trace missing/trace.txt
check "a trace that cannot be written is an error" mentions err "missing/trace.txt"

run 1 run ping.toml --set network.latency=16s
check "a world that does not recover is stuck" mentions out "liveness   STUCK   node "
check "and the verdict invalid" mentions out "verdict    INVALID"
run 1 run ping.toml --set network.latency=16s --json
check "with the anomaly's name" mentions out '"anomalies":[{"kind":"stuck","transactions":[]'

run 2 run ping.toml --set workload.settle=1ms
check "a time to settle in which nobody needs to speak is refused" \
    mentions err "workload.settle must be longer than workload.interval"

exits 1 "--git-bisect leaves 1 as it is" run ping.toml --set network.latency=16s --git-bisect
exits 0 "--git-bisect leaves 0 as it is" run ping.toml --git-bisect
exits 125 "--git-bisect turns 2 into 125" run missing.toml --git-bisect
exits 125 "even where the call is wrong" run ping.toml --git-bisect --sed 7

"$ORDEAL" run - --json <ping.toml >out 2>err
trace out >stdin
check "a scenario comes from standard input too" same first stdin

printf '%s\n' 'name = "x"' '[workload]' 'kind = "ping"' '[cluster]' 'nodes = 2' \
    '[[nemesis]]' 'kind = "crash"' 'shape = "minority"' >two.toml
run 2 run two.toml
check "a fault that needs more nodes is refused" \
    says err "two.toml:6: crash minority needs at least 3 nodes"

# With a store.
run 1 run "$root/scenarios/bugs/acks-before-log.toml"
check "a client that was told what the store did not do is told, with the transaction" \
    grep -q '^decisions  FALSE COMMIT   the client of T[0-9]* was told that it had committed, but the store never decided' out
run 1 run "$root/scenarios/bugs/acks-before-log.toml" --json
check "and named for programs" grep -q '"anomalies":\[.*{"kind":"false-commit","transactions":\[[0-9]' out
check "under a name that failures are grouped by" mentions out '"signature":"run - false-commit"'
run 1 run "$root/scenarios/bugs/retry-applied-twice.toml"
check "likewise of an abort whose writes are there" \
    grep -q '^decisions  FALSE COMMIT   the client of T[0-9]* was told that it was aborted, but the store applied' out
cp -r "$root/scenarios/programs" .
cp "$root/scenarios/smallbank.toml" "$root/scenarios/bank-under-partition.toml" .
few="--set workload.transactions=200"
run 0 run bank-under-partition.toml $few --seed 7 --twice --trace trace.txt
check "a store has a line in the report" \
    mentions out "store      5 nodes, 4 shards × 3 replicas, mvto   "
check "with --twice too it is the same" says out "twice      the same trace"
check "a trace says what messages are" grep -Eq 'n[0-4] → n[0-4]  deliver #[0-9]+, .*  raft [0-3]: ' trace.txt
check "and what clients ask" grep -Eq 'c[0-9]+ → n[0-4]  deliver #[0-9]+, .*  read T' trace.txt
run 0 run bank-under-partition.toml $few --seed 7 --out o --json
for field in '"scenario":"bank under partition"' '"seed":7' '"committed":200,' '"aborted":' \
    '"unknown":' '"needless_aborts":null' '"faults":{"partition":' '"sometimes":{' '"unfelt":[' \
    '"checks":[{"verdict":"valid","level":"serializable","checker":"order","anomalies":[]' \
    '"checker":"certificate"' '"skipped":[{"checker":"weak","reason":"the checker weak does not decide' '"anomalies":[]' '"verdict":"valid"'; do
    check "the answer has $field" mentions out "$field"
done
check "and who was due to judge" mentions out '"due":["order","certificate",'
check "of whom none did not" mentions out '"missed":[],'
run 3 run smallbank.toml $few --set 'check.checkers=["certificate","infer"]'
check "a checker that is named and cannot decide leaves the run unknown" \
    grep -q '^due        infer         did not judge, and is due: values are not unique' out
run 3 run smallbank.toml $few --set 'check.checkers=["certificate","infer"]' --json
check "and is in the answer" mentions out '"missed":[{"checker":"infer","reason":"values are not unique'
sum_of() { cat "$1"/* | cksum; }
before=$(sum_of o)
touch o/witness-gone.json o/notes.txt
run 2 run bank-under-partition.toml $few --seed 8 --out o
check "a folder in which something stands is refused" mentions err "o: there is something in this folder"
check "and left as it is" test "$(sum_of o)" = "$before"
run 0 run bank-under-partition.toml $few --seed 7 --out o/ --force --json
check "by force it is written anew" test ! -e o/witness-gone.json
check "except for what no answer has" test -e o/notes.txt
check "and nothing is left beside it" test "$(ls -d o o.* 2>/dev/null | wc -l)" -eq 1
mkdir empty
run 0 run ping.toml --out empty
check "an empty folder will do" test -e empty/run.json
run 0 run bank-under-partition.toml $few --seed 7 --out o --force --json
trace out >original
check "--out writes the answer of a store" same out o/run.json
check "and its history" grep -q '^{"ordeal-history":1,"workload":"bank"' o/history.jsonl
run 0 convert o/history.jsonl --to oh -o h.oh
run 0 convert h.oh --to jsonl -o h.jsonl
for checker in order certificate; do
    run 0 verify o/history.jsonl o/witness-$checker.json
    check "the witness of $checker is accepted" mentions out "accepted"
done
check "which survives being converted" same o/history.jsonl h.jsonl
check "with the committed transactions that are counted, and one that reads all back" \
    test "$(grep -c '"status":"ok"' o/history.jsonl)" -eq 201
run 0 run o/scenario.toml --json
trace out >reloaded
check "the scenario that --out writes leaves the same trace" same original reloaded

run 0 run smallbank.toml $few --out elsewhere/p --json
trace out >original
(cd elsewhere && "$ORDEAL" run p/scenario.toml --json >../out 2>../err)
trace out >reloaded
check "so does that of a program, from another folder" same original reloaded
check "a program's tables are in the history" \
    grep -q '^{"ordeal-history":1,"workload":"smallbank.sql","tables":{"accounts"' elsewhere/p/history.jsonl

run 1 run bank-under-partition.toml $few --set 'cluster.bugs=["no-timestamp-cache"]' --out wrong
check "a store with a bug is found out" grep -q '^check      order         serializable          INVALID' out
for checker in order certificate; do
    run 0 verify wrong/history.jsonl wrong/witness-$checker.json
done
run 0 run bank-under-partition.toml $few --set 'check.checkers=[]'
check "nobody judges if nobody is asked" sh -c '! grep -q "^check " out'
run 2 run bank-under-partition.toml $few --set cluster.protocol=si --set 'check.checkers=["order"]'
check "a checker that is asked for must be able to judge" mentions err "order"

cat >own.sql <<'EOF'
CREATE TABLE t (id bigint PRIMARY KEY, v bigint NOT NULL);
CREATE FUNCTION load() RETURNS void AS $$ BEGIN INSERT INTO t VALUES (1, 0); END; $$ LANGUAGE plpgsql;
CREATE FUNCTION bump() RETURNS void AS $$ BEGIN UPDATE t SET v = v + 1 WHERE id = 1; END; $$ LANGUAGE plpgsql;
CREATE FUNCTION invariant_never() RETURNS boolean AS $$ BEGIN RETURN false; END; $$ LANGUAGE plpgsql;
EOF
printf '%s\n' 'name = "own"' '[workload]' 'program = "own.sql"' 'load = "load()"' 'transactions = 20' 'sessions = 2' \
    '[[workload.call]]' 'procedure = "bump"' >own.toml
for protocol in 2pl si rc causal; do
    run 1 run own.toml --set cluster.protocol=$protocol
    check "a program's invariant is judged under $protocol" \
        says out "invariant  BROKEN   invariant_never() is not true of the final state"
done
run 0 run own.toml --set cluster.protocol=si --set check.skip_invariants=true
check "unless nobody wants it, and that is told" \
    says out "invariant  not judged: that of the workload, as check.skip_invariants says"
run 0 run own.toml --set cluster.protocol=si --set check.skip_invariants=true --json
check "also in the answer" mentions out '"not_judged":["that of the workload, as check.skip_invariants says"]'
printf '%s\n' 'name = "weak"' '[cluster]' 'protocol = "rc"' '[workload]' 'kind = "counter"' 'transactions = 50' >weak.toml
run 0 run weak.toml
check "what a protocol does not promise of a workload is told" \
    says out "invariant  not judged: that of the workload, which read-committed does not promise to keep"
sed -i 's/invariant_never() RETURNS boolean/invariant_never() RETURNS bigint/; s/RETURN false/RETURN 1/' own.sql
run 2 run own.toml
check "an invariant by its name alone is refused" mentions err "invariant_never() is an invariant by its name"
run 1 run bank-under-partition.toml $few --set invariant.0.equals=7
check "a broken invariant is named" \
    says out "invariant  BROKEN   SELECT sum(balance) FROM accounts gives 2000, not 7"
run 1 run bank-under-partition.toml $few --set invariant.0.equals=7 --json
check "as an anomaly" mentions out '"anomalies":[{"kind":"invariant","transactions":[],"explanation":"'
exits 3 "where nothing was committed nothing is decided" \
    run bank-under-partition.toml --set workload.duration=1us
check "and the verdict says so" mentions out "verdict    UNKNOWN   "
exits 125 "--git-bisect turns 3 into 125" \
    run bank-under-partition.toml --set workload.duration=1us --git-bisect
run 0 run smallbank.toml $few --set nemesis.0.kind=crash --set nemesis.0.start=50s
check "a nemesis that was never felt is named" says out "unfelt     crash one (nemesis.0)"

# refuses LINE-OR-FLAG MESSAGE ARGUMENT...: what is wrong with calls of smallbank.toml.
refuses() {
    where=$1 message=$2
    shift 2
    run 2 run smallbank.toml "$@"
    check "$message" says err "$where: $message"
}
line() { grep -n -m 1 "$1" smallbank.toml | cut -d : -f 1; }
refuses "ordeal: --set cluster.protocol=mvot" \
    'there is no protocol "mvot"; did you mean "mvto"?' --set cluster.protocol=mvot
refuses 'ordeal: --set cluster.bugs=["upgrade-race"]' "the bug upgrade-race is of 2pl, not of ssi" \
    --set 'cluster.bugs=["upgrade-race"]'
refuses "ordeal: --set cluster.replicas=6" \
    "6 replicas of a shard need as many nodes, not 5" --set cluster.replicas=6
refuses "ordeal: --set workload.kind=bank" "a workload has a kind or a program, not both" \
    --set workload.kind=bank
refuses "programs/missing.sql" "No such file or directory" \
    --set workload.program=programs/missing.sql
refuses "programs/README.md:1" "column 1: syntax error at or near \"#\"" \
    --set workload.program=programs/README.md
refuses "smallbank.toml:$(line '^program')" "call load('x', 1): function load(unknown, integer) does not exist" \
    --set "workload.load=load('x', 1)"
sed 's/"amalgamate"/"amalgmate"/' "$root/scenarios/smallbank.toml" >smallbank.toml
refuses "smallbank.toml:$(($(line amalgmate) - 1))" "the program has no procedure 'amalgmate'"
sed 's/"uniform(1, 40)", "uniform(1, 40)", "5.00"/"1"/' "$root/scenarios/smallbank.toml" >smallbank.toml
refuses "smallbank.toml:$(($(line send_payment) - 1))" "send_payment takes 3 arguments, not 1"
sed 's/"uniform(1, 40)", "uniform(1, 40)"]/"1", "unifrm(1, 2)"]/' "$root/scenarios/smallbank.toml" \
    >smallbank.toml
refuses "smallbank.toml:$(($(line amalgamate) - 1))" \
    "amalgamate: argument 'unifrm(1, 2)': there is no function 'unifrm'"
sed 's/load(2)/laod(2)/' "$root/scenarios/smallbank.toml" >smallbank.toml
refuses "smallbank.toml:$(line laod)" "call laod(2): function laod(integer) does not exist"

# What no scenario should do to the program.
{ printf 'a = '; head -c 100000 /dev/zero | tr '\0' '['; } >deep.toml
run 2 run deep.toml
check "very deep nesting is refused with its line" says err "deep.toml:1: nested more than 64 deep"
{ cat ping.toml; printf 'x = "\0"\n'; } >nul.toml
run 2 run nul.toml
check "a NUL byte is refused with its line" \
    says err "nul.toml:$(($(wc -l <ping.toml) + 1)): a NUL byte"
head -c 2000000 /dev/zero | tr '\0' '#' >long.toml
run 2 run long.toml
check "a file of more than a megabyte is refused" says err "long.toml: longer than a megabyte"
head -c 300 ping.toml >short.toml
run 2 run short.toml
check "a file cut short is refused" mentions err "short.toml"
run 2 run .
check "a folder is refused" says err ".: cannot read: Is a directory"

run 0 run "$root/tests/cli/promised-locks.toml" --set 'check.checkers=[]'
check "locks that were promised to who is too old now are given back" mentions out "verdict    VALID"
finish
