#include "tests/checkers/interval/known_rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/random.h"
#include "history/io/source.h"
#include "history/jsonl/jsonl_read.h"

#define CLIENTS 5
#define KEYS 8
#define VALUES 12     /* from 1 on; 0: there is no row */
#define READS_MAX 16 /* of a transaction */
#define INSTANT 10   /* between one and the next */
#define NOT_WRITTEN -1
#define SKEW_MAX 60 /* instants by which a clock is off */

struct known_version {
    int64_t instant; /* or timestamp */
    int value;
};

/* A condition, and when it was asked; a key alone is one of all values. */
struct known_read {
    int64_t instant, txn;
    unsigned keys; /* a bit each */
    int low, high;
};

struct client {
    int64_t txn, session;
    int64_t skew;           /* of its clock */
    int64_t snapshot;       /* the instant of its first operation, or timestamp; 0: none yet */
    int64_t invoked, heard; /* of the transaction; the last answer */
    int own[KEYS];
    struct known_read reads[READS_MAX];
    unsigned read_count, ops_left, locked; /* locked: to write, a bit a key */
    bool is_ghost;                         /* its client has given it up, and it may still land */
    struct buffer told;
};

struct known {
    const struct known_options *options;
    struct random random;
    int64_t now, last_txn, last_session;
    ARRAY(struct known_version) rows[KEYS];
    ARRAY(struct known_read) marks; /* by timestamp, of all */
    struct client clients[CLIENTS];
    struct buffer told;
};

static bool one_in(struct known *k, uint64_t count)
{
    return random_below(&k->random, count) == 0;
}

/* --- Rows ----------------------------------------------------------------------------- */

static int value_at(const struct known *k, unsigned key, int64_t instant)
{
    size_t i = k->rows[key].count - 1;

    while (k->rows[key].at[i].instant > instant)
        i--;
    return k->rows[key].at[i].value;
}

static int newest(const struct known *k, unsigned key)
{
    return value_at(k, key, k->now);
}

static int64_t reads_as_of(const struct known *k, const struct client *c)
{
    return k->options->protocol == KNOWN_SNAPSHOT || k->options->protocol == KNOWN_TIMESTAMPS
               ? c->snapshot
               : k->now;
}

static int seen_by(struct known *k, const struct client *c, unsigned key)
{
    if (c->own[key] != NOT_WRITTEN)
        return c->own[key];
    if (k->options->lie_every > 0 && one_in(k, k->options->lie_every))
        return value_at(k, key, (int64_t)random_below(&k->random, (uint64_t)reads_as_of(k, c)));
    return value_at(k, key, reads_as_of(k, c));
}

/* No row matches a condition; but of a key it is read that there is none. */
static bool is_of(const struct known_read *read, unsigned key, int value)
{
    return (read->keys >> key & 1) && read->low <= value && value <= read->high;
}

/* --- Who is in whose way ---------------------------------------------------------------- */

/* Somebody else writes what is being read, before or after the write. */
static bool may_read(const struct known *k, const struct client *c, const struct known_read *read)
{
    for (const struct client *o = k->clients; o < k->clients + CLIENTS; o++)
        for (unsigned key = 0; o != c && k->options->protocol == KNOWN_LOCKS && key < KEYS; key++)
            if ((o->locked >> key & 1) &&
                (is_of(read, key, newest(k, key)) || is_of(read, key, o->own[key])))
                return false;
    return true;
}

static bool has_read(const struct client *c, unsigned key, int value)
{
    for (unsigned i = 0; i < c->read_count; i++)
        if (is_of(&c->reads[i], key, value))
            return true;
    return false;
}

static bool may_write(const struct known *k, const struct client *c, unsigned key, int value)
{
    const struct known_version *last = &k->rows[key].at[k->rows[key].count - 1];

    if (k->options->protocol == KNOWN_VALIDATION || k->options->protocol == KNOWN_TIMESTAMPS)
        return true;
    for (const struct client *o = k->clients; o < k->clients + CLIENTS; o++)
        if (o != c &&
            ((o->locked >> key & 1) ||
             (k->options->protocol == KNOWN_LOCKS &&
              (has_read(o, key, last->value) || has_read(o, key, value)))))
            return false;
    return k->options->protocol != KNOWN_SNAPSHOT || last->instant <= c->snapshot;
}

/* Whether nobody has changed since what was read, or into what was read. */
static bool is_current(const struct known *k, const struct known_read *read)
{
    for (unsigned key = 0; key < KEYS; key++)
        for (size_t i = 1; i < k->rows[key].count; i++)
            if (k->rows[key].at[i].instant > read->instant &&
                (is_of(read, key, k->rows[key].at[i].value) ||
                 is_of(read, key, k->rows[key].at[i - 1].value)))
                return false;
    return true;
}

/* Who comes later by its timestamp has read what this would change. */
static bool is_marked(const struct known *k, const struct client *c, unsigned key)
{
    const struct known_version *last = &k->rows[key].at[k->rows[key].count - 1];

    for (size_t i = 0; i < k->marks.count; i++)
        if (k->marks.at[i].txn != c->txn && k->marks.at[i].instant > c->snapshot &&
            (is_of(&k->marks.at[i], key, last->value) ||
             is_of(&k->marks.at[i], key, c->own[key])))
            return true;
    return last->instant > c->snapshot;
}

static bool is_valid(const struct known *k, const struct client *c)
{
    for (unsigned key = 0; k->options->protocol == KNOWN_TIMESTAMPS && key < KEYS; key++)
        if (c->own[key] != NOT_WRITTEN && is_marked(k, c, key))
            return false;
    for (unsigned i = 0; k->options->protocol == KNOWN_VALIDATION && i < c->read_count; i++)
        if (!is_current(k, &c->reads[i]))
            return false;
    return true;
}

/* --- Operations ------------------------------------------------------------------------- */

static bool read_keys(struct known *k, struct client *c, unsigned keys, int low, int high)
{
    struct known_read read = { reads_as_of(k, c), c->txn, keys, low, high };
    struct error unsaid;

    if (!may_read(k, c, &read))
        return false;
    c->reads[c->read_count++] = read;
    if (k->options->protocol != KNOWN_TIMESTAMPS)
        return true;
    if (array_push(&k->marks, read, &unsaid) != STATUS_OK)
        abort();
    return is_current(k, &read);
}

static bool write_key(struct known *k, struct client *c, unsigned key, int value)
{
    if (!may_write(k, c, key, value))
        return false;
    c->own[key] = value;
    c->locked |= 1U << key;
    return true;
}

static void tell_row(struct buffer *out, unsigned key, int value)
{
    if (value == 0)
        buffer_text(out, TEXT("null"));
    else
        buffer_print(out, "{\"id\":%u,\"v\":%d}", key, value);
}

static bool do_read(struct known *k, struct client *c)
{
    unsigned key = (unsigned)random_below(&k->random, KEYS);

    buffer_print(&c->told, "{\"r\":\"t/%u\",\"v\":", key);
    tell_row(&c->told, key, seen_by(k, c, key));
    return read_keys(k, c, 1U << key, 0, VALUES);
}

static bool do_write(struct known *k, struct client *c)
{
    unsigned key = (unsigned)random_below(&k->random, KEYS);
    int value = (int)random_below(&k->random, VALUES + 1);

    if (value == 0) {
        buffer_print(&c->told, "{\"d\":\"t/%u\"", key);
    } else if (one_in(k, 2)) {
        buffer_print(&c->told, "{\"w\":\"t/%u\",\"v\":", key);
        tell_row(&c->told, key, value);
    } else {
        buffer_print(&c->told, "{\"insert\":\"t\",\"rows\":{\"%u\":", key);
        tell_row(&c->told, key, value);
        buffer_byte(&c->told, '}');
    }
    return write_key(k, c, key, value);
}

static bool do_statement(struct known *k, struct client *c)
{
    static const char *const verbs[] = { "select", "select", "update", "delete" };
    unsigned verb = (unsigned)random_below(&k->random, ROW_COUNT(verbs)), count = 0;
    int low = (int)random_between(&k->random, 1, VALUES);
    int high = low + (int)random_below(&k->random, 2);
    int new = verb == 3 ? 0 : (int)random_between(&k->random, 1, VALUES);

    if (!read_keys(k, c, (1U << KEYS) - 1, low, high))
        return false;
    buffer_print(&c->told, "{\"%s\":\"t\",\"where\":\"v >= %d AND v <= %d\",\"rows\":{",
                 verbs[verb], low, high);
    for (unsigned key = 0; key < KEYS; key++) {
        int value = seen_by(k, c, key);

        if (value < low || value > high)
            continue;
        buffer_print(&c->told, "%s\"%u\":", count++ > 0 ? "," : "", key);
        tell_row(&c->told, key, verb < 2 ? value : new);
        if (verb >= 2 && !write_key(k, c, key, new))
            return false;
    }
    buffer_byte(&c->told, '}');
    return true;
}

/* --- Transactions ----------------------------------------------------------------------- */

static void begin(struct known *k, struct client *c)
{
    c->txn = ++k->last_txn;
    c->snapshot = 0;
    c->read_count = c->locked = 0;
    c->ops_left = 1 + (unsigned)random_below(&k->random, 6);
    for (unsigned key = 0; key < KEYS; key++)
        c->own[key] = NOT_WRITTEN;
    buffer_clear(&c->told);
}

static void tell_txn(struct known *k, const struct client *c, const char *status)
{
    buffer_print(&k->told,
                 "{\"txn\":%" PRId64 ",\"session\":%" PRId64 ",\"status\":\"%s\",\"at\":[%" PRId64
                 ",",
                 c->txn, c->session, status, c->invoked);
    if (strcmp(status, "unknown") == 0)
        buffer_text(&k->told, TEXT("null"));
    else
        buffer_int64(&k->told, c->heard);
    buffer_text(&k->told, TEXT("],\"ops\":["));
    buffer_text(&k->told, (struct text){ c->told.at, c->told.count });
    buffer_text(&k->told, TEXT("]}\n"));
}

static void install(struct known *k, const struct client *c)
{
    struct error unsaid;

    for (unsigned key = 0; key < KEYS; key++) {
        bool is_stamped = k->options->protocol == KNOWN_TIMESTAMPS;
        struct known_version new = { is_stamped ? c->snapshot : k->now, c->own[key] };

        if (c->own[key] != NOT_WRITTEN && array_push(&k->rows[key], new, &unsaid) != STATUS_OK)
            abort();
    }
}

static void renew(struct known *k, struct client *c)
{
    c->is_ghost = false;
    c->session = ++k->last_session;
    c->skew = INSTANT * random_between(&k->random, -SKEW_MAX, SKEW_MAX);
    c->heard = k->now;
    begin(k, c);
}

static void haunt(struct known *k, struct client *c)
{
    if (!one_in(k, 8))
        return;
    if (one_in(k, 2) && is_valid(k, c))
        install(k, c);
    renew(k, c);
}

/* When the answer comes: mostly soon. */
static int64_t hear(struct known *k)
{
    return k->now + (int64_t)random_below(&k->random, one_in(k, 6) ? 60 * INSTANT : 3 * INSTANT);
}

static void finish(struct known *k, struct client *c)
{
    bool commits;

    if (one_in(k, 8)) {
        tell_txn(k, c, "unknown");
        c->is_ghost = true;
        return;
    }
    commits = is_valid(k, c) && !one_in(k, 12);
    if (commits)
        install(k, c);
    c->heard = hear(k);
    tell_txn(k, c, commits ? "ok" : "abort");
    begin(k, c);
}

/* No two transactions have the same, and nobody reads as of before the beginning. */
static int64_t stamp_of(const struct known *k, const struct client *c)
{
    if (k->options->protocol != KNOWN_TIMESTAMPS)
        return k->now;
    return (k->now + c->skew + SKEW_MAX * INSTANT) * 1000 + c->txn;
}

static void do_something(struct known *k, struct client *c)
{
    static bool (*const all[])(struct known *, struct client *) = { do_read, do_write,
                                                                    do_statement, do_statement };
    int64_t sent = c->heard + 1 +
                   (int64_t)random_below(&k->random, (uint64_t)(k->now - c->heard));
    size_t before = c->told.count;

    if (c->snapshot == 0) {
        c->snapshot = stamp_of(k, c);
        c->invoked = sent;
    }
    if (c->told.count > 0)
        buffer_byte(&c->told, ',');
    c->ops_left--;
    if (!all[random_below(&k->random, ROW_COUNT(all))](k, c)) {
        c->told.count = before;
        c->heard = hear(k);
        tell_txn(k, c, "abort");
        begin(k, c);
        return;
    }
    c->heard = hear(k);
    buffer_print(&c->told, ",\"at\":[%" PRId64 ",%" PRId64 "]}", sent, c->heard);
}

static void step(struct known *k)
{
    struct client *c = &k->clients[random_below(&k->random, CLIENTS)];

    k->now += INSTANT;
    if (c->is_ghost)
        haunt(k, c);
    else if (c->heard >= k->now)
        return;
    else if (c->ops_left > 0)
        do_something(k, c);
    else
        finish(k, c);
}

/* --- The whole -------------------------------------------------------------------------- */

static void begin_all(struct known *k)
{
    struct error unsaid;
    bool is_first = true;

    buffer_text(&k->told,
                TEXT("{\"ordeal-history\":1,\"tables\":{\"t\":{\"columns\":{\"id\":\"bigint\","
                     "\"v\":\"bigint\"},\"key\":[\"id\"]}},\"initial\":{"));
    for (unsigned key = 0; key < KEYS; key++) {
        struct known_version first = { 0, (int)random_below(&k->random, VALUES + 1) };

        if (array_push(&k->rows[key], first, &unsaid) != STATUS_OK)
            abort();
        if (first.value == 0)
            continue;
        buffer_print(&k->told, "%s\"t/%u\":", is_first ? "" : ",", key);
        tell_row(&k->told, key, first.value);
        is_first = false;
    }
    buffer_text(&k->told, TEXT("}}\n"));
    for (unsigned i = 0; i < CLIENTS; i++)
        renew(k, &k->clients[i]);
}

static void read_back(const struct known *k, struct history *history)
{
    struct error err;
    struct source source;

    if (source_open_memory(&source, "known", k->told.at, k->told.count, &err) == STATUS_OK &&
        jsonl_read(&source, 0, history, &err) == STATUS_OK) {
        source_close(&source);
        return;
    }
    fprintf(stderr, "known history: %s\n", err.text);
    abort();
}

void known_history(const struct known_options *options, struct history *history)
{
    struct random_key key = random_key_of_seed(options->seed);
    struct known k = { .options = options };

    random_init(&k.random, &key);
    begin_all(&k);
    while (k.last_txn < (int64_t)options->txns + CLIENTS)
        step(&k);
    read_back(&k, history);
    for (unsigned i = 0; i < CLIENTS; i++)
        buffer_close(&k.clients[i].told);
    for (unsigned i = 0; i < KEYS; i++)
        array_close(&k.rows[i]);
    array_close(&k.marks);
    buffer_close(&k.told);
}
