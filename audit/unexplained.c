#include "audit/unexplained_private.h"

#include <stdlib.h>

/* The transaction that made the last state which the run saw, or -1. */
static int64_t last_state(const struct search *s)
{
    const struct runner *r = s->runner;
    uint32_t state = r->choices.count > 0 ? r->choices.at[r->choices.count - 1].state
                                          : r->window.ceiling;

    return state > 0 ? s->plan->txns.at[s->frames.at[state - 1].txn].logged->id : -1;
}

enum status unexplained_note(struct audit_wrong *wrong, const struct runner *r, int64_t after,
                             struct error *err)
{
    struct buffer text = { 0 };
    enum status status;

    if (wrong->candidates.count == 0)
        wrong->statement = r->step;
    if (r->end == RUN_RIGHT)
        buffer_text(&text, TEXT("the same, but a row that it writes was written meanwhile"));
    else if (r->step != wrong->statement)
        buffer_print(&text, "statement %u: ", r->step + 1);
    buffer_text(&text, (struct text){ r->told.at, r->told.count });
    buffer_byte(&text, '\0');
    status = buffer_status(&text, err);
    if (status == STATUS_OK)
        status = array_push(&wrong->candidates,
                            ((struct audit_candidate){ after, text.at }), err);
    if (status != STATUS_OK)
        buffer_close(&text);
    return status;
}

static enum status try_states(struct audit_wrong *wrong, const struct search *s, uint32_t txn,
                              choice_list *path, struct error *err)
{
    struct runner *r = s->runner;
    bool more = r->window.floor <= r->window.ceiling;

    while (more && wrong->candidates.count < UNEXPLAINED_STATES_MAX) {
        r->path = path->at;
        r->path_count = (uint32_t)path->count;
        TRY(runner_run(r, txn, err));
        TRY(unexplained_note(wrong, r, last_state(s), err));
        TRY(audit_rows_drop(s->rows, txn, err));
        TRY(runner_keep_choices(r, path, err));
        more = search_advance(s->mode, path, r->window.floor);
    }
    wrong->has_more_candidates = more;
    return STATUS_OK;
}

/* The answer as the log has it. */
enum status unexplained_end(struct audit_wrong *wrong, const struct plan *plan, uint32_t txn,
                            struct error *err)
{
    const struct logged_txn *t = plan->txns.at[txn].logged;
    struct buffer answered = { 0 };
    enum status status;

    if (wrong->statement < t->answer_count)
        compare_print_answer(&answered, plan->log,
                             &plan->log->answers.at[t->answer + wrong->statement]);
    buffer_byte(&answered, '\0');
    status = buffer_status(&answered, err);
    if (status == STATUS_OK)
        wrong->answered = answered.at;
    else
        buffer_close(&answered);
    return status;
}

void unexplained_begin(struct audit_wrong *wrong, const struct plan *plan, uint32_t txn)
{
    wrong->is_there = true;
    wrong->txn = plan->txns.at[txn].logged->id;
}

enum status unexplained_find(struct audit_wrong *wrong, const struct search *s, uint32_t txn,
                              struct error *err)
{
    struct runner *r = s->runner;
    choice_list path = { NULL, 0, 0 };
    enum status status;

    unexplained_begin(wrong, s->plan, txn);
    r->window = search_window(s, txn);
    r->tracks = r->explains = true;
    r->footprint = NULL;
    status = try_states(wrong, s, txn, &path, err);
    r->explains = false;
    array_close(&path);
    return status == STATUS_OK ? unexplained_end(wrong, s->plan, txn, err) : status;
}

void unexplained_close(struct audit_wrong *wrong)
{
    free(wrong->answered);
    for (size_t i = 0; i < wrong->candidates.count; i++)
        free(wrong->candidates.at[i].expected);
    array_close(&wrong->candidates);
    wrong->answered = NULL;
    wrong->is_there = false;
}
