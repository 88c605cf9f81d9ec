#include "record/record_end_private.h"

#include <stdlib.h>

#include "base/sort.h"
#include "base/wall_clock.h"

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
    sort_wide(keys->at, keys->count);
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
        struct database_step *to = *steps;

        (to++)->kind = STEP_BEGIN;
        if (by_rows)
            *to++ = (struct database_step){ STEP_REQUEST, .request = { .kind = BUILTIN_SELECT } };
        for (size_t i = 0; i < keys.count; i++)
            *to++ = (struct database_step){ STEP_REQUEST,
                                            .request = { BUILTIN_READ, .key = keys.at[i] } };
        (to++)->kind = STEP_COMMIT;
        *count = (uint32_t)(to - *steps);
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
        status = record_broken(stage->recording, &sentence, err);
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

enum status record_end_read(struct record_stage *stage, struct client_log *logs, struct error *err)
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
    status = record_open_session(&c, err);
    if (status == STATUS_OK)
        status = read_back(&c, steps, count, err);
    record_close_session(&c);
    database_answer_close(&c.answer);
    free(steps);
    return status;
}

/* The table goes by the name that the workload has for it. */
enum status record_end_query(struct record_stage *stage, const struct record_invariant *invariant,
                             struct error *err)
{
    const struct builtin_options *workload = stage->options->workload;
    struct buffer value = { 0 }, why = { 0 }, sql = { 0 };
    enum status status;

    if (workload)
        buffer_print(&sql, "WITH %s AS (SELECT * FROM %s) ", workload->workload->table->name,
                     stage->table.name);
    buffer_print(&sql, "%s%c", invariant->query, '\0');
    status = buffer_status(&sql, err);
    if (status == STATUS_OK)
        status = stage->database->query(stage->server, sql.at, &value, err);
    if (status == STATUS_OK)
        status = buffer_status(&value, err);
    if (status == STATUS_OK &&
        !text_equal((struct text){ value.at, value.count }, text_of(invariant->equals))) {
        buffer_print(&why, "%s gives %.*s, not %s", invariant->query, (int)value.count,
                     value.at ? value.at : "", invariant->equals);
        status = record_broken(stage->recording, &why, err);
    }
    buffer_close(&sql);
    buffer_close(&value);
    buffer_close(&why);
    return status;
}
