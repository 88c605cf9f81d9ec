#!/bin/sh
# convert: histories from one format to the other and back, whole and damaged.
. "$(dirname "$0")/helpers"

run 0 generate rw-mix --transactions 2000 -o text.jsonl
run 0 convert text.jsonl --to oh -o binary.oh
run 0 convert binary.oh --to jsonl -o again.jsonl
check "text to binary to text is equal to the byte" same text.jsonl again.jsonl
run 0 convert binary.oh --to oh -o again.oh
check "binary to binary too" same binary.oh again.oh
run 0 convert text.jsonl --to jsonl -o again.jsonl
check "text to text too" same text.jsonl again.jsonl
run 0 convert text.jsonl --to oh -o packed.oh.zst
check "a name that ends in .zst is compressed" differ packed.oh.zst binary.oh
run 0 convert packed.oh.zst --to jsonl -o packed.jsonl.zst
run 0 convert packed.jsonl.zst --to jsonl -o again.jsonl
check "compressed to compressed and back is equal to the byte" same text.jsonl again.jsonl
check "the compressed file is what zstd makes of it" \
    sh -c '! command -v zstd || zstd -dc packed.jsonl.zst | cmp - text.jsonl'
"$ORDEAL" convert - --to oh -o - <text.jsonl >through.oh
check "standard input and output will do" same through.oh binary.oh
"$ORDEAL" convert - --to jsonl -o - <packed.oh.zst >through.jsonl
check "for compressed input too" same through.jsonl text.jsonl
cp text.jsonl inplace
run 0 convert inplace --to oh -o inplace
check "a file can be converted onto itself" same inplace binary.oh
run 0 convert inplace --to jsonl -o inplace
check "and back, while it is mapped" same inplace text.jsonl
cp text.jsonl misleading.oh
run 0 convert misleading.oh --to oh -o again.oh
check "what a file is in is seen from its content" same again.oh binary.oh

for workload in rw-mix predicate-mix blindw-rw+ list-append; do
    run 0 generate $workload --transactions 300 -o made.oh
    run 0 convert made.oh --to jsonl -o made.jsonl
    run 0 convert made.jsonl --to oh -o read.oh
    check "a binary of $workload is what its text makes" same made.oh read.oh
done

# Formats of other tools, through folders, pipes and compression.
run 0 generate rw-mix --transactions 300 --seed 7 -o made.jsonl
run 0 convert made.jsonl --to cobra -o logs
check "a folder of logs says what it does not carry" mentions err "format cobra does not carry"
check "it has a log for each session" sh -c 'test $(ls logs | wc -l) -gt 1'
check "and nothing is left beside it" sh -c '! ls -d logs.part-* 2>/dev/null'
run 0 convert logs --to jsonl -o once.jsonl
run 0 convert once.jsonl --to cobra -o again
run 0 convert again --to jsonl -o twice.jsonl
check "what comes back from a folder is carried in full" same once.jsonl twice.jsonl
run 2 convert made.jsonl --to cobra -o logs
check "a folder that is not empty is left alone" mentions err "logs: "
run 2 convert made.jsonl --to cobra -o -
check "a folder cannot be standard output" mentions err "standard output"
cp once.jsonl logs/history.jsonl
run 0 convert logs --to jsonl -o again.jsonl
check "of a folder with a file called history that one is read" same once.jsonl again.jsonl
for format in plume dbcop jepsen-edn jepsen-json isopredict; do
    run 0 convert once.jsonl --to $format -o $format.first.zst
    run 0 convert $format.first.zst --to jsonl -o first.jsonl
    run 0 convert first.jsonl --to $format -o $format.plain
    "$ORDEAL" convert - --to jsonl -o - <$format.plain >second.jsonl
    check "$format: compressed, plain and through a pipe it is the same" same first.jsonl second.jsonl
    run 2 check $format.plain --format cobra --json
    check "$format: read as another it is an error and no verdict" mentions out '"error"'
done

# refused FILE SENTENCE: it is, in a line that names the file, and nothing is written.
refused() {
    rm -f nothing
    run 2 convert "$1" --to jsonl -o nothing
    check "$2 is refused" grep -q "^$1:" err
    check "$2: nothing is written" test ! -e nothing
}

size=$(wc -c <binary.oh)
for part in 0 1 7 40 100 1000 $((size / 3)) $((size / 2)) $((size - 1)); do
    head -c "$part" binary.oh >cut.oh
    refused cut.oh "a binary cut to $part bytes"
done
# A flipped byte, at many places.
flip() { # FILE OFFSET INTO
    byte=$(od -An -tu1 -j "$2" -N 1 "$1" | tr -d ' ')
    cp "$1" "$3"
    # shellcheck disable=SC2059
    printf "\\$(printf '%03o' $((byte ^ 255)))" |
        dd of="$3" bs=1 seek="$2" conv=notrunc 2>/dev/null
}
place=0
while [ $place -lt "$size" ]; do
    flip binary.oh $place flipped.oh
    refused flipped.oh "a binary with byte $place flipped"
    place=$((place + size / 23 + 1))
done
size=$(wc -c <packed.oh.zst)
for part in 5 50 $((size / 2)) $((size - 1)); do
    head -c "$part" packed.oh.zst >cut.zst
    refused cut.zst "a compressed file cut to $part bytes"
done
flip packed.oh.zst $((size / 2)) flipped.zst
refused flipped.zst "a compressed file with a flipped byte"

size=$(wc -c <text.jsonl)
head -c $((size / 2)) text.jsonl >cut.jsonl
lines=$(wc -l <cut.jsonl)
run 2 convert cut.jsonl --to oh -o nothing
check "a text cut within a line is refused with the line" mentions err "cut.jsonl:$((lines + 1)): "
sed '7s/"status"/"statsu"/' text.jsonl >mistyped.jsonl
run 2 convert mistyped.jsonl --to oh -o nothing
check "an unknown field is refused with its line" mentions err "mistyped.jsonl:7: "
sed '9s/"txn":8/"txn":7/' text.jsonl >twice.jsonl
run 2 convert twice.jsonl --to oh -o nothing
check "a transaction that comes twice is refused with its line" mentions err "twice.jsonl:9: "
sed '3s/"v":[0-9]*/"v":99999999999999999999/' text.jsonl >large.jsonl
run 2 convert large.jsonl --to oh -o nothing
check "a number out of range is refused with its line" mentions err "large.jsonl:3: "
sed '3s/"ops"/"\x00ops"/' text.jsonl >nul.jsonl
run 2 convert nul.jsonl --to oh -o nothing
check "a NUL byte is refused with its line" mentions err "nul.jsonl:3: "
{ head -n 1 text.jsonl; printf '{"txn":1,"session":0,"status":"ok","ops":'
  head -c 300000 /dev/zero | tr '\0' '['; } >deep.jsonl
run 2 convert deep.jsonl --to oh -o nothing
check "very deep nesting is refused with its line" mentions err "deep.jsonl:2: "
: >empty
run 2 convert empty --to oh -o nothing
check "an empty file is refused" mentions err "empty"
run 2 convert missing --to oh -o nothing
check "a missing file is named" mentions err "missing: "
run 2 convert . --to oh -o nothing
check "a folder is refused" mentions err "."
run 2 convert text.jsonl --to oh -o missing/file
check "a file that cannot be written is named" mentions err "missing/file"
if [ -e /dev/full ]; then
    run 2 convert text.jsonl --to jsonl -o /dev/full
    check "a full disk is an error" mentions err "No space left on device"
    "$ORDEAL" convert text.jsonl --to jsonl -o - >/dev/full 2>err
    verdict $(($? != 2)) "also behind standard output"
fi
"$ORDEAL" generate rw-mix --transactions 10_000_000 -o killed.oh &
sleep 1
kill -9 $!
wait $! 2>/dev/null
check "a program that is killed leaves no half file" test ! -e killed.oh
check "no temporary files are left" sh -c '! ls | grep part-'

finish
