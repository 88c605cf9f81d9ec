#include "tests/verify/mutate.h"

#include <string.h>

#include "unity.h"

const char *const mutate_others[] = { "-1",
                                      "0",
                                      "1",
                                      "2",
                                      "3",
                                      "4",
                                      "9",
                                      "9223372036854775807",
                                      "null",
                                      "[1,1]",
                                      "[2,1]",
                                      "[1,2]",
                                      "1,2",
                                      "2,1",
                                      "\"x\"",
                                      "\"y\"",
                                      "\"l\"",
                                      "\"t/7\"",
                                      "\"t/9\"",
                                      "\"valid\"",
                                      "\"invalid\"",
                                      "\"order\"",
                                      "\"certificate\"",
                                      "\"blackbox\"",
                                      "\"ww\"",
                                      "\"wr\"",
                                      "\"rw\"",
                                      "\"predicate-wr\"",
                                      "\"predicate-rw\"",
                                      "\"process\"",
                                      "\"realtime\"",
                                      "\"read-uncommitted\"",
                                      "\"read-committed\"",
                                      "\"repeatable-read\"",
                                      "\"snapshot\"",
                                      "\"serializable\"",
                                      "\"session-snapshot\"",
                                      "\"session-serializable\"",
                                      "\"strict-snapshot\"",
                                      "\"strict-serializable\"",
                                      "\"causal\"",
                                      "\"G0\"",
                                      "\"G1c\"",
                                      "\"G-single\"",
                                      "\"G-nonadjacent\"",
                                      "\"G2-item\"",
                                      "\"G2\"",
                                      "\"G-single-process\"",
                                      "\"G-single-realtime\"",
                                      "\"G2-item-realtime\"",
                                      "\"G1a\"",
                                      "\"G1b\"",
                                      "\"internal\"",
                                      "\"garbage-read\"",
                                      "\"future-read\"",
                                      "\"lost-update\"",
                                      "\"result-set-mismatch\"",
                                      "\"duplicate-write\"",
                                      "\"b1\"",
                                      "\"c1\"",
                                      "\"b2\"",
                                      "\"c2\"",
                                      "\"c3\"",
                                      "\"reads\"",
                                      "\"follows\"",
                                      "\"overwrites\"",
                                      "\"exclusive\"",
                                      "\"prefix\"",
                                      "\"absent\"",
                                      "\"extreme\"",
                                      "\"program\"",
                                      "\"session\"",
                                      "\"version-order\"",
                                      "\"part\"",
                                      "\"G2-item-process\"",
                                      "\"G-nonadjacent-process\"",
                                      "\"G-nonadjacent-realtime\"",
                                      "\"duplicate-elements\"",
                                      NULL };

size_t mutate_other_count(void)
{
    return sizeof mutate_others / sizeof *mutate_others - 1;
}

/* --- Finding ----------------------------------------------------------------- */

static bool is_word_byte(char c)
{
    return c != 0 && strchr("-0123456789nul", c);
}

/* The end of a string that begins here. */
static size_t string_end(struct text text, size_t at)
{
    for (at++; text.at[at] != '"'; at++)
        at += text.at[at] == '\\';
    return at + 1;
}

size_t mutate_words(struct text text, struct span_of_text *words)
{
    size_t count = 0;

    for (size_t i = 0; i < text.length;) {
        size_t end = i + 1;

        if (text.at[i] == '"') {
            end = string_end(text, i);
        } else if (is_word_byte(text.at[i])) {
            while (is_word_byte(text.at[end]))
                end++;
        } else {
            i++;
            continue;
        }
        if (text.at[end] != ':')
            words[count++] = (struct span_of_text){ i, end - i };
        TEST_ASSERT_LESS_THAN(MUTATE_MAX, count);
        i = end;
    }
    return count;
}

/* The end of the value that begins here: a comma or bracket. */
static size_t value_end(struct text text, size_t at)
{
    size_t depth = 0;

    while (at < text.length) {
        char c = text.at[at];

        if (c == '"') {
            at = string_end(text, at);
            continue;
        }
        if (depth == 0 && (c == ',' || c == ']' || c == '}'))
            break;
        depth += c == '[' || c == '{';
        depth -= c == ']' || c == '}';
        at++;
    }
    return at;
}

size_t mutate_parts(struct text text, struct span_of_text *parts)
{
    size_t count = 0;

    for (size_t i = 0; i < text.length; i++) {
        if (text.at[i] == '"') {
            i = string_end(text, i) - 1;
            continue;
        }
        for (size_t at = i + 1; text.at[i] == '[' && text.at[at] != ']';) {
            size_t end = value_end(text, at);

            parts[count++] = (struct span_of_text){ at, end - at };
            TEST_ASSERT_LESS_THAN(MUTATE_MAX, count);
            if (text.at[end] == ']')
                break;
            at = end + 1;
        }
    }
    return count;
}

/* --- Changing ---------------------------------------------------------------- */

void mutate_replace(struct text text, struct span_of_text span, const char *by, struct buffer *out)
{
    size_t end = span.at + span.length;

    buffer_clear(out);
    buffer_text(out, (struct text){ text.at, span.at });
    buffer_text(out, text_of(by));
    buffer_text(out, (struct text){ text.at + end, text.length - end });
}

void mutate_drop(struct text text, struct span_of_text span, struct buffer *out)
{
    if (text.at[span.at + span.length] == ',')
        span.length++;
    else if (text.at[span.at - 1] == ',')
        span = (struct span_of_text){ span.at - 1, span.length + 1 };
    mutate_replace(text, span, "", out);
}

static void change_once(struct text text, struct random *random, struct buffer *out)
{
    struct span_of_text spans[MUTATE_MAX];
    size_t count;

    count = random_below(random, 4) == 0 ? mutate_parts(text, spans) : 0;
    if (count > 0) {
        mutate_drop(text, spans[random_below(random, count)], out);
    } else {
        count = mutate_words(text, spans);
        TEST_ASSERT_GREATER_THAN(2, count);
        /* The second is the digest. */
        mutate_replace(text, spans[2 + random_below(random, count - 2)],
                       mutate_others[random_below(random, mutate_other_count())], out);
    }
}

void mutate_randomly(struct text text, struct random *random, struct buffer *out)
{
    struct buffer before = { 0 };

    change_once(text, random, out);
    while (random_below(random, 3) == 0) {
        buffer_clear(&before);
        buffer_text(&before, (struct text){ out->at, out->count });
        change_once((struct text){ before.at, before.count }, random, out);
    }
    buffer_close(&before);
}
