/*
 * report_prove_page: prints the matrix as a page of the manual.
 */
#ifndef CLI_REPORT_PROVE_PAGE_H
#define CLI_REPORT_PROVE_PAGE_H

#include "cli/report_prove.h"

/* docs/matrix.md: no times in it, so that it is the same on every machine. */
MUST_USE enum status report_prove_page(const struct prove_report *, struct buffer *, struct error *);

#endif
