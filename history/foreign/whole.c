#include "history/foreign/whole_private.h"

#include <stdlib.h>
#include <string.h>

void whole_init(struct whole *whole)
{
    *whole = (struct whole){ .bytes = NULL };
    draft_init(&whole->draft);
}

enum status whole_take(struct whole *whole, struct source *source, bool is_json,
                       struct error *err)
{
    size_t size = 0;

    free(whole->bytes);
    whole->bytes = NULL;
    TRY(source_take_rest(source, &whole->bytes, &size, err));
    edn_begin(&whole->edn, (struct text){ whole->bytes, size }, is_json);
    return STATUS_OK;
}

enum status whole_begin(struct whole *whole, struct source *source, bool is_json,
                        struct error *err)
{
    whole_init(whole);
    return whole_take(whole, source, is_json, err);
}

/* The line that the lexer is on, at a cost that grows with how far it is. */
static uint64_t whole_line(const struct whole *whole)
{
    uint64_t line = 1;

    for (const char *at = whole->edn.begin; at < whole->edn.at; at++)
        line += *at == '\n';
    return line;
}

enum status whole_refuse(const struct whole *whole, const char *file, struct error *err)
{
    if (!whole->bytes)
        return err->status; /* it could not even be taken */
    error_set_file(err, file);
    err->offset = (uint64_t)(whole->edn.at - whole->edn.begin);
    err->line = whole_line(whole);
    return err->status;
}

enum status whole_end(struct whole *whole, const struct source *source, enum status status,
                      const char *producer, struct history *history, struct error *err)
{
    if (status == STATUS_OK)
        status = draft_finish(&whole->draft, producer, history, err);
    else if (source)
        status = whole_refuse(whole, source->name, err);
    if (status != STATUS_OK && source && !err->file[0])
        error_set_file(err, source->name);
    draft_close(&whole->draft);
    edn_close(&whole->edn);
    free(whole->bytes);
    return status;
}

enum status whole_is_over(struct whole *whole, struct error *err)
{
    struct edn *e = &whole->edn;

    return edn_peek(e) == EDN_END && e->at == e->end ? STATUS_OK : edn_refuse(e, "the end", err);
}
