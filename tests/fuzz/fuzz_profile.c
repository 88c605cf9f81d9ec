/*
 * fuzz_profile: no text makes the reader of profiles crash, hang, refuse without a reason or accept
 * what contradicts itself; and what is accepted can be judged by.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "checkers/interval/interval_model.h"
#include "trial/scenario/profile_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_line(const char *line)
{
    size_t length = strlen(line);

    assert(length > 0 && length < PROFILE_TEXT_SIZE);
    for (size_t i = 0; i < length; i++)
        assert((unsigned char)line[i] >= ' ' && line[i] != 0x7f);
}

/* Three transactions that have something to do with each other. */
static void judge_by(const struct profile *profile)
{
    static const struct trace_op ops[] = {
        { .invoked = 10, .completed = 20, .value = 1, .key = 0, .kind = TRACE_WRITE },
        { .invoked = 30, .completed = 40, .value = 0, .key = 1, .kind = TRACE_READ },
        { .invoked = 15, .completed = 35, .value = 0, .key = 0, .kind = TRACE_READ },
        { .invoked = 40, .completed = 45, .value = 2, .key = 1, .kind = TRACE_WRITE },
        { .invoked = 60, .completed = 70, .value = 1, .key = 0, .kind = TRACE_READ },
        { .invoked = 70, .completed = 80, .value = 3, .key = 1, .kind = TRACE_WRITE },
    };
    struct error err = { 0 };
    enum status status = STATUS_OK;
    struct interval_model model;

    interval_model_init(&model, profile, 0);
    for (uint32_t i = 0; i < 3 && status == STATUS_OK; i++) {
        struct interval_trace trace = { .id = i + 1,
                                        .invoked = ops[2 * i].invoked,
                                        .completed = ops[2 * i + 1].completed,
                                        .number = i,
                                        .status = TXN_OK,
                                        .ops = &ops[2 * i],
                                        .op_count = 2 };

        status = interval_model_add(&model, &trace, &err);
    }
    if (status == STATUS_OK)
        status = interval_model_end(&model, SIZE_MAX, &err);
    assert(status == STATUS_OK);
    interval_model_close(&model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct text text = { size > 0 ? (const char *)data : "", size };
    struct given_profile given;
    struct error err = { 0 };

    if (profile_read(&given, "fuzz", text, &err) != STATUS_OK) {
        assert(err.text[0] != '\0' && err.status == STATUS_BAD_INPUT && err.file[0] != '\0');
        return 0;
    }
    assert(err.file[0] == '\0' && profile_check(&given.profile, &err) == STATUS_OK);
    check_line(given.profile.name);
    check_line(given.profile.summary);
    judge_by(&given.profile);
    return 0;
}
