#include "tests/store/coordinator/coordinator_fixture.h"

/* value = 10 or value = 20 */
static uint32_t tens_and_twenties(void)
{
    static struct datum values[2];
    static struct restriction restriction = { .column = 1, .values = values, .value_count = 2 };
    static struct filter filter = { .restrictions = &restriction, .restriction_count = 1 };
    const uint32_t *keys;
    uint32_t key_count;

    values[0] = datum_of_int64(10);
    values[1] = datum_of_int64(20);
    ASSERT_OK(compile_condition(&(struct condition_conjuncts){ NULL, 0, 0, 0, false }, cluster.arena,
                                &filter.condition, &err),
              &err);
    return catalog_scope(&cluster.catalog, &filter, &keys, &key_count);
}

/* --- Statements ------------------------------------------------------------------------------- */

static void what_is_stored_is_read(void)
{
    stored[key_on(1, 0)] = 17;
    read_key(key_on(1, 0));
    assert_value(17);
    read_key(key_on(1, 1));
    assert_value(NO_VALUE);
}

static void keys_are_answered_in_the_order_in_which_they_were_asked(void)
{
    uint32_t keys[] = { key_on(2, 0), key_on(0, 0), key_on(2, 1), key_on(1, 0) };

    for (uint32_t i = 0; i < 4; i++)
        stored[keys[i]] = i;
    request((struct client_request){ .kind = CLIENT_READ, .keys = keys, .key_count = 4 });
    assert_replied(REPLY_DONE);
    TEST_ASSERT_EQUAL(4, heard[0].reply.row_count);
    for (uint32_t i = 0; i < 4; i++) {
        TEST_ASSERT_EQUAL(keys[i], heard[0].rows[i].key);
        TEST_ASSERT_EQUAL(i, heard[0].rows[i].value);
    }
    TEST_ASSERT_EQUAL(2, last_asked(ASK_READ, 2)->key_count);
}

static void a_transaction_reads_what_it_wrote_without_asking(void)
{
    uint32_t key = key_on(1, 0);

    stored[key] = 1;
    write_key(key, 2);
    assert_replied(REPLY_DONE);
    read_key(key);
    assert_value(2);
    write_key(key, NO_VALUE);
    read_key(key);
    assert_value(NO_VALUE);
    TEST_ASSERT_EQUAL(0, count_asked(ASK_READ, 1));
}

static void a_predicate_is_put_to_every_shard_and_to_own_rows_as_they_are_now(void)
{
    uint32_t kept = key_on(0, 0), changed = key_on(1, 0), removed = key_on(2, 0);
    uint32_t added = key_on(1, 1), moved = key_on(0, 1);

    stored[kept] = stored[changed] = stored[removed] = 10;
    stored[moved] = 11;
    write_key(changed, 12);
    write_key(removed, NO_VALUE);
    write_key(added, 20);
    write_key(moved, 10);
    read_scope(tens_and_twenties());
    assert_replied(REPLY_DONE);
    TEST_ASSERT_EQUAL(3, heard[0].reply.row_count);
    for (uint32_t i = 0; i < 3; i++)
        TEST_ASSERT_TRUE(heard[0].rows[i].key == kept || heard[0].rows[i].key == added ||
                         heard[0].rows[i].key == moved);
    for (uint32_t shard = 0; shard < SHARDS; shard++)
        TEST_ASSERT_EQUAL(1, count_asked(ASK_READ, shard));
}

static void delete_and_insert(uint32_t key)
{
    stored[key] = 10;
    write_key(key, NO_VALUE);
    write_key(key, 20);
}

static void a_row_deleted_and_inserted_again_is_read_once(void)
{
    delete_and_insert(key_on(1, 0));
    read_scope(tens_and_twenties());
    assert_value(20);
    read_key(key_on(1, 0));
    assert_value(20);
}

static void with_its_bug_a_row_deleted_and_inserted_again_is_read_twice(void)
{
    bugs.on[BUG_OWN_DELETE_THEN_INSERT_RETURNS_BOTH] = true;
    open_again();
    delete_and_insert(key_on(1, 0));
    read_scope(tens_and_twenties());
    TEST_ASSERT_EQUAL(2, heard[0].reply.row_count);
    TEST_ASSERT_EQUAL(10, heard[0].rows[0].value);
    TEST_ASSERT_EQUAL(20, heard[0].rows[1].value);
    read_key(key_on(1, 0));
    assert_value(10);
}

static bool refuses_reads(struct replica *replica, const struct ask *ask,
                          struct shard_answer *answer)
{
    if (ask->kind == ASK_READ) {
        answer->refusal = REFUSED_CONFLICT;
        return true;
    }
    return shard_obeys(replica, ask, answer);
}

static void a_refused_read_aborts_the_transaction(void)
{
    shard_says = refuses_reads;
    read_key(key_on(1, 0));
    assert_aborted(REFUSED_CONFLICT);
    assert_idle();
    commit();
    assert_aborted(REFUSED_CONFLICT);
}

static void what_was_read_is_sent_with_the_prepare(void)
{
    uint32_t key = key_on(1, 0);

    read_key(key);
    read_scope(tens_and_twenties());
    write_key(key, 1);
    commit();
    TEST_ASSERT_EQUAL(1, last_asked(ASK_PREPARE, 1)->prepare.key_count);
    TEST_ASSERT_EQUAL(1, last_asked(ASK_PREPARE, 1)->prepare.scope_count);
    TEST_ASSERT_EQUAL(1, last_asked(ASK_PREPARE, 1)->prepare.change_count);
    TEST_ASSERT_EQUAL(0, last_asked(ASK_PREPARE, 0)->prepare.key_count);
    TEST_ASSERT_EQUAL(1, last_asked(ASK_PREPARE, 0)->prepare.scope_count);
}

/* --- Reading again, and looking again --------------------------------------------------------- */

static uint32_t hook_calls;
static enum txn_next first_answer; /* of a hook; then NEXT_GO_ON */

static enum txn_next answer_once(struct txn *txn)
{
    txn->check_to = stamp_after(txn->snapshot, 0);
    if (first_answer == NEXT_READ_AGAIN && hook_calls == 0)
        txn->snapshot = txn->check_to;
    return hook_calls++ == 0 ? first_answer : NEXT_GO_ON;
}

static enum txn_next vote_once(struct txn *txn, const struct vote *merged)
{
    (void)merged;
    return answer_once(txn);
}

static void open_with_hook(enum txn_next answer, bool at_commit)
{
    hook_calls = 0;
    first_answer = answer;
    if (at_commit)
        protocol.voted = vote_once;
    else
        protocol.read = answer_once;
    open_again();
}

static void of_a_statement_that_is_read_again_only_the_last_answers_count(void)
{
    open_with_hook(NEXT_READ_AGAIN, false);
    stored[key_on(1, 0)] = 3;
    read_key(key_on(1, 0));
    assert_value(3);
    TEST_ASSERT_EQUAL(2, count_asked(ASK_READ, 1));
    TEST_ASSERT_EQUAL(1, last_asked(ASK_READ, 1)->at.logical);
    commit();
    TEST_ASSERT_EQUAL(1, last_asked(ASK_PREPARE, 1)->prepare.key_count);
}

static void a_read_with_nothing_before_it_needs_no_check(void)
{
    open_with_hook(NEXT_CHECK, false);
    read_key(key_on(1, 0));
    assert_replied(REPLY_DONE);
    TEST_ASSERT_EQUAL(2, hook_calls);
    TEST_ASSERT_EQUAL(0, count_asked(ASK_CHECK, 1));
}

static void a_check_moves_the_snapshot_and_asks_the_protocol_again(void)
{
    open_with_hook(NEXT_GO_ON, false);
    read_key(key_on(1, 0));
    first_answer = NEXT_CHECK;
    hook_calls = 0;
    read_key(key_on(2, 0));
    assert_replied(REPLY_DONE);
    TEST_ASSERT_EQUAL(2, hook_calls);
    TEST_ASSERT_EQUAL(1, count_asked(ASK_CHECK, 1));
    TEST_ASSERT_EQUAL(0, count_asked(ASK_CHECK, 2));
    read_key(key_on(0, 0));
    TEST_ASSERT_EQUAL(1, last_asked(ASK_READ, 0)->at.logical);
    TEST_ASSERT_EQUAL(1, cluster.sometimes.counts[SOMETIMES_REFRESHED]);
}

static void a_commit_may_look_again_at_what_was_read(void)
{
    open_with_hook(NEXT_CHECK, true);
    read_key(key_on(1, 0));
    write_key(key_on(2, 0), 1);
    commit();
    assert_replied(REPLY_DONE);
    TEST_ASSERT_EQUAL(1, count_asked(ASK_CHECK, 1));
    TEST_ASSERT_EQUAL(0, count_asked(ASK_CHECK, 2));
    TEST_ASSERT_EQUAL(1, stored[key_on(2, 0)]);
}

static bool refuses_checks(struct replica *replica, const struct ask *ask,
                           struct shard_answer *answer)
{
    if (ask->kind == ASK_CHECK)
        answer->vote.refusal = REFUSED_CONFLICT;
    return shard_obeys(replica, ask, answer);
}

static void a_failed_check_aborts_what_is_prepared(void)
{
    open_with_hook(NEXT_CHECK, true);
    shard_says = refuses_checks;
    read_key(key_on(1, 0));
    write_key(key_on(2, 0), 1);
    commit();
    assert_aborted(REFUSED_CONFLICT);
    TEST_ASSERT_EQUAL(NO_VALUE, stored[key_on(2, 0)]);
    TEST_ASSERT_TRUE(shares[2][1].is_over);
    assert_idle();
}

/* --- Commit ----------------------------------------------------------------------------------- */

static void a_commit_takes_effect_on_every_shard(void)
{
    write_on_all_shards();
    commit();
    assert_replied(REPLY_DONE);
    for (uint32_t shard = 0; shard < SHARDS; shard++) {
        TEST_ASSERT_EQUAL(7, last_asked(ASK_PREPARE, shard)->prepare.participants);
        TEST_ASSERT_EQUAL(7, stored[key_on(shard, 0)]);
    }
    TEST_ASSERT_EQUAL(1, count_asked(ASK_DECIDE, 0) + count_asked(ASK_DECIDE, 1) +
                             count_asked(ASK_DECIDE, 2));
    TEST_ASSERT_FALSE(stamp_is_zero(heard[0].reply.at));
    assert_idle();
}

static void with_its_bug_the_last_shard_is_forgotten(void)
{
    bugs.on[BUG_COORDINATOR_FORGETS_A_SHARD] = true;
    open_again();
    write_on_all_shards();
    commit();
    assert_replied(REPLY_DONE);
    TEST_ASSERT_EQUAL(7, stored[key_on(1, 0)]);
    TEST_ASSERT_EQUAL(NO_VALUE, stored[key_on(2, 0)]);
}

static bool second_shard_refuses(struct replica *replica, const struct ask *ask,
                                 struct shard_answer *answer)
{
    if (ask->kind == ASK_PREPARE && replica->shard.number == 1) {
        answer->refusal = answer->vote.refusal = REFUSED_UNDECIDED;
        return true;
    }
    return shard_obeys(replica, ask, answer);
}

static void one_refusal_aborts_on_every_shard(void)
{
    shard_says = second_shard_refuses;
    write_on_all_shards();
    commit();
    assert_aborted(REFUSED_UNDECIDED);
    for (uint32_t shard = 0; shard < SHARDS; shard++) {
        TEST_ASSERT_TRUE(shares[shard][1].is_over);
        TEST_ASSERT_EQUAL(NO_VALUE, stored[key_on(shard, 0)]);
    }
    assert_idle();
}

static bool anchor_gives_up(struct replica *replica, const struct ask *ask,
                            struct shard_answer *answer)
{
    if (ask->kind == ASK_DECIDE)
        shares[replica->shard.number][ask->txn].is_prepared = false;
    return shard_obeys(replica, ask, answer);
}

static void the_anchor_has_the_last_word(void)
{
    shard_says = anchor_gives_up;
    write_on_all_shards();
    commit();
    assert_aborted(REFUSED_ABORTED);
    TEST_ASSERT_EQUAL(NO_VALUE, stored[key_on(0, 0)]);
}

static bool has_forgotten_decisions(struct replica *replica, const struct ask *ask,
                                    struct shard_answer *answer)
{
    if (ask->kind != ASK_DECIDE)
        return shard_obeys(replica, ask, answer);
    answer->refusal = REFUSED_TOO_OLD;
    return true;
}

static void an_outcome_that_the_anchor_may_have_forgotten_is_unknown(void)
{
    shard_says = has_forgotten_decisions;
    write_on_all_shards();
    commit();
    assert_replied(REPLY_UNKNOWN);
    assert_idle();
}

static void a_transaction_that_did_nothing_commits(void)
{
    commit();
    assert_replied(REPLY_DONE);
    TEST_ASSERT_EQUAL(0, asked_count);
}

static void what_only_read_commits_at_once_where_nothing_must_be_prepared(void)
{
    protocol.prepares = written_shards;
    open_again();
    read_key(key_on(1, 0));
    commit();
    assert_replied(REPLY_DONE);
    TEST_ASSERT_EQUAL(0, count_asked(ASK_PREPARE, 1));
}

static uint64_t read_shards(struct txn *txn)
{
    return txn->touched;
}

static void shards_that_only_check_do_not_prepare(void)
{
    protocol.prepares = written_shards;
    protocol.checks = read_shards;
    open_again();
    read_key(key_on(1, 0));
    write_key(key_on(2, 0), 1);
    commit();
    assert_replied(REPLY_DONE);
    TEST_ASSERT_EQUAL(1, count_asked(ASK_CHECK, 1));
    TEST_ASSERT_EQUAL(0, count_asked(ASK_CHECK, 2));
    TEST_ASSERT_EQUAL(4, last_asked(ASK_PREPARE, 2)->prepare.participants);
}

static void a_transaction_older_than_the_retention_is_not_prepared(void)
{
    cluster.options.retention_ns = 100 * MS;
    for (int i = 0; i < 6; i++)
        write_key(key_on(1, 0), i);
    commit();
    assert_aborted(REFUSED_TOO_OLD);
    TEST_ASSERT_EQUAL(0, asked_count);
}

/* --- On one shard ----------------------------------------------------------------------------- */

static void open_alone(void)
{
    protocol.is_alone = true;
    open_again();
}

static void one_shard_decides_with_its_prepare(void)
{
    open_alone();
    write_key(key_on(1, 0), 5);
    commit();
    assert_replied(REPLY_DONE);
    TEST_ASSERT_EQUAL(1, asked_count);
    TEST_ASSERT_EQUAL(5, stored[key_on(1, 0)]);
}

static void several_shards_are_not_alone(void)
{
    open_alone();
    write_on_all_shards();
    commit();
    assert_replied(REPLY_DONE);
    TEST_ASSERT_FALSE(last_asked(ASK_PREPARE, 1)->prepare.is_alone);
}

/* Refused before anything is in the log, though another copy of the prepare got there. */
static bool a_copy_is_prepared(struct replica *replica, const struct ask *ask,
                               struct shard_answer *answer)
{
    shard_obeys(replica, ask, answer);
    if (ask->kind == ASK_PREPARE) {
        answer->decision = (struct decision){ 0 };
        answer->refusal = answer->vote.refusal = REFUSED_UNDECIDED;
    }
    return true;
}

static void a_refused_prepare_whose_copy_committed_has_committed(void)
{
    open_alone();
    shard_says = a_copy_is_prepared;
    write_key(key_on(1, 0), 5);
    commit();
    assert_replied(REPLY_DONE);
    TEST_ASSERT_EQUAL(5, stored[key_on(1, 0)]);
}

static void a_refused_lonely_prepare_is_aborted_in_the_log_before_the_client_hears(void)
{
    open_alone();
    shard_says = second_shard_refuses;
    write_key(key_on(1, 0), 5);
    commit();
    assert_aborted(REFUSED_UNDECIDED);
    TEST_ASSERT_EQUAL(1, count_asked(ASK_DECIDE, 1));
    TEST_ASSERT_TRUE(shares[1][1].is_over);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(what_is_stored_is_read);
    RUN_TEST(keys_are_answered_in_the_order_in_which_they_were_asked);
    RUN_TEST(a_transaction_reads_what_it_wrote_without_asking);
    RUN_TEST(a_predicate_is_put_to_every_shard_and_to_own_rows_as_they_are_now);
    RUN_TEST(a_row_deleted_and_inserted_again_is_read_once);
    RUN_TEST(with_its_bug_a_row_deleted_and_inserted_again_is_read_twice);
    RUN_TEST(a_refused_read_aborts_the_transaction);
    RUN_TEST(what_was_read_is_sent_with_the_prepare);
    RUN_TEST(of_a_statement_that_is_read_again_only_the_last_answers_count);
    RUN_TEST(a_read_with_nothing_before_it_needs_no_check);
    RUN_TEST(a_check_moves_the_snapshot_and_asks_the_protocol_again);
    RUN_TEST(a_commit_may_look_again_at_what_was_read);
    RUN_TEST(a_failed_check_aborts_what_is_prepared);
    RUN_TEST(a_commit_takes_effect_on_every_shard);
    RUN_TEST(with_its_bug_the_last_shard_is_forgotten);
    RUN_TEST(one_refusal_aborts_on_every_shard);
    RUN_TEST(the_anchor_has_the_last_word);
    RUN_TEST(an_outcome_that_the_anchor_may_have_forgotten_is_unknown);
    RUN_TEST(a_transaction_that_did_nothing_commits);
    RUN_TEST(what_only_read_commits_at_once_where_nothing_must_be_prepared);
    RUN_TEST(shards_that_only_check_do_not_prepare);
    RUN_TEST(a_transaction_older_than_the_retention_is_not_prepared);
    RUN_TEST(one_shard_decides_with_its_prepare);
    RUN_TEST(several_shards_are_not_alone);
    RUN_TEST(a_refused_prepare_whose_copy_committed_has_committed);
    RUN_TEST(a_refused_lonely_prepare_is_aborted_in_the_log_before_the_client_hears);
    return UNITY_END();
}
