#include "programs/workloads/listed.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

void listed_close(struct listed *listing)
{
    array_close(&listing->txns);
    array_close(&listing->ops);
    buffer_close(&listing->calls);
}

static struct listed_txn *last_of(struct listed *listing)
{
    assert(listing->txns.count > 0 || listing->is_short);
    return listing->txns.count > 0 ? &listing->txns.at[listing->txns.count - 1] : NULL;
}

void listed_begin(struct listed *listing, uint32_t client)
{
    struct listed_txn txn = { .client = client };
    struct error err;

    if (array_push(&listing->txns, txn, &err) != STATUS_OK)
        listing->is_short = true;
}

void listed_add(struct listed *listing, struct listed_op op)
{
    struct listed_txn *txn = last_of(listing);
    struct error err;

    if (listing->is_short || array_push(&listing->ops, op, &err) != STATUS_OK) {
        listing->is_short = true;
        return;
    }
    if (txn->count++ == 0)
        txn->first = (uint32_t)(listing->ops.count - 1);
}

void listed_add_call(struct listed *listing, struct text call)
{
    struct listed_txn *txn = last_of(listing);

    if (listing->is_short)
        return;
    txn->first = (uint32_t)listing->calls.count;
    txn->count = (uint32_t)call.length;
    buffer_text(&listing->calls, call);
    listing->is_short = listing->calls.out_of_memory;
}

void listed_place(struct listed *listing, int64_t at_ns, uint32_t node)
{
    struct listed_txn *txn = last_of(listing);

    if (!txn)
        return;
    txn->at_ns = at_ns;
    txn->node = node;
}

const struct listed_op *listed_ops(const struct listed *listing, const struct listed_txn *txn)
{
    return txn->count > 0 ? &listing->ops.at[txn->first] : NULL;
}

struct text listed_call(const struct listed *listing, const struct listed_txn *txn)
{
    if (txn->count == 0)
        return TEXT("");
    return (struct text){ listing->calls.at + txn->first, txn->count };
}

void listed_copy(struct listed *listing, const struct listed *from,
                  const struct listed_txn *txn)
{
    listed_begin(listing, txn->client);
    if (from->calls.count > 0)
        listed_add_call(listing, listed_call(from, txn));
    else
        for (uint32_t i = 0; i < txn->count; i++)
            listed_add(listing, from->ops.at[txn->first + i]);
    listed_place(listing, txn->at_ns, txn->node);
}

enum status listed_status(const struct listed *listing, struct error *err)
{
    return listing->is_short ? error_set(err, STATUS_OVER_LIMIT, "no memory for a listing")
                             : STATUS_OK;
}

/* --- Whose turn it is ------------------------------------------------------------------------- */

static enum status check_clients(const struct listed *listing, uint32_t client_count,
                                 struct error *err)
{
    for (size_t i = 0; i < listing->txns.count; i++)
        if (listing->txns.at[i].client >= client_count)
            return error_set(err, STATUS_BAD_INPUT,
                             "a transaction is of session %" PRIu32 ", and there are %" PRIu32,
                             listing->txns.at[i].client, client_count);
    return STATUS_OK;
}

/* By counting, which keeps the order within a client. */
enum status listed_turns_init(struct listed_turns *turns, const struct listed *listing,
                               uint32_t client_count, struct arena *arena, struct error *err)
{
    uint32_t sum = 0;

    *turns = (struct listed_turns){ .listing = listing, .client_count = client_count };
    TRY(check_clients(listing, client_count, err));
    turns->starts = arena_push(arena, client_count + 2u, sizeof *turns->starts);
    turns->order = arena_push(arena, listing->txns.count + 1, sizeof *turns->order);
    if (!turns->starts || !turns->order)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for the turns of clients");
    for (size_t i = 0; i < listing->txns.count; i++)
        turns->starts[listing->txns.at[i].client + 2]++;
    for (uint32_t i = 1; i < client_count + 2; i++) {
        sum += turns->starts[i];
        turns->starts[i] = sum;
    }
    for (size_t i = 0; i < listing->txns.count; i++)
        turns->order[turns->starts[listing->txns.at[i].client + 1]++] = (uint32_t)i;
    return STATUS_OK;
}

const struct listed_txn *listed_turn(const struct listed_turns *turns, uint32_t client,
                                      uint64_t ordinal)
{
    uint32_t start = turns->starts[client], end = turns->starts[client + 1];

    assert(client < turns->client_count);
    if (ordinal >= end - start)
        return NULL;
    return &turns->listing->txns.at[turns->order[start + ordinal]];
}

/*
 * Listed operations as text: see programs/workloads/listed.h for the words.
 */

static const char *const words[LISTED_KIND_COUNT] = {
#define LISTED_WORD(kind, word) [LISTED_##kind] = word,
    LISTED_KINDS(LISTED_WORD)
#undef LISTED_WORD
};

const char *listed_kind_name(enum listed_kind kind)
{
    return words[kind];
}

static const char *const terms[TERM_COUNT] = { "a", "b", "sum", "rows" };
static const char *const comparisons[LISTED_COMPARISON_COUNT] = { "<", ">=", "=" };
static const char *const ranges[] = { NULL, "key", "value" };

static bool is_condition(uint8_t kind)
{
    return kind == LISTED_EXPECT || kind == LISTED_ABORT_IF || kind == LISTED_COMMIT_IF;
}

static bool has_range(uint8_t kind)
{
    return kind == LISTED_SELECT || kind == LISTED_UPDATE || kind == LISTED_DELETE;
}

static bool has_value(uint8_t kind)
{
    return kind == LISTED_WRITE || kind == LISTED_APPEND || kind == LISTED_INSERT ||
           kind == LISTED_PUT || kind == LISTED_UPDATE;
}

static bool has_key(uint8_t kind)
{
    return kind == LISTED_READ || (has_value(kind) && kind != LISTED_UPDATE);
}

/* --- Printing --------------------------------------------------------------------------------- */

static void print_sum(const struct listed_sum *sum, struct buffer *out)
{
    bool first = true;

    for (int i = 0; i < TERM_COUNT; i++)
        if (sum->terms >> i & 1) {
            buffer_print(out, "%s%s", first ? "" : "+", terms[i]);
            first = false;
        }
    if (first)
        buffer_print(out, "%" PRId64, sum->constant);
    else if (sum->constant != 0)
        buffer_print(out, "%+" PRId64, sum->constant);
}

static void print_range(const struct listed_op *op, struct buffer *out)
{
    if (op->range == LISTED_ALL)
        return;
    buffer_print(out, " %s %" PRId64, ranges[op->range], op->low);
    if (op->high != op->low)
        buffer_print(out, "..%" PRId64, op->high);
}

static void print_op(const struct listed_op *op, struct buffer *out)
{
    if (op->name)
        buffer_print(out, "%s = ", terms[op->name - 1]);
    buffer_text(out, text_of(words[op->kind]));
    if (has_key(op->kind))
        buffer_print(out, " %" PRIu64, op->key);
    if (has_range(op->kind))
        print_range(op, out);
    if (has_value(op->kind) || is_condition(op->kind)) {
        buffer_byte(out, ' ');
        print_sum(&op->value, out);
    }
    if (is_condition(op->kind))
        buffer_print(out, " %s %" PRId64, comparisons[op->comparison], op->bound);
    if (op->tag)
        buffer_print(out, " #%" PRId64, op->tag);
}

uint32_t listed_print(const struct listed_op *ops, uint32_t count, struct buffer *out)
{
    uint32_t i = 0;

    for (; i < count; i++) {
        if (i > 0)
            buffer_text(out, TEXT("; "));
        print_op(&ops[i], out);
        if (!ops[i].goes_on)
            return i + 1;
    }
    return i;
}

/* --- Parsing ---------------------------------------------------------------------------------- */

struct listed_scan {
    struct text text;
    size_t at;
};

static void skip_blanks(struct listed_scan *scan)
{
    while (scan->at < scan->text.length && scan->text.at[scan->at] == ' ')
        scan->at++;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z');
}

static bool is_at_end(struct listed_scan *scan)
{
    skip_blanks(scan);
    return scan->at == scan->text.length;
}

/* Steps over the sign if it stands here. */
static bool take_sign(struct listed_scan *scan, const char *sign)
{
    size_t length = strlen(sign);

    skip_blanks(scan);
    if (scan->text.length - scan->at < length ||
        memcmp(scan->text.at + scan->at, sign, length) != 0)
        return false;
    scan->at += length;
    return true;
}

/* The same of a word, which ends where its letters do. */
static bool take_word(struct listed_scan *scan, const char *word)
{
    size_t before = scan->at;

    if (take_sign(scan, word) &&
        (scan->at == scan->text.length || !is_letter(scan->text.at[scan->at])))
        return true;
    scan->at = before;
    return false;
}

static bool take_number(struct listed_scan *scan, int64_t *number)
{
    size_t begin, end;

    skip_blanks(scan);
    begin = end = scan->at;
    if (end < scan->text.length && scan->text.at[end] == '-')
        end++;
    while (end < scan->text.length && scan->text.at[end] >= '0' && scan->text.at[end] <= '9')
        end++;
    if (!text_to_int64((struct text){ scan->text.at + begin, end - begin }, number))
        return false;
    scan->at = end;
    return true;
}

static enum status expected(const struct listed_scan *scan, const char *what, struct error *err)
{
    return error_set(err, STATUS_BAD_INPUT, "'%.*s': %s should stand at character %zu",
                     TEXT_PRINT(scan->text), what, scan->at + 1);
}

static bool take_term(struct listed_scan *scan, struct listed_sum *sum)
{
    for (int i = 0; i < TERM_COUNT; i++)
        if (take_word(scan, terms[i])) {
            sum->terms |= (uint8_t)(1 << i);
            return true;
        }
    return false;
}

/* "17", "a", "a+b", "a-5". */
static enum status parse_sum(struct listed_scan *scan, struct listed_sum *sum, struct error *err)
{
    if (!take_term(scan, sum))
        return take_number(scan, &sum->constant)
                   ? STATUS_OK
                   : expected(scan, "a number, a, b, sum or rows", err);
    while (take_sign(scan, "+")) {
        if (take_term(scan, sum))
            continue;
        return take_number(scan, &sum->constant) ? STATUS_OK
                                                 : expected(scan, "what is added", err);
    }
    if (scan->at < scan->text.length && scan->text.at[scan->at] == '-' &&
        !take_number(scan, &sum->constant))
        return expected(scan, "what is taken away", err);
    return STATUS_OK;
}

static enum status parse_key(struct listed_scan *scan, struct listed_op *op, struct error *err)
{
    int64_t key;

    if (!take_number(scan, &key) || key < 0)
        return expected(scan, "a key, a number from 0,", err);
    op->key = (uint64_t)key;
    return STATUS_OK;
}

static enum status parse_range(struct listed_scan *scan, struct listed_op *op, struct error *err)
{
    op->range = take_word(scan, "key") ? LISTED_KEYS
                : take_word(scan, "value") ? LISTED_VALUES
                                           : LISTED_ALL;
    if (op->range == LISTED_ALL)
        return STATUS_OK;
    if (!take_number(scan, &op->low))
        return expected(scan, "where the range begins", err);
    op->high = op->low;
    if (take_sign(scan, "..") && !take_number(scan, &op->high))
        return expected(scan, "where the range ends", err);
    return op->high < op->low ? expected(scan, "a range that is not empty", err) : STATUS_OK;
}

static enum status parse_condition(struct listed_scan *scan, struct listed_op *op, struct error *err)
{
    op->comparison = take_sign(scan, ">=") ? LISTED_AT_LEAST
                     : take_sign(scan, "<") ? LISTED_LESS
                     : take_sign(scan, "=") ? LISTED_EQUAL
                                            : LISTED_COMPARISON_COUNT;
    if (op->comparison == LISTED_COMPARISON_COUNT)
        return expected(scan, "<, >= or =", err);
    return take_number(scan, &op->bound) ? STATUS_OK : expected(scan, "a number", err);
}

static enum status parse_kind(struct listed_scan *scan, struct listed_op *op, struct error *err)
{
    for (int i = 0; i < LISTED_KIND_COUNT; i++)
        if (take_word(scan, words[i])) {
            op->kind = (uint8_t)i;
            return STATUS_OK;
        }
    return expected(scan, "r, w, append, insert, put, select, update, delete, expect, "
                          "abort if, commit if or abort", err);
}

static void parse_name(struct listed_scan *scan, struct listed_op *op)
{
    struct listed_scan ahead = *scan;
    struct listed_sum sum = { 0 };

    if (!take_term(&ahead, &sum) || !take_sign(&ahead, "="))
        return;
    op->name = sum.terms == 1 << TERM_A ? TERM_A + 1 : sum.terms == 1 << TERM_B ? TERM_B + 1 : 0;
    if (op->name)
        *scan = ahead;
}

static enum status parse_op(struct listed_scan *scan, struct listed_op *op, struct error *err)
{
    parse_name(scan, op);
    TRY(parse_kind(scan, op, err));
    if (op->name && op->kind != LISTED_READ)
        return expected(scan, "r, as only what is read has a name,", err);
    if (has_key(op->kind))
        TRY(parse_key(scan, op, err));
    if (has_range(op->kind))
        TRY(parse_range(scan, op, err));
    if (has_value(op->kind) || is_condition(op->kind))
        TRY(parse_sum(scan, &op->value, err));
    if (is_condition(op->kind))
        return parse_condition(scan, op, err);
    if (has_value(op->kind) && take_sign(scan, "#") && !take_number(scan, &op->tag))
        return expected(scan, "a tag, a number,", err);
    return STATUS_OK;
}

enum status listed_parse(struct listed *listing, struct text text, struct error *err)
{
    struct listed_scan scan = { text, 0 };

    do {
        struct listed_op op = { 0 };

        TRY(parse_op(&scan, &op, err));
        op.goes_on = take_sign(&scan, ";");
        listed_add(listing, op);
    } while (listing->ops.count > 0 && listing->ops.at[listing->ops.count - 1].goes_on);
    if (!is_at_end(&scan))
        return expected(&scan, "a semicolon or the end", err);
    return listed_status(listing, err);
}
