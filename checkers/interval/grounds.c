#include "checkers/interval/grounds.h"

#include "base/hash.h"

#define GROUND_NAME(enumerator, name) name,

const char *const ground_names[] = { GROUND_KINDS(GROUND_NAME) };

static const struct version_grounds nothing_known = { { TIMELINE_NONE, TIMELINE_NONE },
                                                      { TIMELINE_NONE, TIMELINE_NONE },
                                                      GROUND_NONE,
                                                      GROUND_NONE };

void grounds_close(struct grounds *g)
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

static size_t uses_of_steps(const struct grounds *g)
{
    return g->steps.count == 0 ? 0 : g->steps.at[g->steps.count - 1].use_end;
}

static struct ground *draft(struct grounds *g, enum ground_kind kind, uint32_t key)
{
    g->uses.count = uses_of_steps(g);
    g->draft_step = GROUND_NONE;
    g->draft = (struct ground){ .kind = (uint8_t)kind,
                                .txns = { MIRROR_NONE, MIRROR_NONE, MIRROR_NONE },
                                .keys = { key, MIRROR_NONE } };
    return &g->draft;
}

uint32_t grounds_take(struct mirror *m)
{
    struct grounds *g = m->grounds;

    if (!g)
        return GROUND_NONE;
    if (g->draft_step == GROUND_NONE) {
        g->draft.use_end = g->uses.count;
        g->draft_step = (uint32_t)g->steps.count;
        KEEP(g, &g->steps, g->draft);
    }
    return g->draft_step;
}

/* --- What a draft is drawn from -------------------------------------------------------------- */

static void use_step(struct grounds *g, uint32_t step)
{
    if (step != GROUND_NONE)
        KEEP(g, &g->uses, step << 1);
}

static void use_end(struct grounds *g, uint32_t record)
{
    if (record != TIMELINE_NONE)
        KEEP(g, &g->uses, record << 1 | 1);
}

static const struct version_grounds *of_version(const struct mirror *m, const struct version *v)
{
    size_t place = (size_t)(v - m->versions.at);

    return place < m->grounds->versions.count ? &m->grounds->versions.at[place] : &nothing_known;
}

static struct point_ends installed_ends(const struct mirror *m, const struct version *v)
{
    return v->point != MIRROR_NONE ? timeline_ends(&m->timeline, v->point)
                                   : of_version(m, v)->installed;
}

static struct point_ends viewed_ends(const struct mirror *m, const struct version *v)
{
    return v->view != MIRROR_NONE ? timeline_ends(&m->timeline, v->view) : of_version(m, v)->viewed;
}

static struct point_ends point_ends(const struct mirror *m, uint32_t point)
{
    struct point_ends none = { TIMELINE_NONE, TIMELINE_NONE };

    return point == MIRROR_NONE ? none : timeline_ends(&m->timeline, point);
}

static void use_version(const struct mirror *m, const struct version *v)
{
    use_step(m->grounds, of_version(m, v)->confirmed);
}

/* That one instant is known to come before another. */
static void use_order(const struct mirror *m, const struct timeline *t, uint32_t from, uint32_t to)
{
    if (timeline_point(t, from)->high < timeline_point(t, to)->low) {
        use_end(m->grounds, timeline_ends(t, from).high);
        use_end(m->grounds, timeline_ends(t, to).low);
    } else {
        use_step(m->grounds, timeline_step(t, from, to));
    }
}

static void use_precedes(const struct mirror *m, const struct version *v, const struct version *w)
{
    use_version(m, v);
    use_version(m, w);
    if (v->state == VERSION_OF_BEGINNING)
        return;
    if (version_installed(m, v).high < version_installed(m, w).low) {
        use_end(m->grounds, installed_ends(m, v).high);
        use_end(m->grounds, installed_ends(m, w).low);
    } else if (v->point != MIRROR_NONE && w->point != MIRROR_NONE) {
        use_order(m, &m->timeline, v->point, w->point);
    } else {
        use_step(m->grounds, of_version(m, v)->next);
    }
}

static void use_before(const struct mirror *m, const struct look *look, const struct version *v)
{
    use_version(m, v);
    if (m->profile.timing == TIMING_FULL && version_installed(m, v).high < look->view.low) {
        use_end(m->grounds, installed_ends(m, v).high);
        use_end(m->grounds, point_ends(m, look->point).low);
    } else if (look->point != MIRROR_NONE && v->point != MIRROR_NONE) {
        use_order(m, &m->timeline, v->point, look->point);
    }
}

static void use_future(const struct mirror *m, const struct look *look, const struct version *v)
{
    if (version_installed(m, v).low > look->view.high) {
        use_end(m->grounds, installed_ends(m, v).low);
        use_end(m->grounds, point_ends(m, look->point).high);
    } else if (v->locked.low <= look->asked_by && look->point != MIRROR_NONE &&
               v->point != MIRROR_NONE) {
        use_order(m, &m->timeline, look->point, v->point);
    }
}

/* That a version cannot have been seen. */
static void use_unseen(const struct mirror *m, const struct look *look, const struct version *v)
{
    const struct version *hiding;
    struct look_before before;

    if (!version_may_be_read(v) || v->txn == look->txn)
        return;
    if (look_is_future(m, look, v)) {
        use_future(m, look, v);
        return;
    }
    look_before_init(&before, m, look);
    hiding = look_find_hiding(m, look, &before, v);
    if (!hiding)
        return;
    use_before(m, look, hiding);
    use_precedes(m, v, hiding);
}

static void use_gone(const struct mirror *m, uint32_t key, bool any_value, uint64_t value)
{
    const struct grounds *g = m->grounds;
    uint32_t next = key < g->gone_first.count ? g->gone_first.at[key] : GROUND_NONE;

    for (; next != GROUND_NONE; next = g->gone.at[next].next)
        for (size_t i = 0; i < ROW_COUNT(g->gone.at[next].uses); i++)
            if ((any_value || g->gone.at[next].value == value) &&
                g->gone.at[next].uses[i] != GROUND_NONE)
                KEEP(m->grounds, &m->grounds->uses, g->gone.at[next].uses[i]);
}

/* That nothing but one version, or nothing, can have been seen. Of an item its value tells. */
static void use_all_unseen(const struct mirror *m, const struct look *look, bool is_item)
{
    uint64_t value = look->access->value;

    use_gone(m, look->key, !is_item, value);
    for (uint32_t next = m->keys.at[look->key].newest; next != MIRROR_NONE;
         next = m->versions.at[next].older)
        if (!is_item || m->versions.at[next].value == value)
            use_unseen(m, look, &m->versions.at[next]);
}

/* --- Steps ------------------------------------------------------------------------------------ */

void grounds_program(struct mirror *m, const struct live *live, uint32_t from_op, uint32_t from_key,
                     uint32_t to_op, uint32_t to_key)
{
    struct ground *step;

    if (!m->grounds)
        return;
    step = draft(m->grounds, GROUND_PROGRAM, from_key);
    step->txns[0] = live->number;
    step->ops[0] = from_op;
    step->ops[1] = to_op;
    step->keys[1] = to_key;
}

static struct ground *draft_read(struct mirror *m, enum ground_kind kind, const struct look *look)
{
    struct ground *step = draft(m->grounds, kind, look->key);

    step->txns[0] = look->live->number;
    step->ops[0] = look->access->op;
    return step;
}

static uint64_t number_of(const struct look *look)
{
    uint64_t access = (uint64_t)(look->access - look->live->accesses);

    return hash_number(hash_number(look->txn) + (access << 32 | look->key));
}

static uint32_t step_of(const struct mirror *m, const struct look *look)
{
    uint64_t step;

    return map_find(&m->grounds->reads, number_of(look), &step) ? (uint32_t)step : GROUND_NONE;
}

void grounds_reads(struct mirror *m, const struct look *look, uint32_t seen, enum ground_kind kind)
{
    struct error ignored = { 0 };
    struct ground *step;
    size_t place;

    if (!m->grounds)
        return;
    step = draft_read(m, kind, look);
    step->txns[1] = m->versions.at[seen].number;
    use_all_unseen(m, look, kind == GROUND_READS);
    m->grounds->is_broken |= map_add(&m->grounds->reads, number_of(look), grounds_take(m), &place,
                                     &ignored) != STATUS_OK;
}

void grounds_overwrites(struct mirror *m, const struct look *look, uint32_t seen, uint32_t other)
{
    const struct version *w = &m->versions.at[other];
    struct ground *step;

    if (!m->grounds)
        return;
    step = draft_read(m, GROUND_OVERWRITES, look);
    step->txns[1] = w->number;
    use_step(m->grounds, step_of(m, look));
    use_precedes(m, &m->versions.at[seen], w);
}

void grounds_installed(struct mirror *m, const struct look *look, uint32_t other)
{
    struct ground *step;

    if (!m->grounds)
        return;
    step = draft_read(m, GROUND_INSTALLED, look);
    step->txns[1] = m->versions.at[other].number;
    use_step(m->grounds, step_of(m, look));
    use_before(m, look, &m->versions.at[other]);
}

void grounds_precedes(struct mirror *m, uint32_t key, const struct version *v,
                      const struct version *w)
{
    struct ground *step;

    if (!m->grounds)
        return;
    step = draft(m->grounds, GROUND_PRECEDES, key);
    step->txns[0] = v->number;
    step->txns[1] = w->number;
    use_precedes(m, v, w);
}

void grounds_found(struct mirror *m, const struct look *look, const struct version *v,
                   bool was_there)
{
    struct ground *step;

    if (!m->grounds)
        return;
    step = draft_read(m, was_there ? GROUND_FOUND : GROUND_NOT_FOUND, look);
    step->txns[1] = v->number;
    if (was_there)
        use_before(m, look, v);
    else
        use_future(m, look, v);
    use_version(m, v);
}

static uint32_t side_low(const struct mirror *m, const struct ground_side *side)
{
    return side->version ? installed_ends(m, side->version).low : point_ends(m, side->point).low;
}

static struct ground *draft_pair(struct mirror *m, enum ground_kind kind, uint32_t key,
                                 const struct ground_side *first, const struct ground_side *second)
{
    struct ground *step = draft(m->grounds, kind, key);

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

void grounds_locks(struct mirror *m, uint32_t key, const struct ground_side *first,
                   const struct ground_side *second)
{
    if (!m->grounds)
        return;
    draft_pair(m, GROUND_LOCKS, key, first, second);
    use_end(m->grounds, side_low(m, second));
}

/* That an updater did not commit before another's view. */
static void use_not_first(const struct mirror *m, const struct ground_side *first,
                          const struct ground_side *second)
{
    const struct version *v = first->version, *w = second->version;

    if (version_installed(m, v).low > view_times(m, w->view, w->viewed).high) {
        use_end(m->grounds, installed_ends(m, v).low);
        use_end(m->grounds, viewed_ends(m, w).high);
    } else if (w->view != MIRROR_NONE && v->point != MIRROR_NONE) {
        use_order(m, &m->timeline, w->view, v->point);
    }
}

void grounds_first_wins(struct mirror *m, uint32_t key, const struct ground_side *first,
                        const struct ground_side *second)
{
    if (!m->grounds)
        return;
    draft_pair(m, GROUND_FIRST_WINS, key, first, second);
    use_not_first(m, second, first);
}

/* --- Of findings --------------------------------------------------------------------------- */

static void rest_on(struct mirror *m, struct mirror_finding *f, uint32_t step)
{
    if (f)
        KEEP(m->grounds, &f->steps, step);
}

void grounds_unread(struct mirror *m, struct mirror_finding *f, const struct look *look)
{
    if (!m->grounds)
        return;
    draft_read(m, GROUND_UNREAD, look);
    use_all_unseen(m, look, true);
    rest_on(m, f, grounds_take(m));
}

void grounds_unlocked(struct mirror *m, struct mirror_finding *f, uint32_t key,
                      const struct ground_side *a, const struct ground_side *b)
{
    if (!m->grounds)
        return;
    draft_pair(m, GROUND_UNLOCKED, key, a, b);
    use_end(m->grounds, side_low(m, a));
    use_end(m->grounds, side_low(m, b));
    rest_on(m, f, grounds_take(m));
}

void grounds_lost(struct mirror *m, struct mirror_finding *f, uint32_t key,
                  const struct ground_side *a, const struct ground_side *b)
{
    if (!m->grounds)
        return;
    draft_pair(m, GROUND_LOST, key, a, b);
    use_not_first(m, a, b);
    use_not_first(m, b, a);
    rest_on(m, f, grounds_take(m));
}

void grounds_own(struct mirror *m, struct mirror_finding *f, const struct live *live, uint32_t op,
                 uint32_t key, enum ground_kind kind)
{
    struct ground *step;

    if (!m->grounds)
        return;
    step = draft(m->grounds, kind, key);
    step->txns[0] = live->number;
    step->ops[0] = op;
    rest_on(m, f, grounds_take(m));
}

void grounds_row(struct mirror *m, struct mirror_finding *f, const struct look *look)
{
    if (!m->grounds)
        return;
    draft_read(m, GROUND_ROW, look);
    use_all_unseen(m, look, false);
    rest_on(m, f, grounds_take(m));
}

void grounds_structure(struct mirror *m, struct mirror_finding *f, const struct live *const txns[3],
                       const uint32_t points[3])
{
    struct ground *step, interrupted;
    uint32_t interrupted_step;

    if (!m->grounds)
        return;
    /* It is found while the order that makes it is laid, on whose draft more rests. */
    interrupted_step = grounds_take(m);
    interrupted = m->grounds->draft;
    step = draft(m->grounds, GROUND_STRUCTURE, MIRROR_NONE);
    for (int i = 0; i < 3; i++)
        step->txns[i] = txns[i]->number;
    for (int i = 0; i < 2; i++)
        use_step(m->grounds, timeline_step(&m->certifier, points[i], points[i + 1]));
    use_end(m->grounds, point_ends(m, txns[2]->point).high);
    use_end(m->grounds, point_ends(m, txns[1]->view).high);
    use_end(m->grounds, point_ends(m, txns[0]->view).low);
    rest_on(m, f, grounds_take(m));
    m->grounds->draft = interrupted;
    m->grounds->draft_step = interrupted_step;
}

void grounds_chain(struct mirror *m, struct mirror_finding *f, const struct timeline *t)
{
    for (size_t i = 0; m->grounds && i < t->chain.count; i++)
        rest_on(m, f, t->chain.at[i].step);
}

/* --- Of versions --------------------------------------------------------------------------- */

static struct version_grounds *reach_version(struct mirror *m, uint32_t place)
{
    while (m->grounds->versions.count <= place && !m->grounds->is_broken)
        KEEP(m->grounds, &m->grounds->versions, nothing_known);
    return m->grounds->is_broken ? NULL : &m->grounds->versions.at[place];
}

/* Another version of its transaction may have been read by then. */
static uint32_t find_confirmed(const struct mirror *m, const struct live *live)
{
    for (uint32_t i = 0; live->status == TXN_UNKNOWN && i < live->access_count; i++) {
        const struct access *a = &live->accesses[i];

        if (a->kind == TRACE_WRITE && a->version != MIRROR_NONE) {
            uint32_t by = of_version(m, &m->versions.at[a->version])->confirmed;

            if (by != GROUND_NONE)
                return by;
        }
    }
    return GROUND_NONE;
}

void grounds_add_version(struct mirror *m, const struct live *live, uint32_t place)
{
    struct version_grounds *v;
    uint32_t confirmed;

    if (!m->grounds)
        return;
    confirmed = live ? find_confirmed(m, live) : GROUND_NONE;
    v = reach_version(m, place);
    if (!v)
        return;
    *v = nothing_known;
    v->confirmed = confirmed;
}

void grounds_keep_ends(struct mirror *m, const struct version *v)
{
    struct version_grounds *kept;

    if (!m->grounds)
        return;
    kept = reach_version(m, (uint32_t)(v - m->versions.at));
    if (!kept)
        return;
    kept->installed = installed_ends(m, v);
    kept->viewed = viewed_ends(m, v);
}

void grounds_keep_next(struct mirror *m, const struct version *v, uint32_t step)
{
    struct version_grounds *kept;

    if (!m->grounds)
        return;
    kept = reach_version(m, (uint32_t)(v - m->versions.at));
    if (kept)
        kept->next = step;
}

void grounds_confirm(struct mirror *m, const struct look *look, const struct version *v)
{
    struct version_grounds *kept;

    if (!m->grounds)
        return;
    kept = reach_version(m, (uint32_t)(v - m->versions.at));
    if (kept)
        kept->confirmed = step_of(m, look);
}

static uint32_t end_use(uint32_t record)
{
    return record == TIMELINE_NONE ? GROUND_NONE : record << 1 | 1;
}

static uint32_t step_use(uint32_t step)
{
    return step == GROUND_NONE ? GROUND_NONE : step << 1;
}

void grounds_drop_version(struct mirror *m, uint32_t key, const struct version *v,
                          const struct version *floor)
{
    struct grounds *g = m->grounds;
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
        is_by_times &= gone.uses[i] == GROUND_NONE;
    if (is_by_times)
        return;
    while (g->gone_first.count <= key && !g->is_broken)
        KEEP(g, &g->gone_first, GROUND_NONE);
    if (g->is_broken)
        return;
    gone.next = g->gone_first.at[key];
    g->gone_first.at[key] = (uint32_t)g->gone.count;
    KEEP(g, &g->gone, gone);
}
