#include "checkers/interval/ahead.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define PIECE 256         /* transactions */
#define PIECES_A_THREAD 4 /* that wait to be taken */
#define THREADS_MAX 4     /* more make no more than the mirror takes */
#define SIEVES_MAX 2      /* likewise; each goes through all events */

static size_t piece_size(const struct ahead *a, size_t piece)
{
    size_t passed = piece * PIECE, left;

    left = passed < a->history->txn_count ? a->history->txn_count - passed : 0;
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
    if (count == 0)
        return STATUS_OK;
    for (size_t i = 0; i < count; i++)
        op_count += h->txn_op[txns[i].txn + 1] - h->txn_op[txns[i].txn];
    TRY(access_block_init(&p->block, op_count, count, err));
    next = p->block->at;
    for (size_t i = 0; i < count; i++)
        TRY(make_arrival(w, txns[i].txn, p, &next, err));
    return STATUS_OK;
}

/* With the mutex held, which others have meanwhile; so the next. */
static void make_next(struct ahead_worker *w)
{
    struct ahead *a = w->ahead;
    size_t number = a->next++;
    struct ahead_piece *p = &a->pieces[number % a->room];

    pthread_mutex_unlock(&a->mutex);
    p->status = make_piece(w, number, p, &p->err);
    pthread_mutex_lock(&a->mutex);
    p->is_made = true;
    pthread_cond_broadcast(&a->changed);
}

static enum status sieve_piece(struct ahead *a, struct sieve *s, size_t number,
                               struct ahead_piece *p, struct error *err)
{
    struct sieved *out = &p->sieved.parts[s->part];

    sieved_clear(out);
    if (number + 1 == a->piece_count)
        return sieve_end(s, out, err);
    for (size_t i = 0; i < p->count; i++)
        TRY(sieve_pass(s, &p->arrivals[i], out, err));
    return STATUS_OK;
}

static void sieve_next(struct ahead *a, struct ahead_sieve *s)
{
    struct ahead_piece *p = &a->pieces[s->next % a->room];
    enum status status = p->status;
    struct error err = { 0 };

    s->is_busy = true;
    pthread_mutex_unlock(&a->mutex);
    if (status == STATUS_OK)
        status = sieve_piece(a, &s->sieve, s->next, p, &err);
    pthread_mutex_lock(&a->mutex);
    if (status != STATUS_OK && p->status == STATUS_OK) {
        p->status = status;
        p->err = err;
    }
    p->is_given_up |= s->sieve.has_given_up;
    p->sieved_count++;
    s->next++;
    s->is_busy = false;
    pthread_cond_broadcast(&a->changed);
}

/* A sieve that has a piece to pass; NULL: none has. */
static struct ahead_sieve *find_sieve(struct ahead *a)
{
    for (unsigned i = 0; i < a->sieve_count; i++) {
        struct ahead_sieve *s = &a->sieves[i];

        if (!s->is_busy && s->next < a->next && a->pieces[s->next % a->room].is_made)
            return s;
    }
    return NULL;
}

/* Whatever is to be done, what is waited for longest first. False: there is nothing. */
static bool work(struct ahead_worker *w)
{
    struct ahead *a = w->ahead;
    struct ahead_sieve *s = find_sieve(a);

    if (s)
        sieve_next(a, s);
    else if (a->next < a->piece_count && a->next < a->taken + a->room)
        make_next(w);
    else
        return false;
    return true;
}

static void *run_worker(void *argument)
{
    struct ahead_worker *w = argument;
    struct ahead *a = w->ahead;

    pthread_mutex_lock(&a->mutex);
    while (!a->is_over)
        if (!work(w))
            pthread_cond_wait(&a->changed, &a->mutex);
    pthread_mutex_unlock(&a->mutex);
    return NULL;
}

/* --- Life ------------------------------------------------------------------------------------ */

static enum status init_piece(const struct ahead *a, struct ahead_piece *p, struct error *err)
{
    TRY(memory_resize((void **)&p->arrivals, PIECE, sizeof *p->arrivals, err));
    if (a->sieve_count == 0)
        return STATUS_OK;
    TRY(memory_resize((void **)&p->sieved.parts, a->sieve_count, sizeof *p->sieved.parts, err));
    memset(p->sieved.parts, 0, a->sieve_count * sizeof *p->sieved.parts);
    p->sieved.part_count = a->sieve_count;
    return STATUS_OK;
}

static enum status init_pieces(struct ahead *a, unsigned threads, struct error *err)
{
    size_t room = (size_t)threads * PIECES_A_THREAD;

    TRY(memory_resize((void **)&a->pieces, room, sizeof *a->pieces, err));
    memset(a->pieces, 0, room * sizeof *a->pieces);
    for (a->room = 0; a->room < room;)
        TRY(init_piece(a, &a->pieces[a->room++], err));
    return STATUS_OK;
}

static enum status init_sieves(struct ahead *a, unsigned count, struct error *err)
{
    TRY(memory_resize((void **)&a->sieves, count, sizeof *a->sieves, err));
    memset(a->sieves, 0, count * sizeof *a->sieves);
    a->sieve_count = count;
    for (unsigned i = 0; i < count; i++)
        TRY(sieve_init(&a->sieves[i].sieve, a->mirror, a->history, i, count, &a->gone_before, err));
    a->piece_count++; /* the last is what is left when all have come */
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

enum status ahead_init(struct ahead *a, const struct history *h, struct mirror *m,
                       const struct invoked *sorted, unsigned threads, bool is_sieving,
                       struct error *err)
{
    *a = (struct ahead){ .history = h,
                         .mirror = m,
                         .sorted = sorted,
                         .piece_count = (h->txn_count + PIECE - 1) / PIECE };
    pthread_mutex_init(&a->mutex, NULL);
    pthread_cond_init(&a->changed, NULL);
    atomic_init(&a->gone_before, 0);
    if (threads > THREADS_MAX)
        threads = THREADS_MAX;
    if (threads > a->piece_count)
        threads = (unsigned)a->piece_count;
    if (threads == 0)
        threads = 1;
    if (is_sieving)
        TRY(init_sieves(a, threads <= SIEVES_MAX ? 1 : SIEVES_MAX, err));
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
    pthread_cond_broadcast(&a->changed);
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
        for (unsigned k = 0; a->pieces[i].sieved.parts && k < a->sieve_count; k++)
            sieved_close(&a->pieces[i].sieved.parts[k]);
        free(a->pieces[i].sieved.parts);
    }
    for (unsigned i = 0; i < a->sieve_count; i++)
        sieve_close(&a->sieves[i].sieve);
    a->mirror->sieved = NULL;
    free(a->sieves);
    free(a->pieces);
    free(a->workers);
    pthread_cond_destroy(&a->changed);
    pthread_mutex_destroy(&a->mutex);
}

/* --- Taking ---------------------------------------------------------------------------------- */

/* Does what is to be done as long as that piece is not ready. */
static void await(struct ahead *a, const struct ahead_piece *p)
{
    pthread_mutex_lock(&a->mutex);
    while (!p->is_made || p->sieved_count < a->sieve_count)
        if (!work(&a->workers[0]))
            pthread_cond_wait(&a->changed, &a->mutex);
    pthread_mutex_unlock(&a->mutex);
}

/* All of it has been taken: its place is free. */
static void pass_piece(struct ahead *a)
{
    struct ahead_piece *p = a->current;

    for (unsigned k = 0; k < a->sieve_count; k++)
        assert(p->sieved.parts[k].next_word == p->sieved.parts[k].words.count);
    atomic_store_explicit(&a->gone_before, a->mirror->live_first, memory_order_relaxed);
    a->current = NULL;
    p->block = NULL;
    pthread_mutex_lock(&a->mutex);
    p->is_made = p->is_given_up = false;
    p->sieved_count = 0;
    a->taken++;
    pthread_cond_broadcast(&a->changed);
    pthread_mutex_unlock(&a->mutex);
}

static enum status take_piece(struct ahead *a, struct error *err)
{
    struct ahead_piece *p = &a->pieces[a->taken % a->room];

    await(a, p);
    if (p->status != STATUS_OK) {
        *err = p->err;
        return p->status;
    }
    a->current = p;
    a->mirror->sieved = a->sieve_count > 0 ? &p->sieved : NULL;
    return STATUS_OK;
}

enum status ahead_next(struct ahead *a, const struct arrival **arrival, struct error *err)
{
    *arrival = NULL;
    if (a->current && a->current->taken == a->current->count)
        pass_piece(a);
    if (a->taken == a->piece_count)
        return STATUS_OK;
    if (!a->current)
        TRY(take_piece(a, err));
    if (a->current->taken < a->current->count)
        *arrival = &a->current->arrivals[a->current->taken++];
    return STATUS_OK;
}

bool ahead_is_given_up(const struct ahead *a)
{
    return a->current && a->current->is_given_up;
}
