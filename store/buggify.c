#include "store/buggify.h"

#include <assert.h>
#include <string.h>

#include "sim/fault.h"
#include "sim/turn.h"
#include "sim/world.h"
#include "store/sometimes.h"

#define NODE_BITS 10
#define DOWN_NS_MAX INT64_C(1000000000)
/* What a call of the world means, behind the node. */
#define CALL_CRASH 0
#define CALL_RESTART (UINT64_C(1) << 32)

static const struct {
    const char *name, *protocols, *summary;
    uint64_t one_in;
} sites[] = {
#define BUGGIFY_ROW(enumerator, protocols, name, one_in, what) { name, protocols, what, one_in },
    BUGGIFY_SITES(BUGGIFY_ROW)
#undef BUGGIFY_ROW
};

/* --- Crashes ---------------------------------------------------------------------------------- */

static void crash(struct buggify *buggify, uint32_t node)
{
    struct world *world = buggify->world;
    /* Mostly it is back before anybody has noticed. */
    int64_t down_ns = buggify_delay_ns(buggify, BUGGIFY_CRASH_AT_REPLY, node, DOWN_NS_MAX) /
                      (buggify_delay_ns(buggify, BUGGIFY_CRASH_IN_SYNC, node, 4) == 1 ? 1 : 50);

    if (!fault_crash(world, node))
        return;
    fault_count(world, FAULT_CRASH);
    world_call_at(world, world->now_ns + down_ns, buggify->caller, CALL_RESTART | node);
}

static void on_call(void *context, struct world *world, uint64_t what)
{
    struct buggify *buggify = context;
    uint32_t node = (uint32_t)what;

    if (what & CALL_RESTART)
        (void)fault_restart(world, node); /* a nemesis may have done so */
    else if (!buggify->is_silent)
        crash(buggify, node);
}

static void describe_call(void *context, uint64_t what, struct buffer *out)
{
    (void)context;
    buffer_print(out, "buggify %s", what & CALL_RESTART ? "restarts" : "crashes");
}

void buggify_crash(struct buggify *buggify, uint32_t node, int64_t at_ns)
{
    world_call_at(buggify->world, at_ns, buggify->caller, CALL_CRASH | node);
}

/* --- Draws ------------------------------------------------------------------------------------ */

void buggify_draw_anew(struct buggify *buggify)
{
    for (int i = 0; i < BUGGIFY_SITE_COUNT; i++)
        buggify->keys[i] =
            random_key_fork(world_key(buggify->world), "buggify/%s", sites[i].name);
}

void buggify_init(struct buggify *buggify, const struct buggify_options *options,
                  struct world *world)
{
    struct world_caller caller = { on_call, describe_call, buggify };

    *buggify = (struct buggify){ .world = world, .options = *options };
    if (options->chance.denominator == 0)
        buggify->options.chance = (struct ratio){ 1, 4 };
    if (options->sites == 0)
        return;
    buggify->caller = world_add_caller(world, caller);
    buggify_draw_anew(buggify);
}

void buggify_silence(struct buggify *buggify)
{
    buggify->is_silent = true;
}

/* Two draws for each moment of a node: whether, and then what. */
static uint64_t draw(const struct buggify *buggify, enum buggify_site site, uint32_t node,
                     uint64_t which)
{
    const struct world *world = buggify->world;
    uint64_t moment = world->options.draws_by_time ? turn_moment(world->now_ns)
                                                   : (uint64_t)world->now_ns;

    assert(node < 1u << NODE_BITS);
    return random_draw_at(&buggify->keys[site], (moment << NODE_BITS | node) * 4 + which);
}

bool buggify_fires(struct buggify *buggify, enum buggify_site site, uint32_t node)
{
    if (buggify->is_silent || !(buggify->options.sites >> site & 1))
        return false;
    if (!random_word_below(draw(buggify, site, node, 0), buggify->options.chance) ||
        random_scale(draw(buggify, site, node, 1), sites[site].one_in) != 0)
        return false;
    buggify->fired[site]++;
    return true;
}

int64_t buggify_delay_ns(const struct buggify *buggify, enum buggify_site site, uint32_t node,
                         int64_t most_ns)
{
    return 1 + (int64_t)random_scale(draw(buggify, site, node, 2), (uint64_t)most_ns);
}

/* --- Names ------------------------------------------------------------------------------------ */

const char *buggify_name(enum buggify_site site)
{
    assert(site < BUGGIFY_SITE_COUNT);
    return sites[site].name;
}

const char *buggify_summary(enum buggify_site site)
{
    assert(site < BUGGIFY_SITE_COUNT);
    return sites[site].summary;
}

const char *const *buggify_names(void)
{
    static const char *const names[] = {
#define BUGGIFY_NAME(enumerator, protocols, name, one_in, what) name,
        BUGGIFY_SITES(BUGGIFY_NAME)
#undef BUGGIFY_NAME
        NULL,
    };

    return names;
}

enum buggify_site buggify_find(struct text name)
{
    int site = 0;

    while (site < BUGGIFY_SITE_COUNT && !text_equal(name, text_of(sites[site].name)))
        site++;
    return (enum buggify_site)site;
}

bool buggify_is_of(enum buggify_site site, const char *protocol, bool on_raft)
{
    assert(site < BUGGIFY_SITE_COUNT);
    return sometimes_protocols_name(sites[site].protocols, protocol, on_raft);
}
