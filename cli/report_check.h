/*
 * report_check: what a panel found in one history, to a person and to a program.
 */
#ifndef CLI_REPORT_CHECK_H
#define CLI_REPORT_CHECK_H

#include "base/json_writer.h"
#include "trial/run/panel.h"

struct panel_report {
    const struct panel *panel;
    const struct history *history;
    int64_t parse_ns;
    bool is_named;          /* one checker was named: the answer is its own */
    int64_t clock_error_ns; /* with which nothing is found; 0: nobody knows */
};

/* A line for each checker with its findings, the verdict, and the transactions that were named. */
MUST_USE enum status panel_report_print(const struct panel_report *, struct buffer *, struct error *);

/* The members of a JSON object, as docs/checkers.md has it. */
void panel_report_members(const struct panel_report *, struct json_writer *);

#endif
