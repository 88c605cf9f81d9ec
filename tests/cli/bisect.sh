#!/bin/sh
# bisect: failing runs become small, capsules fail alike, wherever and however they are run.
. "$(dirname "$0")/helpers"

# capsule_of NAME SEED FLAG...: makes a capsule of a bug's scenario in the folder NAME.
capsule_of() {
    name=$1
    seed=$2
    shift 2
    run 0 bisect "$root/scenarios/bugs/$name.toml" --seed "$seed" --out "$name" "$@"
}
# at_most FILE FIELD N: whether the number of this field, of the capsule, is N or less.
at_most() {
    found=$(sed 's/.*"capsule":{//' "$1" | grep -o "\"$2\":[0-9]*" | head -1 | grep -o '[0-9]*$')
    [ "$found" -le "$3" ] || { echo "$2: $found"; return 1; }
}
fails_of() { sed -n 's/^fails = "\(.*\)"$/\1/p' "$1"; }

# A bug without faults, one that needs a crash, one of a program, one of predicates.
for bug in no-timestamp-cache:3 ack-before-sync:2 join-for-update-misses-a-lock:1 \
    no-predicate-locks:2; do
    name=${bug%:*}
    capsule_of "$name" "${bug#*:}" -j 2 --json
    check "a run of $name shrinks to 4 transactions" at_most out transactions 4
    check "and 2 faults" at_most out faults 2
    run 1 run "$name/capsule.toml" --json
    check "its capsule fails as it says" mentions out "$(fails_of "$name/capsule.toml" | cut -d' ' -f1-3)"
    check "its story is there" [ -s "$name/story.txt" ]
    check "its drawing is there, and ends" mentions "$name/story.svg" "</svg>"
    mv "$name" "$name.two"
    capsule_of "$name" "${bug#*:}" -j 1
    check "another number of jobs makes the same capsule of $name" \
        same "$name/capsule.toml" "$name.two/capsule.toml"
done

# What a capsule does not depend on.
run 1 run no-timestamp-cache/capsule.toml --out first
run 1 run first/scenario.toml --json
second=$(grep -o '"trace":"[0-9a-f]*"' out)
check "a capsule that was printed again is the same run" mentions first/run.json "$second"
check "a capsule draws no transactions" sh -c '! grep -q read_percent no-timestamp-cache/capsule.toml'
check "nor does the scenario that run writes of it" \
    sh -c '! grep -q read_percent first/scenario.toml'
sed 's/^version = .*/version = "0.0.1"/' no-timestamp-cache/capsule.toml >old.toml
run 1 run old.toml
check "run says that another version made a capsule" mentions out "made by ordeal 0.0.1"
run 1 run no-timestamp-cache/capsule.toml
check "and nothing where it was this one" sh -c '! grep -q "made by" out'
exits 1 "git bisect finds a capsule that fails bad" run --git-bisect no-timestamp-cache/capsule.toml
exits 0 "and good where the bug is off" run --git-bisect no-timestamp-cache/capsule.toml \
    --set 'cluster.bugs=[]'
exits 125 "and none where it cannot be read" run --git-bisect no-timestamp-cache/capsule.toml \
    --set workload.sessions=1
check "whose error names the transaction" mentions err "there is no session 1"

# A program stands beside its capsule.
check "a capsule of a program names it without a folder" \
    says join-for-update-misses-a-lock/capsule.toml 'program = "join-for-update-misses-a-lock.sql"'
mv join-for-update-misses-a-lock elsewhere
exits 1 "so that both can go elsewhere" run elsewhere/capsule.toml

# A schedule keeps its steps, and the time to do them; a ping has no transactions.
run 0 bisect "$root/scenarios/isolation/g-single-predicate.toml" --set cluster.protocol=rc \
    --set check.level=serializable --out schedule
check "of a schedule all steps are done" sh -c '! grep -q "was not done" schedule/story.txt'
exits 1 "and its capsule fails" run schedule/capsule.toml
run 0 bisect "$root/scenarios/ping.toml" --set workload.settle=110ms --set network.loss=0.9 \
    --json --out ping
check "a ping that is stuck shrinks to 2 faults" at_most out faults 2
exits 1 "and its capsule fails, too" run ping/capsule.toml

# Of a capsule another can be made.
run 0 bisect ack-before-sync/capsule.toml --json --out smaller
check "a capsule of a capsule is no larger" at_most out transactions 1

# Which run.
exits 3 "no failing run makes no capsule" bisect "$root/scenarios/bugs/no-timestamp-cache.toml" \
    --set 'cluster.bugs=[]' --seeds 1..3 --json
check "and the answer says how many ran" mentions out '"runs":3'
run 0 bisect "$root/scenarios/bugs/no-timestamp-cache.toml" --seeds 1..20 --json --out found
first=$(grep -o '"seed":[0-9]*' out | head -1 | grep -o '[0-9]*')
for seed in $(seq 1 "$((first - 1))"); do
    run 0 run "$root/scenarios/bugs/no-timestamp-cache.toml" --seed "$seed"
done
check "of many seeds it takes the first that fails" [ "$first" -ge 1 ]
exits 3 "one seed is a range too, as with sweep" bisect "$root/scenarios/ping.toml" --seeds 7
run 2 bisect "$root/scenarios/ping.toml" --seeds 5..1
check "and what is refused is refused alike" mentions err "--seeds 5..1 ends before it begins"
touch no-folder
exits 2 "where nothing can be written is found out before any run" \
    bisect "$root/scenarios/ping.toml" --out no-folder
run 2 bisect "$root/scenarios/ping.toml" --out ping
check "a folder with a capsule in it is not written into again" mentions err "ping: there is something in this folder"
exits 2 "one seed and many do not go together" bisect "$root/scenarios/ping.toml" --seed 1 --seeds 1..2

# When.
run 0 bisect "$root/scenarios/bugs/no-timestamp-cache.toml" --when --json
check "when asked when, it says how often each moment failed" mentions out '"tried":16'
check "and at the end every run fails" sh -c \
    'grep -o "\"failed\":[0-9]*" out | tail -1 | grep -qx "\"failed\":16"'

# What is refused, with its line.
sed 's/^do = .*/do = ["w 2"]/' no-timestamp-cache/capsule.toml >bad.toml
exits 2 "an operation that says too little is refused" run bad.toml
check "with what should stand there" mentions err "a number, a, b, sum or rows should stand at character 4"
sed 's/^strikes = .*/strikes = [{ at = "1s", nodes = [9] }]/' ack-before-sync/capsule.toml >bad.toml
exits 2 "a strike at a node that is not there is refused" run bad.toml
check "with its number" mentions err "there is no node 9"

# A run that is stuck with nothing to do leaves no transaction, and none is drawn instead.
run 0 bisect "$root/scenarios/list-append.toml" --seed 1 --set workload.settle=1ms \
    --set workload.transactions=300 --out nothing
check "a failure may need no transaction" mentions out "left       0 transactions"
run 1 run nothing/capsule.toml
check "its capsule has none either" mentions out "   0 committed, 0 aborted, 0 unknown"

finish
