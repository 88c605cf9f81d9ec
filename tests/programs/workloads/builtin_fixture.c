#include "tests/programs/workloads/builtin_fixture.h"

#include <string.h>

#include "tests/fixture.h"
#include "unity.h"

static struct error err;

struct builtin_options builtin_fixture_options(const char *name, const char *settings)
{
    struct builtin_options options = builtin_defaults(workload_find(text_of(name)));

    for (const char *at = settings; *at; at += *at == ' ') {
        size_t length = strcspn(at, " "), split = strcspn(at, "=");

        ASSERT_OK(builtin_set(&options, (struct text){ at, split },
                              (struct text){ at + split + 1, length - split - 1 }, &err),
                  &err);
        at += length;
    }
    return options;
}

struct builtin builtin_fixture_make(const char *name, const char *settings, uint32_t clients)
{
    struct builtin_options options = builtin_fixture_options(name, settings);
    struct random_key key = random_key_of_seed(5);
    struct builtin builtin;

    ASSERT_OK(builtin_init(&builtin, &options, (struct builtin_clients){ clients, BUILTIN_FIXTURE_ATTEMPTS },
                           &key, fixture_arena(), &err),
              &err);
    return builtin;
}

uint32_t builtin_fixture_play(const struct builtin *builtin, uint32_t client, uint64_t ordinal,
                              uint32_t attempt, struct builtin_request *requests, uint32_t room)
{
    struct builtin_row row = { .value = 1000 };
    struct builtin_txn txn;
    uint32_t count = 0;

    builtin_begin(&txn, builtin, client, ordinal, attempt);
    for (;;) {
        TEST_ASSERT_LESS_THAN(room, count);
        requests[count] = builtin_next(&txn);
        if (requests[count++].kind >= BUILTIN_COMMIT)
            return count;
        builtin_answer(&txn, &row, 1);
    }
}
