#!/bin/sh
# sweep: many seeds, killed and resumed, in shards and merged.
. "$(dirname "$0")/helpers"

cat >small.toml <<'END'
name = "small"
[cluster]
nodes = 3
shards = 2
[network]
loss = 0.01
[workload]
kind = "list-append"
keys = 4
sessions = 4
transactions = 12
think = "20ms"
duration = "5s"
[[nemesis]]
kind = "partition"
every = "500ms"
lasts = "200ms"
END
# Some seeds fail, in more than one way; others do not.
sed 's/^shards = 2/&\nbugs = ["no-timestamp-cache"]/' small.toml >wrong.toml
# timeless FILE: what a sweep said, but for how long it took.
timeless() {
    sed -e '/^time /d' -e 's/"seconds":[0-9.]*,"runs_per_second":[0-9.]*,//' -e 's/ time="[0-9.]*"//' \
        "$1" >"$1.timeless"
}
# traces DIR: the seeds and traces of a journal, in order.
traces() {
    sed -n 's/^[0-9a-f]* run .*{"seed":\([0-9]*\),.*"trace":"\([0-9a-f]*\)".*/\1 \2/p' "$1/journal" | sort -n
}

# What it says.
run 0 sweep small.toml --seeds 1..10 -j 2
check "a sweep says how many runs there were" says out "runs       10"
check "and that all is well" says out "verdict    VALID"
check "and which faults were felt" mentions out "faults     partition halves in 10 of 10, loss in "
check "and which rare paths were not taken" mentions out "never      "
check "but none of other protocols" sh -c '! grep -q deadlock out'
check "on no terminal there is no progress bar" is_empty err
run 0 sweep small.toml --seeds 1..10 -j 1 --json
check "the answer is one line" test "$(wc -l <out)" -eq 1
for field in '"seeds":[1,10]' '"runs":10' '"missing":0' '"failed":0' '"undecided":0' '"seconds":' \
    '"runs_per_second":' '"failures":[]' '"scenarios":[{"path":"small.toml","name":"small","runs":10' \
    '"nemeses":[{"nemesis":0,"name":"partition halves","runs":10,"felt":10}]' \
    '"unfelt":[]' '"sometimes":{' '"never":[' '"verdict":"valid"}'; do
    check "the answer has $field" mentions out "$field"
done
run 0 sweep small.toml --seeds 7
check "one seed is a range too" says out "sweep      seeds 7..7"

# Failures.
run 1 sweep wrong.toml --seeds 1..12 -j 2 --junit junit.xml --out found
check "failures are told" mentions out "of 12 runs failed"
grep -o 'ordeal run wrong.toml --seed [0-9]*' out | sort -u >lines
check "each with a line to run it again" test -s lines
while read -r _ line; do
    # shellcheck disable=SC2086 # it is a command
    exits 1 "which fails: ordeal $line" $line --json </dev/null
done <lines
run 1 sweep wrong.toml --seeds 1..12 -j 1 --json
cp out one.json
check "failures have the names of the contract" \
    grep -Eq '"failures":\[\{"scenario":"wrong.toml","seed":[0-9]+,"checker":"[a-z]+","level":"serializable","anomaly":"[A-Za-z0-9-]+","signature":"[a-z]+ serializable ' one.json
cp found/sweep.json two.json
timeless one.json
timeless two.json
check "however many workers there are" same one.json.timeless two.json.timeless
check "the XML has a case for each run" test "$(grep -c '<testcase ' junit.xml)" -eq 12
failed=$(sed 's/.*"failed":\([0-9]*\),.*/\1/' one.json)
check "of which as many failed" \
    test "$(grep -A1 '<testcase ' junit.xml | grep -c '<failure ')" -eq "$failed"
seed=$(sed 's/.*"failures":\[{[^}]*"seed":\([0-9]*\),.*/\1/' one.json)
signature=$(sed 's/.*"failures":\[{[^}]*"signature":"\([^"]*\)".*/\1/' one.json)
run 1 run wrong.toml --seed "$seed" --json
check "run gives a failure the signature of the sweep" mentions out "\"signature\":\"$signature\""
run 1 sweep wrong.toml --seeds 1..1000000 --until-failure -j 2 --json
cp out one.json
run 1 sweep wrong.toml --seeds 1..1000000 --until-failure -j 1 --json
cp out two.json
timeless one.json
timeless two.json
check "--until-failure ends at the same run, however many work" same one.json.timeless two.json.timeless
check "and early" grep -Eq '"runs":[0-9]{1,2},"missing":0,"failed":1,' one.json

# Killed at any moment, and resumed.
run 1 sweep wrong.toml --seeds 1..60 -j 2 --out whole
cp out whole.txt
times=0
while [ $times -lt 20 ]; do
    "$ORDEAL" sweep wrong.toml --seeds 1..60 -j 2 --out killed --resume >out 2>err &
    pid=$!
    sleep "0.$((10 + times * 13 % 32))"
    kill -9 $pid 2>/dev/null
    wait $pid 2>/dev/null
    times=$((times + 1))
done
run 1 sweep wrong.toml --seeds 1..60 -j 2 --out killed --resume
cp out killed.txt
timeless whole.txt
timeless killed.txt
check "a sweep that was killed 20 times says what one says that was not" \
    same whole.txt.timeless killed.txt.timeless
check "no run is in the journal twice, and none is missing" \
    test "$(grep -c ' run ' killed/journal)" -eq 60
traces whole >whole.traces
traces killed >killed.traces
check "and all are the same" same whole.traces killed.traces
head -c $(($(wc -c <killed/journal) - 30)) killed/journal >torn
cp torn killed/journal
run 1 sweep wrong.toml --seeds 1..60 -j 2 --out killed --resume
cp out killed.txt
timeless killed.txt
check "a torn last line is run again" same whole.txt.timeless killed.txt.timeless
sed '5s/"seed"/"sEed"/' whole/journal >damaged
mkdir broken && cp damaged broken/journal
run 1 sweep --merge broken
check "a damaged line costs its run" says out "runs       59, and 1 not made"
check "which is told" says out "damaged    1 line of the journal, passed over as if not made"
run 1 sweep wrong.toml --seeds 1..60 --out broken --resume
check "it is told as the journal is gone on with, too" \
    says out "damaged    1 line of the journal, passed over as if not made"
sed '/^damaged /d' out >broken.txt
timeless broken.txt
check "and the run is made again" same whole.txt.timeless broken.txt.timeless
sed '1s/version/vErsion/' whole/journal >broken/journal
run 2 sweep wrong.toml --seeds 1..60 --out broken --resume
check "without its first line nobody knows what it is of" \
    mentions err "broken/journal:1: the journal is damaged where it says what it is of"
run 2 sweep wrong.toml --seeds 1..60 --no-sync
check "--no-sync needs a journal" mentions err "--no-sync is of the journal"
run 2 sweep wrong.toml --seeds 1..60 --out whole
check "a journal that is there is not written over" mentions err "go on with it by --resume"
run 2 sweep wrong.toml --seeds 1..61 --out whole --resume
check "nor is that of other seeds gone on with" \
    mentions err "this is the journal of the seeds 1..60, not of 1..61"
run 2 sweep small.toml --seeds 1..60 --out whole --resume
check "nor that of another scenario" mentions err "this is the journal of another scenario"
run 2 sweep wrong.toml --seeds 1..60 --out whole --resume --set workload.keys=5
check "nor that of other settings" mentions err "this is the journal of another scenario"
run 2 sweep wrong.toml --seeds 1..60 --out whole --resume --until-failure
check "nor that of other flags" mentions err "without --until-failure"
# The parser of the programs is a part of the build, though a file of its own.
library=$(ldd "$ORDEAL" | sed -n 's/.*=> \(.*\/libpg_query\.so[^ ]*\) .*/\1/p')
mkdir changed
cp "$library" changed/
echo >>"changed/${library##*/}"
LD_LIBRARY_PATH=$work/changed
export LD_LIBRARY_PATH
run 2 sweep wrong.toml --seeds 1..60 --out whole --resume
check "another library makes another build" mentions err "this is the journal of another build"
unset LD_LIBRARY_PATH
run 2 sweep wrong.toml --seeds 1..60 --resume
check "without a folder nothing is resumed" mentions err "--resume needs the --out DIR"

# Shards.
for shard in 1 2 3; do
    "$ORDEAL" sweep wrong.toml --seeds 1..60 -j 1 --shard $shard/3 --out shard$shard >out 2>err
done
for order in "shard1 shard2 shard3" "shard3 shard1 shard2" "shard2 shard3 shard1"; do
    # shellcheck disable=SC2086 # several folders
    run 1 sweep --merge $order
    cp out merged.txt
    timeless merged.txt
    check "merged, $order say what one machine says" same whole.txt.timeless merged.txt.timeless
done
run 1 sweep --merge shard1 shard2 shard3 --json --junit merged.xml
cp out merged.json
timeless merged.json
cp whole/sweep.json whole.json
timeless whole.json
check "and so does --json" same whole.json.timeless merged.json.timeless
run 1 sweep --merge shard1 shard3
check "a shard that is not there is missed" says out "runs       40, and 20 not made"
run 2 sweep --merge shard1 shard1
check "none is merged twice" mentions err "this shard has been merged already"
run 2 sweep --merge shard1 whole
check "nor with what is no shard" mentions err "this is one of 1 shards, and others are of 3"
run 0 sweep small.toml --seeds 1..4 --shard 0/2 --out zero
run 0 sweep small.toml --seeds 1..4 --shard 2/2 --out two
traces zero >zero.traces
traces two >two.traces
check "shard 0 of 2 is shard 2 of 2" same zero.traces two.traces
run 2 sweep small.toml --seeds 1..4 --shard 3/2
check "and there is no third" mentions err "there are only 2"
for shard in 1 2 3; do
    "$ORDEAL" sweep wrong.toml --seeds 1..200 -j 1 --until-failure --shard $shard/3 --out until$shard >out 2>err
done
run 1 sweep --merge until1 until2 until3
cp out merged.txt
run 1 sweep wrong.toml --seeds 1..200 -j 1 --until-failure
timeless merged.txt
timeless out
check "shards that end at a failure end where one machine does" same out.timeless merged.txt.timeless

# Alone, in a batch, in shards: a seed leaves one trace.
while read -r seed trace; do
    [ $((seed % 20)) -eq 0 ] || continue
    "$ORDEAL" run wrong.toml --seed "$seed" --json >out 2>err
    check "seed $seed leaves its trace alone too" mentions out "\"trace\":\"$trace\""
done <whole.traces
for shard in 1 2 3; do traces shard$shard; done | sort -n >shards.traces
check "and in shards" same whole.traces shards.traces

# A program that is replaced meanwhile still runs its failures again as itself.
cp "$ORDEAL" ordeal-copy
./ordeal-copy sweep wrong.toml --seeds 1..60 -j 1 >out 2>err &
pid=$!
until readlink /proc/$pid/exe | grep -q ordeal-copy; do kill -0 $pid || break; done
rm ordeal-copy
wait $pid
cp out replaced.txt
timeless replaced.txt
check "nothing differs as the program is replaced" same whole.txt.timeless replaced.txt.timeless

# What shows nothing.
sed 's/^every = .*/start = "100s"/' small.toml >unfelt.toml
run 3 sweep unfelt.toml --seeds 1..3
check "a fault that was never felt is named" says out "unfelt     partition halves (nemesis.0)"
check "and leaves the sweep undecided" says out "verdict    UNKNOWN"
run 3 sweep small.toml --seeds 1..3 --set workload.duration=1us
check "nothing committed is told" says out "barren     nothing committed in any run"

# Folders.
mkdir both && cp small.toml both/a.toml && cp wrong.toml both/b.toml
run 1 sweep both --seeds 1..6 --json
check "a folder is all its scenarios" mentions out '"runs":12,'
check "each told apart" grep -q '"path":"both/a.toml","name":"small","runs":6,"failed":0,.*"path":"both/b.toml"' out
mkdir empty
run 2 sweep empty --seeds 1..2
check "a folder without scenarios is an error" mentions err "there is no scenario in this folder"

# A worker that is killed is no fault of the store: its run is tried again.
"$ORDEAL" sweep "$root/scenarios/swarm.toml" --seeds 1..2 -j 1 --set workload.transactions=500 >out 2>err &
pid=$!
worker=
for _ in 1 2 3 4 5 6 7 8 9; do
    sleep 0.05
    worker=$(cat /proc/$pid/task/$pid/children)
    [ -n "$worker" ] && break
done
kill -9 $worker
wait $pid
check "a run whose process was killed is tried again, and judged" test $? -eq 0
check "which is told" says out "retried    1 try of a run that the machine failed"

# One that is killed each time is not judged. It is tried again by --resume.
"$ORDEAL" sweep "$root/scenarios/swarm.toml" --seeds 1..3 -j 1 --set workload.transactions=3000 \
    --until-failure --out lost --json >out 2>err &
pid=$!
killed=
while [ "$(echo "$killed" | wc -w)" -lt 4 ] && kill -0 $pid 2>check.log; do
    worker=$(tr -d ' ' <"/proc/$pid/task/$pid/children" 2>check.log)
    case " $killed " in
    *" $worker "*) continue ;;
    esac
    kill -9 "$worker" && killed="$killed $worker"
done
wait $pid
check "a run whose process is killed each time leaves the sweep undecided" test $? -eq 3
check "it is named with the reason" mentions out '"not_judged":[{"scenario":"'
check "and the signal, and how often it was tried" \
    mentions out '"seed":1,"reason":"its process was killed by SIGKILL; tried 4 times"}]'
check "no run failed" mentions out '"failed":0,'
check "the journal has it" mentions lost/journal '"not_judged":"its process was killed by SIGKILL; tried 4 times"'
run 3 sweep --merge lost --junit lost.xml
check "merged it is not judged either" mentions out "not judged 1 run, first with seed 1: its process was killed by SIGKILL"
check "the XML has it as an error" mentions lost.xml '<error message="not judged: its process was killed'
run 0 sweep "$root/scenarios/swarm.toml" --seeds 1..3 -j 2 --set workload.transactions=3000 \
    --until-failure --out lost --resume --json
check "--resume tries it again" mentions out '"runs":3,"missing":0,"failed":0,"undecided":0,"too_long":0,"not_judged":[],'
run 0 sweep --merge lost
check "and the merged sweep has all" says out "runs       3"

# A sweep that is killed takes its workers with it, in the middle of their runs.
"$ORDEAL" sweep "$root/scenarios/list-append.toml" --seeds 1..2 -j 2 --set workload.duration=1h \
    --set workload.transactions=100000000 >out 2>err &
pid=$!
worker=
for _ in 1 2 3 4 5 6 7 8 9; do
    sleep 0.1
    worker=$(cut -d' ' -f1 /proc/$pid/task/$pid/children)
    [ -n "$worker" ] && break
done
kill -9 $pid
wait $pid 2>check.log
# gone PID: within a second it is, or only waits to be buried.
gone() {
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        [ -d "/proc/$1" ] && ! grep -q '^State:.[ZX]' "/proc/$1/status" || return 0
        sleep 0.1
    done
    return 1
}
check "a sweep that is killed takes its workers with it" test -n "$worker"
check "at once" gone "${worker:-1}"
kill -9 "$worker" 2>check.log

run 2 sweep small.toml --seeds 1..4 --out nowhere --junit missing/junit.xml
check "a report that cannot be written is told before the runs" test ! -e nowhere
cp wrong.toml "$(printf 'wr\377ng.toml')"
run 1 sweep "$(printf 'wr\377ng.toml')" --seeds 1..12 --junit bytes.xml
check "the XML is UTF-8 whatever the file's name is" iconv -f UTF-8 -t UTF-16 bytes.xml
check "which stands in it as well as it can" mentions bytes.xml 'classname="wr?ng.toml"'

run 0 sweep small.toml --seeds 1..1000000 --time-budget 1 -j 1 --json
check "--time-budget ends in time" grep -Eq '"seconds":[1-9]\.' out
run 2 sweep small.toml --seeds 5..1
check "seeds that end before they begin are refused" mentions err "--seeds 5..1 ends before it begins"
run 2 sweep small.toml --seeds x
check "and so is what is no seed" mentions err "--seeds takes 1..100"
run 2 sweep small.toml
check "and a sweep without seeds" mentions err "sweep needs --seeds A..B"
run 2 sweep missing.toml --seeds 1..2
check "a scenario that is not there is an error" mentions err "missing.toml"
run 2 sweep - --seeds 1..2
check "standard input cannot be read several times" mentions err "give it a file"

finish
