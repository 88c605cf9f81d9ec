#include "history/foreign/edn.h"

#include <string.h>

#define DEPTH_MAX 64

static bool is_left_out(const struct edn *);
static enum status skip_values(struct edn *, uint64_t count, struct error *);

void edn_begin(struct edn *e, struct text text, bool is_json)
{
    e->begin = e->at = text.at;
    e->end = text.at + text.length;
    e->is_json = is_json;
}

void edn_close(struct edn *e)
{
    buffer_close(&e->decoded);
}

enum status edn_refuse(struct edn *e, const char *what, struct error *err)
{
    size_t left = (size_t)(e->end - e->at);

    err->offset = (uint64_t)(e->at - e->begin);
    if (left == 0)
        return error_set(err, STATUS_BAD_INPUT, "expected %s, found the end", what);
    return error_set(err, STATUS_BAD_INPUT, "expected %s, found \"%.*s\"", what,
                     (int)(left < 20 ? left : 20), e->at);
}

/* --- Blanks ----------------------------------------------------------------------- */

static bool is_blank(const struct edn *e, char byte)
{
    return byte == ' ' || byte == ',' || (byte >= '\t' && byte <= '\r') ||
           (e->is_json && byte == ':');
}

static bool is_delimiter(const struct edn *e, char byte)
{
    return is_blank(e, byte) || strchr("()[]{}\";", byte);
}

static void pass_word(struct edn *e)
{
    while (e->at < e->end && !is_delimiter(e, *e->at))
        e->at++;
}

static bool pass_comment(struct edn *e)
{
    if (e->is_json || e->at == e->end || *e->at != ';')
        return false;
    while (e->at < e->end && *e->at != '\n')
        e->at++;
    return true;
}

/* #jepsen.history.Op and the like; not #{ and #_. */
static bool pass_tag(struct edn *e)
{
    if (e->is_json || e->end - e->at < 2 || *e->at != '#' || e->at[1] == '{' || e->at[1] == '_' ||
        is_delimiter(e, e->at[1]))
        return false;
    pass_word(e);
    return true;
}

static void pass_blanks(struct edn *e)
{
    for (;;) {
        while (e->at < e->end && is_blank(e, *e->at))
            e->at++;
        if (!pass_comment(e) && !pass_tag(e))
            return;
    }
}

/* Blanks, and values that are left out: #_ value. */
static enum status pass_left_out(struct edn *e, struct error *err)
{
    pass_blanks(e);
    while (is_left_out(e)) {
        e->at += 2;
        TRY(skip_values(e, 1, err));
        pass_blanks(e);
    }
    return STATUS_OK;
}

/* --- What comes next -------------------------------------------------------------- */

static struct text word_at(const struct edn *e)
{
    struct edn ahead = *e;

    pass_word(&ahead);
    return (struct text){ e->at, (size_t)(ahead.at - e->at) };
}

static enum edn_kind kind_of_number(struct text word)
{
    int64_t unused;

    if (word.length > 1 && word.at[word.length - 1] == 'N')
        word.length--;
    if (word.length > 1 && word.at[0] == '+')
        word = (struct text){ word.at + 1, word.length - 1 };
    return text_to_int64(word, &unused) ? EDN_INTEGER : EDN_FRACTION;
}

static enum edn_kind kind_of_word(const struct edn *e)
{
    struct text word = word_at(e);
    bool has_sign = word.length > 1 && (word.at[0] == '-' || word.at[0] == '+');
    char first = has_sign ? word.at[1] : word.at[0];

    if (text_equal(word, TEXT("nil")) || (e->is_json && text_equal(word, TEXT("null"))))
        return EDN_NIL;
    if (text_equal(word, TEXT("true")))
        return EDN_TRUE;
    if (text_equal(word, TEXT("false")))
        return EDN_FALSE;
    if (first >= '0' && first <= '9')
        return kind_of_number(word);
    return word.at[0] == ':' ? EDN_KEYWORD : EDN_SYMBOL;
}

enum edn_kind edn_peek(struct edn *e)
{
    struct error unsaid;

    if (pass_left_out(e, &unsaid) != STATUS_OK || e->at == e->end || strchr(")]}", *e->at))
        return EDN_END;
    if (strchr("([{", *e->at) || *e->at == '#')
        return EDN_OPEN;
    return *e->at == '"' ? EDN_STRING : kind_of_word(e);
}

static char closing(char bracket)
{
    return bracket == '(' ? ')' : bracket == '[' ? ']' : '}';
}

enum status edn_open(struct edn *e, char bracket, const char *what, struct error *err)
{
    TRY(pass_left_out(e, err));
    if (e->at == e->end || *e->at != bracket)
        return edn_refuse(e, what, err);
    e->at++;
    return STATUS_OK;
}

enum status edn_more(struct edn *e, char bracket, bool *more, struct error *err)
{
    TRY(pass_left_out(e, err));
    *more = e->at < e->end && !strchr(")]}", *e->at);
    if (*more)
        return STATUS_OK;
    if (e->at == e->end || *e->at != closing(bracket)) {
        char what[] = "a closing bracket: X";

        what[sizeof what - 2] = closing(bracket);
        return edn_refuse(e, what, err);
    }
    e->at++;
    return STATUS_OK;
}

/* --- Strings ---------------------------------------------------------------------- */

static int hex_digit(char byte)
{
    return byte >= '0' && byte <= '9'   ? byte - '0'
           : byte >= 'a' && byte <= 'f' ? byte - 'a' + 10
           : byte >= 'A' && byte <= 'F' ? byte - 'A' + 10
                                        : -1;
}

static void put_utf8(struct buffer *out, unsigned code)
{
    if (code < 0x80) {
        buffer_byte(out, (char)code);
        return;
    }
    if (code < 0x800) {
        buffer_byte(out, (char)(0xc0 | code >> 6));
    } else {
        buffer_byte(out, (char)(0xe0 | code >> 12));
        buffer_byte(out, (char)(0x80 | (code >> 6 & 0x3f)));
    }
    buffer_byte(out, (char)(0x80 | (code & 0x3f)));
}

/* Behind the backslash. Surrogates and the zero character are in no name that a test uses. */
static enum status take_escape(struct edn *e, struct error *err)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    const char *found = e->at < e->end && *e->at ? strchr(from, *e->at) : NULL;
    unsigned code = 0;

    if (found) {
        buffer_byte(&e->decoded, to[found - from]);
        e->at++;
        return STATUS_OK;
    }
    if (e->end - e->at < 5 || *e->at != 'u')
        return edn_refuse(e, "an escape of a string", err);
    for (int i = 1; i <= 4; i++) {
        if (hex_digit(e->at[i]) < 0)
            return edn_refuse(e, "four hexadecimal digits", err);
        code = code << 4 | (unsigned)hex_digit(e->at[i]);
    }
    if (code == 0 || (code >= 0xd800 && code < 0xe000))
        return edn_refuse(e, "a character that is neither zero nor half a pair", err);
    put_utf8(&e->decoded, code);
    e->at += 5;
    return STATUS_OK;
}

static enum status take_string(struct edn *e, struct text *text, struct error *err)
{
    const char *from = ++e->at;
    bool is_plain = true;

    buffer_clear(&e->decoded);
    for (;;) {
        const char *run = e->at;

        while (e->at < e->end && *e->at != '"' && *e->at != '\\')
            e->at++;
        if (e->at == e->end)
            return edn_refuse(e, "the end of a string", err);
        if (*e->at == '"' && is_plain)
            break;
        buffer_text(&e->decoded, (struct text){ run, (size_t)(e->at - run) });
        if (*e->at == '"')
            break;
        is_plain = false;
        e->at++;
        TRY(take_escape(e, err));
    }
    TRY(buffer_status(&e->decoded, err));
    *text = is_plain ? (struct text){ from, (size_t)(e->at - from) }
                     : (struct text){ e->decoded.at, e->decoded.count };
    e->at++;
    if (!text_is_utf8(*text))
        return edn_refuse(e, "a string of UTF-8 before this", err);
    return STATUS_OK;
}

/* --- Values ----------------------------------------------------------------------- */

static int64_t integer_of(struct text word)
{
    int64_t number = 0;
    bool known;

    if (word.at[word.length - 1] == 'N')
        word.length--;
    if (word.at[0] == '+')
        word = (struct text){ word.at + 1, word.length - 1 };
    known = text_to_int64(word, &number);
    (void)known; /* that it is one was seen by its kind */
    return number;
}

enum status edn_take(struct edn *e, const char *what, struct edn_scalar *scalar, struct error *err)
{
    struct text word;

    *scalar = (struct edn_scalar){ .kind = edn_peek(e) };
    if (scalar->kind == EDN_END || scalar->kind == EDN_OPEN || scalar->kind == EDN_FRACTION)
        return edn_refuse(e, what, err);
    if (scalar->kind == EDN_STRING)
        return take_string(e, &scalar->text, err);
    word = word_at(e);
    if (word.length == 0)
        return edn_refuse(e, what, err);
    if (scalar->kind == EDN_INTEGER)
        scalar->integer = integer_of(word);
    scalar->text =
        scalar->kind == EDN_KEYWORD ? (struct text){ word.at + 1, word.length - 1 } : word;
    if (!text_is_utf8(scalar->text))
        return edn_refuse(e, what, err);
    e->at += word.length;
    return STATUS_OK;
}

enum status edn_take_integer(struct edn *e, const char *what, int64_t *number, struct error *err)
{
    struct edn_scalar scalar;

    if (edn_peek(e) != EDN_INTEGER)
        return edn_refuse(e, what, err);
    TRY(edn_take(e, what, &scalar, err));
    *number = scalar.integer;
    return STATUS_OK;
}

enum status edn_take_boolean(struct edn *e, const char *what, bool *truth, struct error *err)
{
    enum edn_kind kind = edn_peek(e);

    if (kind != EDN_TRUE && kind != EDN_FALSE)
        return edn_refuse(e, what, err);
    *truth = kind == EDN_TRUE;
    return edn_skip(e, err);
}

enum status edn_field(struct edn *e, bool *more, struct edn_scalar *name, struct error *err)
{
    TRY(edn_more(e, '{', more, err));
    return *more ? edn_take(e, "the name of a field", name, err) : STATUS_OK;
}

bool edn_is_name(const struct edn *e, const struct edn_scalar *scalar, const char *name)
{
    return scalar->kind == (e->is_json ? EDN_STRING : EDN_KEYWORD) &&
           text_equal(scalar->text, text_of(name));
}

static enum status skip_word(struct edn *e, struct error *err)
{
    const char *from = e->at;

    if (!e->is_json && *e->at == '\\' && e->end - e->at >= 2)
        e->at += 2; /* a character, which may be a delimiter */
    pass_word(e);
    return e->at > from ? STATUS_OK : edn_refuse(e, "a value", err);
}

static bool is_left_out(const struct edn *e)
{
    return !e->is_json && e->end - e->at >= 2 && e->at[0] == '#' && e->at[1] == '_';
}

static enum status open_or_close(struct edn *e, char open[DEPTH_MAX], unsigned *depth,
                                 struct error *err)
{
    if (strchr("([{", *e->at)) {
        if (*depth == DEPTH_MAX)
            return edn_refuse(e, "less nesting than this", err);
        open[(*depth)++] = closing(*e->at++);
        return STATUS_OK;
    }
    if (*depth == 0 || open[*depth - 1] != *e->at)
        return edn_refuse(e, "a value", err);
    (*depth)--;
    e->at++;
    return STATUS_OK;
}

/* So many values, and more where some say that the one behind them is left out. */
static enum status skip_values(struct edn *e, uint64_t count, struct error *err)
{
    char open[DEPTH_MAX];
    unsigned depth = 0;
    struct text unused;

    while (count > 0) {
        pass_blanks(e);
        if (e->at == e->end)
            return edn_refuse(e, "a value", err);
        if (is_left_out(e)) {
            e->at += 2;
            count += depth == 0;
            continue;
        }
        if (!e->is_json && *e->at == '#' && e->end - e->at >= 2 && e->at[1] == '{')
            e->at++;
        if (strchr("([{)]}", *e->at))
            TRY(open_or_close(e, open, &depth, err));
        else if (*e->at == '"')
            TRY(take_string(e, &unused, err));
        else
            TRY(skip_word(e, err));
        count -= depth == 0;
    }
    return STATUS_OK;
}

enum status edn_skip(struct edn *e, struct error *err)
{
    return skip_values(e, 1, err);
}
