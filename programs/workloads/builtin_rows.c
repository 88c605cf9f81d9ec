/*
 * What several workloads have in common in their first state and their last.
 */
#include "programs/workloads/builtin_private.h"

#include <inttypes.h>

const struct builtin_table builtin_accounts = {
    .name = "accounts",
    .key_column = "id",
    .value_column = "balance",
    .tag_column = "tag",
    .sql = "CREATE TABLE accounts (id bigint PRIMARY KEY, balance bigint NOT NULL, "
           "tag bigint NOT NULL)",
};

uint64_t builtin_initial_keys(const struct builtin *builtin)
{
    return (uint64_t)builtin_number(builtin, PARAMETER_KEYS);
}

struct builtin_row builtin_initial_zero(const struct builtin *builtin, uint64_t index)
{
    (void)builtin;
    return (struct builtin_row){ .key = index };
}

struct builtin_row builtin_initial_balance(const struct builtin *builtin, uint64_t index)
{
    return (struct builtin_row){
        .key = index,
        .value = builtin_number(builtin, PARAMETER_BALANCE),
    };
}

bool builtin_has_all_keys(const struct builtin *builtin, uint64_t count, struct buffer *sentence)
{
    uint64_t keys = builtin_initial_keys(builtin);

    if (count == keys)
        return true;
    buffer_print(sentence, "there are %" PRIu64 " %s instead of %" PRIu64, count,
                 builtin->workload->table->name, keys);
    return false;
}
