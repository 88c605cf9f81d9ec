/*
 * shard_fixture: names and rows for tests of what is below a protocol.
 *
 * One table t (id, v), keyed "t/0", "t/1", and predicates `v >= low AND v <= high`
 * over it; memory to put things in. The catalog lives as long as the test program.
 */
#ifndef TESTS_STORE_SHARD_SHARD_FIXTURE_H
#define TESTS_STORE_SHARD_SHARD_FIXTURE_H

#include "store/shard/shard.h"

struct shard_fixture {
    struct catalog catalog;
    struct pool_memory memory;
    struct pool pool;
    struct arena scratch;
    struct bugs bugs;
    struct sometimes sometimes;
};

extern struct shard_fixture fixture;

/* Before each test: fresh memory. */
void shard_fixture_open(void);
/* At the program's end. */
void shard_fixture_close(void);

uint32_t key_of(unsigned id);
/* Its bytes live until the next test. */
struct text row_of(unsigned id, int64_t v);
uint32_t scope_of(int64_t low, int64_t high);
/* The v of a row, or -1 if there is none. */
int64_t value_of(const struct stored_version *);

/* At that many milliseconds. */
struct stamp at(int64_t ms, uint64_t txn);
/* What a snapshot reads at: above all transactions of that millisecond. */
struct stamp snapshot(int64_t ms);

/* Prepares of these, for as long as the test. */
struct prepare prepare_of(uint64_t txn);
void prepare_read(struct prepare *, uint32_t key, struct stamp, uint64_t writer);
void prepare_scan(struct prepare *, uint32_t scope, uint64_t index);
void prepare_write(struct prepare *, unsigned id, int64_t v);
void prepare_remove(struct prepare *, unsigned id);

#endif
