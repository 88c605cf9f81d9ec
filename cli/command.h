/*
 * command: the table of subcommands, and how one is called.
 *
 * A subcommand is a row: name, flags, a struct for their values, a function. cli/command.c does what
 * all of them need: help, parsing, errors, and the exit status, whose precedence is 2 > 1 > 3 > 0.
 */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "base/error.h"
#include "base/text.h"
#include "checkers/checker.h"
#include "cli/limits.h"
#include "cli/options.h"

enum exit_code {
    EXIT_VALID = 0,
    EXIT_VIOLATION = 1,
    EXIT_WRONG = 2, /* the input, the call, or the machine */
    EXIT_UNDECIDED = 3,
    EXIT_SKIP = 125, /* to `git bisect run`: this commit cannot be judged */
    EXIT_INTERRUPTED = 130, /* by SIGINT */
    EXIT_TERMINATED = 143,  /* by SIGTERM */
};

struct command {
    const char *summary;     /* one line, no full stop */
    const char *description; /* some more; ends in a newline */
    const char *example;     /* a call, and what it is for */
    struct options options;  /* its name stands there */
    /* `values` is the struct that the options fill in. */
    enum status (*run)(const void *values, struct limits *, enum exit_code *, struct error *);
    const char *unfinished; /* what is said of work that was ended; NULL: "not judged" */
    bool reads_strange_files; /* so that its tables have a random key, see base/hash.h */
    bool has_parts;         /* --timeout is the time of each of them, and it sees to that itself */
};

/* Ends in NULL. */
extern const struct command *const commands[];

enum exit_code command_exit_of_verdict(enum verdict);
/* The worse of two. */
enum exit_code command_exit_combine(enum exit_code, enum exit_code);
/* If an interrupt was noticed, that is what it says. */
enum exit_code command_exit_noticed(enum exit_code);

/* Everything that `ordeal` does: returns its exit status. */
int command_main(int argc, char *const *argv, const char *version);

#endif
