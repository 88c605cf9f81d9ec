#include "predict/director/director.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "predict/director/directed.h"

/* --- Modes -------------------------------------------------------------------------------------- */

static const char *const mode_names[] = {
#define DIRECTOR_MODE_TEXT(enumerator, name, summary) [DIRECTOR_##enumerator] = name,
    DIRECTOR_MODES(DIRECTOR_MODE_TEXT)
#undef DIRECTOR_MODE_TEXT
};

const char *director_mode_name(enum director_mode mode)
{
    return mode_names[mode];
}

bool director_mode_of_text(struct text text, enum director_mode *mode)
{
    for (int i = 0; i < DIRECTOR_MODE_COUNT; i++)
        if (text_equal(text, text_of(mode_names[i]))) {
            *mode = (enum director_mode)i;
            return true;
        }
    return false;
}

static uint32_t choose_latest(void *context, const struct directed_read *read)
{
    (void)context;
    return read->count - 1;
}

static uint32_t choose_oldest(void *context, const struct directed_read *read)
{
    (void)context;
    (void)read;
    return 0;
}

/* The sessions that wrote candidates; the initial state is one of its own, behind all others. */
struct writing_sessions {
    uint64_t bits[DIRECTED_SESSIONS_MAX / 64 + 1];
};

static uint32_t session_of(const struct directed_version *v)
{
    return v->writer == DIRECTED_INITIAL ? DIRECTED_SESSIONS_MAX : v->session;
}

/* Marks the session. False: it had been. */
static bool is_new(struct writing_sessions *s, uint32_t session)
{
    uint64_t bit = UINT64_C(1) << session % 64;
    bool was_there = s->bits[session / 64] & bit;

    s->bits[session / 64] |= bit;
    return !was_there;
}

/* In the order in which they first come. */
static uint32_t session_number(const struct directed_read *read, uint64_t number)
{
    struct writing_sessions seen = { { 0 } };

    for (uint32_t i = 0;; i++) {
        assert(i < read->count);
        if (is_new(&seen, session_of(&read->candidates[i])) && number-- == 0)
            return session_of(&read->candidates[i]);
    }
}

static uint32_t choose_random(void *context, const struct directed_read *read)
{
    struct director_state *state = context;
    struct writing_sessions seen = { { 0 } };
    uint32_t sessions = 0, session, place;
    uint64_t versions = 0;

    if (read->count == 1)
        return 0;
    for (uint32_t i = 0; i < read->count; i++)
        sessions += is_new(&seen, session_of(&read->candidates[i]));
    session = session_number(read, random_below(&state->random, sessions));
    for (uint32_t i = 0; i < read->count; i++)
        versions += session_of(&read->candidates[i]) == session;
    versions = random_below(&state->random, versions);
    for (place = 0; session_of(&read->candidates[place]) != session || versions-- > 0; place++)
        ;
    return place;
}

static uint32_t choose_biased(void *context, const struct directed_read *read)
{
    struct director_state *state = context;

    if (read->count == 1)
        return 0;
    if (!random_chance(&state->random, (struct ratio){ 3, 4 }))
        return read->count - 1;
    return (uint32_t)random_below(&state->random, read->count - 1);
}

struct director director_of_mode(struct director_state *state, enum director_mode mode,
                                 const struct random_key *key)
{
    static director_choose *const choosers[] = {
        [DIRECTOR_LATEST] = choose_latest,
        [DIRECTOR_OLDEST] = choose_oldest,
        [DIRECTOR_RANDOM] = choose_random,
        [DIRECTOR_BIASED] = choose_biased,
    };

    state->mode = mode;
    random_init(&state->random, key);
    return (struct director){ choosers[mode], state };
}

/* --- Scripts ------------------------------------------------------------------------------------ */

/* A read that is wished for, or made. */
struct read_place {
    uint32_t session, position, statement;
    struct text key;
};

static struct read_place place_of(const struct wanted_read *w)
{
    return (struct read_place){ w->session, w->position, w->statement, w->key };
}

static uint64_t hash_place(const struct read_place *p)
{
    uint64_t hash = hash_bytes(p->key.at, p->key.length);

    hash = hash_number(hash ^ ((uint64_t)p->session << 32 | p->position));
    return hash_number(hash ^ p->statement);
}

static bool is_place(const struct wanted_read *w, const struct read_place *p)
{
    return w->session == p->session && w->position == p->position && w->statement == p->statement &&
           text_equal(w->key, p->key);
}

/* The slot of the wish for a read, or the free one where it would stand. */
static uint32_t *find_slot(const struct script *s, const struct read_place *p)
{
    size_t mask = s->slot_count - 1, i = (size_t)hash_place(p) & mask;

    while (s->slots[i] && !is_place(&s->wishes[s->slots[i] - 1], p))
        i = (i + 1) & mask;
    return &s->slots[i];
}

enum status script_init(struct script *s, const struct wanted_read *wishes, uint32_t count,
                        struct director fallback, struct error *err)
{
    *s = (struct script){ .wishes = wishes, .count = count, .fallback = fallback, .slot_count = 8 };
    while (s->slot_count < count * (size_t)2)
        s->slot_count *= 2;
    s->slots = calloc(s->slot_count, sizeof *s->slots);
    s->is_granted = calloc(count + (size_t)1, sizeof *s->is_granted);
    s->is_asked = calloc(count + (size_t)1, sizeof *s->is_asked);
    if (!s->slots || !s->is_granted || !s->is_asked)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for %u choices", (unsigned)count);
    for (uint32_t i = 0; i < count; i++) {
        struct read_place place = place_of(&wishes[i]);
        uint32_t *slot = find_slot(s, &place);

        if (*slot)
            return error_set(
                err, STATUS_BAD_INPUT,
                "two choices for one read: transaction %u of session %u, statement %u, %.*s",
                (unsigned)place.position, (unsigned)place.session, (unsigned)place.statement,
                TEXT_PRINT(place.key));
        *slot = i + 1;
    }
    return STATUS_OK;
}

void script_close(struct script *s)
{
    free(s->slots);
    free(s->is_granted);
    free(s->is_asked);
    array_close(&s->divergences);
    *s = (struct script){ .wishes = NULL };
}

static void diverge(struct script *s, uint32_t wish, enum divergence_kind kind)
{
    struct divergence divergence = { kind, wish };
    struct error ignored;

    if (array_push(&s->divergences, divergence, &ignored) != STATUS_OK)
        s->is_short = true;
}

static enum divergence_kind why_not(const struct directed_read *read, uint32_t writer)
{
    if (writer == DIRECTED_INITIAL)
        return DIVERGENCE_ILLEGAL;
    return writer < read->txn && directed_has_version(read->store, read->key, writer)
               ? DIVERGENCE_ILLEGAL
               : DIVERGENCE_ABSENT;
}

static uint32_t choose_wanted(void *context, const struct directed_read *read)
{
    struct script *s = context;
    struct read_place place = { read->session, read->position, read->statement,
                                directed_key_text(read->store, read->key) };
    uint32_t wish = *find_slot(s, &place), writer;
    const struct wanted_read *wanted;

    if (!wish) {
        s->others++;
        return s->fallback.choose(s->fallback.context, read);
    }
    wanted = &s->wishes[--wish];
    writer = wanted->is_initial
                 ? DIRECTED_INITIAL
                 : directed_find_txn(read->store, wanted->from_session, wanted->from_position);
    s->is_asked[wish] = true;
    for (uint32_t i = 0; i < read->count; i++)
        if (read->candidates[i].writer == writer && (wanted->is_initial || writer < read->txn)) {
            s->is_granted[wish] = true;
            return i;
        }
    diverge(s, wish, why_not(read, writer));
    return s->fallback.choose(s->fallback.context, read);
}

struct director script_director(struct script *s)
{
    return (struct director){ choose_wanted, s };
}

void script_finish(struct script *s)
{
    for (uint32_t i = 0; i < s->count; i++)
        if (!s->is_asked[i])
            diverge(s, i, DIVERGENCE_UNREAD);
}
