#include "trial/scenario/toml_private.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/foreign.h"
#include "trial/scenario/toml_lines_private.h"

#include <toml.h>

/* What a reading needs on its way down the tree. */
struct toml_reading {
    struct arena *arena;
    const struct toml_lines *lines; /* NULL for a value of the command line */
    const char *flag;
    struct buffer path;
};

static enum status no_memory(struct error *err)
{
    return error_set(err, STATUS_OVER_LIMIT, "no memory for so many settings");
}

static enum status copy_text(struct arena *arena, struct text text, struct text *copy,
                             struct error *err)
{
    char *at = arena_push(arena, text.length + 1, 1);

    if (!at)
        return no_memory(err);
    if (text.length)
        memcpy(at, text.at, text.length);
    *copy = (struct text){ at, text.length };
    return STATUS_OK;
}

/*
 * In the order of the lines; tomlc99 hands out values, arrays and tables apart.
 * What --set adds has no line of its own, and comes last.
 */
static void add_child(struct setting *parent, struct setting *child)
{
    struct setting **place = &parent->first;

    if (parent->last && (child->flag || parent->last->line <= child->line))
        place = &parent->last->next;
    while (*place && (*place)->line <= child->line)
        place = &(*place)->next;
    child->next = *place;
    *place = child;
    if (!child->next)
        parent->last = child;
    parent->count++;
}

static enum status new_child(struct toml_reading *reading, struct setting *parent, struct text key,
                             enum setting_kind kind, struct setting **child, struct error *err)
{
    struct text path = { reading->path.at, reading->path.count };
    struct setting *setting = arena_push(reading->arena, 1, sizeof *setting);

    if (!setting)
        return no_memory(err);
    TRY(buffer_status(&reading->path, err));
    setting->kind = kind;
    setting->flag = reading->flag;
    TRY(copy_text(reading->arena, key, &setting->key, err));
    if (reading->lines)
        setting->line = toml_lines_of(reading->lines, path);
    if (setting->line == 0)
        setting->line = parent->line;
    add_child(parent, setting);
    *child = setting;
    return STATUS_OK;
}

/* Whether a basic string spells out a NUL, behind which tomlc99 would cut it. */
static bool has_escaped_nul(const char *raw)
{
    if (raw[0] != '"')
        return false;
    for (const char *c = raw; *c; c++) {
        if (*c != '\\')
            continue;
        c++;
        if (strncmp(c, "u0000", 5) == 0 || strncmp(c, "U00000000", 9) == 0)
            return true;
        if (*c == '\0')
            return false;
    }
    return false;
}

static enum status read_string(struct toml_reading *reading, const char *raw, struct text *text,
                               struct error *err)
{
    char *decoded = NULL;
    int cannot;
    enum status status;

    if (has_escaped_nul(raw))
        return error_set(err, STATUS_BAD_INPUT, "a NUL in a string");
    foreign_begin("the reader of TOML");
    cannot = toml_rtos(raw, &decoded);
    foreign_end();
    if (cannot)
        return error_set(err, STATUS_BAD_INPUT, "not a string: %.60s", raw);
    status = copy_text(reading->arena, text_of(decoded), text, err);
    free(decoded);
    return status;
}

static enum status read_value(struct toml_reading *reading, const char *raw, struct setting *setting,
                              struct error *err)
{
    toml_timestamp_t time;
    double decimal; /* only to ask whether it is one: the digits are kept as text */
    int truth;

    if (raw[0] == '"' || raw[0] == '\'')
        return read_string(reading, raw, &setting->text, err);
    TRY(copy_text(reading->arena, text_of(raw), &setting->text, err));
    if (toml_rtob(raw, &truth) == 0) {
        setting->kind = SETTING_BOOLEAN;
        setting->number = truth;
    } else if (toml_rtoi(raw, &setting->number) == 0) {
        setting->kind = SETTING_INTEGER;
    } else if (toml_rtod(raw, &decimal) == 0) {
        setting->kind = SETTING_DECIMAL;
    } else if (toml_rtots(raw, &time) == 0) {
        setting->kind = SETTING_TIME;
    } else {
        return error_set(err, STATUS_BAD_INPUT, "'%.60s' is no value; strings stand in quotes",
                         raw);
    }
    return STATUS_OK;
}

static enum status read_table(struct toml_reading *, const toml_table_t *, struct setting *,
                              struct error *);
static enum status read_array(struct toml_reading *, const toml_array_t *, struct setting *,
                              struct error *);

/* A value, an array or a table: the two others are NULL. */
struct toml_node {
    const char *raw;
    const toml_array_t *array;
    const toml_table_t *table;
};

static enum status read_child(struct toml_reading *reading, struct setting *parent, struct text key,
                              const struct toml_node *node, struct error *err)
{
    enum setting_kind kind = node->raw     ? SETTING_STRING
                             : node->array ? SETTING_ARRAY
                                           : SETTING_TABLE;
    struct setting *child;

    TRY(new_child(reading, parent, key, kind, &child, err));
    if (node->raw && read_value(reading, node->raw, child, err) != STATUS_OK)
        return toml_blame(child, err);
    if (node->array)
        return read_array(reading, node->array, child, err);
    if (node->table)
        return read_table(reading, node->table, child, err);
    return STATUS_OK;
}

static void push_part(struct toml_reading *reading, const char *key, int index)
{
    if (reading->path.count)
        buffer_byte(&reading->path, '.');
    if (key)
        buffer_text(&reading->path, text_of(key));
    else
        buffer_int64(&reading->path, index);
}

static enum status read_table(struct toml_reading *reading, const toml_table_t *table,
                              struct setting *setting, struct error *err)
{
    size_t length = reading->path.count;
    const char *key;

    for (int i = 0; (key = toml_key_in(table, i)) != NULL; i++) {
        struct toml_node node = { toml_raw_in(table, key), toml_array_in(table, key),
                                  toml_table_in(table, key) };

        push_part(reading, key, 0);
        TRY(read_child(reading, setting, text_of(key), &node, err));
        reading->path.count = length;
    }
    return STATUS_OK;
}

static enum status read_array(struct toml_reading *reading, const toml_array_t *array,
                              struct setting *setting, struct error *err)
{
    size_t length = reading->path.count;

    for (int i = 0; i < toml_array_nelem(array); i++) {
        struct toml_node node = { toml_raw_at(array, i), toml_array_at(array, i),
                                  toml_table_at(array, i) };

        push_part(reading, NULL, i);
        TRY(read_child(reading, setting, (struct text){ NULL, 0 }, &node, err));
        reading->path.count = length;
    }
    return STATUS_OK;
}

/*
 * tomlc99 says "line 12: missing =". Of what surprises it, it says only where in
 * its own source: then our walk has seen the place.
 */
static enum status refuse_syntax(const char *message, const struct toml_lines *lines,
                                 struct error *err)
{
    uint64_t line = 0;
    int length = 0;

    if (sscanf(message, "line %" SCNu64 ": %n", &line, &length) == 1 && length > 0)
        err->line = line;
    else if (strncmp(message, "internal error", 14) == 0) {
        err->line = lines->odd_line;
        message = "syntax error";
    }
    return error_set(err, STATUS_BAD_INPUT, "not TOML: %s", message + length);
}

static void *take_memory(size_t size)
{
    void *memory = malloc(size);

    if (!memory)
        foreign_out_of_memory();
    return memory;
}

/* Lets tomlc99 parse a copy, since it writes into what it is given. */
static enum status parse(struct text text, const struct toml_lines *lines, toml_table_t **table,
                         struct error *err)
{
    char message[200] = "";
    char *copy = malloc(text.length + 1);

    if (!copy)
        return no_memory(err);
    if (text.length)
        memcpy(copy, text.at, text.length);
    copy[text.length] = '\0';
    toml_lines_raise_escapes(copy, text.length);
    /* It does not survive a failed allocation. */
    toml_set_memutil(take_memory, free);
    foreign_begin("the reader of TOML");
    *table = toml_parse(copy, message, (int)sizeof message);
    foreign_end();
    free(copy);
    return *table ? STATUS_OK : refuse_syntax(message, lines, err);
}

enum status toml_read(struct text text, struct arena *arena, struct setting **root,
                      struct error *err)
{
    struct toml_lines lines = { 0 };
    struct toml_reading reading = { .arena = arena, .lines = &lines };
    toml_table_t *table = NULL;
    enum status status;

    *root = arena_push(arena, 1, sizeof **root);
    if (!*root)
        return no_memory(err);
    (*root)->kind = SETTING_TABLE;
    status = toml_lines_find(&lines, text, err);
    if (status == STATUS_OK)
        status = parse(text, &lines, &table, err);
    if (status == STATUS_OK)
        status = read_table(&reading, table, *root, err);
    toml_free(table);
    toml_lines_close(&lines);
    buffer_close(&reading.path);
    return status;
}

/* --set */

static struct setting *child_number(const struct setting *array, int64_t index)
{
    struct setting *child = array->first;

    while (child && index-- > 0)
        child = child->next;
    return child;
}

/* The child of that name or number, or NULL. */
static struct setting *step_down(const struct setting *setting, struct text part)
{
    int64_t index;

    if (setting->kind == SETTING_TABLE)
        return toml_find(setting, part);
    if (setting->kind == SETTING_ARRAY && text_to_int64(part, &index) && index >= 0)
        return child_number(setting, index);
    return NULL;
}

static void make_empty(struct setting *setting, enum setting_kind kind)
{
    setting->kind = kind;
    setting->text = (struct text){ NULL, 0 };
    setting->first = setting->last = NULL;
    setting->count = 0;
}

/*
 * The child by that name, made if need be. A value in the way becomes a table, and what is empty a
 * list if its first element is asked for.
 */
static enum status make_way(struct toml_reading *reading, struct setting *setting, struct text part,
                            struct setting **child, struct error *err)
{
    int64_t index;

    *child = step_down(setting, part);
    if (*child)
        return STATUS_OK;
    if (setting->kind == SETTING_TABLE && setting->count == 0 && text_equal(part, TEXT("0")))
        make_empty(setting, SETTING_ARRAY);
    if (setting->kind == SETTING_ARRAY) {
        if (!text_to_int64(part, &index) || index != (int64_t)setting->count)
            return error_set(err, STATUS_BAD_INPUT,
                             "'%.*s' should be a number from 0 to %zu, its place in a list",
                             TEXT_PRINT(part), setting->count);
        return new_child(reading, setting, (struct text){ NULL, 0 }, SETTING_TABLE, child, err);
    }
    if (setting->kind != SETTING_TABLE)
        make_empty(setting, SETTING_TABLE);
    return new_child(reading, setting, part, SETTING_TABLE, child, err);
}

static bool is_key_part(struct text part)
{
    for (size_t i = 0; i < part.length; i++)
        if (!isalnum((unsigned char)part.at[i]) && part.at[i] != '_' && part.at[i] != '-')
            return false;
    return part.length > 0;
}

/* Parses "value = TEXT". What is not one TOML value is bad input. */
static enum status parse_value(const char *value, struct toml_reading *reading,
                               struct setting *parent, struct error *err)
{
    struct buffer line = { 0 };
    struct toml_lines nowhere = { 0 };
    toml_table_t *table = NULL;
    enum status status;

    if (strpbrk(value, "\n#"))
        return error_set(err, STATUS_BAD_INPUT, "more than a value");
    buffer_print(&line, "value = %s", value);
    status = buffer_status(&line, err);
    if (status == STATUS_OK)
        status = toml_lines_find(&nowhere, (struct text){ line.at, line.count }, err);
    if (status == STATUS_OK)
        status = parse((struct text){ line.at, line.count }, &nowhere, &table, err);
    if (status == STATUS_OK)
        status = read_table(reading, table, parent, err);
    if (status == STATUS_OK && parent->count != 1)
        status = error_set(err, STATUS_BAD_INPUT, "more than a value");
    toml_free(table);
    toml_lines_close(&nowhere);
    buffer_close(&line);
    return status;
}

static enum status assign(struct toml_reading *reading, struct setting *setting, const char *value,
                          struct error *err)
{
    struct setting holder = { .kind = SETTING_TABLE };
    struct error why = { 0 };
    enum status status;

    make_empty(setting, SETTING_STRING);
    setting->line = 0;
    setting->flag = reading->flag;
    status = parse_value(value, reading, &holder, &why);
    if (status == STATUS_OVER_LIMIT)
        return no_memory(err);
    if (status != STATUS_OK)
        return copy_text(reading->arena, text_of(value), &setting->text, err);
    setting->kind = holder.first->kind;
    setting->text = holder.first->text;
    setting->number = holder.first->number;
    setting->first = holder.first->first;
    setting->last = holder.first->last;
    setting->count = holder.first->count;
    return STATUS_OK;
}

static enum status set_path(struct toml_reading *reading, struct setting *root, struct text path,
                            const char *value, struct error *err)
{
    struct setting *setting = root;
    size_t depth = 0;

    while (path.length > 0) {
        const char *dot = memchr(path.at, '.', path.length);
        struct text part = { path.at, dot ? (size_t)(dot - path.at) : path.length };

        if (!is_key_part(part) || ++depth > TOML_DEPTH_MAX)
            return error_set(err, STATUS_BAD_INPUT, "not a key");
        TRY(make_way(reading, setting, part, &setting, err));
        path.at += part.length + (dot != NULL);
        path.length -= part.length + (dot != NULL);
        if (dot && path.length == 0)
            return error_set(err, STATUS_BAD_INPUT, "not a key");
    }
    return assign(reading, setting, value, err);
}

enum status toml_set(struct setting *root, const char *assignment, struct arena *arena,
                     struct error *err)
{
    struct toml_reading reading = { .arena = arena, .flag = assignment };
    const char *equals = strchr(assignment, '=');
    enum status status;

    if (!equals || equals == assignment)
        return error_set(err, STATUS_BAD_INPUT, "--set %.100s: should be key=value", assignment);
    if (!text_is_utf8(text_of(assignment)))
        return error_set(err, STATUS_BAD_INPUT, "--set: not UTF-8");
    status = set_path(&reading, root, (struct text){ assignment, (size_t)(equals - assignment) },
                      equals + 1, err);
    buffer_close(&reading.path);
    return status == STATUS_OK ? status : error_wrap(err, "--set %.100s", assignment);
}

struct setting *toml_find(const struct setting *table, struct text key)
{
    for (struct setting *child = table ? table->first : NULL; child; child = child->next)
        if (text_equal(child->key, key))
            return child;
    return NULL;
}

const char *toml_kind_name(enum setting_kind kind)
{
    static const char *const names[] = {
        [SETTING_STRING] = "a string",   [SETTING_INTEGER] = "an integer",
        [SETTING_DECIMAL] = "a decimal", [SETTING_BOOLEAN] = "true or false",
        [SETTING_TIME] = "a date",       [SETTING_TABLE] = "a table",
        [SETTING_ARRAY] = "a list",
    };

    assert(kind <= SETTING_ARRAY);
    return names[kind];
}

enum status toml_blame(const struct setting *setting, struct error *err)
{
    if (setting->flag) {
        err->file[0] = '\0';
        err->line = 0;
        return error_wrap(err, "--set %.100s", setting->flag);
    }
    err->line = setting->line;
    return err->status;
}

enum status toml_refuse(const struct setting *setting, struct error *err, const char *format,
                        ...)
{
    va_list arguments;

    err->status = STATUS_BAD_INPUT;
    va_start(arguments, format);
    vsnprintf(err->text, sizeof err->text, format, arguments);
    va_end(arguments);
    return setting ? toml_blame(setting, err) : err->status;
}

enum status toml_refuse_name(const struct setting *given, const char *what,
                             const char *const *names, struct error *err)
{
    const char *nearest = text_nearest(given->text, names);
    struct buffer list = { 0 };

    if (nearest)
        return toml_refuse(given, err, "there is no %s \"%.*s\"; did you mean \"%s\"?", what,
                           TEXT_PRINT(given->text), nearest);
    for (size_t i = 0; names[i]; i++)
        buffer_print(&list, "%s%s", i ? ", " : "", names[i]);
    (void)toml_refuse(given, err, "there is no %s \"%.*s\"; there is %.*s", what,
                      TEXT_PRINT(given->text), (int)list.count, list.at ? list.at : "");
    buffer_close(&list);
    return err->status;
}

enum status toml_check_keys(const struct setting *table, const char *what, const char *const *names,
                            struct error *err)
{
    for (const struct setting *child = table ? table->first : NULL; child; child = child->next) {
        const char *nearest = text_nearest(child->key, names);
        size_t i = 0;

        while (names[i] && !text_equal(child->key, text_of(names[i])))
            i++;
        if (names[i])
            continue;
        if (nearest)
            return toml_refuse(child, err, "%s has no '%.*s'; did you mean '%s'?", what,
                               TEXT_PRINT(child->key), nearest);
        return toml_refuse(child, err, "%s has no '%.*s'", what, TEXT_PRINT(child->key));
    }
    return STATUS_OK;
}

static enum status refuse_system(const char *name, struct error *err)
{
    int number = errno;

    error_set_file(err, name);
    return error_set(err, STATUS_IO, "cannot read: %s", strerror(number));
}

/* One byte more than is allowed, where there is so much: that is refused later. */
enum status toml_read_file(const char *path, struct buffer *bytes, struct error *err)
{
    bool is_stdin = strcmp(path, "-") == 0;
    const char *name = is_stdin ? "standard input" : path;
    FILE *file = is_stdin ? stdin : fopen(path, "rb");
    enum status status = STATUS_OK;

    if (!file)
        return refuse_system(name, err);
    if (!buffer_reserve(bytes, TOML_BYTES_MAX + 1))
        status = buffer_status(bytes, err);
    else
        bytes->count = fread(bytes->at, 1, TOML_BYTES_MAX + 1, file);
    if (status == STATUS_OK && ferror(file))
        status = refuse_system(name, err);
    if (!is_stdin)
        fclose(file);
    return status;
}
