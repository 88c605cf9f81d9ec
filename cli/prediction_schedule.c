#include "cli/prediction_schedule.h"

#include <inttypes.h>
#include <stdlib.h>

#include "programs/workloads/calls.h"

struct scheduler {
    const struct scheduled_prediction *p;
    uint32_t *place;  /* by transaction: in the order of commits, or DATAFLOW_NONE */
    uint32_t *begins; /* by transaction: before the commit at this place */
    struct buffer call, room;
};

bool prediction_has_schedule(const struct scheduled_prediction *p)
{
    return p->level == LEVEL_SNAPSHOT && p->calls->log->initial != INITIAL_ROWS;
}

/* A transaction begins before the first commit of a writer whose newer version it does not read. */
static void find_beginnings(struct scheduler *s)
{
    const struct dataflow *t = s->p->observed;
    const struct prediction *p = s->p->prediction;

    for (uint32_t i = 0; i < p->order_count; i++) {
        uint32_t txn = p->order[i], session = t->session[txn];
        uint32_t end = p->boundary[session] == txn ? t->event_start[txn] + p->included[session]
                                                   : t->event_start[txn + 1];

        s->begins[txn] = i;
        for (uint32_t e = t->event_start[txn]; e < end; e++) {
            uint32_t key = t->events[e].key, writer = p->writer[e];

            for (uint32_t k = t->writer_start[key];
                 k < t->writer_start[key + 1] && dataflow_is_read(t->events[e]); k++) {
                uint32_t place = s->place[t->writers[k]];

                if (place < s->begins[txn] &&
                    (writer == DATAFLOW_INITIAL || place > s->place[writer]))
                    s->begins[txn] = place;
            }
        }
    }
}

static void add_step(struct scheduler *s, uint32_t txn, const char *what, struct buffer *out)
{
    buffer_print(out, "\n[[schedule]]\nsession = %" PRIu32 "\ndo = \"",
                 s->p->observed->session[txn] + 1);
    for (; *what; what++) {
        if (*what == '"' || *what == '\\')
            buffer_byte(out, '\\');
        buffer_byte(out, *what);
    }
    buffer_text(out, TEXT("\"\n"));
}

static void begin(struct scheduler *s, uint32_t txn, struct buffer *out)
{
    const struct dataflow *t = s->p->observed;
    int64_t id = t->history->txn_id[t->txn[txn]];
    const struct predict_call *call = &s->p->calls->calls.at[predict_calls_find(s->p->calls, id)];

    buffer_clear(&s->call);
    buffer_text(&s->call, TEXT("SELECT "));
    calls_print(s->p->calls->program, call->function, call->arguments, &s->call, &s->room);
    buffer_byte(&s->call, '\0');
    buffer_print(out, "\n# T%" PRId64, id);
    add_step(s, txn, "begin", out);
    if (!s->call.out_of_memory)
        add_step(s, txn, s->call.at, out);
}

static void print_steps(struct scheduler *s, struct buffer *out)
{
    const struct prediction *p = s->p->prediction;

    for (uint32_t i = 0; i < p->order_count; i++) {
        for (uint32_t k = i; k < p->order_count; k++)
            if (s->begins[p->order[k]] == i)
                begin(s, p->order[k], out);
        add_step(s, p->order[i], "commit", out);
    }
}

static void print_head(const struct scheduled_prediction *p, struct buffer *out)
{
    const struct call_log *log = p->calls->log;

    buffer_print(out,
                 "# What was predicted at snapshot, on the replicated store: each transaction "
                 "reads as it begins. It is not\n"
                 "# serializable, and the checkers should say so.\n"
                 "name = \"predicted at snapshot\"\nseed = 1\n\n[cluster]\nprotocol = "
                 "\"si\"\n\n[workload]\nprogram = \"%s\"\n",
                 p->program);
    if (log->initial == INITIAL_LOAD)
        buffer_print(out, "load = \"%.*s\"\n", (int)log->load.length, log->load.at);
    buffer_text(out, TEXT("\n[check]\nlevel = \"serializable\"\n"));
}

enum status prediction_write_schedule(const struct scheduled_prediction *p, struct buffer *out,
                                      struct error *err)
{
    uint32_t count = p->observed->txn_count + 1;
    struct scheduler s = { .p = p,
                           .place = calloc(count, sizeof *s.place),
                           .begins = calloc(count, sizeof *s.begins) };
    enum status status = STATUS_OVER_LIMIT;

    if (s.place && s.begins) {
        for (uint32_t txn = 0; txn < count; txn++)
            s.place[txn] = DATAFLOW_NONE;
        for (uint32_t i = 0; i < p->prediction->order_count; i++)
            s.place[p->prediction->order[i]] = i;
        find_beginnings(&s);
        print_head(p, out);
        print_steps(&s, out);
        out->out_of_memory |= s.call.out_of_memory || s.room.out_of_memory;
        status = buffer_status(out, err);
    }
    buffer_close(&s.call);
    buffer_close(&s.room);
    free(s.place);
    free(s.begins);
    return status == STATUS_OVER_LIMIT ? error_set(err, status, "no memory for a schedule")
                                       : status;
}
