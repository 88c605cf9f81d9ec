#include <stdlib.h>

#include "checkers/weak/guarantees_private.h"

uint32_t followers_write(const struct weak *w, uint32_t read)
{
    return w->write_op[weak_find_write(w, w->read_writer[read], w->read_key[read])];
}

void followers_close(struct followers *f)
{
    free(f->start);
    free(f->reads);
    free(f->readers);
}

struct placed {
    uint32_t write, read, reader;
};

static int compare_placed(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;

    if (x->write != y->write)
        return x->write < y->write ? -1 : 1;
    return (x->read > y->read) - (x->read < y->read);
}

/* Those of one writer by its writes; mostly they are few. */
static enum status sort_reads(struct followers *f, const struct weak *w, uint32_t txn,
                              struct placed **placed, size_t *room, struct error *err)
{
    uint32_t from = f->start[txn], count = f->start[txn + 1] - from;

    if (count < 2 || w->write_start[txn + 1] - w->write_start[txn] < 2)
        return STATUS_OK;
    if (count > *room) {
        TRY(memory_resize((void **)placed, 2 * (size_t)count, sizeof **placed, err));
        *room = 2 * (size_t)count;
    }
    for (uint32_t i = 0; i < count; i++)
        (*placed)[i] = (struct placed){ followers_write(w, f->reads[from + i]), f->reads[from + i],
                                        f->readers[from + i] };
    qsort(*placed, count, sizeof **placed, compare_placed);
    for (uint32_t i = 0; i < count; i++) {
        f->reads[from + i] = (*placed)[i].read;
        f->readers[from + i] = (*placed)[i].reader;
    }
    return STATUS_OK;
}

enum status followers_init(struct followers *f, const struct weak *w, struct error *err)
{
    struct placed *placed = NULL;
    size_t room = 0;
    enum status status = STATUS_OK;

    *f = (struct followers){ 0 };
    TRY(check_memory((void **)&f->start, (size_t)w->txn_count + 2, sizeof *f->start, 0, err));
    for (uint32_t i = 0; i < w->read_count; i++)
        if (w->read_writer[i] < WEAK_OPEN)
            f->start[w->read_writer[i] + 2]++;
    for (size_t t = 2; t < (size_t)w->txn_count + 2; t++)
        f->start[t] += f->start[t - 1];
    TRY(memory_resize((void **)&f->reads, f->start[w->txn_count + 1], sizeof *f->reads, err));
    TRY(memory_resize((void **)&f->readers, f->start[w->txn_count + 1], sizeof *f->readers, err));
    for (uint32_t reader = 0; reader < w->txn_count; reader++)
        for (uint32_t i = w->read_start[reader]; i < w->read_start[reader + 1]; i++) {
            uint32_t at;

            if (w->read_writer[i] >= WEAK_OPEN)
                continue;
            at = f->start[w->read_writer[i] + 1]++;
            f->reads[at] = i;
            f->readers[at] = reader;
        }
    for (uint32_t txn = 0; txn < w->txn_count && status == STATUS_OK; txn++)
        status = sort_reads(f, w, txn, &placed, &room, err);
    free(placed);
    return status;
}
