#!/bin/sh
# judged: the table of who judges what is refused if it is out of date, or has an empty cell.
# A stand-in for the program says what the test wants of every run.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

cat >"$work/program" <<'END'
#!/bin/sh
if [ "$1" = list ]; then
    echo "mvto  timestamps"
    echo "causal  many leaders"
else
    cat "$(dirname "$0")/answer"
fi
END
chmod +x "$work/program"
printf 'before\n<!-- judged -->\n| old |\n<!-- end of judged -->\nbehind\n' >"$work/page"

# answer VERDICT CHECK...: what every run says from now on.
answer() {
    verdict=$1
    shift
    printf '{"checks":[' >"$work/answer"
    for check; do
        printf '{"verdict":"%s","level":"causal","checker":"%s"},' "${check#*=}" "${check%=*}"
    done >>"$work/answer"
    printf '],"verdict":"%s"}\n' "$verdict" >>"$work/answer"
}
judged() { JUDGED_PAGE="$work/page" "$root/tools/judged.sh" "$work/program" "$@" >"$work/out" 2>&1; }
expect() { # SENTENCE STATUS TEXT ARGUMENT...
    sentence=$1 wanted=$2 text=$3
    shift 3
    judged "$@"
    if [ $? -eq "$wanted" ] && grep -qF -e "$text" "$work/out"; then
        echo "ok - $sentence"
    else
        echo "not ok - $sentence"
        sed 's/^/    /' "$work/out"
        failures=$((failures + 1))
    fi
}

answer valid order=valid certificate=valid infer=unknown
expect "a table that is out of date is refused" 1 "make judged"
expect "it can be renewed" 0 "kinds of workload" --renew
expect "and is then accepted" 0 "ok - every kind"
grep -q '^| predicates | certificate, order | certificate, order |$' "$work/page" &&
    grep -q '^| lists | certificate, order | not offered: ' "$work/page" &&
    [ "$(head -n 1 "$work/page")" = before ] && [ "$(tail -n 1 "$work/page")" = behind ]
if [ $? -eq 0 ]; then
    echo "ok - its cells name those who called the runs valid, or the reason why nobody does"
else
    echo "not ok - its cells name those who called the runs valid, or the reason why nobody does"
    failures=$((failures + 1))
fi
answer valid order=valid
expect "a checker that judges no more makes it out of date" 1 "make judged"
answer valid order=unknown
expect "an empty cell is refused" 1 "mvto, predicates: no checker called every run valid"
expect "also by who renews it" 1 "no checker called every run valid" --renew
answer unknown order=valid
expect "a run that is not valid is refused" 1 "causal, programs, seed 2: unknown"
exit $((failures > 0))
