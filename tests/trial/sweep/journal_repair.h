/*
 * journal_repair: writes the lines of a damaged journal with checksums that are right again, so that
 * what stands behind them is tried as well.
 */
#ifndef TESTS_TRIAL_SWEEP_JOURNAL_REPAIR_H
#define TESTS_TRIAL_SWEEP_JOURNAL_REPAIR_H

#include <stdio.h>
#include <string.h>

#include "trial/sweep/journal_private.h"

#define JOURNAL_SUM_SIZE 17 /* with the blank behind it */

static inline void journal_repair(const char *path, struct text lines)
{
    struct journal journal = { 0 };
    struct error err = { 0 };

    remove(path);
    if (journal_open(&journal, path, NULL, &err) == STATUS_OK)
        while (lines.length > 0) {
            const char *end = memchr(lines.at, '\n', lines.length);
            size_t length = end ? (size_t)(end - lines.at) : lines.length;
            size_t skipped = length > JOURNAL_SUM_SIZE ? JOURNAL_SUM_SIZE : 0;
            struct text line = { lines.at + skipped, length - skipped };

            if (journal_append(&journal, line, &err) != STATUS_OK)
                break;
            length += end != NULL;
            lines = (struct text){ lines.at + length, lines.length - length };
        }
    journal_close(&journal);
}

#endif
