/*
 * Whether what is known orders all versions of every register, or of every one that was read: one
 * behind the other. Asked before the links become groups.
 *
 * Versions of a key are taken away from the front, as far as nothing is known to come before
 * them; if two of a key can go at one time, nothing says which of them was first. Where nobody
 * read any version of the key, that matters only to levels at which of two writers one sees the
 * other.
 */
#include <stdlib.h>

#include "checkers/infer/registers_private.h"

struct front {
    const struct registers *registers;
    uint32_t sources;   /* 1 << enum order_source: the links that count */
    bool spares_unread; /* keys of which no version was read */
    uint32_t *before; /* by version: links that lead to it and have not been followed */
    uint32_t *start;  /* by version, and two more while they are put there: its links, in `to` */
    uint32_t *to;
    uint32_t *ready; /* by key */
    bool *is_read;   /* by key: some version that a transaction left there */
    uint32_t *queue; /* versions */
    uint32_t queue_count;
    bool is_total;
};

static bool counts(const struct front *f, uint32_t version)
{
    const struct infer *c = f->registers->infer;

    return c->versions.is_final[version] && places_is_in(&c->places, c->versions.txn[version]) &&
           c->key_kind[f->registers->key_of[version]] == KEY_REGISTER;
}

/* The initial version comes before all. */
static bool is_between_versions(const struct front *f, const struct version_link *link)
{
    return !register_is_initial(f->registers, link->from) &&
           !register_is_initial(f->registers, link->to) && counts(f, link->from) &&
           counts(f, link->to);
}

static void count_links(struct front *f)
{
    for (unsigned by = SOURCE_UPDATE; by <= SOURCE_TIME; by++) {
        const struct version_link *links = f->registers->links[by].at;
        size_t count = f->sources >> by & 1 ? f->registers->links[by].count : 0;

        for (size_t i = 0; i < count; i++) {
            if (!is_between_versions(f, &links[i]))
                continue;
            f->start[links[i].from + 2]++;
            f->before[links[i].to]++;
        }
    }
}

static void put_links(struct front *f)
{
    for (unsigned by = SOURCE_UPDATE; by <= SOURCE_TIME; by++) {
        const struct version_link *links = f->registers->links[by].at;
        size_t count = f->sources >> by & 1 ? f->registers->links[by].count : 0;

        for (size_t i = 0; i < count; i++)
            if (is_between_versions(f, &links[i]))
                f->to[f->start[links[i].from + 1]++] = links[i].to;
    }
}

static enum status make(struct front *f, struct error *err)
{
    const struct infer *c = f->registers->infer;
    size_t count = c->versions.count;

    TRY(check_memory((void **)&f->before, count, sizeof *f->before, 0, err));
    TRY(check_memory((void **)&f->start, count + 2, sizeof *f->start, 0, err));
    TRY(check_memory((void **)&f->ready, c->history->key_count, sizeof *f->ready, 0, err));
    TRY(check_memory((void **)&f->is_read, c->history->key_count, sizeof *f->is_read, 0, err));
    TRY(memory_resize((void **)&f->queue, count, sizeof *f->queue, err));
    for (size_t i = 0; i < f->registers->reads.count; i++)
        if (!register_is_initial(f->registers, f->registers->reads.at[i].node))
            f->is_read[f->registers->key_of[f->registers->reads.at[i].node]] = true;
    count_links(f);
    for (size_t i = 1; i < count + 2; i++)
        f->start[i] += f->start[i - 1];
    TRY(memory_resize((void **)&f->to, f->start[count + 1], sizeof *f->to, err));
    put_links(f);
    return STATUS_OK;
}

static void let_go(struct front *f, uint32_t version)
{
    uint32_t key = f->registers->key_of[version];

    if (f->ready[key]++ > 0 && (f->is_read[key] || !f->spares_unread))
        f->is_total = false;
    f->queue[f->queue_count++] = version;
}

static void take_away(struct front *f)
{
    uint32_t count = f->registers->infer->versions.count, counted = 0;

    for (uint32_t v = 0; v < count; v++) {
        counted += counts(f, v);
        if (counts(f, v) && f->before[v] == 0)
            let_go(f, v);
    }
    for (uint32_t i = 0; i < f->queue_count && f->is_total; i++) {
        uint32_t version = f->queue[i];

        f->ready[f->registers->key_of[version]]--;
        for (uint32_t k = f->start[version]; k < f->start[version + 1]; k++)
            if (--f->before[f->to[k]] == 0)
                let_go(f, f->to[k]);
    }
    f->is_total &= f->queue_count == counted; /* else there is a circle */
}

static enum status are_total(const struct registers *r, enum level level, bool *are,
                             struct error *err)
{
    /* Statements see versions that are not among the reads, and not always which. */
    bool has_statements = r->infer->predicted;
    struct front f = { .registers = r,
                       .sources = has_statements ? 0 : cycles_sources(level),
                       .spares_unread = !has_statements && level != LEVEL_UPDATE_ATOMIC &&
                                        level != LEVEL_PARALLEL_SNAPSHOT,
                       .is_total = true };
    enum status status = make(&f, err);

    if (status == STATUS_OK)
        take_away(&f);
    *are = f.is_total;
    free(f.before);
    free(f.start);
    free(f.to);
    free(f.ready);
    free(f.is_read);
    free(f.queue);
    return status;
}

enum status registers_find_partial(struct registers *r, struct error *err)
{
    static const enum level levels[] = { LEVEL_UPDATE_ATOMIC, LEVEL_READ_ATOMIC, LEVEL_CAUSAL,
                                         LEVEL_PREFIX, LEVEL_PARALLEL_SNAPSHOT };
    struct infer *c = r->infer;

    for (size_t i = 0; i < ROW_COUNT(levels) && c->versions.count > 0; i++) {
        bool are = false;

        TRY(are_total(r, levels[i], &are, err));
        if (!are)
            c->partial |= LEVEL_BIT(levels[i]);
    }
    return STATUS_OK;
}
