/*
 * machine_fixture: a program from a text, and calls of it.
 *
 * fixture_load() fails the test if the text is refused; fixture_unload() ends
 * it. A call is text, too: "transfer(1, 2, 10)". fixture_text() is a datum as
 * psql shows it, good until the next one but three.
 */
#ifndef TESTS_PROGRAMS_MACHINE_MACHINE_FIXTURE_H
#define TESTS_PROGRAMS_MACHINE_MACHINE_FIXTURE_H

#include "programs/machine/engine.h"

extern struct program fixture_program;

void fixture_load(const char *sql);
void fixture_load_file(const char *path);
void fixture_unload(void);

struct fixture_call {
    uint32_t function;
    struct datum arguments[16];
};

struct fixture_call fixture_call(const char *call);
const char *fixture_text(const struct datum *);
/* The number of a table, or UINT32_MAX. */
uint32_t fixture_table(const struct program *, struct text name);
const char *fixture_filter(const struct filter *);

#endif
