/*
 * fixture: what the tests of every room share.
 *
 * fixture_arena() is an arena of 64 MB that every call takes back whole.
 * fixture_rounds(n) is n, or 50 n where ORDEAL_SOAK is set: `make soak`.
 */
#ifndef TESTS_FIXTURE_H
#define TESTS_FIXTURE_H

#include <stddef.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"

struct arena *fixture_arena(void);
size_t fixture_rounds(size_t rounds);

/* Fails the test with the error's text unless the status is STATUS_OK. */
#define ASSERT_OK(call, err)                                                                       \
    do {                                                                                           \
        enum status assert_ok_status = (call);                                                     \
        TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_OK, assert_ok_status, (err)->text);                   \
    } while (0)

#endif
