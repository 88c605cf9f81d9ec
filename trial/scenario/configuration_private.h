/*
 * configuration_private: how one dimension draws its settings.
 */
#ifndef TRIAL_SCENARIO_CONFIGURATION_PRIVATE_H
#define TRIAL_SCENARIO_CONFIGURATION_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/random.h"
#include "base/text.h"
#include "trial/scenario/toml.h"

#define MS INT64_C(1000000)
#define SECOND (1000 * MS)

/* The first error stays in `status`; after it nothing more is drawn. */
struct configuration {
    struct setting *root;
    struct arena *arena;
    struct random_key key; /* of the dimension */
    enum status status;
    struct error *err;
};

/* The stream of a key. */
struct random configuration_stream(const struct configuration *, const char *path);
/* Of "cluster.nodes", or NULL. */
const struct setting *configuration_find(const struct configuration *, const char *path);
/* What is given or was drawn, within reason: at least 1; else the other one. */
int64_t configuration_number(const struct configuration *, const char *path, int64_t otherwise);
int64_t configuration_duration(const struct configuration *, const char *path, int64_t otherwise);
bool configuration_says(const struct configuration *, const char *path, const char *text);

/* Each unless the key is given. */
void configuration_put(struct configuration *, const char *path, const char *format, ...)
    PRINTF_LIKE(3, 4);
void configuration_put_duration(struct configuration *, const char *path, int64_t ns);
/* Log-uniform, with two digits that count. */
void configuration_draw_count(struct configuration *, const char *path, int64_t low, int64_t high);
void configuration_draw_duration(struct configuration *, const char *path, int64_t low_ns,
                                 int64_t high_ns);
/* A probability of at most one, in millionths; log-uniform. */
void configuration_draw_chance(struct configuration *, const char *path, int64_t low_millionths,
                               int64_t high_millionths);
/* Heads or tails, by a stream of its own. */
bool configuration_tosses(const struct configuration *, const char *what, uint64_t one_in);
/* Log-uniform, with two digits that count. */
int64_t configuration_rounded(struct random *, int64_t low, int64_t high);

void configuration_draw_workload(struct configuration *);

#endif
