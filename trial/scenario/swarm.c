#include "trial/scenario/swarm.h"

#include <inttypes.h>

#include "trial/scenario/scenario.h"

#define ALL (((1u << SWARM_DIMENSION_COUNT) - 1) & ~(1u << SWARM_NEMESIS))

static enum status refuse_name(const struct setting *setting, struct text name, bool has_all,
                               struct error *err)
{
    const char *names[SWARM_DIMENSION_COUNT + 2] = { 0 };
    struct setting as_text = *setting;
    size_t count = 0;

    as_text.text = name;
    if (has_all)
        names[count++] = "all";
    for (int i = 0; i < SWARM_DIMENSION_COUNT; i++)
        if (!has_all || i != SWARM_NEMESIS)
            names[count++] = swarm_dimension_name((enum swarm_dimension)i);
    return toml_refuse_name(&as_text, "dimension", names, err);
}

static enum status read_dimension(uint32_t *dimensions, const char *label,
                                  const struct setting *name, struct error *err)
{
    enum swarm_dimension dimension;

    if (name->kind != SETTING_STRING)
        return toml_refuse(name, err, "%s should list dimensions by name", label);
    if (text_equal(name->text, TEXT("all"))) {
        *dimensions = ALL;
        return STATUS_OK;
    }
    if (swarm_find_dimension(name->text, &dimension) && dimension != SWARM_NEMESIS) {
        *dimensions |= 1u << dimension;
        return STATUS_OK;
    }
    return refuse_name(name, name->text, true, err);
}

enum status scenario_dimensions_read(uint32_t *dimensions, const char *label,
                                     const struct setting *list, struct error *err)
{
    if (list->kind != SETTING_ARRAY)
        return toml_refuse(list, err, "%s should be a list such as [\"protocol\", \"raft\"]",
                           label);
    for (const struct setting *name = list->first; name; name = name->next)
        TRY(read_dimension(dimensions, label, name, err));
    return STATUS_OK;
}

enum status scenario_draws_read(struct swarm_draws *draws, const char *label,
                                const struct setting *table, struct error *err)
{
    if (table->kind != SETTING_TABLE)
        return toml_refuse(table, err, "%s should be a table such as { network = 17 }", label);
    for (const struct setting *one = table->first; one; one = one->next) {
        enum swarm_dimension dimension = SWARM_PROTOCOL;

        if (!swarm_find_dimension(one->key, &dimension))
            return refuse_name(one, one->key, false, err);
        if (one->kind != SETTING_INTEGER || one->number < 0 || one->number > SEED_MAX)
            return toml_refuse(one, err, "%s.%.*s should be a seed, an integer from 0 to "
                                            "%" PRId64,
                                  label, TEXT_PRINT(one->key), SEED_MAX);
        draws->of[dimension] = (struct swarm_seed){ true, (uint64_t)one->number };
    }
    return STATUS_OK;
}

void scenario_draws_print(const struct swarm_draws *draws, struct buffer *out)
{
    bool first = true;

    buffer_text(out, TEXT("{ "));
    for (int i = 0; i < SWARM_DIMENSION_COUNT; i++)
        if (draws->of[i].is_given) {
            buffer_print(out, "%s%s = %" PRIu64, first ? "" : ", ",
                         swarm_dimension_name((enum swarm_dimension)i), draws->of[i].seed);
            first = false;
        }
    buffer_text(out, TEXT(" }"));
}

/* --- Rare paths ------------------------------------------------------------------------------- */

#define ALL_SITES ((UINT64_C(1) << BUGGIFY_SITE_COUNT) - 1)

enum status scenario_sites_read(uint64_t *sites, const char *label, const struct setting *list,
                                struct error *err)
{
    if (list->kind != SETTING_ARRAY)
        return toml_refuse(list, err, "%s should be a list such as [\"sync-lags\"]", label);
    for (const struct setting *name = list->first; name; name = name->next) {
        enum buggify_site site;

        if (name->kind != SETTING_STRING)
            return toml_refuse(name, err, "%s should list sites by name", label);
        site = buggify_find(name->text);
        if (text_equal(name->text, TEXT("all")))
            *sites = ALL_SITES;
        else if (site == BUGGIFY_SITE_COUNT)
            return toml_refuse_name(name, "site", buggify_names(), err);
        else
            *sites |= UINT64_C(1) << site;
    }
    return STATUS_OK;
}

void scenario_sites_print(uint64_t sites, struct buffer *out)
{
    bool first = true;

    if (sites == ALL_SITES) {
        buffer_text(out, TEXT("[\"all\"]"));
        return;
    }
    buffer_byte(out, '[');
    for (int i = 0; i < BUGGIFY_SITE_COUNT; i++)
        if (sites >> i & 1) {
            buffer_print(out, "%s\"%s\"", first ? "" : ", ", buggify_name((enum buggify_site)i));
            first = false;
        }
    buffer_byte(out, ']');
}
