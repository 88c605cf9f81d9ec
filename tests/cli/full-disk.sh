#!/bin/sh
# Full disks, limits of file sizes, folders that may not be written: an error with its reason, nothing
# half written, and a sweep that goes on where there is room again.
. "$(dirname "$0")/helpers"

cat >small.toml <<'END'
name = "small"
[cluster]
nodes = 3
[workload]
kind = "list-append"
transactions = 12
END
sed 's/^nodes = 3/&\nbugs = ["no-timestamp-cache"]/' small.toml >wrong.toml
"$ORDEAL" generate list-append --transactions 20 -o short.jsonl >out 2>err
"$ORDEAL" generate list-append --transactions 20000 -o long.jsonl >out 2>err
"$ORDEAL" check short.jsonl --checker blackbox --witness witness.json >out 2>err
for seed in 1 2 3 4 5 6 7 8 9; do
    "$ORDEAL" run wrong.toml --seed $seed >out 2>err || break
done

# leaves FOLDER NAME...: nothing but these stands in it.
leaves() {
    (
        cd "$1" || exit 1
        shift
        for name in * .[!.]*; do
            case " * .[!.]* $* " in
            *" $name "*) ;;
            *) echo "$name is left"; exit 1 ;;
            esac
        done
    )
}

# What goes to standard output.
if [ -e /dev/full ]; then
    while read -r arguments; do
        # shellcheck disable=SC2086 # several words
        "$ORDEAL" $arguments >/dev/full 2>err </dev/null
        verdict $(($? != 2)) "on a full disk, exit status 2: $arguments"
        check "with the reason" grep -qx "standard output: .*No space left on device" err
    done <<END
run small.toml
run small.toml --json
sweep small.toml --seeds 1..2 -j 1
bisect wrong.toml --seed $seed
check short.jsonl
check short.jsonl --json
verify short.jsonl witness.json
generate list-append --transactions 20 -o -
convert short.jsonl --to jepsen-edn -o -
program $root/scenarios/programs/bank.sql
record sqlite --transactions 5
record sqlite --transactions 5 --json
explain G2
help sweep
--version
END
    while read -r arguments; do
        # shellcheck disable=SC2086 # several words
        "$ORDEAL" $arguments >out 2>err </dev/null
        verdict $(($? != 2)) "so is a file on it: $arguments"
        check "with its name" says err "/dev/full: cannot write: No space left on device"
    done <<END
run small.toml --trace /dev/full
sweep small.toml --seeds 1..2 -j 1 --junit /dev/full
check short.jsonl --witness /dev/full --checker blackbox
generate list-append --transactions 20 -o /dev/full
convert short.jsonl --to jepsen-edn -o /dev/full
END
fi

# A limit on the size of files: the system would end the program with a signal.
mkdir limited
limited() {
    (
        ulimit -f 1
        "$ORDEAL" "$@" >out 2>err </dev/null
    )
}
while read -r arguments; do
    # shellcheck disable=SC2086 # several words
    limited $arguments
    verdict $(($? != 2)) "a file that may not be so large is an error: $arguments"
    check "with the reason" grep -q ': cannot write.*: File too large$' err
    check "and nothing is left of it" leaves limited
done <<END
run small.toml --out limited/run
bisect wrong.toml --seed $seed --out limited/bisect
generate list-append --transactions 2000 -o limited/file.jsonl
convert long.jsonl --to oh -o limited/file.oh
check long.jsonl --checker order --witness limited/witness.json
END
limited record sqlite --transactions 100 --out limited/record
verdict $(($? != 2)) "a database whose files may not be so large is an error, and no finding"
check "with what it says" grep -q '^ordeal: SQLite: .*disk I/O error$' err
check "and no folder is left of it" leaves limited
run 0 sweep small.toml --seeds 1..8 -j 1 --json
cp out whole.json
limited sweep small.toml --seeds 1..8 -j 1 --out limited/sweep
verdict $(($? != 2)) "a journal that may not be so large is an error"
check "with its name" says err "limited/sweep/journal: cannot write the journal: File too large"
run 0 sweep small.toml --seeds 1..8 -j 1 --out limited/sweep --resume --json
sed 's/"seconds":.*"failures"/"failures"/' whole.json >whole.timeless
sed 's/"seconds":.*"failures"/"failures"/' out >out.timeless
check "with more room it goes on" same whole.timeless out.timeless

# A folder that may not be written. Root may write everywhere.
mkdir closed
chmod 555 closed
unable=
if [ "$(id -u)" -eq 0 ]; then
    unable="setpriv --reuid=65534 --regid=65534 --clear-groups"
    chmod 755 . && cp "$ORDEAL" ./ordeal-of-all && chmod 755 ordeal-of-all && chmod 644 ./*.toml
    $unable ./ordeal-of-all list levels >out 2>err || unable=none
fi
if [ "$unable" = none ]; then
    echo "ok - skipped: root may write everywhere, and cannot be somebody else here"
else
    program=$ORDEAL
    [ -n "$unable" ] && program=./ordeal-of-all
    for flags in "run small.toml --out closed/run" "record sqlite --transactions 5 --out closed/record" "sweep small.toml --seeds 1..2 --out closed/sweep" \
        "generate list-append --transactions 20 -o closed/file.jsonl" \
        "convert short.jsonl --to oh -o closed/file.oh" \
        "check short.jsonl --checker blackbox --witness closed/witness.json"; do
        # shellcheck disable=SC2086 # several words
        $unable "$program" $flags >out 2>err </dev/null
        verdict $(($? != 2)) "a folder that may not be written is an error: $flags"
        check "with the reason" grep -q '^closed.*: cannot .*: Permission denied$' err
    done
fi
chmod 755 closed

# A disk that is full, or nearly.
mkdir disk
if [ "$(id -u)" -ne 0 ] || ! mount -t tmpfs -o size=256k tmpfs disk 2>check.log; then
    echo "ok - skipped: a small disk can only be mounted by root, where that is allowed"
    finish
fi
trap 'cd /; umount "$work/disk"; rm -rf "$work"' EXIT

# whole RESULT COMMAND TEST...: what the command makes is whole, or not there at all and the reason said.
whole() {
    made=$1
    line=$2
    shift 2
    # shellcheck disable=SC2086 # several words
    "$ORDEAL" $line >out 2>err
    status=$?
    if [ $status -eq 0 ]; then
        check "with $free kB left it is whole: $line" "$@"
    else
        verdict $((status != 2)) "with $free kB left it is an error: $line"
        check "with the reason" grep -q ': No space left on device$' err
        check "and nothing is left" leaves disk filler
    fi
    rm -rf "$made"
}

for free in 0 4 8 16 32 64; do
    dd if=/dev/zero of=disk/filler bs=1k count=$((256 - free)) 2>check.log
    whole disk/run "run small.toml --out disk/run" test -s disk/run/run.json -a -s disk/run/history.jsonl
    whole disk/record "record sqlite --transactions 20 --out disk/record" \
        test -s disk/record/run.json -a -s disk/record/history.jsonl
    whole disk/file.jsonl "generate list-append --transactions 400 -o disk/file.jsonl" "$ORDEAL" check disk/file.jsonl
    for flags in "convert long.jsonl --to oh -o disk/file" \
        "check long.jsonl --checker order --witness disk/file"; do
        # shellcheck disable=SC2086 # several words
        "$ORDEAL" $flags >out 2>err
        verdict $(($? != 2)) "with $free kB left there is no room for: $flags"
        check "with the reason" grep -q 'disk/file: .*No space left on device$' err
        check "and nothing is left" leaves disk filler
    done
    "$ORDEAL" sweep small.toml --seeds 1..40 -j 1 --out disk/sweep >out 2>err
    status=$?
    verdict $((status != 2 && (status != 0 || free < 32))) "with $free kB left a sweep says if it cannot go on"
    rm disk/filler
    run 0 sweep small.toml --seeds 1..40 -j 1 --out disk/sweep --resume
    check "and with more room it goes on" says out "runs       40"
    rm -rf disk/sweep
done
finish
