/*
 * condition_answer: what `verify` makes of the condition of a statement and a row, for who is not in this room.
 */
#ifndef TESTS_VERIFY_CONDITION_ANSWER_H
#define TESTS_VERIFY_CONDITION_ANSWER_H

#include "verify/sql/query.h"

/* 'y', 'n', or '?': it cannot be computed, or is beyond what it knows. */
static inline char condition_answer(const struct history *history, uint32_t statement, struct value row)
{
    struct statement_query query;
    struct error err = { 0 };
    char answer = '?';

    if (query_open(&query, history, statement, &err) == STATUS_OK)
        switch (query_match(&query, row)) {
        case MATCH_YES:
            answer = 'y';
            break;
        case MATCH_NO:
            answer = 'n';
            break;
        case MATCH_UNDECIDED:
            break;
        }
    query_close(&query);
    return answer;
}

#endif
