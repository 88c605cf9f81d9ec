#!/bin/sh
# Every allocation of a command fails once, alone and with all behind it (tests/oom/failing.c). The command then
# says what it says otherwise, or exits with 2, says that memory is out, and leaves nothing half written. A verdict
# may become unknown for that reason, and never another one.
#
# A dozen allocations of each command, spread over all, and the last four, for the report; of `program` every
# fourth, for libpg_query prints a body with four in a row; of `bisect` more of those in the run that it begins
# with. With ORDEAL_SOAK=1 every one of them, to the end; with OOM_EVERY=50 every fiftieth, from the one on that
# OOM_FIRST names (1).
#
#     oom.sh NAME...    tries these commands alone
#     oom.sh list       their names
set -u

# A name, and the arguments; what the command makes goes to the folder `made`.
commands() {
    cat <<TABLE
list-levels      list levels
list-scenarios   list scenarios --json
explain          explain G-single
help             help check
check-items      check items.jsonl --witness made/witness
check-lists      check lists.edn
check-rows       check rows.jsonl --json
check-binary     check items.oh
check-packed     check packed.jsonl.zst
check-bad        check bad.jsonl --junit made/junit
check-folder     check folder --checker infer -j 2
order            check items.jsonl --checker order
certificate      check rows.jsonl --checker certificate --level snapshot
blackbox         check items.jsonl --checker blackbox -j 2
z3               check open.jsonl --checker blackbox --engine z3 --version-order 0
infer            check bad.jsonl --checker infer --level snapshot
weak             check items.jsonl --checker weak --level causal
interval         check bad.jsonl --checker interval --profile postgresql/serializable
watch            watch --profile postgresql/serializable
verify-items     verify items.jsonl items.witness
verify-rows      verify rows.jsonl rows.witness
verify-bad       verify bad.jsonl bad.witness
predict          predict skew.jsonl --level causal --strategy approx-relaxed --out made/predict
predict-rows     predict rows.jsonl --level read-committed --json
predict-none     predict skew.jsonl --level causal --out made/predict
verify-none      verify skew.jsonl none/witness.json
predict-validate predict calls.jsonl --program bank.sql --level causal --strategy approx-relaxed --validate --out made/predict
predict-semantic predict calls.jsonl --program bank.sql --level snapshot --strategy semantic --json
predict-cells    predict rows.jsonl --level read-committed --encoding cells --out made/predict
predict-z3       predict skew.jsonl --level causal --strategy approx-relaxed --engine z3
predict-z3-exact predict skew.jsonl --level prefix --engine z3 --json
verify-predicted verify skew.jsonl predicted/witness.json
verify-rows-predicted verify rows.jsonl rows-predicted/witness.json
audit            audit calls.jsonl --programs bank.sql --level snapshot --witness made/witness
audit-bad        audit wrong.jsonl --programs bank.sql --level serializable --json
audit-rows       audit rows.jsonl --level serializable
audit-z3         audit calls.jsonl --programs bank.sql --level snapshot --engine z3 --witness made/witness
convert-oh       convert rows.jsonl --to oh -o made/oh
convert-edn      convert lists.jsonl --to jepsen-edn -o made/edn
convert-jsonl    convert items.oh --to jsonl -o made/jsonl.zst
generate         generate rw-mix --transactions 10 -o made/jsonl
generate-plant   generate list-append --transactions 12 --plant G1c -o made/jsonl
generate-rows    generate predicate-mix --transactions 8 -o made/oh
program          program bank.sql --call load(2) --call deposit(1,5)
run              run tiny.toml --out made/run
run-rows         run rows.toml --json
run-program      run program.toml
run-log          run program.toml --audit-log made/log
run-director     run program.toml --set check.level=causal --director random --out made/run
run-choices      run program.toml --set check.level=causal --director choices.jsonl --json
run-bug          run found/capsule.toml
sweep            sweep tiny.toml --seeds 1..2 -j 1 --out made/sweep
sweep-bug        sweep found/capsule.toml --seeds 1..2 -j 2 --json
bisect           bisect found/capsule.toml -j 1 --out made/bisect
explore          explore program.toml --level causal --transactions 2 --serializable --out made/explore
explore-store    explore tiny.toml --store --transactions 1 -j 1 --json
explore-bug      explore wrong.toml --store --transactions 2 -j 1 --out made/explore
prove            prove --bug no-timestamp-cache --seeds 1 -j 1
record           record sqlite --clients 1 --transactions 4 --out made/record
record-apart     record sqlite --topology processes --clients 1 --transactions 4
record-watch     record sqlite --watch --clients 1 --transactions 4 --json
run-record       run real.toml --json
sweep-record     sweep real.toml --seeds 1..2 -j 1 --out made/sweep
TABLE
}

[ "${1:-}" != list ] || { commands | cut -d ' ' -f 1; exit 0; }
: "${ORDEAL:?names the program to test}"
root=$(cd "$(dirname "$0")/../.." && pwd)
# The allocator of a build with sanitizers ends the process.
case $ORDEAL in */sanitize/ordeal) ORDEAL=${ORDEAL%/sanitize/ordeal}/gcc-O3/ordeal ;; esac
ORDEAL=$(cd "$(dirname "$ORDEAL")" && pwd)/ordeal
FAILING=${FAILING:-$root/${BUILD:-build}/failing.so}
[ -e "$FAILING" ] || { echo "not ok - there is no $FAILING, which make builds"; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export LC_ALL=C
failures=0

# --- Small inputs ---------------------------------------------------------------------------------------

cat >bank.sql <<'SQL'
CREATE TABLE accounts (id bigint PRIMARY KEY, balance numeric(12,2) NOT NULL);
CREATE FUNCTION load(n bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    FOR i IN 1..n LOOP
        INSERT INTO accounts (id, balance) VALUES (i, 1000);
    END LOOP;
END;
$$;
CREATE FUNCTION deposit(p_id bigint, p_amount numeric) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE
    v numeric(12,2);
BEGIN
    UPDATE accounts SET balance = balance + p_amount WHERE id = p_id;
    SELECT sum(balance) INTO v FROM accounts WHERE balance > 0;
    RETURN v;
END;
$$;
SQL
cat >tiny.toml <<'TOML'
name = "tiny"
[cluster]
nodes = 3
[workload]
kind = "list-append"
transactions = 5
TOML
sed 's/list-append/predicate/' tiny.toml >rows.toml
sed 's/^nodes = 3/&\nbugs = ["no-timestamp-cache"]/' tiny.toml >wrong.toml
sed 's/^kind = .*/program = "bank.sql"\nload = "load(3)"/' tiny.toml >program.toml
cat >>program.toml <<'TOML'
[[workload.call]]
procedure = "deposit"
arguments = ["uniform(1, 3)", "5.00"]
TOML
cat >real.toml <<'TOML'
name = "real"
[workload]
kind = "list-append"
transactions = 4
sessions = 1
[database]
kind = "sqlite"
TOML
cat >skew.jsonl <<'JSONL'
{"ordeal-history":1}
{"txn":1,"session":0,"status":"ok","ops":[{"r":"x","v":null},{"w":"x","v":10}]}
{"txn":2,"session":1,"status":"ok","ops":[{"r":"x","v":10},{"r":"y","v":null},{"w":"x","v":20}]}
{"txn":3,"session":0,"status":"ok","ops":[{"r":"x","v":20},{"r":"y","v":null},{"w":"y","v":5}]}
JSONL
mkdir -p scenarios/bugs
cp tiny.toml scenarios
cp "$root/scenarios/bugs/no-timestamp-cache.toml" scenarios/bugs
seed=1
while "$ORDEAL" run wrong.toml --seed $seed >out 2>err && [ $seed -lt 20 ]; do seed=$((seed + 1)); done
"$ORDEAL" bisect wrong.toml --seed $seed --out found >out 2>err
{
    "$ORDEAL" generate rw-mix --transactions 12 --keys 3 -o items.jsonl
    "$ORDEAL" generate rw-mix --transactions 30 --keys 4 -o open.jsonl
    "$ORDEAL" generate list-append --transactions 10 --keys 3 -o lists.jsonl
    "$ORDEAL" generate predicate-mix --transactions 8 --predicates 50 -o rows.jsonl
    "$ORDEAL" generate list-append --transactions 12 --keys 3 --plant G-single -o bad.jsonl
    "$ORDEAL" generate rw-mix --transactions 12 -o packed.jsonl.zst
    "$ORDEAL" convert items.jsonl --to oh -o items.oh
    "$ORDEAL" convert lists.jsonl --to jepsen-edn -o lists.edn
    "$ORDEAL" check items.jsonl --checker blackbox --witness items.witness
    "$ORDEAL" check rows.jsonl --checker certificate --witness rows.witness
    "$ORDEAL" check bad.jsonl --checker infer --witness bad.witness
    "$ORDEAL" predict skew.jsonl --level causal --strategy approx-relaxed --out predicted
    "$ORDEAL" predict rows.jsonl --level read-committed --out rows-predicted
    "$ORDEAL" predict skew.jsonl --level causal --out none
    "$ORDEAL" run program.toml --audit-log calls.jsonl
    sed '2s/"rows":\[\["/&1/' calls.jsonl >wrong.jsonl
    "$ORDEAL" run program.toml --set check.level=causal --director oldest --out directed
    cp directed/choices.jsonl .
} >out 2>err
mkdir folder made
cp items.jsonl bad.jsonl folder

# --- One command ----------------------------------------------------------------------------------------

# call WHICH NUMBER: FAIL_AT or FAIL_FROM that allocation. Sets `status`, and `count`, the number of allocations.
call() {
    rm -rf made/* made/.[!.]*
    printf '\0\0\0\0\0\0\0\0' >count
    # shellcheck disable=SC2086 # several arguments
    timeout -s KILL 60 env LD_PRELOAD="$FAILING" FAIL_COUNT=count "$1=$2" "$ORDEAL" $arguments \
        >out 2>err <bad.jsonl
    status=$?
    count=$(($(od -An -td8 count)))
}

# But for the time that it took; a recording tells the time in all that it writes.
timeless() {
    case $name in *record*) sed -E 's/"at":\[[0-9,]*\]/TIME/g; s/"history":"[0-9a-f]{64}"/HISTORY/g
            s/([0-9]+ )+commits.s/RATE/; s/"commits_per_second":[0-9]*/RATE/; s/"(p50|p99|p999|max)":[0-9.]*/TIME/g' ;;
        *) cat ;;
    esac | sed -E 's/[0-9][0-9.]* (ns|us|ms|s|min|runs.s)\>/TIME/g; s/\([0-9. ]*×\)//; s/"tried_again":[0-9]*,//
            s/([0-9]+ )+reads.s/RATE/; s/"reads_per_second":[0-9]*/RATE/
            s/"(wall_seconds|seconds|runs_per_second|[a-z_]*_(ns|seconds))":[0-9.]*/TIME/g; s/ time="[0-9.]*"//g
            s/^[0-9a-f]{16} (run [0-9]+) [0-9]+/\1/; /^retried /d'
}

made() {
    find made -type f | sort | xargs -r cat | timeless
}

# Whether each file that was made is one of those that are made otherwise, and of a folder all files or none. Which
# witnesses a recording has is told by the checkers that had memory.
is_whole() {
    for file in $(find made -mindepth 1); do
        case $file in
            made/sweep | made/sweep/journal) continue ;; # it stays, to be resumed
            made/record) [ -s "$file/history.jsonl" ] && [ -s "$file/run.json" ] || return ;;
            made/record/*) ;;
            made/run | made/bisect | made/predict) [ "$(ls "$file")" = "$(ls "whole/${file#made/}")" ] || return ;;
            *) [ "$(timeless <"$file")" = "$(timeless <"whole/${file#made/}")" ] || return ;;
        esac
    done 2>/dev/null
}

# What is wrong with how the command ended, if anything is.
complaint() {
    [ "$count" -gt 0 ] || { echo "no allocation was counted"; return; }
    case $status in
        2)
            grep -qi memory err out || { echo "exit status 2 without the reason"; return; }
            is_whole || echo "something is left half written"
            ;;
        "$wanted" | 3)
            timeless <out >out.now
            made >made.now
            [ $status -eq "$wanted" ] && cmp -s out.now out.whole && cmp -s made.now made.whole && return
            grep -qi memory out.now made.now err || echo "another answer, exit status $status"
            ;;
        0 | 1) echo "another verdict, exit status $status" ;;
        137) echo "no end" ;;
        *) echo "exit status $status" ;;
    esac
}

# try NAME WHICH NUMBER
try() {
    call "$2" "$3"
    why=$(complaint)
    [ -n "$why" ] || return
    echo "$name, $2=$3: $why"
    head -n 3 err | cut -c -300 | sed 's/^/    /'
    [ "$why" = "${why#another answer}" ] || diff out.whole out.now | head -n 6 | cut -c -300 | sed 's/^/    /'
    bad=$((bad + 1))
    [ -z "${KEEP:-}" ] || { rm -rf "$KEEP"; cp -r . "$KEEP"; exit 1; }
}

try_all() { # name; its arguments are in `arguments`
    name=$1 bad=0 tried=0
    call FAIL_AT 0
    wanted=$status whole=$count
    timeless <out >out.whole
    made >made.whole
    rm -rf whole
    cp -r made whole
    if [ "$whole" -eq 0 ] || ! [ "$wanted" -le 1 ]; then
        head -c 300 err
        bad=1
    fi
    for which in FAIL_AT FAIL_FROM; do
        number=${OOM_FIRST:-1}
        stride=$((whole / 11 + 1))
        [ "$name $which" != "program FAIL_AT" ] || stride=4
        while [ $bad -lt 20 ]; do
            try "$name" $which "$number"
            [ "$count" -ge "$number" ] || break
            tried=$((tried + 1))
            if [ "${ORDEAL_SOAK:-0}" = 1 ] || [ -n "${OOM_EVERY:-}" ]; then
                number=$((number + ${OOM_EVERY:-1}))
            else
                [ "$number" -lt "$whole" ] || break
                [ "$number" -lt $((whole - 3)) ] || stride=1
                number=$((number + stride))
                [ "$stride" -eq 1 ] || [ "$number" -lt $((whole - 3)) ] || number=$((whole - 3))
            fi
        done
    done
    if [ "$name" = bisect ]; then
        for number in 600 640 680 720 750 756 780 820 860; do
            try "$name" FAIL_FROM $number
            tried=$((tried + 1))
        done
    fi
    if [ $bad -eq 0 ]; then
        echo "ok - $name: $tried of $((2 * whole)) failures, of $whole allocations"
    else
        echo "not ok - $name: $bad of $tried failures, of $whole allocations"
        failures=$((failures + 1))
    fi
}

commands >table
while read -r name arguments; do
    case " $* " in
        "  " | *" $name "*) try_all "$name" ;;
    esac
done <table
[ $failures -eq 0 ]
