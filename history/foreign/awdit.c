/*
 * Reads AWDIT's tests: an operation a line, sessions one after another.
 *
 *     w 0 0          session 0, transaction 0: key and value
 *     w 1 0
 *     ----           the next transaction
 *     r 1 0
 *     ====           the next session
 *     r 0 0
 *
 * All transactions are committed. What is there before the first of them is
 * written by a transaction of the file, like anything else.
 */
#include "history/foreign/foreign_private.h"

enum line_kind { LINE_OP, LINE_NEXT_TXN, LINE_NEXT_SESSION, LINE_EMPTY, LINE_WRONG };

struct line {
    enum op_kind kind;
    int64_t key, value;
};

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r';
}

static bool is_made_of(struct text text, char byte)
{
    for (size_t i = 0; i < text.length; i++)
        if (text.at[i] != byte)
            return false;
    return text.length > 0;
}

/* The next word of the text, which is shortened by it. */
static struct text take_word(struct text *text)
{
    struct text word;

    while (text->length > 0 && text->at[0] == ' ') {
        text->at++;
        text->length--;
    }
    word = (struct text){ text->at, 0 };
    while (word.length < text->length && word.at[word.length] != ' ')
        word.length++;
    text->at += word.length;
    text->length -= word.length;
    return word;
}

static enum line_kind read_line(struct text text, struct line *line)
{
    struct text kind;

    while (text.length > 0 && is_blank(text.at[text.length - 1]))
        text.length--;
    if (text.length == 0)
        return LINE_EMPTY;
    if (is_made_of(text, '-'))
        return LINE_NEXT_TXN;
    if (is_made_of(text, '='))
        return LINE_NEXT_SESSION;
    kind = take_word(&text);
    if (!text_equal(kind, TEXT("r")) && !text_equal(kind, TEXT("w")))
        return LINE_WRONG;
    line->kind = kind.at[0] == 'r' ? OP_READ : OP_WRITE;
    return text_to_int64(take_word(&text), &line->key) &&
                   text_to_int64(take_word(&text), &line->value) && take_word(&text).length == 0
               ? LINE_OP
               : LINE_WRONG;
}

/* A first line of dashes says too little: an operation comes first, as it does in these files. */
static bool is_it(struct text beginning)
{
    struct line line;

    return read_line(foreign_first_line(beginning), &line) == LINE_OP;
}

struct awdit_reader {
    struct foreign_draft draft;
    int64_t session, next_id;
    uint32_t txn; /* valid if it is open */
    bool txn_is_open;
};

static enum status add_op(struct awdit_reader *r, const struct line *line, uint64_t number,
                          struct error *err)
{
    if (!r->txn_is_open)
        TRY(draft_add_txn(&r->draft, r->next_id++, r->session, number, &r->txn, err));
    r->txn_is_open = true;
    return draft_add_numbered(&r->draft, r->txn, line->kind, line->key, value_integer(line->value),
                              err);
}

static enum status add_line(struct awdit_reader *r, struct text text, uint64_t number, struct error *err)
{
    struct line line;

    switch (read_line(text, &line)) {
    case LINE_OP:
        return add_op(r, &line, number, err);
    case LINE_NEXT_SESSION:
        r->session++;
        r->txn_is_open = false;
        return STATUS_OK;
    case LINE_NEXT_TXN:
        r->txn_is_open = false;
        return STATUS_OK;
    case LINE_EMPTY:
        return STATUS_OK;
    case LINE_WRONG:
        break;
    }
    return error_set(err, STATUS_BAD_INPUT,
                     "expected \"r KEY VALUE\", \"w KEY VALUE\", dashes or equal signs, found "
                     "\"%.*s\"",
                     TEXT_PRINT(text));
}

static enum status read_awdit(struct source *source, struct history *history, struct error *err)
{
    struct awdit_reader r = { .session = 0 };
    struct text text = { "", 0 };
    enum status status = STATUS_OK;

    draft_init(&r.draft);
    while (status == STATUS_OK && text.at) {
        status = source_line(source, &text, err);
        if (status == STATUS_OK && text.at && add_line(&r, text, source->line, err) != STATUS_OK)
            status = foreign_at_line(source, err);
    }
    if (status == STATUS_OK)
        status = draft_finish(&r.draft, "awdit", history, err);
    draft_close(&r.draft);
    return status;
}

const struct foreign foreign_awdit_test = { .is_it = is_it, .read = read_awdit };
