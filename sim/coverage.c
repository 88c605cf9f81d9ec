#include "sim/coverage.h"

#include <assert.h>

#include "base/hash.h"

/* How often a counter must have been touched for its class. */
static const uint32_t class_floors[COVERAGE_CLASSES] = { 1, 2, 8, 64, 512 };

static void count(struct coverage *coverage, enum coverage_family family, uint64_t a, uint64_t b)
{
    uint64_t hash = hash_fold(hash_number(a), hash_number(b) | 1);
    uint32_t place = (uint32_t)((hash ^ hash >> 32) % COVERAGE_FAMILY_PLACES);

    coverage->counts[family * COVERAGE_FAMILY_PLACES + place]++;
}

/* --- Faults ----------------------------------------------------------------------------------- */

static void begin_at(struct coverage_near *near)
{
    near->active++;
}

static void end_at(struct coverage_near *near, int64_t until_ns)
{
    if (near->active > 0)
        near->active--;
    if (near->until_ns < until_ns)
        near->until_ns = until_ns;
}

static void coverage_begin(struct coverage *coverage, enum coverage_fault fault, uint32_t node)
{
    begin_at(&coverage->near[fault]);
    if (node < COVERAGE_NODES_MAX)
        begin_at(&coverage->nodes[node].near[fault]);
}

/* The end of what began, or all of what lasts only for this long. */
static void end(struct coverage *coverage, enum coverage_fault fault, uint32_t node,
                uint64_t lasts_ns)
{
    int64_t until_ns = coverage->now_ns + (int64_t)lasts_ns + COVERAGE_SOON_NS;

    end_at(&coverage->near[fault], until_ns);
    if (node < COVERAGE_NODES_MAX)
        end_at(&coverage->nodes[node].near[fault], until_ns);
}

static bool is_near(const struct coverage *coverage, const struct coverage_near *near)
{
    return near->active > 0 || near->until_ns > coverage->now_ns;
}

/* The network and all nodes are whole again. */
static void calm(struct coverage *coverage)
{
    for (int i = 0; i < COVERAGE_FAULT_COUNT; i++) {
        coverage->near[i].active = 0;
        for (uint32_t node = 0; node < COVERAGE_NODES_MAX; node++)
            coverage->nodes[node].near[i].active = 0;
    }
}

/* A disk's faults replace those that it had. */
static void disk(struct coverage *coverage, uint32_t node, bool suffers)
{
    bool suffered = node < COVERAGE_NODES_MAX &&
                    coverage->nodes[node].near[COVERAGE_DISK].active > 0;

    if (suffers && !suffered)
        coverage_begin(coverage, COVERAGE_DISK, node);
    if (!suffers && suffered)
        end(coverage, COVERAGE_DISK, node, 0);
}

static void take_fault(struct coverage *coverage, const struct trace_record *record)
{
    switch ((enum trace_kind)record->kind) {
    case TRACE_CRASH:
        coverage_begin(coverage, COVERAGE_CRASH, record->node);
        break;
    case TRACE_RESTART:
        end(coverage, COVERAGE_CRASH, record->node, 0);
        break;
    case TRACE_PAUSE:
        coverage_begin(coverage, COVERAGE_PAUSE, record->node);
        break;
    case TRACE_RESUME:
        end(coverage, COVERAGE_PAUSE, record->node, 0);
        break;
    case TRACE_LINK_CUT:
        coverage_begin(coverage, COVERAGE_CUT, record->node);
        coverage_begin(coverage, COVERAGE_CUT, record->peer);
        break;
    case TRACE_LINK_MENDED:
        end(coverage, COVERAGE_CUT, record->node, 0);
        end(coverage, COVERAGE_CUT, record->peer, 0);
        break;
    case TRACE_BURST:
        coverage_begin(coverage, COVERAGE_BURST, record->node);
        coverage_begin(coverage, COVERAGE_BURST, record->peer);
        break;
    case TRACE_BURST_END:
        end(coverage, COVERAGE_BURST, record->node, 0);
        end(coverage, COVERAGE_BURST, record->peer, 0);
        break;
    case TRACE_CLOG:
        end(coverage, COVERAGE_CLOG, record->node, record->a);
        end(coverage, COVERAGE_CLOG, record->peer, record->a);
        break;
    case TRACE_DISK_STALL:
        end(coverage, COVERAGE_STALL, record->node, record->a);
        break;
    case TRACE_DISK:
        disk(coverage, record->node, record->a != 0);
        break;
    case TRACE_CLOCK_STEP:
    case TRACE_CLOCK_SLEW:
    case TRACE_CLOCK_DRIFT:
    case TRACE_CLOCK_FREEZE:
    case TRACE_CLOCK_THAW:
        end(coverage, COVERAGE_CLOCK, record->node, 0);
        break;
    case TRACE_CALM:
        calm(coverage);
        break;
    default:
        break;
    }
}

/* --- Events ----------------------------------------------------------------------------------- */

/* From the node's event before to this one, in the role that it has. */
static void step(struct coverage *coverage, uint32_t node, const struct trace_record *record,
                 uint64_t detail)
{
    uint64_t event = (uint64_t)record->kind << 32 | detail;
    struct coverage_node *at;

    if (node >= COVERAGE_NODES_MAX)
        return;
    coverage->node = node;
    at = &coverage->nodes[node];
    count(coverage, COVERAGE_EDGE, at->last, event << 8 | at->role);
    at->last = event;
}

void coverage_record(struct coverage *coverage, const struct trace_record *record,
                     uint32_t kind_of_message)
{
    coverage->now_ns = record->at_ns;
    take_fault(coverage, record);
    switch ((enum trace_kind)record->kind) {
    case TRACE_DELIVER:
        step(coverage, record->peer, record, kind_of_message);
        break;
    case TRACE_NOTE: /* its topic, and of its numbers the small one */
        step(coverage, record->node, record, record->size << 8 | (record->b < 255 ? record->b : 255));
        break;
    case TRACE_ROLE:
        step(coverage, record->node, record, record->b);
        if (record->node < COVERAGE_NODES_MAX)
            coverage->nodes[record->node].role = (uint32_t)record->b & 0xff;
        break;
    case TRACE_START:
    case TRACE_RESTART:
    case TRACE_CRASH:
    case TRACE_PAUSE:
    case TRACE_RESUME:
    case TRACE_TIMER:
    case TRACE_COMPLETION:
        step(coverage, record->node, record, 0);
        break;
    default:
        break;
    }
}

void coverage_path(struct coverage *coverage, uint32_t path)
{
    struct coverage_node *node = &coverage->nodes[coverage->node];

    assert(path < COVERAGE_PATHS_MAX);
    count(coverage, COVERAGE_PATH, path, 0);
    for (uint32_t fault = 0; fault < COVERAGE_FAULT_COUNT; fault++) {
        if (is_near(coverage, &coverage->near[fault]))
            count(coverage, COVERAGE_PATH_FAULT, path, fault << 1);
        if (is_near(coverage, &node->near[fault]))
            count(coverage, COVERAGE_PATH_FAULT, path, fault << 1 | 1);
    }
    if (node->last_path != path + 1)
        count(coverage, COVERAGE_PATH_EDGE, node->last_path, path);
    node->last_path = path + 1;
    for (uint32_t i = 0; i < COVERAGE_PATHS_MAX; i++)
        if (i != path && coverage->path_until_ns[i] > coverage->now_ns)
            count(coverage, COVERAGE_PATH_PAIR, i, path);
    coverage->path_until_ns[path] = coverage->now_ns + COVERAGE_SOON_NS;
}

void coverage_shape(struct coverage *coverage, uint64_t shape)
{
    count(coverage, COVERAGE_SHAPE, shape, 0);
}

uint32_t coverage_features(const struct coverage *coverage, uint32_t *list)
{
    uint32_t length = 0;

    for (uint32_t place = 0; place < COVERAGE_PLACES; place++) {
        uint32_t class = 0;
        if (coverage->counts[place] == 0)
            continue;
        while (class + 1 < COVERAGE_CLASSES && coverage->counts[place] >= class_floors[class + 1])
            class++;
        list[length++] = place * COVERAGE_CLASSES + class;
    }
    return length;
}
