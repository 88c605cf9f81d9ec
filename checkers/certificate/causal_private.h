/*
 * causal: checks causal consistency from version orders and version sets.
 */
#ifndef CHECKERS_CERTIFICATE_CAUSAL_PRIVATE_H
#define CHECKERS_CERTIFICATE_CAUSAL_PRIVATE_H

#include "checkers/certificate/certificate_private.h"

/*
 * Judges causal, and rules it out where it does not hold. `tells`: it is the level that is asked
 * for; says what is wrong, or in what order all went.
 */
MUST_USE enum status certificate_check_causal(struct certificate *, bool tells, struct error *);

#endif
