#!/bin/sh
# required: a database that REQUIRED names may not be skipped. The program here finds no server of any kind.
. "$(dirname "$0")/../cli/helpers"

cat >ordeal <<'END'
#!/bin/sh
case $2 in
    recipes) printf '{"name":"postgres","topologies":[]}{"name":"etcd","topologies":[]}' ;;
    *) echo "ordeal: there is no server on this machine: install the package x" >&2; exit 2 ;;
esac
END
chmod +x ordeal
ORDEAL=$PWD/ordeal
export ORDEAL

# told TEST: its verdicts of what is put on trial.
told() { sh "$root/tests/$1" 2>&1 | grep -e 'is put on trial' -e '^# skipped: [a-z]*:'; }

for test in databases/recipes.sh cli/record.sh; do
    REQUIRED= told $test >out
    check "$test: what is not there is skipped" grep -q '^# skipped: postgres: ' out
    check "and that is no failure" sh -c '! grep "^not ok" out'
    REQUIRED='mariadb postgres' told $test >out
    check "unless it is required" says out "not ok - postgres is put on trial"
    check "as others are not" sh -c '! grep "^not ok - etcd" out'
done
finish
