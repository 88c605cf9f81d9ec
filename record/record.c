#include "record/record.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/sort.h"
#include "base/thread.h"
#include "base/wall_clock.h"
#include "record/record_end_private.h"
#include "record/record_program_private.h"

#define STEPS_MAX (BUILTIN_OPERATIONS_MAX + 2)
/* How long a session waits for the server to come back: longer than who starts it. */
#define OPEN_NS INT64_C(120000000000)
#define ARENA_BYTES ((size_t)1 << 30)
/* The databases' libraries run in it: more than they need. */
#define CLIENT_STACK_BYTES ((size_t)1 << 20)

/* --- What is found ---------------------------------------------------------------------------- */

static const char *const invariant_title = "invariant  BROKEN";
static const char *const lost_title = "decisions  LOST";
static const char *const decision_title = "decisions  FALSE COMMIT";
static const char *const twin_title = "rows       TWICE";

static void PRINTF_LIKE(4, 5) add_finding(struct recorded_run *r, enum anomaly kind,
                                          const char *title, const char *format, ...)
{
    struct record_finding *finding = &r->findings[r->finding_count];
    va_list values;

    if (r->finding_count == RECORD_FINDINGS_MAX)
        return;
    r->finding_count++;
    finding->kind = kind;
    finding->title = title;
    va_start(values, format);
    vsnprintf(finding->explanation, sizeof finding->explanation, format, values);
    va_end(values);
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

enum status record_broken(struct recorded_run *r, struct buffer *sentence, struct error *err)
{
    buffer_byte(sentence, '\0');
    TRY(buffer_status(sentence, err));
    add_finding(r, ANOMALY_INVARIANT, invariant_title, "%s", sentence->at);
    return STATUS_OK;
}

static enum status note_sight(struct record_stage *stage, const struct builtin_txn *txn,
                              struct error *err)
{
    struct buffer sentence = { 0 };
    enum status status = STATUS_OK;

    if (builtin_saw_broken(txn, &sentence) && stage->recording->finding_count == 0)
        status = record_broken(stage->recording, &sentence, err);
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

void record_close_session(struct record_client *c)
{
    if (c->session)
        c->stage->database->close(c->session);
    c->session = NULL;
}

/* While the server is down there is no connection to be had. */
enum status record_open_session(struct record_client *c, struct error *err)
{
    int64_t until = wall_clock_ns() + OPEN_NS;

    for (;;) {
        enum status status =
            c->stage->database->open(&c->session, c->stage->server, c->number, err);

        if (status == STATUS_OK)
            return STATUS_OK;
        record_close_session(c);
        if (status != STATUS_IO || c->stage->options->how.faults == 0 || wall_clock_ns() >= until)
            return status;
        wall_clock_sleep(10000000);
    }
}

/* Each transaction is due at its time, if there is a rate. */
static void wait_for_turn(struct record_client *c, uint64_t ordinal)
{
    uint64_t rate = c->stage->options->rate, number = ordinal * c->stage->clients + c->number;
    int64_t due, left;

    if (rate == 0)
        return;
    due = c->stage->began_ns + (int64_t)((unsigned __int128)number * 1000000000 / rate);
    while (!is_over(c->stage) && (left = due - wall_clock_ns()) > 0)
        wall_clock_sleep(left < 10000000 ? left : 10000000);
}

static enum status run_txn(struct record_client *c, uint64_t ordinal, struct error *err)
{
    enum txn_status outcome = TXN_ABORT;

    for (uint32_t attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
        if (!c->session)
            TRY(record_open_session(c, err));
        TRY((c->stage->program ? record_program_attempt : run_attempt)(c, ordinal, attempt,
                                                                       &outcome, err));
        if (c->answer.end == STEPS_LOST) {
            record_close_session(c);
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

    TRY(record_open_session(c, err));
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
    record_close_session(c);
    atomic_fetch_sub(&c->stage->running, 1);
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

/* What is due by now; when the clients have ended no other begins, and one that lasts ends. */
static enum status work_faults(struct record_stage *stage, struct faults *faults, struct error *err)
{
    struct fault_event event;

    for (;;) {
        bool ends = is_over(stage) || atomic_load(&stage->running) == 0;
        int64_t now_ns = ends ? INT64_MAX : wall_clock_ns();
        bool is_felt = false;

        if ((ends && !faults->lasts) || !faults_due(faults, now_ns, &event))
            return STATUS_OK;
        TRY(stage->database->fault(stage->server, event.kind, event.begins, event.turn, &is_felt,
                                   err));
        faults_note(faults, &event, wall_clock_ns());
        stage->recording->faults[event.kind] = faults->counts[event.kind];
        stage->recording->felt[event.kind] += is_felt;
    }
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

static enum status watch_over(struct record_stage *stage, struct error *err)
{
    struct faults faults;

    faults_init(&faults, stage->options->faults, stage->options->seed, stage->began_ns);
    while (atomic_load(&stage->running) > 0 || faults.lasts) {
        TRY(work_faults(stage, &faults, err));
        tell_progress(stage);
        wall_clock_sleep(5000000);
    }
    return STATUS_OK;
}

static enum status start_clients(struct record_stage *stage, struct record_client *clients,
                                 struct error *err)
{
    for (uint32_t i = 0; i < stage->clients; i++) {
        int code;

        atomic_fetch_add(&stage->running, 1);
        code = thread_start(&clients[i].thread, CLIENT_STACK_BYTES, client_main, &clients[i]);
        if (code != 0) {
            atomic_fetch_sub(&stage->running, 1);
            return error_set(err, STATUS_OVER_LIMIT, "no memory or process for client %u: %s",
                             (unsigned)i, strerror(code));
        }
        clients[i].is_running = true;
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

static enum status run_clients(struct record_stage *stage, struct record_client *clients,
                               struct error *err)
{
    enum status status;

    stage->began_ns = wall_clock_ns();
    stage->until_ns = stage->options->for_ns ? stage->began_ns + stage->options->for_ns : 0;
    status = open_live(stage, err);
    if (status == STATUS_OK)
        status = start_clients(stage, clients, err);
    if (status == STATUS_OK)
        status = watch_over(stage, err);
    atomic_store(&stage->is_over, status != STATUS_OK || atomic_load(&stage->is_over));
    for (uint32_t i = 0; i < stage->clients; i++)
        if (clients[i].is_running)
            pthread_join(clients[i].thread, NULL);
    stage->recording->ran_ns = wall_clock_ns() - stage->began_ns;
    if (status == STATUS_OK && stage->failure.status != STATUS_OK) {
        *err = stage->failure;
        status = err->status;
    }
    return status;
}

/* --- Latencies -------------------------------------------------------------------------------- */

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
        sort_signed(times.at, times.count);
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

    if (!by_log && c->lost == 0)
        return;
    add_finding(r, ANOMALY_FALSE_COMMIT, lost_title,
                "%" PRIu64 " acknowledged commit%s, %s; the first is T%" PRId64,
                by_log ? c->missing : c->lost, (by_log ? c->missing : c->lost) == 1 ? "" : "s",
                by_log ? "which the database's own log does not have"
                       : "as the last read does not have what they wrote",
                by_log ? c->first_missing : c->first_lost);
}

static void note_certificate(struct recorded_run *r)
{
    const struct record_certificate *c = &r->certificate;

    if (c->aborted > 0)
        add_finding(r, ANOMALY_FALSE_COMMIT, decision_title,
                    "clients were told that %" PRIu64 " transactions were rolled back which the "
                    "database's own log has; the first is T%" PRId64,
                    c->aborted, c->first_aborted);
    if (c->strange > 0)
        add_finding(r, ANOMALY_FALSE_COMMIT, decision_title,
                    "the database's own log has %" PRIu64 " commits that no client has asked for",
                    c->strange);
}

static void note_twins(struct recorded_run *r)
{
    const struct record_certificate *c = &r->certificate;

    if (c->twins > 0)
        add_finding(r, ANOMALY_INVARIANT, twin_title,
                    "%" PRIu64 " row%s had the key of another row of the same answer; the first is T%" PRId64
                    "'s. The history has one row of each key",
                    c->twins, c->twins == 1 ? "" : "s", c->first_twin);
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
    if (status == STATUS_OK)
        note_twins(r);
    if (status == STATUS_OK && r->has_certificate)
        note_certificate(r);
    array_close(&order.commits);
    array_close(&order.changes);
    return status;
}

/* In the watchdog: we were killed. */
static void drop_table(void *context)
{
    const struct record_stage *stage = context;
    struct database_options how = stage->options->how;
    struct buffer version = { 0 };
    struct error err;
    void *server = NULL;

    how.table = stage->table;
    how.certifies = false;
    how.takes_over = true;
    (void)!stage->database->start(&server, &how, &version, &err);
    stage->database->stop(server);
}

static enum status run_all(struct record_stage *stage, struct record_client *clients,
                           struct client_log *logs, struct error *err)
{
    if (stage->program)
        TRY(record_program_load(stage, err));
    else
        TRY(stage->database->load(stage->server, &stage->builtin, err));
    if (stage->options->how.connect)
        TRY(watchdog_start(&stage->watchdog, drop_table, stage, err));
    TRY(run_clients(stage, clients, err));
    if (stage->options->is_bare)
        return STATUS_OK;
    TRY(stage->program ? record_program_judge(stage, err) : record_end_read(stage, logs, err));
    if (stage->is_live)
        TRY(live_lines_add(&stage->live, &logs[stage->clients], err));
    TRY(show_lines(stage, err));
    for (uint32_t i = 0; i < stage->options->invariant_count; i++)
        TRY(record_end_query(stage, &stage->options->invariants[i], err));
    TRY(measure(stage->recording, logs, stage->clients, err));
    qsort(stage->recording->codes, stage->recording->code_count, sizeof stage->recording->codes[0],
          compare_codes);
    return make_history(stage, logs, err);
}

static enum status run_with_clients(struct record_stage *stage, struct error *err)
{
    uint32_t count = stage->clients;
    struct record_client *clients = calloc(count, sizeof *clients);
    struct client_log *logs = calloc(count + (size_t)1, sizeof *logs);
    enum status status = STATUS_OK;

    if (!clients || !logs)
        status = error_set(err, STATUS_OVER_LIMIT, "no memory for %u clients", (unsigned)count);
    for (uint32_t i = 0; status == STATUS_OK && i < count; i++) {
        clients[i] = (struct record_client){ .stage = stage, .log = &logs[i], .number = i };
        clients[i].steps = calloc(STEPS_MAX, sizeof *clients[i].steps);
        if (!clients[i].steps)
            status = error_set(err, STATUS_OVER_LIMIT, "no memory for %u clients", (unsigned)count);
    }
    if (status == STATUS_OK)
        status = run_all(stage, clients, logs, err);
    close_live(stage);
    for (uint32_t i = 0; clients && i < count; i++) {
        free(clients[i].steps);
        buffer_close(&clients[i].text);
        buffer_close(&clients[i].room);
        database_answer_close(&clients[i].answer);
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
        .key_column = rows ? rows->key_column : "id",
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
    watchdog_end(&stage->watchdog, true);
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
