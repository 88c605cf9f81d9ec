#include "record/record_program_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/json_writer.h"
#include "base/map.h"
#include "base/wall_clock.h"
#include "history/call_log_write.h"
#include "programs/machine/final_state.h"
#include "record/commit_ranks.h"

#define HEAP_BYTES_MAX ((size_t)16 << 20) /* of one call's arguments */
#define FILE_BYTES_MAX (16 << 20)

struct record_program {
    struct program program;
    struct calls calls;
    struct buffer source;
    bool is_loaded;
};

/* --- The program ------------------------------------------------------------------------------ */

static enum status read_source(const char *path, struct buffer *source, struct error *err)
{
    FILE *file = fopen(path, "rb");
    char block[4096];
    size_t count;

    error_set_file(err, path);
    if (!file)
        return error_set(err, STATUS_IO, "cannot open the program");
    while ((count = fread(block, 1, sizeof block, file)) > 0 && source->count < FILE_BYTES_MAX)
        buffer_text(source, (struct text){ block, count });
    fclose(file);
    if (source->count >= FILE_BYTES_MAX)
        return error_set(err, STATUS_OVER_LIMIT, "a program is at most 16 MiB");
    buffer_byte(source, '\0');
    err->file[0] = '\0';
    return buffer_status(source, err);
}

enum status record_program_open(struct record_stage *stage, struct arena *arena, struct error *err)
{
    const struct record_plan *plan = stage->options;
    struct random_key key = random_key_of_seed(plan->seed);
    struct record_program *p = calloc(1, sizeof *p);

    stage->program = p;
    if (!p)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a program");
    TRY(read_source(plan->program.path, &p->source, err));
    TRY(program_load_file(&p->program, plan->program.path, err));
    p->is_loaded = true;
    return calls_init(&p->calls,
                      &(struct calls_options){ .program = &p->program,
                                               .calls = plan->program.calls,
                                               .call_count = plan->program.call_count,
                                               .clients = plan->how.clients,
                                               .attempts = ATTEMPTS_MAX,
                                               .key = &key },
                      arena, err);
}

void record_program_close(struct record_stage *stage)
{
    struct record_program *p = stage->program;

    if (p && p->is_loaded)
        program_close(&p->program);
    if (p)
        buffer_close(&p->source);
    free(p);
}

enum status record_program_load(struct record_stage *stage, struct error *err)
{
    const struct record_program *p = stage->program;
    const char *load = stage->options->program.load;
    struct buffer sql = { 0 };
    enum status status;

    TRY(stage->database->script(stage->server, p->source.at, err));
    if (!load)
        return STATUS_OK;
    buffer_print(&sql, "SELECT * FROM %s%c", load, '\0');
    status = buffer_status(&sql, err);
    if (status == STATUS_OK)
        status = stage->database->script(stage->server, sql.at, err);
    buffer_close(&sql);
    return status;
}

/* --- One call --------------------------------------------------------------------------------- */

/* The database may be asked once more: it rolled back for the sake of others. */
static bool is_transient(const char *code)
{
    return strncmp(code, "40", 2) == 0 || strcmp(code, "53200") == 0 ||
           strcmp(code, "55P03") == 0 || strcmp(code, "57014") == 0;
}

/* What the log says of the call, whatever the order turns out to be. */
static enum status note_call(struct record_client *c, const struct drawn_call *call,
                             struct error *err)
{
    const struct program_function *f = &c->stage->program->program.tree.functions[call->function];
    struct log_txn *txn = &c->log->txns.at[c->log->txns.count - 1];
    struct json_writer json = { .out = &c->log->calls };
    struct text rows = { NULL, 0 };

    txn->call = c->log->calls.count;
    call_log_begin_call(&json, f->name);
    calls_write_arguments(&json, &c->stage->program->program, call->function, call->arguments,
                          &c->room);
    if (c->answer.end == STEPS_DONE)
        rows = f->result.kind == TYPE_VOID
                   ? TEXT("[]")
                   : (struct text){ c->answer.call_rows.at, c->answer.call_rows.count };
    call_log_end_call(&json, c->answer.code, rows);
    txn->call_length = (uint32_t)(c->log->calls.count - txn->call);
    TRY(buffer_status(&c->text, err));
    TRY(buffer_status(&c->room, err));
    return buffer_status(&c->log->calls, err);
}

static enum status send_call(struct record_client *c, const struct drawn_call *call,
                             struct error *err)
{
    buffer_clear(&c->text);
    calls_print(&c->stage->program->program, call->function, call->arguments, &c->text, &c->room);
    buffer_byte(&c->text, '\0');
    TRY(buffer_status(&c->text, err));
    TRY(buffer_status(&c->room, err));
    c->steps[0].kind = STEP_BEGIN;
    c->steps[1].kind = STEP_CALL;
    c->steps[1].call = c->text.at;
    c->steps[2].kind = STEP_COMMIT;
    database_answer_clear(&c->answer);
    return c->stage->database->steps(c->session, c->steps, 3, &c->answer, err);
}

static enum status make_call(struct record_client *c, const struct drawn_call *call,
                             enum txn_status *outcome, struct error *err)
{
    TRY(client_log_begin(c->log, record_session(c), wall_clock_ns(), err));
    TRY(send_call(c, call, err));
    TRY(client_log_note(c->log, &c->answer, err));
    *outcome = record_status(c, STEP_COMMIT);
    client_log_end(c->log, *outcome, wall_clock_ns());
    TRY(note_call(c, call, err));
    pthread_mutex_lock(&c->stage->mutex);
    record_count(c, *outcome);
    pthread_mutex_unlock(&c->stage->mutex);
    /* What fails by its own RAISE or by a constraint is not tried again. */
    if (c->answer.end == STEPS_REFUSED && !is_transient(c->answer.code))
        c->answer.end = STEPS_DONE;
    return STATUS_OK;
}

enum status record_program_attempt(struct record_client *c, uint64_t ordinal, uint32_t attempt,
                                   enum txn_status *outcome, struct error *err)
{
    struct calls_turn turn = { c->number, ordinal, attempt, wall_clock_ns() };
    struct drawn_call call;
    struct heap heap;
    enum status status = STATUS_OK;

    heap_init(&heap, HEAP_BYTES_MAX);
    if (calls_draw(&c->stage->program->calls, &turn, &heap, &call)) {
        status = make_call(c, &call, outcome, err);
    } else {
        *outcome = TXN_ABORT; /* its arguments cannot be computed: nothing is called */
        database_answer_clear(&c->answer);
    }
    heap_close(&heap);
    return status;
}

/* --- Invariants ------------------------------------------------------------------------------- */

static enum status judge_one(struct record_stage *stage, struct text name, struct error *err)
{
    struct buffer value = { 0 }, why = { 0 };
    enum status status;
    char sql[300];

    snprintf(sql, sizeof sql, "SELECT %.*s()", TEXT_PRINT(name));
    status = stage->database->query(stage->server, sql, &value, err);
    if (status == STATUS_OK && !text_equal((struct text){ value.at, value.count }, TEXT("t"))) {
        buffer_print(&why, "%.*s() is not true of the final rows", TEXT_PRINT(name));
        status = record_broken(stage->recording, &why, err);
    }
    buffer_close(&value);
    buffer_close(&why);
    return status;
}

enum status record_program_judge(struct record_stage *stage, struct error *err)
{
    const struct program_tree *tree = &stage->program->program.tree;

    if (!stage->options->judges_invariant)
        return STATUS_OK;
    for (uint32_t i = 0; i < tree->function_count; i++) {
        const struct program_function *f = &tree->functions[i];

        if (f->parameter_count == 0 && program_is_invariant(&stage->program->program, i))
            TRY(judge_one(stage, f->name, err));
    }
    return STATUS_OK;
}

/* --- The log ---------------------------------------------------------------------------------- */

/* A transaction of a client's log. */
struct logged_call {
    const struct client_log *log;
    const struct log_txn *txn;
    uint64_t place; /* in the order of commits, from 1; 0: it has none */
    bool has_saw;
    uint32_t saw[2]; /* so many of them its snapshots saw, the first and the last */
};

typedef ARRAY(struct logged_call) logged_calls;

static int compare_begins(const void *a, const void *b)
{
    const struct logged_call *x = a, *y = b;

    if (x->txn->invoked_ns != y->txn->invoked_ns)
        return x->txn->invoked_ns < y->txn->invoked_ns ? -1 : 1;
    return (x->txn->session > y->txn->session) - (x->txn->session < y->txn->session);
}

static enum status gather(const struct record_stage *stage, const struct client_log *logs,
                          logged_calls *calls, struct error *err)
{
    for (uint32_t i = 0; i < stage->clients; i++)
        for (size_t j = 0; j < logs[i].txns.count; j++)
            TRY(array_push(calls, ((struct logged_call){ .log = &logs[i], .txn = &logs[i].txns.at[j] }), err));
    if (calls->count > 1)
        qsort(calls->at, calls->count, sizeof *calls->at, compare_begins);
    return STATUS_OK;
}

/* A commit, by when it became visible; of those that became so together, as in the database's log. */
struct ranked_commit {
    uint32_t rank;
    size_t number;
};

static int compare_ranks(const void *a, const void *b)
{
    const struct ranked_commit *x = a, *y = b;

    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

/* What is known of the order: commits, and by the number of its transaction each one's index; snapshots of calls. */
struct call_order {
    struct map by_xid;
    struct numbered_commit *commits;
    struct taken_snapshot *snapshots; /* two of each call, the first and the last */
    struct ranked_commit *ranked;
    struct commit_ranks ranks;
};

/* A snapshot, or two with a space between them. */
static void take_snapshots(const struct logged_call *call, struct taken_snapshot taken[2])
{
    struct text text = client_log_snapshot(call->log, call->txn);
    const char *space = text.length > 0 ? memchr(text.at, ' ', text.length) : NULL;
    size_t first = space ? (size_t)(space - text.at) : text.length, last = space ? first + 1 : 0;

    taken[0] = (struct taken_snapshot){ { text.at, first }, call->txn->completed_ns };
    taken[1] = (struct taken_snapshot){ { text.at + last, text.length - last }, call->txn->completed_ns };
}

/* A call that was told to have committed tells when its commit was begun. */
static enum status gather_order(struct call_order *o, const logged_calls *calls,
                                const struct recovered_order *order, struct error *err)
{
    uint64_t commit;
    size_t at;

    TRY(database_new((void **)&o->commits, (order->commits.count + 1) * sizeof *o->commits, err));
    TRY(database_new((void **)&o->ranked, (order->commits.count + 1) * sizeof *o->ranked, err));
    TRY(database_new((void **)&o->snapshots, (2 * calls->count + 1) * sizeof *o->snapshots, err));
    for (size_t i = 0; i < order->commits.count; i++) {
        o->commits[i] = (struct numbered_commit){ order->commits.at[i].xid, INT64_MIN };
        TRY(map_add(&o->by_xid, o->commits[i].xid, i, &at, err));
    }
    for (size_t i = 0; i < calls->count; i++) {
        const struct log_txn *txn = calls->at[i].txn;

        if (txn->status != TXN_OK)
            continue;
        take_snapshots(&calls->at[i], &o->snapshots[2 * i]);
        if (txn->xid != 0 && map_find(&o->by_xid, txn->xid, &commit) &&
            o->commits[commit].begun_ns == INT64_MIN)
            o->commits[commit].begun_ns = txn->invoked_ns;
    }
    return STATUS_OK;
}

/* Snapshot k of the call saw the commits whose rank is not above its own. */
static void note_saw(const struct call_order *o, size_t commits, size_t number, struct logged_call *call)
{
    call->has_saw = call->txn->status == TXN_OK;
    for (unsigned k = 0; k < 2 && call->has_saw; k++) {
        uint32_t rank = o->ranks.snapshot_ranks[2 * number + k];

        call->has_saw = rank != COMMIT_RANKS_NONE;
        BISECT(call->saw[k], 0, (uint32_t)commits, o->ranked[call->saw[k]].rank <= rank);
    }
    call->has_saw &= call->saw[0] <= call->saw[1];
}

/*
 * By the number of the transaction: what has committed stands in the order, unless it only read. One whose
 * client was not told stands there if it has.
 */
static enum status place_by_order(struct call_order *o, logged_calls *calls,
                                  const struct recovered_order *order, struct error *err)
{
    size_t count = order->commits.count;
    uint64_t commit;

    TRY(gather_order(o, calls, order, err));
    TRY(commit_ranks_find(&o->ranks, o->commits, count, o->snapshots, 2 * calls->count, err));
    for (size_t i = 0; i < count; i++)
        o->ranked[i] = (struct ranked_commit){ o->ranks.commit_ranks[i], i };
    if (count > 1)
        qsort(o->ranked, count, sizeof *o->ranked, compare_ranks);
    for (size_t i = 0; i < count; i++) /* from now on a rank is a place */
        o->ranks.commit_ranks[o->ranked[i].number] = (uint32_t)i + 1;
    for (size_t i = 0; i < calls->count; i++)
        if (calls->at[i].txn->status != TXN_ABORT && calls->at[i].txn->xid != 0 &&
            map_find(&o->by_xid, calls->at[i].txn->xid, &commit))
            calls->at[i].place = o->ranks.commit_ranks[commit];
    for (size_t i = 0; i < calls->count; i++)
        note_saw(o, count, i, &calls->at[i]);
    return STATUS_OK;
}

static enum status place_calls(logged_calls *calls, const struct recovered_order *order,
                               struct error *err)
{
    struct call_order o = { .commits = NULL };
    enum status status = place_by_order(&o, calls, order, err);

    commit_ranks_close(&o.ranks);
    map_close(&o.by_xid);
    free(o.commits);
    free(o.ranked);
    free(o.snapshots);
    return status;
}

static void print_call(const struct record_stage *stage, const struct logged_call *call,
                       size_t number, struct buffer *out)
{
    const struct log_txn *txn = call->txn;
    int64_t began = stage->began_ns;

    call_log_write_line(
        out, &(struct call_log_line){ .txn = number,
                                      .session = txn->session,
                                      .call = { call->log->calls.at + txn->call, txn->call_length },
                                      .status = txn->status,
                                      .invoked_ns = txn->invoked_ns - began,
                                      .completed_ns = txn->completed_ns == TIME_NEVER
                                                          ? TIME_NEVER
                                                          : txn->completed_ns - began,
                                      .ts_parts = call->place > 0,
                                      .ts = { (int64_t)call->place },
                                      .has_saw = call->has_saw,
                                      .saw = { call->saw[0], call->saw[1] } });
}

/*
 * Snapshots tell the order in which commits became visible. Where a transaction takes one for each statement, those within
 * a function are not known, and commits that only they tell apart stand as in the database's log, which may be wrong.
 */
enum status record_program_log(struct record_stage *stage, const struct client_log *logs,
                               const struct recovered_order *order, struct error *err)
{
    struct buffer *out = &stage->recording->audit_log;
    logged_calls calls = { 0 };
    enum status status = gather(stage, logs, &calls, err);

    if (status == STATUS_OK && order)
        status = place_calls(&calls, order, err);
    if (status == STATUS_OK) {
        call_log_write_head(
            out, &(struct call_log_head){
                     text_of(stage->recording->version),
                     text_of(stage->options->program.load ? stage->options->program.load : ""),
                     order && stage->options->how.isolation == LEVEL_READ_COMMITTED });
        for (size_t i = 0; i < calls.count; i++)
            print_call(stage, &calls.at[i], i + 1, out);
        status = buffer_status(out, err);
    }
    array_close(&calls);
    return status;
}
