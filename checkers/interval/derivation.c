#include "checkers/interval/derivation_private.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/hash.h"
#include "checkers/interval/traces_private.h"
#include "checkers/proof/tell.h"

/* --- The witness ----------------------------------------------------------------- */

/* --- All that a finding rests on ------------------------------------------------------------ */

struct collection {
    const struct derivation *g;
    const struct timeline *timeline;
    uint8_t *step_seen, *record_seen;
    ARRAY(uint32_t) todo; /* as uses are */
};

static enum status collect_step(struct collection *c, uint32_t step, struct error *err)
{
    size_t from;

    if (step == DERIVATION_NONE || c->step_seen[step])
        return STATUS_OK;
    c->step_seen[step] = 1;
    from = step == 0 ? 0 : c->g->steps.at[step - 1].use_end;
    for (size_t i = from; i < c->g->steps.at[step].use_end; i++)
        TRY(array_push(&c->todo, c->g->uses.at[i], err));
    return STATUS_OK;
}

/* An end is where it is as the order of a step moved it, to where another end was. */
static enum status collect_end(struct collection *c, uint32_t record, struct error *err)
{
    const struct end_record *r = &c->timeline->records.at[record];

    if (c->record_seen[record])
        return STATUS_OK;
    c->record_seen[record] = 1;
    if (r->source != TIMELINE_NONE)
        TRY(array_push(&c->todo, r->source << 1 | 1, err));
    return collect_step(c, r->step, err);
}

static enum status collect_all(struct collection *c, const struct interval_finding *f,
                               struct error *err)
{
    for (size_t i = 0; i < f->steps.count; i++)
        TRY(collect_step(c, f->steps.at[i], err));
    while (c->todo.count > 0) {
        uint32_t use = c->todo.at[--c->todo.count];

        TRY(use & 1 ? collect_end(c, use >> 1, err) : collect_step(c, use >> 1, err));
    }
    return STATUS_OK;
}

static enum status list(const struct collection *c, uint32_t **steps, size_t *count,
                        struct error *err)
{
    size_t found = 0;

    for (size_t i = 0; i < c->g->steps.count; i++)
        found += c->step_seen[i];
    TRY(memory_resize((void **)steps, found, sizeof **steps, err));
    *count = 0;
    for (size_t i = 0; i < c->g->steps.count; i++)
        if (c->step_seen[i])
            (*steps)[(*count)++] = (uint32_t)i;
    return STATUS_OK;
}

static enum status collect(const struct interval_model *m, const struct interval_finding *f,
                           uint32_t **steps, size_t *count, struct error *err)
{
    struct collection c = { .g = m->derivation, .timeline = &m->timeline };
    enum status status;

    c.step_seen = calloc(c.g->steps.count + 1, 1);
    c.record_seen = calloc(m->timeline.records.count + 1, 1);
    status = c.step_seen && c.record_seen
                 ? collect_all(&c, f, err)
                 : error_set(err, STATUS_OVER_LIMIT, "no memory for a witness");
    if (status == STATUS_OK)
        status = list(&c, steps, count, err);
    free(c.step_seen);
    free(c.record_seen);
    array_close(&c.todo);
    return status;
}

/* --- As the witness has it -------------------------------------------------------------------- */

struct derivation_teller {
    const struct interval_model *m;
    const struct history *h;
    struct buffer *out;
};

static void tell_id(const struct derivation_teller *t, uint32_t txn)
{
    if (txn == INTERVAL_NONE)
        buffer_text(t->out, TEXT("null"));
    else
        buffer_print(t->out, "%" PRId64, t->h->txn_id[txn]);
}

static void tell_name(const struct derivation_teller *t, const char *name, uint32_t txn)
{
    buffer_print(t->out, ",\"%s\":", name);
    tell_id(t, txn);
}

static void tell_key_of(const struct derivation_teller *t, const struct derivation_step *g)
{
    buffer_text(t->out, TEXT(",\"key\":"));
    buffer_json(t->out, history_key(t->h, g->keys[0]));
}

static void tell_place(const struct derivation_teller *t, uint32_t txn, uint32_t op)
{
    buffer_print(t->out, "[%" PRId64 ",%" PRIu32, t->h->txn_id[txn], tell_op_number(t->h, txn, op));
}

static void tell_op(const struct derivation_teller *t, const char *name, uint32_t txn, uint32_t op)
{
    buffer_print(t->out, ",\"%s\":", name);
    tell_place(t, txn, op);
    buffer_byte(t->out, ']');
}

void derivation_witness_tell_instant(const struct interval_model *m, const struct history *h,
                                     uint32_t txn, uint32_t op, uint32_t key, struct buffer *out)
{
    struct derivation_teller t = { m, h, out };

    if (op == DERIVATION_VIEW || op == DERIVATION_COMMIT) {
        buffer_print(out, "\"%c%" PRId64 "\"", op == DERIVATION_VIEW ? 'b' : 'c', h->txn_id[txn]);
        return;
    }
    tell_place(&t, txn, op);
    if (m->profile.view == VIEW_ROW && key != INTERVAL_NONE && op_is_head(h->op_kind[op])) {
        buffer_byte(out, ',');
        buffer_json(out, history_key(h, key));
    }
    buffer_byte(out, ']');
}

static void tell_program(const struct derivation_teller *t, uint32_t txn, const uint32_t ops[2],
                         const uint32_t keys[2])
{
    buffer_text(t->out, TEXT("{\"step\":\"program\",\"from\":"));
    derivation_witness_tell_instant(t->m, t->h, txn, ops[0], keys[0], t->out);
    buffer_text(t->out, TEXT(",\"to\":"));
    derivation_witness_tell_instant(t->m, t->h, txn, ops[1], keys[1], t->out);
    buffer_byte(t->out, '}');
}

static void tell_structure(const struct derivation_teller *t, const struct derivation_step *g)
{
    buffer_text(t->out, TEXT(",\"transactions\":["));
    for (int i = 0; i < 3; i++) {
        if (i > 0)
            buffer_byte(t->out, ',');
        tell_id(t, g->txns[i]);
    }
    buffer_byte(t->out, ']');
}

static void tell_fields(const struct derivation_teller *t, const struct derivation_step *g)
{
    switch ((enum derivation_kind)g->kind) {
    case DERIVATION_LOCKS:
    case DERIVATION_UNLOCKED:
        tell_key_of(t, g);
        tell_op(t, "first", g->txns[0], g->ops[0]);
        tell_op(t, "second", g->txns[1], g->ops[1]);
        return;
    case DERIVATION_FIRST_WINS:
    case DERIVATION_LOST:
    case DERIVATION_PRECEDES:
        tell_key_of(t, g);
        tell_name(t, "first", g->txns[0]);
        tell_name(t, "second", g->txns[1]);
        return;
    case DERIVATION_STRUCTURE:
        tell_structure(t, g);
        return;
    default:
        tell_op(t, "read", g->txns[0], g->ops[0]);
        tell_key_of(t, g);
    }
    if (g->kind == DERIVATION_READS || g->kind == DERIVATION_FINDS)
        tell_name(t, "from", g->txns[1]);
    else if (g->kind >= DERIVATION_OVERWRITES && g->kind <= DERIVATION_NOT_FOUND)
        tell_name(t, "other", g->txns[1]);
}

static bool writes_key(const struct history *h, uint32_t txn, uint32_t key)
{
    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++)
        if (op_is_write(h->op_kind[op]) && !op_is_head(h->op_kind[op]) && h->op_key[op] == key)
            return true;
    return false;
}

/* The model orders who was read before the commit of a reader who writes the key, too. */
static bool leads_to_commit(const struct derivation_teller *t, const struct derivation_step *g)
{
    return g->kind == DERIVATION_READS && t->m->profile.view != VIEW_COMMIT &&
           writes_key(t->h, g->txns[0], g->keys[0]);
}

/* The view of a read: its own, or its transaction's. */
static uint32_t view_op(const struct interval_model *m, const struct history *h, uint32_t op)
{
    return profile_reads_apart(&m->profile, traces_ask_for_lock(h, op)) ? op : DERIVATION_VIEW;
}

static void tell_step(const struct derivation_teller *t, const struct derivation_step *g)
{
    if (g->kind == DERIVATION_PROGRAM) {
        tell_program(t, g->txns[0], g->ops, g->keys);
        return;
    }
    buffer_print(t->out, "{\"step\":\"%s\"", derivation_names[g->kind]);
    tell_fields(t, g);
    buffer_byte(t->out, '}');
    if (leads_to_commit(t, g)) {
        uint32_t ops[] = { view_op(t->m, t->h, g->ops[0]), DERIVATION_COMMIT };
        uint32_t keys[] = { g->keys[0], INTERVAL_NONE };

        buffer_text(t->out, TEXT(",\n"));
        tell_program(t, g->txns[0], ops, keys);
    }
}

enum status derivation_witness_tell(const struct interval_model *m, const struct history *h,
                                    const struct interval_finding *f, struct buffer *out,
                                    struct error *err)
{
    struct derivation_teller t = { m, h, out };
    uint32_t *steps = NULL;
    size_t count = 0;
    enum status status;

    if (m->derivation->is_broken)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a witness");
    status = collect(m, f, &steps, &count, err);
    if (status == STATUS_OK && count > 0) {
        buffer_text(out, TEXT("\"steps\":["));
        for (size_t i = 0; i < count; i++) {
            if (i > 0)
                buffer_text(out, TEXT(",\n"));
            tell_step(&t, &m->derivation->steps.at[steps[i]]);
        }
        buffer_byte(out, ']');
    }
    free(steps);
    return status;
}

void derivation_witness_tell_premises(const struct profile *p, int64_t clock_error,
                                      struct buffer *out)
{
    const char *between = "";

    buffer_print(out,
                 "\"profile\":{\"view\":\"%s\",\"timing\":\"%s\",\"certifier\":\"%s\",\"rules\":[",
                 profile_view_names[p->view], profile_timing_names[p->timing],
                 profile_certifier_names[p->certifier]);
    for (size_t i = 0; profile_rules[i].name; i++)
        if (profile_has(p, &profile_rules[i])) {
            buffer_print(out, "%s\"%s\"", between, profile_rules[i].name);
            between = ",";
        }
    buffer_print(out, "]},\"clock-error\":%" PRId64 ",", clock_error);
}

#define DERIVATION_NAME(enumerator, name) name,

const char *const derivation_names[] = { DERIVATION_KINDS(DERIVATION_NAME) };

static const struct version_derivation nothing_known = { { TIMELINE_NONE, TIMELINE_NONE },
                                                         { TIMELINE_NONE, TIMELINE_NONE },
                                                         DERIVATION_NONE,
                                                         DERIVATION_NONE };

void derivation_close(struct derivation *g)
{
    array_close(&g->steps);
    array_close(&g->uses);
    map_close(&g->reads);
    array_close(&g->versions);
    array_close(&g->gone_first);
    array_close(&g->gone);
    array_close(&g->settled);
}

#define KEEP(g, array, value)                                                                      \
    do {                                                                                           \
        struct error ignored = { 0 };                                                              \
        (g)->is_broken |= array_push(array, value, &ignored) != STATUS_OK;                         \
    } while (0)

/* --- Drafts ------------------------------------------------------------------------------- */

static size_t uses_of_steps(const struct derivation *g)
{
    return g->steps.count == 0 ? 0 : g->steps.at[g->steps.count - 1].use_end;
}

static struct derivation_step *draft(struct derivation *g, enum derivation_kind kind, uint32_t key)
{
    g->uses.count = uses_of_steps(g);
    g->draft_step = DERIVATION_NONE;
    g->draft = (struct derivation_step){ .kind = (uint8_t)kind,
                                         .txns = { INTERVAL_NONE, INTERVAL_NONE, INTERVAL_NONE },
                                         .keys = { key, INTERVAL_NONE } };
    return &g->draft;
}

uint32_t derivation_take(struct interval_model *m)
{
    struct derivation *g = m->derivation;

    if (!g)
        return DERIVATION_NONE;
    if (g->draft_step == DERIVATION_NONE) {
        g->draft.use_end = g->uses.count;
        g->draft_step = (uint32_t)g->steps.count;
        KEEP(g, &g->steps, g->draft);
    }
    return g->draft_step;
}

/* --- What a draft is drawn from -------------------------------------------------------------- */

static void use_step(struct derivation *g, uint32_t step)
{
    if (step != DERIVATION_NONE)
        KEEP(g, &g->uses, step << 1);
}

static void use_end(struct derivation *g, uint32_t record)
{
    if (record != TIMELINE_NONE)
        KEEP(g, &g->uses, record << 1 | 1);
}

static const struct version_derivation *of_version(const struct interval_model *m,
                                                   const struct key_version *v)
{
    size_t place = (size_t)(v - m->versions.at);

    return place < m->derivation->versions.count ? &m->derivation->versions.at[place]
                                                 : &nothing_known;
}

static struct point_ends installed_ends(const struct interval_model *m, const struct key_version *v)
{
    return v->point != INTERVAL_NONE ? timeline_ends(&m->timeline, v->point)
                                     : of_version(m, v)->installed;
}

static struct point_ends viewed_ends(const struct interval_model *m, const struct key_version *v)
{
    return v->view != INTERVAL_NONE ? timeline_ends(&m->timeline, v->view)
                                    : of_version(m, v)->viewed;
}

static struct point_ends point_ends(const struct interval_model *m, uint32_t point)
{
    struct point_ends none = { TIMELINE_NONE, TIMELINE_NONE };

    return point == INTERVAL_NONE ? none : timeline_ends(&m->timeline, point);
}

static void use_version(const struct interval_model *m, const struct key_version *v)
{
    use_step(m->derivation, of_version(m, v)->confirmed);
}

/* That one instant is known to come before another. */
static void use_order(const struct interval_model *m, const struct timeline *t, uint32_t from,
                      uint32_t to)
{
    if (timeline_point(t, from)->high < timeline_point(t, to)->low) {
        use_end(m->derivation, timeline_ends(t, from).high);
        use_end(m->derivation, timeline_ends(t, to).low);
    } else {
        use_step(m->derivation, timeline_step(t, from, to));
    }
}

static void use_precedes(const struct interval_model *m, const struct key_version *v,
                         const struct key_version *w)
{
    use_version(m, v);
    use_version(m, w);
    if (v->state == VERSION_OF_BEGINNING)
        return;
    if (version_installed(m, v).high < version_installed(m, w).low) {
        use_end(m->derivation, installed_ends(m, v).high);
        use_end(m->derivation, installed_ends(m, w).low);
    } else if (v->point != INTERVAL_NONE && w->point != INTERVAL_NONE) {
        use_order(m, &m->timeline, v->point, w->point);
    } else {
        use_step(m->derivation, of_version(m, v)->next);
    }
}

static void use_before(const struct interval_model *m, const struct read_view *read,
                       const struct key_version *v)
{
    use_version(m, v);
    if (m->profile.timing == TIMING_FULL && version_installed(m, v).high < read->view.low) {
        use_end(m->derivation, installed_ends(m, v).high);
        use_end(m->derivation, point_ends(m, read->point).low);
    } else if (read->point != INTERVAL_NONE && v->point != INTERVAL_NONE) {
        use_order(m, &m->timeline, v->point, read->point);
    }
}

static void use_behind(const struct interval_model *m, const struct read_view *read,
                       const struct key_version *v)
{
    if (version_installed(m, v).low > read->view.high) {
        use_end(m->derivation, installed_ends(m, v).low);
        use_end(m->derivation, point_ends(m, read->point).high);
    } else if (read->point != INTERVAL_NONE && v->point != INTERVAL_NONE) {
        use_order(m, &m->timeline, read->point, v->point);
    }
}

/* A version that was asked for after the read had been answered needs no proof. */
static void use_future(const struct interval_model *m, const struct read_view *read,
                       const struct key_version *v)
{
    if (version_installed(m, v).low > read->view.high || v->locked.low <= read->asked_by)
        use_behind(m, read, v);
}

/* That a version cannot have been seen. */
static void use_unseen(const struct interval_model *m, const struct read_view *read,
                       const struct key_version *v)
{
    const struct key_version *hiding;
    uint32_t room[INTERVAL_VERSIONS_LOOKED_AT];
    struct read_view_before before;

    if (!version_may_be_read(v) || v->txn == read->txn)
        return;
    if (read_view_is_future(m, read, v)) {
        use_future(m, read, v);
        return;
    }
    read_view_before_init(&before, room, m, read);
    hiding = read_view_find_hiding(m, read, &before, v);
    if (!hiding)
        return;
    use_before(m, read, hiding);
    use_precedes(m, v, hiding);
}

static void use_gone(const struct interval_model *m, uint32_t key, bool any_value, uint64_t value)
{
    const struct derivation *g = m->derivation;
    uint32_t next = key < g->gone_first.count ? g->gone_first.at[key] : DERIVATION_NONE;

    for (; next != DERIVATION_NONE; next = g->gone.at[next].next)
        for (size_t i = 0; i < ROW_COUNT(g->gone.at[next].uses); i++)
            if ((any_value || g->gone.at[next].value == value) &&
                g->gone.at[next].uses[i] != DERIVATION_NONE)
                KEEP(m->derivation, &m->derivation->uses, g->gone.at[next].uses[i]);
}

/* That nothing but one version, or nothing, can have been seen. Of an item its value tells. */
static void use_all_unseen(const struct interval_model *m, const struct read_view *read,
                           bool is_item)
{
    uint64_t value = read->access->value;

    use_gone(m, read->key, !is_item, value);
    for (uint32_t next = m->keys.at[read->key].newest; next != INTERVAL_NONE;
         next = m->versions.at[next].older)
        if (!is_item || m->versions.at[next].value == value)
            use_unseen(m, read, &m->versions.at[next]);
}

/* --- Steps ------------------------------------------------------------------------------------ */

void derivation_program(struct interval_model *m, const struct live_txn *live, uint32_t from_op,
                        uint32_t from_key, uint32_t to_op, uint32_t to_key)
{
    struct derivation_step *step;

    if (!m->derivation)
        return;
    step = draft(m->derivation, DERIVATION_PROGRAM, from_key);
    step->txns[0] = live->number;
    step->ops[0] = from_op;
    step->ops[1] = to_op;
    step->keys[1] = to_key;
}

static struct derivation_step *draft_read(struct interval_model *m, enum derivation_kind kind,
                                          const struct read_view *read)
{
    struct derivation_step *step = draft(m->derivation, kind, read->key);

    step->txns[0] = read->live->number;
    step->ops[0] = read->access->op;
    return step;
}

static uint64_t number_of(const struct read_view *read)
{
    uint64_t access = (uint64_t)(read->access - read->live->accesses);

    return hash_number(hash_number(read->txn) + (access << 32 | read->key));
}

static uint32_t step_of(const struct interval_model *m, const struct read_view *read)
{
    uint64_t step;

    return map_find(&m->derivation->reads, number_of(read), &step) ? (uint32_t)step
                                                                   : DERIVATION_NONE;
}

/* Apart, as its frame is large and is mostly not needed. */
__attribute__((noinline)) static void step_of_read(struct interval_model *m,
                                                   const struct read_view *read, uint32_t seen,
                                                   enum derivation_kind kind)
{
    struct error ignored = { 0 };
    struct derivation_step *step;
    size_t place;

    step = draft_read(m, kind, read);
    step->txns[1] = m->versions.at[seen].number;
    use_all_unseen(m, read, kind == DERIVATION_READS);
    m->derivation->is_broken |= map_add(&m->derivation->reads, number_of(read), derivation_take(m),
                                        &place, &ignored) != STATUS_OK;
}

void derivation_reads(struct interval_model *m, const struct read_view *read, uint32_t seen,
                      enum derivation_kind kind)
{
    if (m->derivation)
        step_of_read(m, read, seen, kind);
}

void derivation_overwrites(struct interval_model *m, const struct read_view *read, uint32_t seen,
                           uint32_t other)
{
    const struct key_version *w = &m->versions.at[other];
    struct derivation_step *step;

    if (!m->derivation)
        return;
    step = draft_read(m, DERIVATION_OVERWRITES, read);
    step->txns[1] = w->number;
    use_step(m->derivation, step_of(m, read));
    use_precedes(m, &m->versions.at[seen], w);
}

void derivation_installed(struct interval_model *m, const struct read_view *read, uint32_t other)
{
    struct derivation_step *step;

    if (!m->derivation)
        return;
    step = draft_read(m, DERIVATION_INSTALLED, read);
    step->txns[1] = m->versions.at[other].number;
    use_step(m->derivation, step_of(m, read));
    use_before(m, read, &m->versions.at[other]);
}

void derivation_precedes(struct interval_model *m, uint32_t key, const struct key_version *v,
                         const struct key_version *w)
{
    struct derivation_step *step;

    if (!m->derivation)
        return;
    step = draft(m->derivation, DERIVATION_PRECEDES, key);
    step->txns[0] = v->number;
    step->txns[1] = w->number;
    use_precedes(m, v, w);
}

void derivation_found(struct interval_model *m, const struct read_view *read,
                      const struct key_version *v, bool was_there)
{
    struct derivation_step *step;

    if (!m->derivation)
        return;
    step = draft_read(m, was_there ? DERIVATION_FOUND : DERIVATION_NOT_FOUND, read);
    step->txns[1] = v->number;
    if (was_there)
        use_before(m, read, v);
    else
        use_behind(m, read, v);
    use_version(m, v);
}

static uint32_t side_low(const struct interval_model *m, const struct derivation_side *side)
{
    return side->version ? installed_ends(m, side->version).low : point_ends(m, side->point).low;
}

static struct derivation_step *draft_pair(struct interval_model *m, enum derivation_kind kind,
                                          uint32_t key, const struct derivation_side *first,
                                          const struct derivation_side *second)
{
    struct derivation_step *step = draft(m->derivation, kind, key);

    step->txns[0] = first->number;
    step->ops[0] = first->op;
    step->txns[1] = second->number;
    step->ops[1] = second->op;
    if (first->version)
        use_version(m, first->version);
    if (second->version)
        use_version(m, second->version);
    return step;
}

void derivation_locks(struct interval_model *m, uint32_t key, const struct derivation_side *first,
                      const struct derivation_side *second)
{
    if (!m->derivation)
        return;
    draft_pair(m, DERIVATION_LOCKS, key, first, second);
    use_end(m->derivation, side_low(m, second));
}

/* That an updater did not commit before another's view. */
static void use_not_first(const struct interval_model *m, const struct derivation_side *first,
                          const struct derivation_side *second)
{
    const struct key_version *v = first->version, *w = second->version;

    if (version_installed(m, v).low > view_times(m, w->view, w->viewed).high) {
        use_end(m->derivation, installed_ends(m, v).low);
        use_end(m->derivation, viewed_ends(m, w).high);
    } else if (w->view != INTERVAL_NONE && v->point != INTERVAL_NONE) {
        use_order(m, &m->timeline, w->view, v->point);
    }
}

void derivation_first_wins(struct interval_model *m, uint32_t key,
                           const struct derivation_side *first,
                           const struct derivation_side *second)
{
    if (!m->derivation)
        return;
    draft_pair(m, DERIVATION_FIRST_WINS, key, first, second);
    use_not_first(m, second, first);
}

/* --- Of findings --------------------------------------------------------------------------- */

static void rest_on(struct interval_model *m, struct interval_finding *f, uint32_t step)
{
    if (f)
        KEEP(m->derivation, &f->steps, step);
}

void derivation_unread(struct interval_model *m, struct interval_finding *f,
                       const struct read_view *read)
{
    if (!m->derivation)
        return;
    draft_read(m, DERIVATION_UNREAD, read);
    use_all_unseen(m, read, true);
    rest_on(m, f, derivation_take(m));
}

void derivation_unlocked(struct interval_model *m, struct interval_finding *f, uint32_t key,
                         const struct derivation_side *a, const struct derivation_side *b)
{
    if (!m->derivation)
        return;
    draft_pair(m, DERIVATION_UNLOCKED, key, a, b);
    use_end(m->derivation, side_low(m, a));
    use_end(m->derivation, side_low(m, b));
    rest_on(m, f, derivation_take(m));
}

void derivation_lost(struct interval_model *m, struct interval_finding *f, uint32_t key,
                     const struct derivation_side *a, const struct derivation_side *b)
{
    if (!m->derivation)
        return;
    draft_pair(m, DERIVATION_LOST, key, a, b);
    use_not_first(m, a, b);
    use_not_first(m, b, a);
    rest_on(m, f, derivation_take(m));
}

void derivation_own(struct interval_model *m, struct interval_finding *f,
                    const struct live_txn *live, uint32_t op, uint32_t key,
                    enum derivation_kind kind)
{
    struct derivation_step *step;

    if (!m->derivation)
        return;
    step = draft(m->derivation, kind, key);
    step->txns[0] = live->number;
    step->ops[0] = op;
    rest_on(m, f, derivation_take(m));
}

void derivation_row(struct interval_model *m, struct interval_finding *f,
                    const struct read_view *read)
{
    if (!m->derivation)
        return;
    draft_read(m, DERIVATION_ROW, read);
    use_all_unseen(m, read, false);
    rest_on(m, f, derivation_take(m));
}

void derivation_structure(struct interval_model *m, struct interval_finding *f,
                          const struct live_txn *const txns[3], const uint32_t points[3])
{
    struct derivation_step *step, interrupted;
    uint32_t interrupted_step;

    if (!m->derivation)
        return;
    /* It is found while the order that makes it is laid, on whose draft more rests. */
    interrupted_step = derivation_take(m);
    interrupted = m->derivation->draft;
    step = draft(m->derivation, DERIVATION_STRUCTURE, INTERVAL_NONE);
    for (int i = 0; i < 3; i++)
        step->txns[i] = txns[i]->number;
    for (int i = 0; i < 2; i++)
        use_step(m->derivation, timeline_step(&m->certifier, points[i], points[i + 1]));
    use_end(m->derivation, point_ends(m, txns[2]->point).high);
    use_end(m->derivation, point_ends(m, txns[1]->view).high);
    use_end(m->derivation, point_ends(m, txns[0]->view).low);
    rest_on(m, f, derivation_take(m));
    m->derivation->draft = interrupted;
    m->derivation->draft_step = interrupted_step;
}

void derivation_chain(struct interval_model *m, struct interval_finding *f,
                      const struct timeline *t)
{
    for (size_t i = 0; m->derivation && i < t->chain.count; i++)
        rest_on(m, f, t->chain.at[i].step);
}

/* --- Of versions --------------------------------------------------------------------------- */

static struct version_derivation *reach_version(struct interval_model *m, uint32_t place)
{
    while (m->derivation->versions.count <= place && !m->derivation->is_broken)
        KEEP(m->derivation, &m->derivation->versions, nothing_known);
    return m->derivation->is_broken ? NULL : &m->derivation->versions.at[place];
}

/* Another version of its transaction may have been read by then. */
static uint32_t find_confirmed(const struct interval_model *m, const struct live_txn *live)
{
    for (uint32_t i = 0; live->status == TXN_UNKNOWN && i < live->access_count; i++) {
        const struct txn_access *a = &live->accesses[i];

        if (a->kind == TRACE_WRITE && a->version != INTERVAL_NONE) {
            uint32_t by = of_version(m, &m->versions.at[a->version])->confirmed;

            if (by != DERIVATION_NONE)
                return by;
        }
    }
    return DERIVATION_NONE;
}

void derivation_add_version(struct interval_model *m, const struct live_txn *live, uint32_t place)
{
    struct version_derivation *v;
    uint32_t confirmed;

    if (!m->derivation)
        return;
    confirmed = live ? find_confirmed(m, live) : DERIVATION_NONE;
    v = reach_version(m, place);
    if (!v)
        return;
    *v = nothing_known;
    v->confirmed = confirmed;
}

void derivation_keep_ends(struct interval_model *m, const struct key_version *v)
{
    struct version_derivation *kept;

    if (!m->derivation)
        return;
    kept = reach_version(m, (uint32_t)(v - m->versions.at));
    if (!kept)
        return;
    kept->installed = installed_ends(m, v);
    kept->viewed = viewed_ends(m, v);
}

void derivation_keep_next(struct interval_model *m, const struct key_version *v, uint32_t step)
{
    struct version_derivation *kept;

    if (!m->derivation)
        return;
    kept = reach_version(m, (uint32_t)(v - m->versions.at));
    if (kept)
        kept->next = step;
}

void derivation_confirm(struct interval_model *m, const struct read_view *read,
                        const struct key_version *v)
{
    struct version_derivation *kept;

    if (!m->derivation)
        return;
    kept = reach_version(m, (uint32_t)(v - m->versions.at));
    if (kept)
        kept->confirmed = step_of(m, read);
}

static uint32_t end_use(uint32_t record)
{
    return record == TIMELINE_NONE ? DERIVATION_NONE : record << 1 | 1;
}

static uint32_t step_use(uint32_t step)
{
    return step == DERIVATION_NONE ? DERIVATION_NONE : step << 1;
}

void derivation_drop_version(struct interval_model *m, uint32_t key, const struct key_version *v,
                             const struct key_version *floor)
{
    struct derivation *g = m->derivation;
    struct gone_version gone = { .value = v->value };
    bool is_by_times = true;

    if (!g || !version_may_be_read(v))
        return;
    gone.uses[0] = end_use(installed_ends(m, v).high);
    gone.uses[1] = end_use(installed_ends(m, floor).low);
    gone.uses[2] = end_use(installed_ends(m, floor).high);
    gone.uses[3] = step_use(of_version(m, floor)->confirmed);
    gone.uses[4] = step_use(of_version(m, v)->confirmed);
    for (size_t i = 0; i < ROW_COUNT(gone.uses); i++)
        is_by_times &= gone.uses[i] == DERIVATION_NONE;
    if (is_by_times)
        return;
    while (g->gone_first.count <= key && !g->is_broken)
        KEEP(g, &g->gone_first, DERIVATION_NONE);
    if (g->is_broken)
        return;
    gone.next = g->gone_first.at[key];
    g->gone_first.at[key] = (uint32_t)g->gone.count;
    KEEP(g, &g->gone, gone);
}
