#!/bin/sh
# usage: help, names that are mistyped, and how errors are reported.
. "$(dirname "$0")/helpers"

subcommands="run sweep bisect prove explore check verify audit predict watch convert generate program list explain"

run 2
check "without arguments the usage goes to standard error" mentions err "usage: ordeal"
check "and nothing to standard output" is_empty out

run 0 --version
check "--version names program and version" grep -Eqx 'ordeal [0-9]+\.[0-9]+\.[0-9]+' out

run 0 --help
cp out overview
for subcommand in $subcommands; do
    check "the overview lists $subcommand" mentions overview "  $subcommand "
    run 0 "$subcommand" --help
    cp out first
    run 0 help "$subcommand"
    check "help $subcommand is what $subcommand --help prints" same first out
    check "help $subcommand shows an example" mentions out "  ordeal $subcommand "
    check "help $subcommand shows the usage" mentions out "usage: ordeal $subcommand "
done

for subcommand in report forecast; do
    run 2 "$subcommand" x
    check "$subcommand, which is not there yet, is no subcommand" \
        mentions err "no subcommand '$subcommand'"
done

run 2 rum x.toml
check "a mistyped subcommand gets the nearest name" \
    says err "ordeal: no subcommand 'rum'; did you mean 'run'?"
run 2 help generat
check "help of a mistyped subcommand too" \
    says err "ordeal: no subcommand 'generat'; did you mean 'generate'?"
run 2 --versoin
check "a mistyped flag in a subcommand's place gets the nearest name" \
    says err "ordeal: no flag --versoin; did you mean --version?"
run 2 -z
check "one that is like none is refused" says err "ordeal: no flag -z; see: ordeal help"
run 2 rum x.toml --json
check "with --json there is an object even where there is no subcommand" \
    mentions out '{"error":{"file":null,"line":null'
run 2 run "$root/scenarios/ping.toml" --out ''
check "an empty name is no name" says err "ordeal: --out is empty"
run 2 convert '' --to oh -o x
check "nor of what is read" says err "ordeal: HISTORY is empty"
run 2 run x.toml --sed 1
check "a mistyped flag gets the nearest name" \
    says err "ordeal: run has no flag --sed; did you mean --seed?"
run 2 run
check "a missing argument is named" says err "ordeal: run needs SCENARIO; see: ordeal help run"
run 2 run a.toml b.toml
check "an argument too many is named" \
    says err "ordeal: run does not take 'b.toml'; see: ordeal help run"
run 2 run a.toml --seed 9007199254740992
check "a seed out of range is refused" mentions err "--seed must be between 0 and 9007199254740991"
run 2 run a.toml --seed -1
check "a negative seed is refused" mentions err "--seed must be between 0 and"
run 2 convert a.jsonl --to jsnl -o b
check "a mistyped format gets the nearest name" \
    says err "ordeal: --to: there is no 'jsnl'; did you mean jsonl?"

run 2 run missing.toml --json
check "an error is one line of text" \
    says err "missing.toml: cannot read: No such file or directory"
check "and with --json an object besides" says out \
    '{"error":{"file":"missing.toml","line":null,"offset":null,"message":"cannot read: No such file or directory"}}'
printf 'name = "x"\n\nnodes = 5\n' >bad.toml
run 2 run --json bad.toml
check "the object has the line" mentions out '"file":"bad.toml","line":3,"offset":null'
run 2 run bad.toml --jsom --json
check "even where the call itself is wrong" mentions out '{"error":{"file":null,"line":null'

run 0 list levels
if [ -e /dev/full ]; then
    "$ORDEAL" list levels >/dev/full 2>err
    verdict $(($? != 2)) "a full disk is an error"
    check "and named" says err "standard output: No space left on device"
fi
"$ORDEAL" list levels >&- 2>err
verdict $(($? != 2)) "a closed standard output is an error"
{ "$ORDEAL" list anomalies 2>err; echo $? >status; } | true
sleep 0.1
check "a pipe that nobody reads is no crash" grep -qx '[02]' status
"$ORDEAL" list levels 2>&- >out
verdict $? "a closed standard error is not needed"

# The manual and the help must not drift apart.
if [ -r "$root/docs/ordeal.1" ]; then
    sed 's/\\-/-/g' "$root/docs/ordeal.1" >manual
    for subcommand in $subcommands; do
        run 0 help "$subcommand"
        grep -Eo '^  (--[a-z-]+|-[a-z] )' out | tr -d ' ' >flags
        while read -r flag; do
            check "the manual has $flag of $subcommand" mentions manual "$flag"
        done <flags
    done
fi

finish
