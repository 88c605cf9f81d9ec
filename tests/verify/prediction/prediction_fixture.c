#include "tests/verify/prediction/prediction_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "predict/prediction_witness.h"
#include "tests/fixture.h"
#include "unity.h"

bool fixture_predict(const struct history *history, enum level level,
                     enum predict_strategy strategy, struct fixture_prediction *f)
{
    struct arena *arena = fixture_arena();
    struct error err = { 0 };

    *f = (struct fixture_prediction){ .options = { .level = level, .strategy = strategy } };
    ASSERT_OK(dataflow_of_history(&f->trace, history, arena, &err), &err);
    ASSERT_OK(predict_native(&f->trace, &f->options, arena, &f->prediction, &err), &err);
    if (f->prediction.kind != PREDICTION_FOUND)
        return false;
    ASSERT_OK(
        prediction_confirm(&f->prediction, &f->trace, &f->options, arena, &f->confirmation, &err),
        &err);
    TEST_ASSERT_TRUE_MESSAGE(f->confirmation.is_confirmed, f->confirmation.reason);
    ASSERT_OK(prediction_write_witness(&f->prediction, &f->trace, &f->options, &f->confirmation,
                                       &f->witness, &err),
              &err);
    buffer_byte(&f->witness, '\0');
    f->witness.count--;
    return true;
}

void fixture_prediction_close(struct fixture_prediction *f)
{
    confirmation_close(&f->confirmation);
    buffer_close(&f->witness);
}

const char *fixture_verify_prediction(const struct history *history, const char *witness)
{
    static char answer[600];
    struct verification verification;
    struct error err = { 0 };
    char *bytes = strdup(witness);
    enum status status;

    TEST_ASSERT_NOT_NULL(bytes);
    status = verify_prediction(history, bytes, strlen(bytes), &verification, &err);
    free(bytes);
    if (status == STATUS_OK)
        snprintf(answer, sizeof answer, "%s: %s", verification.is_accepted ? "accepted" : "refused",
                 verification.reason);
    else
        snprintf(answer, sizeof answer, "no witness: %s", err.text);
    return answer;
}

char *fixture_replace(const char *text, const char *words, const char *by)
{
    const char *at = strstr(text, words);
    struct buffer out = { 0 };

    TEST_ASSERT_NOT_NULL_MESSAGE(at, words);
    buffer_text(&out, (struct text){ text, (size_t)(at - text) });
    buffer_text(&out, text_of(by));
    buffer_text(&out, text_of(at + strlen(words)));
    buffer_byte(&out, '\0');
    TEST_ASSERT_FALSE(out.out_of_memory);
    return out.at;
}
