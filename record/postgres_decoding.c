#include "record/postgres_decoding_private.h"


static enum status refuse(struct text line, struct error *err)
{
    return error_set(err, STATUS_BAD_INPUT, "logical decoding says what is not understood: %.*s",
                     TEXT_PRINT(line));
}

/* A number of the log is the lower half of a full one that is not in the future. */
static uint64_t full_xid(const struct decoding *d, uint64_t low)
{
    uint64_t full = (d->xid_now & ~UINT64_C(0xffffffff)) | low;

    return full > d->xid_now && full >= UINT64_C(1) << 32 ? full - (UINT64_C(1) << 32) : full;
}

static enum status begin(struct decoding *d, struct text line, struct text whole, struct error *err)
{
    struct recovered_commit commit = { .first = d->order->changes.count };
    uint64_t low;

    if (d->is_open || !text_take_uint64(&line, &low) || line.length != 0)
        return refuse(whole, err);
    d->is_open = true;
    commit.xid = full_xid(d, low);
    return array_push(&d->order->commits, commit, err);
}

/* "name[type]:7" or "name[type]:'{3,9}'", and the blank behind it; of a list the last element. */
static bool take_cell(struct text *line, const char *name, int64_t *value)
{
    struct text cell;
    size_t end = 0;

    if (!text_take(line, text_of(name)) || !text_take(line, TEXT("[")))
        return false;
    while (end < line->length && line->at[end] != ':')
        end++;
    if (end == line->length)
        return false;
    line->at += end + 1;
    line->length -= end + 1;
    for (end = 0; end < line->length && line->at[end] != ' ';)
        end++;
    cell = (struct text){ line->at, end };
    line->at += end;
    line->length -= end;
    text_take(line, TEXT(" "));
    if (cell.length >= 4 && cell.at[0] == '\'' && cell.at[1] == '{') {
        cell = text_behind_last((struct text){ cell.at + 2, cell.length - 4 }, ',');
        if (cell.length == 0) {
            *value = 0; /* an empty list, which nobody appended to */
            return true;
        }
    }
    return text_to_int64(cell, value);
}

static enum status change(struct decoding *d, struct text line, struct text whole,
                          struct error *err)
{
    const struct stored_table *t = d->table;
    struct recovered_change c = { .kind = RECOVERED_ROW };
    int64_t key;

    if (!text_take(&line, d->schema ? text_of(d->schema) : TEXT("public")) ||
        !text_take(&line, TEXT(".")) || !text_take(&line, text_of(t->name)) ||
        !text_take(&line, TEXT(": ")))
        return STATUS_OK;
    if (text_take(&line, TEXT("DELETE: ")))
        c.kind = RECOVERED_REMOVAL;
    else if (!text_take(&line, TEXT("INSERT: ")) && !text_take(&line, TEXT("UPDATE: ")))
        return refuse(whole, err);
    if (!d->is_open || !take_cell(&line, t->key_column, &key) ||
        (c.kind == RECOVERED_ROW && !take_cell(&line, t->value_column, &c.value)))
        return refuse(whole, err);
    c.key = (uint64_t)key;
    return array_push(&d->order->changes, c, err);
}

enum status postgres_decoding_line(struct decoding *d, struct text line, struct error *err)
{
    struct text whole = line;
    struct recovered_commit *commit;

    if (text_take(&line, TEXT("BEGIN ")))
        return begin(d, line, whole, err);
    if (text_take(&line, TEXT("table ")))
        return change(d, line, whole, err);
    if (!text_take(&line, TEXT("COMMIT ")) || !d->is_open)
        return refuse(whole, err);
    d->is_open = false;
    commit = &d->order->commits.at[d->order->commits.count - 1];
    commit->count = d->order->changes.count - commit->first;
    return STATUS_OK;
}
