/*
 * Consistent read of what was looked for. A statement that returns the rows that match says of
 * every other row of the table that its view saw a version that does not match, or none:
 *
 *     w1  v=30  |--|                        matches
 *     w2  v=5        |--|                   does not
 *     select v >= 10   |--|   {}            sees w2, or it comes before w1
 *     select v >= 10            |--|  {}    sees w2
 *
 * None that its view may see is such a version: the row is missing, whatever the instants were.
 * Just one: it is that one. Rows that were updated or deleted because they match are seen
 * likewise, in a version that does.
 *
 * Less is said of dependencies than of items: who looks for rows depends on who made the
 * row match, or not match, and not on others who wrote it (Adya's predicate dependencies). So
 * a version that fits what was seen stands in no order to the view but by its instant.
 *
 * Where the view is the commit's instant, the answer came before it:
 *
 *     w1  v=30  |--|
 *     select v >= 40        |--|  {}                            commits |--|
 *     w2  v=20                        |--|
 *
 * As of the commit it is w2 that does not match, though nobody had begun to write it when the
 * answer came: to change a row that does not match into another is in nobody's way. So what fits
 * is looked for as of the view, and then whether something had been there by the answer that fits.
 *
 * Where it is only promised that no read of a key misses its past, a statement may miss what
 * changed a row that does not match into another: of who did that and had committed before it
 * does not follow that he comes before in the order of timestamps.
 *
 * A statement that locks, or that reads row by row, may see each row as of an instant of its
 * own, and a row that was deleted and inserted meanwhile not at all. There a row is missing only if
 * one version alone can have been there all the time.
 */
#include <inttypes.h>

#include "checkers/interval/drawing.h"
#include "checkers/interval/grounds.h"

#define KEYS_LOOKED_AT 4096 /* by a statement */
#define KEYS_FOR_A_ROW 1024 /* and so many more for each row that came */
#define WATCHERS_ASKED 4096 /* when a row is written: the first; more go unjudged */
#define WATCHERS_KEPT 64    /* from so many on, old ones are looked for */

/* Who looks, and what for. */
struct quest {
    const struct live *live;
    struct query *query;
    uint32_t access;
    bool is_loose; /* as of no single instant */
};

static bool is_loose(const struct mirror *m, const struct access *a)
{
    return m->profile.view == VIEW_ROW ||
           (a->is_locking && profile_reads_apart(&m->profile, true));
}

static struct quest quest_of(const struct mirror *m, const struct live *live, uint32_t access)
{
    const struct access *a = &live->accesses[access];

    return (struct quest){ .live = live,
                           .query = &live->queries[a->row],
                           .access = access,
                           .is_loose = is_loose(m, a) };
}

/* Of one key: versions that the view may see. */
struct weighed {
    uint32_t fit, other; /* the last of each */
    size_t fit_count, other_count;
    bool is_undecided;
    bool was_there; /* one that fits may have been there when the answer came */
};

static struct look look_for(const struct mirror *m, const struct quest *quest, uint32_t key)
{
    struct look look = look_of(m, quest->live, quest->access, key);

    if (m->profile.view == VIEW_COMMIT && look.asked_by != TIMELINE_END)
        look.asked_by = quest->live->commit.high;
    if (m->profile.view == VIEW_COMMIT && m->profile.timing == TIMING_KEY)
        look.view.high = quest->live->commit.high;
    if (!quest->is_loose)
        return look;
    look.point = MIRROR_NONE;
    if (m->profile.timing == TIMING_FULL)
        look.view = look.access->at;
    return look;
}

/* As of the answer, at any time before it. */
static struct look look_for_answer(const struct mirror *m, const struct quest *quest, uint32_t key)
{
    struct look look = look_of(m, quest->live, quest->access, key);

    look.point = MIRROR_NONE;
    look.view = (struct times){ TIMELINE_BEGINNING, look.access->at.high };
    return look;
}

/* Whether a version is what was seen: one that matches where `matching`, else one that does not. */
static enum predicate_answer fits(struct mirror *m, const struct quest *quest,
                                  const struct version *v, bool matching)
{
    enum predicate_answer answer = seek_matches(m, quest->query, v->value, v->row);

    if (answer == PREDICATE_UNDECIDED)
        return answer;
    return (answer == PREDICATE_YES) == matching ? PREDICATE_YES : PREDICATE_NO;
}

/* Two that fit, one of them there in time: whatever else there is, nothing is wrong and nothing follows. */
static bool is_enough(const struct weighed *weighed)
{
    return weighed->fit_count > 1 && weighed->was_there;
}

static struct weighed weigh(struct mirror *m, const struct quest *quest, const struct look *look,
                            bool matching)
{
    struct weighed weighed = { .fit = MIRROR_NONE, .other = MIRROR_NONE };
    uint32_t next = m->keys.at[look->key].newest;
    int64_t hidden_before = TIMELINE_BEGINNING;
    struct look_before before;

    if (look->point != MIRROR_NONE)
        timeline_focus(&m->timeline, look->point);
    look_before_init(&before, m, look);
    for (; next != MIRROR_NONE && !is_enough(&weighed);
         next = version_older(m, &m->versions.at[next], hidden_before)) {
        const struct version *v = &m->versions.at[next];
        struct times installed = version_installed(m, v);

        if (installed.high < look->view.low && installed.low > hidden_before &&
            version_counts(v) && v->txn != look->txn && !m->profile.reads_any)
            hidden_before = installed.low;
        if (!look_may_see(m, look, &before, v))
            continue;
        switch (fits(m, quest, v, matching)) {
        case PREDICATE_YES:
            weighed.fit = next;
            weighed.fit_count++;
            weighed.was_there |= v->locked.low <= look->access->at.high &&
                                 installed.low <= look->access->at.high;
            break;
        case PREDICATE_NO:
            weighed.other = next;
            weighed.other_count++;
            break;
        case PREDICATE_UNDECIDED:
            weighed.is_undecided = true;
            break;
        }
    }
    return weighed;
}

/* --- What is wrong ------------------------------------------------------------------ */

static void tell_version(const struct mirror *m, const struct version *v, struct buffer *out)
{
    if (v->state == VERSION_OF_BEGINNING) {
        buffer_text(out, TEXT("as it was at the beginning"));
        return;
    }
    buffer_print(out, "as T%" PRId64 " left it, which committed within ", v->txn_id);
    tell_times(version_installed(m, v), out);
}

static void accuse(struct mirror *m, const struct quest *quest, const struct look *look,
                   const struct version *v, bool matching)
{
    struct mirror_finding *f = finding_begin(m, MECHANISM_READ, ANOMALY_RESULT_SET_MISMATCH);
    struct drawing drawing = { 0 };

    if (!f)
        return;
    finding_add_txn(f, look->live->number, look->live->id);
    finding_add_txn(f, v->number, v->txn_id);
    buffer_print(&f->explanation, "T%" PRId64 " looked for rows", look->live->id);
    seek_tell(m, quest->query, &f->explanation);
    buffer_text(&f->explanation, matching ? TEXT(" and changed ") : TEXT(" and missed "));
    tell_key_name(m, look->key, &f->explanation);
    buffer_text(&f->explanation, matching ? TEXT(", which did not match ")
                                          : TEXT(", which matched and stood there "));
    tell_version(m, v, &f->explanation);
    buffer_text(&f->explanation, TEXT("; it reads as of "));
    tell_times(look->view, &f->explanation);
    if (v->state != VERSION_OF_BEGINNING)
        drawing_add(&drawing, version_installed(m, v), "T%" PRId64 " commits", v->txn_id);
    drawing_add(&drawing, look->view, "T%" PRId64 " reads as of", look->live->id);
    drawing_print(&drawing, &f->drawing);
    grounds_row(m, f, look);
}

/* --- What follows ------------------------------------------------------------------- */

/* The transaction looked before the version was there. */
static enum status comes_before(struct mirror *m, const struct look *look, uint32_t certified,
                                uint32_t point, struct error *err)
{
    TRY(certifier_depend(m, look->live->certified, certified, ORDER_NOT_FOUND, look->key, err));
    return mirror_order(m, look->point, point, ORDER_NOT_FOUND, look->key, MECHANISM_READ, err);
}

/* Whether a version that surely was there may have been passed over for one that is as good. */
static bool may_pass_over(const struct mirror *m, bool matching)
{
    return m->profile.timing == TIMING_KEY && !matching;
}

/* Whether the version surely was there, and was not passed over. */
static bool is_surely_seen(const struct mirror *m, const struct look *look,
                           const struct version *w, bool matching)
{
    if (!may_pass_over(m, matching))
        return look_is_before(m, look, w);
    return look->point != MIRROR_NONE && w->point != MIRROR_NONE &&
           timeline_knows(&m->timeline, w->point, look->point);
}

/* One version alone can have been seen. */
static enum status deduce(struct mirror *m, const struct quest *quest, const struct look *look,
                          uint32_t seen, bool matching, struct error *err)
{
    struct reader reader = { look->txn, seen, quest->access };
    int64_t from = version_installed(m, &m->versions.at[seen]).low;
    uint32_t key = look->key;

    grounds_reads(m, look, seen, GROUND_FINDS);
    if (m->versions.at[seen].state == VERSION_PERHAPS)
        look_confirm(m, look, &m->versions.at[seen]);
    if (!may_pass_over(m, matching))
        TRY(mirror_order(m, m->versions.at[seen].point, look->point, ORDER_FOUND, key,
                         MECHANISM_READ, err));
    for (uint32_t next = m->keys.at[key].newest; next != MIRROR_NONE;
         next = version_older(m, &m->versions.at[next], from)) {
        const struct version *v = &m->versions.at[seen], *w = &m->versions.at[next];

        if (next == seen || !version_counts(w) || w->txn == look->txn)
            continue;
        if (version_precedes(m, v, w)) {
            if (fits(m, quest, w, matching) != PREDICATE_NO)
                continue;
            grounds_overwrites(m, look, seen, next);
            TRY(comes_before(m, look, w->certified, w->point, err));
        } else if (is_surely_seen(m, look, w, matching) && !version_precedes(m, w, v)) {
            grounds_installed(m, look, next);
            TRY(certifier_depend(m, w->certified, v->certified, ORDER_INSTALLED, key, err));
            TRY(mirror_order(m, w->point, v->point, ORDER_INSTALLED, key, MECHANISM_READ, err));
        }
    }
    return look_times_imply_the_rest(m) ? STATUS_OK
                                        : key_add_reader(m, &m->keys.at[key].readers, reader, err);
}

/* Who surely made the row match, or not match, before or after it was looked for. */
static enum status certify(struct mirror *m, const struct quest *quest, const struct look *look,
                           bool matching, struct error *err)
{
    for (uint32_t next = m->keys.at[look->key].newest; next != MIRROR_NONE;
         next = m->versions.at[next].older) {
        const struct version *w = &m->versions.at[next];
        uint32_t certified = w->certified;

        if (!version_counts(w) || w->txn == look->txn || certified == MIRROR_NONE ||
            fits(m, quest, w, matching) != PREDICATE_NO)
            continue;
        grounds_found(m, look, w, look_is_before(m, look, w));
        if (look_is_before(m, look, w))
            TRY(certifier_depend(m, certified, look->live->certified, ORDER_FOUND, look->key,
                                 err));
        else if (version_installed(m, w).low > look->view.high ||
                 (look->point != MIRROR_NONE && w->point != MIRROR_NONE &&
                  timeline_knows(&m->timeline, look->point, w->point)))
            TRY(certifier_depend(m, look->live->certified, certified, ORDER_NOT_FOUND, look->key,
                                 err));
    }
    return STATUS_OK;
}

/* --- One row after the other ---------------------------------------------------------- */

static bool is_missing(const struct quest *quest, const struct weighed *weighed, bool matching)
{
    return weighed->fit_count == 0 && weighed->other_count > 0 && !weighed->is_undecided &&
           (matching || !quest->is_loose || weighed->other_count == 1);
}

/*
 * Whether an answer says what nothing was like before it came. Where a level alone is known it may
 * be one from a time that is forgotten, and be true again at the commit.
 */
static bool is_too_early(struct mirror *m, const struct quest *quest, uint32_t key, bool matching,
                         struct look *look, struct weighed *weighed)
{
    struct look answer = look_for_answer(m, quest, key);
    struct weighed then;

    if (answer.asked_by == TIMELINE_END || gap_reaches(m, key, answer.view))
        return false;
    then = weigh(m, quest, &answer, matching);
    if (!is_missing(quest, &then, matching))
        return false;
    *look = answer;
    *weighed = then;
    return true;
}

/* What was seen of a key that others write. */
static enum status judge_key(struct mirror *m, struct quest *quest, uint32_t key, bool matching,
                             struct error *err)
{
    struct look look = look_for(m, quest, key);
    struct weighed weighed = weigh(m, quest, &look, matching);
    bool is_wrong = is_missing(quest, &weighed, matching);

    if (gap_reaches(m, key, look.view)) {
        m->counts.gapped++;
        m->counts.excused += is_wrong;
        return STATUS_OK;
    }
    quest->query->is_unjudged |= weighed.is_undecided;
    if (weighed.fit_count > 0 && !weighed.was_there && !weighed.is_undecided)
        is_wrong = is_too_early(m, quest, key, matching, &look, &weighed);
    if (is_wrong)
        accuse(m, quest, &look, &m->versions.at[weighed.other], matching);
    if (is_wrong || weighed.is_undecided || quest->is_loose || m->profile.reads_any)
        return STATUS_OK;
    if (weighed.fit_count == 1)
        TRY(deduce(m, quest, &look, weighed.fit, matching, err));
    return profile_certifies(&m->profile) ? certify(m, quest, &look, matching, err) : STATUS_OK;
}

/* What the transaction wrote there before this statement, or NULL. */
static const struct access *own_write(const struct mirror *m, const struct quest *quest,
                                      uint32_t key)
{
    const struct key_row *state = &m->key_rows.at[key];
    uint64_t txn = m->live_first + (uint64_t)(quest->live - m->live.at);

    return state->own_txn == txn + 1 && state->own_access < quest->access
               ? &quest->live->accesses[state->own_access]
               : NULL;
}

static enum status judge_others(struct mirror *m, struct quest *quest, uint32_t key, bool came,
                                struct error *err)
{
    TRY(mirror_know_key(m, key, err));
    if (m->keys.at[key].count > VERSIONS_LOOKED_AT) {
        quest->query->is_unjudged = true;
        return STATUS_OK;
    }
    TRY(judge_key(m, quest, key, came, err));
    return came ? STATUS_OK : range_lock_judge(m, quest->live, quest->access, key, err);
}

static enum status judge_row(struct mirror *m, struct quest *quest, uint32_t key, bool came,
                             struct error *err)
{
    const struct access *own = own_write(m, quest, key);
    enum predicate_answer answer;

    if (!own)
        return judge_others(m, quest, key, came, err);
    if (!own_is_seen(m))
        return STATUS_OK;
    answer = seek_matches(m, quest->query, own->value, own->row);
    quest->query->is_unjudged |= answer == PREDICATE_UNDECIDED;
    if (answer != PREDICATE_UNDECIDED && (answer == PREDICATE_YES) != came)
        own_judge_row(m, quest->live, quest->live->accesses[quest->access].op, key, came);
    return STATUS_OK;
}

/* Those that did not come, as far as they may be looked at. */
static enum status judge_absent(struct mirror *m, struct quest *quest, struct error *err)
{
    struct query *q = quest->query;
    struct key_walk walk;
    uint64_t left = KEYS_LOOKED_AT + (uint64_t)KEYS_FOR_A_ROW * q->came_count;
    uint32_t key;

    walk = key_order_walk(&m->relations.at[q->table].order, q->low, q->high);
    while (key_walk_next(&walk, &key)) {
        if (left-- == 0) {
            q->is_unjudged = true;
            return STATUS_OK;
        }
        if (m->key_rows.at[key].asked != q->asked)
            TRY(judge_row(m, quest, key, false, err));
    }
    return STATUS_OK;
}

/* --- Who is still to come ------------------------------------------------------------- */

/* A key that a judged query has looked at is written: by then it has its reader. */
enum status seek_overtaken(struct mirror *m, const struct reader *reader, uint32_t key,
                            uint32_t version, struct error *err)
{
    const struct live *live = mirror_live(m, reader->txn);
    struct quest quest = quest_of(m, live, reader->access);
    struct look look = look_for(m, &quest, key);
    const struct version *w = &m->versions.at[version];

    if (!version_precedes(m, &m->versions.at[reader->version], w) ||
        fits(m, &quest, w, seek_has_come(quest.query, key)) != PREDICATE_NO)
        return STATUS_OK;
    grounds_overwrites(m, &look, reader->version, version);
    return comes_before(m, &look, w->certified, w->point, err);
}

static void forget_watchers(const struct mirror *m, struct relation *relation)
{
    size_t kept = 0;

    for (size_t i = 0; i < relation->watchers.count; i++)
        if (mirror_is_live(m, relation->watchers.at[i].txn))
            relation->watchers.at[kept++] = relation->watchers.at[i];
    relation->watchers.count = kept;
    relation->watchers_to_forget = kept + kept / 2 + WATCHERS_KEPT;
}

static enum status watch(struct mirror *m, const struct quest *quest, struct error *err)
{
    struct relation *relation = &m->relations.at[quest->query->table];
    struct watcher watcher = { .txn = m->live_first + (uint64_t)(quest->live - m->live.at),
                               .asked = quest->query->asked,
                               .access = quest->access };

    if (relation->watchers.count >= relation->watchers_to_forget)
        forget_watchers(m, relation);
    return array_push(&relation->watchers, watcher, err);
}

/* What the key held at first: it is there until somebody could see another. */
static uint32_t first_version(const struct mirror *m, uint32_t key)
{
    uint32_t version = m->keys.at[key].newest;

    while (m->versions.at[version].older != MIRROR_NONE)
        version = m->versions.at[version].older;
    return version;
}

/* One that has looked, and a row that is written now. Of a key that it knew there is a reader. */
static enum status tell_watcher(struct mirror *m, const struct watcher *watcher, uint32_t key,
                                uint32_t version, struct error *err)
{
    const struct live *live = mirror_live(m, watcher->txn);
    struct quest quest = quest_of(m, live, watcher->access);
    const struct version *w = &m->versions.at[version];
    const struct key_row *row = &m->key_rows.at[key];

    if (row->place < quest.query->low || row->place > quest.query->high ||
        seek_matches(m, quest.query, w->value, w->row) != PREDICATE_YES ||
        seek_has_come(quest.query, key))
        return STATUS_OK;
    if (watcher->asked <= row->born && !quest.is_loose && !m->profile.reads_any &&
        !look_times_imply_the_rest(m)) {
        struct look look = look_for(m, &quest, key);

        grounds_reads(m, &look, first_version(m, key), GROUND_FINDS);
        grounds_overwrites(m, &look, first_version(m, key), version);
        TRY(comes_before(m, &look, w->certified, w->point, err));
    }
    return range_lock_installed(m, live, watcher->access, key, version, err);
}

enum status seek_installed(struct mirror *m, uint32_t key, uint32_t version, struct error *err)
{
    struct relation *relation;

    if (key >= m->key_rows.count || m->key_rows.at[key].table == MIRROR_NONE)
        return STATUS_OK;
    relation = &m->relations.at[m->key_rows.at[key].table];
    for (size_t i = 0; i < relation->watchers.count; i++) {
        struct watcher watcher = relation->watchers.at[i];

        if (i == WATCHERS_ASKED) {
            m->counts.unjudged_queries++;
            return STATUS_OK;
        }
        if (mirror_is_live(m, watcher.txn) && watcher.txn != m->versions.at[version].txn)
            TRY(tell_watcher(m, &watcher, key, version, err));
    }
    return STATUS_OK;
}

/* --- The whole ------------------------------------------------------------------------ */

enum status seek_judge(struct mirror *m, struct live *live, uint32_t access, struct error *err)
{
    struct quest quest = quest_of(m, live, access);
    struct query *q = quest.query;

    while (m->relations.count <= q->table)
        TRY(array_push(&m->relations, (struct relation){ 0 }, err));
    q->asked = ++m->asked;
    for (uint32_t i = 0; i < q->came_count; i++)
        m->key_rows.at[q->came[i]].asked = q->asked;
    if (q->kind != QUERY_PART)
        TRY(judge_absent(m, &quest, err));
    for (uint32_t i = 0; q->kind == QUERY_WRITES && i < q->came_count; i++)
        TRY(judge_row(m, &quest, q->came[i], true, err));
    m->counts.unjudged_queries += q->is_unjudged;
    if (q->kind == QUERY_PART ||
        (look_times_imply_the_rest(m) && !range_locks(m, &live->accesses[access])))
        return STATUS_OK;
    return watch(m, &quest, err);
}
