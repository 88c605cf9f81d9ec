/*
 * What is given of the version order: pairs of versions next to each other, all or a share.
 */
#include "checkers/search/polygraph/distill_private.h"

struct sampling {
    struct ratio share;
    struct random_key key;
    uint64_t ordinal;
    bool takes_all;
};

static bool is_drawn(struct sampling *sampling)
{
    uint64_t word = random_draw_at(&sampling->key, sampling->ordinal++);

    return sampling->takes_all || random_word_below(word, sampling->share);
}

static void add_line(struct distiller *s, size_t line, struct sampling *sampling,
                     const uint32_t *version_of_final)
{
    const struct history *h = s->history;
    struct distilled *d = s->d;
    uint32_t key = h->order_key[line], before = NOBODY, count = 0, kept = 0;

    for (uint64_t i = h->order_start[line]; i < h->order_start[line + 1]; i++) {
        uint32_t final = distill_final_at(s, h->order_version[i]);
        uint32_t version = final == NOBODY ? NOBODY : version_of_final[final];

        if (version == NOBODY)
            continue;
        if (before != NOBODY && is_drawn(sampling)) {
            d->pair_first[d->pair_count] = before;
            d->pair_second[d->pair_count++] = version;
            kept++;
        }
        before = version;
        count++;
    }
    d->key_is_ordered[key] =
        kept + 1 == count && count + 1 == d->key_start[key + 1] - d->key_start[key];
}

enum status distill_version_order(struct distiller *s, const struct distill_options *options,
                                  const uint32_t *version_of_final, struct error *err)
{
    const struct history *h = s->history;
    struct distilled *d = s->d;
    struct random_key root = random_key_of_seed(options->seed);
    struct sampling sampling = { .share = options->version_order };

    sampling.key = random_key_fork(&root, "blackbox/version-order");
    sampling.takes_all = options->version_order.numerator == options->version_order.denominator;
    TAKE(s->arena, d->key_is_ordered, d->key_count, err);
    TAKE(s->arena, d->pair_first, h->order_version_count, err);
    TAKE(s->arena, d->pair_second, h->order_version_count, err);
    /* Drawn one after the other: without any to draw there is nothing to do. */
    for (size_t line = 0;
         line < h->order_count && (sampling.takes_all || sampling.share.numerator > 0); line++)
        add_line(s, line, &sampling, version_of_final);
    return STATUS_OK;
}
