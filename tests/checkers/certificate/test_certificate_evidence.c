/*
 * What `certificate` says beside its verdict, for each kind of anomaly: the sentence, and the
 * witness, which the verifier takes.
 */
#include <string.h>

#include "tests/checkers/checker_fixture.h"
#include "tests/oracle/notation.h"
#include "tests/verify/verify_fixture.h"
#include "unity.h"

void setUp(void) {}
void tearDown(void) {}

static void every_anomaly_is_told_and_proved(void)
{
    static const struct {
        const char *notation;
        enum level level;
        enum anomaly kind;
        const char *explanation; /* what it begins with */
    } rows[] = {
        { "T1: w x 1, w y 2; T2: w x 3, w y 4; order x T1 T2; order y T2 T1",
          LEVEL_READ_UNCOMMITTED, ANOMALY_G0,
          "T2 wrote y=4, which T1 overwrote; T1 wrote x=1, which T2 overwrote; so T1 "
          "comes both after and before T2" },
        { "T1: w x 1, r y 2 from T2; T2: w y 2, r x 1 from T1; order x T1; order y T2",
          LEVEL_READ_COMMITTED, ANOMALY_G1C,
          "T2 wrote y=2, which T1 read; T1 wrote x=1, which T2 read; so T1 comes both "
          "after and before T2" },
        { "T1: w x 1, w y 2; T2: r x _ from init, r y 2 from T1; order x T1; order y T1",
          LEVEL_SNAPSHOT, ANOMALY_G_SINGLE,
          "T2 read x=null before T1 wrote it; T1 wrote y=2, which T2 read; so T1 comes "
          "both after and before T2" },
        { "T1: w x 1; T2: w y 2; T3: r x 1 from T1, r y _ from init;T4: r x _ from "
          "init, r y 2 from T2; order x T1; order y T2",
          LEVEL_SNAPSHOT, ANOMALY_G_NONADJACENT,
          "T3 read y=null before T2 wrote it; T2 wrote y=2, which T4 read; T4 read "
          "x=null before T1 wrote it; T1 wrote x=1, which T3 read; so T1 comes both "
          "after and before T3" },
        { "T1: r y _ from init, w x 1; T2: r x _ from init, w y 2; order x T1; order y "
          "T2",
          LEVEL_REPEATABLE_READ, ANOMALY_G2_ITEM,
          "T1 read y=null before T2 wrote it; T2 read x=null before T1 wrote it; so T2 "
          "comes both after and before T1" },
        { "T1: sel * {} from t/1 init, ins {1=1}; T2: sel * {} from t/1 init, ins "
          "{2=2};order t/1 T1; order t/2 T2",
          LEVEL_SERIALIZABLE, ANOMALY_G2,
          "T1 looked for t before T2 wrote t/2={\"id\":2,\"v\":2}, which changed what "
          "matches; T2 looked for t before T1 wrote t/1={\"id\":1,\"v\":1}, which "
          "changed what matches; so T2 comes both after and before T1" },
        { "T1 s1: w x 1; T2 s1: r x _ from init; order x T1",
          LEVEL_SESSION_SERIALIZABLE, ANOMALY_G_SINGLE_PROCESS,
          "T1 came before T2 in session 1; T2 read x=null before T1 wrote it; so T2 "
          "comes both after and before T1" },
        { "T1 s1: w x 1; T2 s1: w x 2; order x T2 T1",
          LEVEL_SESSION_SNAPSHOT, ANOMALY_G0_PROCESS,
          "T1 came before T2 in session 1; T2 wrote x=2, which T1 overwrote; so T2 "
          "comes both after and before T1" },
        { "T1: w t/1 5; T2 s2: d t/1; T3 s2: w x 1; T4: r x 1 from T3, sel v>=9 {} from t/1 T1;"
          "order t/1 T1 T2; order x T3",
          LEVEL_CAUSAL, ANOMALY_G_SINGLE_PROCESS,
          "T4 read t/1 before T2 deleted it; T2 came before T3 in session 2; T3 wrote x=1, which "
          "T4 read; so T3 comes both after and before T4" },
        { "T1 @1-2: w x 1; T2 @3-4: r x _ from init; order x T1",
          LEVEL_STRICT_SNAPSHOT, ANOMALY_G_SINGLE_REALTIME,
          "T1 had completed before T2 began; T2 read x=null before T1 wrote it; so T2 "
          "comes both after and before T1" },
        { "T1 @1-2: w x 1; T2 @3-4: w x 2; order x T2 T1",
          LEVEL_STRICT_SERIALIZABLE, ANOMALY_G0_REALTIME,
          "T1 had completed before T2 began; T2 wrote x=2, which T1 overwrote; so T2 "
          "comes both after and before T1" },
        { "T1 abort: w x 1; T2: r x 1 from T1",
          LEVEL_READ_COMMITTED, ANOMALY_G1A,
          "T2 read x=1, which T1 wrote and rolled back" },
        { "T1 ts1: w x 1, w x 2; T2 ts2: r x 1; order x T1",
          LEVEL_READ_COMMITTED, ANOMALY_G1B,
          "T2 read x=1, which T1 overwrote itself, where T1 had left x=2" },
        { "T1 ts1: r x 9",
          LEVEL_READ_COMMITTED, ANOMALY_GARBAGE_READ,
          "T1 read x=9, which nobody wrote, where x had not been written yet" },
        { "T1 ts1: r x 1, w x 1; order x T1",
          LEVEL_READ_COMMITTED, ANOMALY_FUTURE_READ,
          "T1 read x=1, which T1 itself writes only later, where x had not been "
          "written yet" },
        { "T1 ts1: w x 1; T2 ts2: w x 2, r x 1; order x T1 T2",
          LEVEL_READ_COMMITTED, ANOMALY_INTERNAL,
          "T2 read x=1, which T1 wrote, where T2 had left x=2" },
        { "T1 ts1: a l 1; T2 ts2: r l [1 1]; order l T1",
          LEVEL_READ_COMMITTED, ANOMALY_DUPLICATE_ELEMENTS,
          "T2 read l=[1,1]" },
        { "T1 ts1: w t/1 5; T2 ts2: sel v>=3 {}; order t/1 T1",
          LEVEL_READ_COMMITTED, ANOMALY_RESULT_SET_MISMATCH,
          "T2 looked for t where v>=3 and missed t/1={\"id\":1,\"v\":5}, where T1 had "
          "left t/1={\"id\":1,\"v\":5}" },
        { "T1 ts1 snap0: w x 1; T2 ts2 snap0: w x 2; order x T1 T2",
          LEVEL_SNAPSHOT, ANOMALY_LOST_UPDATE,
          "T1 and T2 both wrote x, and T1 committed behind the snapshot of T2" },
        { "T1 ts1 snap0: r x _, w x 1; T2 ts2 snap0: r x _, w x 2; order x T1 T2",
          LEVEL_SNAPSHOT, ANOMALY_G_SINGLE,
          "T2 read x=null before T1 wrote it; T1 wrote x=1, which T2 overwrote; so T1 "
          "comes both after and before T2" },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        const struct check_finding *first;
        struct history history;
        struct check check;
        char reason[512];
        bool is_accepted;

        notation_read(rows[i].notation, &history);
        check = fixture_check("certificate", &history, rows[i].level, CHECK_WITNESS);
        TEST_ASSERT_GREATER_THAN_MESSAGE(0, check.findings.count, rows[i].notation);
        first = &check.findings.at[0];
        TEST_ASSERT_EQUAL_STRING_MESSAGE(anomaly_name(rows[i].kind), anomaly_name(first->kind),
                                         rows[i].notation);
        TEST_ASSERT_EQUAL_STRING_LEN(rows[i].explanation, first->explanation,
                                     strlen(rows[i].explanation));
        is_accepted = fixture_verify(
            &history, (struct text){ check.witness.at, check.witness.count }, reason);
        TEST_ASSERT_TRUE_MESSAGE(is_accepted, reason);
        check_close(&check);
        history_close(&history);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(every_anomaly_is_told_and_proved);
    return UNITY_END();
}
