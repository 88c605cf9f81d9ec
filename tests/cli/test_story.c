#include "cli/story.h"
#include "cli/story_drawing.h"

#include <stdlib.h>
#include <string.h>

#include "tests/fixture.h"
#include "unity.h"

static struct scenario *scenario;
static struct story story;
static struct buffer out;
static struct error err;

/* Two increments of one register, of which a crash is between. The name needs escaping. */
static const char text[] =
    "name = \"a < b & \\\"c\\\"\"\nseed = 1\n[cluster]\nnodes = 3\nshards = 1\n"
    "[workload]\nkind = \"rw-register\"\nsessions = 2\nduration = \"3s\"\nkeys = 2\n"
    "[[nemesis]]\nkind = \"crash\"\nshape = \"one\"\n"
    "strikes = [{ at = \"1200ms\", lasts = \"100ms\", nodes = [2] }]\n"
    "[[transaction]]\nsession = 0\nat = \"1s\"\nnode = 0\ndo = [\"w 0 7\"]\n"
    "[[transaction]]\nsession = 1\nat = \"1500ms\"\nnode = 1\ndo = [\"r 0\", \"w 1 8\"]\n";

void setUp(void)
{
    scenario = calloc(1, sizeof *scenario);
    out = (struct buffer){ 0 };
    err = (struct error){ 0 };
    TEST_ASSERT_NOT_NULL(scenario);
    ASSERT_OK(scenario_read(scenario, "x.toml", text_of(text), NULL, 0, &err), &err);
    ASSERT_OK(story_tell(&story, scenario, &err), &err);
}

void tearDown(void)
{
    story_close(&story);
    scenario_close(scenario);
    free(scenario);
    buffer_close(&out);
}

/* Where it stands in what was printed; the test fails if it does not. */
static size_t place_of(const char *words)
{
    const char *place = strstr(out.at, words);

    TEST_ASSERT_NOT_NULL_MESSAGE(place, words);
    return (size_t)(place - out.at);
}

static void it_tells_who_did_what_and_what_was_seen_in_order(void)
{
    static const char *const parts[] = {
        "leads shard 0", "T1 begins",       "T1 writes 0=7", "T1 has committed",
        "crash one: node 2, for 100 ms",    "T2 begins",     "T2 reads 0=7",
        "T2 writes 1=8", "T2 has committed", "certificate",
    };
    size_t last = 0;

    story_print(&story, "run - stuck", &out);
    buffer_byte(&out, '\0');
    (void)place_of("seed 1: run - stuck");
    for (size_t i = 0; i < ROW_COUNT(parts); i++) {
        size_t place = place_of(parts[i]);

        TEST_ASSERT_TRUE_MESSAGE(place >= last, parts[i]);
        last = place;
    }
}

/* Every element is closed, and nothing but elements has angle brackets. */
static void check_xml(const char *at)
{
    char open[16][20];
    size_t depth = 0;

    for (; *at; at++) {
        const char *name = at + 1;
        size_t length = strcspn(name, " />");

        TEST_ASSERT_TRUE(*at != '&' || strncmp(at, "&lt;", 4) == 0 ||
                         strncmp(at, "&gt;", 4) == 0 || strncmp(at, "&amp;", 5) == 0 ||
                         strncmp(at, "&quot;", 6) == 0);
        if (*at != '<')
            continue;
        at = strchr(at, '>');
        TEST_ASSERT_NOT_NULL(at);
        if (name[0] == '/') {
            TEST_ASSERT_TRUE(depth > 0);
            depth--;
            TEST_ASSERT_EQUAL_INT(0, strncmp(open[depth], name + 1, strlen(open[depth])));
        } else if (at[-1] != '/') {
            TEST_ASSERT_TRUE(depth < 16 && length < 20);
            memcpy(open[depth], name, length);
            open[depth++][length] = '\0';
        }
    }
    TEST_ASSERT_EQUAL(0, depth);
}

static void its_drawing_is_xml_with_a_line_for_each_who_speaks(void)
{
    story_draw(&story, "a > b", &out);
    buffer_byte(&out, '\0');
    check_xml(out.at);
    (void)place_of("a &lt; b &amp; &quot;c&quot;");
    (void)place_of("a &gt; b");
    (void)place_of(">session 0<");
    (void)place_of(">session 1<");
    (void)place_of(">node 2<");
    (void)place_of("class=\"shade\"");
    (void)place_of("class=\"sent\"");
    TEST_ASSERT_NULL(strstr(out.at, ">session 2<"));
}

static void messages_that_arrive_do_so_after_they_were_sent(void)
{
    size_t came = 0;

    TEST_ASSERT_TRUE(story.messages.count >= 8);
    for (size_t i = 0; i < story.messages.count; i++) {
        const struct story_message *message = &story.messages.at[i];

        TEST_ASSERT_TRUE(message->came_ns > message->sent_ns);
        TEST_ASSERT_TRUE(message->from != message->to);
        came += message->came_ns != TIME_NEVER;
    }
    TEST_ASSERT_TRUE(came >= 8);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(it_tells_who_did_what_and_what_was_seen_in_order);
    RUN_TEST(its_drawing_is_xml_with_a_line_for_each_who_speaks);
    RUN_TEST(messages_that_arrive_do_so_after_they_were_sent);
    return UNITY_END();
}
