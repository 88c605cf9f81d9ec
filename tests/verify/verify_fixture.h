/*
 * verify_fixture: witnesses as tests write them.
 *
 *     fixture_history("T1 ts1: w x 1; T2 ts2: r x 1");
 *     ASSERT_ACCEPTED("\"checker\":\"order\",\"level\":\"serializable\",...");
 *
 * What stands before these fields in a witness, its format and the digest, is put there.
 */
#ifndef TESTS_VERIFY_VERIFY_FIXTURE_H
#define TESTS_VERIFY_VERIFY_FIXTURE_H

#include "base/text.h"
#include "history/history.h"
#include "history/level.h"
#include "verify/verify.h"

/* Of the notation of tests/oracle; NULL: none any more. */
const struct history *fixture_history(const char *notation);
/* The last one. */
const struct history *fixture_now(void);

/* Whole witnesses. False with the reason if refused, or with the error if it is no witness. */
bool fixture_verify(const struct history *, struct text witness, char reason[512]);
/* As above, and whether it is no witness at all. */
bool fixture_judge(const struct history *, struct text witness, bool *is_witness, char reason[512]);

/* `{"ordeal-witness":1,"history":"...",` */
void fixture_begin(struct buffer *, const struct history *);

/* Of the history of fixture_history(): the fields behind "history", printed like printf(). */
bool fixture_accepts(char reason[512], const char *format, ...) PRINTF_LIKE(2, 3);

bool fixture_has_snapshots(enum level);

/* A copy that owns nothing loses its ts, snapshots and sets; version orders stay. */
void fixture_forget_places(struct history *);

/* The level of a witness that ends with a zero byte. */
enum level fixture_level(const char *witness);

/* A valid witness: the order of ts, with what transactions see by their snapshots. */
void fixture_forge(struct buffer *, const struct history *, const char *checker, enum level);

#define ASSERT_ACCEPTED(...)                                                                       \
    do {                                                                                           \
        char reason[512];                                                                          \
        bool is_accepted = fixture_accepts(reason, __VA_ARGS__);                                   \
        TEST_ASSERT_TRUE_MESSAGE(is_accepted, reason);                                             \
    } while (0)

/* Refused, with these words among the reason's. */
#define ASSERT_REFUSED(words, ...)                                                                 \
    do {                                                                                           \
        char reason[512];                                                                          \
        bool is_accepted = fixture_accepts(reason, __VA_ARGS__);                                   \
        TEST_ASSERT_FALSE_MESSAGE(is_accepted, words);                                             \
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(reason, words), reason);                               \
    } while (0)

#endif
