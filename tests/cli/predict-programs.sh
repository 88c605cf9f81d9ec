#!/bin/sh
# predict-programs: predictions of a run's calls, executed again, and the run in which they happen.
. "$(dirname "$0")/helpers"

cat >votes.sql <<'SQL'
CREATE TABLE ballots (id bigint PRIMARY KEY, phone bigint NOT NULL);
CREATE FUNCTION load() RETURNS void LANGUAGE plpgsql AS $$ BEGIN END $$;
CREATE FUNCTION cast_ballot(i bigint, p bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE c bigint;
BEGIN
    SELECT count(*) INTO c FROM ballots WHERE phone = p;
    IF c > 0 AND i % 3 = 0 THEN RAISE EXCEPTION 'voted already'; END IF;
    IF c < 1 THEN INSERT INTO ballots VALUES (i, p); END IF;
END $$;
SQL
cat >votes.toml <<'TOML'
name = "votes"
seed = 3
[workload]
program = "votes.sql"
load = "load()"
sessions = 3
transactions = 9
[[workload.call]]
procedure = "cast_ballot"
arguments = ["fresh", "7"]
[[invariant]]
query = "SELECT count(*) FROM ballots"
equals = 1
TOML

exits 0 "the run that is observed is serializable" run votes.toml --director latest --out seen
exits 0 "the guessing strategies find no second ballot" predict seen/history.jsonl --level causal --strategy approx-relaxed
run 1 predict seen/history.jsonl --program seen/scenario.toml --level causal --strategy semantic --out made/two
check "the semantic strategy does, and it has been executed" grep -Eq "^predicted  causal, semantic .*validated$" out
tr '\n' ' ' <out >line
check "and does not speak of guesses" mentions line "is executed again, and this is what it does"
ls made/two >files
check "the execution and its choices are written, and no witness" \
    test "$(tr '\n' ' ' <files)" = "choices.jsonl predicted.jsonl prediction.svg prediction.txt validated.jsonl "
check "the command that repeats it is told" \
    mentions out "again      ordeal run seen/scenario.toml --set check.level=causal --director made/two/choices.jsonl"
run 1 run seen/scenario.toml --set check.level=causal --director made/two/choices.jsonl
check "there, all choices can be had" mentions out "could be had"
check "the run is not serializable" mentions out "serializable: no"
check "and it breaks the invariant" mentions out "invariant  BROKEN"
exits 0 "at serializable there is nothing to choose" run seen/scenario.toml --director latest

run 1 predict seen/calls.jsonl --program votes.sql --level causal --strategy semantic --json
check "a log of calls will do for the history" mentions out '"prediction":"predicted","level":"causal","strategy":"semantic"'
check "and the object says that it was executed" mentions out '"validated":"validated"'
run 1 predict seen/calls.jsonl --program votes.sql --level snapshot --strategy semantic
check "so that snapshot allows it, too" mentions out "predicted  snapshot, semantic"
run 1 predict seen/history.jsonl --program seen/scenario.toml --level snapshot --strategy semantic --out made/skew
check "then there is a schedule for the replicated store" mentions out "store      ordeal run made/skew/schedule.toml"
run 1 run made/skew/schedule.toml
check "where the checkers convict it" grep -Eq 'certificate +serializable +INVALID' out

# What cannot be.
run 2 predict seen/history.jsonl --program votes.sql --level causal --validate
check "a history does not say what was called" mentions err "a history does not say what was called"
run 2 predict seen/calls.jsonl --level causal
check "and a log of calls not what the calls do" mentions err "a log of calls needs --program FILE.sql"
sed 's/"initial"/&/; s/"id":\([0-9]*\),"phone":7/"id":\1,"phone":8/' seen/history.jsonl >other.jsonl
run 2 predict other.jsonl --program votes.toml --level causal --validate
check "another history than that of the run is refused" test -s err
sed 's/cast_ballot/cast_vote/' seen/calls.jsonl >unknown.jsonl
run 2 predict unknown.jsonl --program votes.sql --level causal --validate
check "a function that is not there is named, with its line" mentions err "unknown.jsonl:2: there is no function cast_vote"
run 2 predict seen/calls.jsonl --program votes.sql --level causal --strategy semantic --engine z3
check "z3 executes nothing" mentions err "--strategy semantic is for --engine native"

finish
