#include "tests/audit/key_value_log.h"

#include <assert.h>
#include <string.h>

#include "base/random.h"

#define TXNS_MAX 100
#define KEYS_MAX 16
#define CLIENTS_MAX 16
#define STEPS_MAX 3
#define NOBODY UINT32_MAX

enum step_kind { STEP_READ, STEP_WRITE, STEP_ADD };

struct step {
    enum step_kind kind;
    unsigned key, value; /* that is read, in the end */
};

struct txn {
    bool is_open, has_written;
    unsigned step, step_count, ts, session;
    struct step steps[STEPS_MAX];
    int64_t invoked, completed;
    bool owns[KEYS_MAX]; /* what it has written, and locked */
    unsigned own[KEYS_MAX];
};

struct database {
    const struct key_value_spec *spec;
    struct random dice;
    unsigned first[KEYS_MAX], data[KEYS_MAX], commits, begun, done;
    struct txn txns[TXNS_MAX];
    unsigned at_work[CLIENTS_MAX]; /* by client: its transaction, or NOBODY */
    int64_t now;
};

static unsigned below(struct database *d, unsigned bound)
{
    return (unsigned)random_below(&d->dice, bound);
}

static void begin(struct database *d, struct txn *t, unsigned session)
{
    *t = (struct txn){ .is_open = true, .session = session, .invoked = d->now, .step_count = 1 + below(d, STEPS_MAX) };
    for (unsigned i = 0; i < t->step_count; i++) {
        t->steps[i].kind = below(d, 9) < 4 ? STEP_READ : below(d, 2) ? STEP_WRITE : STEP_ADD;
        t->steps[i].key = below(d, d->spec->keys);
        t->steps[i].value = t->steps[i].kind == STEP_ADD ? 1 + below(d, d->spec->values - 1) : below(d, d->spec->values);
    }
}

static bool is_locked(const struct database *d, const struct txn *by_another, unsigned key)
{
    for (unsigned i = 0; i < d->begun; i++)
        if (&d->txns[i] != by_another && d->txns[i].is_open && d->txns[i].owns[key])
            return true;
    return false;
}

static void do_step(struct database *d, struct txn *t)
{
    struct step *s = &t->steps[t->step];
    unsigned seen = t->owns[s->key] ? t->own[s->key] : d->data[s->key];

    if (s->kind == STEP_READ) {
        s->value = seen;
    } else if (is_locked(d, t, s->key)) {
        if (below(d, 16) == 0)
            begin(d, t, t->session);
        return;
    } else {
        t->owns[s->key] = t->has_written = true;
        t->own[s->key] = s->kind == STEP_WRITE ? s->value : (seen + s->value) % d->spec->values;
    }
    t->step++;
}

static void commit(struct database *d, struct txn *t)
{
    for (unsigned k = 0; k < d->spec->keys; k++)
        if (t->owns[k])
            d->data[k] = t->own[k];
    t->is_open = false;
    t->completed = d->now;
    t->ts = t->has_written ? ++d->commits : 0;
    d->done++;
}

static void run(struct database *d)
{
    for (unsigned k = 0; k < d->spec->keys; k++)
        d->first[k] = d->data[k] = below(d, d->spec->values);
    memset(d->at_work, 0xff, sizeof d->at_work);
    while (d->done < d->spec->txns) {
        unsigned client = below(d, d->spec->clients), *txn = &d->at_work[client];

        d->now += 10;
        if (*txn == NOBODY && d->begun < d->spec->txns) {
            *txn = d->begun++;
            begin(d, &d->txns[*txn], client);
        } else if (*txn != NOBODY && d->txns[*txn].step < d->txns[*txn].step_count) {
            do_step(d, &d->txns[*txn]);
        } else if (*txn != NOBODY) {
            commit(d, &d->txns[*txn]);
            *txn = NOBODY;
        }
    }
}

/* Of the reads one, at random. */
static void change_answer(struct database *d)
{
    struct step *reads[TXNS_MAX * STEPS_MAX];
    unsigned count = 0, read;

    for (unsigned i = 0; i < d->spec->txns; i++)
        for (unsigned k = 0; k < d->txns[i].step_count; k++)
            if (d->txns[i].steps[k].kind == STEP_READ)
                reads[count++] = &d->txns[i].steps[k];
    if (count == 0)
        return;
    read = below(d, count);
    if (d->spec->change == KEY_VALUE_UNHEARD)
        reads[read]->value = d->spec->values;
    else
        reads[read]->value = (reads[read]->value + 1 + below(d, d->spec->values - 1)) % d->spec->values;
}

static void put_txn(const struct database *d, unsigned number, struct buffer *out)
{
    const struct txn *t = &d->txns[number];
    const char *comma = "";

    buffer_print(out, "{\"txn\":%u,\"session\":%u,\"statements\":[", number, t->session);
    for (unsigned i = 0; i < t->step_count; i++, comma = ",") {
        const struct step *s = &t->steps[i];

        if (s->kind == STEP_READ)
            buffer_print(out, "%s{\"sql\":\"SELECT v FROM kv WHERE k = %u\"}", comma, s->key);
        else if (s->kind == STEP_WRITE)
            buffer_print(out, "%s{\"sql\":\"UPDATE kv SET v = %u WHERE k = %u\"}", comma, s->value, s->key);
        else
            buffer_print(out, "%s{\"sql\":\"UPDATE kv SET v = (v + %u) %% %u WHERE k = %u\"}", comma, s->value,
                         d->spec->values, s->key);
    }
    buffer_print(out, "],\"status\":\"ok\"");
    if (d->spec->has_times)
        buffer_print(out, ",\"at\":[%lld,%lld]", (long long)t->invoked, (long long)t->completed);
    if (t->ts > 0)
        buffer_print(out, ",\"ts\":%u", t->ts);
    buffer_print(out, ",\"answers\":[");
    comma = "";
    for (unsigned i = 0; i < t->step_count; i++, comma = ",") {
        if (t->steps[i].kind == STEP_READ)
            buffer_print(out, "%s{\"rows\":[[\"%u\"]]}", comma, t->steps[i].value);
        else
            buffer_print(out, "%s{\"count\":1}", comma);
    }
    buffer_print(out, "]}\n");
}

void key_value_log(const struct key_value_spec *spec, struct buffer *out)
{
    const struct random_key key = random_key_of_seed(spec->seed);
    struct database d = { .spec = spec };
    const char *comma = "";

    assert(spec->txns <= TXNS_MAX && spec->keys <= KEYS_MAX && spec->clients <= CLIENTS_MAX);
    assert(spec->values >= 2);
    random_init(&d.dice, &key);
    run(&d);
    if (spec->change != KEY_VALUE_RIGHT)
        change_answer(&d);
    buffer_clear(out);
    buffer_print(out, "{\"ordeal-log\":1,\"rows\":{\"kv\":[");
    for (unsigned k = 0; k < spec->keys; k++, comma = ",")
        buffer_print(out, "%s{\"k\":\"%u\",\"v\":\"%u\"}", comma, k, d.first[k]);
    buffer_print(out, "]}}\n");
    for (unsigned i = 0; i < spec->txns; i++)
        put_txn(&d, i, out);
    buffer_byte(out, '\0');
}
