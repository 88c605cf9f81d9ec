#include "predict/validate.h"

#include <stdio.h>

#include "predict/execution_private.h"
#include "predict/normal_form_private.h"
#include "predict/predict_private.h"
#include "predict/serialize_private.h"

const char *validation_name(enum validation_kind kind)
{
    static const char *const names[] = { [VALIDATION_VALIDATED] = "validated",
                                         [VALIDATION_DIVERGED] = "diverged",
                                         [VALIDATION_NOT_REPRODUCED] = "not-reproduced" };

    return names[kind];
}

static uint32_t included_events(const struct dataflow *t, const struct prediction *p, uint32_t txn)
{
    return p->boundary[t->session[txn]] == txn ? p->included[t->session[txn]]
                                               : t->event_start[txn + 1] - t->event_start[txn];
}

/* All in the order of commits, or boundary transactions, which stand last, the other way round. */
static enum status run_all(struct execution *x, const struct prediction *p, bool is_turned,
                           int64_t *ids, struct error *err)
{
    const struct dataflow *t = x->trace;
    uint32_t last = p->order_count;

    while (is_turned && last > 0 &&
           p->boundary[t->session[p->order[last - 1]]] == p->order[last - 1])
        last--;
    for (uint32_t i = 0; i < p->order_count; i++) {
        uint32_t txn = p->order[is_turned && i >= last ? p->order_count - 1 - (i - last) : i];
        uint32_t of = dataflow_is_variant(t, txn) ? t->variant_of[txn] : txn;
        bool is_committed;

        x->is_last = p->boundary[t->session[txn]] == txn;
        ids[i] = t->history->txn_id[t->txn[of]];
        TRY(execution_run(x, txn, included_events(t, p, txn), &is_committed, err));
    }
    return STATUS_OK;
}

/* Whether the history is serializable, by who read from whom. */
static enum status judge(struct validation *v, const atomic_bool *stop, struct arena *arena,
                         struct error *err)
{
    enum serialize_answer answer;
    struct dataflow executed;
    uint32_t *order;

    TRY(dataflow_of_history(&executed, &v->history, arena, err));
    TRY(serialize(&executed, arena, stop, &answer, &order, err));
    if (answer == SERIALIZE_CYCLE || answer == SERIALIZE_NO_ORDER) {
        v->kind = v->differences > 0 ? VALIDATION_DIVERGED : VALIDATION_VALIDATED;
        return STATUS_OK;
    }
    v->kind = VALIDATION_NOT_REPRODUCED;
    if (v->reason[0] == '\0')
        snprintf(v->reason, sizeof v->reason, "%s",
                 answer == SERIALIZE_STOPPED
                     ? "whether the execution is serializable was not decided in time"
                     : "the transactions do what was predicted, and are serializable");
    return STATUS_OK;
}

/* One way to execute it. */
struct attempt {
    enum execution_tail tail;
    bool is_turned;
};

static enum status try_once(const struct predict_calls *calls, const struct dataflow *observed,
                            const struct prediction *p, const struct predict_options *options,
                            struct attempt attempt, struct arena *arena, struct validation *v,
                            struct error *err)
{
    struct execution x = { 0 };
    enum status status;
    int64_t *ids;

    *v = (struct validation){ 0 };
    TRY(choices_init(&v->choices, err));
    v->choices.has_order = true;
    PREDICT_TAKE(arena, ids, observed->txn_count, err);
    status = execution_init(&x, calls, observed, options->level, arena, err);
    x.writer = p->writer;
    x.tail = attempt.tail;
    x.recorder.choices = &v->choices;
    if (status == STATUS_OK)
        status = run_all(&x, p, attempt.is_turned, ids, err);
    if (status == STATUS_OK)
        status =
            directed_history(x.store, &(struct directed_telling){ .ids = ids }, &v->history, err);
    if (status == STATUS_OK && x.recorder.is_short)
        status = error_set(err, STATUS_OVER_LIMIT, "no memory for what was chosen");
    v->differences = x.differences;
    v->failed = x.failed;
    snprintf(v->reason, sizeof v->reason, "%s", x.difference);
    execution_close(&x);
    return status == STATUS_OK ? judge(v, options->stop, arena, err) : status;
}

enum status validate(const struct predict_calls *calls, const struct dataflow *observed,
                     const struct prediction *p, const struct predict_options *options,
                     struct arena *arena, struct validation *best, struct error *err)
{
    TRY(try_once(calls, observed, p, options, (struct attempt){ TAIL_AS_OBSERVED, false }, arena,
                 best, err));
    for (unsigned i = 1; i < 2 * TAIL_COUNT && best->kind != VALIDATION_VALIDATED; i++) {
        struct attempt attempt = { i / 2, i % 2 };
        size_t used = arena->used;
        struct validation v;
        enum status status;

        /* Who commits first counts at these. */
        if (attempt.is_turned && level_has_moments(options->level))
            continue;
        status = try_once(calls, observed, p, options, attempt, arena, &v, err);
        if (status == STATUS_OK && v.kind < best->kind) {
            validation_close(best);
            *best = v;
        } else {
            validation_close(&v);
        }
        TRY(status);
        arena_reset_to(arena, used);
    }
    return STATUS_OK;
}

void validation_close(struct validation *v)
{
    history_close(&v->history);
    choices_close(&v->choices);
    *v = (struct validation){ 0 };
}

enum status validating_accept(void *context, const struct prediction *p, bool *is_accepted, uint32_t *because,
                              struct error *err)
{
    struct validating *with = context;
    size_t used = with->arena->used;

    validation_close(with->validation);
    TRY(validate(with->calls, with->observed, p, with->options, with->arena, with->validation, err));
    arena_reset_to(with->arena, used);
    *is_accepted = with->validation->kind != VALIDATION_NOT_REPRODUCED;
    *because = with->validation->failed;
    return STATUS_OK;
}
