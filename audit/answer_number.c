#include "audit/answer_number_private.h"

#include <string.h>

struct answer_number answer_number_of(const struct plan *plan, uint32_t txn, struct heap *heap)
{
    const struct plan_txn *t = &plan->txns.at[txn];
    const struct call_answer *a = t->logged->answer_count > 0 ? &plan->log->answers.at[t->logged->answer] : NULL;
    struct answer_number n = { .wanted = { NULL, 0 }, .heap = heap };

    if (t->step_count > 0 || !a || a->kind != CALL_ANSWER_ROWS || a->row_count != 1 || a->width != 1)
        return n;
    n.wanted = plan->log->cells.at[a->cell];
    n.type = plan->program->tree.functions[t->function].result.kind;
    return n;
}

static struct datum parse(const struct answer_number *n, struct text text, enum type_kind type)
{
    struct datum number;
    struct sql_error ignored;

    return datum_parse(text, type, n->heap, &number, &ignored) == STATUS_OK ? number : datum_null();
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The number that begins there. */
static struct datum number_at(const struct answer_number *n, struct text text, size_t from)
{
    size_t end = from;

    if (end < text.length && text.at[end] == '-')
        end++;
    while (end < text.length &&
           (is_digit(text.at[end]) || (text.at[end] == '.' && end + 1 < text.length && is_digit(text.at[end + 1]))))
        end++;
    return parse(n, (struct text){ text.at + from, end - from }, TYPE_NUMERIC);
}

/* Where the number begins in which two texts begin to differ. */
static size_t find_number(struct text a, struct text b)
{
    size_t at = 0;

    while (at < a.length && at < b.length && a.at[at] == b.at[at])
        at++;
    while (at > 0 && (is_digit(a.at[at - 1]) || a.at[at - 1] == '.' || a.at[at - 1] == '-'))
        at--;
    return at;
}

struct datum answer_number_in(struct answer_number *n, const struct datum *answer)
{
    struct text text = { answer->as.text, answer->length };

    if (answer->kind == DATUM_INTEGER || answer->kind == DATUM_NUMERIC)
        return *answer;
    if (answer->kind != DATUM_TEXT || text.length == 0 || !n->wanted.at)
        return datum_null();
    if (!n->is_within)
        n->at = find_number(n->wanted, text);
    n->is_within = true;
    if (text.length < n->at || memcmp(text.at, n->wanted.at, n->at) != 0)
        return datum_null();
    return number_at(n, text, n->at);
}

struct datum answer_number_wanted(const struct answer_number *n)
{
    if (!n->wanted.at)
        return datum_null();
    return n->is_within ? number_at(n, n->wanted, n->at) : parse(n, n->wanted, n->type);
}

bool answer_number_compare(const struct datum *a, const struct datum *b, __int128 *more)
{
    if (a->kind != b->kind || a->scale != b->scale)
        return false;
    if (a->kind == DATUM_INTEGER)
        *more = (__int128)a->as.integer - b->as.integer;
    if (a->kind == DATUM_NUMERIC)
        *more = a->as.digits - b->as.digits;
    return a->kind == DATUM_INTEGER || a->kind == DATUM_NUMERIC;
}
