#include "tests/verify/instants_fixture.h"

#include <stdio.h>
#include <string.h>

#include "tests/verify/verify_fixture.h"
#include "unity.h"

/* The end of a step that begins there. */
static const char *end_of_step(const char *at)
{
    int depth = 0;

    do {
        depth += (*at == '{') - (*at == '}');
        at++;
    } while (depth > 0);
    return at;
}

/* Each step of a proof is needed: without one of them it is none. */
static void try_without_a_step(const struct proof_row *row)
{
    const char *steps = strstr(row->fields, "\"steps\":[");
    const char *at = steps + strlen("\"steps\":[");
    bool is_only = *end_of_step(at) == ']';

    while (!is_only && *at == '{') {
        const char *end = end_of_step(at);
        const char *rest = *end == ',' ? end + 1 : end;
        int length = (int)(at - row->fields);
        char reason[512], fields[4096];

        if (*end == ']')
            length--; /* the comma before the last one */
        snprintf(fields, sizeof fields, "%.*s%s", length, row->fields, rest);
        if (fixture_accepts(reason, "%s", fields))
            TEST_FAIL_MESSAGE(fields);
        at = rest;
    }
}

void instants_try(const struct proof_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char reason[512];
        bool is_accepted;

        fixture_history(rows[i].history);
        is_accepted = fixture_accepts(reason, "%s", rows[i].fields);
        if (rows[i].refusal) {
            TEST_ASSERT_FALSE_MESSAGE(is_accepted, rows[i].what);
            if (!strstr(reason, rows[i].refusal))
                TEST_FAIL_MESSAGE(reason);
        } else if (!is_accepted) {
            char both[1024];

            snprintf(both, sizeof both, "%s: %s", rows[i].what, reason);
            TEST_FAIL_MESSAGE(both);
        } else {
            try_without_a_step(&rows[i]);
        }
    }
}

/* --- Reads ------------------------------------------------------------------- */
