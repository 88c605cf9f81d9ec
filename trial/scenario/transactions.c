#include "trial/scenario/transactions_private.h"

#include <inttypes.h>

#include "base/quantity.h"

static enum status read_steps(struct scenario *scenario, const struct setting *list,
                              struct error *err)
{
    bool is_call = scenario->workload.kind == WORKLOAD_PROGRAM;

    if (list->kind != SETTING_ARRAY || (is_call && list->count > 1))
        return toml_refuse(list, err, "transaction.do should be a list of %s",
                           is_call ? "one call such as \"buy(1, 7)\""
                                   : "operations such as \"r 3\" and \"w 6 17\"");
    for (const struct setting *step = list->first; step; step = step->next) {
        if (step->kind != SETTING_STRING)
            return toml_refuse(step, err, "transaction.do should list strings");
        if (is_call)
            listed_add_call(&scenario->listing, step->text);
        else if (listed_parse(&scenario->listing, step->text, err) != STATUS_OK)
            return toml_blame(step, err);
    }
    return listed_status(&scenario->listing, err);
}

enum status scenario_listed_read(struct scenario *scenario, const struct scenario_transaction *given,
                                 const struct setting *table, struct error *err)
{
    if (scenario->workload.kind != WORKLOAD_BUILTIN && scenario->workload.kind != WORKLOAD_PROGRAM)
        return toml_refuse(table, err, "transactions are listed of a workload of the store "
                                          "that has no schedule");
    if (given->session >= scenario->workload.sessions)
        return toml_refuse(table, err, "there is no session %" PRIu32 ": workload.sessions "
                           "is %" PRIu32, given->session, scenario->workload.sessions);
    if (given->node >= scenario->cluster.nodes)
        return toml_refuse(table, err, "there is no node %" PRIu32, given->node);
    listed_begin(&scenario->listing, given->session);
    TRY(read_steps(scenario, given->steps, err));
    listed_place(&scenario->listing, given->at_ns, given->node);
    return listed_status(&scenario->listing, err);
}

/* --- Printing --------------------------------------------------------------------------------- */

static void print_steps(const struct scenario *scenario, const struct listed_txn *txn,
                        struct buffer *out)
{
    const struct listed *listing = &scenario->listing;
    const struct listed_op *ops = listed_ops(listing, txn);
    struct buffer step = { 0 };

    buffer_text(out, TEXT("do = ["));
    if (scenario->workload.kind == WORKLOAD_PROGRAM) {
        if (txn->count > 0)
            buffer_json(out, listed_call(listing, txn));
    } else {
        for (uint32_t i = 0; i < txn->count;) {
            if (i > 0)
                buffer_text(out, TEXT(", "));
            buffer_clear(&step);
            i += listed_print(ops + i, txn->count - i, &step);
            buffer_json(out, (struct text){ step.at, step.count });
        }
    }
    buffer_text(out, TEXT("]\n"));
    buffer_close(&step);
}

void scenario_listed_print(const struct scenario *scenario, struct buffer *out)
{
    for (size_t i = 0; i < scenario->listing.txns.count; i++) {
        const struct listed_txn *txn = &scenario->listing.txns.at[i];

        buffer_print(out, "\n[[transaction]]\nsession = %" PRIu32 "\nat = \"", txn->client);
        quantity_print_duration(out, txn->at_ns);
        buffer_print(out, "\"\nnode = %" PRIu32 "\n", txn->node);
        print_steps(scenario, txn, out);
    }
}
