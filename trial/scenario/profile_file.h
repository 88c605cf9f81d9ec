/*
 * profile_file: finds the profile of --profile: a name of the list, or a TOML file.
 *
 *     name = "mydb/snapshot"          # the file's name unless given
 *     like = "postgresql/snapshot"    # begins with all that this one has
 *     timing = "key"
 *     locks_writes = false
 *
 * Unknown keys, wrong types and contradictions are errors with the line and the nearest known name.
 * docs/profiles.md describes every key.
 */
#ifndef TRIAL_SCENARIO_PROFILE_FILE_H
#define TRIAL_SCENARIO_PROFILE_FILE_H

#include "base/error.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "checkers/interval/profile.h"

#define PROFILE_TEXT_SIZE 100

/* The profile's texts may point into it: it stays where it is. */
struct given_profile {
    struct profile profile;
    char name[PROFILE_TEXT_SIZE], summary[PROFILE_TEXT_SIZE];
};

/* A name of the list, or the path of a file that ends with .toml. */
MUST_USE enum status profile_load(struct given_profile *, const char *given, struct error *);
/* What stands in a file; the path is its name, unless it says another. */
MUST_USE enum status profile_read(struct given_profile *, const char *path, struct text,
                                  struct error *);
/* An object with all its fields, `rules` naming those that hold. */
void profile_answer(struct json_writer *, const struct profile *);

#endif
