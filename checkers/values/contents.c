#include "checkers/values/contents.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "checkers/proof/tell.h"

void contents_init(struct contents *c, const struct history *h)
{
    *c = (struct contents){ .history = h };
}

void contents_close(struct contents *c)
{
    for (size_t i = 0; i < c->lists.count; i++)
        free(c->lists.at[i].at);
    array_close(&c->lists);
}

size_t contents_elements(const struct contents *c, struct content content, const int64_t **elements)
{
    const struct history *h = c->history;

    *elements = NULL;
    if (content.kind == CONTENT_GROWN) {
        *elements = c->lists.at[content.bits].at;
        return content.length;
    }
    if (content.kind != VALUE_LIST)
        return 0;
    *elements = h->list_element + h->list_start[content.bits];
    return (size_t)(h->list_start[content.bits + 1] - h->list_start[content.bits]);
}

/* A new list that begins like this one. */
static enum status copy_list(struct contents *c, struct content from, struct content *to,
                             struct error *err)
{
    struct grown_list copy = { 0 };
    const int64_t *elements;
    size_t count = contents_elements(c, from, &elements);

    TRY(array_reserve(&c->lists, 1, err));
    if (count > UINT32_MAX - 1)
        return error_set(err, STATUS_OVER_LIMIT, "a list has too many elements");
    copy.room = (uint32_t)count + 1;
    TRY(memory_resize((void **)&copy.at, copy.room, sizeof *copy.at, err));
    if (count > 0)
        memcpy(copy.at, elements, count * sizeof *elements);
    copy.count = (uint32_t)count;
    *to = (struct content){ .kind = CONTENT_GROWN,
                            .bits = (int64_t)c->lists.count,
                            .length = copy.count };
    c->lists.at[c->lists.count++] = copy;
    return STATUS_OK;
}

static enum status push(struct grown_list *list, int64_t element, struct error *err)
{
    if (list->count == list->room) {
        size_t room = (size_t)list->room + list->room / 2 + 4;

        if (room > UINT32_MAX)
            return error_set(err, STATUS_OVER_LIMIT, "a list has too many elements");
        TRY(memory_resize((void **)&list->at, room, sizeof *list->at, err));
        list->room = (uint32_t)room;
    }
    list->at[list->count++] = element;
    return STATUS_OK;
}

/* An element more. On what is no list nothing can be put: it becomes what no read can be of. */
static enum status contents_append(struct contents *c, struct content before, int64_t element,
                                   struct content *after, struct error *err)
{
    bool is_list =
        before.kind == CONTENT_GROWN || before.kind == VALUE_LIST || before.kind == VALUE_NULL;

    *after = (struct content){ .kind = VALUE_NONE };
    if (!is_list)
        return STATUS_OK;
    *after = before;
    if (before.kind != CONTENT_GROWN || c->lists.at[before.bits].count != before.length)
        TRY(copy_list(c, before, after, err));
    after->length++;
    return push(&c->lists.at[after->bits], element, err);
}

enum status contents_write(struct contents *c, struct content before, uint32_t op,
                           struct content *after, struct error *err)
{
    const struct history *h = c->history;

    switch (h->op_kind[op]) {
    case OP_APPEND:
        return contents_append(c, before, h->op_value[op], after, err);
    case OP_REMOVE:
    case OP_ROW_REMOVE:
        *after = (struct content){ .kind = VALUE_NULL };
        return STATUS_OK;
    default:
        *after = content_of(history_value(h, op));
        return STATUS_OK;
    }
}

static bool is_nothing(const struct contents *c, struct content content)
{
    const int64_t *elements;

    if (content.kind == VALUE_LIST || content.kind == CONTENT_GROWN)
        return contents_elements(c, content, &elements) == 0;
    return content.kind == VALUE_NULL;
}

bool contents_equal(const struct contents *c, struct content content, struct value read)
{
    const int64_t *mine, *theirs;
    size_t count;

    if (is_nothing(c, content))
        return is_nothing(c, content_of(read));
    if (content.kind != CONTENT_GROWN)
        return content.kind == read.kind &&
               history_values_equal(c->history, read,
                                    (struct value){ (enum value_kind)content.kind, content.bits });
    count = contents_elements(c, content, &mine);
    return contents_elements(c, content_of(read), &theirs) == count &&
           memcmp(mine, theirs, count * sizeof *mine) == 0;
}

void contents_tell(struct buffer *out, const struct contents *c, struct content content)
{
    const int64_t *elements;
    size_t count, first;

    if (content.kind != CONTENT_GROWN) {
        struct value value = { (enum value_kind)content.kind, content.bits };

        tell_value(out, c->history, value);
        return;
    }
    count = contents_elements(c, content, &elements);
    first = count > 12 ? count - 12 : 0;
    buffer_text(out, first > 0 ? TEXT("[...,") : TEXT("["));
    for (size_t i = first; i < count; i++) {
        if (i > first)
            buffer_byte(out, ',');
        buffer_int64(out, elements[i]);
    }
    buffer_byte(out, ']');
}
