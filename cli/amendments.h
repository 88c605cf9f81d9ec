/*
 * amendments: the flags that add what the file of a history does not say (history/amend.h).
 */
#ifndef CLI_AMENDMENTS_H
#define CLI_AMENDMENTS_H

#include "cli/options.h"
#include "history/history.h"

struct amendments {
    struct option_texts initials;
    const char *nil_read;
};

/* "any", and NULL. */
const char *const *amendments_nil_reads(void);

/* Rows of a subcommand's options, whose values have an `amendments` at that offset. */
#define AMENDMENT_ROWS(at)                                                                         \
    TEXTS_ROW("initial", "VALUE", (at) + offsetof(struct amendments, initials),                    \
              "what keys begin with, where the file does not say it; KEY=VALUE is\n"               \
              "of one key, and the flag may be repeated"),                                         \
    TEXT_ROW("nil-read", "any", (at) + offsetof(struct amendments, nil_read),                      \
             "any: a read of null may have read any value, as Knossos has it",                     \
             .choices = amendments_nil_reads)

MUST_USE enum status amendments_apply(const struct amendments *, struct history *, struct error *);

#endif
