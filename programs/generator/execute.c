#include "programs/generator/execute_private.h"

#include <assert.h>

#include "base/hash.h"
#include "programs/generator/emit_private.h"

#define TRIES_MAX 4 /* the last is at the latest place, where nobody stands in the way */

/* In its present try. */
struct transaction {
    struct generator *g;
    struct actor *actor;
    struct record *record;
    int64_t now;
    enum level_source source;
    int64_t seen_until; /* of one place */
    struct generated_replica *replica;
    int64_t floor; /* what a refused try was too early for */
    unsigned tries;
    bool is_refused;
};

static inline int64_t int64_max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* The lowest place that is still known, and not excluded. */
static int64_t lowest_place(const struct transaction *t)
{
    return int64_max(int64_max(t->now - t->g->window, 0), t->floor);
}

/*
 * An instant between two ticks: the number of commits makes it its own, as fewer
 * transactions commit within the window than a tick has nanoseconds.
 */
static int64_t draw_earlier_place(struct transaction *t)
{
    struct generator *g = t->g;
    int64_t lowest = lowest_place(t), place;

    if (g->rules.standing == STAND_AFTER_SESSION)
        lowest = int64_max(lowest, t->actor->last_place);
    if (lowest >= t->now || t->tries >= TRIES_MAX || random_below(&g->staleness, 2) == 0)
        return t->now;
    place = random_between(&g->staleness, lowest, t->now - 1) & ~(g->tick - 1);
    place += 1 + (int64_t)(g->commits % (uint64_t)(g->tick - 1));
    return place > lowest ? place : t->now;
}

/* At the latest a tick ago: until then all others have committed. */
static int64_t draw_snapshot(struct transaction *t, enum since since)
{
    int64_t lowest = lowest_place(t), latest = t->now - t->g->tick;

    if (since == SINCE_SESSION)
        lowest = int64_max(lowest, t->actor->last_place);
    if (since == SINCE_INVOCATION)
        lowest = int64_max(lowest, t->record->invoked);
    assert(lowest <= latest);
    return t->tries < TRIES_MAX ? random_between(&t->g->staleness, lowest, latest) : latest;
}

/* What another replica has seen comes with what it has done. */
static void pull(struct transaction *t, uint32_t from)
{
    struct generator *g = t->g;

    for (uint32_t r = 0; r < g->replica_count; r++)
        t->replica->seen_until[r] =
            int64_max(t->replica->seen_until[r], g->replicas[from].seen_until[r]);
    t->replica->seen_until[from] = t->now - g->tick;
}

static void bring_replica_up_to_date(struct transaction *t)
{
    struct generator *g = t->g;
    uint32_t own = t->actor->session % g->replica_count;
    uint32_t other = (uint32_t)random_below(&g->staleness, g->replica_count);

    if (other != own && random_below(&g->staleness, 4) == 0)
        pull(t, other);
    for (uint32_t r = 0; r < g->replica_count; r++)
        if (r != own && (t->tries > 0 || t->replica->seen_until[r] < lowest_place(t)))
            pull(t, r);
}

/* The latest that the replica has seen of anybody: from now on it has seen all until then. */
static int64_t even_out_replica(struct transaction *t)
{
    struct generator *g = t->g;
    int64_t place = 0;

    for (uint32_t r = 0; r < g->replica_count; r++)
        place = int64_max(place, t->replica->seen_until[r]);
    for (uint32_t r = 0; r < g->replica_count; r++)
        t->replica->seen_until[r] = place;
    return place;
}

/* Draws a place that has not been refused, and what is seen from it. */
static void choose_place(struct transaction *t, bool by_predicate)
{
    struct generator *g = t->g;

    t->record->place = t->now;
    t->source = g->rules.source;
    switch (t->source) {
    case SOURCE_PLACE:
        if (g->rules.standing != STAND_NOW)
            t->record->place = draw_earlier_place(t);
        t->seen_until = t->record->place;
        break;
    case SOURCE_SNAPSHOT:
        t->seen_until = draw_snapshot(t, g->rules.since);
        break;
    case SOURCE_STATEMENT:
        t->seen_until = lowest_place(t);
        break;
    case SOURCE_REPLICA:
        t->replica = &g->replicas[t->actor->session % g->replica_count];
        bring_replica_up_to_date(t);
        if (by_predicate) {
            t->source = SOURCE_SNAPSHOT;
            t->seen_until = even_out_replica(t);
        }
        break;
    case SOURCE_PART:
        if (by_predicate) {
            t->source = SOURCE_SNAPSHOT;
            t->seen_until = draw_snapshot(t, SINCE_SESSION);
        }
        break;
    }
    t->record->snapshot = t->source == SOURCE_SNAPSHOT ? t->seen_until : PLACE_NONE;
}

static bool sees(const struct transaction *t, const struct version *v)
{
    const struct generator *g = t->g;

    switch (t->source) {
    case SOURCE_PLACE:
    case SOURCE_SNAPSHOT:
    case SOURCE_STATEMENT:
        return v->place <= t->seen_until;
    case SOURCE_REPLICA:
        return v->place <= t->replica->seen_until[v->session % g->replica_count];
    case SOURCE_PART:
        return v->place <= t->now - g->window || v->session == t->actor->session ||
               (random_draw_at(&g->parts, (uint64_t)t->record->id << 32 | v->txn) & 1);
    }
    assert(!"a source that does not exist");
    return false;
}

/* The newest clean version of the slot's key that is seen, or VERSIONS_NONE. */
static uint32_t look_up(const struct transaction *t, uint32_t slot)
{
    const struct version *at = t->g->versions.pool.at;
    uint32_t version = t->g->versions.slots[slot].newest;

    while (version != VERSIONS_NONE && (at[version].dirty || !sees(t, &at[version])))
        version = at[version].older;
    return version;
}

/* One rolled back later, or one that its own writer overwrote. */
static uint32_t look_for_dirt(const struct transaction *t, uint32_t slot, uint32_t clean)
{
    const struct version *at = t->g->versions.pool.at;
    uint32_t version = t->g->versions.slots[slot].newest;

    for (; version != clean; version = at[version].older)
        if (at[version].dirty && sees(t, &at[version]))
            return version;
    if (clean != VERSIONS_NONE && at[clean].older != VERSIONS_NONE && at[at[clean].older].dirty)
        return at[clean].older;
    return clean;
}

/* Under SOURCE_STATEMENT each statement begins with a place not before the last one's. */
static void begin_statement(struct transaction *t)
{
    if (t->source == SOURCE_STATEMENT)
        t->seen_until = random_between(&t->g->staleness, t->seen_until, t->now - t->g->tick);
}

/* --- Values ------------------------------------------------------------------- */

static enum status set_list_value(struct generator *g, struct record *record, struct effect *effect,
                               struct error *err)
{
    const struct versions *v = &g->versions;
    uint32_t version = effect->seen.version;
    size_t length = version == VERSIONS_NONE ? 0 : (size_t)v->pool.at[version].number;
    const int64_t *elements = v->elements + (size_t)effect->slot * v->element_room;
    size_t start = record->elements.count;

    for (size_t i = 0; i < length; i++)
        TRY(array_push(&record->elements, elements[i], err));
    for (size_t i = 0; i < effect->seen.own; i++)
        if (g->own.at[i].slot == effect->slot)
            TRY(array_push(&record->elements, g->own.at[i].number, err));
    effect->value = (struct generated_txn){ .kind = VALUE_LIST,
                                    .element_start = (uint32_t)start,
                                    .element_count = (uint32_t)(record->elements.count - start) };
    return STATUS_OK;
}

static struct generated_txn value_seen(const struct generator *g, struct seen seen)
{
    struct generated_txn draft = {
        .kind = g->workload->shape == SHAPE_ROWS ? VALUE_ROW : VALUE_INTEGER,
    };

    if (seen.own) {
        draft.number = g->own.at[seen.own - 1].number;
        draft.tag = g->own.at[seen.own - 1].tag;
    } else if (seen.version != VERSIONS_NONE) {
        draft.number = g->versions.pool.at[seen.version].number;
        draft.tag = g->versions.pool.at[seen.version].tag;
    } else {
        draft.kind = VALUE_NULL;
    }
    return draft;
}

static enum status set_values(struct transaction *t, struct error *err)
{
    struct generator *g = t->g;
    struct record *record = t->record;

    for (size_t i = 0; i < g->own.count; i++)
        g->own.at[i].tag = ++g->last_tag;
    for (unsigned i = 0; i < record->effect_count; i++) {
        struct effect *effect = &record->effects[i];

        if (effect->kind == OP_READ && g->workload->shape == SHAPE_LISTS)
            TRY(set_list_value(g, record, effect, err));
        else if (effect->kind <= OP_REMOVE)
            effect->value = value_seen(g, effect->seen);
    }
    for (size_t i = 0; i < record->rows.count; i++) {
        struct effect_row *row = &record->rows.at[i];

        row->value = value_seen(g, row->seen);
        row->key = generator_key(g, row->key);
    }
    return STATUS_OK;
}

/* --- Versions ----------------------------------------------------------------- */

static void lengthen_list(struct generator *g, uint32_t slot, struct version *version)
{
    struct versions *v = &g->versions;
    uint32_t newest = v->slots[slot].newest;
    int64_t length = newest == VERSIONS_NONE ? 0 : v->pool.at[newest].number;

    assert(length < v->element_room);
    v->elements[(size_t)slot * v->element_room + (size_t)length] = version->number;
    version->number = length + 1;
}

static enum status install_write(struct transaction *t, size_t number, struct error *err)
{
    struct generator *g = t->g;
    const struct own_write *own = &g->own.at[number];
    bool is_last = g->versions.slots[own->slot].own == number + 1;
    bool aborts = t->record->status == TXN_ABORT;
    bool is_list = g->workload->shape == SHAPE_LISTS;
    struct version version = { .place = t->record->place,
                               .committed_at = t->now,
                               .number = own->number,
                               .tag = own->tag,
                               .txn = t->record->id,
                               .nth = is_last ? 0 : own->nth,
                               .session = t->actor->session,
                               .dirty = aborts || !is_last };

    if (is_list)
        lengthen_list(g, own->slot, &version);
    if (!version.dirty)
        TRY(emit_version(g, generator_key(g, own->slot), t->record->id, err));
    if (version.dirty && !is_list && !g->rules.dirty_reads)
        return STATUS_OK;
    return versions_add(&g->versions, own->slot, version, t->now - g->window, err);
}

static void retire_lists(struct generator *g)
{
    struct versions *v = &g->versions;

    for (size_t i = 0; i < g->own.count; i++) {
        uint32_t slot = g->own.at[i].slot, newest = v->slots[slot].newest;

        if (newest != VERSIONS_NONE && v->pool.at[newest].number >= LIST_LENGTH_MAX)
            versions_renew(v, slot, g->next_list++);
    }
}

/* Then puts its versions where others see them. */
static enum status add_versions(struct transaction *t, struct error *err)
{
    for (size_t i = 0; i < t->g->own.count; i++)
        TRY(install_write(t, i, err));
    if (t->g->workload->shape == SHAPE_LISTS)
        retire_lists(t->g);
    return STATUS_OK;
}

/* Of eight chances, how many take a dirty version that is there. */
#define DIRTY_EIGHTHS 4
#define ABORTS_ONE_IN 16

/* --- Reads and writes of keys ------------------------------------------------- */

static struct effect *add_effect(struct transaction *t, enum op_kind kind, uint32_t slot)
{
    struct effect *effect = &t->record->effects[t->record->effect_count++];

    *effect = (struct effect){ .kind = kind,
                               .slot = slot,
                               .key = generator_key(t->g, slot),
                               .seen = { 0, VERSIONS_NONE },
                               .snapshot = PLACE_NONE,
                               .row_start = (uint32_t)t->record->rows.count };
    return effect;
}

static void refuse(struct transaction *t, int64_t floor)
{
    t->is_refused = true;
    t->floor = int64_max(t->floor, floor);
}

static void note_seen_at(const struct transaction *t, struct effect *effect, uint32_t version)
{
    if (version != VERSIONS_NONE)
        effect->seen_at = int64_max(effect->seen_at, t->g->versions.pool.at[version].committed_at);
}

/* From now on, nobody writes this key at a place before `place`. */
static void protect(struct transaction *t, uint32_t slot, int64_t place)
{
    struct slot *s = &t->g->versions.slots[slot];

    if (t->g->rules.standing != STAND_NOW)
        s->read_place = int64_max(s->read_place, place);
}

static void name_source(const struct transaction *t, struct effect *effect)
{
    uint32_t version = effect->seen.version;

    effect->has_source = true;
    effect->source = (struct version_name){ .is_initial = version == VERSIONS_NONE };
    if (version == VERSIONS_NONE)
        return;
    effect->source.txn_id = t->g->versions.pool.at[version].txn;
    effect->source.nth = t->g->versions.pool.at[version].nth;
}

/* A statement does not end before the place that it reads at. */
static void name_snapshot(const struct transaction *t, struct effect *effect)
{
    effect->snapshot = t->seen_until;
    effect->seen_at = int64_max(effect->seen_at, t->seen_until);
}

/* A list with own elements must be the newest: they will stand behind all of it. */
static uint32_t look_before_own_append(struct transaction *t, uint32_t slot)
{
    uint32_t version = look_up(t, slot), newest = versions_newest(&t->g->versions, slot);

    if (version == newest)
        return version;
    if (t->source == SOURCE_STATEMENT)
        t->seen_until = t->g->versions.pool.at[newest].place;
    else
        refuse(t, t->g->versions.pool.at[newest].place);
    return newest;
}

static void read_key(struct transaction *t, uint32_t slot)
{
    struct generator *g = t->g;
    struct effect *effect = add_effect(t, OP_READ, slot);
    uint32_t own = g->versions.slots[slot].own, clean;

    effect->seen.own = own;
    begin_statement(t);
    if (own && g->workload->shape != SHAPE_LISTS)
        return;
    clean = own ? look_before_own_append(t, slot) : look_up(t, slot);
    effect->seen.version = clean;
    if (g->rules.dirty_reads && !own && random_below(&g->staleness, 8) < DIRTY_EIGHTHS)
        effect->seen.version = look_for_dirt(t, slot, clean);
    note_seen_at(t, effect, effect->seen.version);
    protect(t, slot, t->record->place);
    if (t->source == SOURCE_REPLICA || t->source == SOURCE_PART || effect->seen.version != clean)
        name_source(t, effect);
    else if (t->source == SOURCE_STATEMENT)
        name_snapshot(t, effect);
}

/* Whether somebody stands in the way of a write; then the try is refused. */
static bool check_write(struct transaction *t, uint32_t slot)
{
    const struct generator *g = t->g;
    const struct slot *s = &g->versions.slots[slot];
    uint32_t newest = versions_newest(&g->versions, slot);
    int64_t place = newest == VERSIONS_NONE ? INT64_MIN : g->versions.pool.at[newest].place;

    if (g->rules.standing != STAND_NOW && int64_max(place, s->read_place) > t->record->place)
        refuse(t, int64_max(place, s->read_place));
    if (g->rules.first_committer_wins && place > t->seen_until)
        refuse(t, place);
    if (t->source == SOURCE_REPLICA && g->workload->shape == SHAPE_LISTS &&
        newest != VERSIONS_NONE && !sees(t, &g->versions.pool.at[newest]))
        refuse(t, place);
    return !t->is_refused;
}

/* The number of the write, or 0 if it was refused. */
static enum status write_key(struct transaction *t, uint32_t slot, int64_t number, uint32_t *own,
                             struct error *err)
{
    struct generator *g = t->g;
    struct slot *s = &g->versions.slots[slot];
    uint32_t nth = s->own ? g->own.at[s->own - 1].nth + 1 : 1;

    *own = 0;
    if (!check_write(t, slot))
        return STATUS_OK;
    TRY(array_push(&g->own, ((struct own_write){ .slot = slot, .nth = nth, .number = number }),
                   err));
    *own = s->own = (uint32_t)g->own.count;
    return STATUS_OK;
}

static enum status write_item(struct transaction *t, uint32_t slot, int64_t number,
                              struct error *err)
{
    enum op_kind kind = t->g->workload->shape == SHAPE_LISTS ? OP_APPEND : OP_WRITE;
    struct effect *effect = add_effect(t, kind, slot);

    note_seen_at(t, effect, versions_newest(&t->g->versions, slot));
    return write_key(t, slot, number, &effect->seen.own, err);
}

static enum status add_row(struct transaction *t, struct effect *effect, uint32_t slot,
                           struct seen seen, struct error *err)
{
    struct effect_row row = { .key = slot, .seen = seen };

    effect->row_count++;
    return array_push(&t->record->rows, row, err);
}

/* An upsert: an INSERT where there is no row, else it is a write. */
static enum status insert_row(struct transaction *t, const struct mix_step *step, int64_t number,
                              struct error *err)
{
    const struct versions *v = &t->g->versions;
    struct seen seen = { 0, VERSIONS_NONE };
    struct effect *effect;

    if (t->g->workload->shape != SHAPE_ROWS || v->slots[step->key].own ||
        versions_newest(v, step->key) != VERSIONS_NONE)
        return write_item(t, step->key, number, err);
    effect = add_effect(t, OP_INSERT, step->key);
    TRY(write_key(t, step->key, number, &seen.own, err));
    return add_row(t, effect, step->key, seen, err);
}

/* --- Statements --------------------------------------------------------------- */

/* The row that the transaction sees; false if there is none. */
static bool see_row(const struct transaction *t, uint32_t slot, struct seen *seen, int64_t *number)
{
    const struct generator *g = t->g;

    *seen = (struct seen){ .own = g->versions.slots[slot].own, .version = VERSIONS_NONE };
    if (seen->own) {
        *number = g->own.at[seen->own - 1].number;
        return true;
    }
    seen->version = look_up(t, slot);
    if (seen->version == VERSIONS_NONE)
        return false;
    *number = g->versions.pool.at[seen->version].number;
    return true;
}

static bool is_asked_for(const struct generator *g, const struct mix_step *step, int64_t number)
{
    return g->workload->mix->range == RANGE_OF_KEYS || (number >= step->low && number <= step->high);
}

/* Finds the rows that the step asks for. */
static enum status match_rows(struct transaction *t, const struct mix_step *step, struct effect *effect,
                              struct error *err)
{
    int64_t place = effect->snapshot == PLACE_NONE ? t->record->place : effect->snapshot;

    for (uint32_t slot = step->key; slot <= step->last_key; slot++) {
        struct seen seen;
        int64_t number;
        bool matches = see_row(t, slot, &seen, &number) && is_asked_for(t->g, step, number);

        note_seen_at(t, effect, seen.version);
        protect(t, slot, matches ? t->record->place : place);
        if (matches)
            TRY(add_row(t, effect, slot, seen, err));
    }
    return STATUS_OK;
}

/* Whether the rows that matched at an earlier place are at the transaction's still the same. */
static bool rows_are_current(struct transaction *t, const struct effect *effect)
{
    int64_t earlier = t->seen_until;
    bool same = true;

    t->seen_until = t->record->place;
    for (uint32_t i = 0; i < effect->row_count && same; i++) {
        const struct effect_row *row = &t->record->rows.at[effect->row_start + i];
        same = row->seen.own || look_up(t, row->key) == row->seen.version;
    }
    t->seen_until = earlier;
    return same;
}

/* Matches at an earlier place, so that it may miss rows, but none that it returns is stale. */
static enum status match_with_phantoms(struct transaction *t, const struct mix_step *step,
                                       struct effect *effect, struct error *err)
{
    struct generator *g = t->g;
    int64_t lowest = int64_max(t->now - g->window, 0);
    int64_t latest = int64_max(lowest, t->record->place - g->tick);

    t->seen_until = random_between(&g->staleness, lowest, latest) & ~(g->tick - 1);
    effect->snapshot = t->seen_until;
    TRY(match_rows(t, step, effect, err));
    if (!rows_are_current(t, effect)) {
        effect->snapshot = PLACE_NONE;
        t->record->rows.count = effect->row_start;
        effect->row_count = 0;
        t->seen_until = t->record->place;
        TRY(match_rows(t, step, effect, err));
    }
    t->seen_until = t->record->place;
    return STATUS_OK;
}

static void name_range(const struct transaction *t, const struct mix_step *step, struct effect *effect)
{
    const struct generator *g = t->g;

    effect->column = g->workload->mix->range == RANGE_OF_KEYS ? KEY_COLUMN : VALUE_COLUMN;
    effect->low = step->low;
    effect->high = step->high;
    if (g->workload->mix->range == RANGE_OF_KEYS) {
        effect->low = generator_key(g, step->key);
        effect->high = generator_key(g, step->last_key);
    }
}

static enum status match(struct transaction *t, const struct mix_step *step, struct effect *effect,
                         struct error *err)
{
    name_range(t, step, effect);
    begin_statement(t);
    if (t->source == SOURCE_STATEMENT)
        name_snapshot(t, effect);
    if (t->g->rules.phantoms && effect->kind == OP_SELECT &&
        random_below(&t->g->staleness, 2) == 0)
        return match_with_phantoms(t, step, effect, err);
    return match_rows(t, step, effect, err);
}

static enum status select_rows(struct transaction *t, const struct mix_step *step, struct error *err)
{
    return match(t, step, add_effect(t, OP_SELECT, step->key), err);
}

static int64_t row_number(const struct generator *g, const struct effect_row *row)
{
    return row->seen.own ? g->own.at[row->seen.own - 1].number
                         : g->versions.pool.at[row->seen.version].number;
}

static enum status aggregate(struct transaction *t, const struct mix_step *step, struct error *err)
{
    struct effect *effect = add_effect(t, OP_SELECT, step->key);
    bool is_minimum = step->kind == STEP_MINIMUM;

    TRY(match(t, step, effect, err));
    effect->aggregate = is_minimum ? "min(" VALUE_COLUMN ")" : "max(" VALUE_COLUMN ")";
    effect->value = (struct generated_txn){ .kind = VALUE_NULL };
    for (uint32_t i = 0; i < effect->row_count; i++) {
        int64_t number = row_number(t->g, &t->record->rows.at[effect->row_start + i]);
        if (i == 0 || (is_minimum ? number < effect->value.number : number > effect->value.number))
            effect->value = (struct generated_txn){ .kind = VALUE_INTEGER, .number = number };
    }
    effect->row_count = 0;
    t->record->rows.count = effect->row_start;
    return STATUS_OK;
}

static enum status update_rows(struct transaction *t, const struct mix_step *step, struct error *err)
{
    struct generator *g = t->g;
    struct effect *effect = add_effect(t, OP_UPDATE, step->key);
    uint64_t values = (uint64_t)mix_values(&g->draw);

    TRY(match(t, step, effect, err));
    for (uint32_t i = 0; i < effect->row_count && !t->is_refused; i++) {
        struct effect_row *row = &t->record->rows.at[effect->row_start + i];
        uint64_t word = hash_number((uint64_t)step->number << 32 ^ row->key);

        note_seen_at(t, effect, versions_newest(&g->versions, row->key));
        TRY(write_key(t, row->key, (int64_t)(word % values), &row->seen.own, err));
    }
    return STATUS_OK;
}

/* --- The whole ---------------------------------------------------------------- */

static enum status run_step(struct transaction *t, const struct mix_step *step, int64_t number,
                            struct error *err)
{
    if (t->g->workload->mix->range == RANGE_OF_VALUES)
        number = step->number;
    switch (step->kind) {
    case STEP_READ:
        read_key(t, step->key);
        return STATUS_OK;
    case STEP_WRITE:
        return write_item(t, step->key, number, err);
    case STEP_INCREMENT:
        read_key(t, step->key);
        return write_item(t, step->key, number, err);
    case STEP_INSERT:
        return insert_row(t, step, number, err);
    case STEP_SELECT:
        return select_rows(t, step, err);
    case STEP_MINIMUM:
    case STEP_MAXIMUM:
        return aggregate(t, step, err);
    case STEP_UPDATE:
        return update_rows(t, step, err);
    }
    assert(!"a step that does not exist");
    return STATUS_OK;
}

static bool is_by_predicate(const struct generator *g)
{
    for (int64_t i = 0; i < g->options->operations; i++)
        if (step_is_by_predicate(g->steps[i].kind))
            return true;
    return false;
}

static void forget_own_writes(struct generator *g)
{
    for (size_t i = 0; i < g->own.count; i++)
        g->versions.slots[g->own.at[i].slot].own = 0;
    g->own.count = 0;
}

static void begin_try(struct transaction *t, bool by_predicate)
{
    assert(t->tries <= TRIES_MAX);
    forget_own_writes(t->g);
    t->record->rows.count = 0;
    t->record->effect_count = 0;
    t->is_refused = false;
    choose_place(t, by_predicate);
}

/* Tries places until one is not refused. At the last, nobody stands further on. */
static enum status run_steps(struct transaction *t, struct error *err)
{
    struct generator *g = t->g;
    bool by_predicate = is_by_predicate(g);
    int64_t first_number = (int64_t)t->record->id * g->options->operations;

    for (;; t->tries++) {
        begin_try(t, by_predicate);
        for (int64_t i = 0; i < g->options->operations && !t->is_refused; i++)
            TRY(run_step(t, &g->steps[i], first_number + i, err));
        if (!t->is_refused)
            break;
    }
    /* Nor does the first operation end before the snapshot that all read. */
    if (t->source == SOURCE_SNAPSHOT)
        t->record->effects[0].seen_at =
            int64_max(t->record->effects[0].seen_at, t->record->snapshot);
    return STATUS_OK;
}

enum status execute_transaction(struct generator *g, struct actor *actor, int64_t now, struct error *err)
{
    struct transaction t = {
        .g = g, .actor = actor, .record = generator_record(g, actor->id), .now = now
    };

    mix_draw(&g->draw, &g->program, g->steps, (unsigned)g->options->operations);
    if (g->rules.dirty_reads && g->workload->shape != SHAPE_LISTS &&
        random_below(&g->staleness, ABORTS_ONE_IN) == 0)
        t.record->status = TXN_ABORT;
    TRY(run_steps(&t, err));
    TRY(set_values(&t, err));
    TRY(add_versions(&t, err));
    forget_own_writes(g);
    if (t.record->status == TXN_OK)
        actor->last_place = t.record->place;
    if (g->rules.source == SOURCE_REPLICA)
        t.replica->seen_until[actor->session % g->replica_count] = now;
    t.record->is_done = true;
    return STATUS_OK;
}
