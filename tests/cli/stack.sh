#!/bin/sh
# stack: a small stack ends no command, however its input is nested.
. "$(dirname "$0")/helpers"
# Frames of a build with sanitizers are many times as large.
case $ORDEAL in */sanitize/ordeal) ORDEAL=${ORDEAL%/sanitize/ordeal}/gcc-O3/ordeal ;; esac

run 0 generate rw-mix --transactions 2000 -o items.jsonl
run 0 generate predicate-mix --transactions 500 -o rows.jsonl
run 0 generate list-append --transactions 2000 -o lists.jsonl
run 0 check items.jsonl --checker order --witness witness
run 0 run "$root/scenarios/smallbank.toml" --set workload.transactions=200 --audit-log calls.log
ln -s "$root/scenarios/programs/smallbank.sql" calls.sql
run 0 audit calls.log --programs calls.sql --level serializable --witness calls.witness

# repeat N TEXT: the text N times.
repeat() { awk -v n="$1" -v t="$2" 'BEGIN { for (i = 0; i < n; i++) printf "%s", t }'; }
# nested NAME OPEN MIDDLE CLOSE: a program and a predicate with so many around the middle.
nested() {
    for depth in 400 3000 100000; do
        inside="$(repeat $depth "$2")$3$(repeat $depth "$4")"
        printf 'create table t(id bigint primary key, v bigint);\ncreate function f(a bigint) returns bigint language plpgsql as $$ begin return %s; end $$;\n' \
            "$inside" >"$1-$depth.sql"
        printf '{"ordeal-log":1}\n{"txn":1,"session":0,"statements":[{"sql":"select %s"}],"status":"ok"}\n' \
            "$inside" >"$1-$depth.log"
        printf '{"ordeal-history":1,"tables":{"t":{"columns":{"id":"bigint","v":"bigint"},"key":["id"]}}}\n{"txn":1,"session":0,"status":"ok","at":[1,2],"ops":[{"select":"t","where":"v = %s","rows":{}}]}\n' \
            "$inside" >"$1-$depth.jsonl"
    done
}
nested parentheses '(' 1 ')'
nested minus '-(1+' 1 ')'
nested sum '1+' 1 ''
nested case 'case when 1=1 then ' 1 ' end'
nested selects '(select ' 1 ')'
printf '{"ordeal-history":1}\n{"txn":1,"session":0,"status":"ok","ops":[{"w":"x","v":%s1%s}]}\n' \
    "$(repeat 100000 '[')" "$(repeat 100000 ']')" >values.jsonl
printf '%s1%s' "$(repeat 100000 '{"a":')" "$(repeat 100000 '}')" >objects.json
printf 'a = %s%s\n' "$(repeat 100000 '[')" "$(repeat 100000 ']')" >arrays.toml
printf 'a%s = 1\n' "$(repeat 100000 .a)" >dots.toml
printf '{:type :ok :process 0 :f :txn :value %s%s}\n' "$(repeat 100000 '[')" "$(repeat 100000 ']')" >vectors.edn
printf '{:type :ok :process 0 :f :txn :value %s1}\n' "$(repeat 100000 '#a ')" >tags.edn
printf '[[{"events":%s' "$(repeat 100000 '[{"a":')" >dbcop.json
printf '[{"tid":67,"sid":"s","ops":%s' "$(repeat 100000 '[')" >chronos.json
printf '{"ordeal-witness":1,"verdict":"invalid","level":"serializable","anomalies":%s%s}' \
    "$(repeat 100000 '[')" "$(repeat 100000 ']')" >anomalies.json
for depth in 90 400 3000 100000; do
    for block in 'begin |end; ' 'if true then |end if; ' 'loop |end loop; '; do
        printf 'create function f(a bigint) returns bigint language plpgsql as $$ begin %sreturn 1; %sreturn 1; end $$;\n' \
            "$(repeat $depth "${block%|*}")" "$(repeat $depth "${block#*|}")" >"block-${block%% *}-$depth.sql"
    done
done

# survives COMMAND...: it ends by itself, on a small stack and on the usual one.
survives() {
    for stack in 256 8192; do
        got=$(ulimit -s $stack; timeout 60 "$ORDEAL" "$@" >out 2>err </dev/null; echo $?)
        [ "$got" -le 3 ]
        verdict $? "with ulimit -s $stack: ordeal $* (exit status $got)"
    done
}
for history in items rows lists; do
    survives check $history.jsonl
done
survives check items.jsonl --checker blackbox --engine z3 --version-order 0
survives check items.jsonl --checker blackbox --version-order 0 -j 4
survives verify items.jsonl witness
survives audit calls.log --programs calls.sql --level snapshot
survives verify calls.log calls.witness --programs calls.sql
survives convert rows.jsonl --to oh -o rows.oh
survives generate rw-mix --transactions 100 -o made.jsonl
survives watch items.jsonl --profile postgresql/serializable
for scenario in ping smallbank list-append bookings; do
    survives run "$root/scenarios/$scenario.toml"
done
survives sweep "$root/scenarios/ping.toml" --seeds 1..3
survives bisect "$root/scenarios/ping.toml" --seeds 1..2
survives prove --bug no-timestamp-cache --seeds 1 --clean 1
survives program "$root/scenarios/programs/tpcc.sql"
survives record sqlite --transactions 100
survives record sqlite --topology processes --transactions 50 --workload predicate
survives list scenarios
survives explain G0
for file in *-*.sql; do
    survives program "$file" --call 'f(1)'
    survives audit calls.log --programs "$file" --level snapshot
    survives verify calls.log calls.witness --programs "$file"
done
for file in *-*.log; do
    survives audit "$file" --programs calls.sql --level snapshot
    survives verify "$file" calls.witness --programs calls.sql
done
survives verify calls.log objects.json --programs calls.sql
survives audit objects.json --programs calls.sql --level snapshot
for file in *-*.jsonl values.jsonl objects.json vectors.edn tags.edn dbcop.json chronos.json; do
    survives check "$file"
    survives verify "$file" witness
done
survives verify items.jsonl objects.json
survives verify items.jsonl anomalies.json
survives run arrays.toml
survives run dots.toml
survives check items.jsonl --profile arrays.toml

finish
