#include "audit/audit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "audit/attempts_private.h"
#include "audit/guess_private.h"
#include "audit/unexplained_private.h"

static const char *const model_names[] = { "locking", "statement", "paper" };

const char *audit_model_name(enum audit_model model)
{
    return model_names[model];
}

bool audit_model_of_text(struct text text, enum audit_model *model)
{
    for (unsigned i = 0; i < AUDIT_MODEL_COUNT; i++)
        if (text_equal(text, text_of(model_names[i]))) {
            *model = (enum audit_model)i;
            return true;
        }
    return false;
}

uint64_t audit_levels(void)
{
    return LEVEL_BIT(LEVEL_READ_COMMITTED) | LEVEL_BIT(LEVEL_SNAPSHOT) |
           LEVEL_BIT(LEVEL_STRICT_SNAPSHOT) | LEVEL_BIT(LEVEL_SERIALIZABLE) |
           LEVEL_BIT(LEVEL_STRICT_SERIALIZABLE);
}

void audit_verdict_close(struct audit_verdict *v)
{
    unexplained_close(&v->wrong);
    buffer_close(&v->witness);
    array_close(&v->settled.txns);
    witness_parts_close(&v->settled.parts);
    buffer_close(&v->settled.rows);
}

static enum status guess_first_rows(struct audit *a, struct error *err)
{
    enum status status;

    first_rows_open(&a->first, &a->plan.program->tree.schema);
    status = guess_rows(&a->first, &a->plan, a->order, a->count, &a->pace, &a->runs, err);
    a->plan.first = &a->first;
    return status;
}

static enum status judge(struct audit *a, struct audit_verdict *verdict, struct error *err)
{
    bool is_initial_unknown = a->plan.log->initial == INITIAL_UNKNOWN;

    if (is_initial_unknown && a->options->settles) {
        snprintf(verdict->reason, sizeof verdict->reason,
                 "nobody knows the initial rows, and nothing is settled on top of rows that are only taken for them");
        return STATUS_OK;
    }
    a->order = malloc((a->plan.txns.count + 1) * sizeof *a->order);
    if (!a->order)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for an order");
    TRY(audit_plan_order(&a->plan, a->order, &a->count, err));
    if (is_initial_unknown)
        TRY(guess_first_rows(a, err));
    TRY(attempts_judge(a, verdict, err));
    if (is_initial_unknown)
        verdict->counts.first_rows = first_rows_count(&a->first);
    return STATUS_OK;
}

void audit_doubt_unjudged(struct audit_verdict *v)
{
    const char *allowed = "(with --allow-unjudged it would be valid)";
    const struct audit_counts *counts = &v->counts;

    if (v->verdict != VERDICT_VALID || (counts->unjudged == 0 && counts->answers > 0))
        return;
    v->verdict = VERDICT_UNKNOWN;
    buffer_clear(&v->witness);
    if (counts->answers > 0)
        snprintf(v->reason, sizeof v->reason,
                 "%" PRIu64 " of %" PRIu64 " answers are missing, and may have been wrong %s",
                 counts->unjudged, counts->answers + counts->unjudged, allowed);
    else
        snprintf(v->reason, sizeof v->reason, "nothing was judged: %s %s",
                 counts->unjudged > 0 ? "all answers are missing" : "nothing that has committed has answers",
                 allowed);
}

enum status audit_run(const struct call_log *log, struct program *program,
                      const struct audit_options *options, struct audit_verdict *verdict,
                      struct error *err)
{
    struct audit a = { .options = options, .pace.stop = options->stop };
    enum status status;

    *verdict = (struct audit_verdict){ .verdict = VERDICT_UNKNOWN };
    if (!(audit_levels() & LEVEL_BIT(options->level)))
        return error_set(err, STATUS_BAD_INPUT, "no audit at %s", level_name(options->level));
    status = audit_plan_make(&a.plan, log, program, err);
    if (status == STATUS_OK)
        status = judge(&a, verdict, err);
    first_rows_close(&a.first);
    verdict->counts.answers = a.plan.judged;
    verdict->counts.txns = a.plan.txns.count;
    verdict->counts.unjudged = a.plan.unjudged;
    if (status == STATUS_OK && !options->allows_unjudged)
        audit_doubt_unjudged(verdict);
    free(a.order);
    audit_plan_close(&a.plan);
    return status;
}
