#include "cli/amendments.h"

#include "history/amend.h"

const char *const *amendments_nil_reads(void)
{
    static const char *const names[] = { "any", NULL };

    return names;
}

enum status amendments_apply(const struct amendments *given, struct history *h, struct error *err)
{
    struct amendment amendment = { .initials = given->initials.at,
                                   .initial_count = given->initials.count,
                                   .nil_reads_match_any = given->nil_read != NULL };

    return history_amend(h, &amendment, err);
}
