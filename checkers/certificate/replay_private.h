/*
 * replay: runs transactions in the order of their places and compares the answers: all of them, or
 * only those of statements. Answers that agree need no walk.
 */
#ifndef CHECKERS_CERTIFICATE_REPLAY_PRIVATE_H
#define CHECKERS_CERTIFICATE_REPLAY_PRIVATE_H

#include "checkers/certificate/certificate_private.h"

/* Whether it is worth a try: all read at their own places, as far as one sees at once. */
bool certificate_may_replay(const struct certificate *);
/*
 * Whether a run in the order of places returns every answer, and makes the versions
 * in the order that the certificate has them. `is_distinct`: and no two writes are of
 * the same value, as far as that was easy to see.
 */
MUST_USE enum status certificate_replay(struct certificate *, bool *agrees, bool *is_distinct,
                                        struct error *);

/* Finds most of the statements that agree, without a look at what they saw. */
MUST_USE enum status certificate_replay_statements(struct certificate *, struct error *);

#endif
