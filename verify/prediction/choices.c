#include "verify/prediction/choices_private.h"

#define WITNESS_VERSION 1

enum choices_field {
    FIELD_FORMAT,
    FIELD_HISTORY,
    FIELD_LEVEL,
    FIELD_BOUNDARY,
    FIELD_VERDICT,
    FIELD_SESSIONS,
    FIELD_HOLDS,
    FIELD_FAILS,
    FIELD_COUNT,
};

static const char *const field_names[] = {
    "ordeal-prediction", "history", "level", "boundary", "verdict",
    "sessions",          "holds",   "fails", NULL
};

static const char *const level_words[] = { "read-committed", "read-atomic", "causal",
                                           "prefix",         "snapshot",    NULL };
static const char *const boundary_words[] = { "strict", "relaxed", NULL };
static const char *const verdict_words[] = { "predicted", NULL };

/* Refuses an object without one of its first `count` fields. */
static enum status need_fields(struct json *json, const char *const *names, unsigned count,
                               unsigned seen, struct error *err)
{
    for (unsigned i = 0; i < count; i++)
        if (!(seen >> i & 1))
            return json_refuse_token(json, err, "the field \"%s\" is missing", names[i]);
    return STATUS_OK;
}

static enum status read_count(struct json *json, const char *what, int64_t *count,
                              struct error *err)
{
    TRY(json_integer(json, what, count, err));
    return *count < 0 ? json_refuse_token(json, err, "%s is not below zero", what) : STATUS_OK;
}

/* --- Sessions ------------------------------------------------------------------------------------ */

/* {"event":6,"key":"x","from":5} */
static enum status read_choice(struct json *json, struct chosen_read *read, struct error *err)
{
    static const char *const names[] = { "event", "key", "from", NULL };
    unsigned field = 0, seen = 0;
    struct text name;

    TRY(json_open(json, '{', "a read", err));
    for (size_t n = 0;; n++) {
        TRY(json_field(json, n, &name, err));
        if (!name.at)
            return need_fields(json, names, 3, seen, err);
        TRY(json_know_field(json, name, names, &field, &seen, err));
        if (field == 0)
            TRY(read_count(json, "the number of an event", &read->event, err));
        else if (field == 1)
            TRY(json_string(json, "a key", &read->key, err));
        else if (!(read->is_initial = json_word(json, "null")))
            TRY(json_integer(json, "a transaction's id, or null", &read->from, err));
    }
}

static enum status read_choices(struct prediction_choices *c, struct chosen_session *session,
                                struct error *err)
{
    bool more = true;

    session->read = c->reads.count;
    TRY(json_open(&c->json, '[', "an array of reads", err));
    for (size_t n = 0;; n++) {
        struct chosen_read read = { .event = 0 };

        TRY(json_element(&c->json, n, &more, err));
        session->read_count = n;
        if (!more)
            return STATUS_OK;
        TRY(read_choice(&c->json, &read, err));
        TRY(array_push(&c->reads, read, err));
    }
}

/* {"txn":12,"included":7,"reads":[…]} */
static enum status read_boundary(struct prediction_choices *c, struct chosen_session *session,
                                 struct error *err)
{
    static const char *const names[] = { "txn", "included", "reads", NULL };
    unsigned field = 0, seen = 0;
    struct text name;

    session->has_boundary = true;
    TRY(json_open(&c->json, '{', "a boundary", err));
    for (size_t n = 0;; n++) {
        TRY(json_field(&c->json, n, &name, err));
        if (!name.at)
            return need_fields(&c->json, names, 3, seen, err);
        TRY(json_know_field(&c->json, name, names, &field, &seen, err));
        if (field == 0)
            TRY(json_integer(&c->json, "a transaction's id", &session->txn, err));
        else if (field == 1)
            TRY(read_count(&c->json, "a number of events", &session->included, err));
        else
            TRY(read_choices(c, session, err));
    }
}

static enum status read_session(struct prediction_choices *c, struct chosen_session *session,
                                struct error *err)
{
    static const char *const names[] = { "session", "full", "boundary", NULL };
    unsigned field = 0, seen = 0;
    struct text name;

    TRY(json_open(&c->json, '{', "a session", err));
    for (size_t n = 0;; n++) {
        TRY(json_field(&c->json, n, &name, err));
        if (!name.at)
            return need_fields(&c->json, names, 2, seen, err);
        TRY(json_know_field(&c->json, name, names, &field, &seen, err));
        if (field == 0)
            TRY(json_integer(&c->json, "a session", &session->session, err));
        else if (field == 1)
            TRY(read_count(&c->json, "a number of transactions", &session->full, err));
        else
            TRY(read_boundary(c, session, err));
    }
}

static enum status read_sessions(struct prediction_choices *c, struct error *err)
{
    bool more = true;

    TRY(json_open(&c->json, '[', "an array of sessions", err));
    for (size_t n = 0;; n++) {
        struct chosen_session session = { .full = 0 };

        TRY(json_element(&c->json, n, &more, err));
        if (!more)
            return STATUS_OK;
        TRY(read_session(c, &session, err));
        TRY(array_push(&c->sessions, session, err));
    }
}

/* --- The whole ------------------------------------------------------------------------------------- */

static enum status read_format(struct json *json, struct error *err)
{
    int64_t version = 0;

    TRY(json_integer(json, "the version of the format", &version, err));
    return version != WITNESS_VERSION
               ? json_refuse_token(json, err, "only version %d of the format is known",
                                   WITNESS_VERSION)
               : STATUS_OK;
}

static enum status read_digest(struct json *json, struct text *digest, struct error *err)
{
    TRY(json_string(json, "the digest of a history", digest, err));
    for (size_t i = 0; i < digest->length; i++) {
        char c = digest->at[i];

        if (!(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'f'))
            return json_refuse_token(json, err, "a digest is of 64 hex digits");
    }
    return digest->length == 64 ? STATUS_OK
                                : json_refuse_token(json, err, "a digest is of 64 hex digits");
}

static enum status read_inner(struct json *json, struct text *witness, struct error *err)
{
    if (json_peek(json) != '{')
        return json_refuse(json, "a witness, which is an object", err);
    witness->at = json->at;
    TRY(json_skip(json, err));
    witness->length = (size_t)(json->at - witness->at);
    return STATUS_OK;
}

static enum status read_field(struct prediction_choices *c, enum choices_field field, struct error *err)
{
    unsigned number = 0;

    switch (field) {
    case FIELD_FORMAT:
        return read_format(&c->json, err);
    case FIELD_HISTORY:
        return read_digest(&c->json, &c->history, err);
    case FIELD_LEVEL:
        TRY(json_one_of(&c->json, level_words, "a level that is predicted at", &number, err));
        (void)level_of_text(text_of(level_words[number]), &c->level);
        return STATUS_OK;
    case FIELD_BOUNDARY:
        TRY(json_one_of(&c->json, boundary_words, "a boundary", &number, err));
        c->is_strict = number == 0;
        return STATUS_OK;
    case FIELD_VERDICT:
        return json_one_of(&c->json, verdict_words, "a verdict that has a witness", &number, err);
    case FIELD_SESSIONS:
        return read_sessions(c, err);
    default:
        return read_inner(&c->json, field == FIELD_HOLDS ? &c->holds : &c->fails, err);
    }
}

enum status prediction_choices_read(char *bytes, size_t size, struct prediction_choices *c, struct error *err)
{
    unsigned field = 0, seen = 0;
    struct text name;

    *c = (struct prediction_choices){ .is_strict = false };
    json_blank_line_ends(bytes, size);
    json_begin(&c->json, (struct text){ bytes, size });
    TRY(json_open(&c->json, '{', "a witness, which is an object", err));
    for (size_t n = 0;; n++) {
        TRY(json_field(&c->json, n, &name, err));
        if (!name.at)
            break;
        TRY(json_know_field(&c->json, name, field_names, &field, &seen, err));
        TRY(read_field(c, (enum choices_field)field, err));
    }
    TRY(need_fields(&c->json, field_names, FIELD_COUNT, seen, err));
    return json_end(&c->json, err);
}

void prediction_choices_close(struct prediction_choices *c)
{
    array_close(&c->sessions);
    array_close(&c->reads);
    json_close(&c->json);
}
