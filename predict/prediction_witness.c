#include "predict/prediction_witness.h"

#include <assert.h>

#include "base/json_writer.h"

static void write_read(const struct prediction *p, const struct dataflow *t, uint32_t txn,
                       uint32_t event, struct json_writer *json)
{
    const struct history *h = t->history;
    uint32_t writer = p->writer[event];

    json_writer_open(json, NULL, '{');
    json_writer_number(json, "event", event - t->event_start[txn]);
    json_writer_string(json, "key", history_key(h, t->key[t->events[event].key]));
    if (writer == DATAFLOW_INITIAL)
        json_writer_null(json, "from");
    else
        json_writer_int64(json, "from", h->txn_id[t->txn[writer]]);
    json_writer_close(json, '}');
}

/* With the strict boundary the last read, whoever it is from; else those that come from others than observed. */
static void write_boundary(const struct prediction *p, const struct dataflow *t, bool is_strict,
                           uint32_t session, struct json_writer *json)
{
    uint32_t txn = p->boundary[session], from = t->event_start[txn],
             end = from + p->included[session];

    json_writer_open(json, "boundary", '{');
    json_writer_int64(json, "txn", t->history->txn_id[t->txn[txn]]);
    json_writer_number(json, "included", p->included[session]);
    json_writer_open(json, "reads", '[');
    for (uint32_t e = is_strict ? end - 1 : from; e < end; e++)
        if (dataflow_is_read(t->events[e]) && (is_strict || p->writer[e] != t->events[e].writer))
            write_read(p, t, txn, e, json);
    json_writer_close(json, ']');
    json_writer_close(json, '}');
}

static void write_sessions(const struct prediction *p, const struct dataflow *t, bool is_strict,
                           struct json_writer *json)
{
    json_writer_open(json, "sessions", '[');
    for (uint32_t s = 0; s < t->session_count; s++) {
        uint32_t first = t->session_txns[t->session_start[s]];

        json_writer_open(json, NULL, '{');
        json_writer_int64(json, "session",
                          t->history->session_id[t->history->txn_session[t->txn[first]]]);
        json_writer_number(json, "full", p->full[s]);
        if (p->boundary[s] != DATAFLOW_NONE)
            write_boundary(p, t, is_strict, s, json);
        json_writer_close(json, '}');
    }
    json_writer_close(json, ']');
}

/* A witness as the checker wrote it. */
static void write_inner(const char *name, const struct buffer *witness, struct buffer *out)
{
    size_t count = witness->count;

    while (count > 0 && witness->at[count - 1] == '\n')
        count--;
    buffer_print(out, ",\"%s\":", name);
    buffer_text(out, (struct text){ witness->at, count });
}

enum status prediction_write_witness(const struct prediction *p, const struct dataflow *t,
                                     const struct predict_options *options,
                                     const struct confirmation *c, struct buffer *out,
                                     struct error *err)
{
    struct json_writer json = { .out = out };
    struct digest digest = history_digest(t->history);
    bool is_strict = !strategy_is_relaxed(options->strategy);
    char hex[DIGEST_HEX_SIZE];

    assert(c->is_confirmed && t->history);
    digest_hex(&digest, hex);
    json_writer_open(&json, NULL, '{');
    json_writer_number(&json, "ordeal-prediction", 1);
    json_writer_text(&json, "history", hex);
    json_writer_text(&json, "level", level_name(options->level));
    json_writer_text(&json, "boundary", is_strict ? "strict" : "relaxed");
    json_writer_text(&json, "verdict", "predicted");
    write_sessions(p, t, is_strict, &json);
    write_inner("holds", &c->holds.witness, out);
    write_inner("fails", &c->fails.witness, out);
    buffer_text(out, TEXT("}\n"));
    return buffer_status(out, err);
}
