/*
 * shard_stage: one shard whose log the test writes entry by entry.
 *
 * Its protocol has three lines: it refuses who has read keys or scopes that have changed
 * since, or meets an undecided writer; and it counts what it hears. The record is
 * stood in for, so each test program of the shard has this once.
 */
#ifndef TESTS_STORE_SHARD_SHARD_STAGE_H
#define TESTS_STORE_SHARD_SHARD_STAGE_H

#include "base/random.h"
#include "store/protocol_private.h"
#include "store/shard/shard_conflict.h"
#include "tests/store/shard/shard_fixture.h"
#include "unity.h"

static unsigned committed_count, collected_count, recorded_count;
static struct decision recorded;

static inline void toy_validate(struct shard *s, const struct prepare *p, uint64_t term,
                                struct vote *vote)
{
    (void)term;
    if (!shard_keys_are_current(s, p) || !shard_scopes_are_current(s, p))
        vote->refusal = REFUSED_CONFLICT;
    else if (shard_conflict(s, p, CONFLICT_WRITE_WRITE))
        vote->refusal = REFUSED_UNDECIDED;
}

static inline void toy_committed(struct shard *s, const struct prepared *p,
                                 const struct decision *d)
{
    (void)s;
    TEST_ASSERT_EQUAL_UINT64(p->prepare.txn, d->txn);
    committed_count++;
}

static inline void toy_collect(struct shard *s)
{
    (void)s;
    collected_count++;
}

static const struct protocol toy = {
    .name = "toy",
    .validate = toy_validate,
    .committed = toy_committed,
    .collect = toy_collect,
};

/* Stands in for the record, which is asked by nobody else here. */
void record_decision(struct run_record *record, const struct decision *decision)
{
    (void)record;
    recorded = *decision;
    recorded_count++;
}

void record_applied(struct run_record *record, uint64_t txn)
{
    (void)record;
    (void)txn;
}

static struct shard shard;
static struct wire_writer command_bytes;
static uint64_t next_index;

static inline void open_shard(struct shard *s)
{
    /* The record is only handed through: any address does. */
    shard_init(s, 0,
               &(struct shard_setting){ &toy, &fixture.catalog, &fixture.bugs, &fixture.sometimes,
                                        (struct run_record *)(void *)&recorded },
               &fixture.pool);
    for (unsigned id = 0; id < 4; id++)
        shard_place_row(s, key_of(id), row_of(id, 10));
}

void setUp(void)
{
    shard_fixture_open();
    command_bytes = (struct wire_writer){ .pool = &fixture.pool };
    next_index = 0;
    committed_count = collected_count = recorded_count = 0;
    open_shard(&shard);
}

void tearDown(void) {}

/* --- Commands --------------------------------------------------------------------------------- */

static inline uint64_t apply(const struct shard_command *command)
{
    wire_writer_reset(&command_bytes);
    shard_command_put(&command_bytes, command);
    shard_apply(&shard, ++next_index, 1, wire_writer_text(&command_bytes), &fixture.scratch);
    return next_index;
}

static inline uint64_t apply_prepare(const struct prepare *p)
{
    struct shard_command command = { .kind = COMMAND_PREPARE, .prepare = *p };

    return apply(&command);
}

static inline uint64_t apply_outcome(enum command_kind kind, const struct prepare *p, bool commits,
                              struct stamp stamp)
{
    struct shard_command command = {
        .kind = kind,
        .decision = { .txn = p->txn,
                      .commits = commits,
                      .begin = p->begin,
                      .at = stamp,
                      .place = stamp,
                      .out = stamp_never(),
                      .participants = p->participants },
    };

    return apply(&command);
}

static inline uint64_t apply_stamp(enum command_kind kind, struct stamp stamp)
{
    struct shard_command command = { .kind = kind, .stamp = stamp };

    return apply(&command);
}

static inline uint64_t apply_forget(uint64_t txn)
{
    struct shard_command command = { .kind = COMMAND_FORGET, .txns = &txn, .txn_count = 1 };

    return apply(&command);
}

/* One of two participants, the first of which is this shard; the anchor is as told. */
static inline struct prepare shared(uint64_t txn, uint32_t anchor)
{
    struct prepare p = prepare_of(txn);

    p.participants = 3;
    p.anchor = anchor;
    return p;
}

static inline struct prepare alone(uint64_t txn)
{
    struct prepare p = prepare_of(txn);

    p.is_alone = true;
    return p;
}

static inline int64_t newest(unsigned id)
{
    return value_of(versions_newest(&shard.versions, key_of(id)));
}

static inline enum refusal refusal_of(uint64_t txn)
{
    const struct shard_outcome *outcome = shard_find_outcome(&shard, txn);

    TEST_ASSERT_NOT_NULL(outcome);
    TEST_ASSERT_EQUAL(outcome->refusal == REFUSED_NOT, outcome->decision.commits);
    return outcome->refusal;
}

#endif
