#include "checkers/interval/ahead.h"

#include <stdlib.h>
#include <string.h>

#define PIECE 256         /* transactions */
#define PIECES_A_THREAD 4 /* that wait to be taken */
#define THREADS_MAX 4     /* more make no more than the mirror takes */

static size_t piece_size(const struct ahead *a, size_t piece)
{
    size_t left = a->history->txn_count - piece * PIECE;

    return left < PIECE ? left : PIECE;
}

/* --- Making --------------------------------------------------------------------------------- */

static enum status make_arrival(struct ahead_worker *w, uint32_t txn, struct ahead_piece *p,
                                struct access **next, struct error *err)
{
    struct arrival *arrival = &p->arrivals[p->count];
    struct trace trace;

    TRY(traces_examine(w->ahead->history, txn, err));
    TRY(traces_make(&w->traces, txn, &trace, err));
    TRY(arrival_make(&w->own, w->ahead->mirror, &trace, *next, arrival, err));
    arrival->live.block = p->block;
    *next += arrival->live.access_count;
    p->count++;
    return STATUS_OK;
}

static enum status make_piece(struct ahead_worker *w, size_t number, struct ahead_piece *p,
                              struct error *err)
{
    const struct ahead *a = w->ahead;
    const struct history *h = a->history;
    const struct invoked *txns = a->sorted + number * PIECE;
    size_t op_count = 0, count = piece_size(a, number);
    struct access *next;

    p->count = p->taken = 0;
    for (size_t i = 0; i < count; i++)
        op_count += h->txn_op[txns[i].txn + 1] - h->txn_op[txns[i].txn];
    TRY(access_block_init(&p->block, op_count, count, err));
    next = p->block->at;
    for (size_t i = 0; i < count; i++)
        TRY(make_arrival(w, txns[i].txn, p, &next, err));
    return STATUS_OK;
}

static bool may_make(const struct ahead *a)
{
    return a->next < a->piece_count && a->next < a->taken + a->room;
}

/* With the mutex held, which others have meanwhile. */
static void make_next(struct ahead_worker *w)
{
    struct ahead *a = w->ahead;
    size_t number = a->next++;
    struct ahead_piece *p = &a->pieces[number % a->room];

    pthread_mutex_unlock(&a->mutex);
    p->status = make_piece(w, number, p, &p->err);
    pthread_mutex_lock(&a->mutex);
    p->is_made = true;
    pthread_cond_signal(&a->made);
}

static void *run_worker(void *argument)
{
    struct ahead_worker *w = argument;
    struct ahead *a = w->ahead;

    pthread_mutex_lock(&a->mutex);
    while (!a->is_over) {
        if (may_make(a))
            make_next(w);
        else
            pthread_cond_wait(&a->wanted, &a->mutex);
    }
    pthread_mutex_unlock(&a->mutex);
    return NULL;
}

/* --- Life ------------------------------------------------------------------------------------ */

static enum status init_pieces(struct ahead *a, unsigned threads, struct error *err)
{
    size_t room = (size_t)threads * PIECES_A_THREAD;

    TRY(memory_resize((void **)&a->pieces, room, sizeof *a->pieces, err));
    memset(a->pieces, 0, room * sizeof *a->pieces);
    for (a->room = 0; a->room < room; a->room++)
        TRY(memory_resize((void **)&a->pieces[a->room].arrivals, PIECE,
                          sizeof *a->pieces[a->room].arrivals, err));
    return STATUS_OK;
}

/* Where no thread is to be had there is one less. */
static enum status start_workers(struct ahead *a, unsigned threads, struct error *err)
{
    TRY(memory_resize((void **)&a->workers, threads, sizeof *a->workers, err));
    for (unsigned i = 0; i < threads; i++) {
        struct ahead_worker *w = &a->workers[a->worker_count];

        *w = (struct ahead_worker){ .ahead = a, .traces = { .history = a->history } };
        if (i == 0 || pthread_create(&w->thread, NULL, run_worker, w) == 0)
            a->worker_count++;
    }
    return STATUS_OK;
}

enum status ahead_init(struct ahead *a, const struct history *h, const struct mirror *m,
                       const struct invoked *sorted, unsigned threads, struct error *err)
{
    *a = (struct ahead){ .history = h,
                         .mirror = m,
                         .sorted = sorted,
                         .piece_count = (h->txn_count + PIECE - 1) / PIECE };
    pthread_mutex_init(&a->mutex, NULL);
    pthread_cond_init(&a->made, NULL);
    pthread_cond_init(&a->wanted, NULL);
    if (threads > THREADS_MAX)
        threads = THREADS_MAX;
    if (threads > a->piece_count)
        threads = (unsigned)a->piece_count;
    if (threads == 0)
        threads = 1;
    TRY(init_pieces(a, threads, err));
    return start_workers(a, threads, err);
}

static void leave(struct ahead_piece *p)
{
    struct access_block *block = p->block;

    p->block = NULL;
    if (block && p->status != STATUS_OK)
        free(block);
    else
        for (; block && p->taken < p->count; p->taken++)
            access_block_leave(block);
}

void ahead_close(struct ahead *a)
{
    pthread_mutex_lock(&a->mutex);
    a->is_over = true;
    pthread_cond_broadcast(&a->wanted);
    pthread_mutex_unlock(&a->mutex);
    for (unsigned i = 0; i < a->worker_count; i++) {
        if (i > 0)
            pthread_join(a->workers[i].thread, NULL);
        traces_close(&a->workers[i].traces);
        array_close(&a->workers[i].own.slots);
    }
    for (size_t i = 0; i < a->room; i++) {
        leave(&a->pieces[i]);
        free(a->pieces[i].arrivals);
    }
    free(a->pieces);
    free(a->workers);
    pthread_cond_destroy(&a->made);
    pthread_cond_destroy(&a->wanted);
    pthread_mutex_destroy(&a->mutex);
}

/* --- Taking ---------------------------------------------------------------------------------- */

/* Makes pieces as long as the one to be taken is not made, this or others. */
static void await(struct ahead *a, const struct ahead_piece *p)
{
    pthread_mutex_lock(&a->mutex);
    while (!p->is_made) {
        if (may_make(a))
            make_next(&a->workers[0]);
        else
            pthread_cond_wait(&a->made, &a->mutex);
    }
    pthread_mutex_unlock(&a->mutex);
}

/* All of it has been taken: its place is free. */
static void pass_piece(struct ahead *a)
{
    struct ahead_piece *p = a->current;

    a->current = NULL;
    p->block = NULL;
    pthread_mutex_lock(&a->mutex);
    p->is_made = false;
    a->taken++;
    pthread_cond_signal(&a->wanted);
    pthread_mutex_unlock(&a->mutex);
}

enum status ahead_next(struct ahead *a, const struct arrival **arrival, struct error *err)
{
    *arrival = NULL;
    if (a->current && a->current->taken == a->current->count)
        pass_piece(a);
    if (a->taken == a->piece_count)
        return STATUS_OK;
    if (!a->current) {
        struct ahead_piece *p = &a->pieces[a->taken % a->room];

        await(a, p);
        if (p->status != STATUS_OK) {
            *err = p->err;
            return p->status;
        }
        a->current = p;
    }
    *arrival = &a->current->arrivals[a->current->taken++];
    return STATUS_OK;
}
