#include "verify/values/sources.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/intern.h"
#include "base/map.h"
#include "base/sort.h"
#include "verify/lookup_private.h"
#include "verify/verify_private.h"
#include "verify/versions/answer.h"
#include "verify/versions/versions.h"

struct sources {
    struct intern sorts;    /* as bytes */
    uint32_t *sort_of;      /* by last version */
    uint32_t *initial_sort; /* by key */
    struct buckets by_sort; /* versions */

    bool *is_appended, *is_plain; /* by key */
    struct intern elements;       /* of each key, as bytes; those of initial lists come first */
    ARRAY(uint32_t) element_txn, element_op;
    ARRAY(uint32_t) element_read; /* the number of the reading that had it last, plus one */

    struct map reading_of; /* by operation */
    ARRAY(struct reading) readings;
    struct map sight_of;  /* by transaction and key: the number of a reading */
    ARRAY(uint32_t) seen; /* versions, of sights; each sight's rising */
    struct map span_of;   /* by reading and transaction */
    ARRAY(struct element_span) spans;
};

#define GET(field, count) VERIFY_GET(v, s->field, count, err)

/* --- Elements ---------------------------------------------------------------- */

/* What somebody put into a list; twice the same, and the list is not plain. */
static enum status add_element(struct verifier *v, uint32_t key, int64_t element, uint32_t txn,
                               uint32_t op, struct error *err)
{
    struct sources *s = v->sources;
    struct text bytes = versions_element_bytes(v, key, element);
    uint32_t number;

    TRY(buffer_status(&v->bytes, err));
    TRY(intern_add(&s->elements, bytes, &number, err));
    if (number < s->element_txn.count) {
        s->is_plain[key] = false;
        return STATUS_OK;
    }
    TRY(array_push(&s->element_read, 0, err));
    TRY(array_push(&s->element_op, op, err));
    return array_push(&s->element_txn, txn, err);
}

static enum status add_elements(struct verifier *v, uint32_t key, struct value value, uint32_t txn,
                                struct error *err)
{
    struct list_elements list = versions_elements(v->h, value);

    for (uint64_t i = 0; i < list.count; i++)
        TRY(add_element(v, key, list.at[i], txn, VERSION_INITIAL, err));
    return STATUS_OK;
}

static enum status list_initial_elements(struct verifier *v, struct error *err)
{
    const struct history *h = v->h;

    for (uint32_t key = 0; key < h->key_count; key++) {
        struct value value = history_initial(h, key);

        v->sources->is_plain[key] = value.kind == VALUE_LIST || value.kind == VALUE_NULL;
        TRY(add_elements(v, key, value, NO_TXN, err));
    }
    return STATUS_OK;
}

static enum status list_elements(struct verifier *v, struct sources *s, uint32_t txn,
                                 struct error *err)
{
    const struct history *h = v->h;

    for (uint32_t m = v->made_start[txn]; m < v->made_start[txn + 1]; m++) {
        uint32_t op = v->made[m], key = h->op_key[op];

        if (h->op_kind[op] == OP_APPEND) {
            s->is_appended[key] = true;
            TRY(add_element(v, key, h->op_value[op], txn, op, err));
        } else {
            s->is_plain[key] = false;
            TRY(add_elements(v, key, history_value(h, op), txn, err));
        }
    }
    return STATUS_OK;
}

/* --- Sorts ------------------------------------------------------------------- */

/* All last versions and initial ones, by number. */
static size_t version_count(const struct verifier *v)
{
    return v->h->key_count + v->version_start[v->h->key_count];
}

static uint32_t version_at(const struct verifier *v, size_t n, uint32_t *key)
{
    size_t keys = v->h->key_count;

    *key = n < keys ? (uint32_t)n : v->h->op_key[v->version[n - keys]];
    return n < keys ? VERSION_INITIAL : v->version[n - keys];
}

static enum status name_sort(struct verifier *v, struct sources *s, uint32_t key, uint32_t version,
                             struct error *err)
{
    const struct history *h = v->h;
    bool is_initial = version == VERSION_INITIAL;
    bool is_append = !is_initial && h->op_kind[version] == OP_APPEND;
    struct value value = is_initial ? history_initial(h, key) : history_value(h, version);
    struct text bytes = versions_value_bytes(v, key, is_append, value);

    TRY(buffer_status(&v->bytes, err));
    return intern_add(&s->sorts, bytes, is_initial ? &s->initial_sort[key] : &s->sort_of[version],
                      err);
}

static uint32_t sort_of(const struct sources *s, uint32_t key, uint32_t version)
{
    return version == VERSION_INITIAL ? s->initial_sort[key] : s->sort_of[version];
}

static uint32_t sort_of_number(const void *context, uint32_t n)
{
    const struct verifier *v = context;
    uint32_t key, version = version_at(v, n, &key);

    return sort_of(v->sources, key, version);
}

static enum status list_sorts(struct verifier *v, struct sources *s, struct error *err)
{
    size_t count = version_count(v);
    uint32_t key, version;

    for (size_t n = 0; n < count; n++) {
        version = version_at(v, n, &key);
        TRY(name_sort(v, s, key, version, err));
    }
    TRY(verify_bucket(v, (struct bucketing){ intern_count(&s->sorts), count, sort_of_number, v },
                      &s->by_sort, err));
    for (size_t i = 0; i < count; i++)
        s->by_sort.at[i] = version_at(v, s->by_sort.at[i], &key);
    return STATUS_OK;
}

/* --- The whole --------------------------------------------------------------- */

enum status sources_build(struct verifier *v, struct error *err)
{
    const struct history *h = v->h;
    struct sources *s;

    TRY(VERIFY_GET(v, v->sources, 1, err));
    s = v->sources;
    TRY(GET(sort_of, h->op_count));
    TRY(GET(initial_sort, h->key_count));
    TRY(GET(is_appended, h->key_count));
    TRY(GET(is_plain, h->key_count));
    TRY(VERIFY_GET(v, v->order_place, h->op_count, err));
    for (size_t i = 0; i < h->order_version_count; i++)
        v->order_place[h->order_version[i]] = (uint32_t)i + 1;
    TRY(list_initial_elements(v, err));
    for (uint32_t t = 0; t < h->txn_count; t++)
        if (v->counting[t] != COUNTS_NOT)
            TRY(list_elements(v, s, t, err));
    for (uint32_t key = 0; key < h->key_count; key++)
        s->is_plain[key] &= s->is_appended[key];
    return list_sorts(v, s, err);
}

void sources_close(struct sources *s)
{
    if (!s)
        return;
    intern_close(&s->sorts);
    intern_close(&s->elements);
    array_close(&s->element_txn);
    array_close(&s->element_op);
    array_close(&s->element_read);
    map_close(&s->reading_of);
    array_close(&s->readings);
    map_close(&s->sight_of);
    array_close(&s->seen);
    map_close(&s->span_of);
    array_close(&s->spans);
}

/* --- Who wrote what ---------------------------------------------------------- */

enum status source_of_element(struct verifier *v, uint32_t key, int64_t element, uint32_t *op,
                              struct error *err)
{
    const struct sources *s = v->sources;
    uint32_t number = intern_find(&s->elements, versions_element_bytes(v, key, element));

    *op = number == INTERN_NONE ? HISTORY_NONE : s->element_op.at[number];
    return buffer_status(&v->bytes, err);
}

bool source_is_plain(const struct verifier *v, uint32_t key)
{
    return v->sources->is_plain[key];
}

bool source_is_only(const struct verifier *v, const struct reading *r, uint32_t *version)
{
    if (r->kind != READING_OF_OTHERS || r->source_count != 1 ||
        lookup_own_before(v, r->op) != HISTORY_NONE)
        return false;
    *version = source_at(v, r, 0);
    if (source_is_own(r, *version))
        *version = source_at(v, r, 1);
    return true;
}

uint32_t source_element_count(const struct verifier *v, uint32_t txn, uint32_t key)
{
    return txn != NO_TXN ? lookup_own_count(v, txn, HISTORY_NONE, key)
                         : (uint32_t)versions_elements(v->h, history_initial(v->h, key)).count;
}

/* --- Readings ---------------------------------------------------------------- */

static uint64_t span_key(const struct reading *r, uint32_t txn)
{
    return (uint64_t)r->number << 32 | txn;
}

/* One more element, at a place of the list, of who put it there. */
static enum status extend_span(struct sources *s, const struct reading *r, uint32_t at,
                               uint32_t element, struct error *err)
{
    uint32_t txn = s->element_txn.at[element];
    struct element_span *span;
    size_t place;

    TRY(map_add(&s->span_of, span_key(r, txn), s->spans.count, &place, err));
    if (s->span_of.values.at[place] == s->spans.count)
        TRY(array_push(&s->spans,
                       ((struct element_span){ .txn = txn, .first = at, .element = element }),
                       err));
    span = &s->spans.at[s->span_of.values.at[place]];
    span->is_reversed |= element < span->element;
    span->last = at;
    span->element = element;
    span->count++;
    return STATUS_OK;
}

/* Whether a list shows all of each transaction of whom it has an element, and in one piece. */
static bool is_torn(const struct verifier *v, uint32_t key, size_t first_span)
{
    const struct sources *s = v->sources;
    bool has_initial = source_element_count(v, NO_TXN, key) == 0;

    for (size_t i = first_span; i < s->spans.count; i++) {
        const struct element_span *span = &s->spans.at[i];

        has_initial |= span->txn == NO_TXN && span->first == 0;
        if (span->is_reversed || span->last - span->first + 1 != span->count ||
            span->count < source_element_count(v, span->txn, key))
            return true;
    }
    return !has_initial;
}

/* The elements of others that were read, or that the read is wrong. */
static enum status read_plain(struct verifier *v, struct reading *r, struct list_elements list,
                              struct error *err)
{
    const struct history *h = v->h;
    struct sources *s = v->sources;
    size_t first_span = s->spans.count;
    uint32_t txn = NO_TXN;

    r->is_plain = true;
    r->kind = READING_WRONG;
    r->element_op = VERSION_INITIAL;
    for (uint32_t own = lookup_own_before(v, r->op); own != HISTORY_NONE;
         own = lookup_own_before(v, own))
        if (list.count == 0 || list.at[--list.count] != h->op_value[own])
            return STATUS_OK;
    if (list.count == 0 && source_element_count(v, NO_TXN, r->key) > 0)
        return STATUS_OK;
    for (uint32_t i = 0; i < list.count; i++) {
        uint32_t element = intern_find(&s->elements, versions_element_bytes(v, r->key, list.at[i]));

        TRY(buffer_status(&v->bytes, err));
        if (element == INTERN_NONE || s->element_read.at[element] == r->number + 1 ||
            s->element_txn.at[element] == r->txn)
            return STATUS_OK;
        s->element_read.at[element] = r->number + 1;
        txn = s->element_txn.at[element];
        r->element_op = s->element_op.at[element];
        TRY(extend_span(s, r, i, element, err));
    }
    r->kind = READING_OF_OTHERS;
    r->is_torn = is_torn(v, r->key, first_span);
    r->version = txn == NO_TXN ? VERSION_INITIAL : lookup_left(v, txn, r->key);
    r->source_count = 1;
    return STATUS_OK;
}

static enum status find_sorts(struct verifier *v, struct reading *r, struct value value,
                              struct error *err)
{
    struct sources *s = v->sources;

    r->sorts[0] = intern_find(&s->sorts, versions_value_bytes(v, r->key, false, value));
    if (s->is_appended[r->key] && value.kind == VALUE_LIST) {
        struct list_elements list = versions_elements(v->h, value);

        if (list.count > 0)
            r->sorts[1] =
                intern_find(&s->sorts, versions_element_bytes(v, r->key, list.at[list.count - 1]));
        for (uint64_t i = 0; i < list.count; i++)
            if (intern_find(&s->elements, versions_element_bytes(v, r->key, list.at[i])) ==
                INTERN_NONE)
                r->sorts[0] = r->sorts[1] = HISTORY_NONE;
    }
    return buffer_status(&v->bytes, err);
}

static enum status read_others(struct verifier *v, struct reading *r, struct value value,
                               struct error *err)
{
    const struct sources *s = v->sources;
    uint32_t own = lookup_left(v, r->txn, r->key);

    TRY(find_sorts(v, r, value, err));
    for (int i = 0; i < 2; i++) {
        if (r->sorts[i] == HISTORY_NONE)
            continue;
        r->source_count += s->by_sort.start[r->sorts[i] + 1] - s->by_sort.start[r->sorts[i]];
        r->has_own |= own != HISTORY_NONE && s->sort_of[own] == r->sorts[i];
    }
    r->own = own;
    r->source_count -= r->has_own;
    r->kind = r->source_count > 0 ? READING_OF_OTHERS : READING_WRONG;
    return STATUS_OK;
}

/*
 * A list that does not end with what its own transaction had appended; or of one that had appended
 * nothing, and that is wrong: what its last element says all the same.
 */
static enum status read_list_elsewhere(struct verifier *v, struct reading *r,
                                       struct list_elements list, struct error *err)
{
    bool has_own = lookup_own_before(v, r->op) != HISTORY_NONE;
    uint32_t op = VERSION_INITIAL;

    for (uint64_t i = has_own || list.count == 0 ? 0 : list.count - 1; i < list.count; i++) {
        uint32_t number =
            intern_find(&v->sources->elements, versions_element_bytes(v, r->key, list.at[i]));

        TRY(buffer_status(&v->bytes, err));
        op = number == INTERN_NONE ? ELSEWHERE_NONE : v->sources->element_op.at[number];
        /* Nobody's, or its own, which was not there yet. */
        if (op == ELSEWHERE_NONE ||
            (op != VERSION_INITIAL && op > r->op && history_txn_of(v->h, op) == r->txn)) {
            op = ELSEWHERE_NONE;
            break;
        }
    }
    r->elsewhere = op;
    if (op < ELSEWHERE_NONE && history_txn_of(v->h, op) == r->txn)
        r->elsewhere = ELSEWHERE_NOT;
    return STATUS_OK;
}

/* What the reader had left there earlier, and written over itself. */
static bool is_own_earlier(const struct verifier *v, const struct reading *r, struct value value)
{
    const struct history *h = v->h;

    for (uint32_t op = h->txn_op[r->txn]; op < r->op; op++)
        if (history_makes_version(h, op) && h->op_key[op] == r->key &&
            version_has_value(v, r->key, op, value))
            return true;
    return false;
}

/* Whether a list begins with the initial one, of so many elements. */
static bool begins_rightly(const struct history *h, uint32_t key, struct list_elements list,
                           uint64_t *initial_count)
{
    struct list_elements initial = versions_elements(h, history_initial(h, key));

    *initial_count = initial.count;
    return initial.count <= list.count &&
           (initial.count == 0 ||
            memcmp(list.at, initial.at, initial.count * sizeof *list.at) == 0);
}

/* Each element behind what its transaction had appended before it, and none twice. */
static enum status follow_appends(struct verifier *v, uint32_t key, struct list_elements list,
                                  bool *never_was, struct error *err)
{
    const struct sources *s = v->sources;
    struct map seen = { 0 };
    enum status status = STATUS_OK;
    uint32_t last = HISTORY_NONE;

    for (uint64_t i = 0; i < list.count && !*never_was && status == STATUS_OK; i++) {
        uint32_t number = intern_find(&s->elements, versions_element_bytes(v, key, list.at[i]));
        uint32_t op = number == INTERN_NONE ? VERSION_INITIAL : s->element_op.at[number];
        size_t place;

        status = map_add(&seen, number, i, &place, err);
        *never_was = op == VERSION_INITIAL || seen.values.at[place] != i ||
                     (lookup_own_before(v, op) != HISTORY_NONE && lookup_own_before(v, op) != last);
        last = op;
    }
    map_close(&seen);
    return status != STATUS_OK ? status : buffer_status(&v->bytes, err);
}

enum status source_list_never_was(struct verifier *v, const struct reading *r, bool *never_was,
                                  struct error *err)
{
    const struct history *h = v->h;
    struct value value = versions_value_plain(h, history_value(h, r->op));
    struct list_elements list = versions_elements(h, value);
    uint64_t initial;

    *never_was = false;
    if (!v->sources->is_plain[r->key] || (value.kind != VALUE_LIST && value.kind != VALUE_NULL))
        return STATUS_OK;
    *never_was = !begins_rightly(h, r->key, list, &initial);
    if (*never_was)
        return STATUS_OK;
    list.at += initial;
    list.count -= initial;
    return follow_appends(v, r->key, list, never_was, err);
}

static enum status read_elsewhere(struct verifier *v, struct reading *r, struct value value,
                                  struct error *err)
{
    struct reading others = {
        .txn = r->txn, .op = r->op, .key = r->key, .sorts = { HISTORY_NONE, HISTORY_NONE }
    };

    if (r->kind != READING_WRONG)
        return STATUS_OK;
    TRY(read_others(v, &others, value, err));
    TRY(verify_spend(v, r->op - v->h->txn_op[r->txn], err));
    if (is_own_earlier(v, r, value))
        r->elsewhere = ELSEWHERE_NOT;
    else if (others.source_count == 0)
        r->elsewhere = ELSEWHERE_NONE;
    else if (others.source_count > 1)
        r->elsewhere = ELSEWHERE_MANY;
    else
        r->elsewhere = source_at(v, &others, source_is_own(&others, source_at(v, &others, 0)));
    return STATUS_OK;
}

bool source_is_nowhere(const struct verifier *v, const struct reading *r)
{
    uint32_t op = r->elsewhere;

    if (r->kind != READING_WRONG || op == ELSEWHERE_NONE)
        return r->kind == READING_WRONG;
    return op < ELSEWHERE_NONE && source_is_plain(v, r->key) &&
           lookup_left(v, history_txn_of(v->h, op), r->key) != op;
}

static enum status read_anew(struct verifier *v, struct reading *r, struct error *err)
{
    const struct history *h = v->h;
    struct sources *s = v->sources;
    struct value value = versions_value_plain(h, history_value(h, r->op));
    uint32_t own = lookup_own_before(v, r->op);

    if (s->is_plain[r->key] && (value.kind == VALUE_LIST || value.kind == VALUE_NULL)) {
        TRY(read_plain(v, r, versions_elements(h, value), err));
        return r->kind == READING_WRONG
                   ? read_list_elsewhere(v, r, versions_elements(h, value), err)
                   : STATUS_OK;
    }
    if (own == HISTORY_NONE)
        return read_others(v, r, value, err);
    r->kind = version_has_value(v, r->key, own, value) ? READING_OF_OWN : READING_WRONG;
    return read_elsewhere(v, r, value, err);
}

const struct reading *sources_reading(const struct verifier *v, uint32_t number)
{
    return &v->sources->readings.at[number];
}

enum status sources_read(struct verifier *v, uint32_t txn, uint32_t op, struct reading *r,
                         struct error *err)
{
    const struct history *h = v->h;
    struct sources *s = v->sources;
    size_t place;

    if (!answer_reads_value(v, txn, op))
        return verify_refuse(v, err, "transaction %" PRId64 " read nothing of %.*s there",
                             h->txn_id[txn], TEXT_PRINT(history_key(h, h->op_key[op])));
    TRY(map_add(&s->reading_of, op, s->readings.count, &place, err));
    if (s->reading_of.values.at[place] == s->readings.count) {
        *r = (struct reading){ .txn = txn,
                               .op = op,
                               .key = h->op_key[op],
                               .sorts = { HISTORY_NONE, HISTORY_NONE },
                               .elsewhere = ELSEWHERE_NOT,
                               .number = (uint32_t)s->readings.count };
        TRY(read_anew(v, r, err));
        TRY(array_push(&s->readings, *r, err));
    }
    *r = s->readings.at[s->reading_of.values.at[place]];
    return STATUS_OK;
}

/* --- Sights -------------------------------------------------------------------- */

/* All last versions of a key but those of one transaction. */
static enum status list_versions(struct verifier *v, uint32_t txn, uint32_t key, struct error *err)
{
    struct sources *s = v->sources;
    uint32_t own = lookup_left(v, txn, key);

    TRY(array_push(&s->seen, VERSION_INITIAL, err));
    for (uint64_t i = v->version_start[key]; i < v->version_start[key + 1]; i++)
        if (v->version[i] != own)
            TRY(array_push(&s->seen, v->version[i], err));
    return STATUS_OK;
}

static enum status see(struct verifier *v, struct reading *r, struct error *err)
{
    const struct history *h = v->h;
    struct sources *s = v->sources;
    struct candidates versions;
    uint32_t end = lookup_first_own(v, r->txn, r->key);

    if (end == HISTORY_NONE)
        end = h->txn_op[r->txn + 1];
    r->first_seen = s->seen.count;
    TRY(list_versions(v, r->txn, r->key, err));
    versions.at = s->seen.at + r->first_seen;
    versions.count = (uint32_t)(s->seen.count - r->first_seen);
    TRY(answer_narrow(v, r->txn, end, r->key, &versions, err));
    r->is_narrowed = versions.is_narrowed;
    s->seen.count = r->first_seen + versions.count;
    sort_numbers(versions.at, versions.count);
    r->source_count = versions.count;
    r->kind = versions.count > 0 ? READING_OF_OTHERS : READING_WRONG;
    return STATUS_OK;
}

/* A statement about a row that its transaction had written: it sees that. */
static enum status see_own(struct verifier *v, struct reading *r, uint32_t own, struct error *err)
{
    struct candidates versions = { .at = &own, .count = 1 };

    TRY(answer_admits(v, r->op, r->key, &versions, err));
    r->kind = versions.count > 0 ? READING_OF_OWN : READING_WRONG;
    return STATUS_OK;
}

static enum status add_sight(struct verifier *v, const struct reading *r, uint64_t *number,
                             struct error *err)
{
    *number = v->sources->readings.count;
    return array_push(&v->sources->readings, *r, err);
}

enum status sources_sight(struct verifier *v, struct reading *r, bool *is_sight, struct error *err)
{
    struct sources *s = v->sources;
    uint32_t txn = r->txn, op = r->op, key = r->key, own;
    uint64_t number;
    size_t place;

    *is_sight = v->basis->searches_orders && op_is_head(v->h->op_kind[op]) &&
                answer_is_judged(v, txn, op) && lookup_may_read(v, op, key);
    if (!*is_sight)
        return STATUS_OK;
    own = lookup_own(v, txn, op, key);
    *r = (struct reading){ .txn = txn,
                           .op = op,
                           .key = key,
                           .sorts = { HISTORY_NONE, HISTORY_NONE },
                           .elsewhere = ELSEWHERE_NOT,
                           .is_sight = true,
                           .is_narrowed = own != HISTORY_NONE,
                           .number = (uint32_t)s->readings.count };
    if (own != HISTORY_NONE) {
        TRY(see_own(v, r, own, err));
        return add_sight(v, r, &number, err);
    }
    if (!map_find(&s->sight_of, (uint64_t)txn << 32 | key, &number)) {
        TRY(see(v, r, err));
        TRY(add_sight(v, r, &number, err));
        TRY(map_add(&s->sight_of, (uint64_t)txn << 32 | key, number, &place, err));
    }
    *r = s->readings.at[number];
    return STATUS_OK;
}

static bool was_seen(const struct verifier *v, const struct reading *r, uint32_t version)
{
    const uint32_t *seen = v->sources->seen.at + r->first_seen;
    uint64_t place;

    BISECT(place, 0, r->source_count, seen[place] < version);
    return place < r->source_count && seen[place] == version;
}

bool source_is_possible(const struct verifier *v, const struct reading *r, uint32_t version)
{
    uint32_t sort;

    if (r->kind != READING_OF_OTHERS)
        return false;
    if (r->is_sight)
        return was_seen(v, r, version);
    if (r->is_plain)
        return version == r->version;
    sort = sort_of(v->sources, r->key, version);
    return !source_is_own(r, version) && (sort == r->sorts[0] || sort == r->sorts[1]);
}

uint32_t source_at(const struct verifier *v, const struct reading *r, uint64_t n)
{
    const struct sources *s = v->sources;

    assert(n < source_end(r));
    if (r->is_sight)
        return s->seen.at[r->first_seen + n];
    if (r->is_plain)
        return r->version;
    for (int i = 0; i < 2; i++) {
        uint64_t count;

        if (r->sorts[i] == HISTORY_NONE)
            continue;
        count = s->by_sort.start[r->sorts[i] + 1] - s->by_sort.start[r->sorts[i]];
        if (n < count)
            return s->by_sort.at[s->by_sort.start[r->sorts[i]] + n];
        n -= count;
    }
    assert(!"there are not so many");
    return HISTORY_NONE;
}

/* In a sort versions stand as in the chain: the initial one first, the others by place. */
static uint32_t latest_of_sort(const struct verifier *v, uint32_t sort, uint32_t place)
{
    const struct sources *s = v->sources;
    const uint32_t *version = s->by_sort.at;
    uint64_t end;

    BISECT(end, s->by_sort.start[sort], s->by_sort.start[sort + 1],
           version[end] == VERSION_INITIAL || v->place[v->op_txn[version[end]]] < place);
    return end > s->by_sort.start[sort] ? version[end - 1] : VERSION_UNKNOWN;
}

uint32_t source_latest(const struct verifier *v, const struct reading *r, uint32_t place)
{
    uint32_t latest = VERSION_UNKNOWN;

    if (r->kind != READING_OF_OTHERS)
        return VERSION_UNKNOWN;
    if (r->is_plain)
        return r->version == VERSION_INITIAL || v->place[history_txn_of(v->h, r->version)] < place
                   ? r->version
                   : VERSION_UNKNOWN;
    for (int i = 0; i < 2; i++) {
        uint32_t version =
            r->sorts[i] == HISTORY_NONE ? VERSION_UNKNOWN : latest_of_sort(v, r->sorts[i], place);

        if (version == VERSION_UNKNOWN)
            continue;
        if (latest == VERSION_UNKNOWN || latest == VERSION_INITIAL ||
            (version != VERSION_INITIAL && v->spot[version] > v->spot[latest]))
            latest = version;
    }
    return latest;
}

const struct element_span *source_span(const struct verifier *v, const struct reading *r,
                                       uint32_t txn)
{
    uint64_t place;

    return map_find(&v->sources->span_of, span_key(r, txn), &place) ? &v->sources->spans.at[place]
                                                                    : NULL;
}
