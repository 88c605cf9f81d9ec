#!/bin/sh
# watch: streams while they come, from pipes, files that grow and several clients; what is lost;
# how it ends, and what it exits with.
. "$(dirname "$0")/helpers"

hides() { ! grep -F -e "$2" "$1"; }

# watch STATUS ARGUMENT...: as run, with the standard input of the caller, which may be a pipe: then
# this is another shell, whose count of failures nobody sees.
watch() {
    wanted=$1
    shift
    "$ORDEAL" watch "$@" >out 2>err
    got=$?
    [ $got -eq "$wanted" ] && return 0
    verdict 1 "ordeal watch $* exits with $wanted, not $got"
    sed 's/^/    /' out err
    touch failed
    return 1
}

# comes FILE TEXT: whether it stands there before long.
comes() {
    for _ in $(seq 400); do
        grep -qF -e "$2" "$1" && return 0
        sleep 0.05
    done
    echo "wanted: $2"
    cat "$1"
    return 1
}

# What was found: kinds and transactions, of an answer in JSON.
findings() { grep -o '"kind":"[^"]*","transactions":\[[-0-9,]*\]' "$1" | sort; }
finds_the_same() { findings "$1" >one && findings "$2" >two && same one two; }

# Nobody looks at these two seconds long whether they grow.
ripen() { touch -t 202001010000 "$@"; }

cat >own.toml <<'TOML'
name = "mine"
level = "strict-serializable"
view = "commit"
timing = "full"
by_operations = true
TOML
run 0 generate rw-mix --transactions 600 --keys 60 --sessions 6 --seed 5 -o all.jsonl
grep '^{"txn"\|^{"ordeal' all.jsonl >clean.jsonl
run 0 generate rw-mix --transactions 600 --keys 60 --sessions 6 --seed 5 --plant G-single -o planted.jsonl
for i in 0 1 2; do
    awk -v i=$i 'match($0, /"session":[0-9]+/) {
        if (substr($0, RSTART + 10, RLENGTH - 10) % 3 != i) next } { print }' clean.jsonl >client-$i.jsonl
done
# retime FACTOR NS: a history whose times are so many times as long apart, and so much later.
retime() {
    awk -v factor="$1" -v ns="$2" '{
        out = ""
        while (match($0, /"at":\[[0-9]+,[0-9]+\]/)) {
            split(substr($0, RSTART + 6, RLENGTH - 7), at, ",")
            out = out substr($0, 1, RSTART - 1)
            out = out sprintf("\"at\":[%.0f,%.0f]", at[1] * factor + ns, at[2] * factor + ns)
            $0 = substr($0, RSTART + RLENGTH)
        }
        print out $0
    }'
}
retime 1000 0 <clean.jsonl >seconds.jsonl
ripen ./*.jsonl

# --- Where it comes from ----------------------------------------------------------------------------

watch 0 --profile own.toml <clean.jsonl && verdict 0 "standard input is watched"
check "with what came" mentions out "watched    600 transactions, "
check "and the verdict at the profile's level" \
    says out "check      interval      strict-serializable   valid"
check "where nothing is wrong nothing is said of it" hides out "found"
watch 0 - --profile own.toml <clean.jsonl && verdict 0 "- is standard input"
exits 0 "a file is watched" watch clean.jsonl --profile own.toml
exits 0 "lines that a stream does not need are passed over" watch all.jsonl --profile own.toml
exits 0 "several files are clients of one database" \
    watch client-0.jsonl client-1.jsonl client-2.jsonl --profile own.toml
check "all of them" mentions out "watched    600 transactions, "
check "each a stream" mentions out "3 streams"
run 1 watch client-0.jsonl client-2.jsonl --profile own.toml
check "without one of them what it wrote came from nobody" mentions out "nobody had written that"

# In pieces, with a pause within a line.
(head -c 70001 clean.jsonl; sleep 0.4; tail -c +70002 clean.jsonl) >pieces &
wait
(head -c 70001 clean.jsonl; sleep 0.4; tail -c +70002 clean.jsonl) | watch 0 --profile own.toml &&
    verdict 0 "a pipe that stops within a line is waited for"
check "the line is one" hides out "lost"
check "the pieces are the whole" same pieces clean.jsonl

head -c 70001 clean.jsonl >grows.jsonl
(sleep 0.6; tail -c +70002 clean.jsonl >>grows.jsonl) &
exits 0 "a file that grows is watched" watch grows.jsonl --profile own.toml
check "to its end" mentions out "watched    600 transactions, "
wait
(exec 3>held.jsonl; head -c 70001 clean.jsonl >&3; sleep 2.6; tail -c +70002 clean.jsonl >&3) &
comes held.jsonl '"txn":100,' >/dev/null
exits 0 "who has it open is waited for, however long nothing comes" watch held.jsonl --profile own.toml
check "to its end" mentions out "watched    600 transactions, "
wait

# Clients of very different speed: a file, a pipe that is slow, and one that begins late.
mkfifo slow late
(while IFS= read -r line; do printf '%s\n' "$line"; sleep 0.002; done <client-0.jsonl >slow) &
(sleep 0.3; cat client-1.jsonl >late) &
exits 0 "named pipes, slow and late, are judged with a file that is there" \
    watch slow late client-2.jsonl --profile own.toml
check "as one history" mentions out "watched    600 transactions, "
check "of which nothing was lost" hides out "lost"
wait

# --- What is found -------------------------------------------------------------------------------------

for profile in own.toml ordeal/2pl postgresql/serializable innodb/serializable; do
    for history in clean planted; do
        "$ORDEAL" check $history.jsonl --checker interval --profile $profile --json >whole 2>err
        status=$?
        run $status watch $history.jsonl --profile $profile --json
        [ $status -eq 0 ] ||
            check "watch finds in $history.jsonl what check finds by $profile" finds_the_same whole out
    done
done
run 1 watch planted.jsonl --profile own.toml
check "a planted anomaly is found" mentions out "found      "
check "and drawn" mentions out "|--"
check "and the verdict is loud" says out "check      interval      strict-serializable   INVALID"

# It is told while the writer has the pipe open.
mkfifo open
"$ORDEAL" watch open --profile own.toml --patience 1ms >told 2>err &
watcher=$!
exec 3>open
cat >&3 <<'JSONL'
{"ordeal-history":1}
{"txn":1,"session":1,"status":"ok","at":[0,1000],"ops":[{"w":"x","v":1}]}
{"txn":2,"session":1,"status":"ok","at":[2000,3000],"ops":[{"w":"x","v":2}]}
{"txn":3,"session":2,"status":"ok","at":[4000,5000],"ops":[{"r":"x","v":1}]}
{"txn":4,"session":1,"status":"ok","at":[3000000,3001000],"ops":[]}
{"txn":5,"session":2,"status":"ok","at":[3000000,3001000],"ops":[]}
JSONL
check "a finding is told before the stream is over" comes told "found      inconsistent-read"
check "nothing is said of the end yet" hides told "watched"
exec 3>&-
wait $watcher
verdict $(($? != 1)) "it ends with the stream, and exits with 1"
check "what would explain it is told" \
    mentions told "with --clock-error of about 500ns nothing of that would be found"

# --- How it ends ------------------------------------------------------------------------------------------

# interrupt SIGNAL PATIENCE: of a stream that is still open.
interrupt() {
    rm -f open
    mkfifo open
    "$ORDEAL" watch open --profile own.toml --patience "$2" >told 2>err &
    watcher=$!
    exec 3>open
    cat seconds.jsonl >&3
    printf '{"txn":9001,"sess' >&3
    sleep 0.5
    kill -s "$1" $watcher
    wait $watcher
    status=$?
    exec 3>&-
    return $status
}
for signal in INT TERM; do
    interrupt $signal 3s
    verdict $? "SIG$signal ends it, and it exits with its verdict"
    check "it tells what it was" says told "check      interval      strict-serializable   valid"
    check "and that there was more" mentions told "ended      before the streams did"
    check "the line that was coming is not lost" hides told "lost"
done
interrupt INT 1h
verdict $(($? != 3)) "ended before anything was judged, it is undecided"
check "and says so" mentions told "unknown  it was ended before anything could be judged"

# --- What is lost ----------------------------------------------------------------------------------------

# Cut at any byte; resumed there in the same stream or in another, behind a header or without one.
size=$(wc -c <clean.jsonl)
accused=
for seed in 1 2 3 4 5 6 7 8; do
    from=$(awk -v seed=$seed -v size="$size" 'BEGIN { srand(seed); print 100 + int(rand() * size / 2) }')
    to=$((from + 17 * seed * seed * seed))
    head -c "$from" clean.jsonl >begin
    tail -c "+$to" clean.jsonl >rest
    (cat begin; echo; head -n 1 clean.jsonl; cat rest) >same-header
    (cat begin; echo; cat rest) >same-bare
    (head -n 1 clean.jsonl; cat rest) >other-header
    for stream in begin rest same-header same-bare other-header; do
        for patience in 10s 1ms; do
            # shellcheck disable=SC2002 # a pipe is over at its end
            cat $stream | "$ORDEAL" watch --profile own.toml --patience $patience >out 2>err
            [ $? -eq 1 ] && accused="$accused $stream:$seed:$patience"
            [ -s err ] && accused="$accused $stream:$seed:$(cat err)"
        done
    done
done
check "whatever is cut out of a stream, nobody is accused" test -z "$accused"
head -n 200 clean.jsonl >begun.jsonl
(cat begun.jsonl; head -n 1 clean.jsonl; tail -n +300 clean.jsonl) | watch 3 --profile own.toml
check "a header within a stream is a cut" mentions out "lost       what was cut off in 1 place"
tail -n +300 clean.jsonl | watch 3 --profile own.toml
check "and so is a stream without one" mentions out "lost       what was cut off in 1 place"

# A recorder that goes on a little before where it had stopped.
(head -n 300 clean.jsonl; tail -n +250 clean.jsonl) | watch 0 --profile own.toml &&
    verdict 0 "lines that come again accuse nobody, and nothing is lost"
check "they are counted" says out "again      51 transactions that had come before"

# A file that is emptied and written anew.
cp clean.jsonl anew.jsonl
(exec 3>>anew.jsonl; sleep 0.7; : >anew.jsonl; sleep 0.3; head -n 100 clean.jsonl >&3; sleep 0.3) &
run 3 watch anew.jsonl --profile own.toml
check "a file that is written anew is read anew" says out "again      99 transactions that had come before"
check "and what was to come is lost" mentions out "lost       what was cut off in"
wait

head -n 300 clean.jsonl >first
tail -n +301 clean.jsonl >second
{
    cat first
    printf 'WARN connection reset by peer\n'
    printf '{"txn":7,"session":0,"status":"ok","ops":[]}\n'
    printf '{"txn":7,"sess\n'
    printf '\377\376\000\001\033[2J\n'
    printf '[]\n{}\n\n'
    cat second
} >dirty
# shellcheck disable=SC2002
cat dirty | watch 3 --profile own.toml && verdict 0 "garbage between lines accuses nobody"
check "it is counted, and the first is told with its line" \
    mentions out "lost       6 lines that are none, the first standard input:301: "
check "and makes the verdict unknown" mentions out "unknown  6 lines could not be read"
cp dirty dirty.jsonl
ripen dirty.jsonl
run 3 watch dirty.jsonl --profile own.toml
check "of a file its name is told" mentions out "the first dirty.jsonl:301: "
printf '\033]0;\007\n' | watch 3 --profile own.toml
check "garbage does not steer the terminal" sh -c '! grep -q "[[:cntrl:]]" out'
printf '%s\n' '{"ordeal-history":1}' \
    '{"txn":1,"session":1,"status":"ok","at":[0,9],"ops":[{"r":"x\u001b[31m","v":1}]}' |
    watch 1 --profile own.toml
check "nor do keys" sh -c '! grep -q "[[:cntrl:]]" out'
(cat first; head -c 70000000 /dev/zero | tr '\0' x; echo; cat second) | watch 3 --profile own.toml
check "a line of megabytes is passed over" \
    mentions out "standard input:301: the line has more than 67108864 bytes"
check "and the rest is judged" mentions out "watched    600 transactions"
head -c 3000000 /dev/zero | watch 3 --profile own.toml
check "one without an end, too" mentions out "lost       1 line that is none"
watch 3 --profile own.toml </dev/null && verdict 0 "where nothing comes nothing is decided"
check "which is said" mentions out "unknown  no transaction came"
printf 'no\nhistory\n' | watch 3 --profile own.toml
check "nor is it where nothing can be read" mentions out "unknown  no transaction came"

# A client that stalls: it is judged without, and may come back.
mkfifo stalls
(exec 3>stalls; head -n 60 client-0.jsonl >&3; sleep 1.5; tail -n +61 client-0.jsonl >&3) &
watch 3 stalls client-1.jsonl client-2.jsonl --profile own.toml --patience 400ms &&
    verdict 0 "a client that stalls accuses nobody"
check "that it was silent is told" mentions out "silent and judged without"
wait

# A database at rest is no client that stalls: what could have come has come by then.
for i in 1 2 3 4; do
    printf '{"txn":%d,"session":1,"status":"ok","at":[%d000,%d500],"ops":[{"w":"x","v":%d}]}\n' $i $i $i $i
done >rests.jsonl
(head -n 1 clean.jsonl; head -n 2 rests.jsonl; sleep 0.8; tail -n 2 rests.jsonl) |
    watch 0 --profile own.toml --patience 200ms && verdict 0 "a stream may rest"
check "and nothing is lost by that" hides out "lost"

# A session at rest does not hold back the others of its stream: what is found is told meanwhile.
rm -f open
mkfifo open
"$ORDEAL" watch open --profile own.toml --patience 60s >told 2>err &
watcher=$!
exec 3>open
awk 'BEGIN {
    print "{\"ordeal-history\":1}"
    line = "{\"txn\":%d,\"session\":%d,\"status\":\"ok\",\"at\":[%.0f,%.0f],\"ops\":[{\"%s\":\"x\",\"v\":%d}]}\n"
    printf line, 0, 9, 0, 5, "w", 1
    for (i = 1; i < 100; i++)
        printf line, i, 1, i * 1e9, i * 1e9 + 5, i == 10 ? "r" : "w", i == 10 ? 1 : i + 1
}' >&3
check "a session at rest does not hold back what is found" comes told "found      inconsistent-read"
check "nor is anything lost by that" hides told "lost"
exec 3>&-
wait $watcher

# --- Clocks --------------------------------------------------------------------------------------------------

# One client's clock is off by 40 us.
retime 1 40000 <client-0.jsonl >skewed.jsonl
ripen skewed.jsonl
run 1 watch skewed.jsonl client-1.jsonl client-2.jsonl --profile own.toml
check "a clock that is off by more than is admitted: of files, with how much nothing is found" \
    mentions out "clocks     with --clock-error "
error=$(sed -n 's/^clocks  *with --clock-error \([^ ]*\) .*/\1/p' out)
exits 0 "which is so" \
    watch skewed.jsonl client-1.jsonl client-2.jsonl --profile own.toml --clock-error "$error"
exits 0 "and with half of what it is off by" \
    watch skewed.jsonl client-1.jsonl client-2.jsonl --profile own.toml --clock-error 20us
mkfifo gone
cat skewed.jsonl >gone &
run 1 watch gone client-1.jsonl client-2.jsonl --profile own.toml
check "of a pipe, which cannot be read again, the flag is told" mentions out "--clock-error"
wait
(head -n 1 clean.jsonl; for f in skewed client-1 client-2; do tail -n +2 $f.jsonl; done) >mixed.jsonl
run 1 check mixed.jsonl --checker interval --profile own.toml
check "check tells what it takes, having tried it" mentions out "clocks     with --clock-error "
error=$(sed -n 's/^clocks  *with --clock-error \([^ ]*\) .*/\1/p' out)
exits 0 "with so much it finds nothing" \
    check mixed.jsonl --checker interval --profile own.toml --clock-error "$error"

# With so much that nobody looks at the key any more, nothing is found either; but no clock explains a value
# that nobody wrote.
awk 'BEGIN {
    print "{\"ordeal-history\":1}"
    line = "{\"txn\":%d,\"session\":%d,\"status\":\"ok\",\"at\":[%d,%d],\"ops\":[{\"%s\":\"x\",\"v\":%d}]}\n"
    for (i = 0; i < 5000; i++)
        printf line, i, i % 4, i * 10, i * 10 + 8, i == 4999 ? "r" : "w", i == 4999 ? -7 : i
}' >nobody.jsonl
ripen nobody.jsonl
run 1 check nobody.jsonl --checker interval --profile own.toml
check "what is not judged is not explained by clocks" hides out "clocks"
run 1 watch nobody.jsonl --profile own.toml
check "nor when it is watched" hides out "nothing is found"

# --- JSON ----------------------------------------------------------------------------------------------------

run 1 watch planted.jsonl --profile own.toml --json
check "--json is one line" test "$(wc -l <out)" -eq 1
if command -v python3 >/dev/null; then
    cat >fields.py <<'PYTHON'
import json, sys
answer = json.load(open(sys.argv[1]))
for name in ("verdict", "level", "checker", "anomalies", "strongest", "reason", "unjudged", "lost",
             "transactions", "operations", "seconds"):
    assert name in answer, name
assert answer["verdict"] == sys.argv[2] and answer["checker"] == "interval"
assert (answer["reason"] is not None) == (sys.argv[2] == "unknown")
assert bool(answer["anomalies"]) == (sys.argv[2] == "invalid")
for anomaly in answer["anomalies"]:
    assert anomaly["kind"] and anomaly["transactions"] and anomaly["explanation"]
assert set(answer["lost"]) == {"lines", "cuts", "clients"}
PYTHON
    check "an object with all its fields, of what is invalid" python3 fields.py out invalid
    run 0 watch clean.jsonl --profile own.toml --json
    check "of what is valid" python3 fields.py out valid
    run 3 watch dirty.jsonl --profile own.toml --json
    check "and of what is unknown" python3 fields.py out unknown
fi

# --- What is wrong with the call ------------------------------------------------------------------------------

exits 2 "a profile must be given" watch clean.jsonl
check "which is said" mentions err "watch needs --profile P"
exits 2 "an unknown profile is refused" watch clean.jsonl --profile postgres/serializable
check "with the nearest name" mentions err "did you mean postgresql/serializable?"
exits 2 "a file that is not there is refused" watch nosuch.jsonl --profile own.toml
check "with its name" says err "nosuch.jsonl: cannot open it: No such file or directory"
exits 2 "and a folder" watch . --profile own.toml
run 2 watch nosuch.jsonl --profile own.toml --json
check "with --json there is an object of that" mentions out '{"error":{"file":"nosuch.jsonl"'
exits 2 "one stream cannot be two clients" watch clean.jsonl ./clean.jsonl --profile own.toml
check "which is said" says err "./clean.jsonl: is watched already, as clean.jsonl"
run 0 convert all.jsonl --to oh -o all.oh
run 0 convert all.jsonl --to jsonl -o all.jsonl.zst
exits 2 "what is no text is refused" watch all.oh --profile own.toml
check "with a way" mentions err "ordeal convert --to jsonl"
exits 2 "and what is packed" watch all.jsonl.zst --profile own.toml
check "with a way" says err "all.jsonl.zst: is packed: zstd -dc FILE | ordeal watch -"
for flag in --clock-error --patience; do
    for time in -2ms 2 ms 1e3s 99999999999h ''; do
        exits 2 "$flag '$time' is refused" watch clean.jsonl --profile own.toml $flag "$time"
    done
done
if [ -e /dev/full ]; then
    "$ORDEAL" watch planted.jsonl --profile own.toml >/dev/full 2>err
    verdict $(($? != 2)) "a full disk is an error"
    rm -f open
    mkfifo open
    ("$ORDEAL" watch open --profile own.toml --patience 1ms >/dev/full 2>err; echo "exits $?" >told) &
    exec 3>open
    cat planted.jsonl client-0.jsonl client-1.jsonl >&3
    check "whom nobody can hear does not go on" comes told "exits 2"
    exec 3>&-
    wait
fi

# --- Profiles of one's own ------------------------------------------------------------------------------------

# refuses LINE MESSAGE, with the profile as standard input.
refuses() {
    cat >wrong.toml
    run 2 watch clean.jsonl --profile wrong.toml
    if [ "$1" -gt 0 ]; then
        check "$2" says err "wrong.toml:$1: $2"
    else
        check "$2" says err "wrong.toml: $2"
    fi
}
printf 'like = "postgresql/snapshto"\n' |
    refuses 1 'there is no profile "postgresql/snapshto"; did you mean "postgresql/snapshot"?'
printf '# mine\nlik = "postgresql/snapshot"\n' | refuses 2 "a profile has no 'lik'; did you mean 'like'?"
printf 'like = "innodb/serializable"\nlocks_write = true\n' |
    refuses 2 "a profile has no 'locks_write'; did you mean 'locks_writes'?"
printf 'like = "innodb/serializable"\n\nlocks_writes = "yes"\n' |
    refuses 3 'locks_writes should be true or false, not a string'
printf 'level = "serialisable"\nview = "commit"\ntiming = "full"\n' |
    refuses 1 'there is no level "serialisable"; did you mean "serializable"?'
printf 'level = "snapshot"\nview = "transactoin"\ntiming = "full"\n' |
    refuses 2 'there is no view "transactoin"; did you mean "transaction"?'
printf 'level = "snapshot"\nview = "transaction"\ntiming = 1\n' |
    refuses 3 'timing should be a string, not an integer'
printf 'level = "snapshot"\nview = "transaction"\ntiming = "full"\n' |
    refuses 0 'level snapshot needs a view of transaction, and first_updater or a certifier'
printf 'view = "transaction"\n' | refuses 0 'level is missing, and there is no like to have it from'
printf 'like = "ordeal/2pl"\ntiming = "none"\n' |
    refuses 0 'locks are judged by times: they need a timing other than none'
printf 'like = "ordeal/2pl"\nlike = "ordeal/2pl"\n' | refuses 2 'not TOML: key exists'
printf 'like = "ordeal/2pl"\n[lock]\nwrites = true\n' | refuses 2 "a profile has no 'lock'"
printf 'like = "ordeal/2pl\n' | refuses 1 'not TOML: unterminated quote'
printf 'like\000 = 1' | refuses 1 'a NUL byte'
exits 2 "a profile that is not there is refused" watch clean.jsonl --profile nosuch.toml
check "with its name" says err "nosuch.toml: cannot read: No such file or directory"
printf 'like = "ordeal/2pl"\nname = "mine"\nlocks_reads = false\nlocks_absent = false\n' >like.toml
run 0 watch clean.jsonl --profile like.toml
check "what is like another has what that has, but for what it says itself" \
    says out "check      interval      strict-serializable   valid"
[ -e failed ] && failures=$((failures + 1))
finish
