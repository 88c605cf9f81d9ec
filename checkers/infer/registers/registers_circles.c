/*
 * Keys whose versions precede each other.
 *
 *     T1: r x 1, w x 2     T2: r x 2, w x 1      1 before 2 before 1
 *
 * Mostly all links lead forward in the history, and there is none. Keys where one
 * leads back are looked at: first with the links of updates, then with those of sessions,
 * or of time, added. A circle violates the levels at which its links are inferences, and its
 * links say no more.
 */
#include "checkers/infer/registers/registers_circles_private.h"

#include <stdlib.h>

#include "checkers/proof/tell.h"

struct circling {
    struct registers *registers;
    bool *is_suspect;                      /* by key */
    version_links links[SOURCE_TIME + 1];  /* of suspects, by enum order_source */
    struct components components;
    uint32_t *parent, *by; /* by node: the one before it, and the link that led to it */
    uint32_t *round;       /* by node: the search that saw it */
    uint32_t *queue;
    uint32_t rounds;
};

/* What is looked at together, and what a circle of it says. */
struct circle_kind {
    uint8_t circle;       /* enum key_circle */
    uint8_t hides;        /* circles of which it is no more than another one */
    uint32_t sources;     /* 1 << enum order_source */
    enum level violated; /* the weakest level */
};

#define SOURCE(source) (UINT32_C(1) << SOURCE_##source)

static const struct circle_kind kinds[] = {
    { CIRCLE_OF_DATA, 0, SOURCE(UPDATE), LEVEL_READ_COMMITTED },
    { CIRCLE_OF_SESSION, CIRCLE_OF_DATA, SOURCE(UPDATE) | SOURCE(SESSION), LEVEL_READ_ATOMIC },
    { CIRCLE_OF_READS, CIRCLE_OF_DATA | CIRCLE_OF_SESSION,
      SOURCE(UPDATE) | SOURCE(SESSION) | SOURCE(SESSION_READS), LEVEL_CAUSAL },
    { CIRCLE_OF_TIME, CIRCLE_OF_DATA, SOURCE(UPDATE) | SOURCE(TIME), LEVEL_STRICT_SNAPSHOT },
};

static bool is_back(const struct version_link *link)
{
    return link->from > link->to;
}

static bool find_suspects(struct circling *c)
{
    const struct registers *r = c->registers;
    bool found = false;

    for (unsigned by = SOURCE_UPDATE; by <= SOURCE_TIME; by++)
        for (size_t i = 0; i < r->links[by].count; i++) {
            const struct version_link *link = &r->links[by].at[i];

            if (register_is_initial(r, link->from) || !is_back(link))
                continue;
            c->is_suspect[register_key(r, link->to)] = found = true;
        }
    return found;
}

static enum status take_suspects(struct circling *c, struct error *err)
{
    const struct registers *r = c->registers;

    for (unsigned by = SOURCE_UPDATE; by <= SOURCE_TIME; by++)
        for (size_t i = 0; i < r->links[by].count; i++) {
            struct version_link link = r->links[by].at[i];

            if (!register_is_initial(r, link.from) && c->is_suspect[register_key(r, link.to)])
                TRY(array_push(&c->links[by], link, err));
        }
    return STATUS_OK;
}

/* Whether links of a key are in the graph of such a circle. */
static bool is_drawn(const struct circling *c, const struct version_link *link,
                     const struct circle_kind *kind)
{
    const struct registers *r = c->registers;
    uint32_t key = register_key(r, link->to);

    return !(r->circles[key] & kind->hides);
}

/* Calls for each link of the kind. */
#define EACH_LINK(c, kind, link)                                                                   \
    for (unsigned by_ = SOURCE_UPDATE; by_ <= SOURCE_TIME; by_++)                                  \
        if ((kind)->sources >> by_ & 1)                                                            \
            for (size_t i_ = 0; i_ < (c)->links[by_].count; i_++)                                  \
                for (const struct version_link *link = &(c)->links[by_].at[i_]; link; link = NULL) \
                    if (is_drawn(c, link, kind))

static enum status draw(const struct circling *c, const struct circle_kind *kind, struct graph *g,
                        struct error *err)
{
    TRY(graph_init(g, c->registers->infer->versions.count, err));
    EACH_LINK(c, kind, link)
        graph_count(g, link->from);
    TRY(graph_lay_out(g, err));
    EACH_LINK(c, kind, link)
        graph_add(g, link->from, link->to);
    return STATUS_OK;
}

/* --- Telling ------------------------------------------------------------------------ */

/* The links within circles of the kind, by where they begin. */
struct circle_links {
    uint32_t *start;
    struct version_link *links;
    uint8_t *by;
};

static bool is_within(const struct circling *c, const struct version_link *link)
{
    return c->components.of_node[link->from] == c->components.of_node[link->to];
}

static enum status sort_links(const struct circling *c, const struct circle_kind *kind,
                              struct circle_links *l, struct error *err)
{
    size_t count = (size_t)c->registers->infer->versions.count + 2;

    TRY(check_memory((void **)&l->start, count, sizeof *l->start, 0, err));
    EACH_LINK(c, kind, link)
        if (is_within(c, link))
            l->start[link->from + 2]++;
    array_sum_prefixes(l->start, count);
    TRY(memory_resize((void **)&l->links, l->start[count - 1], sizeof *l->links, err));
    TRY(memory_resize((void **)&l->by, l->start[count - 1], sizeof *l->by, err));
    EACH_LINK(c, kind, link)
    {
        if (!is_within(c, link))
            continue;
        l->links[l->start[link->from + 1]] = *link;
        l->by[l->start[link->from + 1]++] = (uint8_t)by_;
    }
    return STATUS_OK;
}

/* The shortest way from a node back to itself: the link that closes it. */
static uint32_t search(struct circling *c, const struct circle_links *l, uint32_t first)
{
    uint32_t head = 0, tail = 0;

    c->rounds++;
    c->queue[tail++] = first;
    c->round[first] = c->rounds;
    while (head < tail) {
        uint32_t node = c->queue[head++];

        for (uint32_t i = l->start[node]; i < l->start[node + 1]; i++) {
            uint32_t to = l->links[i].to;

            if (to == first)
                return i;
            if (c->round[to] == c->rounds)
                continue;
            c->round[to] = c->rounds;
            c->by[to] = i;
            c->queue[tail++] = to;
        }
    }
    return INFER_NOTHING;
}

static enum version_reason reason_of(uint8_t by)
{
    if (by == SOURCE_UPDATE)
        return VERSION_READ_THEN_WRITTEN;
    return by == SOURCE_TIME ? VERSION_IN_TIME : VERSION_IN_SESSION;
}

static void tell_step(struct buffer *why, const struct history *h, const struct version_step *s)
{
    tell_txn(why, h, s->txns[0]);
    if (s->reason == VERSION_READ_THEN_WRITTEN) {
        buffer_text(why, TEXT(" read "));
        tell_write(why, h, s->from);
        buffer_text(why, TEXT(" and wrote "));
        tell_write(why, h, s->to);
        return;
    }
    buffer_text(why, TEXT(" had to do with "));
    tell_write(why, h, s->from);
    buffer_text(why, s->reason == VERSION_IN_TIME ? TEXT(" before ")
                                                  : TEXT(" before, in its session, "));
    tell_txn(why, h, s->txns[1]);
    buffer_text(why, TEXT(" had with "));
    tell_write(why, h, s->to);
}

static int compare_numbers(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

/* Each once. */
static size_t sort_numbers(uint32_t *numbers, size_t count)
{
    size_t kept = 0;

    if (count > 1)
        qsort(numbers, count, sizeof *numbers, compare_numbers);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || numbers[i] != numbers[i - 1])
            numbers[kept++] = numbers[i];
    return kept;
}

static enum status tell_circle(struct circling *c, const struct circle_links *l, uint32_t last,
                               struct error *err)
{
    struct infer *infer = c->registers->infer;
    const struct history *h = infer->history;
    ARRAY(struct version_step) steps = { 0 };
    ARRAY(uint32_t) txns = { 0 };
    struct buffer why = { 0 }, proof = { 0 };
    uint32_t first = l->links[last].to, key = register_key(c->registers, first), link = last;
    enum status status = STATUS_OK;

    for (bool goes_on = true; goes_on && status == STATUS_OK; link = c->by[l->links[link].from]) {
        const struct version_link *at = &l->links[link];
        struct version_step step = { (uint8_t)reason_of(l->by[link]),
                                     infer->versions.op[at->from],
                                     infer->versions.op[at->to],
                                     { at->first, at->second } };

        goes_on = at->from != first;
        status = array_push(&steps, step, err);
        if (status == STATUS_OK)
            status = array_push(&txns, at->first, err);
        if (status == STATUS_OK)
            status = array_push(&txns, at->second, err);
        if (status == STATUS_OK)
            status = array_push(&txns, infer->versions.txn[at->to], err);
        if (!goes_on)
            break;
    }
    txns.count = sort_numbers(txns.at, txns.count);
    /* From behind. */
    for (size_t i = 0; i < steps.count / 2; i++) {
        struct version_step step = steps.at[i];

        steps.at[i] = steps.at[steps.count - 1 - i];
        steps.at[steps.count - 1 - i] = step;
    }
    for (size_t i = 0; i < steps.count && i < 8; i++) {
        buffer_text(&why, i > 0 ? TEXT("; ") : TEXT(""));
        tell_step(&why, h, &steps.at[i]);
    }
    buffer_text(&why, TEXT("; so that versions of "));
    tell_key(&why, h, key);
    buffer_text(&why, TEXT(" come before themselves"));
    proof_versions(&proof, h, key, steps.at, steps.count);
    if (status == STATUS_OK) {
        status = check_tell(infer->check,
                            (struct discovery){ .kind = ANOMALY_CYCLIC_VERSIONS, .txns = txns.at,
                                                .txn_count = txns.count, .why = why,
                                                .proof = proof }, err);
    } else {
        buffer_close(&why);
        buffer_close(&proof);
    }
    array_close(&steps);
    array_close(&txns);
    return status;
}

/* One circle of each key that has some; the key loses its links. */
static enum status tell_keys(struct circling *c, const struct circle_kind *kind,
                             const struct circle_links *l, struct error *err)
{
    struct registers *r = c->registers;
    struct infer *infer = r->infer;
    bool is_told = level_implies(infer->options->level, kind->violated);

    for (uint32_t n = 0; n < infer->versions.count; n++) {
        uint32_t key;

        if (l->start[n] == l->start[n + 1])
            continue;
        key = register_key(r, n);
        if (r->circles[key] & kind->circle)
            continue;
        r->circles[key] |= kind->circle;
        infer_rule_out(infer, kind->violated);
        if (is_told && !check_is_full(infer->check))
            TRY(tell_circle(c, l, search(c, l, n), err));
    }
    return STATUS_OK;
}

static enum status find_kind(struct circling *c, const struct circle_kind *kind, struct error *err)
{
    struct graph g = { 0 };
    struct circle_links l = { 0 };
    enum status status = draw(c, kind, &g, err);

    if (status == STATUS_OK)
        status = graph_find_components(&g, &c->components, err);
    if (status == STATUS_OK && c->components.count < g.node_count) {
        status = sort_links(c, kind, &l, err);
        if (status == STATUS_OK)
            status = tell_keys(c, kind, &l, err);
    }
    graph_close(&g);
    graph_components_close(&c->components);
    free(l.start);
    free(l.links);
    free(l.by);
    return status;
}

static enum status find_all(struct circling *c, struct error *err)
{
    struct registers *r = c->registers;
    const struct infer *infer = r->infer;
    size_t keys = infer->history->key_count, versions = infer->versions.count;

    TRY(check_memory((void **)&c->is_suspect, keys, sizeof *c->is_suspect, 0, err));
    if (!find_suspects(c))
        return STATUS_OK;
    TRY(take_suspects(c, err));
    TRY(check_memory((void **)&r->circles, keys, sizeof *r->circles, 0, err));
    TRY(memory_resize((void **)&c->by, versions, sizeof *c->by, err));
    TRY(check_memory((void **)&c->round, versions, sizeof *c->round, 0, err));
    TRY(memory_resize((void **)&c->queue, versions, sizeof *c->queue, err));
    for (size_t i = 0; i < ROW_COUNT(kinds); i++)
        TRY(find_kind(c, &kinds[i], err));
    return STATUS_OK;
}

enum status registers_find_circles(struct registers *r, struct error *err)
{
    struct circling c = { .registers = r };
    enum status status = find_all(&c, err);

    free(c.is_suspect);
    for (unsigned by = 0; by <= SOURCE_TIME; by++)
        array_close(&c.links[by]);
    free(c.by);
    free(c.round);
    free(c.queue);
    return status;
}
