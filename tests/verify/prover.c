#include "tests/verify/prover.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define TXNS_MAX 8
#define NOBODY TXNS_MAX /* who wrote the initial versions */
#define READS_MAX 96
#define POINTS_MAX 16
#define ELEMENTS_MAX 64
#define CLAUSES_MAX 20000
#define LITERALS_MAX 16
#define DEPTH_MAX 64
#define LEAVES_MAX 3000
#define VARIABLES (POINTS_MAX * POINTS_MAX + READS_MAX * (TXNS_MAX + 1))

struct clause {
    int literals[LITERALS_MAX];
    int count;
    int number; /* of its step, or -1: not written yet */
    unsigned txns;
    bool is_session, is_realtime;
    char text[160];
};

struct read {
    uint32_t txn, op, place, key;
};

struct prover {
    const struct history *h;
    bool is_snapshot, has_sessions, has_times;
    bool is_in[TXNS_MAX];
    struct read reads[READS_MAX];
    int read_count;
    struct clause *clauses;
    int clause_count;
    bool is_empty; /* an axiom without literals is there */
    signed char truth[VARIABLES];
    int trail[VARIABLES], trail_count;
    int decisions[DEPTH_MAX], decision_count;
    int by[VARIABLES + 1], by_count; /* clauses that told something, in turn */
    int step_count, leaf_count;
    struct buffer *out;
    unsigned txns;
    bool has_session, has_realtime;
};

/* --- Literals: two times a variable, and one if it is negated ----------------- */

static int begin_of(const struct prover *p, uint32_t txn)
{
    return p->is_snapshot ? 2 * (int)txn : (int)txn;
}

static int end_of(const struct prover *p, uint32_t txn)
{
    return p->is_snapshot ? 2 * (int)txn + 1 : (int)txn;
}

static int before(int a, int b)
{
    return a < b ? 2 * (a * POINTS_MAX + b) : 2 * (b * POINTS_MAX + a) + 1;
}

static int from(int read, uint32_t writer)
{
    return 2 * (POINTS_MAX * POINTS_MAX + read * (TXNS_MAX + 1) + (int)writer);
}

/* --- What the history says ---------------------------------------------------- */

static bool is_version(const struct history *h, uint32_t op, uint32_t key)
{
    return op_is_write(h->op_kind[op]) && !(h->op_flags[op] & OP_ERROR) && h->op_key[op] == key;
}

/* Its last version of a key before an operation, or HISTORY_NONE. */
static uint32_t version_before(const struct history *h, uint32_t txn, uint32_t key, uint32_t end)
{
    uint32_t last = HISTORY_NONE;

    for (uint32_t op = h->txn_op[txn]; op < end; op++)
        if (is_version(h, op, key))
            last = op;
    return last;
}

static uint32_t last_version(const struct prover *p, uint32_t txn, uint32_t key)
{
    return p->is_in[txn] ? version_before(p->h, txn, key, p->h->txn_op[txn + 1]) : HISTORY_NONE;
}

static void find_who_is_in(struct prover *p, bool takes_part)
{
    const struct history *h = p->h;

    for (uint32_t t = 0; t < h->txn_count; t++) {
        bool is_listed = false, is_left_out = false;

        for (uint64_t i = 0; i < h->order_version_count; i++)
            is_listed |= history_txn_of(h, h->order_version[i]) == t;
        for (uint32_t op = h->txn_op[t]; op < h->txn_op[t + 1]; op++)
            is_left_out |= op_is_write(h->op_kind[op]) && !(h->op_flags[op] & OP_ERROR) &&
                           h->key_order[h->op_key[op]] != HISTORY_NONE;
        p->is_in[t] = h->txn_status[t] == TXN_OK || (h->txn_status[t] == TXN_UNKNOWN &&
                                                     (takes_part || is_listed || !is_left_out));
    }
}

static size_t list_of(const struct history *h, struct value value, const int64_t **elements)
{
    if (value.kind != VALUE_LIST)
        return 0;
    *elements = h->list_element + h->list_start[value.bits];
    return h->list_start[value.bits + 1] - h->list_start[value.bits];
}

static bool is_null(const struct history *h, struct value value)
{
    const int64_t *unused;

    return value.kind == VALUE_NULL || value.kind == VALUE_NONE ||
           (value.kind == VALUE_LIST && list_of(h, value, &unused) == 0);
}

static bool is_equal(const struct history *h, struct value a, struct value b)
{
    return is_null(h, a) || is_null(h, b) ? is_null(h, a) && is_null(h, b)
                                          : history_values_equal(h, a, b);
}

/* Who put an element there, and as the how many-th of the key. */
struct element {
    int64_t value;
    uint32_t txn;
};

/* Everything that stands in values of a key; whether it was appended to, and nothing else. */
static int list_elements(const struct prover *p, uint32_t key, struct element *elements,
                         bool *is_appended, bool *is_plain)
{
    const struct history *h = p->h;
    struct value initial = history_initial(h, key);
    const int64_t *list = NULL;
    size_t length = list_of(h, initial, &list);
    int count = 0;

    *is_appended = false;
    *is_plain = initial.kind == VALUE_LIST || initial.kind == VALUE_NULL;
    for (size_t i = 0; i < length; i++)
        elements[count++] = (struct element){ list[i], NOBODY };
    for (uint32_t t = 0; t < h->txn_count; t++)
        for (uint32_t op = h->txn_op[t]; p->is_in[t] && op < h->txn_op[t + 1]; op++) {
            if (!is_version(h, op, key))
                continue;
            if (h->op_kind[op] == OP_APPEND) {
                *is_appended = true;
                elements[count++] = (struct element){ h->op_value[op], t };
                continue;
            }
            *is_plain = false;
            length = list_of(h, history_value(h, op), &list);
            for (size_t i = 0; i < length; i++)
                elements[count++] = (struct element){ list[i], t };
        }
    assert(count <= ELEMENTS_MAX);
    for (int i = 0; i < count; i++)
        for (int j = 0; j < i; j++)
            *is_plain &= elements[i].value != elements[j].value;
    *is_plain &= *is_appended;
    return count;
}

/* --- Axioms ------------------------------------------------------------------- */

static struct clause *add(struct prover *p)
{
    assert(p->clause_count < CLAUSES_MAX);
    p->clauses[p->clause_count] = (struct clause){ .number = -1 };
    return &p->clauses[p->clause_count++];
}

static void put(struct clause *c, int literal)
{
    assert(c->count < LITERALS_MAX);
    c->literals[c->count++] = literal;
}

static const char *name_of(const struct prover *p, uint32_t txn, char name[24])
{
    if (txn == NOBODY)
        return "null";
    *text_write_int64(name, p->h->txn_id[txn]) = 0;
    return name;
}

/* Names a step and one or two others, and who takes part. */
static void name(struct prover *p, struct clause *c, const char *step, const struct read *read,
                 uint32_t key, const char *first, uint32_t a, const char *second, uint32_t b)
{
    struct buffer text = { 0 };
    char buffer[24];

    buffer_print(&text, "{\"step\":\"%s\"", step);
    if (read) {
        buffer_print(&text, ",\"read\":[%s,%u]", name_of(p, read->txn, buffer), read->place);
        c->txns |= 1U << read->txn;
    }
    if (key != HISTORY_NONE) {
        buffer_text(&text, TEXT(",\"key\":"));
        buffer_json(&text, history_key(p->h, key));
    }
    if (first) {
        buffer_print(&text, ",\"%s\":%s", first, name_of(p, a, buffer));
        c->txns |= a == NOBODY ? 0 : 1U << a;
    }
    if (second) {
        buffer_print(&text, ",\"%s\":%s", second, name_of(p, b, buffer));
        c->txns |= b == NOBODY ? 0 : 1U << b;
    }
    buffer_byte(&text, '}');
    buffer_byte(&text, 0);
    assert(text.count <= sizeof c->text);
    memcpy(c->text, text.at, text.count);
    buffer_close(&text);
}

static void add_times(struct prover *p)
{
    const struct history *h = p->h;

    for (uint32_t a = 0; a < h->txn_count; a++)
        for (uint32_t b = 0; b < h->txn_count; b++) {
            bool is_session = p->has_sessions && h->txn_session[a] == h->txn_session[b] && a < b;
            bool is_time = p->has_times && h->txn_invoked && h->txn_completed &&
                           h->txn_completed[a] != TIME_ABSENT &&
                           h->txn_completed[a] != TIME_NEVER && h->txn_invoked[b] != TIME_ABSENT &&
                           h->txn_completed[a] < h->txn_invoked[b];
            struct clause *c;

            if (h->txn_status[a] != TXN_OK || !p->is_in[b] || (!is_session && !is_time))
                continue;
            c = add(p);
            c->is_session = is_session;
            c->is_realtime = is_time;
            put(c, before(end_of(p, a), begin_of(p, b)));
            name(p, c, is_time ? "realtime" : "session", NULL, HISTORY_NONE, "from", a, "to", b);
        }
    for (uint32_t t = 0; t < h->txn_count && p->is_snapshot; t++)
        if (p->is_in[t]) {
            struct clause *c = add(p);

            put(c, before(begin_of(p, t), end_of(p, t)));
            name(p, c, "program", NULL, HISTORY_NONE, "txn", t, NULL, 0);
        }
}

static uint64_t place_in_order(const struct history *h, uint32_t version)
{
    for (uint64_t i = 0; i < h->order_version_count; i++)
        if (h->order_version[i] == version)
            return i + 1;
    return 0;
}

/* What two writers of a key say of each other. */
static void add_writers(struct prover *p, uint32_t key)
{
    const struct history *h = p->h;

    for (uint32_t a = 0; a < h->txn_count; a++)
        for (uint32_t b = 0; b < h->txn_count; b++) {
            uint32_t x = last_version(p, a, key), y = last_version(p, b, key);
            uint64_t x_place, y_place;

            if (a == b || x == HISTORY_NONE || y == HISTORY_NONE)
                continue;
            x_place = place_in_order(h, x);
            y_place = place_in_order(h, y);
            if (x_place > 0 && x_place < y_place) {
                struct clause *c = add(p);

                put(c, before(end_of(p, a), begin_of(p, b)));
                name(p, c, "version-order", NULL, key, "first", a, "second", b);
            }
            if (p->is_snapshot && a < b) {
                struct clause *c = add(p);

                put(c, before(end_of(p, a), begin_of(p, b)));
                put(c, before(end_of(p, b), begin_of(p, a)));
                name(p, c, "exclusive", NULL, key, "first", a, "second", b);
            }
        }
}

static void add_reads(struct prover *p, int n, const uint32_t *writers, int count)
{
    struct clause *c = add(p);

    for (int i = 0; i < count; i++)
        put(c, from(n, writers[i]));
    name(p, c, "reads", &p->reads[n], p->reads[n].key, NULL, 0, NULL, 0);
}

static void add_follows(struct prover *p, int n, uint32_t writer, bool is_certain)
{
    struct clause *c = add(p);

    if (!is_certain)
        put(c, from(n, writer) + 1);
    put(c, before(end_of(p, writer), begin_of(p, p->reads[n].txn)));
    name(p, c, "follows", &p->reads[n], p->reads[n].key, "from", writer, NULL, 0);
}

static void add_overwrites(struct prover *p, int n, uint32_t writer, bool is_certain)
{
    const struct read *r = &p->reads[n];

    for (uint32_t x = 0; x < p->h->txn_count; x++) {
        struct clause *c;

        if (x == writer || x == r->txn || last_version(p, x, r->key) == HISTORY_NONE)
            continue;
        c = add(p);
        if (!is_certain)
            put(c, from(n, writer) + 1);
        if (writer != NOBODY)
            put(c, before(end_of(p, x), begin_of(p, writer)));
        put(c, before(begin_of(p, r->txn), end_of(p, x)));
        name(p, c, "overwrites", r, r->key, "from", writer, "other", x);
    }
}

/* --- Reads of plain lists ----------------------------------------------------- */

struct plain {
    const int64_t *list;
    size_t length;
    struct element all[ELEMENTS_MAX];
    int all_count;
    int read[ELEMENTS_MAX]; /* by place in the list: which of all */
};

/* Finds the elements of others; false: the read is wrong. */
static bool match_plain(const struct prover *p, const struct read *r, struct plain *plain)
{
    const struct history *h = p->h;
    struct value value = history_value(h, r->op);

    plain->length = list_of(h, value, &plain->list);
    if (!is_null(h, value) && value.kind != VALUE_LIST)
        return false;
    for (uint32_t op = r->op; op-- > h->txn_op[r->txn];)
        if (is_version(h, op, r->key) &&
            (plain->length == 0 || plain->list[--plain->length] != h->op_value[op]))
            return false;
    for (size_t i = 0; i < plain->length; i++) {
        plain->read[i] = -1;
        for (int j = 0; j < plain->all_count; j++)
            if (plain->all[j].value == plain->list[i])
                plain->read[i] = j;
        if (plain->read[i] < 0 || plain->all[plain->read[i]].txn == r->txn)
            return false;
        for (size_t j = 0; j < i; j++)
            if (plain->read[i] == plain->read[j])
                return false;
    }
    return plain->length > 0 || plain->all_count == 0 || plain->all[0].txn != NOBODY;
}

/* Of every two elements, one before the other. */
static void add_prefixes(struct prover *p, int n, const struct plain *plain)
{
    const struct read *r = &p->reads[n];

    for (size_t i = 0; i < plain->length; i++)
        for (size_t j = i + 1; j < plain->length; j++) {
            uint32_t a = plain->all[plain->read[i]].txn, b = plain->all[plain->read[j]].txn;
            struct clause *c;

            if ((a == b && plain->read[i] < plain->read[j]) || (a == NOBODY && b != NOBODY))
                continue;
            c = add(p);
            if (a != b && b != NOBODY)
                put(c, before(end_of(p, a), begin_of(p, b)));
            name(p, c, "prefix", r, r->key, "first", a, "second", b);
        }
}

static void add_absences(struct prover *p, int n, const struct plain *plain)
{
    const struct read *r = &p->reads[n];

    for (int j = 0; j < plain->all_count; j++) {
        uint32_t x = plain->all[j].txn;
        bool is_read = x == r->txn;
        struct clause *c;

        for (size_t i = 0; i < plain->length; i++)
            is_read |= plain->read[i] == j;
        if (is_read)
            continue;
        c = add(p);
        if (x != NOBODY)
            put(c, before(begin_of(p, r->txn), end_of(p, x)));
        name(p, c, "absent", r, r->key, "other", x, NULL, 0);
    }
}

static void add_plain(struct prover *p, int n, struct plain *plain)
{
    uint32_t writer = NOBODY;

    if (!match_plain(p, &p->reads[n], plain)) {
        add_reads(p, n, NULL, 0);
        return;
    }
    for (size_t i = 0; i < plain->length; i++) {
        writer = plain->all[plain->read[i]].txn;
        if (writer != NOBODY)
            add_follows(p, n, writer, true);
    }
    add_overwrites(p, n, writer, true);
    add_prefixes(p, n, plain);
    add_absences(p, n, plain);
}

/* --- Other reads -------------------------------------------------------------- */

/* Whether a transaction left the value behind by the version: of appends, as far as they go. */
static bool holds_own(const struct history *h, uint32_t txn, uint32_t version, struct value value)
{
    const int64_t *list = NULL;
    size_t length = list_of(h, value, &list);
    uint32_t key = h->op_key[version];

    for (; version != HISTORY_NONE && h->op_kind[version] == OP_APPEND;
         version = version_before(h, txn, key, version))
        if (length == 0 || list[--length] != h->op_value[version])
            return false;
    if (version == HISTORY_NONE)
        return true;
    if (value.kind == VALUE_LIST) {
        const int64_t *held = NULL;
        struct value whole = history_value(h, version);
        size_t count = list_of(h, whole, &held);

        return (whole.kind == VALUE_LIST || is_null(h, whole)) && count == length &&
               (count == 0 || memcmp(held, list, count * sizeof *list) == 0);
    }
    return is_equal(h, history_value(h, version), value);
}

static bool is_candidate(const struct history *h, uint32_t version, struct value value)
{
    const int64_t *list = NULL;
    size_t length = list_of(h, value, &list);

    if (h->op_kind[version] == OP_APPEND)
        return length > 0 && list[length - 1] == h->op_value[version];
    return is_equal(h, history_value(h, version), value);
}

static int find_candidates(const struct prover *p, const struct read *r, const struct plain *all,
                           bool is_appended, uint32_t *writers)
{
    const struct history *h = p->h;
    struct value value = history_value(h, r->op);
    const int64_t *list = NULL;
    size_t length = list_of(h, value, &list);
    int count = 0;

    for (size_t i = 0; is_appended && i < length; i++) {
        bool is_known = false;

        for (int j = 0; j < all->all_count; j++)
            is_known |= all->all[j].value == list[i];
        if (!is_known)
            return 0;
    }
    if (is_equal(h, history_initial(h, r->key), value))
        writers[count++] = NOBODY;
    for (uint32_t t = 0; t < h->txn_count; t++) {
        uint32_t version = last_version(p, t, r->key);

        if (t != r->txn && version != HISTORY_NONE && is_candidate(h, version, value))
            writers[count++] = t;
    }
    return count;
}

static void add_read(struct prover *p, int n)
{
    const struct read *r = &p->reads[n];
    uint32_t own = version_before(p->h, r->txn, r->key, r->op), writers[TXNS_MAX + 1] = { 0 };
    struct plain plain = { 0 };
    bool is_appended, is_plain;
    int count;

    plain.all_count = list_elements(p, r->key, plain.all, &is_appended, &is_plain);
    if (is_plain) {
        add_plain(p, n, &plain);
        return;
    }
    if (own != HISTORY_NONE) {
        if (!holds_own(p->h, r->txn, own, history_value(p->h, r->op)))
            add_reads(p, n, NULL, 0);
        return;
    }
    count = find_candidates(p, r, &plain, is_appended, writers);
    if (count != 1)
        add_reads(p, n, writers, count);
    for (int i = 0; i < count; i++) {
        if (writers[i] != NOBODY)
            add_follows(p, n, writers[i], count == 1);
        add_overwrites(p, n, writers[i], count == 1);
    }
}

static void list_reads(struct prover *p)
{
    const struct history *h = p->h;

    for (uint32_t t = 0; t < h->txn_count; t++) {
        uint32_t place = 0;

        for (uint32_t op = h->txn_op[t]; op < h->txn_op[t + 1]; op++) {
            bool is_row = op_is_row(h->op_kind[op]);

            if (h->txn_status[t] == TXN_OK && op_is_read(h->op_kind[op]) &&
                !(h->op_flags[op] & OP_ERROR) && h->op_value_kind[op] != VALUE_NONE) {
                assert(p->read_count < READS_MAX);
                p->reads[p->read_count++] =
                    (struct read){ t, op, is_row ? place - 1 : place, h->op_key[op] };
            }
            place += !is_row;
        }
    }
}

/* --- Trying ------------------------------------------------------------------- */

static int truth_of(const struct prover *p, int literal)
{
    return literal % 2 ? -p->truth[literal / 2] : p->truth[literal / 2];
}

static void learn(struct prover *p, int literal)
{
    p->truth[literal / 2] = literal % 2 ? -1 : 1;
    p->trail[p->trail_count++] = literal / 2;
}

static void forget(struct prover *p, int count)
{
    while (p->trail_count > count)
        p->truth[p->trail[--p->trail_count]] = 0;
}

/* How many literals are open, with the first of them; -1: one is true. */
static int count_open(const struct prover *p, const struct clause *c, int *open)
{
    int count = 0;

    for (int i = 0; i < c->count; i++) {
        int truth = truth_of(p, c->literals[i]);

        if (truth > 0)
            return -1;
        if (truth == 0 && count++ == 0)
            *open = c->literals[i];
    }
    return count;
}

/* The clauses that tell something, in turn; true: until one cannot be. */
static bool propagate(struct prover *p)
{
    bool goes_on = true;

    while (goes_on) {
        goes_on = false;
        for (int i = 0; i < p->clause_count; i++) {
            int open = 0, count = count_open(p, &p->clauses[i], &open);

            if (count != 0 && count != 1)
                continue;
            p->by[p->by_count++] = i;
            if (count == 0)
                return true;
            learn(p, open);
            goes_on = true;
        }
    }
    return false;
}

static bool is_before(const struct prover *p, int a, int b)
{
    return a != b && truth_of(p, before(a, b)) > 0;
}

/* The shortest way from each point to itself, until there is one. */
static int find_cycle(const struct prover *p, int *cycle)
{
    int points = (int)p->h->txn_count * (p->is_snapshot ? 2 : 1);

    for (int start = 0; start < points; start++) {
        int queue[POINTS_MAX], parent[POINTS_MAX], first = 0, last = 0;

        memset(parent, -1, sizeof parent);
        queue[last++] = start;
        while (first < last) {
            int here = queue[first++], count = 0;

            if (here != start && is_before(p, here, start)) {
                for (; here != start; here = parent[here])
                    cycle[count++] = here;
                cycle[count++] = start;
                for (int i = 0; i < count / 2; i++) {
                    int swapped = cycle[i];

                    cycle[i] = cycle[count - 1 - i];
                    cycle[count - 1 - i] = swapped;
                }
                return count;
            }
            for (int next = 0; next < points; next++)
                if (next != start && parent[next] < 0 && is_before(p, here, next)) {
                    parent[next] = here;
                    queue[last++] = next;
                }
        }
    }
    return 0;
}

/* --- Writing ------------------------------------------------------------------ */

static void write_point(struct prover *p, int point)
{
    char id[24];

    if (p->is_snapshot)
        buffer_print(p->out, "\"%c%s\"", point % 2 ? 'c' : 'b',
                     name_of(p, (uint32_t)point / 2, id));
    else
        buffer_print(p->out, "%s", name_of(p, (uint32_t)point, id));
}

static void write_literal(struct prover *p, int literal)
{
    int variable = literal / 2, first = variable / POINTS_MAX, second = variable % POINTS_MAX;
    const struct read *r;
    char id[24];

    if (variable < POINTS_MAX * POINTS_MAX) {
        buffer_byte(p->out, '[');
        write_point(p, literal % 2 ? second : first);
        buffer_byte(p->out, ',');
        write_point(p, literal % 2 ? first : second);
        buffer_byte(p->out, ']');
        return;
    }
    variable -= POINTS_MAX * POINTS_MAX;
    r = &p->reads[variable / (TXNS_MAX + 1)];
    buffer_print(p->out, "{\"read\":[%s,%u],\"key\":", name_of(p, r->txn, id), r->place);
    buffer_json(p->out, history_key(p->h, r->key));
    buffer_print(p->out, ",\"%s\":%s}", literal % 2 ? "not-from" : "from",
                 name_of(p, (uint32_t)(variable % (TXNS_MAX + 1)), id));
}

static void begin_step(struct prover *p)
{
    buffer_print(p->out, "%s", p->step_count++ ? "," : "");
}

static void write_axiom(struct prover *p, struct clause *c)
{
    if (c->number >= 0)
        return;
    begin_step(p);
    c->number = p->step_count - 1;
    buffer_print(p->out, "%s", c->text);
    p->txns |= c->txns;
    p->has_session |= c->is_session;
    p->has_realtime |= c->is_realtime;
}

/* That what was decided so far cannot be. */
static void begin_derived(struct prover *p)
{
    begin_step(p);
    buffer_print(p->out, "{\"clause\":[");
    for (int i = 0; i < p->decision_count; i++) {
        buffer_print(p->out, "%s", i ? "," : "");
        write_literal(p, p->decisions[i] ^ 1);
    }
    buffer_print(p->out, "],\"by\":[");
}

static void write_leaf(struct prover *p, const int *cycle, int cycle_count)
{
    for (int i = 0; i < p->by_count; i++)
        write_axiom(p, &p->clauses[p->by[i]]);
    begin_derived(p);
    for (int i = 0; i < p->by_count; i++)
        buffer_print(p->out, "%s%d", i ? "," : "", p->clauses[p->by[i]].number);
    buffer_byte(p->out, ']');
    for (int i = 0; i < cycle_count; i++) {
        buffer_print(p->out, "%s", i ? "," : ",\"cycle\":[");
        write_point(p, cycle[i]);
    }
    buffer_print(p->out, "%s}", cycle_count ? "]" : "");
}

/* --- Choices ------------------------------------------------------------------ */

static enum prover_answer refute(struct prover *p);

static enum prover_answer decide(struct prover *p, int literal, int *step)
{
    int known = p->trail_count, by_count = p->by_count;
    enum prover_answer answer;

    if (p->decision_count == DEPTH_MAX)
        return PROVER_GAVE_UP;
    p->decisions[p->decision_count++] = literal;
    learn(p, literal);
    answer = refute(p);
    forget(p, known);
    p->by_count = by_count;
    p->decision_count--;
    *step = p->step_count - 1;
    return answer;
}

/* Some literal of a clause that has more than one. */
static int choose(const struct prover *p)
{
    for (int i = 0; i < p->clause_count; i++) {
        int open = 0;

        if (count_open(p, &p->clauses[i], &open) > 0)
            return open;
    }
    return -1;
}

static enum prover_answer refute(struct prover *p)
{
    int cycle[POINTS_MAX], cycle_count = 0, literal, first = 0, second = 0;
    bool is_refuted = propagate(p);

    if (!is_refuted)
        cycle_count = find_cycle(p, cycle);
    if (is_refuted || cycle_count > 0) {
        write_leaf(p, cycle, cycle_count);
        return ++p->leaf_count > LEAVES_MAX ? PROVER_GAVE_UP : PROVER_REFUTED;
    }
    literal = choose(p);
    if (literal < 0)
        return PROVER_FOUND;
    for (int i = 0; i < 2; i++) {
        enum prover_answer answer = decide(p, literal ^ i, i ? &second : &first);

        if (answer != PROVER_REFUTED)
            return answer;
    }
    begin_derived(p);
    buffer_print(p->out, "%d,%d]}", first, second);
    return PROVER_REFUTED;
}

/* --- The whole ---------------------------------------------------------------- */

static void write_head(struct prover *p, struct buffer *fields)
{
    const char *closing = p->has_realtime ? "-realtime" : p->has_session ? "-process" : "";
    bool is_first = true;

    buffer_print(fields, "\"kind\":\"%s%s\",\"transactions\":[",
                 p->is_snapshot ? "G-nonadjacent" : "G2-item", closing);
    for (uint32_t t = 0; t < p->h->txn_count; t++)
        if (p->txns >> t & 1) {
            char id[24];

            buffer_print(fields, "%s%s", is_first ? "" : ",", name_of(p, t, id));
            is_first = false;
        }
    buffer_print(fields, "],\"explanation\":\"\",\"refutation\":[");
}

enum prover_answer prover_refute(const struct history *h, enum level level, bool takes_part,
                                 struct buffer *fields)
{
    struct buffer steps = { 0 };
    struct prover *p = calloc(1, sizeof *p);
    enum prover_answer answer;

    assert(p && h->txn_count <= TXNS_MAX);
    *p = (struct prover){
        .h = h,
        .out = &steps,
        .is_snapshot = level == LEVEL_SNAPSHOT || level == LEVEL_SESSION_SNAPSHOT ||
                       level == LEVEL_STRICT_SNAPSHOT,
        .has_sessions = level == LEVEL_SESSION_SNAPSHOT || level == LEVEL_SESSION_SERIALIZABLE,
        .has_times = level == LEVEL_STRICT_SNAPSHOT || level == LEVEL_STRICT_SERIALIZABLE,
        .clauses = calloc(CLAUSES_MAX, sizeof *p->clauses),
    };
    assert(p->clauses);
    find_who_is_in(p, takes_part);
    list_reads(p);
    add_times(p);
    for (uint32_t key = 0; key < h->key_count; key++)
        add_writers(p, key);
    for (int n = 0; n < p->read_count; n++)
        add_read(p, n);
    answer = refute(p);
    if (answer == PROVER_REFUTED) {
        write_head(p, fields);
        buffer_text(fields, (struct text){ steps.at, steps.count });
        buffer_byte(fields, ']');
    }
    buffer_close(&steps);
    free(p->clauses);
    free(p);
    return answer;
}

bool prover_is_complete(const struct history *h)
{
    struct prover *p = calloc(1, sizeof *p);
    struct element elements[ELEMENTS_MAX];
    bool is_complete = h->statement_count == 0;

    assert(p);
    p->h = h;
    find_who_is_in(p, false);
    for (uint32_t key = 0; key < h->key_count; key++) {
        bool is_appended, is_plain;

        (void)list_elements(p, key, elements, &is_appended, &is_plain);
        is_complete &= !is_appended || is_plain;
    }
    free(p);
    return is_complete;
}
