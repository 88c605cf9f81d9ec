/*
 * panel: every checker that can judge a history, asked one after the other, and what they say
 * together.
 *
 *     invalid   some checker found a violation
 *     valid     a checker that is complete (checkers/checker.h) judged all of it, and none found any
 *     unknown   otherwise
 *
 * Of a history in which nothing committed the verdict is unknown, unless it is invalid.
 *
 * The cheapest is asked first. Once the verdict is certain the others have PANEL_REST_NS together
 * to contradict it, unless there is a limit anyway.
 */
#ifndef TRIAL_RUN_PANEL_H
#define TRIAL_RUN_PANEL_H

#include "history/progress.h"
#include "trial/run/jury.h"

#define PANEL_REST_NS INT64_C(10000000000)

struct panel_options {
    struct check_options check; /* its `stop` and `progress` are set here */
    const struct checker *only; /* the one that was named, or NULL: all that can */
    bool stops_first;           /* ends with the first that settles the verdict */
    int64_t limit_ns;           /* for all of them; 0: none */
    const char *limit_text;     /* as the user wrote it */
    const struct progress *progress;
};

struct panel {
    struct juror jurors[JURY_MAX];
    uint32_t juror_count;
    struct skipped_juror skipped[JURY_MAX];
    uint32_t skipped_count;

    /* Together. */
    enum verdict verdict;
    const struct juror *decisive; /* whose verdict it is; NULL: it is unknown */
    enum level strongest, weakest_violated; /* as in struct check */
    char reason[480];                       /* why it is unknown; else empty */
};

/*
 * Refuses where the one that was named cannot judge the history, or nobody can: then the error says
 * what each lacks. Closed by panel_close(), also after a failure.
 */
MUST_USE enum status panel_judge(struct panel *, const struct history *,
                                 const struct panel_options *, struct error *);
void panel_close(struct panel *);

int64_t panel_ns(const struct panel *);

#endif
