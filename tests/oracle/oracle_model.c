#include "tests/oracle/oracle_private.h"

#include <assert.h>
#include <string.h>

#include "history/tables.h"

/* --- Values ------------------------------------------------------------------ */

static uint32_t add_value(struct oracle_model *m, struct oracle_value value)
{
    struct error err;
    enum status status = array_push(&m->values, value, &err);

    assert(status == STATUS_OK);
    return (uint32_t)m->values.count - 1;
}

uint32_t oracle_append(struct oracle_model *m, uint32_t list, int64_t element)
{
    uint32_t child = m->values.at[list].child;

    while (child != 0 && m->values.at[child].bits != element)
        child = m->values.at[child].sibling;
    if (child != 0)
        return child;
    child = add_value(m, (struct oracle_value){ .kind = VALUE_LIST,
                                                .bits = element,
                                                .parent = list,
                                                .sibling = m->values.at[list].child });
    m->values.at[list].child = child;
    return child;
}

static uint32_t number_of_list(struct oracle_model *m, int64_t list)
{
    const struct history *h = m->history;
    uint32_t number = ORACLE_NULL;

    for (uint64_t i = h->list_start[list]; i < h->list_start[list + 1]; i++)
        number = oracle_append(m, number, h->list_element[i]);
    return number;
}

static uint32_t number_of_value(struct oracle_model *m, struct value value)
{
    if (value.kind == VALUE_NONE)
        return ORACLE_UNSEEN;
    if (value.kind == VALUE_NULL)
        return ORACLE_NULL;
    if (value.kind == VALUE_LIST)
        return number_of_list(m, value.bits);
    for (uint32_t i = 1; i < m->values.count; i++) {
        struct value known = { m->values.at[i].kind, m->values.at[i].bits };

        if (known.kind == value.kind && history_values_equal(m->history, known, value))
            return i;
    }
    return add_value(m, (struct oracle_value){ .kind = value.kind, .bits = value.bits });
}

/* --- Keys -------------------------------------------------------------------- */

static uint32_t keys_of_table(const struct history *h, uint32_t table)
{
    struct text name = history_text(h, h->table_name[table]);
    uint32_t keys = 0;

    for (uint32_t k = 0; k < h->key_count; k++) {
        struct text key = history_key(h, k);

        if (key.length > name.length && key.at[name.length] == '/' &&
            memcmp(key.at, name.at, name.length) == 0)
            keys |= bit(k);
    }
    return keys;
}

/* --- Steps ------------------------------------------------------------------- */

static bool add_step(struct oracle_model *m, struct oracle_txn *txn, struct oracle_step step)
{
    if (m->step_count == ORACLE_STEPS_OF_MODEL_MAX)
        return false;
    m->steps[m->step_count++] = step;
    txn->step_end = m->step_count;
    if (step.kind == STEP_WRITE || step.kind == STEP_APPEND) {
        txn->writes |= bit(step.key);
        txn->final_op[step.key] = step.op;
    }
    return true;
}

static bool load_item(struct oracle_model *m, struct oracle_txn *txn, uint32_t op)
{
    const struct history *h = m->history;
    struct value value = history_value(h, op);
    struct oracle_step step = { .op = op, .key = h->op_key[op] };

    switch ((enum op_kind)h->op_kind[op]) {
    case OP_READ:
        if (txn->is_unknown || value.kind == VALUE_NONE)
            return true;
        step.kind = STEP_READ;
        step.value = number_of_value(m, value);
        break;
    case OP_APPEND:
        step.kind = STEP_APPEND;
        step.element = value.bits;
        break;
    case OP_REMOVE:
    case OP_ROW_REMOVE:
        step.kind = STEP_WRITE;
        step.value = ORACLE_NULL;
        break;
    default:
        step.kind = STEP_WRITE;
        step.value = number_of_value(m, value);
    }
    return add_step(m, txn, step);
}

static bool load_aggregates(struct oracle_model *m, struct oracle_query *query, uint32_t statement)
{
    const struct history *h = m->history;
    uint32_t end = h->statement_aggregate_start[statement + 1];

    for (uint32_t i = h->statement_aggregate_start[statement]; i < end; i++) {
        struct oracle_aggregate *aggregate = &query->aggregates[query->aggregate_count];
        struct value value = { h->aggregate_kind[i], h->aggregate_value[i] };

        if (query->aggregate_count == ORACLE_TERMS_MAX ||
            !oracle_parse_aggregate(history_text(h, h->aggregate_name[i]), aggregate))
            return false;
        aggregate->value = number_of_value(m, value);
        query->aggregate_count++;
    }
    return true;
}

static bool load_rows(struct oracle_model *m, struct oracle_query *query, uint32_t first_op,
                      uint32_t row_count)
{
    const struct history *h = m->history;

    if (row_count > ORACLE_KEYS_MAX)
        return false;
    for (uint32_t op = first_op; op < first_op + row_count; op++) {
        bool is_read = h->op_kind[op] == OP_ROW_READ;

        query->row_key[query->row_count] = h->op_key[op];
        query->row_value[query->row_count] =
            is_read ? number_of_value(m, history_value(h, op)) : ORACLE_UNSEEN;
        query->returned |= bit(h->op_key[op]);
        query->row_count++;
    }
    return true;
}

static bool is_numeric(const struct history *h, uint32_t table, struct text column)
{
    for (uint32_t i = h->table_column_start[table]; i < h->table_column_start[table + 1]; i++)
        if (text_equal(history_text(h, h->table_column_name[i]), column))
            return tables_type_is_numeric(history_text(h, h->table_column_type[i]));
    return false;
}

/* Of numbers with fractions the oracle knows no order: they are texts to it. */
static bool compares_numerics(const struct history *h, uint32_t table,
                              const struct oracle_query *query)
{
    for (unsigned i = 0; i < query->comparison_count; i++)
        if (is_numeric(h, table, query->comparisons[i].column))
            return true;
    for (unsigned i = 0; i < query->order_count; i++)
        if (is_numeric(h, table, query->order[i].column))
            return true;
    for (unsigned i = 0; i < query->aggregate_count; i++)
        if (is_numeric(h, table, query->aggregates[i].column))
            return true;
    return false;
}

/* The predicate read that a statement begins with. */
static bool load_query(struct oracle_model *m, struct oracle_txn *txn, uint32_t head)
{
    const struct history *h = m->history;
    uint32_t statement = h->op_key[head];
    uint32_t where = h->statement_where[statement], order = h->statement_order[statement];
    struct oracle_query *query = &m->queries[m->query_count];

    if (m->query_count == ORACLE_QUERIES_MAX)
        return false;
    *query = (struct oracle_query){ .limit = h->statement_limit[statement] };
    query->keys = keys_of_table(h, h->statement_table[statement]);
    query->has_rows = !(h->statement_flags[statement] & STATEMENT_AGGREGATES) ||
                      h->statement_row_count[statement] > 0;
    if ((where != HISTORY_NONE && !oracle_parse_where(history_text(h, where), query)) ||
        (order != HISTORY_NONE && !oracle_parse_order(history_text(h, order), query)) ||
        !load_rows(m, query, head + 1, h->statement_row_count[statement]) ||
        !load_aggregates(m, query, statement) ||
        compares_numerics(h, h->statement_table[statement], query))
        return false;
    /* Aggregates of a part of the rows would be a language of its own. */
    if (query->aggregate_count > 0 && query->limit >= 0)
        return false;
    return add_step(
        m, txn, (struct oracle_step){ .kind = STEP_QUERY, .op = head, .query = m->query_count++ });
}

static bool load_statement(struct oracle_model *m, struct oracle_txn *txn, uint32_t head)
{
    const struct history *h = m->history;
    uint32_t statement = h->op_key[head];
    bool answered = h->statement_flags[statement] & STATEMENT_ANSWERED;

    if (h->op_kind[head] != OP_INSERT && answered && !txn->is_unknown && !load_query(m, txn, head))
        return false;
    if (h->op_kind[head] == OP_SELECT)
        return true;
    for (uint32_t i = 1; i <= h->statement_row_count[statement]; i++)
        if (!load_item(m, txn, head + i))
            return false;
    return true;
}

static bool load_txn(struct oracle_model *m, uint32_t number)
{
    const struct history *h = m->history;
    struct oracle_txn *txn = &m->txns[m->txn_count];

    if (m->txn_count == ORACLE_TXNS_MAX)
        return false;
    m->txn_count++;
    *txn = (struct oracle_txn){ .number = number,
                                .is_unknown = h->txn_status[number] == TXN_UNKNOWN,
                                .step_start = m->step_count,
                                .step_end = m->step_count };
    for (uint32_t op = h->txn_op[number]; op < h->txn_op[number + 1]; op++) {
        bool is_head = op_is_head(h->op_kind[op]);

        if (!(h->op_flags[op] & OP_ERROR) &&
            !(is_head ? load_statement(m, txn, op) : load_item(m, txn, op)))
            return false;
        if (is_head)
            op += h->statement_row_count[h->op_key[op]];
    }
    return true;
}

/* --- Orders ------------------------------------------------------------------ */

static bool completed_before(const struct history *h, uint32_t a, uint32_t b)
{
    if (!h->txn_invoked || !h->txn_completed)
        return false;
    if (h->txn_completed[a] == TIME_ABSENT || h->txn_completed[a] == TIME_NEVER ||
        h->txn_invoked[b] == TIME_ABSENT)
        return false;
    return h->txn_completed[a] < h->txn_invoked[b];
}

static void load_precedence(struct oracle_model *m)
{
    const struct history *h = m->history;

    for (unsigned a = 0; a < m->txn_count; a++)
        for (unsigned b = 0; b < m->txn_count; b++) {
            uint32_t first = m->txns[a].number, second = m->txns[b].number;

            if (a == b || m->txns[a].is_unknown)
                continue;
            if (a < b && h->txn_session[first] == h->txn_session[second])
                m->txns[b].session_before |= bit(a);
            if (completed_before(h, first, second))
                m->txns[b].time_before |= bit(a);
        }
}

/* The transaction that wrote a version, or ORACLE_NOBODY if it is aborted. */
static int writer_of(const struct oracle_model *m, uint32_t version)
{
    uint32_t number = history_txn_of(m->history, version);

    for (unsigned t = 0; t < m->txn_count; t++)
        if (m->txns[t].number == number)
            return (int)t;
    return ORACLE_NOBODY;
}

static bool is_final(const struct oracle_model *m, int writer, unsigned key, uint32_t version)
{
    return writer >= 0 && (m->txns[writer].writes & bit(key)) &&
           m->txns[writer].final_op[key] == version;
}

/* An order may list what a transaction overwrote itself: that says nothing more. */
static bool load_version_order(struct oracle_model *m, size_t line)
{
    const struct history *h = m->history;
    unsigned key = h->order_key[line];

    m->has_order[key] = true;
    for (uint64_t i = h->order_start[line]; i < h->order_start[line + 1]; i++) {
        uint32_t version = h->order_version[i];
        int writer = version == VERSION_INITIAL ? ORACLE_INITIAL : writer_of(m, version);

        if (writer == ORACLE_NOBODY)
            return false; /* nobody defines what an aborted version in an order means */
        if (!is_final(m, writer, key, version))
            continue;
        if (m->order_count[key] == ORACLE_TXNS_MAX)
            return false;
        m->order[key][m->order_count[key]++] = (unsigned)writer;
    }
    return true;
}

uint32_t oracle_before(const struct oracle_model *m, enum level level, unsigned txn)
{
    switch (level) {
    case LEVEL_SESSION_READ_UNCOMMITTED:
    case LEVEL_SESSION_READ_COMMITTED:
    case LEVEL_PARALLEL_SNAPSHOT:
    case LEVEL_SESSION_SNAPSHOT:
    case LEVEL_SESSION_SERIALIZABLE:
        return m->txns[txn].session_before;
    case LEVEL_STRICT_READ_UNCOMMITTED:
    case LEVEL_STRICT_READ_COMMITTED:
    case LEVEL_STRICT_SNAPSHOT:
    case LEVEL_STRICT_SERIALIZABLE:
    case LEVEL_LINEARIZABLE:
        return m->txns[txn].time_before;
    default:
        return 0;
    }
}

/* --- Version sets ------------------------------------------------------------ */

static int source_in_set(const struct oracle_search *s, size_t set, unsigned key)
{
    const struct history *h = s->model->history;

    for (uint64_t i = h->set_start[set]; i < h->set_start[set + 1]; i++) {
        uint32_t version = h->set_version[i];
        int writer;

        if (h->set_key[i] != key)
            continue;
        if (version == VERSION_INITIAL)
            return ORACLE_INITIAL;
        writer = writer_of(s->model, version);
        return is_final(s->model, writer, key, version) && (s->txns & bit((unsigned)writer))
                   ? writer
                   : ORACLE_NOBODY;
    }
    return ORACLE_INITIAL;
}

/* The last writer of the key up to a place, that place itself counting if it is a snapshot. */
static int source_at_place(const struct oracle_search *s, unsigned txn, unsigned key,
                           struct place place, bool is_snapshot)
{
    const struct oracle_model *m = s->model;
    struct place latest = { 0 };
    int source = ORACLE_INITIAL;

    for (unsigned t = 0; t < m->txn_count; t++) {
        struct place ts = history_ts(m->history, m->txns[t].number);

        if (t == txn || !(s->txns & bit(t)) || !(m->txns[t].writes & bit(key)))
            continue;
        if (ts.parts == 0)
            return ORACLE_ANYONE;
        if (history_compare_places(ts, place) >= (is_snapshot ? 1 : 0) || history_compare_places(ts, latest) <= 0)
            continue;
        latest = ts;
        source = (int)t;
    }
    return source;
}

int oracle_source(const struct oracle_search *s, unsigned txn, uint32_t op, unsigned key)
{
    const struct history *h = s->model->history;
    uint32_t number = s->model->txns[txn].number;
    struct place snapshot = history_op_snapshot(h, number, op);
    struct place ts = history_ts(h, number);

    if (!s->certified)
        return ORACLE_ANYONE;
    for (size_t set = 0; set < h->set_count; set++)
        if (h->set_op[set] == op)
            return source_in_set(s, set, key);
    if (snapshot.parts > 0)
        return source_at_place(s, txn, key, snapshot, true);
    if (ts.parts > 0)
        return source_at_place(s, txn, key, ts, false);
    return ORACLE_ANYONE;
}

/* --- One key ----------------------------------------------------------------- */

void oracle_model_restrict(const struct oracle_model *whole, unsigned key, struct oracle_model *m)
{
    *m = *whole; /* with its values, which are not copied */
    m->step_count = 0;
    for (unsigned t = 0; t < whole->txn_count; t++) {
        m->txns[t].step_start = m->step_count;
        for (unsigned i = whole->txns[t].step_start; i < whole->txns[t].step_end; i++)
            if (whole->steps[i].key == key)
                m->steps[m->step_count++] = whole->steps[i];
        m->txns[t].step_end = m->step_count;
        m->txns[t].writes &= bit(key);
    }
}

/* --- The whole --------------------------------------------------------------- */

uint32_t oracle_effect(struct oracle_model *m, const struct oracle_step *step, uint32_t before)
{
    if (step->kind == STEP_APPEND)
        return oracle_append(m, before, step->element);
    assert(step->kind == STEP_WRITE);
    return step->value;
}

bool oracle_model_init(struct oracle_model *m, const struct history *h)
{
    memset(m, 0, sizeof *m);
    m->history = h;
    if (h->key_count > ORACLE_KEYS_MAX)
        return false;
    m->key_count = (unsigned)h->key_count;
    add_value(m, (struct oracle_value){ .kind = VALUE_NULL });
    for (uint32_t k = 0; k < m->key_count; k++)
        m->initial[k] = number_of_value(m, history_initial(h, k));
    for (uint32_t t = 0; t < h->txn_count; t++)
        if (h->txn_status[t] != TXN_ABORT && !load_txn(m, t))
            return false;
    load_precedence(m);
    for (size_t line = 0; line < h->order_count; line++)
        if (!load_version_order(m, line))
            return false;
    return true;
}

void oracle_model_close(struct oracle_model *m)
{
    array_close(&m->values);
}
