#include "record/faults.h"

#include <assert.h>

#include "base/quantity.h"

#define MS INT64_C(1000000)

const struct fault_facts fault_facts[DATABASE_FAULT_COUNT] = {
    [DATABASE_KILL] = { "kill", "kill", "has no server to kill", 0 },
    [DATABASE_PAUSE] = { "pause", "pause", "has no server to pause", 500 * MS },
    [DATABASE_PARTITION] = { "partition", "partition", "has no nodes that could be parted",
                             1000 * MS },
    [DATABASE_LATENCY] = { "latency", "slow network", "has no network that could be slow",
                           1000 * MS },
    [DATABASE_DISK_FULL] = { "disk-full", "full disk", "has no disk of its own to fill", 500 * MS },
    [DATABASE_CLOCK] = { "clock", "wrong clock", "has no clock to set", 1000 * MS },
};

enum status fault_wish_read(struct fault_wish *wish, enum database_fault kind, struct text given,
                            struct error *err)
{
    struct text every = given, lasts = { 0 };
    bool is_fine;

    *wish = (struct fault_wish){ .for_ns = fault_facts[kind].for_ns };
    text_take(&every, TEXT("every="));
    for (size_t i = 0; i < every.length; i++)
        if (every.at[i] == ',') {
            lasts = (struct text){ every.at + i, every.length - i };
            every.length = i;
        }
    is_fine = quantity_to_duration(every, &wish->every_ns) && wish->every_ns > 0;
    if (lasts.length > 0)
        is_fine = is_fine && text_take(&lasts, TEXT(",for=")) &&
                  quantity_to_duration(lasts, &wish->for_ns) && wish->for_ns >= 0;
    if (is_fine)
        return STATUS_OK;
    return error_set(err, STATUS_BAD_INPUT, "--%s takes every=2s or every=2s,for=500ms, not '%.*s'",
                     fault_facts[kind].name, (int)(given.length < 80 ? given.length : 80),
                     given.at);
}

/* --- When ------------------------------------------------------------------------------------- */

/* The first comes after a quarter to three quarters of the time between two. */
void faults_init(struct faults *f, const struct fault_wish wishes[DATABASE_FAULT_COUNT],
                 uint64_t seed, int64_t began_ns)
{
    struct random_key key = random_key_of_seed(seed);

    *f = (struct faults){ .lasts = false };
    for (int kind = 0; kind < DATABASE_FAULT_COUNT; kind++) {
        struct random_key own = random_key_fork(&key, "faults %s", fault_facts[kind].name);
        int64_t every = wishes[kind].every_ns;

        f->wishes[kind] = wishes[kind];
        random_init(&f->random[kind], &own);
        if (every > 0)
            f->next_ns[kind] =
                began_ns + random_between(&f->random[kind], every / 4, every - every / 4);
    }
}

bool faults_due(const struct faults *f, int64_t now_ns, struct fault_event *event)
{
    bool found = false;

    if (f->lasts) {
        *event = (struct fault_event){ f->kind, false, f->counts[f->kind] - 1 };
        return now_ns >= f->until_ns;
    }
    for (int kind = 0; kind < DATABASE_FAULT_COUNT; kind++) {
        if (f->wishes[kind].every_ns == 0 || f->next_ns[kind] > now_ns ||
            (found && f->next_ns[kind] >= f->next_ns[event->kind]))
            continue;
        *event = (struct fault_event){ (enum database_fault)kind, true, f->counts[kind] };
        found = true;
    }
    return found;
}

void faults_note(struct faults *f, const struct fault_event *event, int64_t now_ns)
{
    enum database_fault kind = event->kind;
    int64_t every = f->wishes[kind].every_ns;

    assert(event->begins != f->lasts);
    f->lasts = event->begins;
    if (!event->begins)
        return;
    f->kind = kind;
    f->until_ns = now_ns + f->wishes[kind].for_ns;
    f->counts[kind]++;
    /* Of what could not come while others lasted no more than one is made up for. */
    f->next_ns[kind] += random_between(&f->random[kind], every / 2, every + every / 2);
    if (f->next_ns[kind] < now_ns)
        f->next_ns[kind] = now_ns;
}
