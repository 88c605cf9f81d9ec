#include "checkers/interval/online/watcher_clients_private.h"

#include <assert.h>

static int64_t earlier(int64_t time, int64_t by)
{
    return time < INT64_MIN + by ? INT64_MIN : time - by;
}

static int64_t later(int64_t time, int64_t by)
{
    return time > INT64_MAX - by ? INT64_MAX : time + by;
}

static int64_t greater(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* --- Their places ------------------------------------------------------------------------------ */

static struct watcher_client *client_at(struct watcher *w, uint32_t client)
{
    return &w->clients.at[client];
}

static enum status add_client(struct watcher *w, uint32_t stream, int64_t session, int64_t bound,
                              uint32_t *client, struct error *err)
{
    struct watcher_client new = { .session = session,
                                  .stream = stream,
                                  .heard_until = bound,
                                  .epoch = w->streams.at[stream].epoch,
                                  .is_used = true };

    if (w->free_clients.count > 0) {
        *client = w->free_clients.at[--w->free_clients.count];
    } else {
        *client = (uint32_t)w->clients.count;
        TRY(array_push(&w->clients, (struct watcher_client){ 0 }, err));
        TRY(array_reserve(&w->free_clients, w->clients.count, err));
    }
    TRY(pipeline_open_lane(&w->pipeline, *client, bound, &new.lane, err));
    w->clients.at[*client] = new;
    w->streams.at[stream].client_count++;
    return STATUS_OK;
}

/* The open gap begins with the silence of who has been silent longest. */
static void settle_silence(struct watcher *w)
{
    w->silent_from = INT64_MAX;
    for (size_t i = 0; i < w->clients.count; i++)
        if (w->clients.at[i].is_used && w->clients.at[i].lane == PIPELINE_NONE &&
            w->clients.at[i].heard_until < w->silent_from)
            w->silent_from = w->clients.at[i].heard_until;
    if (w->silent_count == 0)
        interval_model_end_open_gap(&w->model);
    else
        interval_model_open_gap(&w->model, w->silent_from);
}

/* One who was silent since then is no longer. */
static void break_silence(struct watcher *w, int64_t since)
{
    w->silent_count--;
    if (w->silent_count == 0 || since <= w->silent_from)
        settle_silence(w);
}

static void drop_client(struct watcher *w, uint32_t number)
{
    struct watcher_client *client = client_at(w, number);
    bool was_silent = client->lane == PIPELINE_NONE;

    if (!was_silent)
        pipeline_close_lane(&w->pipeline, client->lane);
    w->streams.at[client->stream].client_count--;
    client->is_used = false;
    w->free_clients.at[w->free_clients.count++] = number; /* there is room: see add_client() */
    if (was_silent)
        break_silence(w, client->heard_until);
}

static bool is_client(const struct watcher *w, uint32_t client, uint32_t stream, int64_t session)
{
    const struct watcher_client *c = &w->clients.at[client];

    return c->is_used && !c->is_unseen && c->stream == stream && c->session == session;
}

static bool find_client(const struct watcher *w, uint32_t stream, int64_t session, uint32_t *client)
{
    uint64_t place;

    if (!map_find(&w->streams.at[stream].places, (uint64_t)session, &place))
        return false;
    *client = (uint32_t)place;
    return is_client(w, *client, stream, session);
}

/* The map forgets nobody: once most of it is of clients who have gone, it is made anew. */
static enum status tidy_places(struct watcher *w, uint32_t stream, struct error *err)
{
    struct watcher_stream *s = &w->streams.at[stream];
    size_t place;

    if (s->places.keys.count < 2 * s->client_count + 64)
        return STATUS_OK;
    map_clear(&s->places);
    for (uint32_t i = 0; i < w->clients.count; i++)
        if (w->clients.at[i].is_used && w->clients.at[i].stream == stream &&
            !w->clients.at[i].is_unseen)
            TRY(map_add(&s->places, (uint64_t)w->clients.at[i].session, i, &place, err));
    return STATUS_OK;
}

static enum status remember(struct watcher *w, uint32_t stream, uint32_t client, struct error *err)
{
    struct watcher_stream *s = &w->streams.at[stream];
    size_t place;

    TRY(tidy_places(w, stream, err));
    TRY(map_add(&s->places, (uint64_t)client_at(w, client)->session, client, &place, err));
    s->places.values.at[place] = client;
    return STATUS_OK;
}

enum status watcher_clients_begin_stream(struct watcher *w, uint32_t stream, struct error *err)
{
    uint32_t *unseen = &w->streams.at[stream].unseen;

    TRY(add_client(w, stream, 0, INT64_MIN, unseen, err));
    client_at(w, *unseen)->is_unseen = true;
    return STATUS_OK;
}

/* --- Gaps -------------------------------------------------------------------------------------- */

static enum status lay_gap(struct watcher *w, int64_t from, int64_t to, struct error *err)
{
    return from <= to ? interval_model_gap(&w->model, from, to, err) : STATUS_OK;
}

/*
 * It is heard of again. What it did until then and did not know the outcome of has landed a patience
 * later, as has what others did who were not heard of.
 */
static enum status end_loss(struct watcher *w, struct watcher_client *client, int64_t now,
                            struct error *err)
{
    uint64_t epoch = w->streams.at[client->stream].epoch;

    if (client->epoch == epoch)
        return STATUS_OK;
    client->epoch = epoch;
    return lay_gap(w, client->heard_until, later(now, w->options.patience), err);
}

void watcher_clients_lose(struct watcher *w, uint32_t stream)
{
    struct watcher_stream *s = &w->streams.at[stream];

    s->epoch++;
    if (s->is_unsure)
        return;
    s->is_unsure = true;
    s->unsure_from = client_at(w, s->unseen)->heard_until;
    /* Of a finished stream nothing is said of who was not heard of: so long ago nobody began. */
    if (s->has_begun && s->unsure_from == INT64_MIN)
        s->unsure_from = earlier(s->newest, w->options.patience);
}

static enum status end_unsureness(struct watcher *w, struct watcher_stream *s, int64_t completed,
                                  struct error *err)
{
    if (!s->is_unsure)
        return STATUS_OK;
    s->is_unsure = false;
    return lay_gap(w, s->unsure_from, later(completed, w->options.patience), err);
}

/* --- Being heard ------------------------------------------------------------------------------- */

static bool has_writes(const struct history *h, uint32_t txn)
{
    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++)
        if (history_makes_version(h, op))
            return true;
    return false;
}

/* Findings that what came now may explain are no findings any more. */
static void withdraw(struct watcher *w, int64_t from)
{
    w->counts.surprises++;
    for (size_t i = 0; i < w->passed.count; i++)
        if (w->passed.at[i] != INT64_MIN && w->passed.at[i] > from) {
            w->passed.at[i] = INT64_MIN;
            w->counts.withdrawn++;
        }
}

/* What began before what was judged already is not judged, nor what it may explain. */
static enum status hear_late(struct watcher *w, const struct history *h, uint32_t txn,
                             struct error *err)
{
    int64_t invoked = h->txn_invoked[txn];
    int64_t until = h->txn_status[txn] == TXN_OK ? h->txn_completed[txn] : INT64_MAX;

    w->counts.late++;
    if (!has_writes(h, txn) || h->txn_status[txn] == TXN_ABORT)
        return STATUS_OK;
    if (gaps_end(&w->model.gaps, invoked) < until)
        withdraw(w, invoked);
    return lay_gap(w, invoked, until, err);
}

/* Silent no longer. */
static enum status reopen(struct watcher *w, uint32_t number, int64_t bound, struct error *err)
{
    struct watcher_client *client = client_at(w, number);
    uint32_t lane;

    if (client->lane != PIPELINE_NONE)
        return STATUS_OK;
    TRY(pipeline_open_lane(&w->pipeline, number, bound, &lane, err));
    client->lane = lane;
    break_silence(w, client->heard_until);
    return STATUS_OK;
}

/* The stream is heard of again. All that others than its known clients did meanwhile is lost. */
static enum status hear_stream(struct watcher *w, struct watcher_stream *s, int64_t completed,
                               struct error *err)
{
    struct watcher_client *unseen = client_at(w, s->unseen);

    if (unseen->lane == PIPELINE_NONE) {
        TRY(lay_gap(w, unseen->heard_until, later(completed, w->options.patience), err));
        TRY(reopen(w, s->unseen, w->pipeline.passed, err));
        unseen->heard_until = w->pipeline.passed;
    }
    return end_unsureness(w, s, completed, err);
}

/* Of one who does two things at once: the second has a lane of its own. */
static enum status hear_beside(struct watcher *w, uint32_t client, int64_t invoked,
                               struct watcher_batch *batch, uint32_t txn, struct error *err)
{
    uint32_t lane;

    TRY(pipeline_open_lane(&w->pipeline, client, invoked, &lane, err));
    TRY(pipeline_push(&w->pipeline, lane, invoked, batch, txn, err));
    pipeline_close_lane(&w->pipeline, lane);
    return STATUS_OK;
}

static enum status hear_client(struct watcher *w, uint32_t number, struct watcher_batch *batch,
                               uint32_t txn, bool *wanted, struct error *err)
{
    const struct history *h = &batch->history;
    int64_t invoked = h->txn_invoked[txn];
    struct watcher_client *client = client_at(w, number);

    TRY(end_loss(w, client, invoked, err));
    *wanted = invoked >= w->pipeline.passed;
    if (!*wanted)
        TRY(hear_late(w, h, txn, err));
    TRY(reopen(w, number, invoked, err));
    if (!*wanted)
        return STATUS_OK;
    if (invoked < pipeline_lane(&w->pipeline, client->lane)->bound)
        return hear_beside(w, number, invoked, batch, txn, err);
    return pipeline_push(&w->pipeline, client->lane, invoked, batch, txn, err);
}

static enum status hear_stranger(struct watcher *w, uint32_t stream, int64_t session,
                                 int64_t invoked, uint32_t *client, struct error *err)
{
    TRY(add_client(w, stream, session, invoked, client, err));
    return remember(w, stream, *client, err);
}

enum status watcher_clients_hear(struct watcher *w, uint32_t stream, struct watcher_batch *batch,
                                 uint32_t txn, bool *wanted, struct error *err)
{
    const struct history *h = &batch->history;
    struct watcher_stream *s = &w->streams.at[stream];
    bool is_over = h->txn_completed[txn] != TIME_NEVER;
    int64_t until = is_over ? h->txn_completed[txn] : h->txn_invoked[txn];
    int64_t session = h->session_id[h->txn_session[txn]];
    uint32_t number;

    TRY(hear_stream(w, s, until, err));
    if (!find_client(w, stream, session, &number))
        TRY(hear_stranger(w, stream, session, h->txn_invoked[txn], &number, err));
    TRY(hear_client(w, number, batch, txn, wanted, err));
    client_at(w, number)->heard_until = greater(client_at(w, number)->heard_until, until);
    pipeline_set_bound(&w->pipeline, client_at(w, number)->lane, until);
    s->newest = s->has_begun ? greater(s->newest, until) : until;
    s->has_begun = true;
    if (!is_over)
        drop_client(w, number);
    return STATUS_OK;
}

void watcher_clients_advance(struct watcher *w, uint32_t stream)
{
    const struct watcher_stream *s = &w->streams.at[stream];
    struct watcher_client *unseen = client_at(w, s->unseen);

    if (s->is_finished || !s->has_begun || unseen->lane == PIPELINE_NONE)
        return;
    unseen->heard_until = greater(unseen->heard_until, earlier(s->newest, w->options.patience));
    pipeline_set_bound(&w->pipeline, unseen->lane, unseen->heard_until);
}

/* --- Being waited for no longer ------------------------------------------------------------------ */

/*
 * Of those not heard of nobody began longer ago than the patience: that much time has passed since
 * the newest that came.
 */
static bool has_waited(struct watcher *w, struct watcher_client *client)
{
    const struct watcher_stream *s = &w->streams.at[client->stream];

    if (!client->is_unseen || !s->has_begun || client->heard_until >= s->newest)
        return false;
    client->heard_until = s->newest;
    pipeline_set_bound(&w->pipeline, client->lane, s->newest);
    return true;
}

void watcher_clients_give_up(struct watcher *w, uint32_t number)
{
    struct watcher_client *client = client_at(w, number);

    assert(client->lane != PIPELINE_NONE);
    if (has_waited(w, client))
        return;
    pipeline_close_lane(&w->pipeline, client->lane);
    client->lane = PIPELINE_NONE;
    w->silent_count++;
    w->counts.given_up++;
    if (w->silent_count == 1 || client->heard_until < w->silent_from)
        w->silent_from = client->heard_until;
    interval_model_open_gap(&w->model, w->silent_from);
}

enum status watcher_clients_forget(struct watcher *w, uint32_t number, bool *is_gone,
                                   struct error *err)
{
    struct watcher_client *client = client_at(w, number);
    const struct watcher_stream *s = &w->streams.at[client->stream];
    int64_t until = earlier(s->newest, w->options.patience);

    *is_gone = !client->is_unseen && s->has_begun && client->heard_until < until;
    if (!*is_gone)
        return STATUS_OK;
    TRY(end_loss(w, client, until, err));
    drop_client(w, number);
    return STATUS_OK;
}

enum status watcher_clients_relieve(struct watcher *w, uint32_t number, struct error *err)
{
    struct watcher_client *client = client_at(w, number);
    const struct watcher_stream *s = &w->streams.at[client->stream];
    int64_t next = w->pipeline.heap.count > 1 ? w->pipeline.heap.at[1].key : INT64_MIN;
    bool is_gone;

    TRY(watcher_clients_forget(w, number, &is_gone, err));
    if (is_gone)
        return STATUS_OK;
    if (!client->is_unseen || !s->has_begun) {
        watcher_clients_give_up(w, number);
        return STATUS_OK;
    }
    if (w->pipeline.heap.count > 2 && w->pipeline.heap.at[2].key < next)
        next = w->pipeline.heap.at[2].key;
    client->heard_until = greater(client->heard_until, next);
    pipeline_set_bound(&w->pipeline, client->lane, next + 1);
    return STATUS_OK;
}

enum status watcher_clients_end_stream(struct watcher *w, uint32_t stream, bool is_lost,
                                       struct error *err)
{
    struct watcher_stream *s = &w->streams.at[stream];

    if (is_lost)
        watcher_clients_lose(w, stream);
    if (s->is_unsure)
        TRY(lay_gap(w, s->unsure_from, INT64_MAX, err));
    for (uint32_t i = 0; i < w->clients.count; i++) {
        struct watcher_client *client = client_at(w, i);

        if (!client->is_used || client->stream != stream)
            continue;
        if (!client->is_unseen && client->epoch != s->epoch)
            TRY(lay_gap(w, client->heard_until, INT64_MAX, err));
        drop_client(w, i);
    }
    return STATUS_OK;
}
