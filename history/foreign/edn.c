#include "history/foreign/edn_private.h"

#include <string.h>

#define DEPTH_MAX 64
#define FOUND_BYTES 20

/* What a byte may be. */
#define BLANK 1u         /* in EDN */
#define JSON_BLANK 2u
#define BREAK 4u         /* ends a word of EDN */
#define JSON_BREAK 8u
#define BRACKET 16u      /* opening */
#define CLOSING 32u
#define DIGIT 64u
#define REMARKABLE 128u  /* may be more than it seems to who passes over a value */

#define EVERYWHERE (BLANK | JSON_BLANK | BREAK | JSON_BREAK)

static const uint8_t class_of[256] = {
    [0] = BREAK | JSON_BREAK,
    ['\t'] = EVERYWHERE,
    ['\n'] = EVERYWHERE,
    ['\v'] = BLANK | BREAK,
    ['\f'] = BLANK | BREAK,
    ['\r'] = EVERYWHERE,
    [' '] = EVERYWHERE,
    [','] = BLANK | BREAK | JSON_BREAK,
    [':'] = JSON_BREAK,
    [';'] = BREAK | REMARKABLE,
    ['"'] = BREAK | JSON_BREAK | REMARKABLE,
    ['#'] = REMARKABLE,
    ['\\'] = REMARKABLE,
    ['('] = BREAK | JSON_BREAK | BRACKET | REMARKABLE,
    ['['] = BREAK | JSON_BREAK | BRACKET | REMARKABLE,
    ['{'] = BREAK | JSON_BREAK | BRACKET | REMARKABLE,
    [')'] = BREAK | JSON_BREAK | CLOSING | REMARKABLE,
    [']'] = BREAK | JSON_BREAK | CLOSING | REMARKABLE,
    ['}'] = BREAK | JSON_BREAK | CLOSING | REMARKABLE,
    ['0'] = DIGIT, ['1'] = DIGIT, ['2'] = DIGIT, ['3'] = DIGIT, ['4'] = DIGIT,
    ['5'] = DIGIT, ['6'] = DIGIT, ['7'] = DIGIT, ['8'] = DIGIT, ['9'] = DIGIT,
};

/* --- Strings --- */

static bool is_ascii(struct text text)
{
    uint8_t all = 0;

    for (size_t i = 0; i < text.length; i++)
        all |= (uint8_t)text.at[i];
    return all < 0x80;
}

/* Faster than text_is_utf8() where it is ASCII, as nearly all is. */
static bool edn_is_utf8(struct text text)
{
    return is_ascii(text) || text_is_utf8(text);
}

static int hex_digit(char byte)
{
    return byte >= '0' && byte <= '9'   ? byte - '0'
           : byte >= 'a' && byte <= 'f' ? byte - 'a' + 10
           : byte >= 'A' && byte <= 'F' ? byte - 'A' + 10
                                        : -1;
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
    buffer_utf8(&e->decoded, code);
    e->at += 5;
    return STATUS_OK;
}

/* From the opening quote to behind the closing one. */
static enum status edn_take_string(struct edn *e, struct text *text, struct error *err)
{
    const char *from = ++e->at;
    bool is_plain = true;

    buffer_clear(&e->decoded);
    for (;;) {
        const char *run = e->at;

        while (e->at < e->end && *e->at && *e->at != '"' && *e->at != '\\')
            e->at++;
        if (e->at == e->end || !*e->at)
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
    if (!edn_is_utf8(*text))
        return edn_refuse(e, "a string of UTF-8 before this", err);
    return STATUS_OK;
}

/* --- The lexer --- */

static enum status skip_values(struct edn *e, uint64_t count, struct error *);

static inline bool is(char byte, unsigned classes)
{
    return class_of[(uint8_t)byte] & classes;
}

void edn_begin(struct edn *e, struct text text, bool is_json)
{
    e->begin = e->at = text.at;
    e->end = text.at + text.length;
    e->is_json = is_json;
    e->rounds = 0;
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
    if (!*e->at)
        return error_set(err, STATUS_BAD_INPUT, "expected %s, found a zero byte", what);
    return error_set(err, STATUS_BAD_INPUT, "expected %s, found \"%.*s\"", what,
                     (int)(left < FOUND_BYTES ? left : FOUND_BYTES), e->at);
}

/* --- Blanks ----------------------------------------------------------------------- */

static void pass_word(struct edn *e)
{
    unsigned breaks = e->is_json ? JSON_BREAK : BREAK;

    while (e->at < e->end && !is(*e->at, breaks))
        e->at++;
}

static bool pass_comment(struct edn *e)
{
    const char *feed;

    if (e->at == e->end || *e->at != ';')
        return false;
    feed = memchr(e->at, '\n', (size_t)(e->end - e->at));
    e->at = feed ? feed : e->end;
    return true;
}

/* #jepsen.history.Op and the like; not #{ and #_. */
static bool pass_tag(struct edn *e)
{
    if (e->end - e->at < 2 || *e->at != '#' || e->at[1] == '_' || is(e->at[1], BREAK))
        return false;
    pass_word(e);
    return true;
}

static void pass_json_blanks(struct edn *e)
{
    while (e->at < e->end && is(*e->at, JSON_BLANK))
        e->at++;
}

/* Whether a value ends before the place, but for blanks; `has_feed`: and a line feed is among them. */
static bool is_behind_value(const struct edn *e, const char *at, bool *has_feed)
{
    *has_feed = false;
    while (at > e->begin && is(at[-1], JSON_BLANK))
        *has_feed |= *--at == '\n';
    return at > e->begin && at[-1] != ',' && at[-1] != ':' && !is(at[-1], BRACKET);
}

/* The comma between two values; where there should be none it stays, and is refused. */
static void pass_comma(struct edn *e)
{
    const char *comma = e->at;
    bool has_feed;

    if (comma == e->end || *comma != ',' || !is_behind_value(e, comma, &has_feed))
        return;
    e->at++;
    pass_json_blanks(e);
    if (e->at == e->end || *e->at == ',' || is(*e->at, CLOSING))
        e->at = comma;
}

static void pass_blanks(struct edn *e)
{
    if (e->is_json) {
        pass_json_blanks(e);
        pass_comma(e);
        return;
    }
    do {
        while (e->at < e->end && is(*e->at, BLANK))
            e->at++;
    } while (pass_comment(e) || pass_tag(e));
}

/* Whether a comma is wanting between the value before and what comes next. */
static bool lacks_comma(const struct edn *e)
{
    bool has_feed;

    if (!e->is_json || e->at == e->end || *e->at == ',' || is(*e->at, CLOSING) ||
        !is_behind_value(e, e->at, &has_feed))
        return false;
    return !has_feed || *e->at != '{';
}

static bool is_left_out(const struct edn *e)
{
    return e->end - e->at >= 2 && e->at[0] == '#' && e->at[1] == '_' && !e->is_json;
}

static enum status pass_odd_gap(struct edn *e, struct error *err)
{
    pass_blanks(e);
    while (is_left_out(e)) {
        e->at += 2;
        TRY(skip_values(e, 1, err));
        pass_blanks(e);
    }
    return lacks_comma(e) ? edn_refuse(e, "a comma", err) : STATUS_OK;
}

/* Whether all there is between two values of JSON is a comma, as tools write it, or nothing is. */
static inline bool pass_plain_comma(struct edn *e)
{
    if (e->end - e->at < 2 || e->at == e->begin)
        return false;
    if (*e->at == ',' && !is(e->at[-1], JSON_BLANK | BRACKET) && e->at[-1] != ',' &&
        e->at[-1] != ':' && !is(e->at[1], JSON_BLANK | CLOSING) && e->at[1] != ',') {
        e->at++;
        return true;
    }
    return (e->at[-1] == ',' || e->at[-1] == ':' || is(e->at[-1], BRACKET)) && *e->at != ',' &&
           !is(*e->at, JSON_BLANK);
}

/* Up to the next value: blanks, and values that are left out: #_ value. */
static inline enum status pass_gap(struct edn *e, struct error *err)
{
    if (e->is_json)
        return pass_plain_comma(e) ? STATUS_OK : pass_odd_gap(e, err);
    while (e->at < e->end && is(*e->at, BLANK))
        e->at++;
    if (e->at < e->end && *e->at != '#' && *e->at != ';')
        return STATUS_OK;
    return pass_odd_gap(e, err);
}

/* --- Words ------------------------------------------------------------------------ */

static struct text word_at(const struct edn *e)
{
    unsigned breaks = e->is_json ? JSON_BREAK : BREAK;
    const char *at = e->at;

    while (at < e->end && !is(*at, breaks))
        at++;
    return (struct text){ e->at, (size_t)(at - e->at) };
}

/* EDN has 7N and +7 too. */
static bool number_of(const struct edn *e, struct text word, int64_t *number)
{
    if (!e->is_json && word.length > 1 && word.at[word.length - 1] == 'N')
        word.length--;
    if (!e->is_json && word.length > 1 && word.at[0] == '+' && is(word.at[1], DIGIT))
        word = (struct text){ word.at + 1, word.length - 1 };
    return text_to_int64(word, number);
}

/* The kind of a word that is not empty, and its number. */
static enum edn_kind kind_of_word(const struct edn *e, struct text word, int64_t *number)
{
    bool has_sign = word.length > 1 && (word.at[0] == '-' || word.at[0] == '+');

    if (is(word.at[has_sign], DIGIT))
        return number_of(e, word, number) ? EDN_INTEGER : EDN_FRACTION;
    if (word.at[0] == ':')
        return EDN_KEYWORD;
    if (text_equal(word, e->is_json ? TEXT("null") : TEXT("nil")))
        return EDN_NIL;
    if (text_equal(word, TEXT("true")))
        return EDN_TRUE;
    if (text_equal(word, TEXT("false")))
        return EDN_FALSE;
    return EDN_SYMBOL;
}

/* A number of up to 18 digits and what ends it, as nearly all are; false: look closer. */
static inline bool take_short_number(struct edn *e, int64_t *number)
{
    bool is_negative = e->at < e->end && *e->at == '-';
    const char *digits = e->at + is_negative, *at = digits;
    const char *last = e->end - at > 18 ? at + 18 : e->end;
    int64_t magnitude = 0;

    while (at < last && is(*at, DIGIT))
        magnitude = magnitude * 10 + (*at++ - '0');
    if (at == digits || at == e->end || !is(*at, e->is_json ? JSON_BREAK : BREAK) ||
        (*digits == '0' && at > e->at + 1))
        return false;
    *number = is_negative ? -magnitude : magnitude;
    e->at = at;
    return true;
}

/* --- What comes next -------------------------------------------------------------- */

/* The end too, where something is wrong with what comes: whoever takes it says what. */
enum edn_kind edn_peek(struct edn *e)
{
    struct error unsaid;
    struct text word;
    int64_t number;

    if (pass_gap(e, &unsaid) != STATUS_OK || e->at == e->end || is(*e->at, CLOSING))
        return EDN_END;
    if (is(*e->at, BRACKET) || *e->at == '#')
        return EDN_OPEN;
    if (*e->at == '"')
        return EDN_STRING;
    word = word_at(e);
    return word.length > 0 ? kind_of_word(e, word, &number) : EDN_END;
}

static char closing(char bracket)
{
    return bracket == '(' ? ')' : bracket == '[' ? ']' : '}';
}

enum status edn_open(struct edn *e, char bracket, const char *what, struct error *err)
{
    bool is_round;

    TRY(pass_gap(e, err));
    is_round = e->at < e->end && *e->at == '(' && bracket == '[' && !e->is_json;
    if (e->at == e->end || (*e->at != bracket && !is_round))
        return edn_refuse(e, what, err);
    if (bracket == '[')
        e->rounds = e->rounds << 1 | is_round;
    e->at++;
    return STATUS_OK;
}

enum status edn_more(struct edn *e, char bracket, bool *more, struct error *err)
{
    TRY(pass_gap(e, err));
    *more = e->at < e->end && !is(*e->at, CLOSING);
    if (*more)
        return STATUS_OK;
    if (bracket == '[' && e->rounds & 1)
        bracket = '(';
    if (e->at == e->end || *e->at != closing(bracket)) {
        char what[] = "a closing bracket: X";

        what[sizeof what - 2] = closing(bracket);
        return edn_refuse(e, what, err);
    }
    if (bracket != '{')
        e->rounds >>= 1;
    e->at++;
    return STATUS_OK;
}

/* --- Values ----------------------------------------------------------------------- */

enum status edn_take(struct edn *e, const char *what, struct edn_scalar *scalar, struct error *err)
{
    const char *from;
    struct text word;

    *scalar = (struct edn_scalar){ .kind = EDN_END };
    TRY(pass_gap(e, err));
    from = e->at;
    if (take_short_number(e, &scalar->integer)) {
        scalar->kind = EDN_INTEGER;
        scalar->text = (struct text){ from, (size_t)(e->at - from) };
        return STATUS_OK;
    }
    if (e->at < e->end && *e->at == '"') {
        scalar->kind = EDN_STRING;
        return edn_take_string(e, &scalar->text, err);
    }
    word = word_at(e);
    if (word.length == 0 || *e->at == '#' || *e->at == '\\' || text_equal(word, TEXT(":")))
        return edn_refuse(e, what, err);
    scalar->kind = kind_of_word(e, word, &scalar->integer);
    if (scalar->kind == EDN_FRACTION || !edn_is_utf8(word))
        return edn_refuse(e, what, err);
    scalar->text =
        scalar->kind == EDN_KEYWORD ? (struct text){ word.at + 1, word.length - 1 } : word;
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

enum status edn_take_integers(struct edn *e, struct edn_integers *integers, struct error *err)
{
    integers->all.count = 0;
    TRY(edn_open(e, '[', "a list", err));
    for (;;) {
        int64_t number = 0;
        bool more;

        /* Most are a number, and a blank or a comma and a number. */
        if (take_short_number(e, &number)) {
            TRY(array_push(&integers->all, number, err));
            e->at += e->is_json ? *e->at == ',' && e->end - e->at > 1 && is(e->at[1], DIGIT)
                                : *e->at == ' ';
            continue;
        }
        TRY(edn_more(e, '[', &more, err));
        if (!more)
            return STATUS_OK;
        TRY(edn_take_integer(e, "an element, a number", &number, err));
        TRY(array_push(&integers->all, number, err));
    }
}

enum status edn_field(struct edn *e, bool *more, struct edn_scalar *name, struct error *err)
{
    TRY(edn_more(e, '{', more, err));
    if (!*more)
        return STATUS_OK;
    TRY(edn_take(e, "the name of a field", name, err));
    if (!e->is_json)
        return STATUS_OK;
    pass_json_blanks(e);
    if (e->at == e->end || *e->at != ':')
        return edn_refuse(e, "a colon", err);
    e->at++;
    return STATUS_OK;
}

/* --- What is passed over ----------------------------------------------------------- */

static enum status open_or_close(struct edn *e, char open[DEPTH_MAX], unsigned *depth,
                                 struct error *err)
{
    if (is(*e->at, BRACKET)) {
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

/* A word, or a character of EDN, which may be a bracket or a blank. */
static enum status skip_word(struct edn *e, struct error *err)
{
    const char *from = e->at;

    if (!e->is_json && *e->at == '\\' && e->end - e->at >= 2)
        e->at += 2;
    pass_word(e);
    return e->at > from ? STATUS_OK : edn_refuse(e, "a value", err);
}

/* Within brackets, words and blanks are passed together; a # or \ within a word is part of it. */
static void skip_plain(struct edn *e)
{
    unsigned breaks = e->is_json ? JSON_BREAK : BREAK;

    for (;;) {
        while (e->at < e->end && !is(*e->at, REMARKABLE) && *e->at)
            e->at++;
        if (e->at == e->end || is(*e->at, breaks) || is(e->at[-1], breaks))
            return;
        pass_word(e);
    }
}

/* So many values, and more where some say that the one behind them is left out. */
static enum status skip_values(struct edn *e, uint64_t count, struct error *err)
{
    char open[DEPTH_MAX];
    unsigned depth = 0;
    struct text unused;

    while (count > 0) {
        if (depth > 0)
            skip_plain(e);
        else
            pass_blanks(e);
        if (e->at == e->end)
            return edn_refuse(e, depth > 0 ? "a closing bracket" : "a value", err);
        if (is_left_out(e)) {
            e->at += 2;
            count += depth == 0;
            continue;
        }
        if (!e->is_json && (pass_comment(e) || pass_tag(e)))
            continue;
        if (!e->is_json && *e->at == '#' && e->end - e->at >= 2 && e->at[1] == '{')
            e->at++;
        if (is(*e->at, BRACKET | CLOSING))
            TRY(open_or_close(e, open, &depth, err));
        else if (*e->at == '"')
            TRY(edn_take_string(e, &unused, err));
        else
            TRY(skip_word(e, err));
        count -= depth == 0;
    }
    return STATUS_OK;
}

enum status edn_skip(struct edn *e, struct error *err)
{
    TRY(pass_gap(e, err));
    return skip_values(e, 1, err);
}
