#include "store/raft/raft_message_private.h"

#include <assert.h>
#include <inttypes.h>

#include "store/raft/raft.h"

/* Fields of a kind, in the order in which they are sent, behind kind, flags and term. */
enum {
    INDEX = 1,
    INDEX_TERM = 2,
    COMMIT = 4,
    ROUND = 8,
    LAST = 16,
    HINT = 32,
    PIECE = 64,
    REST = 128
};

static const struct {
    const char *name;
    unsigned fields;
} kinds[RAFT_MESSAGE_KIND_COUNT] = {
    [RAFT_HEARTBEAT] = { "heartbeat", COMMIT | ROUND | LAST },
    [RAFT_APPEND] = { "append", INDEX | INDEX_TERM | COMMIT | ROUND | LAST | REST },
    [RAFT_ACK] = { "ack", INDEX | ROUND | LAST },
    [RAFT_REJECT] = { "reject", INDEX | HINT },
    [RAFT_STALE] = { "stale", 0 },
    [RAFT_ASK_PRE_VOTE] = { "ask pre-vote", INDEX | INDEX_TERM },
    [RAFT_PRE_VOTE] = { "pre-vote", ROUND },
    [RAFT_ASK_VOTE] = { "ask vote", INDEX | INDEX_TERM },
    [RAFT_VOTE] = { "vote", ROUND },
    [RAFT_SNAPSHOT] = { "snapshot", INDEX | INDEX_TERM | COMMIT | ROUND | LAST | PIECE | REST },
    [RAFT_GOT] = { "got", INDEX | PIECE },
};

#define FLAG 32
#define DOUBTFUL 64
#define KIND_MASK 31

void raft_message_put(struct wire_writer *w, const struct raft_message *m)
{
    unsigned fields = kinds[m->kind].fields;

    wire_put_byte(w, (uint8_t)(m->kind | (m->flag ? FLAG : 0u) | (m->doubtful ? DOUBTFUL : 0u)));
    wire_put_number(w, m->term);
    if (fields & INDEX)
        wire_put_number(w, m->index);
    if (fields & INDEX_TERM)
        wire_put_number(w, m->term - m->index_term);
    if (fields & COMMIT)
        wire_put_number(w, m->commit);
    if (fields & ROUND)
        wire_put_number(w, m->round);
    if (fields & LAST) /* near to what went before */
        wire_put_signed(w, (int64_t)(m->last - (fields & COMMIT ? m->commit : m->index)));
    if (fields & HINT) {
        wire_put_number(w, m->hint);
        wire_put_number(w, m->hint_term);
    }
    if (fields & PIECE) {
        wire_put_number(w, m->size);
        wire_put_number(w, m->offset);
    }
}

struct raft_message raft_message_get(struct text bytes)
{
    struct wire_reader r = wire_reader_of(bytes);
    uint8_t first = wire_get_byte(&r);
    struct raft_message m = { .kind = (enum raft_message_kind)(first & KIND_MASK),
                              .flag = first & FLAG,
                              .doubtful = first & DOUBTFUL };
    unsigned fields;

    assert(m.kind > 0 && m.kind < RAFT_MESSAGE_KIND_COUNT);
    fields = kinds[m.kind].fields;
    m.term = wire_get_number(&r);
    if (fields & INDEX)
        m.index = wire_get_number(&r);
    if (fields & INDEX_TERM)
        m.index_term = m.term - wire_get_number(&r);
    if (fields & COMMIT)
        m.commit = wire_get_number(&r);
    if (fields & ROUND)
        m.round = wire_get_number(&r);
    if (fields & LAST)
        m.last = (fields & COMMIT ? m.commit : m.index) + (uint64_t)wire_get_signed(&r);
    if (fields & HINT) {
        m.hint = wire_get_number(&r);
        m.hint_term = wire_get_number(&r);
    }
    if (fields & PIECE) {
        m.size = wire_get_number(&r);
        m.offset = wire_get_number(&r);
    }
    assert(fields & REST ? !r.bad : wire_reader_is_done(&r));
    m.rest = r;
    return m;
}

void raft_message_put_entry(struct wire_writer *w, const struct raft_entry *entry)
{
    wire_put_number(w, entry->term);
    wire_put_text(w, (struct text){ entry->at, entry->length });
}

bool raft_message_get_entry(struct raft_message *m, uint64_t *term, struct text *command)
{
    if (m->rest.at == m->rest.end)
        return false;
    *term = wire_get_number(&m->rest);
    *command = wire_get_text(&m->rest);
    assert(!m->rest.bad);
    return true;
}

static void describe_entries(struct raft_message *m, struct buffer *to)
{
    uint64_t term, count = 0;
    struct text command;

    while (raft_message_get_entry(m, &term, &command))
        count++;
    if (count > 0)
        buffer_print(to, " %" PRIu64 "..%" PRIu64, m->index + 1, m->index + count);
    else
        buffer_print(to, " nothing behind %" PRIu64, m->index);
}

void raft_describe(struct text bytes, struct buffer *to)
{
    struct raft_message m = raft_message_get(bytes);
    unsigned fields = kinds[m.kind].fields;

    buffer_print(to, "%s%s", m.kind == RAFT_APPEND && m.flag ? "probing " : "", kinds[m.kind].name);
    if (m.kind == RAFT_APPEND)
        describe_entries(&m, to);
    else if (fields & INDEX)
        buffer_print(to, " %" PRIu64, m.index);
    if (m.kind == RAFT_VOTE || m.kind == RAFT_PRE_VOTE)
        buffer_print(to, " %s", m.flag ? "granted" : "refused");
    if (fields & HINT)
        buffer_print(to, ", try %" PRIu64, m.hint);
    if (fields & PIECE)
        buffer_print(to, " from byte %" PRIu64, m.offset);
    buffer_print(to, ", term %" PRIu64, m.term);
}
