/*
 * explanation_statements: whether statements that look for rows are explained by an order of instants.
 */
#ifndef CHECKERS_INTERVAL_EXPLANATION_STATEMENTS_PRIVATE_H
#define CHECKERS_INTERVAL_EXPLANATION_STATEMENTS_PRIVATE_H

#include "checkers/interval/explanation_private.h"

/* Whether a statement looks for rows as of one instant. */
bool explanation_statement_is_explicable(const struct explanation *, uint32_t head);
/* It is not open if what it got is what is there as of the walk's instant. */
MUST_USE enum status explanation_statement_explain(struct explanation *, uint32_t txn,
                                                   uint32_t head, struct error *);
/* Whether the version that stands there now agrees with what a look got. */
bool explanation_statement_still_agrees(const struct explanation *, const struct version_reader *,
                                        uint32_t key);
/* A transaction commits: what it looked for was locked by then, and what it wrote was not. */
MUST_USE enum status explanation_statements_judge_ranges(struct explanation *, uint32_t txn,
                                                         struct error *);
void explanation_statements_close(struct explanation *);

#endif
