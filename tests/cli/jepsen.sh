#!/bin/sh
# jepsen: the workloads of Jepsen's files, good and bad, each verdict with a witness that stands.
. "$(dirname "$0")/helpers"

# judge STATUS WORDS FILE FLAGS...: a verdict, what is told of it, and its witness.
judge() {
    wanted_status=$1
    words=$2
    shift 2
    rm -f witness.json
    run "$wanted_status" check "$@" --witness witness.json
    check "$1 is told to be: $words" mentions out "$words"
    [ "$wanted_status" -eq 3 ] && return 0
    file=$1
    shift 3
    run 0 verify "$file" witness.json "$@"
}

cat >mutex.edn <<'END'
{:type :invoke :f :acquire :process 0} {:type :ok :f :acquire :process 0}
{:type :invoke :f :acquire :process 1} {:type :ok :f :acquire :process 1}
END
judge 1 "not-linearizable" mutex.edn --level linearizable
sed 's/:f :acquire :process 1/:f :release :process 1/g' mutex.edn >freed.edn
judge 0 "valid" freed.edn --level linearizable

cat >comments.edn <<'END'
{:type :invoke :f :read} {:type :invoke :f :write :value 1} {:type :ok :f :write :value 1}
{:type :invoke :f :write :value 2} {:type :ok :f :write :value 2}
{:type :ok :f :read :value #{2}}
END
judge 1 "INVALID" comments.edn --level strict-serializable
judge 0 "valid" comments.edn --level serializable
sed 's/#{2}/#{1}/' comments.edn >early.edn
judge 0 "valid" early.edn --level strict-serializable

cat >fork.edn <<'END'
({:type :invoke :f :write :value [[:w 0 1]] :process 0} {:type :invoke :f :write :value [[:w 1 1]] :process 1}
 {:type :invoke :f :read :value [[:r 0 nil] [:r 1 nil]] :process 2}
 {:type :ok :f :read :value [[:r 0 1] [:r 1 nil]] :process 2}
 {:type :invoke :f :read :value [[:r 1 nil] [:r 0 nil]] :process 3}
 {:type :ok :f :read :value [[:r 1 1] [:r 0 nil]] :process 3})
END
judge 1 "INVALID" fork.edn --level snapshot

cat >set.edn <<'END'
{:type :invoke :f :add :value [:a 1] :process 0} {:type :ok :f :add :value [:a 1] :process 0}
{:type :invoke :f :read :value [:a nil] :process 1} {:type :ok :f :read :value [:a []] :process 1}
END
judge 1 "lost-element" set.edn --level serializable
sed 's/\[:a \[\]\]/[:a [1]]/' set.edn >kept.edn
judge 0 "valid" kept.edn --level linearizable
grep -v read set.edn >unread.edn
judge 3 "the set was never read" unread.edn

cat >counter.edn <<'END'
{:type :invoke :f :add :value 2 :process 0} {:type :ok :f :add :value 2 :process 0}
{:type :invoke :f :read :process 1} {:type :ok :f :read :value 1 :process 1}
END
judge 1 "count-out-of-bounds" counter.edn --level serializable
sed 's/:read :value 1/:read :value 2/' counter.edn >right.edn
judge 0 "valid" right.edn --level strict-serializable

cat >bank.edn <<'END'
{:type :invoke :f :read :process 0} {:type :ok :f :read :value {0 4, 1 6} :process 0}
{:type :invoke :f :read :process 0} {:type :ok :f :read :value {0 5, 1 6} :process 0}
END
judge 1 "wrong-total" bank.edn --level serializable
sed 's/{0 5,/{0 4,/' bank.edn >same.edn
judge 0 "valid" same.edn --level serializable
run 1 check same.edn --initial 0=4 --initial 1=9
check "the total is that of the initial values, if they are said" mentions out "initially there was 13"

cat >several.edn <<'END'
{:type :invoke :f :txn :value [[:read :x nil] [:write :y 1]] :process 0}
{:type :ok :f :txn :value [[:read :x 0] [:write :y 1]] :process 0}
END
judge 1 "garbage-read" several.edn --level strict-serializable
judge 0 "valid" several.edn --level strict-serializable --initial 0

echo '{:type :ok :f :write :value 1 :process 0}' >ended.edn
run 2 check ended.edn --level strict-serializable
check "of completions alone nobody knows when they began" mentions err 'no transaction of the history has an "at"'
finish
