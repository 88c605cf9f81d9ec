/*
 * drawing: intervals under each other, on one scale.
 *
 *     T1 commits                |---------|
 *     T2 commits                          |---------|
 *     T3 reads as of                                          |--------|
 *
 * An end that nobody knows is open: it begins with '-' or ends with '>'.
 */
#ifndef CHECKERS_INTERVAL_DRAWING_PRIVATE_H
#define CHECKERS_INTERVAL_DRAWING_PRIVATE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"
#include "checkers/interval/timeline_private.h"

#define DRAWING_ROWS_MAX 12

struct window_drawing {
    struct {
        char label[40];
        struct time_window times;
    } rows[DRAWING_ROWS_MAX];
    size_t count;
};

/* Rows that there is no room for are left out. */
void drawing_add(struct window_drawing *, struct time_window, const char *format, ...)
    PRINTF_LIKE(3, 4);
void drawing_print(const struct window_drawing *, struct buffer *);

#endif
