#include "history/foreign/draft_private.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "history/foreign/edn_private.h"
#include "history/io/source.h"

void draft_init_file(struct draft_file *whole)
{
    *whole = (struct draft_file){ .bytes = NULL };
    draft_init(&whole->draft);
}

enum status draft_take_file(struct draft_file *whole, struct source *source, bool is_json,
                       struct error *err)
{
    size_t size = 0;

    free(whole->bytes);
    whole->bytes = NULL;
    TRY(source_take_rest(source, &whole->bytes, &size, err));
    edn_begin(&whole->edn, (struct text){ whole->bytes, size }, is_json);
    return STATUS_OK;
}

enum status draft_begin_file(struct draft_file *whole, struct source *source, bool is_json,
                        struct error *err)
{
    draft_init_file(whole);
    return draft_take_file(whole, source, is_json, err);
}

/* The line that the lexer is on, at a cost that grows with how far it is. */
static uint64_t whole_line(const struct draft_file *whole)
{
    uint64_t line = 1;

    for (const char *at = whole->edn.begin; at < whole->edn.at; at++)
        line += *at == '\n';
    return line;
}

enum status draft_refuse_file(const struct draft_file *whole, const char *file, struct error *err)
{
    if (!whole->bytes)
        return err->status; /* it could not even be taken */
    error_set_file(err, file);
    err->offset = (uint64_t)(whole->edn.at - whole->edn.begin);
    err->line = whole_line(whole);
    return err->status;
}

enum status draft_end_file(struct draft_file *whole, const struct source *source, enum status status,
                      const char *producer, struct history *history, struct error *err)
{
    if (status == STATUS_OK)
        status = draft_finish(&whole->draft, producer, history, err);
    else if (source)
        status = draft_refuse_file(whole, source->name, err);
    if (status != STATUS_OK && source && !err->file[0])
        error_set_file(err, source->name);
    draft_close(&whole->draft);
    edn_close(&whole->edn);
    free(whole->bytes);
    return status;
}

enum status draft_is_over(struct draft_file *whole, struct error *err)
{
    struct edn *e = &whole->edn;

    return edn_peek(e) == EDN_END && e->at == e->end ? STATUS_OK : edn_refuse(e, "the end", err);
}

void draft_init(struct foreign_draft *d)
{
    *d = (struct foreign_draft){ .initial = value_none() };
    builder_init(&d->builder);
}

void draft_close(struct foreign_draft *d)
{
    builder_close(&d->builder);
    array_close(&d->txns);
    array_close(&d->ops);
    map_close(&d->by_id);
    array_close(&d->initials);
    map_close(&d->initial_keys);
}

enum status draft_add_txn(struct foreign_draft *d, int64_t id, int64_t session, uint64_t line,
                          uint32_t *txn, struct error *err)
{
    struct draft_txn added = { .id = id,
                               .session = session,
                               .invoked = TIME_ABSENT,
                               .completed = TIME_ABSENT,
                               .line = line,
                               .status = TXN_OK };
    size_t place;

    if (d->txns.count == HISTORY_NONE)
        return error_set(err, STATUS_OVER_LIMIT, "there are too many transactions");
    *txn = (uint32_t)d->txns.count;
    TRY(map_add(&d->by_id, (uint64_t)id, *txn, &place, err));
    if (d->by_id.values.at[place] != *txn)
        return error_set(err, STATUS_BAD_INPUT, "a second transaction %" PRId64, id);
    return array_push(&d->txns, added, err);
}

bool draft_find_txn(const struct foreign_draft *d, int64_t id, uint32_t *txn)
{
    uint64_t found;

    if (!map_find(&d->by_id, (uint64_t)id, &found))
        return false;
    *txn = (uint32_t)found;
    return true;
}

enum status draft_add_op(struct foreign_draft *d, uint32_t txn, enum op_kind kind, struct text key,
                         struct value value, struct error *err)
{
    uint32_t number;

    TRY(draft_key(d, key, &number, err));
    return draft_add_op_of(d, txn, kind, number, value, err);
}

enum status draft_key(struct foreign_draft *d, struct text text, uint32_t *key, struct error *err)
{
    return builder_key(&d->builder, text, key, err);
}

enum status draft_add_op_of(struct foreign_draft *d, uint32_t txn, enum op_kind kind, uint32_t key,
                            struct value value, struct error *err)
{
    struct draft_op op = { .value = value, .txn = txn, .key = key, .kind = (uint8_t)kind };

    TRY(array_push(&d->ops, op, err));
    d->txns.at[txn].op_count++;
    return STATUS_OK;
}

enum status draft_add_numbered(struct foreign_draft *d, uint32_t txn, enum op_kind kind, int64_t key,
                               struct value value, struct error *err)
{
    char name[20];

    return draft_add_op(d, txn, kind,
                        (struct text){ name, (size_t)(text_write_int64(name, key) - name) }, value,
                        err);
}

enum status draft_add_initial(struct foreign_draft *d, struct text key, struct value value,
                              struct error *err)
{
    struct draft_op op = { .value = value };
    uint64_t unused;
    size_t place;

    TRY(builder_key(&d->builder, key, &op.key, err));
    if (map_find(&d->initial_keys, op.key, &unused))
        return error_set(err, STATUS_BAD_INPUT, "the key \"%.*s\" begins with two values",
                         TEXT_PRINT(key));
    TRY(map_add(&d->initial_keys, op.key, 0, &place, err));
    return array_push(&d->initials, op, err);
}

/* --- Finishing -------------------------------------------------------------------- */

/* The operations of each transaction together, in their order; start has one more entry. */
static enum status sort_ops(const struct foreign_draft *d, size_t **start, uint32_t **sorted,
                            struct error *err)
{
    TRY(memory_resize((void **)start, d->txns.count + 2, sizeof **start, err));
    TRY(memory_resize((void **)sorted, d->ops.count, sizeof **sorted, err));
    (*start)[0] = (*start)[1] = 0;
    for (size_t t = 0; t < d->txns.count; t++)
        (*start)[t + 2] = (*start)[t + 1] + d->txns.at[t].op_count;
    for (size_t i = 0; i < d->ops.count; i++)
        (*sorted)[(*start)[d->ops.at[i].txn + 1]++] = (uint32_t)i;
    return STATUS_OK;
}

static enum status add_initial(struct foreign_draft *d, struct error *err)
{
    for (size_t i = 0; i < d->initials.count; i++)
        TRY(builder_add_initial(&d->builder, d->initials.at[i].key, d->initials.at[i].value, err));
    if (d->initial.kind == VALUE_NONE)
        return STATUS_OK;
    for (uint32_t key = 0; key < intern_count(&d->builder.keys); key++) {
        uint64_t unused;

        if (!map_find(&d->initial_keys, key, &unused))
            TRY(builder_add_initial(&d->builder, key, d->initial, err));
    }
    return STATUS_OK;
}

static enum status add_txn(struct foreign_draft *d, const struct draft_txn *txn, struct error *err)
{
    TRY(builder_begin_txn(&d->builder, txn->id, txn->session, (enum txn_status)txn->status, err));
    if (txn->invoked != TIME_ABSENT)
        TRY(builder_set_txn_at(&d->builder, txn->invoked, txn->completed, err));
    if (txn->ts.parts > 0)
        TRY(builder_set_ts(&d->builder, txn->ts, err));
    if (txn->snapshot.parts > 0)
        TRY(builder_set_snapshot(&d->builder, txn->snapshot, err));
    if (txn->origin.parts > 0)
        TRY(builder_set_origin(&d->builder, txn->origin, err));
    return STATUS_OK;
}

static enum status build(struct foreign_draft *d, const size_t *start, const uint32_t *sorted,
                         struct error *err)
{
    for (size_t t = 0; t < d->txns.count; t++) {
        builder_set_line(&d->builder, d->txns.at[t].line);
        TRY(add_txn(d, &d->txns.at[t], err));
        for (size_t i = start[t]; i < start[t + 1]; i++) {
            const struct draft_op *op = &d->ops.at[sorted[i]];

            TRY(builder_add_op(&d->builder, (enum op_kind)op->kind, op->key, op->value, err));
        }
    }
    return STATUS_OK;
}

enum status draft_finish(struct foreign_draft *d, const char *producer, struct history *history,
                         struct error *err)
{
    size_t *start = NULL;
    uint32_t *sorted = NULL;
    enum status status = builder_set_producer(&d->builder, text_of(producer), err);

    if (status == STATUS_OK)
        status = add_initial(d, err);
    if (status == STATUS_OK)
        status = sort_ops(d, &start, &sorted, err);
    if (status == STATUS_OK)
        status = build(d, start, sorted, err);
    if (status == STATUS_OK)
        status = builder_finish(&d->builder, history, err);
    free(start);
    free(sorted);
    return status;
}
