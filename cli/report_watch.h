/*
 * report_watch: prints what `ordeal watch` finds, while it watches and at its end.
 */
#ifndef CLI_REPORT_WATCH_H
#define CLI_REPORT_WATCH_H

#include "base/text.h"
#include "checkers/checker.h"
#include "checkers/interval/online/watcher.h"

enum verdict report_watch_verdict(const struct watcher *);
/* A finding, as it is made. */
void report_watch_finding(const struct interval_finding *, struct buffer *);
/*
 * The end, for people; and as one JSON object, like that of `check`. `tried`: with that clock error
 * nothing is found; 0: nobody has tried.
 */
void report_watch_summary(const struct watcher *, int64_t ns, int64_t tried, struct buffer *);
void report_watch_json(const struct watcher *, int64_t ns, struct buffer *);

#endif
