#include "verify/witness/workings.h"

#include <assert.h>
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

    assert(rule < ROW_COUNT(rules));
    return rules[rule];
}

static enum status read_rule(struct json *json, size_t n, void *owner, struct error *err)
{
    unsigned rule = 0;

    (void)n;
    TRY(json_one_of(json, rule_names, "a rule of profiles", &rule, err));
    if (*rule_at(owner, rule))
        return json_refuse_token(json, err, "the rule %s stands here twice", rule_names[rule]);
    *rule_at(owner, rule) = true;
    return STATUS_OK;
}

enum status workings_read(struct json *json, struct workings *w, struct error *err)
{
    static const char *const views[] = { "commit", "transaction", "statement", "row", NULL };
    static const char *const timings[] = { "none", "key", "full", NULL };
    static const char *const certifiers[] = {
        "none", "cycles", "write-skew", "timestamp-order", "validation", "concurrent-versions", NULL
    };
    static const struct list rules = { "an array of rules", read_rule, 0, 0, NULL };
    static const struct field rows[] = {
        FIELD("view", FIELD_WORD, struct workings, view, .what = "a view", .words = views),
        FIELD("timing", FIELD_WORD, struct workings, timing, .what = "a timing", .words = timings),
        FIELD("certifier", FIELD_WORD, struct workings, certifier, .what = "a certifier",
              .words = certifiers),
        { .name = "rules", .type = FIELD_LIST, .list = &rules },
        { .name = NULL },
    };
    static const struct object object = { "a profile, which is an object", rows, 15 };
    uint32_t seen;

    return fields_read(json, &object, w, &seen, err);
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
