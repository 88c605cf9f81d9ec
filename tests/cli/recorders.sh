#!/bin/sh
# The recorders of docs/recorders: each runs, where its language is, and `ordeal check` judges what it wrote.
. "$(dirname "$0")/helpers"
recorders=$root/docs/recorders

for recorder in "$recorders"/*; do
    check "${recorder##*/} has at most 50 lines" test "$(wc -l <"$recorder")" -le 50
done

sed -n '/^## For another database/,/^## To add/p' "$root/docs/recording.md" | sed -n '/^```json/,/^```/{/^```/d;p}' >page.jsonl
run 0 check page.jsonl --level strict-serializable
check "the page's own history is one" mentions out "4 transactions"

# --- Python, on SQLite: four sessions, and a commit of which nobody knows ------------

cat >clients.py <<'END'
import sqlite3, sys, threading
sys.path.insert(0, sys.argv[1])
from recorder import Recorder

sql = sqlite3.connect("items", isolation_level=None)
sql.execute("PRAGMA journal_mode = WAL")
sql.execute("CREATE TABLE items (key TEXT PRIMARY KEY, value INTEGER)")
recorder = Recorder("python.jsonl")

def client(session, forgets):
    db = sqlite3.connect("items", isolation_level=None, timeout=20)
    for n in range(25):
        txn, key, value = recorder.begin(session), "xyz"[n % 3], session * 1000 + n
        db.execute("BEGIN IMMEDIATE")
        def get():
            row = db.execute("SELECT value FROM items WHERE key = ?", key).fetchone()
            return row and row[0]
        txn.read(key, get)
        if n % 5 == 4:
            db.execute("ROLLBACK")
            txn.end("abort")
            continue
        txn.write(key, value, lambda: forgets and n == 12 or
                  db.execute("INSERT OR REPLACE INTO items VALUES (?, ?)", (key, value)))
        db.execute("COMMIT")
        txn.end("unknown" if n == 24 else "ok")

clients = [threading.Thread(target=client, args=(i, sys.argv[2] == "forgets")) for i in range(4)]
for c in clients: c.start()
for c in clients: c.join()
END
if command -v python3 >/dev/null && python3 -c 'import sqlite3' 2>/dev/null; then
    python3 clients.py "$recorders" remembers
    run 0 check python.jsonl --level strict-serializable
    check "what Python recorded of SQLite is strictly serializable" mentions out "100 transactions"
    rm -f items*
    python3 clients.py "$recorders" forgets
    run 1 check python.jsonl --level strict-serializable
    check "a write that is forgotten is found" mentions out INVALID
fi

# --- Java and Go: a transaction of each kind ----------------------------------------

# what MIDDLE wrote: an unknown, an aborted and a torn transaction are all read.
judge() { # name, file
    run 1 check "$2" --level serializable
    check "$1 recorded a read of what was rolled back" mentions out "G1a"
    grep -v '"session":3' "$2" >good.jsonl
    run 0 check good.jsonl --level strict-serializable
    check "and is right about the rest" mentions out "3 transactions"
}

if command -v javac >/dev/null && command -v java >/dev/null; then
    cat >Clients.java <<'END'
import java.util.*;

public class Clients {
    public static void main(String[] args) throws Exception {
        try (Recorder recorder = new Recorder("java.jsonl")) {
            Recorder.Txn one = recorder.begin(1);
            one.write("x \"1\"", 5, () -> null);
            one.append("l", 7, () -> null);
            one.end("ok");
            Recorder.Txn two = recorder.begin(2);
            two.read("x \"1\"", () -> 5);
            two.read("l", () -> List.of(7));
            two.write("y", 6, () -> null);
            two.end("abort");
            Recorder.Txn three = recorder.begin(3);
            three.read("y", () -> 6);
            three.end("ok");
            Recorder.Txn four = recorder.begin(4);
            four.read("z", () -> null);
            try {
                four.write("z", 9, () -> { throw new java.io.IOException("lost"); });
            } catch (java.io.IOException lost) {
                four.end("unknown");
            }
        }
    }
}
END
    check "Java compiles" javac -d . "$recorders/Recorder.java" Clients.java
    check "and runs" java -cp . Clients
    judge Java java.jsonl
fi

if command -v go >/dev/null; then
    mkdir -p go/recorder
    cp "$recorders/recorder.go" go/recorder/
    printf 'module ordeal.test\n\ngo 1.18\n' >go/go.mod
    cat >go/main.go <<'END'
package main

import (
	"errors"

	"ordeal.test/recorder"
)

func main() {
	r, err := recorder.New("go.jsonl")
	if err != nil {
		panic(err)
	}
	done := func() error { return nil }
	is := func(v any) func() (any, error) { return func() (any, error) { return v, nil } }
	t := r.Begin(1)
	t.Write("x \"1\"", 5, done)
	t.Append("l", 7, done)
	t.End("ok")
	t = r.Begin(2)
	t.Read("x \"1\"", is(int64(5)))
	t.Read("l", is([]int64{7}))
	t.Write("y", 6, done)
	t.End("abort")
	t = r.Begin(3)
	t.Read("y", is(int64(6)))
	t.End("ok")
	t = r.Begin(4)
	t.Read("z", is(nil))
	if t.Write("z", 9, func() error { return errors.New("lost") }) != nil {
		t.End("unknown")
	}
}
END
    check "Go compiles and runs" sh -c 'cd go && GOFLAGS=-mod=mod GOCACHE=$PWD/cache GOPATH=$PWD/path go build -o ../go.out . && cd .. && ./go.out'
    judge Go go.jsonl
fi

# --- SQL, on a PostgreSQL of our own -------------------------------------------------

programs=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -n 1)
user=postgres
[ "$(id -u)" -eq 0 ] || user=$(id -un)
as_user() { if [ "$(id -u)" -eq 0 ]; then setpriv --reuid=$user --regid=$user --clear-groups "$@"; else "$@"; fi; }
if [ -x "$programs/initdb" ] && command -v psql >/dev/null; then
    server=$(mktemp -d)
    [ "$(id -u)" -ne 0 ] || chown $user "$server"
    stop() { as_user "$programs/pg_ctl" -D "$server/data" -m immediate stop >/dev/null 2>&1; rm -rf "$server" "$work"; }
    trap stop EXIT
    (cd "$server" && as_user "$programs/initdb" -A trust -N -D data &&
        as_user "$programs/pg_ctl" -w -D data -l "$server/log" -o "-c listen_addresses= -k $server -F" start) >initdb.log 2>&1
    sql() { psql -qAt -v ON_ERROR_STOP=1 -h "$server" -U $user -d postgres "$@"; }
    check "the tables and functions are made" sql -f "$recorders/recorder.sql"
    sql -c 'CREATE TABLE items (key text PRIMARY KEY, value bigint)' -c "INSERT INTO items VALUES ('x', 1), ('y', 2)"
    cat >skew.sql <<'END'
BEGIN ISOLATION LEVEL :level;
SELECT ordeal_read('x', (SELECT to_jsonb(value) FROM items WHERE key = 'x'));
SELECT ordeal_read('y', (SELECT to_jsonb(value) FROM items WHERE key = 'y'));
SELECT pg_sleep(0.5);
UPDATE items SET value = :value WHERE key = :'key';
SELECT ordeal_write(:'key', :value);
COMMIT;
END
    skew() { # level: two at once, each of which reads both and writes one
        sql -c 'TRUNCATE ordeal_notes' -c "BEGIN; UPDATE items SET value = 1 WHERE key = 'x'" -c "SELECT ordeal_write('x', 1)" -c COMMIT
        sql -c "BEGIN; UPDATE items SET value = 2 WHERE key = 'y'" -c "SELECT ordeal_write('y', 2)" -c COMMIT
        sql -v level="$1" -v key=x -v value=11 -f skew.sql >/dev/null 2>&1 &
        sql -v level="$1" -v key=y -v value=12 -f skew.sql >/dev/null 2>&1
        wait
        sql -c 'SELECT line FROM ordeal_history' >sql.jsonl
    }
    skew "repeatable read"
    run 1 check sql.jsonl --level serializable
    check "what SQL recorded of write skew is found" mentions out "G2-item"
    skew serializable
    run 0 check sql.jsonl --level serializable
    check "and where one is rolled back, it has no note" mentions out "3 transactions"
fi

finish
