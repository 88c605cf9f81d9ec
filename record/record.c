#include "record/record.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/random.h"
#include "base/thread.h"
#include "base/wall_clock.h"
#include "record/record_program_private.h"

#define STEPS_MAX (BUILTIN_OPERATIONS_MAX + 2)
/* How long a session waits for the server to come back: longer than who starts it. */
#define OPEN_NS INT64_C(120000000000)
#define ARENA_BYTES ((size_t)1 << 30)
/* The databases' libraries run in it: more than they need. */
#define CLIENT_STACK_BYTES ((size_t)1 << 20)

static void nap(int64_t ns)
{
    nanosleep(&(struct timespec){ .tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000 }, NULL);
}

/* --- What is found ---------------------------------------------------------------------------- */

static const char *const invariant_title = "invariant  BROKEN";
static const char *const lost_title = "decisions  LOST";
static const char *const decision_title = "decisions  FALSE COMMIT";

static void add_finding(struct recorded_run *r, enum anomaly kind, const char *title,
                        const char *explanation)
{
    struct record_finding *finding = &r->findings[r->finding_count];

    if (r->finding_count == RECORD_FINDINGS_MAX)
        return;
    r->finding_count++;
    finding->kind = kind;
    finding->title = title;
    snprintf(finding->explanation, sizeof finding->explanation, "%s", explanation);
}

static void fail(struct record_stage *stage, const struct error *err)
{
    pthread_mutex_lock(&stage->mutex);
    if (stage->failure.status == STATUS_OK)
        stage->failure = *err;
    pthread_mutex_unlock(&stage->mutex);
    atomic_store(&stage->is_over, true);
}

static void count_code(struct recorded_run *r, const char *code)
{
    uint32_t i = 0;

    while (i < r->code_count && strcmp(r->codes[i].code, code) != 0)
        i++;
    if (i == RECORD_CODES_MAX)
        return;
    if (i == r->code_count) {
        r->code_count++;
        snprintf(r->codes[i].code, sizeof r->codes[i].code, "%s", code);
    }
    r->codes[i].count++;
}

void record_broken(struct recorded_run *r, const char *explanation)
{
    add_finding(r, ANOMALY_INVARIANT, invariant_title, explanation);
}

/* A finding that there is no memory to tell of must not get lost. */
static enum status add_broken(struct recorded_run *r, struct buffer *sentence, struct error *err)
{
    buffer_byte(sentence, '\0');
    TRY(buffer_status(sentence, err));
    record_broken(r, sentence->at);
    return STATUS_OK;
}

static enum status note_sight(struct record_stage *stage, const struct builtin_txn *txn,
                              struct error *err)
{
    struct buffer sentence = { 0 };
    enum status status = STATUS_OK;

    if (builtin_saw_broken(txn, &sentence) && stage->recording->finding_count == 0)
        status = add_broken(stage->recording, &sentence, err);
    buffer_close(&sentence);
    return status;
}

void record_count(struct record_client *c, enum txn_status status)
{
    const struct log_txn *txn = &c->log->txns.at[c->log->txns.count - 1];
    struct recorded_run *r = c->stage->recording;

    atomic_fetch_add(&c->stage->ended, 1);
    if (status == TXN_OK)
        live_note_add(&c->stage->note, txn->completed_ns - txn->invoked_ns);
    r->committed += status == TXN_OK;
    r->aborted += status == TXN_ABORT;
    r->unknown += status == TXN_UNKNOWN;
    if (status == TXN_ABORT && c->answer.end == STEPS_REFUSED)
        count_code(r, c->answer.code);
    else if (status == TXN_ABORT && c->answer.end == STEPS_DONE)
        r->gave_up++;
}

/* A transaction is over: for the counts, and for the invariant. */
static enum status note_end(struct record_client *c, const struct builtin_txn *txn,
                            enum txn_status status, struct error *err)
{
    struct record_stage *stage = c->stage;
    enum status tallied;

    pthread_mutex_lock(&stage->mutex);
    record_count(c, status);
    tallied = builtin_tally_add(&stage->tally, txn, status, err);
    if (tallied == STATUS_OK && status == TXN_OK && stage->options->judges_invariant)
        tallied = note_sight(stage, txn, err);
    pthread_mutex_unlock(&stage->mutex);
    return tallied;
}

/* --- One transaction -------------------------------------------------------------------------- */

/* The requests of a transaction whose answers change nothing are all known at its beginning. */
static uint32_t plan_all(const struct builtin_txn *begun, struct database_step *steps)
{
    struct builtin_txn txn = *begun;
    uint32_t count = 0;

    steps[count++] = (struct database_step){ .kind = STEP_BEGIN };
    for (;;) {
        struct builtin_request request = builtin_next(&txn);

        if (request.kind == BUILTIN_COMMIT || request.kind == BUILTIN_ABORT) {
            steps[count++].kind = request.kind == BUILTIN_COMMIT ? STEP_COMMIT : STEP_ABORT;
            return count;
        }
        assert(count + 1 < STEPS_MAX);
        steps[count++] = (struct database_step){ .kind = STEP_REQUEST, .request = request };
        builtin_answer(&txn, NULL, 0);
    }
}

/* The next steps that can be sent together. */
static uint32_t plan_next(const struct builtin_txn *txn, bool is_first, struct database_step *steps)
{
    uint32_t count = 0;
    struct builtin_request request = builtin_next(txn);

    if (is_first)
        steps[count++] = (struct database_step){ .kind = STEP_BEGIN };
    if (request.kind == BUILTIN_COMMIT || request.kind == BUILTIN_ABORT)
        steps[count++].kind = request.kind == BUILTIN_COMMIT ? STEP_COMMIT : STEP_ABORT;
    else
        steps[count++] = (struct database_step){ .kind = STEP_REQUEST, .request = request };
    return count;
}

/* Writes down what was asked, and goes on in the plan. */
static enum status take_answers(struct record_client *c, struct builtin_txn *txn, uint32_t count,
                                int64_t invoked_ns, struct error *err)
{
    for (uint32_t i = 0; i < count; i++) {
        bool is_answered = i < c->answer.step_count;
        const struct database_step_answer *answer = is_answered ? &c->answer.steps.at[i] : NULL;

        if (c->steps[i].kind != STEP_REQUEST)
            continue;
        if (!is_answered && c->answer.end == STEPS_REFUSED)
            continue; /* it had no effect */
        if (is_answered)
            invoked_ns = answer->invoked_ns; /* those that got no answer were sent no earlier */
        if (!c->stage->options->is_bare)
            TRY(client_log_request(c->log, &c->steps[i].request, &c->answer, answer, invoked_ns,
                                   err));
        if (is_answered)
            builtin_answer(txn,
                           answer->count > 0 && c->answer.rows.count > 0
                               ? c->answer.rows.at + answer->first
                               : NULL,
                           c->answer.rows.count > 0 ? answer->count : 0);
    }
    return c->stage->options->is_bare ? STATUS_OK : client_log_note(c->log, &c->answer, err);
}

enum txn_status record_status(const struct record_client *c, enum database_step_kind last)
{
    if (c->answer.end == STEPS_REFUSED)
        return TXN_ABORT;
    if (c->answer.end == STEPS_LOST)
        return last == STEP_COMMIT ? TXN_UNKNOWN : TXN_ABORT;
    return last == STEP_COMMIT ? TXN_OK : TXN_ABORT;
}

uint32_t record_session(const struct record_client *c)
{
    return c->number + c->incarnation * RECORD_CLIENTS_MAX;
}

static enum status run_attempt(struct record_client *c, uint64_t ordinal, uint32_t attempt,
                               enum txn_status *outcome, struct error *err)
{
    const struct builtin *builtin = &c->stage->builtin;
    bool is_planned = builtin_is_planned(builtin), is_first = true;
    uint32_t count;
    int64_t began_ns = wall_clock_ns();
    struct builtin_txn txn;

    builtin_begin(&txn, builtin, c->number, ordinal, attempt);
    TRY(client_log_begin(c->log, record_session(c), began_ns, err));
    do {
        int64_t invoked_ns = wall_clock_ns();

        count = is_planned ? plan_all(&txn, c->steps) : plan_next(&txn, is_first, c->steps);
        is_first = false;
        database_answer_clear(&c->answer);
        TRY(c->stage->database->steps(c->session, c->steps, count, &c->answer, err));
        TRY(take_answers(c, &txn, count, invoked_ns, err));
    } while (c->answer.end == STEPS_DONE && c->steps[count - 1].kind == STEP_REQUEST);
    *outcome = record_status(c, c->steps[count - 1].kind);
    client_log_end(c->log, *outcome, wall_clock_ns());
    if (c->stage->options->watch)
        TRY(live_lines_add(&c->stage->live, c->log, err));
    return note_end(c, &txn, *outcome, err);
}

/* --- One client ------------------------------------------------------------------------------- */

static bool is_over(struct record_stage *stage)
{
    const atomic_bool *stop = stage->options->stop;

    return atomic_load_explicit(&stage->is_over, memory_order_relaxed) ||
           (stop && atomic_load_explicit(stop, memory_order_relaxed)) ||
           (stage->until_ns && wall_clock_ns() >= stage->until_ns);
}

static void close_session(struct record_client *c)
{
    if (c->session)
        c->stage->database->close(c->session);
    c->session = NULL;
}

/* While the server is down there is no connection to be had. */
static enum status open_session(struct record_client *c, struct error *err)
{
    int64_t until = wall_clock_ns() + OPEN_NS;

    for (;;) {
        enum status status =
            c->stage->database->open(&c->session, c->stage->server, c->number, err);

        if (status == STATUS_OK)
            return STATUS_OK;
        close_session(c);
        if (status != STATUS_IO || c->stage->options->how.faults == 0 || wall_clock_ns() >= until)
            return status;
        nap(10000000);
    }
}

/* Each transaction is due at its time, if there is a rate. */
static void wait_for_turn(struct record_client *c, uint64_t ordinal)
{
    uint64_t rate = c->stage->options->rate, number = ordinal * c->stage->clients + c->number;
    int64_t due;

    if (rate == 0)
        return;
    due = c->stage->began_ns + (int64_t)((unsigned __int128)number * 1000000000 / rate);
    while (!is_over(c->stage) && wall_clock_ns() < due)
        nap(due - wall_clock_ns() > 10000000 ? 10000000
            : due - wall_clock_ns() > 0      ? due - wall_clock_ns()
                                             : 0);
}

static enum status run_txn(struct record_client *c, uint64_t ordinal, struct error *err)
{
    enum txn_status outcome = TXN_ABORT;

    for (uint32_t attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
        if (!c->session)
            TRY(open_session(c, err));
        TRY((c->stage->program ? record_program_attempt : run_attempt)(c, ordinal, attempt,
                                                                       &outcome, err));
        if (c->answer.end == STEPS_LOST) {
            close_session(c);
            c->incarnation++;
        }
        if (outcome != TXN_ABORT || c->answer.end == STEPS_DONE || is_over(c->stage))
            return STATUS_OK;
    }
    return STATUS_OK;
}

static enum status client_work(struct record_client *c, struct error *err)
{
    uint64_t most = c->stage->options->transactions;

    TRY(open_session(c, err));
    for (uint64_t ordinal = 0; ordinal < BUILTIN_ORDINAL_MAX && !is_over(c->stage); ordinal++) {
        if (most && atomic_fetch_add(&c->stage->begun, 1) >= most)
            return STATUS_OK;
        wait_for_turn(c, ordinal);
        if (!is_over(c->stage))
            TRY(run_txn(c, ordinal, err));
    }
    return STATUS_OK;
}

static void *client_main(void *context)
{
    struct record_client *c = context;
    struct error err = { .status = STATUS_OK };

    if (client_work(c, &err) != STATUS_OK)
        fail(c->stage, &err);
    close_session(c);
    return NULL;
}

/* Without logs. */
static struct record_source source_of(const struct record_stage *stage)
{
    return (struct record_source){ .builtin = &stage->builtin,
                                   .table = &stage->table,
                                   .producer = text_of(stage->recording->version),
                                   .began_ns = stage->began_ns };
}

/* --- While they run --------------------------------------------------------------------------- */

/* What is due by now; a fault that lasts ends when the clients do. */
static enum status work_faults(struct record_stage *stage, struct faults *faults, struct error *err)
{
    int64_t now_ns = is_over(stage) ? INT64_MAX : wall_clock_ns();
    struct fault_event event;

    while ((faults->lasts || !is_over(stage)) && faults_due(faults, now_ns, &event)) {
        TRY(stage->database->fault(stage->server, event.kind, event.begins, event.turn, err));
        now_ns = wall_clock_ns();
        faults_note(faults, &event, now_ns);
        stage->recording->faults[event.kind] = faults->counts[event.kind];
    }
    return STATUS_OK;
}

/* To who watches. */
static enum status show_lines(struct record_stage *stage, struct error *err)
{
    const struct record_plan *plan = stage->options;
    bool is_enough = false;

    if (!plan->watch)
        return STATUS_OK;
    live_lines_take(&stage->live, &stage->lines);
    TRY(buffer_status(&stage->lines, err));
    TRY(plan->watch(plan->watch_context, (struct text){ stage->lines.at, stage->lines.count },
                    &is_enough, err));
    if (is_enough)
        atomic_store(&stage->is_over, true);
    return STATUS_OK;
}

static void tell_progress(struct record_stage *stage)
{
    const struct progress *progress = stage->options->progress;
    struct buffer words = { 0 };

    if (progress && progress->note) {
        pthread_mutex_lock(&stage->mutex);
        live_note_print(&stage->note, stage->recording, &words);
        pthread_mutex_unlock(&stage->mutex);
        if (!words.out_of_memory)
            progress->note(progress->context, (struct text){ words.at, words.count });
        buffer_close(&words);
    }
    progress_report(progress, atomic_load(&stage->ended), stage->options->transactions);
}

static enum status watch_over(struct record_stage *stage, const atomic_uint *running,
                              struct error *err)
{
    struct faults faults;

    faults_init(&faults, stage->options->faults, stage->options->seed, stage->began_ns);
    while (atomic_load(running) > 0 || faults.lasts) {
        TRY(work_faults(stage, &faults, err));
        tell_progress(stage);
        nap(5000000);
    }
    return STATUS_OK;
}

struct running_client {
    struct record_client client;
    atomic_uint *running;
};

static void *running_main(void *context)
{
    struct running_client *c = context;

    client_main(&c->client);
    atomic_fetch_sub(c->running, 1);
    return NULL;
}

static enum status start_clients(struct record_stage *stage, struct running_client *clients,
                                 atomic_uint *running, struct error *err)
{
    for (uint32_t i = 0; i < stage->clients; i++) {
        int code;

        clients[i].running = running;
        atomic_fetch_add(running, 1);
        code = thread_start(&clients[i].client.thread, CLIENT_STACK_BYTES, running_main, &clients[i]);
        if (code != 0) {
            atomic_fetch_sub(running, 1);
            return error_set(err, STATUS_OVER_LIMIT, "no memory or process for client %u: %s",
                             (unsigned)i, strerror(code));
        }
        clients[i].client.is_running = true;
    }
    return STATUS_OK;
}

static enum status open_live(struct record_stage *stage, struct error *err)
{
    struct record_source source = source_of(stage);

    stage->is_live = stage->options->watch != NULL;
    return stage->is_live ? live_lines_open(&stage->live, &source, err) : STATUS_OK;
}

static void close_live(struct record_stage *stage)
{
    if (stage->is_live)
        live_lines_close(&stage->live);
    buffer_close(&stage->lines);
}

static enum status run_clients(struct record_stage *stage, struct running_client *clients,
                               struct error *err)
{
    atomic_uint running = 0;
    enum status status;

    stage->began_ns = wall_clock_ns();
    stage->until_ns = stage->options->for_ns ? stage->began_ns + stage->options->for_ns : 0;
    status = open_live(stage, err);
    if (status == STATUS_OK)
        status = start_clients(stage, clients, &running, err);
    if (status == STATUS_OK)
        status = watch_over(stage, &running, err);
    atomic_store(&stage->is_over, status != STATUS_OK || atomic_load(&stage->is_over));
    for (uint32_t i = 0; i < stage->clients; i++)
        if (clients[i].client.is_running)
            pthread_join(clients[i].client.thread, NULL);
    stage->recording->ran_ns = wall_clock_ns() - stage->began_ns;
    if (status == STATUS_OK && stage->failure.status != STATUS_OK) {
        *err = stage->failure;
        status = err->status;
    }
    return status;
}

/* --- The end ---------------------------------------------------------------------------------- */

static int compare_keys(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

typedef ARRAY(uint64_t) key_list;

/* Each key that was asked for, once. */
static enum status list_keys(const struct record_stage *stage, const struct client_log *logs,
                             key_list *keys, struct error *err)
{
    size_t kept = 0;

    for (uint64_t i = 0; i < builtin_initial_count(&stage->builtin); i++)
        TRY(array_push(keys, builtin_initial(&stage->builtin, i).key, err));
    for (uint32_t i = 0; i < stage->clients; i++)
        for (size_t j = 0; j < logs[i].ops.count; j++)
            TRY(array_push(keys, logs[i].ops.at[j].request.key, err));
    if (keys->count > 1)
        qsort(keys->at, keys->count, sizeof *keys->at, compare_keys);
    for (size_t i = 0; i < keys->count; i++)
        if (i == 0 || keys->at[i] != keys->at[kept - 1])
            keys->at[kept++] = keys->at[i];
    keys->count = kept;
    return STATUS_OK;
}

/* Everything in one transaction: rows by one statement, the others key by key. */
static enum status plan_final(const struct record_stage *stage, const struct client_log *logs,
                              struct database_step **steps, uint32_t *count, struct error *err)
{
    key_list keys = { 0 };
    bool by_rows = stage->table.shape == SHAPE_ROWS;
    enum status status = by_rows ? STATUS_OK : list_keys(stage, logs, &keys, err);

    *count = 0;
    *steps = status == STATUS_OK ? calloc(keys.count + 3, sizeof **steps) : NULL;
    if (status == STATUS_OK && !*steps)
        status = error_set(err, STATUS_OVER_LIMIT, "no memory to read %zu keys", keys.count);
    if (status == STATUS_OK) {
        (*steps)[(*count)++].kind = STEP_BEGIN;
        if (by_rows)
            (*steps)[(*count)++] =
                (struct database_step){ .kind = STEP_REQUEST,
                                        .request = { .kind = BUILTIN_SELECT,
                                                     .column = BUILTIN_NO_COLUMN } };
        for (size_t i = 0; i < keys.count; i++)
            (*steps)[(*count)++] =
                (struct database_step){ .kind = STEP_REQUEST,
                                        .request = { .kind = BUILTIN_READ, .key = keys.at[i] } };
        (*steps)[(*count)++].kind = STEP_COMMIT;
    }
    array_close(&keys);
    return status;
}

static int compare_rows(const void *a, const void *b)
{
    const struct builtin_row *x = a, *y = b;

    return (x->key > y->key) - (x->key < y->key);
}

static enum status judge_final(struct record_stage *stage, struct database_answer *answer,
                               struct error *err)
{
    struct buffer sentence = { 0 };
    enum status status = STATUS_OK;

    if (!stage->options->judges_invariant || stage->table.shape == SHAPE_LISTS)
        return STATUS_OK;
    if (answer->rows.count > 1)
        qsort(answer->rows.at, answer->rows.count, sizeof *answer->rows.at, compare_rows);
    if (!builtin_tally_holds(&stage->tally, answer->rows.at, answer->rows.count, &sentence))
        status = add_broken(stage->recording, &sentence, err);
    buffer_close(&sentence);
    return status;
}

/* Reads are sent so many at a time: a pipeline must not fill the buffers of both sides. */
#define FINAL_STEPS 500

static enum status read_back(struct record_client *c, const struct database_step *steps,
                             uint32_t count, struct error *err)
{
    struct database_answer all = { .end = STEPS_DONE };
    enum status status = STATUS_OK;

    TRY(client_log_begin(c->log, record_session(c), wall_clock_ns(), err));
    for (uint32_t from = 0, most;
         status == STATUS_OK && from < count && c->answer.end == STEPS_DONE; from += most) {
        uint32_t left = count - from;
        int64_t invoked_ns = wall_clock_ns();

        most = left < FINAL_STEPS || c->stage->database->takes_whole ? left : FINAL_STEPS;
        database_answer_clear(&c->answer);
        status = c->stage->database->steps(c->session, steps + from, most, &c->answer, err);
        for (uint32_t i = 0; status == STATUS_OK && i < c->answer.step_count; i++)
            if (steps[from + i].kind == STEP_REQUEST)
                status = client_log_request(c->log, &steps[from + i].request, &c->answer,
                                            &c->answer.steps.at[i], invoked_ns, err);
        for (size_t i = 0; status == STATUS_OK && i < c->answer.rows.count; i++)
            status = array_push(&all.rows, c->answer.rows.at[i], err);
        if (status == STATUS_OK)
            status = client_log_note(c->log, &c->answer, err);
    }
    if (status == STATUS_OK && c->answer.end != STEPS_DONE)
        status = error_set(
            err, STATUS_IO, "the last transaction, which reads everything back, failed: %s",
            c->answer.end == STEPS_LOST ? "the connection was lost" : c->answer.code);
    client_log_end(c->log, status == STATUS_OK ? TXN_OK : TXN_UNKNOWN, wall_clock_ns());
    if (status == STATUS_OK)
        status = judge_final(c->stage, &all, err);
    database_answer_close(&all);
    return status;
}

static enum status read_everything(struct record_stage *stage, struct client_log *logs,
                                   struct error *err)
{
    struct record_client c = { .stage = stage,
                               .log = &logs[stage->clients],
                               .number = stage->clients };
    struct database_step *steps;
    uint32_t count;
    enum status status;

    TRY(plan_final(stage, logs, &steps, &count, err));
    if (count == 2) { /* the clients were stopped before they asked for anything */
        free(steps);
        return STATUS_OK;
    }
    status = open_session(&c, err);
    if (status == STATUS_OK)
        status = read_back(&c, steps, count, err);
    close_session(&c);
    database_answer_close(&c.answer);
    free(steps);
    return status;
}

static enum status judge_query(struct record_stage *stage, const struct record_invariant *invariant,
                               struct error *err)
{
    const struct builtin_options *workload = stage->options->workload;
    const char *name = workload ? workload->workload->table->name : NULL;
    struct buffer value = { 0 }, why = { 0 };
    enum status status = stage->database->query(stage->server, name, invariant->query, &value, err);

    if (status == STATUS_OK)
        status = buffer_status(&value, err);
    if (status == STATUS_OK &&
        !text_equal((struct text){ value.at, value.count }, text_of(invariant->equals))) {
        buffer_print(&why, "%s gives %.*s, not %s", invariant->query, (int)value.count,
                     value.at ? value.at : "", invariant->equals);
        buffer_byte(&why, '\0');
        status = buffer_status(&why, err);
        if (status == STATUS_OK)
            record_broken(stage->recording, why.at);
    }
    buffer_close(&value);
    buffer_close(&why);
    return status;
}

/* --- Latencies -------------------------------------------------------------------------------- */

static int compare_times(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

static enum status measure(struct recorded_run *r, const struct client_log *logs, uint32_t count,
                           struct error *err)
{
    ARRAY(int64_t) times = { 0 };
    enum status status = STATUS_OK;

    for (uint32_t i = 0; i < count; i++)
        for (size_t j = 0; status == STATUS_OK && j < logs[i].txns.count; j++)
            if (logs[i].txns.at[j].status == TXN_OK)
                status = array_push(
                    &times, logs[i].txns.at[j].completed_ns - logs[i].txns.at[j].invoked_ns, err);
    if (status == STATUS_OK && times.count > 0) {
        qsort(times.at, times.count, sizeof *times.at, compare_times);
        r->latency_ns[0] = times.at[times.count / 2];
        r->latency_ns[1] = times.at[times.count - 1 - times.count / 100];
        r->latency_ns[2] = times.at[times.count - 1 - times.count / 1000];
        r->latency_ns[3] = times.at[times.count - 1];
    }
    array_close(&times);
    return status;
}

static int compare_codes(const void *a, const void *b)
{
    const struct record_code *x = a, *y = b;

    return (x->count < y->count) - (x->count > y->count);
}

/* --- The whole -------------------------------------------------------------------------------- */

/* Both may prove it; the log of the database knows more. */
static void note_lost(struct recorded_run *r)
{
    const struct record_certificate *c = &r->certificate;
    bool by_log = c->missing > 0;
    char text[400];

    if (!by_log && c->lost == 0)
        return;
    snprintf(text, sizeof text, "%" PRIu64 " acknowledged commit%s, %s; the first is T%" PRId64,
             by_log ? c->missing : c->lost, (by_log ? c->missing : c->lost) == 1 ? "" : "s",
             by_log ? "which the database's own log does not have"
                    : "as the last read does not have what they wrote",
             by_log ? c->first_missing : c->first_lost);
    add_finding(r, ANOMALY_FALSE_COMMIT, lost_title, text);
}

static void note_certificate(struct recorded_run *r)
{
    const struct record_certificate *c = &r->certificate;
    char text[400];

    if (c->aborted > 0) {
        snprintf(text, sizeof text,
                 "clients were told that %" PRIu64 " transactions were rolled back which the "
                 "database's own log has; the first is T%" PRId64,
                 c->aborted, c->first_aborted);
        add_finding(r, ANOMALY_FALSE_COMMIT, decision_title, text);
    }
    if (c->strange > 0) {
        snprintf(text, sizeof text,
                 "the database's own log has %" PRIu64 " commits that no client has asked for",
                 c->strange);
        add_finding(r, ANOMALY_FALSE_COMMIT, decision_title, text);
    }
}

/* The history, or the log of a program's calls. */
static enum status make_history(struct record_stage *stage, const struct client_log *logs,
                                struct error *err)
{
    struct recorded_run *r = stage->recording;
    struct recovered_order order = { 0 };
    struct record_source source = source_of(stage);
    int64_t began_ns = wall_clock_ns();
    enum status status = STATUS_OK;

    source.logs = logs;
    source.log_count = stage->clients + 1;
    source.is_over = true;
    if (stage->options->how.certifies) {
        status = stage->database->recover(stage->server, &order, err);
        source.order = &order;
        r->has_certificate = true;
    }
    if (status == STATUS_OK && stage->program)
        status = record_program_log(stage, logs, source.order, err);
    else if (status == STATUS_OK)
        status = record_history_make(&source, &r->certificate, &r->history, err);
    r->recovered_ns = wall_clock_ns() - began_ns;
    if (stage->program)
        r->certificate.commits = order.commits.count;
    if (status == STATUS_OK)
        note_lost(r);
    if (status == STATUS_OK && r->has_certificate)
        note_certificate(r);
    array_close(&order.commits);
    array_close(&order.changes);
    return status;
}

static enum status run_all(struct record_stage *stage, struct running_client *clients,
                           struct client_log *logs, struct error *err)
{
    if (stage->program)
        TRY(record_program_load(stage, err));
    else
        TRY(stage->database->load(stage->server, &stage->builtin, err));
    TRY(run_clients(stage, clients, err));
    if (stage->options->is_bare)
        return STATUS_OK;
    TRY(stage->program ? record_program_judge(stage, err) : read_everything(stage, logs, err));
    if (stage->is_live)
        TRY(live_lines_add(&stage->live, &logs[stage->clients], err));
    TRY(show_lines(stage, err));
    for (uint32_t i = 0; i < stage->options->invariant_count; i++)
        TRY(judge_query(stage, &stage->options->invariants[i], err));
    TRY(measure(stage->recording, logs, stage->clients, err));
    qsort(stage->recording->codes, stage->recording->code_count, sizeof stage->recording->codes[0],
          compare_codes);
    return make_history(stage, logs, err);
}

static enum status run_with_clients(struct record_stage *stage, struct error *err)
{
    uint32_t count = stage->clients;
    struct running_client *clients = calloc(count, sizeof *clients);
    struct client_log *logs = calloc(count + (size_t)1, sizeof *logs);
    enum status status = STATUS_OK;

    if (!clients || !logs)
        status = error_set(err, STATUS_OVER_LIMIT, "no memory for %u clients", (unsigned)count);
    for (uint32_t i = 0; status == STATUS_OK && i < count; i++) {
        clients[i].client = (struct record_client){ .stage = stage, .log = &logs[i], .number = i };
        clients[i].client.steps = calloc(STEPS_MAX, sizeof *clients[i].client.steps);
        if (!clients[i].client.steps)
            status = error_set(err, STATUS_OVER_LIMIT, "no memory for %u clients", (unsigned)count);
    }
    if (status == STATUS_OK)
        status = run_all(stage, clients, logs, err);
    close_live(stage);
    for (uint32_t i = 0; clients && i < count; i++) {
        free(clients[i].client.steps);
        buffer_close(&clients[i].client.text);
        buffer_close(&clients[i].client.room);
        database_answer_close(&clients[i].client.answer);
    }
    for (uint32_t i = 0; logs && i <= count; i++)
        client_log_close(&logs[i]);
    free(clients);
    free(logs);
    return status;
}

/* Tables of ours carry a prefix, so that they stand apart in a server that is not ours. */
static void name_table(struct record_stage *stage, const struct workload *workload)
{
    const struct builtin_table *rows = workload->table;

    stage->table = (struct stored_table){
        .shape = workload->shape,
        .name = stage->table_name,
        .key_column = rows ? rows->key_column : "key",
        .value_column = rows                             ? rows->value_column
                        : workload->shape == SHAPE_LISTS ? "elements"
                                                         : "value",
        .tag_column = rows ? rows->tag_column : NULL,
    };
    snprintf(stage->table_name, sizeof stage->table_name, "ordeal_%s",
             rows                             ? rows->name
             : workload->shape == SHAPE_LISTS ? "lists"
                                              : "items");
}

static enum status run_on_server(struct record_stage *stage, struct error *err)
{
    const struct record_plan *o = stage->options;
    struct database_options how = o->how;
    struct buffer version = { 0 };
    enum status status;

    how.table = stage->table;
    status = stage->database->start(&stage->server, &how, &version, err);
    buffer_byte(&version, '\0');
    if (status == STATUS_OK)
        status = buffer_status(&version, err);
    if (status == STATUS_OK) {
        snprintf(stage->recording->version, sizeof stage->recording->version, "%s", version.at);
        status = run_with_clients(stage, err);
    }
    stage->database->stop(stage->server);
    buffer_close(&version);
    return status;
}

static enum status open_builtin(struct record_stage *stage, struct arena *arena, struct error *err)
{
    const struct record_plan *options = stage->options;
    struct random_key key = random_key_of_seed(options->seed);

    TRY(builtin_init(&stage->builtin, options->workload,
                     (struct builtin_clients){ options->how.clients, ATTEMPTS_MAX }, &key, arena,
                     err));
    name_table(stage, options->workload->workload);
    builtin_tally_init(&stage->tally, &stage->builtin);
    return STATUS_OK;
}

enum status record_run(struct recorded_run *r, const struct record_plan *options, struct error *err)
{
    struct record_stage stage = { .options = options,
                                  .database = options->database,
                                  .clients = options->how.clients,
                                  .table = { .name = "" },
                                  .recording = r };
    struct arena arena;
    enum status status;

    assert(options->how.clients >= 1 && options->how.clients <= RECORD_CLIENTS_MAX);
    *r = (struct recorded_run){ 0 };
    TRY(arena_init(&arena, ARENA_BYTES, err));
    pthread_mutex_init(&stage.mutex, NULL);
    status = options->workload ? open_builtin(&stage, &arena, err)
                               : record_program_open(&stage, &arena, err);
    if (status == STATUS_OK)
        status = run_on_server(&stage, err);
    builtin_tally_close(&stage.tally);
    record_program_close(&stage);
    pthread_mutex_destroy(&stage.mutex);
    arena_close(&arena);
    return status;
}

void record_run_close(struct recorded_run *r)
{
    history_close(&r->history);
    buffer_close(&r->audit_log);
}
