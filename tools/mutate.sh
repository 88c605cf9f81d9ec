#!/bin/sh
# mutate.sh STEM: puts small faults into STEM*.c (and all below STEM/), one at a time, and counts how many of them
# the tests notice.
#
#     make mutate ONLY=checkers/order MUTANTS=30 SEED=1
#
# A fault is killed if a test fails, crashes, leaks or finds no end; else it survives, and is shown.
# Some that survive change nothing that anybody could see. Those that the compiler notices are not
# counted, and others drawn. All is built in a copy of the tree, in the variant MUTATE_VARIANT.
#
# AT="checkers/order/order.c:12 checkers/order/order.c:34" puts faults into these lines alone: to see whether a
# new test notices what the others did not.
#
# TESTS names the tests, by their paths without .c; else they are those of STEM's room with its
# name, or all of the room, and, of a checker, what holds it against the oracle and the verifier.
set -u

stem=${1:?names the files to put faults into, such as checkers/order}
budget=${MUTANTS:-30}
seed=${SEED:-1}
variant=${MUTATE_VARIANT:-sanitize}
build=$(cd "${BUILD:-build}" && pwd) || exit 2
export ASAN_OPTIONS="${ASAN_OPTIONS:-detect_stack_use_after_return=1}"

tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
trap 'exit 1' HUP INT TERM

sources=$(ls "$stem"*.c "$stem"/*.c "$stem"/*/*.c 2>/dev/null | sed 's://*:/:g' | sort -u)
[ -n "$sources" ] || { echo "mutate: no file begins with $stem" >&2; exit 2; }

room=${stem%%/*}
name=${stem#*/}
tests=${TESTS:-}
if [ -z "$tests" ]; then
    tests=$(ls tests/"$room"/test_"$name"*.c tests/"$stem"/test_*.c 2>/dev/null | sed 's/\.c$//')
    [ -n "$tests" ] || tests=$(ls tests/"$room"/test_*.c tests/"$room"/*/test_*.c 2>/dev/null | sed 's/\.c$//')
    [ "$room" != checkers ] || tests="tests/oracle/test_bulk $tests tests/verify/test_generated"
fi
[ -n "$tests" ] || { echo "mutate: no tests of $stem; name some in TESTS" >&2; exit 2; }

# Everything but what was built; of that, only what the dependencies are.
tar -cf - --exclude=./.git --exclude=./build --exclude=./ordeal --exclude="./${build##*/}" . |
    tar -xf - -C "$tree"
mkdir -p "$tree/build"
ln -s "$build/deps" "$tree/build/deps"
[ ! -d "$build/$variant/obj" ] || { mkdir "$tree/build/$variant" &&
    cp -Rp "$build/$variant/obj" "$build/$variant/flags" "$tree/build/$variant/"; }

programs=
for test in $tests; do programs="$programs build/$variant/$test"; done

build_tests() {
    # shellcheck disable=SC2086 # several names
    make -C "$tree" --no-print-directory -s BUILD=build $programs >"$tree/build/log" 2>&1
}

# pass FACTOR: whether all tests pass, each in so many times what it took without a fault, and some
# seconds; with 0, that is measured.
pass() {
    : >"$tree/build/took.new"
    number=0
    for program in $programs; do
        number=$((number + 1))
        limit=600
        [ "$1" -eq 0 ] || limit=$(($1 * $(sed -n ${number}p "$tree/build/took") + 3))
        began=$(date +%s)
        (cd "$tree" && timeout -k 1 "$limit" "$program") >"$tree/build/said" 2>&1 </dev/null ||
            return 1
        echo $(($(date +%s) - began + 1)) >>"$tree/build/took.new"
    done
    [ "$1" -ne 0 ] || mv "$tree/build/took.new" "$tree/build/took"
}

build_tests || { cat "$tree/build/log"; echo "mutate: the tree does not build" >&2; exit 2; }
pass 0 || { tail -n 20 "$tree/build/said"; echo "mutate: the tests fail without any fault" >&2; exit 2; }

# shellcheck disable=SC2086
awk -f tools/mutate.awk $sources |
    awk -v seed="$seed" 'BEGIN { srand(seed) } { printf "%.9f\t%s\n", rand(), $0 }' |
    sort -k 1,1n -s | cut -f 2- |
    awk -F '\t' -v at="${AT:-}" 'at == "" || index(" " at " ", " " $1 ":" $2 " ")' \
        >"$tree/build/mutants"
echo "$stem: $(wc -l <"$tree/build/mutants") faults are possible; $budget of them, drawn by seed $seed"

killed=0 survived=0 stillborn=0
tab=$(printf '\t')
while IFS=$tab read -r file line what text; do
    [ $((killed + survived)) -lt "$budget" ] || break
    LINE=$line TEXT=$text awk 'NR == ENVIRON["LINE"] { print ENVIRON["TEXT"]; next } { print }' \
        "$file" >"$tree/$file"
    if ! build_tests </dev/null; then
        stillborn=$((stillborn + 1))
    elif pass 4; then
        survived=$((survived + 1))
        echo "survived  $file:$line: $what, in"
        sed -n "${line}s/^ */          /p" "$file" # what it is without the fault
    else
        killed=$((killed + 1))
        [ -z "${V:-}" ] || echo "killed    $file:$line: $what"
    fi
    cp "$file" "$tree/$file"
done <"$tree/build/mutants"

tried=$((killed + survived))
echo "$stem: $killed of $tried faults were noticed, $survived survived; $stillborn did not compile"
[ "$tried" -gt 0 ]
