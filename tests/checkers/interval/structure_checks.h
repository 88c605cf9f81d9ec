/*
 * structure_checks: assert that the structures of `interval` keep their invariants.
 */
#ifndef TESTS_CHECKERS_INTERVAL_STRUCTURE_CHECKS_H
#define TESTS_CHECKERS_INTERVAL_STRUCTURE_CHECKS_H

#include <stddef.h>
#include <stdint.h>

struct interval_model;
struct pipeline;
struct timeline;

/* Keys have as many versions as they say, and each version is one key's, or free. */
void structure_check_model(const struct interval_model *);
/* The bytes that the model holds of a key. */
size_t structure_key_bytes(const struct interval_model *, uint32_t key);
/* Ranks rise along orders, windows are narrow, and lists agree. */
void structure_check_timeline(const struct timeline *);
/* The heap is one, and lanes are in order. */
void structure_check_pipeline(const struct pipeline *);

#endif
