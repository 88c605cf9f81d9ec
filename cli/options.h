/*
 * options: what may stand behind a subcommand, declared once.
 *
 * A table of struct option is all there is: it is parsed by, printed in the
 * help, and searched for the nearest name when one is mistyped. A value goes
 * into the subcommand's own struct, at the offset that its row names:
 *
 *     OPTION_FLAG      bool
 *     OPTION_TEXT      const char *, NULL where it is not given
 *     OPTION_OPERAND   the same, for what is given by position; required unless it is optional
 *     OPTION_OPERANDS  struct option_texts, for any number of them
 *     OPTION_NUMBER    struct option_number
 *     OPTION_TEXTS     struct option_texts, for what may be repeated
 *     OPTION_LIST      the same, and one flag takes all that follows up to the next flag
 *
 * Understood: --name value, --name=value, -o value, -ovalue; operands between
 * and behind; after "--" everything is an operand. Texts are argv's own.
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"

#define OPTION_TEXTS_MAX 256

enum option_kind { OPTION_FLAG, OPTION_TEXT, OPTION_OPERAND, OPTION_NUMBER, OPTION_TEXTS, OPTION_LIST,
                   OPTION_OPERANDS };

struct option_number {
    bool given;
    int64_t value;
};

struct option_texts {
    size_t count;
    const char *at[OPTION_TEXTS_MAX];
};

struct option {
    const char *name;     /* without dashes; NULL: it has only a letter, or is an operand */
    char letter;          /* or 0 */
    const char *argument; /* what the help calls its value; NULL for a flag */
    const char *help;
    enum option_kind kind;
    size_t offset;
    bool required;
    bool optional; /* of an operand */
    int64_t low, high;                   /* of a number */
    const char *const *(*choices)(void); /* of a text; NULL: any */
};

/*
 * Rows of a table. `at` is the offset; behind the help may stand what else a row has:
 *
 *     TEXT_ROW("level", "L", AT(level), "isolation level to check", .choices = level_names),
 */
#define OPERAND_ROW(its_argument, at, ...)                                                         \
    {                                                                                              \
        .argument = its_argument, .kind = OPTION_OPERAND, .offset = at, .help = __VA_ARGS__        \
    }
#define OPERANDS_ROW(its_argument, at, ...)                                                        \
    {                                                                                              \
        .argument = its_argument, .kind = OPTION_OPERANDS, .offset = at, .help = __VA_ARGS__       \
    }
#define FLAG_ROW(its_name, at, ...)                                                                \
    {                                                                                              \
        .name = its_name, .kind = OPTION_FLAG, .offset = at, .help = __VA_ARGS__                   \
    }
#define TEXT_ROW(its_name, its_argument, at, ...)                                                  \
    {                                                                                              \
        .name = its_name, .argument = its_argument, .kind = OPTION_TEXT, .offset = at,             \
        .help = __VA_ARGS__                                                                        \
    }
#define TEXTS_ROW(its_name, its_argument, at, ...)                                                 \
    {                                                                                              \
        .name = its_name, .argument = its_argument, .kind = OPTION_TEXTS, .offset = at,            \
        .help = __VA_ARGS__                                                                        \
    }
#define NUMBER_ROW(its_name, its_argument, at, least, most, ...)                                   \
    {                                                                                              \
        .name = its_name, .argument = its_argument, .kind = OPTION_NUMBER, .offset = at,           \
        .low = least, .high = most, .help = __VA_ARGS__                                            \
    }

/* Rows that several subcommands have; limits.h and amendments.h have some, too. */
#define JSON_ROW(at) FLAG_ROW("json", at, "print one JSON object")
#define JOBS_ROW(at, most, ...)                                                                    \
    {                                                                                              \
        .letter = 'j', .argument = "N", .kind = OPTION_NUMBER, .offset = at, .low = 1,             \
        .high = most, .help = __VA_ARGS__                                                          \
    }
#define OUT_FILE_ROW(at, ...)                                                                      \
    {                                                                                              \
        .letter = 'o', .argument = "FILE", .kind = OPTION_TEXT, .offset = at, .required = true,    \
        .help = __VA_ARGS__                                                                        \
    }

struct options {
    const char *command; /* for messages and usage: "run" */
    const struct option *rows;
    size_t count;
    size_t values_size;
};

/* `values` must be all zero; argv is what follows the subcommand. */
MUST_USE enum status options_parse(const struct options *, int argc, char *const *argv,
                                   void *values, struct error *);

/* What a row of that name got, one of texts; NULL: it is not given, or there is no such row. */
const char *options_text(const struct options *, const void *values, const char *name);

/* Whether the flag is there, asked before or without parsing the rest. */
bool options_has_flag(const struct options *, int argc, char *const *argv, const char *name);

/* "usage: ordeal run SCENARIO [--seed N] ...", wrapped. */
void options_print_usage(const struct options *, struct buffer *);
/* One line for each flag, and more where its explanation is long. */
void options_print_flags(const struct options *, struct buffer *);

#endif
