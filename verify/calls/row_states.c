#include "verify/calls/row_states_private.h"

#include <assert.h>
#include <string.h>

#include "base/bisect.h"
#include "base/hash.h"
#include "verify/calls/grow_private.h"

/* A treap: a search tree that is a heap by random priorities. */
struct index_node {
    const struct packed *row; /* with the values under which the entry stands here */
    struct row_entry *entry;
    struct index_node *left, *right;
    uint64_t priority;
};

struct row_index {
    const struct relation *relation;
    const uint32_t *columns;
    uint32_t column_count;
    bool is_of_key; /* all of them are of the primary key */
    struct index_node *root;
    struct row_index *next;
};

#define FIRST_BUCKETS 1024

void row_states_open(struct row_store *store, const struct catalog *catalog, struct arena *arena)
{
    *store = (struct row_store){ .arena = arena, .catalog = catalog };
    store->bucket_count = FIRST_BUCKETS;
    store->buckets = arena_take(arena, store->bucket_count, sizeof(struct row_entry *));
    store->indexes = arena_take(arena, catalog->relation_count + 1, sizeof(struct row_index *));
    store->open_rows = arena_take(arena, catalog->relation_count + 1, sizeof *store->open_rows);
    store->run = 1;
}

/* --- Cells ------------------------------------------------------------------------------- */

struct item row_states_unpack(const struct packed *cell)
{
    struct item item = { .kind = cell->kind, .scale = cell->scale, .length = cell->length };

    switch (cell->kind) {
    case ITEM_NULL:
        break;
    case ITEM_NUMERIC:
        item.as.number = cell->is_boxed ? *cell->as.number : cell->as.integer;
        break;
    case ITEM_TEXT:
        item.as.text = cell->as.text;
        break;
    case ITEM_ARRAY:
        item.as.elements = cell->as.elements;
        break;
    default:
        item.as.integer = cell->as.integer;
    }
    return item;
}

struct packed row_states_pack(struct arena *arena, const struct item *item)
{
    struct packed cell = { .kind = item->kind, .scale = item->scale, .length = item->length };
    __int128 *number;
    char *text;

    switch (item->kind) {
    case ITEM_NULL:
        break;
    case ITEM_NUMERIC:
        cell.is_boxed = item->as.number != (int64_t)item->as.number;
        if (cell.is_boxed) {
            number = arena_take(arena, 1, sizeof *number);
            *number = item->as.number;
            cell.as.number = number;
        } else {
            cell.as.integer = (int64_t)item->as.number;
        }
        break;
    case ITEM_TEXT:
        text = arena_take(arena, item->length + 1, 1);
        if (item->length > 0)
            memcpy(text, item->as.text, item->length);
        cell.as.text = text;
        break;
    case ITEM_ARRAY: {
        struct item *elements = arena_take(arena, item->length + 1, sizeof *elements);

        if (item->length > 0)
            memcpy(elements, item->as.elements, item->length * sizeof *elements);
        cell.as.elements = elements;
        break;
    }
    default:
        cell.as.integer = item->as.integer;
    }
    return cell;
}

/* Nulls last, as in PostgreSQL's indexes. */
static int compare_items(const struct item *a, const struct item *b)
{
    if (item_is_null(a) || item_is_null(b))
        return (int)item_is_null(a) - (int)item_is_null(b);
    return item_compare(a, b);
}

static int compare_cells(const struct packed *a, const struct packed *b)
{
    struct item x, y;

    if (a->kind == ITEM_INTEGER && b->kind == ITEM_INTEGER)
        return (a->as.integer > b->as.integer) - (a->as.integer < b->as.integer);
    x = row_states_unpack(a);
    y = row_states_unpack(b);
    return compare_items(&x, &y);
}

int row_states_compare_keys(const struct relation *relation, const struct packed *a, const struct packed *b)
{
    for (uint32_t i = 0; i < relation->key.count; i++) {
        uint32_t column = relation->key.at[i];
        int order = compare_cells(&a[column], &b[column]);

        if (order != 0)
            return order;
    }
    return 0;
}

bool row_states_identical(const struct relation *relation, const struct packed *a, const struct packed *b)
{
    if (!a || !b)
        return a == b;
    for (uint32_t i = 0; i < relation->column_count; i++) {
        struct item x = row_states_unpack(&a[i]), y = row_states_unpack(&b[i]);

        if (!item_identical(&x, &y))
            return false;
    }
    return true;
}

/* --- Entries --------------------------------------------------------------------------------- */

static void grow_buckets(struct row_store *store)
{
    size_t count = store->bucket_count * 4;
    struct row_entry **buckets = arena_take(store->arena, count, sizeof *buckets);

    for (size_t i = 0; i < store->bucket_count; i++)
        for (struct row_entry *entry = store->buckets[i], *next; entry; entry = next) {
            next = entry->next;
            entry->next = buckets[entry->hash % count];
            buckets[entry->hash % count] = entry;
        }
    store->buckets = buckets;
    store->bucket_count = count;
}

static bool has_key(const struct row_entry *entry, const struct item *key)
{
    for (uint32_t i = 0; i < entry->relation->key.count; i++) {
        struct item own = row_states_unpack(&entry->any[entry->relation->key.at[i]]);

        if (!item_same(&own, &key[i]))
            return false;
    }
    return true;
}

struct row_entry *row_states_find(struct row_store *store, const struct relation *relation,
                            const struct item *key, bool makes)
{
    uint64_t hash = hash_number(relation->number);
    struct row_entry *entry;
    struct packed *any;

    for (uint32_t i = 0; i < relation->key.count; i++)
        hash = hash_mix(hash, item_hash(&key[i]));
    entry = store->buckets[hash % store->bucket_count];
    while (entry && !(entry->hash == hash && entry->relation == relation && has_key(entry, key)))
        entry = entry->next;
    if (entry || !makes)
        return entry;
    if (++store->entry_count > store->bucket_count)
        grow_buckets(store);
    entry = arena_take(store->arena, 1, sizeof *entry);
    any = arena_take(store->arena, relation->column_count, sizeof *any);
    for (uint32_t i = 0; i < relation->key.count; i++)
        any[relation->key.at[i]] = row_states_pack(store->arena, &key[i]);
    *entry = (struct row_entry){ .relation = relation,
                                 .any = any,
                                 .hash = hash,
                                 .next = store->buckets[hash % store->bucket_count] };
    store->buckets[hash % store->bucket_count] = entry;
    return entry;
}

uint32_t row_states_count(const struct row_entry *entry, uint32_t state)
{
    uint32_t count;

    if (entry->count > 0 && entry->versions[entry->count - 1].position <= state)
        return entry->count;
    BISECT(count, 0, entry->count, entry->versions[count].position <= state);
    return count;
}

const struct packed *row_states_at(const struct row_entry *entry, uint32_t state)
{
    uint32_t count = row_states_count(entry, state);

    return count > 0 ? entry->versions[count - 1].row : NULL;
}

static bool is_exception(const struct row_exception *exception, const struct row_entry *entry)
{
    if (exception->relation != entry->relation)
        return false;
    for (uint32_t i = 0; i < entry->relation->key.count; i++)
        if (compare_cells(&exception->key[i], &entry->any[entry->relation->key.at[i]]) != 0)
            return false;
    return true;
}

const struct packed *row_states_see(const struct row_store *store, struct row_entry *entry,
                              const struct row_view *view)
{
    uint32_t state = view->state, count;

    if (entry->own_run == store->run)
        return entry->own;
    for (uint32_t i = 0; i < view->exception_count; i++)
        if (is_exception(&view->exceptions[i], entry))
            state = view->exceptions[i].state;
    count = view->choose ? view->choose(view->context, entry, view->ignored) : row_states_count(entry, state);
    return count > 0 ? entry->versions[count - 1].row : NULL;
}

static bool is_in_doubt(const struct row_entry *entry)
{
    return entry->is_wild || entry->has_open;
}

/* --- Indexes ----------------------------------------------------------------------------------- */

static int compare_rows(const struct row_index *index, const struct packed *a, const struct packed *b)
{
    for (uint32_t i = 0; i < index->column_count; i++) {
        int order = compare_cells(&a[index->columns[i]], &b[index->columns[i]]);

        if (order != 0)
            return order;
    }
    return row_states_compare_keys(index->relation, a, b);
}

static void rotate(struct index_node **at, bool left_up)
{
    struct index_node *node = *at, *child = left_up ? node->left : node->right;

    if (left_up) {
        node->left = child->right;
        child->right = node;
    } else {
        node->right = child->left;
        child->left = node;
    }
    *at = child;
}

static void index_add(struct row_store *store, struct row_index *index, struct index_node **at,
                      struct row_entry *entry, const struct packed *row)
{
    int order;

    if (!*at) {
        struct index_node *node = arena_take(store->arena, 1, sizeof *node);

        *node = (struct index_node){ .row = row,
                                     .entry = entry,
                                     .priority = hash_mix(hash_number(++store->draws), HASH_ODD_2) };
        *at = node;
        return;
    }
    order = compare_rows(index, row, (*at)->row);
    if (order == 0)
        return; /* the key is the same, so this is the entry */
    index_add(store, index, order < 0 ? &(*at)->left : &(*at)->right, entry, row);
    if (order < 0 && (*at)->left->priority > (*at)->priority)
        rotate(at, true);
    else if (order > 0 && (*at)->right->priority > (*at)->priority)
        rotate(at, false);
}

static struct row_index *take_index(struct row_store *store, const struct relation *relation,
                                    const uint32_t *columns, uint32_t count)
{
    struct row_index *index = arena_take(store->arena, 1, sizeof *index);
    uint32_t *copy = arena_take(store->arena, count + 1, sizeof *copy);

    *index = (struct row_index){ .relation = relation,
                                 .columns = copy,
                                 .column_count = count,
                                 .is_of_key = true,
                                 .next = store->indexes[relation->number] };
    for (uint32_t i = 0; i < count; i++) {
        bool is_of_key = false;

        copy[i] = columns[i];
        for (uint32_t c = 0; c < relation->key.count; c++)
            is_of_key |= relation->key.at[c] == columns[i];
        index->is_of_key &= is_of_key;
    }
    store->indexes[relation->number] = index;
    return index;
}

static struct row_index *find_index(struct row_store *store, const struct relation *relation,
                                    const uint32_t *columns, uint32_t count)
{
    struct row_index *index = store->indexes[relation->number];

    for (; index; index = index->next)
        if (index->column_count == count &&
            (count == 0 || memcmp(index->columns, columns, count * sizeof *columns) == 0))
            return index;
    index = take_index(store, relation, columns, count);
    for (size_t i = 0; i < store->bucket_count; i++)
        for (struct row_entry *entry = store->buckets[i]; entry; entry = entry->next) {
            if (entry->relation != relation)
                continue;
            for (uint32_t v = 0; v < entry->count; v++)
                if (entry->versions[v].row)
                    index_add(store, index, &index->root, entry, entry->versions[v].row);
            if (entry->own_run == store->run && entry->own)
                index_add(store, index, &index->root, entry, entry->own);
            if (is_in_doubt(entry) && index->is_of_key)
                index_add(store, index, &index->root, entry, entry->any);
        }
    return index;
}

/* --- Searching ------------------------------------------------------------------------------------ */

struct row_search {
    struct row_store *store;
    const struct row_index *index;
    const struct row_range *range;
    const struct row_view *view;
    row_visitor *visit;
    void *context;
};

/* Below zero: all of the range is behind this row; above: before it. */
static int compare_to_range(const struct row_search *s, const struct packed *row)
{
    const struct row_range *range = s->range;

    for (uint32_t i = 0; i <= range->equal_count; i++) {
        struct item own;
        int order;

        if (i == range->equal_count && !range->low && !range->high)
            break;
        own = row_states_unpack(&row[range->columns[i]]);
        if (i < range->equal_count) {
            order = compare_items(&own, &range->equal[i]);
            if (order != 0)
                return order;
            continue;
        }
        if (item_is_null(&own))
            return 1; /* nulls are last, and between no bounds */
        if (range->low) {
            order = item_compare(&own, range->low);
            if (order < 0 || (order == 0 && range->low_excluded))
                return -1;
        }
        if (range->high) {
            order = item_compare(&own, range->high);
            if (order > 0 || (order == 0 && range->high_excluded))
                return 1;
        }
    }
    return 0;
}

/* An entry stands here under values that it may not have in this state: then it stands elsewhere, too. */
static bool is_here(const struct row_search *s, const struct index_node *node,
                    const struct packed *row)
{
    for (uint32_t i = 0; row != node->row && i < s->index->column_count; i++)
        if (compare_cells(&row[s->index->columns[i]], &node->row[s->index->columns[i]]) != 0)
            return false;
    return true;
}

static bool search(const struct row_search *s, const struct index_node *node)
{
    const struct packed *row;
    int order;

    if (!node)
        return true;
    order = compare_to_range(s, node->row);
    if (order < 0)
        return search(s, node->right);
    if (order > 0)
        return search(s, node->left);
    if (!search(s, s->range->backwards ? node->right : node->left))
        return false;
    row = row_states_see(s->store, node->entry, s->view);
    if (row && is_here(s, node, row) && !s->visit(s->context, node->entry, row))
        return false;
    return search(s, s->range->backwards ? node->left : node->right);
}

/* Whether its key is not outside the range: other columns may be anything. */
static bool may_be_within(const struct row_range *range, const struct row_entry *entry)
{
    for (uint32_t i = 0; i < entry->relation->key.count; i++)
        for (uint32_t k = 0; k < range->equal_count; k++) {
            struct item own = row_states_unpack(&entry->any[entry->relation->key.at[i]]);

            if (range->columns[k] == entry->relation->key.at[i] && compare_items(&own, &range->equal[k]) != 0)
                return false;
        }
    return true;
}

/*
 * Other indexes do not have them under all values that they may have: the view says whether one is in doubt in its
 * state.
 */
static void meet_open_rows(struct row_store *store, const struct relation *relation, const struct row_range *range,
                           const struct row_view *view)
{
    for (struct row_entry *entry = store->open_rows[relation->number]; entry; entry = entry->next_open)
        if (view->choose && entry->own_run != store->run && may_be_within(range, entry))
            view->choose(view->context, entry, view->ignored);
}

void row_states_search(struct row_store *store, const struct relation *relation,
                 const struct row_range *range, const struct row_view *view, row_visitor *visit,
                 void *context)
{
    struct row_search s = {
        .store = store, .range = range, .view = view, .visit = visit, .context = context
    };

    s.index = find_index(store, relation, range->columns, range->column_count);
    if (!s.index->is_of_key)
        meet_open_rows(store, relation, range, view);
    search(&s, s.index->root);
}

/* --- Writing ---------------------------------------------------------------------------------------- */

void row_states_begin(struct row_store *store)
{
    store->run++;
    store->written_count = 0;
}

struct packed *row_states_take(struct row_store *store, const struct relation *relation)
{
    return arena_take(store->arena, relation->column_count, sizeof(struct packed));
}

void row_states_write(struct row_store *store, struct row_entry *entry, const struct packed *row)
{
    store->writes++;
    if (entry->own_run != store->run) {
        GROW(store->arena, store->written, store->written_count, &store->written_room);
        store->written[store->written_count++] = entry;
    }
    entry->own_run = store->run;
    entry->own = row;
    for (struct row_index *index = store->indexes[entry->relation->number]; row && index;
         index = index->next)
        index_add(store, index, &index->root, entry, row);
}

void row_states_offer(struct row_store *store, struct row_entry *entry, const struct row_version *version)
{
    uint32_t at = entry->count;

    GROW(store->arena, entry->versions, entry->count, &entry->room);
    for (; at > 0 && entry->versions[at - 1].position > version->position; at--) {
        entry->versions[at] = entry->versions[at - 1];
        entry->projections = NULL;
    }
    entry->versions[at] = *version;
    entry->count++;
}

void row_states_commit(struct row_store *store, uint32_t position)
{
    for (uint32_t i = 0; i < store->written_count; i++) {
        struct row_entry *entry = store->written[i];

        assert(entry->count == 0 || entry->versions[entry->count - 1].position < position);
        row_states_offer(store, entry, &(struct row_version){ position, false, true, entry->own, 1 });
    }
    row_states_begin(store);
}

void row_states_doubt(struct row_store *store, struct row_entry *entry, bool in_any_state)
{
    struct row_entry **list = &store->open_rows[entry->relation->number];

    if (!is_in_doubt(entry)) {
        entry->next_open = *list;
        *list = entry;
        for (struct row_index *index = store->indexes[entry->relation->number]; index; index = index->next)
            if (index->is_of_key)
                index_add(store, index, &index->root, entry, entry->any);
    }
    entry->is_wild |= in_any_state;
    entry->has_open |= !in_any_state;
}

void row_states_rewind(struct row_store *store)
{
    memset(store->open_rows, 0, store->catalog->relation_count * sizeof *store->open_rows);
    for (size_t i = 0; i < store->bucket_count; i++)
        for (struct row_entry *entry = store->buckets[i]; entry; entry = entry->next) {
            entry->count = entry->count > 0 && entry->versions[0].position == 0;
            entry->projections = NULL;
            entry->is_wild = entry->has_open = false;
        }
}

void row_states_undo(struct row_entry *const *entries, uint32_t count,
               uint32_t position)
{
    for (uint32_t i = 0; i < count; i++)
        if (entries[i]->count > 0 && entries[i]->versions[entries[i]->count - 1].position == position)
            entries[i]->count--;
}
