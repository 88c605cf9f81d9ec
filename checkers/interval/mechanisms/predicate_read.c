#include "checkers/interval/mechanisms/predicate_read.h"

#include <inttypes.h>
#include <stdlib.h>

#include "checkers/interval/derivation_private.h"
#include "checkers/interval/findings_private.h"
#include "checkers/interval/key_versions_private.h"
#include "checkers/interval/mechanisms/certifier.h"
#include "checkers/interval/mechanisms/consistent_read.h"
#include "checkers/interval/mechanisms/mutual_exclusion.h"

#define KEYS_LOOKED_AT 4096 /* by a statement */
#define KEYS_FOR_A_ROW 1024 /* and so many more for each row that came */
#define QUERIES_ASKED 4096  /* when a row is written: the first; more go unjudged */
#define QUERIES_KEPT 64     /* from so many on, old ones are looked for */

/* --- Statements, from when they come until they go ------------------------------------------- */

/*
 * Statements that look for rows: what the model holds of them, from when they come until
 * their transaction goes. What can be said of an answer whatever the instants are is said at
 * once: no row comes twice, and those that come match.
 */
static const struct row_key no_row = { .table = INTERVAL_NONE };

static enum status reach_key(struct interval_model *m, uint32_t key, struct error *err)
{
    while (m->key_rows.count <= key)
        TRY(array_push(&m->key_rows, no_row, err));
    return STATUS_OK;
}

enum status interval_model_row_key(struct interval_model *m, uint32_t key, uint32_t table,
                                   int64_t place, struct error *err)
{
    struct key_state *state;

    TRY(key_versions_of(m, key, &state, err));
    TRY(reach_key(m, key, err));
    while (m->relations.count <= table)
        TRY(array_push(&m->relations, (struct relation){ 0 }, err));
    if (m->key_rows.at[key].table != INTERVAL_NONE)
        return STATUS_OK;
    TRY(key_order_add(&m->relations.at[table].order, place, key, err));
    m->key_rows.at[key] = (struct row_key){ .place = place, .born = m->asked, .table = table };
    return STATUS_OK;
}

/* --- Adding ----------------------------------------------------------------------- */

/* " where v >= 10" */
static void tell_condition(const struct interval_model *m, const struct live_query *q,
                           struct buffer *out)
{
    if (q->condition != CONDITION_ALL) {
        buffer_text(out, TEXT(" where "));
        row_store_tell(m->rows, q->condition, out);
    } else if (q->low != INT64_MIN || q->high != INT64_MAX) {
        buffer_print(out, " from %" PRId64 " to %" PRId64, q->low, q->high);
    }
}

static void accuse_extra(struct interval_model *m, const struct live_txn *live,
                         const struct live_query *q, const struct trace_op *op)
{
    struct interval_finding *f = finding_begin(m, MECHANISM_READ, ANOMALY_RESULT_SET_MISMATCH);

    if (!f)
        return;
    finding_add_txn(f, live->number, live->id);
    buffer_print(&f->explanation, "T%" PRId64 " looked for rows", live->id);
    tell_condition(m, q, &f->explanation);
    buffer_text(&f->explanation, TEXT(" and got "));
    finding_tell_key(m, op->key, &f->explanation);
    buffer_text(&f->explanation, TEXT(", which does not match"));
    derivation_own(m, f, live, op->op, op->key, DERIVATION_ROW);
}

/* A row that came. */
static enum status take_row(struct interval_model *m, const struct live_txn *live,
                            struct live_query *q, const struct trace_op *op, struct error *err)
{
    enum predicate_answer answer;

    TRY(reach_key(m, op->key, err));
    if (m->key_rows.at[op->key].asked == q->asked) {
        consistent_read_judge_twice(m, live, op->op, op->key);
        return STATUS_OK;
    }
    m->key_rows.at[op->key].asked = q->asked;
    q->came[q->came_count++] = op->key;
    if (q->kind == QUERY_WRITES || q->condition == CONDITION_ALL || op->row == ROW_NONE)
        return STATUS_OK;
    answer = row_store_match(m->rows, q->condition, op->row);
    if (answer == PREDICATE_NO)
        accuse_extra(m, live, q, op);
    q->is_unjudged |= answer == PREDICATE_UNDECIDED;
    return STATUS_OK;
}

static int compare_keys(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static bool has_come(const struct live_query *q, uint32_t key)
{
    return q->came_count > 0 &&
           bsearch(&key, q->came, q->came_count, sizeof *q->came, compare_keys);
}

static enum status add_query(struct interval_model *m, struct live_txn *live,
                             const struct interval_trace *trace, const struct trace_query *query,
                             struct error *err)
{
    struct live_query *q = &live->queries[live->query_count];

    *q = (struct live_query){ .low = query->low,
                              .high = query->high,
                              .asked = ++m->asked,
                              .table = query->table,
                              .kind = query->kind };
    TRY(memory_resize((void **)&q->came, query->row_count, sizeof *q->came, err));
    q->condition = query->condition;
    live->query_count++;
    for (size_t i = query->first_op; i < query->first_op + query->row_count; i++)
        TRY(take_row(m, live, q, &trace->ops[i], err));
    if (q->came_count > 1)
        qsort(q->came, q->came_count, sizeof *q->came, compare_keys);
    return STATUS_OK;
}

enum status predicate_read_add(struct interval_model *m, struct live_txn *live,
                               const struct interval_trace *trace, const struct trace_query *query,
                               struct time_window at, struct error *err)
{
    if (live->status != TXN_OK) {
        if (m->rows)
            row_store_forget(m->rows, query->condition);
        return STATUS_OK;
    }
    if (!live->queries)
        TRY(memory_resize((void **)&live->queries, trace->query_count, sizeof *live->queries, err));
    m->counts.queries++;
    TRY(add_query(m, live, trace, query, err));
    live->accesses[live->access_count++] = (struct txn_access){ .at = at,
                                                                .key = INTERVAL_NONE,
                                                                .op = query->op,
                                                                .view = INTERVAL_NONE,
                                                                .kind = TRACE_QUERY,
                                                                .is_locking = query->is_locking,
                                                                .version = INTERVAL_NONE,
                                                                .row = live->query_count - 1 };
    return STATUS_OK;
}

/* --- Letting go --------------------------------------------------------------------- */

void predicate_read_drop_op(struct interval_model *m, const struct trace_op *op)
{
    if (m->rows)
        row_store_drop(m->rows, op->row);
}

void predicate_read_drop_trace(struct interval_model *m, const struct interval_trace *trace)
{
    for (size_t i = 0; i < trace->op_count; i++)
        predicate_read_drop_op(m, &trace->ops[i]);
    for (size_t i = 0; i < trace->query_count && m->rows; i++)
        row_store_forget(m->rows, trace->queries[i].condition);
}

void predicate_read_close(struct interval_model *m, struct live_txn *live)
{
    for (uint32_t i = 0; i < live->query_count; i++) {
        if (m->rows)
            row_store_forget(m->rows, live->queries[i].condition);
        free(live->queries[i].came);
    }
    for (uint32_t i = 0; m->rows && i < live->access_count; i++)
        if (live->accesses[i].kind == TRACE_WRITE)
            row_store_drop(m->rows, live->accesses[i].row);
    free(live->queries);
    live->queries = NULL;
    live->query_count = 0;
}

/* The row store may be closed by now, and lets go of all by itself. */
void predicate_read_close_all(struct interval_model *m)
{
    for (size_t i = 0; i < m->live.count; i++) {
        for (uint32_t j = 0; j < m->live.at[i].query_count; j++)
            free(m->live.at[i].queries[j].came);
        free(m->live.at[i].queries);
    }
    for (size_t i = 0; i < m->relations.count; i++) {
        key_order_close(&m->relations.at[i].order);
        array_close(&m->relations.at[i].queries);
    }
    array_close(&m->relations);
    array_close(&m->key_rows);
}

/* --- Asking ------------------------------------------------------------------------- */

void predicate_read_pass_write(struct interval_model *m, const struct live_txn *live,
                               uint32_t access)
{
    uint32_t key = live->accesses[access].key;

    if (key >= m->key_rows.count)
        return;
    m->key_rows.at[key].own_txn = m->live_first + (uint64_t)(live - m->live.at) + 1;
    m->key_rows.at[key].own_access = access;
}

enum predicate_answer predicate_read_matches(struct interval_model *m, const struct live_query *q,
                                             uint64_t value, uint32_t row)
{
    if (value == 0)
        return PREDICATE_NO; /* there is none */
    if (q->condition == CONDITION_ALL)
        return PREDICATE_YES;
    return row == ROW_NONE ? PREDICATE_UNDECIDED : row_store_match(m->rows, q->condition, row);
}

/* --- Reads of what matches ------------------------------------------------------------------- */

/* Who looks, and what for. */
struct quest {
    const struct live_txn *live;
    struct live_query *query;
    uint32_t access;
    bool is_loose; /* as of no single instant */
};

static bool is_loose(const struct interval_model *m, const struct txn_access *a)
{
    return m->profile.view == VIEW_ROW || (a->is_locking && profile_reads_apart(&m->profile, true));
}

static struct quest quest_of(const struct interval_model *m, const struct live_txn *live,
                             uint32_t access)
{
    const struct txn_access *a = &live->accesses[access];

    return (struct quest){
        .live = live, .query = &live->queries[a->row], .access = access, .is_loose = is_loose(m, a)
    };
}

/* Of one key: versions that the view may see. */
struct weighed_versions {
    uint32_t fit, other;           /* the last of each */
    size_t fit_count, other_count; /* others are counted where none fits */
    bool is_undecided;
    bool was_there; /* one that fits may have been there when the answer came */
};

static struct read_view look_for(const struct interval_model *m, const struct quest *quest,
                                 uint32_t key)
{
    struct read_view read = read_view_of(m, quest->live, quest->access, key);

    if (m->profile.view == VIEW_COMMIT && read.asked_by != TIMELINE_END)
        read.asked_by = quest->live->commit.high;
    if (m->profile.view == VIEW_COMMIT && m->profile.timing == TIMING_KEY)
        read.view.high = quest->live->commit.high;
    if (!quest->is_loose)
        return read;
    read.point = INTERVAL_NONE;
    if (m->profile.timing == TIMING_FULL)
        read.view = read.access->at;
    return read;
}

/* As of the answer, at any time before it. */
static struct read_view look_for_answer(const struct interval_model *m, const struct quest *quest,
                                        uint32_t key)
{
    struct read_view read = read_view_of(m, quest->live, quest->access, key);

    read.point = INTERVAL_NONE;
    read.view = (struct time_window){ TIMELINE_BEGINNING, read.access->at.high };
    return read;
}

/* Whether a version is what was seen: one that matches where `matching`, else one that does not. */
static enum predicate_answer fits(struct interval_model *m, const struct quest *quest,
                                  const struct key_version *v, bool matching)
{
    enum predicate_answer answer = predicate_read_matches(m, quest->query, v->value, v->row);

    if (answer == PREDICATE_UNDECIDED)
        return answer;
    return (answer == PREDICATE_YES) == matching ? PREDICATE_YES : PREDICATE_NO;
}

/*
 * Two that fit, one of them there in time: whatever else there is, nothing is wrong and nothing
 * follows. One, where nothing would follow from it.
 */
static bool is_enough(const struct interval_model *m, const struct quest *quest,
                      const struct read_view *read, const struct weighed_versions *weighed)
{
    size_t needed = quest->is_loose || m->profile.reads_any ? 1 : 2;

    return weighed->fit_count >= needed && (weighed->was_there || read->asked_by == TIMELINE_END);
}

/* A look at one key. */
struct weighing {
    const struct quest *quest;
    const struct read_view *read;
    struct read_view_before before;
    bool matching, has_gathered;
    struct weighed_versions weighed;
};

static void weigh_version(struct weighing *w, const struct key_version *v, uint32_t place,
                          enum predicate_answer answer, int64_t installed_low)
{
    struct weighed_versions *weighed = &w->weighed;
    int64_t answered = w->read->access->at.high;

    switch (answer) {
    case PREDICATE_YES:
        weighed->fit = place;
        weighed->fit_count++;
        weighed->was_there |= v->locked.low <= answered && installed_low <= answered;
        break;
    case PREDICATE_NO:
        weighed->other = place;
        weighed->other_count++;
        break;
    case PREDICATE_UNDECIDED:
        weighed->is_undecided = true;
        break;
    }
}

/* Those that fit and that nobody can tell about; or the others, which nobody asks for where one fits. */
static void weigh_some(struct interval_model *m, struct weighing *w, bool others)
{
    const struct read_view *read = w->read;
    int64_t hidden_before = TIMELINE_BEGINNING;

    for (uint32_t next = m->keys.at[read->key].newest;
         next != INTERVAL_NONE && !is_enough(m, w->quest, read, &w->weighed);
         next = version_older(m, &m->versions.at[next], hidden_before)) {
        const struct key_version *v = &m->versions.at[next];
        struct time_window installed = version_installed(m, v);
        enum predicate_answer answer;

        if (installed.high < read->view.low && installed.low > hidden_before && version_counts(v) &&
            v->txn != read->txn && !m->profile.reads_any)
            hidden_before = installed.low;
        answer = fits(m, w->quest, v, w->matching);
        if ((answer == PREDICATE_NO) != others)
            continue;
        if (!w->has_gathered && version_may_lead(m, v)) {
            read_view_before_gather(&w->before, m, read);
            w->has_gathered = true;
        }
        if (read_view_may_see(m, read, &w->before, v))
            weigh_version(w, v, next, answer, installed.low);
    }
}

static struct weighed_versions weigh(struct interval_model *m, const struct quest *quest,
                                     const struct read_view *read, bool matching)
{
    struct weighing w;

    w.quest = quest;
    w.read = read;
    w.matching = matching;
    w.weighed = (struct weighed_versions){ .fit = INTERVAL_NONE, .other = INTERVAL_NONE };
    if (read->point != INTERVAL_NONE)
        timeline_focus(&m->timeline, read->point);
    read_view_before_init(&w.before, m->before.room, m, read);
    w.has_gathered = false;
    weigh_some(m, &w, false);
    if (w.weighed.fit_count == 0 && !w.weighed.is_undecided)
        weigh_some(m, &w, true);
    return w.weighed;
}

/* --- What is wrong ------------------------------------------------------------------ */

static void tell_version(const struct interval_model *m, const struct key_version *v,
                         struct buffer *out)
{
    if (v->state == VERSION_OF_BEGINNING) {
        buffer_text(out, TEXT("as it was at the beginning"));
        return;
    }
    buffer_print(out, "as T%" PRId64 " left it, which committed within ", v->txn_id);
    finding_tell_times(version_installed(m, v), out);
}

static void accuse(struct interval_model *m, const struct quest *quest,
                   const struct read_view *read, const struct key_version *v, bool matching)
{
    struct interval_finding *f = finding_begin(m, MECHANISM_READ, ANOMALY_RESULT_SET_MISMATCH);
    struct window_drawing drawing = { 0 };

    if (!f)
        return;
    finding_add_txn(f, read->live->number, read->live->id);
    finding_add_txn(f, v->number, v->txn_id);
    buffer_print(&f->explanation, "T%" PRId64 " looked for rows", read->live->id);
    tell_condition(m, quest->query, &f->explanation);
    buffer_text(&f->explanation, matching ? TEXT(" and changed ") : TEXT(" and missed "));
    finding_tell_key(m, read->key, &f->explanation);
    buffer_text(&f->explanation, matching ? TEXT(", which did not match ")
                                          : TEXT(", which matched and stood there "));
    tell_version(m, v, &f->explanation);
    buffer_text(&f->explanation, TEXT("; it reads as of "));
    finding_tell_times(read->view, &f->explanation);
    if (v->state != VERSION_OF_BEGINNING)
        findings_drawing_add(&drawing, version_installed(m, v), "T%" PRId64 " commits", v->txn_id);
    findings_drawing_add(&drawing, read->view, "T%" PRId64 " reads as of", read->live->id);
    findings_drawing_print(&drawing, &f->drawing);
    derivation_row(m, f, read);
}

/* --- What follows ------------------------------------------------------------------- */

/* The transaction looked before the version was there. */
static enum status comes_before(struct interval_model *m, const struct read_view *read,
                                uint32_t certified, uint32_t point, struct error *err)
{
    TRY(certifier_depend(m, read->live->certified, certified, ORDER_NOT_FOUND, read->key, err));
    return model_order(m, (struct instant_order){ read->point, point, ORDER_NOT_FOUND, read->key },
                       MECHANISM_READ, err);
}

/* Whether a version that surely was there may have been passed over for one that is as good. */
static bool may_pass_over(const struct interval_model *m, bool matching)
{
    return m->profile.timing == TIMING_KEY && !matching;
}

/* Whether the version surely was there, and was not passed over. */
static bool is_surely_seen(const struct interval_model *m, const struct read_view *read,
                           const struct key_version *w, bool matching)
{
    if (!may_pass_over(m, matching))
        return read_view_is_before(m, read, w);
    return read->point != INTERVAL_NONE && w->point != INTERVAL_NONE &&
           timeline_knows(&m->timeline, w->point, read->point);
}

/* One version alone can have been seen. */
static enum status deduce(struct interval_model *m, const struct quest *quest,
                          const struct read_view *read, uint32_t seen, bool matching,
                          struct error *err)
{
    struct key_reader reader = { .txn = read->txn, .version = seen, .access = quest->access };
    int64_t from = version_installed(m, &m->versions.at[seen]).low;
    uint32_t key = read->key;

    reader.has_span =
        !matching && m->rows && row_store_span(m->rows, quest->query->condition, &reader.span);
    derivation_reads(m, read, seen, DERIVATION_FINDS);
    if (m->versions.at[seen].state == VERSION_PERHAPS)
        read_view_confirm(m, read, &m->versions.at[seen]);
    if (!may_pass_over(m, matching))
        TRY(model_order(
            m, (struct instant_order){ m->versions.at[seen].point, read->point, ORDER_FOUND, key },
            MECHANISM_READ, err));
    for (uint32_t next = m->keys.at[key].newest; next != INTERVAL_NONE;
         next = version_older(m, &m->versions.at[next], from)) {
        const struct key_version *v = &m->versions.at[seen], *w = &m->versions.at[next];

        if (next == seen || !version_counts(w) || w->txn == read->txn)
            continue;
        if (version_precedes(m, v, w)) {
            if (fits(m, quest, w, matching) != PREDICATE_NO)
                continue;
            derivation_overwrites(m, read, seen, next);
            TRY(comes_before(m, read, w->certified, w->point, err));
        } else if (is_surely_seen(m, read, w, matching) && !version_precedes(m, w, v)) {
            derivation_installed(m, read, next);
            TRY(certifier_depend(m, w->certified, v->certified, ORDER_INSTALLED, key, err));
            TRY(model_order(m, (struct instant_order){ w->point, v->point, ORDER_INSTALLED, key },
                            MECHANISM_READ, err));
        }
    }
    return model_times_imply_the_rest(m)
               ? STATUS_OK
               : key_versions_add_reader(m, &m->keys.at[key].readers, reader, err);
}

/* Who surely made the row match, or not match, before or after it was looked for. */
static enum status certify(struct interval_model *m, const struct quest *quest,
                           const struct read_view *read, bool matching, struct error *err)
{
    for (uint32_t next = m->keys.at[read->key].newest; next != INTERVAL_NONE;
         next = m->versions.at[next].older) {
        const struct key_version *w = &m->versions.at[next];
        uint32_t certified = w->certified;

        if (!version_counts(w) || w->txn == read->txn || certified == INTERVAL_NONE ||
            fits(m, quest, w, matching) != PREDICATE_NO)
            continue;
        derivation_found(m, read, w, read_view_is_before(m, read, w));
        if (read_view_is_before(m, read, w))
            TRY(certifier_depend(m, certified, read->live->certified, ORDER_FOUND, read->key, err));
        else if (version_installed(m, w).low > read->view.high ||
                 (read->point != INTERVAL_NONE && w->point != INTERVAL_NONE &&
                  timeline_knows(&m->timeline, read->point, w->point)))
            TRY(certifier_depend(m, read->live->certified, certified, ORDER_NOT_FOUND, read->key,
                                 err));
    }
    return STATUS_OK;
}

/* --- One row after the other ---------------------------------------------------------- */

static bool is_missing(const struct quest *quest, const struct weighed_versions *weighed,
                       bool matching)
{
    return weighed->fit_count == 0 && weighed->other_count > 0 && !weighed->is_undecided &&
           (matching || !quest->is_loose || weighed->other_count == 1);
}

/*
 * Whether an answer says what nothing was like before it came. Where a level alone is known it may
 * be one from a time that is forgotten, and be true again at the commit.
 */
static bool is_too_early(struct interval_model *m, const struct quest *quest, uint32_t key,
                         bool matching, struct read_view *read, struct weighed_versions *weighed)
{
    struct read_view answer = look_for_answer(m, quest, key);
    struct weighed_versions then;

    if (answer.asked_by == TIMELINE_END || gap_reaches(m, key, answer.view))
        return false;
    then = weigh(m, quest, &answer, matching);
    if (!is_missing(quest, &then, matching))
        return false;
    *read = answer;
    *weighed = then;
    return true;
}

/* What was seen of a key that others write. */
static enum status judge_key(struct interval_model *m, struct quest *quest, uint32_t key,
                             bool matching, struct error *err)
{
    struct read_view read = look_for(m, quest, key);
    struct weighed_versions weighed = weigh(m, quest, &read, matching);
    bool is_wrong = is_missing(quest, &weighed, matching);

    if (gap_reaches(m, key, read.view)) {
        m->counts.gapped++;
        m->counts.excused += is_wrong;
        return STATUS_OK;
    }
    quest->query->is_unjudged |= weighed.is_undecided;
    if (weighed.fit_count > 0 && !weighed.was_there && !weighed.is_undecided)
        is_wrong = is_too_early(m, quest, key, matching, &read, &weighed);
    if (is_wrong)
        accuse(m, quest, &read, &m->versions.at[weighed.other], matching);
    if (is_wrong || weighed.is_undecided || quest->is_loose || m->profile.reads_any)
        return STATUS_OK;
    if (weighed.fit_count == 1)
        TRY(deduce(m, quest, &read, weighed.fit, matching, err));
    return profile_certifies(&m->profile) ? certify(m, quest, &read, matching, err) : STATUS_OK;
}

/* What the transaction wrote there before this statement, or NULL. */
static const struct txn_access *own_write(const struct interval_model *m, const struct quest *quest,
                                          uint32_t key)
{
    const struct row_key *state = &m->key_rows.at[key];
    uint64_t txn = m->live_first + (uint64_t)(quest->live - m->live.at);

    return state->own_txn == txn + 1 && state->own_access < quest->access
               ? &quest->live->accesses[state->own_access]
               : NULL;
}

static enum status judge_others(struct interval_model *m, struct quest *quest, uint32_t key,
                                bool came, struct error *err)
{
    TRY(key_versions_know(m, key, err));
    if (m->keys.at[key].count > INTERVAL_VERSIONS_LOOKED_AT) {
        quest->query->is_unjudged = true;
        return STATUS_OK;
    }
    TRY(judge_key(m, quest, key, came, err));
    return came ? STATUS_OK : mutual_exclusion_judge_range(m, quest->live, quest->access, key, err);
}

static enum status judge_row(struct interval_model *m, struct quest *quest, uint32_t key, bool came,
                             struct error *err)
{
    const struct txn_access *own = own_write(m, quest, key);
    enum predicate_answer answer;

    if (!own)
        return judge_others(m, quest, key, came, err);
    if (!consistent_read_sees_own(m))
        return STATUS_OK;
    answer = predicate_read_matches(m, quest->query, own->value, own->row);
    quest->query->is_unjudged |= answer == PREDICATE_UNDECIDED;
    if (answer != PREDICATE_UNDECIDED && (answer == PREDICATE_YES) != came)
        consistent_read_judge_own_row(m, quest->live, quest->live->accesses[quest->access].op, key,
                                      came);
    return STATUS_OK;
}

/* Those that did not come, as far as they may be looked at. */
static enum status judge_absent(struct interval_model *m, struct quest *quest, struct error *err)
{
    struct live_query *q = quest->query;
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

/* Whether nothing new would follow from it that a statement comes before a version. */
static bool is_known_before(const struct interval_model *m, const struct live_txn *live,
                            uint32_t access, const struct key_version *w)
{
    uint32_t view = live->accesses[access].view;
    uint32_t point = view == INTERVAL_NONE ? live->view : view;

    return point != INTERVAL_NONE && w->point != INTERVAL_NONE && w->certified == INTERVAL_NONE &&
           timeline_knows(&m->timeline, point, w->point);
}

/* A key that a judged query has looked at is written: by then it has its reader. */
enum status predicate_read_overtaken(struct interval_model *m, const struct key_reader *reader,
                                     uint32_t key, uint32_t version, struct error *err)
{
    const struct live_txn *live = model_live(m, reader->txn);
    const struct key_version *w = &m->versions.at[version];
    struct quest quest;
    struct read_view read;

    if (is_known_before(m, live, reader->access, w))
        return STATUS_OK;
    quest = quest_of(m, live, reader->access);
    read = look_for(m, &quest, key);
    if (fits(m, &quest, w, has_come(quest.query, key)) != PREDICATE_NO)
        return STATUS_OK;
    derivation_overwrites(m, &read, reader->version, version);
    return comes_before(m, &read, w->certified, w->point, err);
}

static void forget_queries(const struct interval_model *m, struct relation *relation)
{
    size_t kept = 0;

    for (size_t i = 0; i < relation->queries.count; i++)
        if (model_is_live(m, relation->queries.at[i].txn))
            relation->queries.at[kept++] = relation->queries.at[i];
    relation->queries.count = kept;
    relation->queries_to_forget = kept + kept / 2 + QUERIES_KEPT;
}

static enum status keep_query(struct interval_model *m, const struct quest *quest,
                              struct error *err)
{
    struct relation *relation = &m->relations.at[quest->query->table];
    struct judged_query asked = { .txn = m->live_first + (uint64_t)(quest->live - m->live.at),
                                  .asked = quest->query->asked,
                                  .access = quest->access };

    if (relation->queries.count >= relation->queries_to_forget)
        forget_queries(m, relation);
    return array_push(&relation->queries, asked, err);
}

/* What the key held at first: it is there until somebody could see another. */
static uint32_t first_version(const struct interval_model *m, uint32_t key)
{
    uint32_t version = m->keys.at[key].newest;

    while (m->versions.at[version].older != INTERVAL_NONE)
        version = m->versions.at[version].older;
    return version;
}

/* One that has looked, and a row that is written now. Of a key that it knew there is a reader. */
static enum status tell_query(struct interval_model *m, const struct judged_query *asked,
                              uint32_t key, uint32_t version, struct error *err)
{
    const struct live_txn *live = model_live(m, asked->txn);
    struct quest quest = quest_of(m, live, asked->access);
    const struct key_version *w = &m->versions.at[version];
    const struct row_key *row = &m->key_rows.at[key];

    if (row->place < quest.query->low || row->place > quest.query->high ||
        predicate_read_matches(m, quest.query, w->value, w->row) != PREDICATE_YES ||
        has_come(quest.query, key))
        return STATUS_OK;
    if (asked->asked <= row->born && !quest.is_loose && !m->profile.reads_any &&
        !model_times_imply_the_rest(m)) {
        struct read_view read = look_for(m, &quest, key);

        derivation_reads(m, &read, first_version(m, key), DERIVATION_FINDS);
        derivation_overwrites(m, &read, first_version(m, key), version);
        TRY(comes_before(m, &read, w->certified, w->point, err));
    }
    return mutual_exclusion_installed(m, live, asked->access, key, version, err);
}

enum status predicate_read_installed(struct interval_model *m, uint32_t key, uint32_t version,
                                     struct error *err)
{
    struct relation *relation;

    if (key >= m->key_rows.count || m->key_rows.at[key].table == INTERVAL_NONE)
        return STATUS_OK;
    relation = &m->relations.at[m->key_rows.at[key].table];
    for (size_t i = 0; i < relation->queries.count; i++) {
        struct judged_query asked = relation->queries.at[i];

        /* Who asked once the key was known looked at it; so did all who asked later. */
        if (asked.asked > m->key_rows.at[key].born && !m->profile.locks_absent)
            return STATUS_OK;
        if (i == QUERIES_ASKED) {
            m->counts.unjudged_queries++;
            return STATUS_OK;
        }
        if (model_is_live(m, asked.txn) && asked.txn != m->versions.at[version].txn)
            TRY(tell_query(m, &asked, key, version, err));
    }
    return STATUS_OK;
}

/* --- The whole ------------------------------------------------------------------------ */

enum status predicate_read_judge(struct interval_model *m, struct live_txn *live, uint32_t access,
                                 struct error *err)
{
    struct quest quest = quest_of(m, live, access);
    struct live_query *q = quest.query;

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
    if (q->kind == QUERY_PART || (model_times_imply_the_rest(m) &&
                                  !mutual_exclusion_locks_range(m, &live->accesses[access])))
        return STATUS_OK;
    return keep_query(m, &quest, err);
}
