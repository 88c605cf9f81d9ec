#include "history/foreign/jepsen_survey_private.h"
#include "history/foreign/jepsen_workloads_private.h"

#include <inttypes.h>
#include <stdlib.h>

/* Of what is seen or not by each read, in all. */
#define SEEN_MAX UINT64_C(50000000)

enum survey_shape_kind { SHAPE_NONE, SHAPE_NIL, SHAPE_SCALAR, SHAPE_MAP, SHAPE_SET, SHAPE_LIST };

/* What a value looks like from outside. */
struct survey_shape {
    enum survey_shape_kind kind, second; /* second: of a list's second element */
    unsigned count;               /* of a list's elements: up to 3 */
    bool is_micro;                /* a list of [:r ...] and the like, and not empty */
};

struct survey {
    bool has[FUNCTION_COUNT];
    bool has_micro_ops, has_maps, has_reads_of_many, has_reads_of_keyed_many;
    bool has_scalar_writes, has_pair_writes;
    bool has_odd_adds, has_odd_reads; /* adds, and reads, that are not [k v] */
};

/* --- Shapes ------------------------------------------------------------------------- */

static enum survey_shape_kind kind_of(struct edn *e)
{
    switch (edn_peek(e)) {
    case EDN_END:
        return SHAPE_NONE;
    case EDN_NIL:
        return SHAPE_NIL;
    case EDN_OPEN:
        return *e->at == '#' ? SHAPE_SET : *e->at == '{' ? SHAPE_MAP : SHAPE_LIST;
    default:
        return SHAPE_SCALAR;
    }
}

/* Whether what comes is [:r ...] or the like; the lexer does not move. */
static bool is_micro_op(struct edn ahead)
{
    static const char *const names[] = { "r", "w", "append", "read", "write" };
    struct edn_scalar name;
    struct error unsaid;
    bool is_it = false;

    ahead.decoded = (struct buffer){ 0 };
    if (kind_of(&ahead) == SHAPE_LIST && edn_open(&ahead, '[', "", &unsaid) == STATUS_OK &&
        edn_peek(&ahead) != EDN_OPEN && edn_take(&ahead, "", &name, &unsaid) == STATUS_OK)
        for (size_t i = 0; i < ROW_COUNT(names); i++)
            is_it |= edn_is_name(&ahead, &name, names[i]);
    edn_close(&ahead);
    return is_it;
}

static struct survey_shape shape_of(struct edn ahead, const char *value)
{
    struct survey_shape shape = { .kind = SHAPE_NONE };
    struct error unsaid;
    bool more;

    if (!value)
        return shape;
    ahead.at = value;
    ahead.decoded = (struct buffer){ 0 };
    shape.kind = kind_of(&ahead);
    if (shape.kind == SHAPE_LIST && edn_open(&ahead, '[', "", &unsaid) == STATUS_OK) {
        shape.is_micro = is_micro_op(ahead);
        while (shape.count < 3 && edn_more(&ahead, '[', &more, &unsaid) == STATUS_OK && more) {
            if (shape.count++ == 1)
                shape.second = kind_of(&ahead);
            if (edn_skip(&ahead, &unsaid) != STATUS_OK)
                break;
        }
    }
    edn_close(&ahead);
    return shape;
}

static bool is_pair(const struct survey_shape *shape)
{
    return shape->kind == SHAPE_LIST && shape->count == 2;
}

static bool is_many(enum survey_shape_kind kind)
{
    return kind == SHAPE_SET || kind == SHAPE_LIST;
}

/* --- What there is ------------------------------------------------------------------ */

static void see_read(struct survey *s, const struct event *event, const struct survey_shape *shape)
{
    bool is_pair_of_many = is_pair(shape) && is_many(shape->second);

    if (event->type != EVENT_OK || shape->kind == SHAPE_NONE || shape->kind == SHAPE_NIL)
        return;
    s->has_maps |= shape->kind == SHAPE_MAP;
    s->has_reads_of_many |= is_many(shape->kind);
    s->has_reads_of_keyed_many |= is_pair_of_many;
    s->has_odd_reads |= !is_pair(shape);
}

static void see(struct survey *s, const struct edn *edn, const struct event *event)
{
    struct survey_shape shape = shape_of(*edn, event->value);

    if (!event->has_process || event->is_numbered) {
        if (event->function < FUNCTION_COUNT)
            s->has[event->function] = true;
        if (event->function == F_READ || event->function == F_WRITE)
            s->has_micro_ops |= shape.is_micro;
        if (event->function == F_READ)
            see_read(s, event, &shape);
        if (event->function == F_WRITE && shape.kind != SHAPE_NONE) {
            s->has_scalar_writes |= !is_pair(&shape);
            s->has_pair_writes |= is_pair(&shape);
        }
        if (event->function == F_ADD && shape.kind != SHAPE_NONE)
            s->has_odd_adds |= !is_pair(&shape);
    }
}

static bool is_of_comments(const struct survey *s)
{
    if (s->has[F_CAS] || !s->has[F_WRITE] || (s->has_scalar_writes && s->has_pair_writes))
        return false;
    return s->has_scalar_writes ? s->has_reads_of_many : s->has_reads_of_keyed_many;
}

static void settle(struct jepsen_reader *r, const struct survey *s)
{
    bool is_keyed = false;

    if (s->has[F_ACQUIRE] || s->has[F_RELEASE]) {
        r->family = FAMILY_MUTEX;
        return;
    }
    if (s->has[F_TRANSFER] || (s->has_maps && !s->has[F_WRITE] && !s->has[F_ADD])) {
        r->family = FAMILY_BANK;
        return;
    }
    if (s->has[F_ADD]) {
        r->family = FAMILY_ADDS;
        is_keyed = !s->has_odd_adds && !s->has_odd_reads;
    } else if (s->has_micro_ops) {
        r->are_txns = true;
        return;
    } else if (is_of_comments(s)) {
        r->family = FAMILY_COMMENTS;
        is_keyed = s->has_pair_writes;
    } else {
        r->family = FAMILY_REGISTER;
        return; /* each says whether it has a key */
    }
    r->keyed = is_keyed ? KEYED : KEYED_NOT;
}

/* --- Comments ----------------------------------------------------------------------- */

static enum status add_comment(struct jepsen_reader *r, uint32_t group, struct error *err)
{
    struct comment comment = { .group = group };
    size_t place;

    TRY(jepsen_comment_key(r, &comment.key, err));
    TRY(map_add(&r->comment_keys, comment.key, r->comments.count, &place, err));
    return r->comment_keys.values.at[place] == r->comments.count
               ? array_push(&r->comments, comment, err)
               : STATUS_OK;
}

/* All that are written, and all that are read, whether or not anybody wrote them. */
static enum status take_comments(struct jepsen_reader *r, const struct event *event,
                                 struct error *err)
{
    struct edn *e = &r->whole.edn;
    uint32_t group;
    bool more;
    char bracket;

    e->at = event->value;
    if (edn_peek(e) == EDN_NIL)
        return STATUS_OK;
    TRY(jepsen_comment_begin(r, &group, err));
    if (event->function == F_WRITE)
        return add_comment(r, group, err);
    if (edn_peek(e) == EDN_NIL)
        return STATUS_OK;
    TRY(jepsen_open_many(e, &bracket, "what was seen, a set or a list", err));
    for (;;) {
        TRY(edn_more(e, bracket, &more, err));
        if (!more)
            return STATUS_OK;
        TRY(add_comment(r, group, err));
    }
}

static enum status list_comments(struct jepsen_reader *r, const struct events *events,
                                 struct error *err)
{
    uint64_t reads = 0;

    for (size_t i = 0; i < events->all.count; i++) {
        const struct event *event = &events->all.at[i];
        bool is_seen = event->function == F_READ && event->type == EVENT_OK;

        reads += is_seen;
        if (event->value && (is_seen || event->function == F_WRITE) &&
            (!event->has_process || event->is_numbered))
            TRY(take_comments(r, event, err));
    }
    if (reads * r->comments.count > SEEN_MAX)
        return error_set(err, STATUS_OVER_LIMIT,
                         "%" PRIu64 " reads of %zu writes are more than can be told one by one",
                         reads, r->comments.count);
    return STATUS_OK;
}

/* --- The order ---------------------------------------------------------------------- */

static int compare_indexes(const void *a, const void *b)
{
    const struct event *x = a, *y = b;

    if (x->index != y->index)
        return x->index < y->index ? -1 : 1;
    return (x->value > y->value) - (x->value < y->value);
}

/* Where every event has an index of its own, that is their order; else it is that of the file. */
static enum status sort_events(struct events *events, struct error *err)
{
    size_t count = events->all.count;
    struct map indexes = { 0 };
    enum status status = STATUS_OK;
    bool are_sorted = true, are_distinct = true;

    for (size_t i = 0; i < count && status == STATUS_OK && are_distinct; i++) {
        const struct event *event = &events->all.at[i];
        size_t place;

        status = map_add(&indexes, (uint64_t)event->index, i, &place, err);
        are_distinct = status == STATUS_OK && event->index >= 0 && indexes.values.at[place] == i;
        are_sorted &= i == 0 || events->all.at[i - 1].index < event->index;
    }
    if (status == STATUS_OK && are_distinct && !are_sorted)
        qsort(events->all.at, count, sizeof *events->all.at, compare_indexes);
    map_close(&indexes);
    return status;
}

enum status jepsen_survey(struct jepsen_reader *r, struct events *events, struct error *err)
{
    struct survey survey = { .has_maps = false };

    for (size_t i = 0; i < events->all.count; i++)
        see(&survey, &r->whole.edn, &events->all.at[i]);
    settle(r, &survey);
    r->is_surveyed = true;
    TRY(sort_events(events, err));
    return r->family == FAMILY_COMMENTS ? list_comments(r, events, err) : STATUS_OK;
}

void jepsen_survey_registers(struct jepsen_reader *r)
{
    r->is_surveyed = true;
    r->family = FAMILY_REGISTER;
}
