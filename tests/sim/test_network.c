#include "sim/network.h"

#include "tests/fixture.h"
#include "unity.h"

#define MS INT64_C(1000000)
#define SENDS 2000

static struct link_options options;
static struct network network;
static struct error err;

void setUp(void)
{
    err = (struct error){ 0 };
    options = (struct link_options){ .loss = { 1, 10 },
                                     .duplicate = { 1, 10 },
                                     .reorder = { 1, 10 },
                                     .reorder_delay_ns_max = 50 * MS };
    ASSERT_OK(latency_uniform(&options.latency, MS, 2 * MS, &err), &err);
}

void tearDown(void) {}

static void make_network(uint32_t node_count, uint32_t client_count, struct arena *arena)
{
    struct random_key key = random_key_of_seed(9);

    ASSERT_OK(network_init(&network,
                           &(struct network_options){ .links = &options,
                                                      .node_count = node_count,
                                                      .endpoint_count = node_count + client_count,
                                                      .message_count_max = 10000,
                                                      .message_bytes_max = (size_t)1 << 20 },
                           &key, arena, &err),
              &err);
}

static struct network_sent send(int64_t now_ns, uint32_t from, uint32_t to)
{
    struct network_sent sent;

    ASSERT_OK(network_send(&network, now_ns, &(struct network_letter){ from, to, 0, TEXT("hello") },
                           &sent, &err),
              &err);
    return sent;
}

static void receive(uint32_t message)
{
    network_land(&network, message);
    network_free(&network, message);
}

struct fate {
    int64_t arrives_ns, copy_arrives_ns;
    bool duplicated, lost, copy_lost;
};

/* Sends one message and frees what arrives. */
static struct fate fate_of_next(uint32_t from, uint32_t to)
{
    struct network_sent sent = send(0, from, to);
    struct fate fate = { .arrives_ns = sent.arrives_ns,
                         .copy_arrives_ns = sent.copy_arrives_ns,
                         .duplicated = sent.copy != MESSAGE_NONE };

    fate.lost = network_fate(&network, network_message(&network, sent.message)) == MESSAGE_LOST;
    receive(sent.message);
    if (fate.duplicated) {
        fate.copy_lost =
            network_fate(&network, network_message(&network, sent.copy)) == MESSAGE_LOST;
        receive(sent.copy);
    }
    return fate;
}

static void assert_same_fate(const struct fate *expected, const struct fate *actual)
{
    TEST_ASSERT_EQUAL_INT64(expected->arrives_ns, actual->arrives_ns);
    TEST_ASSERT_EQUAL_INT64(expected->copy_arrives_ns, actual->copy_arrives_ns);
    TEST_ASSERT_EQUAL(expected->duplicated, actual->duplicated);
    TEST_ASSERT_EQUAL(expected->lost, actual->lost);
    TEST_ASSERT_EQUAL(expected->copy_lost, actual->copy_lost);
}

static void messages_on_other_links_do_not_move_a_link_s_fates(void)
{
    static struct fate alone[SENDS];

    make_network(3, 1, fixture_arena());
    for (size_t i = 0; i < SENDS; i++)
        alone[i] = fate_of_next(1, 2);
    make_network(3, 1, fixture_arena());
    for (size_t i = 0; i < SENDS; i++) {
        struct fate fate;
        fate_of_next(2, 1);
        if (i % 3 == 0)
            fate_of_next(0, 2);
        fate = fate_of_next(1, 2);
        assert_same_fate(&alone[i], &fate);
    }
}

static void one_more_node_does_not_move_the_fates_of_the_links_there_were(void)
{
    static struct fate of_node[200], of_client[200];

    make_network(3, 1, fixture_arena());
    for (size_t i = 0; i < 200; i++) {
        of_node[i] = fate_of_next(1, 2);
        of_client[i] = fate_of_next(3, 0);
    }
    make_network(4, 1, fixture_arena());
    for (size_t i = 0; i < 200; i++) {
        struct fate node = fate_of_next(1, 2), client = fate_of_next(4, 0);
        assert_same_fate(&of_node[i], &node);
        assert_same_fate(&of_client[i], &client);
    }
}

static void one_kind_of_fate_switched_off_leaves_the_others_alone(void)
{
    static struct fate all[SENDS];

    make_network(2, 0, fixture_arena());
    for (size_t i = 0; i < SENDS; i++)
        all[i] = fate_of_next(0, 1);
    options.duplicate = (struct ratio){ 0, 1 };
    make_network(2, 0, fixture_arena());
    for (size_t i = 0; i < SENDS; i++) {
        struct fate fate = fate_of_next(0, 1);
        TEST_ASSERT_FALSE(fate.duplicated);
        TEST_ASSERT_EQUAL_INT64(all[i].arrives_ns, fate.arrives_ns);
        TEST_ASSERT_EQUAL(all[i].lost, fate.lost);
    }
}

static void fates_are_as_frequent_as_asked(void)
{
    int lost = 0, duplicated = 0, late = 0;

    make_network(2, 0, fixture_arena());
    for (size_t i = 0; i < 10000; i++) {
        struct fate fate = fate_of_next(0, 1);
        lost += fate.lost;
        duplicated += fate.duplicated;
        late += fate.arrives_ns > 2 * MS;
        TEST_ASSERT_TRUE(fate.arrives_ns >= MS && fate.arrives_ns <= 52 * MS);
    }
    TEST_ASSERT_INT_WITHIN(150, 1000, lost);
    TEST_ASSERT_INT_WITHIN(150, 1000, duplicated);
    TEST_ASSERT_INT_WITHIN(170, 990, late);
}

static void a_calm_network_loses_and_repeats_nothing(void)
{
    make_network(2, 0, fixture_arena());
    network.calm = true;
    for (size_t i = 0; i < SENDS; i++) {
        struct fate fate = fate_of_next(0, 1);
        TEST_ASSERT_FALSE(fate.lost || fate.duplicated);
        TEST_ASSERT_TRUE(fate.arrives_ns <= 2 * MS);
    }
}

/*
 * Timers that a pause has brought into step fire in step for ever: with room for two, the same
 * messages would be the oldest each time, and the healed world would never recover.
 */
static void a_calm_network_has_room_on_every_link(void)
{
    options = (struct link_options){ .in_flight_max = 2 };
    make_network(2, 0, fixture_arena());
    for (int i = 0; i < 2; i++)
        TEST_ASSERT_EQUAL_UINT32(MESSAGE_NONE, send(0, 0, 1).evicted);
    TEST_ASSERT_TRUE(send(0, 0, 1).evicted != MESSAGE_NONE);
    network.calm = true;
    for (int i = 0; i < 10; i++)
        TEST_ASSERT_EQUAL_UINT32(MESSAGE_NONE, send(0, 0, 1).evicted);
}

static void bandwidth_makes_messages_wait_for_each_other(void)
{
    options = (struct link_options){ .bytes_per_second = 1000 }; /* 5 bytes: 5 ms */
    make_network(3, 0, fixture_arena());
    TEST_ASSERT_EQUAL_INT64(5 * MS, send(0, 0, 1).arrives_ns);
    TEST_ASSERT_EQUAL_INT64(10 * MS, send(0, 0, 1).arrives_ns);
    TEST_ASSERT_EQUAL_INT64(5 * MS, send(0, 0, 2).arrives_ns);
    TEST_ASSERT_EQUAL_INT64(15 * MS, send(7 * MS, 0, 1).arrives_ns);
    TEST_ASSERT_EQUAL_INT64(105 * MS, send(100 * MS, 0, 1).arrives_ns);
}

static void a_full_link_gives_up_its_oldest_message(void)
{
    struct network_sent first, second, third;

    options = (struct link_options){ .in_flight_max = 2 };
    make_network(2, 0, fixture_arena());
    first = send(0, 0, 1);
    second = send(0, 0, 1);
    TEST_ASSERT_EQUAL_UINT32(MESSAGE_NONE, second.evicted);
    third = send(0, 0, 1);
    TEST_ASSERT_EQUAL_UINT32(first.message, third.evicted);
    TEST_ASSERT_EQUAL_INT(MESSAGE_EVICTED,
                          network_fate(&network, network_message(&network, first.message)));
    network_free(&network, first.message);
    receive(second.message);
    TEST_ASSERT_EQUAL_UINT32(MESSAGE_NONE, send(0, 0, 1).evicted);
}

static void remove_at(uint32_t *messages, size_t *count, size_t at)
{
    for (size_t i = at + 1; i < *count; i++)
        messages[i - 1] = messages[i];
    --*count;
}

/* Whatever has arrived meanwhile, in whatever order: against a list of those in flight. */
static void the_victim_is_always_the_oldest_of_those_in_flight(void)
{
    uint32_t in_flight[5];
    struct random_key key = random_key_of_seed(4);
    struct random random;
    size_t count = 0;

    random_init(&random, &key);
    options = (struct link_options){ .in_flight_max = 5 };
    make_network(2, 0, fixture_arena());
    for (int i = 0; i < 20000; i++) {
        if (count > 0 && random_below(&random, 5) < 2) {
            size_t arrived = (size_t)random_below(&random, count);
            receive(in_flight[arrived]);
            remove_at(in_flight, &count, arrived);
        } else {
            struct network_sent sent = send(0, 0, 1);
            TEST_ASSERT_EQUAL_UINT32(count == 5 ? in_flight[0] : MESSAGE_NONE, sent.evicted);
            if (count == 5) {
                network_free(&network, sent.evicted);
                remove_at(in_flight, &count, 0);
            }
            in_flight[count++] = sent.message;
        }
        TEST_ASSERT_EQUAL_UINT32(count, network_link(&network, 0, 1)->in_flight);
    }
}

static void a_link_to_oneself_is_perfect(void)
{
    options.loss = options.duplicate = (struct ratio){ 1, 1 };
    make_network(2, 0, fixture_arena());
    network_link(&network, 1, 1)->cuts = 1;
    for (int i = 0; i < 100; i++) {
        struct network_sent sent = send(i, 1, 1);
        TEST_ASSERT_EQUAL_INT64(i, sent.arrives_ns);
        TEST_ASSERT_EQUAL_UINT32(MESSAGE_NONE, sent.copy);
        TEST_ASSERT_EQUAL_INT(MESSAGE_ARRIVES,
                              network_fate(&network, network_message(&network, sent.message)));
        receive(sent.message);
    }
}

static void the_bytes_are_kept_until_the_message_is_freed(void)
{
    struct network_sent sent;
    const struct message *message;
    char bytes[300];

    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)i;
    make_network(2, 0, fixture_arena());
    ASSERT_OK(network_send(&network, 0,
                           &(struct network_letter){ 0, 1, 0, { bytes, sizeof bytes } }, &sent,
                           &err),
              &err);
    for (int i = 0; i < 500; i++)
        send(0, 1, 0);
    network_land(&network, sent.message);
    message = network_message(&network, sent.message);
    TEST_ASSERT_EQUAL_UINT32(sizeof bytes, message->size);
    TEST_ASSERT_EQUAL_MEMORY(bytes, message->bytes, sizeof bytes);
}

static void too_many_messages_are_an_error_and_recycled_ones_are_not(void)
{
    struct random_key key = random_key_of_seed(9);
    struct network_sent sent;

    options = (struct link_options){ 0 };
    ASSERT_OK(network_init(&network,
                           &(struct network_options){ .links = &options,
                                                      .node_count = 2,
                                                      .endpoint_count = 2,
                                                      .message_count_max = 3,
                                                      .message_bytes_max = (size_t)1 << 20 },
                           &key, fixture_arena(), &err),
              &err);
    for (int i = 0; i < 10000; i++)
        receive(send(0, 0, 1).message);
    for (int i = 0; i < 3; i++)
        send(0, 0, 1);
    TEST_ASSERT_EQUAL_INT(
        STATUS_TOO_LONG,
        network_send(&network, 0, &(struct network_letter){ 0, 1, 0, TEXT("x") }, &sent, &err));
    TEST_ASSERT_EQUAL_STRING("no room for more than 3 messages", err.text);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(messages_on_other_links_do_not_move_a_link_s_fates);
    RUN_TEST(one_more_node_does_not_move_the_fates_of_the_links_there_were);
    RUN_TEST(one_kind_of_fate_switched_off_leaves_the_others_alone);
    RUN_TEST(fates_are_as_frequent_as_asked);
    RUN_TEST(a_calm_network_loses_and_repeats_nothing);
    RUN_TEST(a_calm_network_has_room_on_every_link);
    RUN_TEST(bandwidth_makes_messages_wait_for_each_other);
    RUN_TEST(a_full_link_gives_up_its_oldest_message);
    RUN_TEST(the_victim_is_always_the_oldest_of_those_in_flight);
    RUN_TEST(a_link_to_oneself_is_perfect);
    RUN_TEST(the_bytes_are_kept_until_the_message_is_freed);
    RUN_TEST(too_many_messages_are_an_error_and_recycled_ones_are_not);
    return UNITY_END();
}
