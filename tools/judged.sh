#!/bin/sh
# judged PROGRAM [--renew]: is every kind of workload judged under every protocol, and by whom?
#
# Runs each kind under each protocol, without bugs, with two seeds, a crash now and then and
# some lost messages, JOBS runs at a time. A cell of the table names the checkers that called
# every one of these runs valid. The table in docs/store.md must be this one: `make judged`
# renews it. A cell without a checker needs a reason below, and no run may be less than valid.
set -u
cd "$(dirname "$0")/.." || exit 2

program=$1
page=${JUDGED_PAGE:-docs/store.md} # another one in tests
seeds="1 2"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
protocols=$("$program" list protocols | cut -d ' ' -f 1)

# NAME|SCENARIO|settings of the workload. `-`: the scenario below. Of programs, such as have
# no invariant that a weak level breaks: SmallBank's, for example, hold at serializable only.
cat >"$work/kinds" <<'END'
registers, read and written|-|kind=rw-register
registers, long and short transactions|-|kind=rw-register keys=60 operations_max=24
registers, transactions that write blindly|-|kind=blindw
registers, values that repeat|-|kind=rw-register repeat_values=5
lists|-|kind=list-append
rows, read and then written|-|kind=counter
predicates|-|kind=predicate keys=40 range_percent=60 delete_percent=0
predicates, inserts and deletes|-|kind=predicate keys=12 delete_percent=30
predicates, rows born again in a transaction|-|kind=predicate keys=12 delete_percent=20 reborn_percent=50
predicates, blind writes of rows|-|kind=predicate keys=12 delete_percent=20 blind_percent=70
predicates, values that repeat|-|kind=predicate keys=12 delete_percent=20 repeat_values=4
predicates, long and short transactions|-|kind=predicate keys=60 delete_percent=20 operations_max=16
programs|scenarios/twitter.toml|
programs that insert and delete|scenarios/tatp.toml|
END

# reason PROTOCOL NAME: why nobody judges that; nothing if somebody must.
reason() {
    case "$1 $2" in
        "causal lists" | "eventual lists") echo "not offered: an append is not a write that can win" ;;
    esac
}

cat >"$work/base.toml" <<'END'
name = "judged"
[cluster]
protocol = "mvto"
[network]
latency = { median = "1ms", p99 = "20ms" }
loss = 0.005
[workload]
kind = "rw-register"
transactions = 300
think = "60ms"
[[nemesis]]
kind = "crash"
shape = "one"
every = "3s"
lasts = "1s"
END

# PROGRAM SCENARIO PROTOCOL SEED OUTPUT SETTING...: one run, as JSON.
cat >"$work/run" <<'END'
program=$1 scenario=$2 protocol=$3 seed=$4 out=$5
shift 5
for setting; do
    set -- "$@" --set "workload.$setting"
    shift
done
"$program" run "$scenario" --seed "$seed" --json --set "cluster.protocol=$protocol" \
    --set workload.transactions=300 "$@" >"$out" 2>&1
END

# Everything that is to be run, one a line.
row=0
while IFS='|' read -r name scenario settings; do
    row=$((row + 1))
    [ "$scenario" != - ] || scenario=$work/base.toml
    for protocol in $protocols; do
        [ -z "$(reason "$protocol" "$name")" ] || continue
        for seed in $seeds; do
            # Without a blank at the end, which would go on with the next line.
            echo "$program $scenario $protocol $seed $work/$row.$protocol.$seed${settings:+ $settings}"
        done
    done
done <"$work/kinds" >"$work/runs"
xargs -P "${JOBS:-1}" -L 1 sh "$work/run" <"$work/runs"

# verdict FILE: of a run; valid_by FILE: the checkers that called it valid, one a line.
verdict() { grep -o '"verdict":"[a-z]*"' "$1" | tail -n 1 | cut -d '"' -f 4; }
valid_by() { grep -o '"verdict":"valid","level":"[^"]*","checker":"[a-z]*"' "$1" | cut -d '"' -f 12; }

# cell ROW PROTOCOL NAME
cell() {
    why=$(reason "$2" "$3")
    [ -z "$why" ] || { echo "$why"; return; }
    : >"$work/all"
    for seed in $seeds; do
        file=$work/$1.$2.$seed
        valid_by "$file" >>"$work/all"
        [ "$(verdict "$file")" = valid ] ||
            echo "$2, $3, seed $seed: $(verdict "$file"): $(head -c 300 "$file")" >>"$work/bad"
    done
    by=$(sort "$work/all" | uniq -c | awk -v seeds="$(echo "$seeds" | wc -w)" \
        '$1 == seeds { printf "%s%s", sep, $2; sep = ", " }')
    [ -n "$by" ] || echo "$2, $3: no checker called every run valid" >>"$work/bad"
    echo "$by"
}

: >"$work/bad"
{
    printf '| workload |'
    for protocol in $protocols; do printf ' `%s` |' "$protocol"; done
    printf '\n|---|'
    for protocol in $protocols; do printf -- '---|'; done
    printf '\n'
    row=0
    while IFS='|' read -r name scenario settings; do
        row=$((row + 1))
        printf '| %s |' "$name"
        for protocol in $protocols; do
            printf ' %s |' "$(cell $row "$protocol" "$name")"
        done
        printf '\n'
    done <"$work/kinds"
} >"$work/table"

if [ -s "$work/bad" ]; then
    sed 's/^/    /' "$work/bad"
    echo "not ok - every kind of workload is judged under every protocol"
    exit 1
fi
awk -v table="$work/table" '
    /^<!-- judged -->$/ { print; while ((getline line < table) > 0) print line; inside = 1 }
    /^<!-- end of judged -->$/ { inside = 0 }
    !inside || /^<!-- end/ { if (!/^<!-- judged -->$/) print }' "$page" >"$work/page"
if [ "${2-}" = --renew ]; then
    cp "$work/page" "$page"
    echo "$page: $(wc -l <"$work/kinds") kinds of workload"
elif cmp -s "$page" "$work/page"; then
    echo "ok - every kind of workload is judged under every protocol, by those whom $page names"
else
    diff "$page" "$work/page" | sed 's/^/    /' | head -n 40
    echo "    If who judges was meant to change, renew the table: make judged"
    echo "not ok - every kind of workload is judged by those whom $page names"
    exit 1
fi
