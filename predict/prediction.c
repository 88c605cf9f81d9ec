#include "predict/prediction.h"

#include "predict/predict_private.h"

uint64_t predict_levels(void)
{
    return LEVEL_BIT(LEVEL_READ_COMMITTED) | LEVEL_BIT(LEVEL_READ_ATOMIC) |
           LEVEL_BIT(LEVEL_CAUSAL) | LEVEL_BIT(LEVEL_PREFIX) | LEVEL_BIT(LEVEL_SNAPSHOT);
}

const char *predict_strategy_name(enum predict_strategy strategy)
{
    static const char *const names[] = {
#define PREDICT_STRATEGY_NAME(enumerator, name, summary) name,
        PREDICT_STRATEGIES(PREDICT_STRATEGY_NAME)
#undef PREDICT_STRATEGY_NAME
    };

    return names[strategy];
}

bool predict_strategy_of_text(struct text text, enum predict_strategy *strategy)
{
    for (*strategy = 0; *strategy < STRATEGY_COUNT; (*strategy)++)
        if (text_equal(text, text_of(predict_strategy_name(*strategy))))
            return true;
    return false;
}

/* How many of the transaction's events are in. */
static uint32_t included_of(const struct prediction *p, const struct dataflow *t, uint32_t txn)
{
    uint32_t session = t->session[txn];

    if (t->ordinal[txn] < p->full[session])
        return t->event_start[txn + 1] - t->event_start[txn];
    return p->boundary[session] == txn ? p->included[session] : DATAFLOW_NONE;
}

static enum status take_events(const struct prediction *p, const struct dataflow *observed,
                               struct dataflow *t, struct arena *arena, struct error *err)
{
    uint32_t *number;

    PREDICT_TAKE(arena, number, observed->txn_count, err);
    for (uint32_t txn = 0; txn < observed->txn_count; txn++)
        if (included_of(p, observed, txn) != DATAFLOW_NONE) {
            t->txn[t->txn_count] = observed->txn[txn];
            t->session[t->txn_count] = observed->session[txn];
            number[txn] = t->txn_count++;
        }
    for (uint32_t txn = 0, to = 0; txn < observed->txn_count; txn++) {
        uint32_t included = included_of(p, observed, txn);

        if (included == DATAFLOW_NONE)
            continue;
        t->event_start[to++] = t->event_count;
        for (uint32_t e = observed->event_start[txn]; e < observed->event_start[txn] + included;
             e++) {
            struct dataflow_event event = observed->events[e];

            if (dataflow_is_read(event))
                event.writer = p->writer[e] < DATAFLOW_INITIAL ? number[p->writer[e]] : p->writer[e];
            t->events[t->event_count++] = event;
        }
    }
    t->event_start[t->txn_count] = t->event_count;
    return STATUS_OK;
}

enum status prediction_dataflow(const struct prediction *p, const struct dataflow *observed,
                             struct arena *arena, struct dataflow *t, struct error *err)
{
    *t = (struct dataflow){ .history = observed->history,
                         .key_count = observed->key_count,
                         .key = observed->key };
    PREDICT_TAKE(arena, t->txn, observed->txn_count, err);
    PREDICT_TAKE(arena, t->session, observed->txn_count, err);
    PREDICT_TAKE(arena, t->event_start, observed->txn_count + 1, err);
    PREDICT_TAKE(arena, t->events, observed->event_count, err);
    TRY(take_events(p, observed, t, arena, err));
    return dataflow_index(t, arena, err);
}
