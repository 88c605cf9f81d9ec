#include "history/foreign/jepsen_events_private.h"

#include <inttypes.h>
#include <stdlib.h>

#include "history/foreign/jepsen_values_private.h"

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

/* Of one process: more at a time are no tool's, and would take too long to tell apart. */
#define LEFT_MAX 128
/* The same, for all of a file: this many times its bytes. */
#define COMPARED_FACTOR 64

#define NAME(literal) { (literal), sizeof(literal) - 1 }

static const struct text type_names[] = { NAME("invoke"), NAME("ok"), NAME("fail"), NAME("info") };
static const struct text function_names[] = { NAME("txn"), NAME("read"), NAME("write"),
                                              NAME("cas"), NAME("add"),  NAME("transfer"),
                                              NAME("acquire"), NAME("release") };

void jepsen_begin(struct jepsen_reader *r)
{
    *r = (struct jepsen_reader){ .next_session = -2 };
}

void jepsen_close(struct jepsen_reader *r)
{
    map_close(&r->numbers);
    array_close(&r->processes);
    array_close(&r->left);
    array_close(&r->process_of);
    map_close(&r->added);
    intern_close(&r->odd_elements);
    array_close(&r->comments);
    intern_close(&r->groups);
    map_close(&r->comment_keys);
    array_close(&r->elements.all);
    buffer_close(&r->group);
    buffer_close(&r->name);
}

void jepsen_restart(struct jepsen_reader *r)
{
    struct draft_file whole = r->whole;

    draft_close(&whole.draft);
    draft_init(&whole.draft);
    whole.edn.at = whole.edn.begin;
    whole.edn.rounds = 0;
    jepsen_close(r);
    jepsen_begin(r);
    r->whole = whole;
}

/* --- Names ------------------------------------------------------------------------ */

static bool find_name(const struct edn *edn, const struct edn_scalar *scalar,
                      const struct text *names, unsigned count, unsigned *found)
{
    for (*found = 0; *found < count; (*found)++)
        if (edn_is_text(edn, scalar, names[*found]))
            return true;
    return false;
}

void jepsen_name_type(const struct edn *edn, const struct edn_scalar *scalar, struct event *event)
{
    event->has_type = find_name(edn, scalar, type_names, EVENT_TYPE_COUNT, &event->type);
}

void jepsen_name_function(const struct edn *edn, const struct edn_scalar *scalar,
                          struct event *event)
{
    event->has_function =
        find_name(edn, scalar, function_names, FUNCTION_COUNT, &event->function);
    event->is_odd = !event->has_function;
}

/* --- Processes -------------------------------------------------------------------- */

static struct draft_txn *txn_of(struct jepsen_reader *r, uint32_t txn)
{
    return &r->whole.draft.txns.at[txn];
}

static enum status find_process(struct jepsen_reader *r, int64_t number, struct process **process,
                                struct error *err)
{
    size_t place;

    TRY(map_add(&r->numbers, (uint64_t)number, r->processes.count, &place, err));
    if (r->numbers.values.at[place] == r->processes.count) {
        /* Of operations without a process nobody says which are one client's. */
        struct process fresh = { .session = number, .overlaps = !r->has_numbered };

        TRY(array_push(&r->processes, fresh, err));
    }
    *process = &r->processes.at[r->numbers.values.at[place]];
    return STATUS_OK;
}

/* Nobody knows what became of it. */
static enum status lose(struct jepsen_reader *r, const struct invocation *lost, struct error *err)
{
    struct draft_txn *txn = txn_of(r, lost->txn);

    txn->status = TXN_UNKNOWN;
    txn->completed = TIME_NEVER;
    return jepsen_take_ops(r, lost->txn, lost->function, lost->value, err);
}

static struct left_invocation take_first_left(struct jepsen_reader *r, struct process *p)
{
    struct left_invocation first = r->left.at[p->left_first];

    p->left_first = first.next;
    p->left_count--;
    return first;
}

/*
 * The process began something else, under another session: what it was doing may complete yet, if
 * the number stands for several that run at once.
 */
static enum status leave(struct jepsen_reader *r, struct process *p, struct error *err)
{
    struct left_invocation left = { p->now, HISTORY_NONE };
    uint32_t place = (uint32_t)r->left.count;

    if (p->left_count == LEFT_MAX) {
        struct left_invocation oldest = take_first_left(r, p);

        TRY(lose(r, &oldest.invocation, err));
    }
    TRY(array_push(&r->left, left, err));
    if (p->left_count > 0)
        r->left.at[p->left_last].next = place;
    else
        p->left_first = place;
    p->left_last = place;
    p->left_count++;
    p->is_busy = false;
    p->session = r->next_session--;
    return STATUS_OK;
}

/* --- Transactions ----------------------------------------------------------------- */

static enum status begin(struct jepsen_reader *r, struct process *p, const struct event *event,
                         struct error *err)
{
    struct foreign_draft *draft = &r->whole.draft;
    int64_t id = (int64_t)draft->txns.count;
    uint32_t txn;

    TRY(draft_add_txn(draft, id, p->session, 0, &txn, err));
    TRY(array_push(&r->process_of, (uint32_t)(p - r->processes.at), err));
    draft->txns.at[txn].invoked = r->now;
    if (event->index >= 0)
        draft->txns.at[txn].origin = (struct place){ event->has_process ? 2 : 1,
                                                     { event->index, event->process } };
    p->is_busy = true;
    p->now = (struct invocation){ event->value, txn, event->function };
    return STATUS_OK;
}

static enum status complete(struct jepsen_reader *r, struct process *p,
                            const struct invocation *invocation, const struct event *event,
                            struct error *err)
{
    struct draft_txn *txn = txn_of(r, invocation->txn);
    bool is_ok = event->type == EVENT_OK;

    if (event->type == EVENT_INFO) {
        p->session = r->next_session--;
        return lose(r, invocation, err);
    }
    if (event->function != F_UNSAID && event->function != invocation->function)
        return error_set(err, STATUS_BAD_INPUT,
                         "process %" PRId64 " completes another :f than it invoked",
                         event->process);
    txn->status = is_ok ? TXN_OK : TXN_ABORT;
    txn->completed = r->now;
    return jepsen_take_ops(r, invocation->txn, invocation->function,
                           is_ok || !invocation->value ? event->value : invocation->value, err);
}

static bool matches(struct jepsen_reader *r, const struct invocation *invocation,
                    const struct event *event)
{
    return (event->function == F_UNSAID || invocation->function == event->function) &&
           jepsen_values_match(r, invocation->function, invocation->value, event->value);
}

/* The first one left that may be completed so, and the one before it; HISTORY_NONE: there is none. */
static uint32_t find_left(struct jepsen_reader *r, const struct process *p,
                          const struct event *event, uint32_t *before)
{
    uint32_t place = p->left_first;

    *before = HISTORY_NONE;
    for (uint32_t i = 0; i < p->left_count; i++) {
        if (matches(r, &r->left.at[place].invocation, event))
            return place;
        *before = place;
        place = r->left.at[place].next;
    }
    return HISTORY_NONE;
}

static void remove_left(struct jepsen_reader *r, struct process *p, uint32_t place,
                        uint32_t before)
{
    if (before == HISTORY_NONE)
        p->left_first = r->left.at[place].next;
    else
        r->left.at[before].next = r->left.at[place].next;
    if (place == p->left_last)
        p->left_last = before;
    p->left_count--;
}

/*
 * A process with invocations that it left behind: what completes is told by what it does. If several
 * invocations are alike, what completes may have begun with the first of them.
 */
static enum status complete_one(struct jepsen_reader *r, struct process *p,
                                const struct event *event, struct error *err)
{
    uint32_t before, left = find_left(r, p, event, &before);
    struct invocation found;

    if (r->bytes_compared > COMPARED_FACTOR * (uint64_t)(r->whole.edn.end - r->whole.edn.begin))
        return error_set(err, STATUS_OVER_LIMIT,
                         "process %" PRId64 " does too much at once to tell what completes",
                         event->process);
    if (left == HISTORY_NONE || (p->is_busy && matches(r, &p->now, event))) {
        struct invocation now = p->now;

        if (!p->is_busy)
            return error_set(err, STATUS_BAD_INPUT,
                             "process %" PRId64 " completes what it did not invoke",
                             event->process);
        if (left != HISTORY_NONE)
            txn_of(r, now.txn)->invoked = txn_of(r, r->left.at[left].invocation.txn)->invoked;
        p->is_busy = false;
        return complete(r, p, &now, event, err);
    }
    found = r->left.at[left].invocation;
    remove_left(r, p, left, before);
    p->overlaps = true;
    return complete(r, p, &found, event, err);
}

/*
 * The moment of an event is its time, unless that is missing or before the moment of the event
 * before, whose place in the file decides: then it is that moment, or the next nanosecond after it
 * if there was no time, or if something began after something else was over.
 */
static void settle_moment(struct jepsen_reader *r, const struct event *event)
{
    bool is_invocation = event->type == EVENT_INVOKE;
    int64_t at = event->time;

    if (at == TIME_ABSENT)
        at = r->has_begun ? r->now + 1 : 1;
    if (r->has_begun && at < r->now)
        at = r->now;
    if (r->has_begun && at == r->now && is_invocation && r->has_completed_now)
        at++;
    r->has_completed_now = !is_invocation || (r->has_completed_now && at == r->now);
    r->now = at;
    r->has_begun = true;
}

static enum status check_event(struct jepsen_reader *r, const struct event *event,
                               struct error *err)
{
    r->has_numbered |= event->has_process;
    r->has_nameless |= !event->has_process;
    if (r->has_numbered && r->has_nameless)
        return error_set(err, STATUS_BAD_INPUT,
                         "an operation has no :process, and others have one");
    if (!event->has_type)
        return error_set(err, STATUS_BAD_INPUT,
                         "an operation has no :type invoke, ok, fail or info");
    if (event->is_odd)
        return error_set(err, STATUS_BAD_INPUT,
                         "an operation has another :f than txn, read, write, cas, add, transfer, "
                         "acquire and release: nothing else can be read");
    return STATUS_OK;
}

enum status jepsen_add_event(struct jepsen_reader *r, const struct event *given, struct error *err)
{
    struct event copy = *given, *event = &copy;
    struct invocation now;
    struct process *p;

    if (event->has_process && !event->is_numbered)
        return STATUS_OK;
    TRY(check_event(r, event, err));
    if (r->are_txns && (event->function == F_READ || event->function == F_WRITE))
        event->function = F_TXN;
    settle_moment(r, event);
    TRY(find_process(r, event->has_process ? event->process : 0, &p, err));
    if (event->type == EVENT_INVOKE) {
        event->function = event->function == F_UNSAID ? F_TXN : event->function;
        r->has_invocations = true;
        if (p->is_busy)
            TRY(leave(r, p, err));
        return begin(r, p, event, err);
    }
    if (p->left_count > 0)
        return complete_one(r, p, event, err);
    if (!p->is_busy && r->has_invocations)
        return error_set(err, STATUS_BAD_INPUT,
                         "process %" PRId64 " completes what it did not invoke", event->process);
    if (!p->is_busy) {
        event->function = event->function == F_UNSAID ? F_TXN : event->function;
        TRY(begin(r, p, event, err));
    }
    now = p->now;
    p->is_busy = false;
    return complete(r, p, &now, event, err);
}

/* --- The end ---------------------------------------------------------------------- */

/* Of completions alone nobody knows when anything began. */
static void settle_times(struct jepsen_reader *r)
{
    for (uint32_t t = 0; !r->has_invocations && t < r->whole.draft.txns.count; t++)
        txn_of(r, t)->invoked = txn_of(r, t)->completed = TIME_ABSENT;
}

/* A number that stands for several at once says nothing of the order of what they did. */
static void settle_sessions(struct jepsen_reader *r)
{
    for (uint32_t t = 0; t < r->whole.draft.txns.count; t++)
        if (r->processes.at[r->process_of.at[t]].overlaps)
            txn_of(r, t)->session = r->next_session--;
}

static enum status end_process(struct jepsen_reader *r, struct process *p, struct error *err)
{
    while (p->left_count > 0) {
        struct left_invocation first = take_first_left(r, p);

        TRY(lose(r, &first.invocation, err));
    }
    return p->is_busy ? lose(r, &p->now, err) : STATUS_OK;
}

enum status jepsen_end(struct jepsen_reader *r, struct error *err)
{
    for (size_t i = 0; i < r->processes.count; i++)
        TRY(end_process(r, &r->processes.at[i], err));
    settle_times(r);
    settle_sessions(r);
    return jepsen_name_workload(r, err);
}
