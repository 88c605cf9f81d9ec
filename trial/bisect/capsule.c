#include "trial/bisect/capsule.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/version.h"

static void sign(struct scenario *scenario, const struct bisect_origin *origin, const char *from)
{
    struct scenario_capsule *capsule = &scenario->capsule;

    snprintf(capsule->version, sizeof capsule->version, "%s", version_text());
    snprintf(capsule->from, sizeof capsule->from, "%s", from);
    snprintf(capsule->fails, sizeof capsule->fails, "%s", origin->target);
}

/* A program is found beside the capsule, wherever that is. */
static void name_program(const struct scenario *scenario, struct buffer *out)
{
    static const char key[] = "\nprogram = ";
    const char *slash = strrchr(scenario->workload.program, '/');
    struct buffer again = { 0 };
    char *line, *end;

    buffer_byte(out, '\0');
    line = out->out_of_memory ? NULL : strstr(out->at, key);
    if (scenario->workload.program[0] == '\0' || !line) {
        out->count--;
        return;
    }
    end = strchr(line + 1, '\n');
    buffer_text(&again, (struct text){ out->at, (size_t)(line - out->at) });
    buffer_text(&again, TEXT("\nprogram = "));
    buffer_json(&again, text_of(slash ? slash + 1 : scenario->workload.program));
    buffer_text(&again, text_of(end));
    buffer_close(out);
    *out = again;
}

enum status capsule_print(const struct bisect_case *c, const struct bisect_origin *origin,
                          const char *from, struct buffer *out, struct error *err)
{
    struct scenario *scenario = calloc(1, sizeof *scenario);
    enum status status;

    if (!scenario)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a capsule");
    status = case_scenario(c, origin, scenario, err);
    if (status == STATUS_OK) {
        sign(scenario, origin, from);
        scenario_print(scenario, out);
        name_program(scenario, out);
        status = buffer_status(out, err);
        case_drop_scenario(scenario);
    }
    free(scenario);
    return status;
}

bool capsule_is_foreign(const struct scenario *scenario)
{
    return scenario->capsule.version[0] != '\0' &&
           strcmp(scenario->capsule.version, version_text()) != 0;
}
