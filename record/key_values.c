#include "record/key_values.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/wall_clock.h"

void key_values_close(struct key_values *kv)
{
    buffer_close(&kv->texts);
    array_close(&kv->entries);
}

struct text key_values_text(const struct key_values *kv, const struct key_value *entry)
{
    return (struct text){ kv->texts.at + entry->at, entry->length };
}

static struct key_value *find_entry(struct key_values *kv, uint64_t key)
{
    for (size_t i = 0; i < kv->entries.count; i++)
        if (kv->entries.at[i].key == key)
            return &kv->entries.at[i];
    return NULL;
}

/* What the transaction knows of a key already is newer. */
enum status key_values_found(struct key_values *kv, uint64_t key, struct text text,
                             struct error *err)
{
    struct key_value entry = {
        .key = key, .at = kv->texts.count, .length = text.length, .is_read = true
    };

    if (find_entry(kv, key))
        return STATUS_OK;
    buffer_text(&kv->texts, text);
    TRY(buffer_status(&kv->texts, err));
    return array_push(&kv->entries, entry, err);
}

/* The key's entry, which a read makes, or a write that does not read. */
static enum status need_entry(struct key_values *kv, uint64_t key, bool reads,
                              struct key_value **entry, struct error *err)
{
    struct key_value none = { .key = key, .is_read = reads };

    *entry = find_entry(kv, key);
    if (!*entry && reads && !kv->has_read_all)
        TRY(kv->read(kv, &key, err));
    if (!*entry && !find_entry(kv, key))
        TRY(array_push(&kv->entries, none, err));
    *entry = find_entry(kv, key);
    return STATUS_OK;
}

static struct builtin_row row_of(const struct key_values *kv, const struct key_value *entry)
{
    struct builtin_row row = { .key = entry->key };
    char text[64];

    snprintf(text, sizeof text, "%.*s", (int)entry->length, kv->texts.at + entry->at);
    sscanf(text, "%" SCNd64 ",%" SCNd64, &row.value, &row.tag);
    return row;
}

/* `kept` bytes of what it has come first. */
static void write_entry(struct key_values *kv, struct key_value *entry, size_t kept,
                        const struct builtin_request *r)
{
    size_t at = kv->texts.count;
    char *to = buffer_reserve(&kv->texts, kept + 1);

    if (to && kept > 0) {
        memcpy(to, kv->texts.at + entry->at, kept);
        kv->texts.count += kept;
        buffer_byte(&kv->texts, ',');
    }
    if (r->kind != BUILTIN_DELETE)
        buffer_int64(&kv->texts, r->value);
    if (kv->table->tag_column && r->kind != BUILTIN_DELETE)
        buffer_print(&kv->texts, ",%" PRId64, r->tag);
    entry->at = at;
    entry->length = kv->texts.count - at;
    entry->is_written = true;
}

static bool is_in_range(const struct builtin_request *r, struct builtin_row row)
{
    int64_t at = r->column == BUILTIN_KEY_COLUMN ? (int64_t)row.key : row.value;

    return r->column == BUILTIN_NO_COLUMN || (r->low <= at && at <= r->high);
}

/* Answers with the rows read, or as they are afterwards, or their keys. */
static enum status answer_range(struct key_values *kv, const struct builtin_request *r,
                                struct database_answer *answer, struct database_step_answer *step,
                                struct error *err)
{
    if (!kv->has_read_all)
        TRY(kv->read(kv, NULL, err));
    kv->has_read_all = true;
    for (size_t i = 0; i < kv->entries.count; i++) {
        struct key_value *entry = &kv->entries.at[i];
        struct builtin_row row = row_of(kv, entry);

        if (entry->length == 0 || !is_in_range(r, row))
            continue;
        if (r->kind != BUILTIN_SELECT)
            write_entry(kv, entry, 0, r);
        if (r->kind == BUILTIN_UPDATE)
            row = row_of(kv, entry);
        TRY(database_answer_row(answer, step, row, err));
    }
    return buffer_status(&kv->texts, err);
}

static enum status take_request(struct key_values *kv, const struct builtin_request *r,
                                struct database_answer *answer, struct database_step_answer *step,
                                struct error *err)
{
    struct key_value *entry;

    if (r->kind == BUILTIN_SELECT || r->kind == BUILTIN_UPDATE || r->kind == BUILTIN_DELETE)
        return answer_range(kv, r, answer, step, err);
    TRY(need_entry(kv, r->key, r->kind != BUILTIN_WRITE, &entry, err));
    if (r->kind == BUILTIN_INSERT && entry->length > 0) {
        database_answer_refuse(answer, "EXISTS");
    } else if (r->kind != BUILTIN_READ) {
        write_entry(kv, entry, r->kind == BUILTIN_APPEND ? entry->length : 0, r);
    } else if (entry->length > 0 && kv->table->shape == SHAPE_LISTS) {
        return database_answer_list(answer, step, key_values_text(kv, entry), err);
    } else if (entry->length > 0) {
        return database_answer_row(answer, step, row_of(kv, entry), err);
    }
    return buffer_status(&kv->texts, err);
}

static enum status one_step(void *session, const struct database_step *step,
                            struct database_answer *answer, struct database_step_answer *taken,
                            struct error *err)
{
    struct key_values *kv = session;
    enum status status = STATUS_OK;

    if (step->kind == STEP_BEGIN) {
        kv->entries.count = 0;
        buffer_clear(&kv->texts);
        kv->has_read_all = false;
        kv->revision = 0;
    } else if (step->kind == STEP_REQUEST) {
        status = take_request(kv, &step->request, answer, taken, err);
    } else if (step->kind == STEP_COMMIT) {
        return kv->commit(session, answer, err);
    }
    if (status != STATUS_IO)
        return status;
    wall_clock_sleep(20000000);
    database_answer_refuse(answer, "UNREACHABLE"); /* a read has failed: nothing was written yet */
    return STATUS_OK;
}

enum status key_values_steps(void *session, const struct database_step *steps, uint32_t count,
                             struct database_answer *answer, struct error *err)
{
    return database_each_step(one_step, session, steps, count, answer, err);
}

enum status key_values_check_none(struct key_values *kv, struct error *err)
{
    TRY(kv->read(kv, NULL, err));
    if (kv->entries.count == 0)
        return STATUS_OK;
    return error_set(err, STATUS_BAD_INPUT, "there are keys of %s in it already", kv->table->name);
}

/* The rows from one on, as a transaction. */
static uint32_t plan_rows(const struct builtin *builtin, uint64_t from, uint32_t most,
                          struct database_step *steps)
{
    uint64_t to =
        builtin_initial_count(builtin) - from < most ? builtin_initial_count(builtin) : from + most;
    uint32_t count = 0;

    steps[count++] = (struct database_step){ .kind = STEP_BEGIN };
    for (uint64_t i = from; i < to; i++) {
        struct builtin_row row = builtin_initial(builtin, i);

        steps[count++] =
            (struct database_step){ .kind = STEP_REQUEST,
                                    .request = { BUILTIN_WRITE, .key = row.key, .value = row.value,
                                                 .tag = row.tag } };
    }
    steps[count++] = (struct database_step){ .kind = STEP_COMMIT };
    return count;
}

enum status key_values_load(struct key_values *kv, const struct builtin *builtin, uint32_t rows,
                            struct error *err)
{
    struct database_answer answer = { .end = STEPS_DONE };
    enum status status;
    void *steps;

    TRY(database_new(&steps, (rows + (size_t)2) * sizeof(struct database_step), err));
    status = STATUS_OK;
    for (uint64_t from = 0; status == STATUS_OK && from < builtin_initial_count(builtin);
         from += rows) {
        database_answer_clear(&answer);
        status = key_values_steps(kv, steps, plan_rows(builtin, from, rows, steps), &answer, err);
        if (status == STATUS_OK && answer.end != STEPS_DONE)
            status = error_set(err, STATUS_IO, "the first rows were refused: %s",
                               answer.end == STEPS_LOST ? "the connection is gone" : answer.code);
    }
    database_answer_close(&answer);
    free(steps);
    return status;
}
