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
# --- What a test leaves behind: store/TEST/TIME/, and store/latest -------------------

test=store/append/20260101T000000.000Z
mkdir -p $test/independent/3 $test/elle $test/n1
cat >$test/history.edn <<'END'
{:index 0, :time 100, :type :invoke, :process 0, :f :txn, :value [[:append 1 1] [:r 2 nil]]}
{:index 1, :time 200, :type :ok, :process 0, :f :txn, :value [[:append 1 1] [:r 2 nil]]}
{:index 2, :time 300, :type :info, :process :nemesis, :f :start, :value [:isolated {"n1" #{"n2" "n3"}}]}
{:index 3, :time 500, :type :invoke, :process 1, :f :txn, :value [[:r 1 nil]]}
{:index 4, :time 600, :type :ok, :process 1, :f :txn, :value [[:r 1 [1]]]}
END
printf '0\t:invoke\t:txn\t[[:append 1 1] [:r 2 nil]]\n' >$test/history.txt
echo '{:valid? true, :stats {:valid? true, :count 2}}' >$test/results.edn
echo '{:name "append", :nodes ["n1" "n2" "n3"], :concurrency 10}' >$test/test.edn
printf 'JEPSEN\0\0\0\1' >$test/test.jepsen
echo 'INFO  jepsen.util - 0	:invoke	:txn	nil' >$test/jepsen.log
echo etcd >$test/n1/etcd.log
cp $test/history.edn $test/independent/3/history.edn
cp $test/history.edn $test/elle/cycle.edn
ln -s append/20260101T000000.000Z store/latest
ln -s 20260101T000000.000Z store/append/latest

for folder in store/latest store/append/latest $test store/append store; do
    run 0 check $folder
    check "$folder is that test's history, and not its parts" mentions out "history    2 transactions"
done
run 0 check store/latest --witness witness.json
run 0 verify store/latest witness.json
mkdir -p store/set/20260102T000000.000Z
cp set.edn store/set/20260102T000000.000Z/history.edn
cp $test/test.edn store/set/20260102T000000.000Z/
ln -s 20260102T000000.000Z store/set/latest
run 1 check store --level serializable
check "a store has a line for each test, once" mentions out "histories  2: 1 valid, 1 invalid"
sed -i 's/^{:index 2/{:index/' $test/history.edn
run 2 check store/latest
check "a history that is damaged is refused, whatever else is there" mentions err "history.edn"

finish
