#include "predict/director/choices.h"

#include <inttypes.h>
#include <string.h>

#include "base/json_writer.h"
#include "history/io/json_lines.h"
#include "predict/director/directed.h"

enum status choices_init(struct choices *c, struct error *err)
{
    *c = (struct choices){ .has_order = false };
    return arena_init(&c->arena, ARENA_UNLIMITED, err);
}

void choices_close(struct choices *c)
{
    array_close(&c->order);
    array_close(&c->wishes);
    arena_close(&c->arena);
}

/* --- Reading ------------------------------------------------------------------------------------ */

struct choices_reader {
    struct choices *choices;
    struct json json;
    bool has_header;
};

static enum status keep_text(struct choices *c, struct text text, struct text *kept,
                             struct error *err)
{
    char *at = arena_push(&c->arena, text.length + 1, 1);

    if (!at)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for choices");
    memcpy(at, text.at, text.length);
    *kept = (struct text){ at, text.length };
    return STATUS_OK;
}

static enum status read_number(struct json *json, const char *what, int64_t end, uint32_t *number,
                               struct error *err)
{
    int64_t value;

    TRY(json_integer(json, what, &value, err));
    *number = (uint32_t)value;
    if (value >= 0 && value < end)
        return STATUS_OK;
    return json_refuse_token(json, err, "expected %s from 0 to %" PRId64 ", found %" PRId64, what,
                             end - 1, value);
}

static enum status read_session(struct json *json, uint32_t *session, struct error *err)
{
    return read_number(json, "a session", DIRECTED_SESSIONS_MAX, session, err);
}

static enum status read_position(struct json *json, const char *what, uint32_t *position,
                                 struct error *err)
{
    return read_number(json, what, UINT32_MAX, position, err);
}

static enum status read_order(struct choices_reader *r, struct error *err)
{
    struct choices *c = r->choices;

    c->has_order = true;
    TRY(json_open(&r->json, '[', "the sessions in their order", err));
    for (size_t n = 0;; n++) {
        uint32_t session;
        bool more;

        TRY(json_element(&r->json, n, &more, err));
        if (!more)
            return STATUS_OK;
        TRY(read_session(&r->json, &session, err));
        TRY(array_push(&c->order, session, err));
    }
}

static enum status read_header(struct choices_reader *r, struct error *err)
{
    static const char *const names[] = { "ordeal-choices", "order", NULL };
    unsigned field, seen = 0;
    struct text name;
    int64_t version;

    TRY(json_open(&r->json, '{', "a header of choices", err));
    for (size_t n = 0;; n++) {
        TRY(json_field(&r->json, n, &name, err));
        if (!name.at)
            break;
        TRY(json_know_field(&r->json, name, names, &field, &seen, err));
        if (n == 0 && field != 0)
            break;
        if (field == 1) {
            TRY(read_order(r, err));
            continue;
        }
        TRY(json_integer(&r->json, "the version", &version, err));
        if (version != 1)
            return json_refuse_token(&r->json, err,
                                     "choices of version %" PRId64 ", of which nothing is known",
                                     version);
    }
    if (!(seen & 1))
        return json_refuse_token(&r->json, err, "expected \"ordeal-choices\" first");
    r->has_header = true;
    return json_end(&r->json, err);
}

static enum status read_from(struct json *json, struct wanted_read *w, struct error *err)
{
    static const char *const words[] = { "initial", NULL };
    unsigned word;
    bool more;

    if (json_peek(json) != '[') {
        w->is_initial = true;
        return json_one_of(json, words, "\"initial\", or a session and a transaction", &word, err);
    }
    TRY(json_open(json, '[', "a session and a transaction", err));
    TRY(json_element(json, 0, &more, err));
    if (more) {
        TRY(read_session(json, &w->from_session, err));
        TRY(json_element(json, 1, &more, err));
    }
    if (!more)
        return json_refuse_token(json, err, "expected a session and a transaction");
    TRY(read_position(json, "a transaction", &w->from_position, err));
    TRY(json_element(json, 2, &more, err));
    return more ? json_refuse_token(json, err, "expected a session and a transaction") : STATUS_OK;
}

static enum status read_field(struct choices_reader *r, unsigned field, struct wanted_read *w,
                              struct error *err)
{
    struct text key;

    switch (field) {
    case 0:
        return read_session(&r->json, &w->session, err);
    case 1:
        return read_position(&r->json, "a transaction", &w->position, err);
    case 2:
        return read_position(&r->json, "a statement", &w->statement, err);
    case 3:
        TRY(json_string(&r->json, "a key", &key, err));
        return keep_text(r->choices, key, &w->key, err);
    default:
        return read_from(&r->json, w, err);
    }
}

static enum status read_choice(struct choices_reader *r, struct error *err)
{
    static const char *const names[] = {
        "session", "transaction", "statement", "key", "from", NULL
    };
    struct wanted_read w = { .session = 0 };
    unsigned field, seen = 0;
    struct text name;

    TRY(json_open(&r->json, '{', "a choice", err));
    for (size_t n = 0;; n++) {
        TRY(json_field(&r->json, n, &name, err));
        if (!name.at)
            break;
        TRY(json_know_field(&r->json, name, names, &field, &seen, err));
        TRY(read_field(r, field, &w, err));
    }
    for (unsigned i = 0; names[i]; i++)
        if (!(seen & 1U << i))
            return json_refuse_token(&r->json, err, "a choice without \"%s\"", names[i]);
    TRY(json_end(&r->json, err));
    return array_push(&r->choices->wishes, w, err);
}

static enum status read_line(void *reader, struct text line, struct error *err)
{
    struct choices_reader *r = reader;

    (void)line;
    return r->has_header ? read_choice(r, err) : read_header(r, err);
}

enum status choices_read(struct choices *c, struct source *source, struct error *err)
{
    struct choices_reader reader = { .choices = c };
    enum status status;

    TRY(choices_init(c, err));
    status =
        json_lines_read(source, &reader.json, "{\"ordeal-choices\":1}", read_line, &reader, err);
    json_close(&reader.json);
    return status;
}

/* --- Writing ------------------------------------------------------------------------------------ */

static void write_choice(const struct wanted_read *w, struct buffer *out)
{
    struct json_writer json = { .out = out };

    json_writer_open(&json, NULL, '{');
    json_writer_number(&json, "session", w->session);
    json_writer_number(&json, "transaction", w->position);
    json_writer_number(&json, "statement", w->statement);
    json_writer_string(&json, "key", w->key);
    if (w->is_initial) {
        json_writer_text(&json, "from", "initial");
    } else {
        json_writer_open(&json, "from", '[');
        json_writer_number(&json, NULL, w->from_session);
        json_writer_number(&json, NULL, w->from_position);
        json_writer_close(&json, ']');
    }
    json_writer_close(&json, '}');
    buffer_byte(out, '\n');
}

void choices_write(const struct choices *c, struct buffer *out)
{
    struct json_writer json = { .out = out };

    json_writer_open(&json, NULL, '{');
    json_writer_number(&json, "ordeal-choices", 1);
    if (c->has_order) {
        json_writer_open(&json, "order", '[');
        for (size_t i = 0; i < c->order.count; i++)
            json_writer_number(&json, NULL, c->order.at[i]);
        json_writer_close(&json, ']');
    }
    json_writer_close(&json, '}');
    buffer_byte(out, '\n');
    for (size_t i = 0; i < c->wishes.count; i++)
        write_choice(&c->wishes.at[i], out);
}

/* --- Recording ---------------------------------------------------------------------------------- */

static uint32_t choose_and_note(void *context, const struct directed_read *read)
{
    struct choice_recorder *r = context;
    uint32_t choice = r->inner.choose(r->inner.context, read);
    const struct directed_version *v = &read->candidates[choice];
    struct wanted_read wish = { .session = read->session,
                                .position = read->position,
                                .statement = read->statement,
                                .is_initial = v->writer == DIRECTED_INITIAL,
                                .from_session = v->session,
                                .from_position = v->position };
    struct error ignored;

    if (choice + 1 == read->count)
        return choice;
    if (keep_text(r->choices, directed_key_text(read->store, read->key), &wish.key, &ignored) !=
            STATUS_OK ||
        array_push(&r->choices->wishes, wish, &ignored) != STATUS_OK)
        r->is_short = true;
    return choice;
}

struct director choice_recorder_director(struct choice_recorder *r)
{
    return (struct director){ choose_and_note, r };
}
