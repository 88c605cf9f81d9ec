#!/bin/sh
# sweep --guided: the same however many work at it, killed and resumed, in shards; and what it refuses.
. "$(dirname "$0")/helpers"

cat >swarm.toml <<'END'
name = "small"
[cluster]
protocol = "mvto"
bugs = ["no-timestamp-cache"]
[workload]
kind = "list-append"
keys = 4
sessions = 4
transactions = 12
think = "20ms"
duration = "5s"
[check]
checkers = ["order"]
[swarm]
kinds = ["all"]
configuration = ["network", "clocks", "raft"]
END
sed -e '/^bugs/d' -e '/^\[swarm\]/,$d' swarm.toml >plain.toml
timeless() {
    sed -e '/^time /d' -e 's/"seconds":[0-9.]*,"runs_per_second":[0-9.]*,//' -e 's/ time="[0-9.]*"//' \
        "$1" >"$1.timeless"
}
# runs DIR: the lines of a journal, by job, without their times.
runs() {
    sed -n 's/^[0-9a-f]* run \([0-9]*\) [0-9]* /\1 /p' "$1/journal" | sort -n
}

run 1 sweep swarm.toml --seeds 1..120 --guided -j 1 --out one --json
timeless out
mv out.timeless one.timeless
run 1 sweep swarm.toml --seeds 1..120 --guided -j 2 --out two --json
timeless out
check "a guided sweep is the same however many work at it" same one.timeless out.timeless
runs one >one.runs
runs two >two.runs
check "to the last thing that each run drew and reached" same one.runs two.runs
check "there is a line for each run" test "$(wc -l <one.runs)" -eq 120
check "the first runs draw from their own seeds" sh -c '! head -32 one.runs | grep -q "\"draws\":"'
check "later ones take what others drew" sh -c \
    'test "$(tail -n +33 one.runs | grep -c "\"draws\":{\"")" -gt 20'
check "and what they reached is written down" sh -c \
    'test "$(grep -c "\"features\":\[[0-9]" one.runs)" -eq 120'

run 1 sweep swarm.toml --seeds 1..32 -j 2 --out unguided
runs unguided | sed 's/.*"trace":"\([0-9a-f]*\)".*/\1/' >unguided.traces
head -32 one.runs | sed 's/.*"trace":"\([0-9a-f]*\)".*/\1/' >one.traces
check "the first runs are those of a plain sweep" same unguided.traces one.traces

# Again. The line may have quotes in it, and is for a shell.
run 1 sweep swarm.toml --seeds 1..120 --guided -j 2
grep -o 'ordeal run swarm.toml --seed .*' out | sort -u >lines
check "failures have a line to run them again" test -s lines
"$ORDEAL" sweep swarm.toml --seeds 1..120 --guided -j 2 --junit junit.xml >report 2>err
sed -n 's/.*>\(ordeal run swarm.toml .*swarm.draws.*\)<\/failure>/\1/p' junit.xml |
    sed "s/&apos;/'/g" | sort -u | tail -3 >>lines
check "also of runs that draw from other seeds" grep -q 'swarm.draws=' lines
while read -r line; do
    check "which fails: $line" sh -c \
        "eval \"\$(printf '%s' \"\$1\" | sed \"s|^ordeal|'\$ORDEAL'|\")\" >again 2>&1; test \$? -eq 1" - "$line"
done <lines

# Killed at any moment, and resumed.
i=0
while [ $i -lt 15 ]; do
    "$ORDEAL" sweep swarm.toml --seeds 1..120 --guided -j 2 --out killed --resume >out 2>err &
    pid=$!
    sleep "0.$((i % 5 + 1))"
    kill -9 $pid 2>/dev/null
    wait $pid 2>/dev/null
    i=$((i + 1))
done
run 1 sweep swarm.toml --seeds 1..120 --guided -j 2 --out killed --resume --json
timeless out
check "a guided sweep that was killed says what one says that was not" same one.timeless out.timeless
runs killed >killed.runs
check "and drew the same" same one.runs killed.runs

# With a first failure, and by time.
run 1 sweep swarm.toml --seeds 1..120 --guided --until-failure -j 1 --json
timeless out
mv out.timeless first.timeless
run 1 sweep swarm.toml --seeds 1..120 --guided --until-failure -j 2 --json
timeless out
check "the first failure is the same, too" same first.timeless out.timeless
"$ORDEAL" sweep swarm.toml --seeds 1..1000000 --guided --time-budget 1 --set 'cluster.bugs=[]' \
    --out timed >out 2>err </dev/null
check "a guided sweep ends when its time is over" test "$(wc -l <timed/journal)" -gt 1

# Shards guide themselves.
for i in 1 2; do
    run 1 sweep swarm.toml --seeds 1..120 --guided -j 2 --shard $i/2 --out "shard$i"
done
run 1 sweep --merge shard1 shard2 --json
check "merged shards have all runs" mentions out '"runs":120,"missing":0'
cp out merged
run 1 sweep --merge shard2 shard1 --json
timeless out
timeless merged
check "in any order" same merged.timeless out.timeless

# The comparison of the manual.
SCENARIO=swarm.toml RUNS=3 BEGINNINGS="1 50" JOBS=1 "$root/tools/guided.sh" no-timestamp-cache >page 2>err
check "a page compares plain and guided sweeps" sh -c \
    'grep -qE "^\| .no-timestamp-cache. \| (>3|[123]), (>3|[123]) \| (>3|[123]), (>3|[123]) \|$" page'

# Refused.
run 2 sweep swarm.toml --seeds 1..120 --out one --resume
check "a plain sweep does not go on with a guided one" mentions err "of a sweep with --guided"
run 2 sweep plain.toml --seeds 1..10 --guided
check "nothing can be guided where nothing is drawn" mentions err "needs a scenario with a [swarm]"
run 2 sweep swarm.toml --seeds 1..10 --guided --set 'swarm.kinds=[]' --set 'swarm.configuration=[]'
check "nor where a swarm draws nothing" mentions err "nothing is drawn here"

# Protocols are drawn that the one checker that is named cannot judge.
sed -e '/^protocol/d' -e '/^bugs/d' -e 's/"raft"/"protocol"/' swarm.toml >drawn.toml
run 3 sweep drawn.toml --seeds 1..24 -j 2
check "a run that a named checker cannot judge is not judged" mentions out "order: the checker order "
check "and the sweep goes on" says out "runs       24"
seed=$(sed -n 's/^undecided  first with seed \([0-9]*\):.*/\1/p' out)
run 3 run drawn.toml --seed "$seed"
check "nor is it by itself" mentions out "verdict    UNKNOWN"
run 2 sweep drawn.toml --seeds 1..24 --set cluster.protocol=rc --set 'swarm.kinds=[]' --set 'swarm.configuration=[]'
check "where nothing is drawn, that is an error" mentions err "the checker order does not decide read-committed"
run 2 sweep --merge shard1 shard2 --guided
check "a merge takes it from the journals" mentions err "beside it stand only"
finish
