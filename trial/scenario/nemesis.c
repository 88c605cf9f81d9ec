#include "trial/scenario/nemesis.h"

#include <inttypes.h>

#include "base/quantity.h"

enum status given_times_read(struct nemesis_times *times, const char *label,
                             const struct setting *list, struct error *err)
{
    if (list->kind != SETTING_ARRAY || list->count == 0 || list->count > NEMESIS_TIMES_MAX)
        return setting_refuse(list, err,
                              "%s should be a list of 1 to %d durations such as "
                              "[\"1s\", \"3.5s\"]",
                              label, NEMESIS_TIMES_MAX);
    for (const struct setting *time = list->first; time; time = time->next) {
        int64_t *at_ns = &times->at_ns[times->count];

        if (time->kind != SETTING_STRING || !quantity_to_duration(time->text, at_ns) ||
            *at_ns < 0 || *at_ns > WORLD_TIME_NS_MAX / 4)
            return setting_refuse(time, err, "%s should list durations such as \"3.5s\", up to 69h",
                                  label);
        if (times->count > 0 && *at_ns <= at_ns[-1])
            return setting_refuse(time, err, "%s should rise from one time to the next", label);
        times->count++;
    }
    return STATUS_OK;
}

enum status given_nodes_read(struct nemesis_nodes *nodes, const char *label,
                             const struct setting *list, struct error *err)
{
    if (list->kind != SETTING_ARRAY || list->count == 0 || list->count > NEMESIS_NODES_MAX)
        return setting_refuse(list, err, "%s should be a list of 1 to %d nodes such as [0, 2]",
                              label, NEMESIS_NODES_MAX);
    for (const struct setting *node = list->first; node; node = node->next) {
        if (node->kind != SETTING_INTEGER || node->number < 0 ||
            node->number >= WORLD_ENDPOINT_COUNT_MAX)
            return setting_refuse(node, err, "%s should list numbers of nodes, from 0", label);
        nodes->at[nodes->count++] = (uint32_t)node->number;
    }
    return STATUS_OK;
}

static enum status read_kind(uint32_t *kinds, const char *label, const struct setting *name,
                             struct error *err)
{
    const char *names[NEMESIS_KIND_COUNT + 2] = { "all" };
    enum nemesis_kind kind = NEMESIS_PARTITION;

    if (name->kind != SETTING_STRING)
        return setting_refuse(name, err, "%s should list kinds of nemeses by name", label);
    if (text_equal(name->text, TEXT("all"))) {
        *kinds = (1u << NEMESIS_KIND_COUNT) - 1;
        return STATUS_OK;
    }
    if (nemesis_find_kind(name->text, &kind)) {
        *kinds |= 1u << kind;
        return STATUS_OK;
    }
    for (int i = 0; i < NEMESIS_KIND_COUNT; i++)
        names[i + 1] = nemesis_kind_name((enum nemesis_kind)i);
    return setting_refuse_name(name, "nemesis", names, err);
}

enum status given_kinds_read(uint32_t *kinds, const char *label, const struct setting *list,
                             struct error *err)
{
    if (list->kind != SETTING_ARRAY)
        return setting_refuse(list, err, "%s should be a list such as [\"partition\", \"crash\"]",
                              label);
    for (const struct setting *name = list->first; name; name = name->next)
        TRY(read_kind(kinds, label, name, err));
    return STATUS_OK;
}

void given_times_print(const struct nemesis_times *times, struct buffer *out)
{
    for (uint32_t i = 0; i < times->count; i++) {
        buffer_text(out, i ? TEXT(", \"") : TEXT("[\""));
        quantity_print_duration(out, times->at_ns[i]);
        buffer_byte(out, '"');
    }
    buffer_byte(out, ']');
}

void given_nodes_print(const struct nemesis_nodes *nodes, struct buffer *out)
{
    for (uint32_t i = 0; i < nodes->count; i++)
        buffer_print(out, "%s%" PRIu32, i ? ", " : "[", nodes->at[i]);
    buffer_byte(out, ']');
}

void given_kinds_print(uint32_t kinds, struct buffer *out)
{
    bool first = true;

    buffer_byte(out, '[');
    for (int i = 0; i < NEMESIS_KIND_COUNT; i++)
        if (kinds >> i & 1) {
            buffer_print(out, "%s\"%s\"", first ? "" : ", ",
                         nemesis_kind_name((enum nemesis_kind)i));
            first = false;
        }
    buffer_byte(out, ']');
}
