/*
 * written: values as bytes, by which they are found again; and all that anybody wrote.
 */
#ifndef VERIFY_VERSIONS_WRITTEN_H
#define VERIFY_VERSIONS_WRITTEN_H

#include "verify/verify_private.h"

/* A value of a key, or an element of its lists. Until the next call; buffer_status() is due. */
struct text written_value_bytes(struct verifier *, uint32_t key, bool is_element, struct value);
struct text written_element_bytes(struct verifier *, uint32_t key, int64_t element);
/* Whether no transaction, committed or not, wrote the value, or some element of the list. */
MUST_USE enum status written_by_nobody(struct verifier *, uint32_t key, struct value, bool *strange,
                                       struct error *);

#endif
