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

#include "checkers/interval/mirror_private.h"

bool own_is_seen(const struct mirror *m)
{
    return !m->profile.reads_any && !m->profile.hides_own;
}

void own_judge(struct mirror *m, const struct live *live, const struct trace_op *read,
               const struct access *own)
{
    struct mirror_finding *f;

    if (!own_is_seen(m) || read->value == own->value)
        return;
    f = finding_begin(m, MECHANISM_READ, ANOMALY_INTERNAL);
    if (!f)
        return;
    finding_add_txn(f, live->number, live->id);
    buffer_print(&f->explanation, "T%" PRId64 " read ", live->id);
    tell_key_name(m, read->key, &f->explanation);
    buffer_text(&f->explanation, TEXT(" and did not get what it had written there itself"));
}
