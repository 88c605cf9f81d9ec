#!/bin/sh
# check: the flags that say how long, with how many threads, by which engine and from how much of
# the version order a history is judged.
. "$(dirname "$0")/helpers"

hides() { ! grep -F -e "$2" "$1"; }

run 0 generate rw-mix --transactions 300 -o small.jsonl

# Far more than a microsecond's work, so that the time is over before the end.
run 0 generate rw-mix --transactions 200000 -o large.oh
for checker in order certificate blackbox; do
    exits 3 "$checker, stopped, is undecided" \
        check large.oh --checker $checker --timeout 0.000001 --witness w.json --json
    check "$checker says so in its verdict" mentions out '"verdict":"unknown"'
    check "$checker says who stopped it" mentions out 'not judged: the time limit of 0.000001 seconds'
    check "there is no evidence of what was not decided" test ! -e w.json
done
exits 0 "time enough changes nothing" check small.jsonl --timeout 600
for seconds in 0 -1 1e3 ten 0.0000000001 99999999999; do
    exits 2 "--timeout $seconds is refused" check small.jsonl --timeout $seconds
    check "and it is told what it takes" mentions err "--timeout takes seconds"
done

run 0 check small.jsonl --checker certificate --witness one.json -j 1
run 0 check small.jsonl --checker certificate --witness two.json -j 2
run 0 verify small.jsonl one.json
run 0 verify small.jsonl two.json
exits 2 "no threads are too few" check small.jsonl -j 0

exits 0 "the native engine is what there is" check small.jsonl --engine native
for checker in order certificate; do
    exits 2 "$checker has no other engine" check small.jsonl --checker $checker --engine z3
    check "and says so" mentions err "$checker has no engine but its own"
    exits 2 "$checker cannot do with a part of the order" \
        check small.jsonl --checker $checker --version-order 0.5
    check "and says so" mentions err "$checker needs the whole version order"
    exits 0 "$checker takes the whole of it" \
        check small.jsonl --checker $checker --version-order 1 --seed 3
done
exits 2 "there is no third engine" check small.jsonl --engine z4
check "the nearest is told" mentions err "did you mean z3"
for ratio in 1.5 -0.1 half 0,9 ''; do
    exits 2 "--version-order '$ratio' is refused" check small.jsonl --version-order "$ratio"
done

# Who asks for what only some checkers can do is not given one that cannot.
for flags in '--version-order 0.5' '--engine z3' '--engine z3 --version-order 0.5 --seed 3'; do
    # shellcheck disable=SC2086 # several flags
    run 0 check small.jsonl $flags --json
    check "with $flags blackbox judges" mentions out '"checker":"blackbox"'
    check "and finds nothing wrong" mentions out '"verdict":"valid"'
done

# Z3 is loaded by who asks for it, and by nobody else.
mkdir broken
echo 'no library' >broken/libz3.so.4
LD_LIBRARY_PATH=$work/broken
export LD_LIBRARY_PATH
exits 0 "without Z3 the native engine works" check small.jsonl --checker blackbox
exits 2 "without Z3 there is no engine z3" check small.jsonl --engine z3
check "and it is told" mentions err "Z3 cannot be loaded: "
unset LD_LIBRARY_PATH

# A library of another version than the headers has other functions of the same names.
{
    sed -n '/^#define Z3_FUNCTIONS/,/clang-format on/p' "$root/smt/smt.c" |
        grep -o 'X([a-z_0-9]*)' | sed '/get_version/d; s/X(\(.*\))/void Z3_\1(void);void Z3_\1(void) {}/'
    echo 'void Z3_get_version(unsigned *a, unsigned *b, unsigned *c, unsigned *d);'
    echo 'void Z3_get_version(unsigned *a, unsigned *b, unsigned *c, unsigned *d)'
    echo '{ *a = 4; *b = 11; *c = 2; *d = 0; }'
} >other.c
mkdir other
check "a library can be made" "${CC:-cc}" -shared -fPIC -o other/libz3.so.4 other.c
LD_LIBRARY_PATH=$work/other
export LD_LIBRARY_PATH
exits 2 "Z3 of another version is refused" check small.jsonl --engine z3
check "by name" mentions err "Z3 4.11.2 is installed, but Ordeal was built for 4."
unset LD_LIBRARY_PATH

# A run that nobody could judge whole, for its conditions, says why the others did not.
cat >undecided.toml <<'TOML'
name = "nobody's level"
[cluster]
protocol = "mvto"
[workload]
kind = "predicate"
transactions = 30
[check]
level = "read-atomic"
TOML
exits 3 "a run that no checker can judge is undecided" run undecided.toml
check "why order did not is told" mentions out \
    "skipped    order         read-atomic           the checker order does not decide read-atomic"
check "why certificate did not is told" mentions out "the checker certificate does not decide"
check "the verdict says unknown" mentions out "verdict    UNKNOWN"
run 0 run undecided.toml --set check.level=serializable
check "of a run that is judged nothing is told that was skipped" hides out skipped
finish
