#include "checkers/search/polygraph/steps.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "checkers/check_private.h"
#include "checkers/proof/tell.h"

enum status steps_init(struct steps *s, const struct polygraph *p, struct error *err)
{
    *s = (struct steps){ .p = p, .err = err };
    return check_memory((void **)&s->takes_part, p->d->actor_count, 1, 0, err);
}

void steps_close(struct steps *s)
{
    buffer_close(&s->out);
    buffer_close(&s->words);
    map_close(&s->known);
    array_close(&s->axioms);
    array_close(&s->numbers);
    for (unsigned i = 0; i < DRAFTS_MAX; i++) {
        buffer_close(&s->drafts[i].clause);
        array_close(&s->drafts[i].by);
        array_close(&s->drafts[i].points);
    }
    free(s->takes_part);
}

static void note(struct steps *s, enum status status)
{
    if (s->status == STATUS_OK)
        s->status = status;
}

/* --- Parts ------------------------------------------------------------------------ */

static int64_t id_of(const struct steps *s, uint32_t actor)
{
    return s->p->d->history->txn_id[s->p->d->actor_txn[actor]];
}

/* At snapshot, in turn where each actor begins and commits; of halves, each is one of these. */
static void print_point(const struct steps *s, struct buffer *out, uint32_t node)
{
    if (s->p->d->is_halved)
        buffer_print(out, "\"%c%" PRId64 "\"", node % 2 ? 'c' : 'b', id_of(s, node));
    else if (s->p->is_snapshot)
        buffer_print(out, "\"%c%" PRId64 "\"", node % 2 ? 'c' : 'b', id_of(s, node / 2));
    else
        buffer_int64(out, id_of(s, node));
}

static void print_version(struct steps *s, const char *name, uint32_t version)
{
    uint32_t actor = s->p->d->version_actor[version];

    buffer_print(&s->out, ",\"%s\":", name);
    if (actor == NOBODY) {
        buffer_text(&s->out, TEXT("null"));
        return;
    }
    s->takes_part[actor] = 1;
    buffer_int64(&s->out, id_of(s, actor));
}

static void print_key(struct steps *s, struct buffer *out, uint32_t key)
{
    buffer_text(out, TEXT(",\"key\":"));
    buffer_json(out, history_key(s->p->d->history, s->p->d->key_name[key]));
}

static void print_read(struct steps *s, struct buffer *out, uint32_t read)
{
    const struct distilled *d = s->p->d;
    uint32_t actor = d->read_actor[read];

    buffer_print(out, "\"read\":[%" PRId64 ",%" PRIu32 "]", id_of(s, actor),
                 tell_op_number(d->history, d->actor_txn[actor], d->read_op[read]));
    print_key(s, out, d->read_key[read]);
}

static void print_actor(struct steps *s, const char *name, uint32_t actor)
{
    s->takes_part[actor] = 1;
    buffer_print(&s->out, ",\"%s\":%" PRId64, name, id_of(s, actor));
}

/* --- Axioms ----------------------------------------------------------------------- */

static const char *const axiom_names[AXIOM_COUNT] = {
    [AXIOM_PROGRAM] = "program",     [AXIOM_SESSION] = "session",
    [AXIOM_REALTIME] = "realtime",   [AXIOM_READS] = "reads",
    [AXIOM_FOLLOWS] = "follows",     [AXIOM_OVERWRITES] = "overwrites",
    [AXIOM_EXCLUSIVE] = "exclusive", [AXIOM_PREFIX] = "prefix",
    [AXIOM_ABSENT] = "absent",       [AXIOM_VERSION_ORDER] = "version-order",
    [AXIOM_EXTREME] = "extreme",
};

/* Of two versions of a key. */
static void print_versions(struct steps *s, uint32_t a, uint32_t b)
{
    print_version(s, "first", a);
    print_version(s, "second", b);
}

static void print_extreme(struct steps *s, const struct some *some)
{
    const struct history *h = s->p->d->history;

    s->takes_part[some->actor] = 1;
    s->has_look = true;
    buffer_print(&s->out, ",\"read\":[%" PRId64 ",%" PRIu32 "],\"value\":", id_of(s, some->actor),
                 tell_op_number(h, s->p->d->actor_txn[some->actor], some->head));
    buffer_json(&s->out, history_text(h, h->aggregate_name[some->aggregate]));
}

static void print_axiom(struct steps *s, const struct axiom *a)
{
    switch (a->kind) {
    case AXIOM_PROGRAM:
        print_actor(s, "txn", a->a);
        return;
    case AXIOM_SESSION:
    case AXIOM_REALTIME:
        s->has_base = true;
        print_actor(s, "from", a->a);
        print_actor(s, "to", a->b);
        return;
    case AXIOM_EXTREME:
        print_extreme(s, &s->p->d->somes[a->a]);
        return;
    case AXIOM_EXCLUSIVE:
    case AXIOM_VERSION_ORDER:
        print_key(s, &s->out, s->p->d->version_key[a->a]);
        print_versions(s, a->a, a->b);
        return;
    default:
        break;
    }
    s->takes_part[s->p->d->read_actor[a->a]] = 1;
    s->has_look |= s->p->d->read_is_narrowed && s->p->d->read_is_narrowed[a->a];
    buffer_byte(&s->out, ',');
    print_read(s, &s->out, a->a);
    if (a->kind == AXIOM_FOLLOWS || a->kind == AXIOM_OVERWRITES)
        print_version(s, "from", a->b);
    if (a->kind == AXIOM_OVERWRITES)
        print_version(s, "other", a->c);
    if (a->kind == AXIOM_PREFIX)
        print_versions(s, a->b, a->c);
    if (a->kind == AXIOM_ABSENT)
        print_version(s, "other", a->b);
}

uint32_t steps_axiom(struct steps *s, struct axiom axiom)
{
    uint64_t mixture = hash_number(((uint64_t)axiom.kind << 32 | axiom.a) ^
                                   hash_number((uint64_t)axiom.b << 32 | axiom.c));
    uint64_t place;
    size_t unused;

    if (map_find(&s->known, mixture, &place)) {
        const struct axiom *old = &s->axioms.at[place];

        if (old->kind == axiom.kind && old->a == axiom.a && old->b == axiom.b && old->c == axiom.c)
            return s->numbers.at[place];
    }
    note(s, map_add(&s->known, mixture, s->axioms.count, &unused, s->err));
    note(s, array_push(&s->axioms, axiom, s->err));
    note(s, array_push(&s->numbers, s->count, s->err));
    buffer_print(&s->out, "%s{\"step\":\"%s\"", s->count > 0 ? "," : "", axiom_names[axiom.kind]);
    print_axiom(s, &axiom);
    buffer_byte(&s->out, '}');
    return s->count++;
}

/* --- Derived steps ---------------------------------------------------------------- */

static struct draft *draft_of(struct steps *s)
{
    assert(s->depth > 0);
    return &s->drafts[s->depth - 1];
}

void steps_begin(struct steps *s)
{
    struct draft *draft = &s->drafts[s->depth++];

    assert(s->depth <= DRAFTS_MAX);
    buffer_clear(&draft->clause);
    draft->by.count = draft->points.count = 0;
}

static void separate(struct buffer *out)
{
    if (out->count > 0)
        buffer_byte(out, ',');
}

void steps_order_literal(struct steps *s, uint32_t first_node, uint32_t second_node)
{
    struct buffer *clause = &draft_of(s)->clause;

    separate(clause);
    buffer_byte(clause, '[');
    print_point(s, clause, first_node);
    buffer_byte(clause, ',');
    print_point(s, clause, second_node);
    buffer_byte(clause, ']');
}

void steps_source_literal(struct steps *s, uint32_t read, uint32_t version, bool is_from)
{
    uint32_t actor = s->p->d->version_actor[version];
    struct buffer *clause = &draft_of(s)->clause;

    separate(clause);
    buffer_byte(clause, '{');
    print_read(s, clause, read);
    buffer_text(clause, is_from ? TEXT(",\"from\":") : TEXT(",\"not-from\":"));
    if (actor == NOBODY)
        buffer_text(clause, TEXT("null"));
    else
        buffer_int64(clause, id_of(s, actor));
    buffer_byte(clause, '}');
}

void steps_use(struct steps *s, uint32_t step)
{
    struct draft *draft = draft_of(s);

    note(s, array_push(&draft->by, step, s->err));
}

void steps_point(struct steps *s, uint32_t node)
{
    struct draft *draft = draft_of(s);

    note(s, array_push(&draft->points, node, s->err));
}

uint32_t steps_end(struct steps *s)
{
    struct buffer *out = &s->out;
    struct draft *draft = draft_of(s);

    buffer_text(out, s->count > 0 ? TEXT(",{\"clause\":[") : TEXT("{\"clause\":["));
    if (draft->clause.count > 0)
        buffer_text(out, (struct text){ draft->clause.at, draft->clause.count });
    buffer_text(out, TEXT("],\"by\":["));
    for (size_t i = 0; i < draft->by.count; i++)
        buffer_print(out, "%s%" PRIu32, i > 0 ? "," : "", draft->by.at[i]);
    buffer_byte(out, ']');
    for (size_t i = 0; i < draft->points.count; i++) {
        buffer_text(out, i > 0 ? TEXT(",") : TEXT(",\"cycle\":["));
        print_point(s, out, draft->points.at[i]);
    }
    buffer_text(out, draft->points.count > 0 ? TEXT("]}") : TEXT("}"));
    out->out_of_memory |= draft->clause.out_of_memory;
    s->depth--;
    return s->count++;
}
