/*
 * Any bytes as the witness of an audit of a tiny log. They are no witness, and it is said why; or they are refused, and it
 * is said why; or accepted, and then the brute force over all executions says the same; and all that twice.
 *
 * The first byte chooses the log; a digest of 64 zeros stands for its own, so that the fuzzer need not find it out.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "history/io/source.h"
#include "tests/audit/tiny_draw.h"
#include "tests/audit/tiny_oracle.h"
#include "verify/verify.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define LOGS 64

struct tiny_case {
    struct tiny_log tiny;
    struct buffer text;
    struct call_log log;
    char digest[DIGEST_HEX_SIZE];
    enum { NOT_ASKED, THERE_IS, THERE_IS_NONE } executions[TINY_LEVEL_COUNT];
};

static struct tiny_case *draw_case(unsigned number)
{
    static struct tiny_case *cases[LOGS];
    struct random_key key = random_key_of_seed(number);
    struct tiny_case *c = cases[number];
    struct source source;
    struct error err = { 0 };
    struct random dice;
    bool is_read;

    if (c)
        return c;
    c = cases[number] = calloc(1, sizeof *c);
    assert(c);
    random_init(&dice, &key);
    tiny_draw(&dice, 2 + (int)(number % 3), &c->tiny);
    for (int t = 0; t < c->tiny.count && number % 4 > 0; t++)
        c->tiny.txns[t].has_ts = true;
    c->tiny.ts_is_hint &= number % 4 == 0;
    tiny_print(&c->tiny, &c->text);
    is_read = source_open_memory(&source, "tiny", c->text.at, c->text.count, &err) == STATUS_OK &&
              call_log_read(&c->log, &source, &err) == STATUS_OK;
    assert(is_read);
    source_close(&source);
    digest_hex(&c->log.digest, c->digest);
    return c;
}

static bool has_execution(struct tiny_case *c, enum tiny_level level)
{
    if (c->executions[level] == NOT_ASKED)
        c->executions[level] =
            tiny_has_execution(&c->tiny, level, text_of(c->digest), NULL) ? THERE_IS : THERE_IS_NONE;
    return c->executions[level] == THERE_IS;
}

/* What is accepted says that the level holds, by one of its rules or models; or that it is violated, by all that were asked. */
static void check_accepted(struct tiny_case *c, const char *reason)
{
    static const struct {
        const char *name;
        enum tiny_level strongest, weakest;
    } levels[] = {
        { "serializable ", TINY_SERIALIZABLE, TINY_SERIALIZABLE },
        { "strict-serializable ", TINY_STRICT_SERIALIZABLE, TINY_STRICT_SERIALIZABLE },
        { "snapshot ", TINY_SNAPSHOT_BY_VERSION, TINY_SNAPSHOT_BY_VALUE },
        { "strict-snapshot ", TINY_STRICT_SNAPSHOT_BY_VERSION, TINY_STRICT_SNAPSHOT_BY_VALUE },
        { "read-committed ", TINY_RC_LOCKING, TINY_RC_PAPER },
    };
    size_t i = 0;

    while (i < sizeof levels / sizeof *levels && strncmp(reason, levels[i].name, strlen(levels[i].name)) != 0)
        i++;
    assert(i < sizeof levels / sizeof *levels);
    if (strstr(reason, "is violated")) {
        assert(!has_execution(c, levels[i].strongest));
        assert(i == 4 || !has_execution(c, levels[i].weakest));
    } else {
        bool holds = false;

        for (enum tiny_level l = levels[i].strongest; l <= levels[i].weakest; l++)
            holds |= has_execution(c, l);
        assert(holds);
    }
}

static void put_digest(const struct tiny_case *c, char *bytes, size_t size)
{
    char zeros[DIGEST_HEX_SIZE];

    memset(zeros, '0', sizeof zeros - 1);
    for (size_t i = 0; i + sizeof zeros - 1 <= size; i++)
        if (memcmp(bytes + i, zeros, sizeof zeros - 1) == 0)
            memcpy(bytes + i, c->digest, sizeof zeros - 1);
}

static enum status judge(const struct tiny_case *c, const uint8_t *data, size_t size, struct verification *v)
{
    char *bytes = malloc(size > 0 ? size : 1);
    struct buffer program = { 0 };
    struct error err = { 0 };
    enum status status;

    tiny_print_program(&c->tiny, &program);
    assert(bytes && !program.out_of_memory);
    if (size > 0)
        memcpy(bytes, data, size);
    put_digest(c, bytes, size);
    memset(v, 0, sizeof *v);
    status = verify_audit(&c->log, (struct text){ program.at, program.count }, bytes, size, v, &err);
    buffer_close(&program);
    free(bytes);
    assert(status == STATUS_OK ? v->reason[0] : err.text[0]);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct verification first, second;
    struct tiny_case *c;
    enum status status;

    if (size == 0)
        return 0;
    c = draw_case(data[0] % LOGS);
    status = judge(c, data + 1, size - 1, &first);
    if (judge(c, data + 1, size - 1, &second) != status || first.is_accepted != second.is_accepted)
        abort();
    if (status == STATUS_OK && first.is_accepted)
        check_accepted(c, first.reason);
    return 0;
}
