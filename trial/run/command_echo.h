/*
 * command_echo: prints the command line that repeats a run, quoted for a shell.
 */
#ifndef TRIAL_RUN_COMMAND_ECHO_H
#define TRIAL_RUN_COMMAND_ECHO_H

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/* "ordeal run 'my file.toml' --seed 7 --set cluster.nodes=3", without the end of the line. */
void command_echo_print(const char *path, uint64_t seed, const char *const *sets, size_t set_count,
                        struct buffer *);
/* A word, in quotation marks if it needs them. */
void command_echo_print_word(const char *word, struct buffer *);

#endif
