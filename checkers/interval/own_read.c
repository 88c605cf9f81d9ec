/*
 * What a transaction must see of itself: of a key that it has written, what it wrote last,
 * whatever the instants are.
 *
 *     T1  w x 1   r x 1      accepted
 *     T1  w x 1   r x 0      internal
 *
 * Two databases promise less. Adya's read committed says nothing of it, and where writes are
 * sent with the commit nobody has them before.
 */
#include <inttypes.h>

#include "checkers/interval/grounds.h"

bool own_is_seen(const struct mirror *m)
{
    return !m->profile.reads_any && !m->profile.hides_own;
}

static struct mirror_finding *begin(struct mirror *m, const struct live *live, const char *verb,
                                    uint32_t key)
{
    struct mirror_finding *f = finding_begin(m, MECHANISM_READ, ANOMALY_INTERNAL);

    if (!f)
        return NULL;
    finding_add_txn(f, live->number, live->id);
    buffer_print(&f->explanation, "T%" PRId64 " %s ", live->id, verb);
    tell_key_name(m, key, &f->explanation);
    return f;
}

void own_judge(struct mirror *m, const struct live *live, const struct trace_op *read,
               const struct access *own)
{
    struct mirror_finding *f;

    if (!own_is_seen(m) || read->value == own->value)
        return;
    f = begin(m, live, "read", read->key);
    if (!f)
        return;
    buffer_text(&f->explanation, TEXT(" and did not get what it had written there itself"));
    grounds_own(m, f, live, read->op, read->key, GROUND_OWN);
}

void own_judge_row(struct mirror *m, const struct live *live, uint32_t op, uint32_t key,
                   bool came)
{
    struct mirror_finding *f = begin(m, live, came ? "got" : "looked for rows and missed", key);

    if (!f)
        return;
    buffer_text(&f->explanation, came ? TEXT(", and what it had written there does not match")
                                      : TEXT(", where what it had written itself matches"));
    grounds_own(m, f, live, op, key, GROUND_OWN);
}

void own_judge_twice(struct mirror *m, const struct live *live, uint32_t op, uint32_t key)
{
    struct mirror_finding *f = begin(m, live, "got", key);

    if (!f)
        return;
    buffer_text(&f->explanation, TEXT(" twice in one answer"));
    grounds_own(m, f, live, op, key, GROUND_ROW);
}
