#include "verify/witness/workings.h"

#include <stddef.h>

#include "verify/witness/fields_private.h"

/* --- As they stand in the file ----------------------------------------------- */

static const char *const rule_names[] = {
    "reads_any", "ignores_times", "by_operations", "locks_writes",  "locks_reads",
    "locks_for", "locks_absent",  "hides_own",     "first_updater", NULL
};

static bool *rule_at(struct workings *w, unsigned rule)
{
    bool *const rules[] = { &w->reads_any,    &w->ignores_times, &w->by_operations,
                            &w->locks_writes, &w->locks_reads,   &w->locks_for,
                            &w->locks_absent, &w->hides_own,     &w->first_updater };

    return rules[rule];
}

static enum status read_rules(struct json *json, struct workings *w, struct error *err)
{
    unsigned rule;

    TRY(json_open(json, '[', "an array of rules", err));
    for (size_t n = 0;; n++) {
        ELEMENT_OR_BREAK(json, n, err);
        TRY(witness_name(json, rule_names, "a rule of profiles", &rule, err));
        if (*rule_at(w, rule))
            return json_refuse_token(json, err, "the rule %s stands here twice", rule_names[rule]);
        *rule_at(w, rule) = true;
    }
    return STATUS_OK;
}

enum { PROFILE_VIEW, PROFILE_TIMING, PROFILE_CERTIFIER, PROFILE_RULES };

static enum status read_field(struct json *json, unsigned field, struct workings *w,
                              struct error *err)
{
    static const char *const views[] = { "commit", "transaction", "statement", "row", NULL };
    static const char *const timings[] = { "none", "key", "full", NULL };
    static const char *const certifiers[] = {
        "none", "cycles", "write-skew", "timestamp-order", "validation", "concurrent-versions", NULL
    };
    unsigned name = 0;

    switch (field) {
    case PROFILE_VIEW:
        TRY(witness_name(json, views, "a view", &name, err));
        w->view = (enum workings_view)name;
        return STATUS_OK;
    case PROFILE_TIMING:
        TRY(witness_name(json, timings, "a timing", &name, err));
        w->timing = (enum workings_timing)name;
        return STATUS_OK;
    case PROFILE_CERTIFIER:
        TRY(witness_name(json, certifiers, "a certifier", &name, err));
        w->certifier = (enum workings_certifier)name;
        return STATUS_OK;
    default:
        return read_rules(json, w, err);
    }
}

enum status workings_read(struct json *json, struct workings *w, struct error *err)
{
    static const char *const names[] = { "view", "timing", "certifier", "rules", NULL };
    struct fields fields = { .names = names };
    unsigned field;

    TRY(json_open(json, '{', "a profile, which is an object", err));
    for (;;) {
        TRY(witness_fields_next(&fields, json, &field, err));
        if (field == FIELDS_END)
            break;
        TRY(read_field(json, field, w, err));
    }
    return witness_fields_need(&fields, json, 15, err);
}

/* --- What no database is like ------------------------------------------------ */

static bool is_serializable(const struct workings *w)
{
    bool is_locked = w->locks_writes && w->locks_reads && w->locks_absent;

    return !w->reads_any && (w->view == READS_AT_COMMIT || workings_certify(w) || is_locked);
}

static bool is_snapshot(const struct workings *w)
{
    return w->view == READS_AT_ONE && !w->reads_any && workings_first_wins(w);
}

/* Rules that say something of what the others rule out: then nothing can be said of them. */
static const char *find_contradiction(const struct workings *w)
{
    bool has_locks = w->locks_writes || w->locks_reads || w->locks_for;

    if (w->ignores_times && w->timing != TIMED_NOT)
        return "ignores_times contradicts its timing";
    if ((has_locks || w->by_operations) && w->timing == TIMED_NOT)
        return "locks and by_operations need a timing other than none";
    if (w->locks_absent && !w->locks_reads && !w->locks_for)
        return "locks_absent needs reads that lock";
    if (w->reads_any && w->view <= READS_AT_ONE)
        return "reads_any needs a view of statement or row";
    if (w->certifier == CERTIFIES_VERSIONS && w->view != READS_AT_ONE)
        return "concurrent-versions needs a view of transaction";
    if (w->certifier == CERTIFIES_WRITE_SKEW &&
        (w->view != READS_AT_ONE || w->timing != TIMED_FULL || !w->first_updater))
        return "write-skew needs a view of transaction, a timing of full, and first_updater";
    return NULL;
}

const char *workings_doubt(const struct workings *w, enum level level)
{
    bool is_strict = level == LEVEL_STRICT_SERIALIZABLE || level == LEVEL_STRICT_SNAPSHOT;
    const char *contradiction = find_contradiction(w);

    if (contradiction || level == LEVEL_READ_COMMITTED)
        return contradiction;
    if ((level == LEVEL_SERIALIZABLE || level == LEVEL_STRICT_SERIALIZABLE) && !is_serializable(w))
        return "nothing in it makes transactions serializable";
    if (!is_serializable(w) && !is_snapshot(w))
        return "it has no snapshots where the first of two writers wins";
    if (is_strict && w->timing != TIMED_FULL)
        return "its instants do not lie within times";
    return NULL;
}
