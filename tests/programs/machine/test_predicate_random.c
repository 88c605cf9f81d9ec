/*
 * Random predicates, against an evaluator that walks the tree they were written
 * from: it knows numbers, truth, null and failure, and nothing of this room.
 */
#include "programs/machine/predicates.h"

#include <assert.h>
#include <stdlib.h>

#include "base/random.h"
#include "tests/fixture.h"
#include "tests/programs/machine/predicate_fixture.h"
#include "unity.h"

#define NODES_MAX 200

enum node_kind {
    NODE_NUMBER, /* and what gives one */
    NODE_COLUMN,
    NODE_ADD,
    NODE_SUBTRACT,
    NODE_MULTIPLY,
    NODE_DIVIDE,
    NODE_NEGATE,
    NODE_COALESCE,
    NODE_CHOICE, /* CASE WHEN a THEN b ELSE c END */
    NODE_EQUAL,  /* and what gives truth */
    NODE_UNEQUAL,
    NODE_LESS,
    NODE_AT_MOST,
    NODE_MORE,
    NODE_AT_LEAST,
    NODE_AND,
    NODE_OR,
    NODE_NOT,
    NODE_IS_NULL,
    NODE_IS_TRUE,
    NODE_IN, /* a is b or c */
    NODE_BETWEEN,
    NODE_FLAG,
};

struct node {
    enum node_kind kind;
    int64_t number; /* or which column */
    const struct node *a, *b, *c;
};

/* Columns id, a, z, "Order", f of the fixture, as plain numbers. */
enum { COLUMN_COUNT = 5, FLAG = 4 };

static const char *const column_names[COLUMN_COUNT] = { "id", "a", "z", "\"Order\"", "f" };
static const uint16_t column_numbers[COLUMN_COUNT] = { 0, 1, 2, 8, 5 };

struct result {
    enum { RESULT_NULL, RESULT_VALUE, RESULT_FAILURE } kind;
    int64_t value;
};

static struct history history;
static struct predicates *cut, *whole;
static struct predicate_scratch scratch;
static struct result rows[PREDICATE_ROWS][COLUMN_COUNT];
static struct error err;

static struct random draws;
static struct node nodes[NODES_MAX];
static size_t node_count;

static void read_rows(void)
{
    for (uint32_t row = 0; row < PREDICATE_ROWS; row++)
        for (size_t c = 0; c < COLUMN_COUNT; c++) {
            uint64_t cell = history.row_start[predicate_row(&history, row).bits];

            cell += column_numbers[c];
            rows[row][c].kind = history.cell_kind[cell] == VALUE_NULL ? RESULT_NULL : RESULT_VALUE;
            rows[row][c].value = history.cell_value[cell];
        }
}

void setUp(void)
{
    struct random_key key = random_key_of_seed(3);

    history = predicate_history(NULL);
    ASSERT_OK(predicates_open(&cut, &history, 0, &err), &err);
    ASSERT_OK(predicates_open(&whole, &history, PREDICATES_WHOLE, &err), &err);
    ASSERT_OK(predicate_scratch_init(&scratch, &err), &err);
    random_init(&draws, &key);
    read_rows();
}

void tearDown(void)
{
    predicate_scratch_close(&scratch);
    predicates_close(cut);
    predicates_close(whole);
    history_close(&history);
}

/* --- Drawing ----------------------------------------------------------------------- */

static struct node *new_node(enum node_kind kind)
{
    struct node *node = &nodes[node_count++];

    assert(node_count <= NODES_MAX);
    *node = (struct node){ .kind = kind };
    return node;
}

static const struct node *draw_leaf(void)
{
    static const int64_t numbers[] = { 0, 1, 2, 3, 5, 7, 8, 10, 20, 100, 3000000000 };
    struct node *node;

    if (random_below(&draws, 3) > 0) {
        node = new_node(NODE_COLUMN);
        node->number = random_between(&draws, 0, FLAG - 1);
    } else {
        node = new_node(NODE_NUMBER);
        node->number = numbers[random_below(&draws, ROW_COUNT(numbers))];
    }
    return node;
}

static const struct node *draw_truth(unsigned depth);

static const struct node *draw_number(unsigned depth)
{
    struct node *node;

    if (depth == 0 || random_below(&draws, 2) == 0)
        return draw_leaf();
    node = new_node((enum node_kind)random_between(&draws, NODE_ADD, NODE_CHOICE));
    node->a = node->kind == NODE_CHOICE ? draw_truth(depth - 1) : draw_number(depth - 1);
    if (node->kind == NODE_DIVIDE) {
        /* Divided by a column: what is known before a row is seen would be refused. */
        struct node *column = new_node(NODE_COLUMN);

        column->number = random_between(&draws, 0, FLAG - 1);
        node->b = column;
    } else if (node->kind != NODE_NEGATE) {
        node->b = draw_number(depth - 1);
    }
    if (node->kind == NODE_CHOICE)
        node->c = draw_number(depth - 1);
    return node;
}

static const struct node *draw_truth(unsigned depth)
{
    enum node_kind last = depth == 0 ? NODE_AT_LEAST : NODE_FLAG;
    struct node *node = new_node((enum node_kind)random_between(&draws, NODE_EQUAL, last));
    unsigned below = depth == 0 ? 0 : depth - 1;

    switch (node->kind) {
    case NODE_FLAG:
        break;
    case NODE_AND:
    case NODE_OR:
        node->a = draw_truth(below);
        node->b = draw_truth(below);
        break;
    case NODE_NOT:
    case NODE_IS_TRUE:
        node->a = draw_truth(below);
        break;
    default:
        node->a = draw_number(below);
        node->b = draw_number(below);
        node->c = draw_number(below);
    }
    return node;
}

/* --- Writing ----------------------------------------------------------------------- */

static void write_node(const struct node *, struct buffer *);

/* "(a + b)": %a, %b and %c stand for the operands. */
static void write_form(const struct node *node, const char *form, struct buffer *out)
{
    for (; *form; form++) {
        if (*form != '%') {
            buffer_byte(out, *form);
            continue;
        }
        form++;
        write_node(*form == 'a' ? node->a : *form == 'b' ? node->b : node->c, out);
    }
}

static void write_node(const struct node *node, struct buffer *out)
{
    static const char *const forms[] = {
        [NODE_ADD] = "(%a + %b)",
        [NODE_SUBTRACT] = "(%a-%b)",
        [NODE_MULTIPLY] = "(%a * %b)",
        [NODE_DIVIDE] = "(%a / %b)",
        [NODE_NEGATE] = "(- %a)",
        [NODE_COALESCE] = "coalesce(%a, %b)",
        [NODE_EQUAL] = "%a = %b",
        [NODE_UNEQUAL] = "%a <> %b",
        [NODE_LESS] = "%a<%b",
        [NODE_AT_MOST] = "%a <= %b",
        [NODE_MORE] = "%a > %b",
        [NODE_AT_LEAST] = "%a >=%b",
        [NODE_AND] = "(%a) AND (%b)",
        [NODE_OR] = "((%a) or (%b))",
        [NODE_NOT] = "NOT (%a)",
        [NODE_IS_NULL] = "%a IS NULL",
        [NODE_IS_TRUE] = "(%a) IS TRUE",
        [NODE_IN] = "%a IN (%b, %c)",
        [NODE_BETWEEN] = "%a BETWEEN %b AND %c",
        [NODE_FLAG] = "f",
        [NODE_CHOICE] = "(CASE WHEN %a THEN %b ELSE %c END)",
    };

    if (node->kind == NODE_NUMBER)
        buffer_int64(out, node->number);
    else if (node->kind == NODE_COLUMN)
        buffer_print(out, "%s", column_names[node->number]);
    else
        write_form(node, forms[node->kind], out);
}

/* --- Walking ----------------------------------------------------------------------- */

static struct result walk(const struct node *, const struct result *row);

/* Whether it is computed as bigint. Columns are id, "Order" (bigint), a (integer), z. */
static bool is_wide(const struct node *node)
{
    switch (node->kind) {
    case NODE_NUMBER:
        return node->number > INT32_MAX;
    case NODE_COLUMN:
        return node->number == 0 || node->number == 3;
    case NODE_CHOICE:
        return is_wide(node->b) || is_wide(node->c);
    case NODE_NEGATE:
        return is_wide(node->a);
    default:
        return is_wide(node->a) || is_wide(node->b);
    }
}

/* Or as smallint: of z alone. */
static bool is_narrow(const struct node *node)
{
    switch (node->kind) {
    case NODE_NUMBER:
        return false;
    case NODE_COLUMN:
        return node->number == 2;
    case NODE_CHOICE:
        return is_narrow(node->b) && is_narrow(node->c);
    case NODE_NEGATE:
        return is_narrow(node->a);
    default:
        return is_narrow(node->a) && is_narrow(node->b);
    }
}

static struct result compute(const struct node *node, struct result a, struct result b)
{
    __int128 value = 0;
    int64_t low = is_wide(node) ? INT64_MIN : is_narrow(node) ? INT16_MIN : INT32_MIN;
    int64_t high = is_wide(node) ? INT64_MAX : is_narrow(node) ? INT16_MAX : INT32_MAX;

    if (a.kind != RESULT_VALUE)
        return a;
    if (b.kind != RESULT_VALUE)
        return b;
    if (node->kind == NODE_DIVIDE && b.value == 0)
        return (struct result){ RESULT_FAILURE, 0 };
    if (node->kind == NODE_ADD)
        value = (__int128)a.value + b.value;
    else if (node->kind == NODE_SUBTRACT)
        value = (__int128)a.value - b.value;
    else if (node->kind == NODE_MULTIPLY)
        value = (__int128)a.value * b.value;
    else if (node->kind == NODE_DIVIDE)
        value = (__int128)a.value / b.value;
    else
        value = -(__int128)a.value;
    if (value < low || value > high)
        return (struct result){ RESULT_FAILURE, 0 };
    return (struct result){ RESULT_VALUE, (int64_t)value };
}

static struct result compare(enum node_kind kind, struct result a, struct result b)
{
    bool truth = kind == NODE_EQUAL     ? a.value == b.value
                 : kind == NODE_UNEQUAL ? a.value != b.value
                 : kind == NODE_LESS    ? a.value < b.value
                 : kind == NODE_AT_MOST ? a.value <= b.value
                 : kind == NODE_MORE    ? a.value > b.value
                                        : a.value >= b.value;

    if (a.kind == RESULT_FAILURE || b.kind == RESULT_FAILURE)
        return (struct result){ RESULT_FAILURE, 0 };
    if (a.kind == RESULT_NULL || b.kind == RESULT_NULL)
        return (struct result){ RESULT_NULL, 0 };
    return (struct result){ RESULT_VALUE, truth };
}

/* AND, if `decisive` is 0; OR, if it is 1. The second is looked at unless the first decides. */
static struct result join(struct result a, struct result b, int64_t decisive)
{
    if (a.kind == RESULT_FAILURE || (a.kind == RESULT_VALUE && a.value == decisive))
        return a;
    if (b.kind == RESULT_FAILURE || (b.kind == RESULT_VALUE && b.value == decisive))
        return b;
    return a.kind == RESULT_NULL ? a : b;
}

static struct result walk_truth(const struct node *node, const struct result *row)
{
    struct result a = node->a ? walk(node->a, row) : rows[0][0];

    switch (node->kind) {
    case NODE_AND:
        return join(a, walk(node->b, row), 0);
    case NODE_OR:
        return join(a, walk(node->b, row), 1);
    case NODE_NOT:
        a.value = !a.value;
        return a;
    case NODE_IS_NULL:
        return a.kind == RESULT_FAILURE ? a
                                        : (struct result){ RESULT_VALUE, a.kind == RESULT_NULL };
    case NODE_IS_TRUE:
        return a.kind == RESULT_FAILURE
                   ? a
                   : (struct result){ RESULT_VALUE, a.kind == RESULT_VALUE && a.value };
    case NODE_IN: {
        struct result c = walk(node->c, row), b = walk(node->b, row);
        /* All of a list is computed. */
        if (c.kind == RESULT_FAILURE)
            return c;
        if (b.kind == RESULT_FAILURE)
            return b;
        return join(compare(NODE_EQUAL, a, b), compare(NODE_EQUAL, a, c), 1);
    }
    case NODE_BETWEEN:
        return join(compare(NODE_AT_LEAST, a, walk(node->b, row)),
                    compare(NODE_AT_MOST, a, walk(node->c, row)), 0);
    case NODE_FLAG:
        return row[FLAG];
    default:
        return compare(node->kind, a, walk(node->b, row));
    }
}

static struct result walk(const struct node *node, const struct result *row)
{
    struct result a;

    if (node->kind >= NODE_EQUAL)
        return walk_truth(node, row);
    if (node->kind == NODE_NUMBER)
        return (struct result){ RESULT_VALUE, node->number };
    if (node->kind == NODE_COLUMN)
        return row[node->number];
    a = walk(node->a, row);
    if (node->kind == NODE_COALESCE)
        return a.kind == RESULT_NULL ? walk(node->b, row) : a;
    if (node->kind == NODE_CHOICE)
        return a.kind == RESULT_FAILURE            ? a
               : a.kind == RESULT_VALUE && a.value ? walk(node->b, row)
                                                   : walk(node->c, row);
    return compute(node, a, node->b ? walk(node->b, row) : a);
}

/* --- Judging ----------------------------------------------------------------------- */

/* What fails here may be no there: a conjunct that is null, or excludes the row, is enough. */
static bool agree(struct result expected, enum predicate_answer answer)
{
    if (expected.kind == RESULT_FAILURE)
        return answer != PREDICATE_YES;
    return answer ==
           (expected.kind == RESULT_VALUE && expected.value ? PREDICATE_YES : PREDICATE_NO);
}

static bool is_within(const struct range *r, const struct datum *d)
{
    int low = r->has_low ? datum_compare(d, &r->low) : 1;
    int high = r->has_high ? datum_compare(d, &r->high) : -1;

    return (r->low_is_open ? low > 0 : low >= 0) && (r->high_is_open ? high < 0 : high <= 0);
}

/* A row that may match is within all ranges and at all pins. */
static void check_ranges(const struct filter *filter, struct value row, const char *text)
{
    TEST_ASSERT_FALSE_MESSAGE(condition_is_empty(filter), text);
    for (size_t c = 0; c < COLUMN_COUNT; c++) {
        struct range range = condition_range(filter, column_numbers[c]);
        struct datum value, pin;

        TEST_ASSERT_EQUAL(STATUS_OK, predicates_read(cut, PREDICATE_TABLE, row, column_numbers[c],
                                                     &value, &scratch.error));
        TEST_ASSERT_TRUE_MESSAGE(!(range.has_low || range.has_high) || is_within(&range, &value),
                                 text);
        TEST_ASSERT_TRUE_MESSAGE(
            !condition_pin(filter, column_numbers[c], &pin) || datum_equal(&pin, &value), text);
    }
}

static enum status judge(const struct node *node, struct text text, size_t *tally)
{
    uint32_t a = 0, b = 0;
    struct error whole_err = { 0 };
    enum status status = predicates_add(cut, PREDICATE_TABLE, text, &a, &err);

    TEST_ASSERT_EQUAL_MESSAGE(status, predicates_add(whole, PREDICATE_TABLE, text, &b, &whole_err),
                              text.at);
    if (status != STATUS_OK) {
        TEST_ASSERT_EQUAL_STRING(err.text, whole_err.text);
        return status;
    }
    for (uint32_t i = 0; i < PREDICATE_ROWS; i++) {
        struct value row = predicate_row(&history, i);
        enum predicate_answer answer = predicates_match(cut, a, row, &scratch);

        TEST_ASSERT_TRUE_MESSAGE(agree(walk(node, rows[i]), answer), text.at);
        TEST_ASSERT_EQUAL_MESSAGE(answer, predicates_match(whole, b, row, &scratch), text.at);
        if (answer != PREDICATE_NO)
            check_ranges(&predicates_get(cut, a)->filter, row, text.at);
        tally[answer]++;
    }
    return STATUS_OK;
}

/* What is known before any row is seen may fail: "integer out of range". */
static void a_random_predicate_means_what_its_tree_does(void)
{
    struct buffer text = { 0 };
    size_t refused = 0, tally[3] = { 0 }, rounds = fixture_rounds(3000);

    for (size_t round = 0; round < rounds; round++) {
        const struct node *node;

        node_count = 0;
        node = draw_truth((unsigned)random_between(&draws, 0, 3));
        buffer_clear(&text);
        write_node(node, &text);
        buffer_byte(&text, '\0');
        refused += judge(node, (struct text){ text.at, text.count - 1 }, tally) != STATUS_OK;
    }
    TEST_ASSERT_TRUE(refused < rounds / 20);
    TEST_ASSERT_TRUE(tally[PREDICATE_YES] > rounds);
    TEST_ASSERT_TRUE(tally[PREDICATE_UNDECIDED] > rounds / 10);
    buffer_close(&text);
}

/* Texts that differ in numbers alone, many to a shape. */
static void numbers_are_put_back_where_they_were_cut_out(void)
{
    struct buffer text = { 0 };
    size_t tally[3] = { 0 };

    for (size_t round = 0; round < fixture_rounds(300); round++) {
        const struct node *node;

        node_count = 0;
        node = draw_truth(2);

        for (int variant = 0; variant < 5; variant++) {
            for (size_t i = 0; i < node_count; i++)
                if (nodes[i].kind == NODE_NUMBER)
                    nodes[i].number = random_between(&draws, 0, 30);
            buffer_clear(&text);
            write_node(node, &text);
            buffer_byte(&text, '\0');
            (void)judge(node, (struct text){ text.at, text.count - 1 }, tally);
        }
    }
    TEST_ASSERT_TRUE(tally[PREDICATE_YES] > 0);
    buffer_close(&text);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_random_predicate_means_what_its_tree_does);
    RUN_TEST(numbers_are_put_back_where_they_were_cut_out);
    return UNITY_END();
}
