#include "trial/run/due_private.h"

#include "trial/run/jury.h"

static bool reads_at_its_place(const struct store_protocol_facts *protocol)
{
    return protocol->on_raft && !protocol->exports_snapshot;
}

static bool is_of_items(const struct history *h)
{
    return h->statement_count == 0;
}

static bool is_unique(const struct history *h)
{
    return is_of_items(h) && h->unique == 1;
}

/* No register, whose versions show nothing of their order. */
static bool is_of_lists(const struct history *h)
{
    for (size_t op = 0; op < h->op_count; op++)
        if (h->op_kind[op] != OP_READ && h->op_kind[op] != OP_APPEND)
            return false;
    return is_unique(h) && h->op_count > 0;
}

static const struct {
    const char *checker;
    bool (*protocol)(const struct store_protocol_facts *); /* NULL: every one */
    bool (*history)(const struct history *);               /* NULL: every one */
} rows[] = {
    { "order", reads_at_its_place, NULL },
    { "certificate", NULL, NULL },
    { "interval", NULL, NULL },
    { "blackbox", NULL, is_of_items },
    { "weak", NULL, is_unique },
    { "infer", NULL, is_of_lists },
};

uint32_t due_checkers(const struct store_protocol_facts *protocol, const struct history *h,
                      enum level level)
{
    uint32_t due = 0;

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        const struct checker *checker = checker_find(text_of(rows[i].checker));

        if (checker && checker_decides(checker, level) &&
            (!rows[i].protocol || rows[i].protocol(protocol)) &&
            (!rows[i].history || rows[i].history(h)))
            due |= jury_bit(checker);
    }
    return due;
}
