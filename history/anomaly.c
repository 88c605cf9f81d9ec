#include "history/anomaly.h"

#include <assert.h>
#include <stddef.h>

#define LEVEL_NONE LEVEL_COUNT

static const struct {
    enum level weakest;
    const char *definition;
} anomalies[] = {
#define ANOMALY_ROW(enumerator, name, weakest, definition) { LEVEL_##weakest, definition },
    ANOMALIES(ANOMALY_ROW)
#undef ANOMALY_ROW
};

static const char *const names[] = {
#define ANOMALY_NAME(enumerator, name, weakest, definition) name,
    ANOMALIES(ANOMALY_NAME)
#undef ANOMALY_NAME
        NULL
};

const char *anomaly_name(enum anomaly anomaly)
{
    assert(anomaly < ANOMALY_COUNT);
    return names[anomaly];
}

const char *anomaly_definition(enum anomaly anomaly)
{
    assert(anomaly < ANOMALY_COUNT);
    return anomalies[anomaly].definition;
}

bool anomaly_weakest_level(enum anomaly anomaly, enum level *level)
{
    assert(anomaly < ANOMALY_COUNT);
    if (anomalies[anomaly].weakest == LEVEL_COUNT)
        return false;
    *level = anomalies[anomaly].weakest;
    return true;
}

bool anomaly_of_text(struct text text, enum anomaly *anomaly)
{
    for (int i = 0; i < ANOMALY_COUNT; i++)
        if (text_equal(text, text_of(names[i]))) {
            *anomaly = (enum anomaly)i;
            return true;
        }
    return false;
}

const char *const *anomaly_names(void)
{
    return names;
}
