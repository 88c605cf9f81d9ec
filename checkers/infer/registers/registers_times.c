/*
 * Which version of a register comes before which by real time.
 *
 *     T1 wrote v   |-----|                     v was there when T1 had completed; w was still
 *     T2 read v         |-------|              there when T3 began: v before w
 *     T3 read w               |-----|
 *
 * Of each version two moments count: the earliest at which one who wrote or read it had
 * completed, and the latest at which such a one began. v comes before w where the first
 * of v is before the second of w. Of these only some are said: v is left out before w where a
 * third one stands between. Versions precede each other exactly if some two do.
 */
#include <stdlib.h>

#include "checkers/infer/registers/registers.h"

#define LINKS_A_VERSION 64 /* on average; beyond that the strict levels are undecided */

struct lifetime {
    int64_t known, used;         /* completed first, began last */
    uint32_t known_by, used_by; /* whose moments these are */
    uint32_t version;
};

/* The three latest of those known so far to have been in use. */
struct latest {
    struct lifetime at[3];
};

struct timing {
    struct registers *registers;
    struct lifetime *lifetimes; /* by version; then by key and `known` */
    ARRAY(struct latest) latest;
    bool is_too_large;
};

static void note_use(struct timing *t, uint32_t version, uint32_t txn)
{
    const struct history *h = t->registers->infer->history;
    struct lifetime *life = &t->lifetimes[version];
    int64_t completed = h->txn_completed[txn], invoked = h->txn_invoked[txn];

    if (h->txn_status[txn] == TXN_OK && completed != TIME_ABSENT && completed < life->known) {
        life->known = completed;
        life->known_by = txn;
    }
    if (invoked != TIME_ABSENT && invoked > life->used) {
        life->used = invoked;
        life->used_by = txn;
    }
}

static enum status note_all(struct timing *t, struct error *err)
{
    const struct registers *r = t->registers;
    const struct inferred_versions *v = &r->infer->versions;

    TRY(memory_resize((void **)&t->lifetimes, v->count, sizeof *t->lifetimes, err));
    for (uint32_t n = 0; n < v->count; n++) {
        t->lifetimes[n] = (struct lifetime){ TIME_NEVER, TIME_ABSENT, 0, 0, n };
        if (v->is_final[n] && r->infer->places.standing[v->txn[n]] != STANDING_OUT)
            note_use(t, n, v->txn[n]);
    }
    for (size_t i = 0; i < r->reads.count; i++)
        if (!register_is_initial(r, r->reads.at[i].node))
            note_use(t, r->reads.at[i].node, r->reads.at[i].txn);
    return STATUS_OK;
}

static int compare_known(const void *a, const void *b)
{
    const struct lifetime *x = a, *y = b;

    if (x->known != y->known)
        return x->known < y->known ? -1 : 1;
    return (x->version > y->version) - (x->version < y->version);
}

/* Mostly they are in order but for a few. */
static void sort_lifetimes(struct lifetime *lives, uint32_t count)
{
    uint64_t moves = 0;

    for (uint32_t i = 1; i < count; i++) {
        struct lifetime life = lives[i];
        uint32_t place = i;

        for (; place > 0 && compare_known(&lives[place - 1], &life) > 0; place--)
            lives[place] = lives[place - 1];
        lives[place] = life;
        moves += i - place;
        if (moves > 16 * (uint64_t)count) {
            qsort(lives, count, sizeof *lives, compare_known);
            return;
        }
    }
}

static struct latest latest_with(struct latest l, struct lifetime life)
{
    for (unsigned i = 0; i < 3; i++)
        if (life.used > l.at[i].used) {
            struct lifetime next = l.at[i];

            l.at[i] = life;
            life = next;
        }
    return l;
}

static enum status link_pair(struct timing *t, const struct lifetime *v, const struct lifetime *w,
                             struct error *err)
{
    struct registers *r = t->registers;
    struct version_link link = { v->version, w->version, v->known_by, w->used_by,
                                 r->infer->versions.txn[w->version] == w->used_by };

    if (r->links[SOURCE_TIME].count >
        (size_t)LINKS_A_VERSION * r->infer->versions.count + LINKS_A_VERSION) {
        t->is_too_large = true;
        return STATUS_OK;
    }
    return array_push(&r->links[SOURCE_TIME], link, err);
}

/* How many were known before the moment. */
static uint32_t known_before(const struct lifetime *lives, uint32_t count, int64_t moment)
{
    uint32_t low = 0, high = count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (lives[middle].known < moment)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* A version that precedes this one and that this one precedes. Both are linked. */
static enum status link_circle(struct timing *t, const struct lifetime *w,
                               const struct latest *latest, bool *found, struct error *err)
{
    const struct lifetime *other = &latest->at[latest->at[0].version == w->version];

    *found = other->used > w->known;
    if (!*found)
        return STATUS_OK;
    TRY(link_pair(t, other, w, err));
    return link_pair(t, w, other, err);
}

/* Those that come before w, but for those that one of the latest stands behind. */
static enum status link_behind(struct timing *t, const struct lifetime *lives, uint32_t before,
                               const struct lifetime *w, struct error *err)
{
    int64_t latest = t->latest.at[before].at[2].used;

    for (uint32_t i = before; i-- > 0 && lives[i].known >= latest && !t->is_too_large;)
        if (lives[i].version != w->version)
            TRY(link_pair(t, &lives[i], w, err));
    return STATUS_OK;
}

static enum status link_key(struct timing *t, struct lifetime *lives, uint32_t count,
                            struct error *err)
{
    struct latest latest = { { { .used = TIME_ABSENT, .version = INFER_NOTHING },
                               { .used = TIME_ABSENT, .version = INFER_NOTHING },
                               { .used = TIME_ABSENT, .version = INFER_NOTHING } } };
    bool has_circle = false;

    if (count < 2)
        return STATUS_OK;
    sort_lifetimes(lives, count);
    t->latest.count = 0;
    TRY(array_reserve(&t->latest, (size_t)count + 1, err));
    for (uint32_t i = 0; i < count; i++) {
        t->latest.at[i] = latest;
        latest = latest_with(latest, lives[i]);
    }
    t->latest.at[count] = latest;
    for (uint32_t i = 0; i < count && !has_circle; i++)
        TRY(link_circle(t, &lives[i], &t->latest.at[known_before(lives, count, lives[i].used)],
                        &has_circle, err));
    for (uint32_t i = 0; i < count && !has_circle && !t->is_too_large; i++)
        TRY(link_behind(t, lives, known_before(lives, count, lives[i].used), &lives[i], err));
    return STATUS_OK;
}

static enum status link_keys(struct timing *t, struct error *err)
{
    const struct infer *c = t->registers->infer;

    TRY(note_all(t, err));
    for (uint32_t key = 0; key < c->history->key_count && !t->is_too_large; key++)
        if (c->key_kind[key] == KEY_REGISTER)
            TRY(link_key(t, t->lifetimes + c->versions.start[key],
                         c->versions.start[key + 1] - c->versions.start[key], err));
    return STATUS_OK;
}

enum status registers_link_times(struct registers *r, struct error *err)
{
    struct infer *c = r->infer;
    struct timing t = { .registers = r };
    enum status status;

    if (!c->history->txn_invoked || !c->history->txn_completed)
        return STATUS_OK;
    status = link_keys(&t, err);
    if (t.is_too_large) {
        r->links[SOURCE_TIME].count = 0;
        c->undecided |= LEVEL_BIT(LEVEL_STRICT_SNAPSHOT) | LEVEL_BIT(LEVEL_STRICT_SERIALIZABLE);
        if (level_closing(c->options->level) == CLOSING_TIME)
            check_doubt(c->check, "too many writes of a key overlap in time: their order by real "
                                  "time is too large to be looked through");
    }
    free(t.lifetimes);
    array_close(&t.latest);
    return status;
}
