/*
 * pages: where a disk keeps the bytes of its files, page by page.
 *
 * A page of a file is a chain of versions, the newest first. A version is
 * written in place until a sync takes it; the next write goes into a copy on
 * top, and the old one stays for as long as a crash could bring it back:
 *
 *     table[3] ---> | not synced | -> | sync not done yet | -> | durable |
 *
 * Versions have numbers, not addresses, and come from a slab that grows by
 * chunks from an arena, up to a declared count, with a free list: a disk that
 * rewrites its pages allocates nothing. A page table is two steps deep; its
 * lower halves are pages of the slab too. Knows nothing of time or of faults.
 */
#ifndef SIM_PAGES_H
#define SIM_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

#define PAGE_BYTES 4096
#define PAGE_NONE 0 /* no version has this number */
#define PAGE_TABLE_ROOTS 64
#define PAGE_TABLE_BRANCH (PAGE_BYTES / sizeof(uint32_t))
#define PAGE_TABLE_MAX (PAGE_TABLE_ROOTS * PAGE_TABLE_BRANCH)
#define PAGE_NOT_SYNCED INT64_MAX

struct page_version {
    int64_t durable_at_ns; /* or PAGE_NOT_SYNCED */
    uint32_t older;        /* the version below; of a free one, the next free one */
    uint32_t next;         /* in the one list of versions it stands in */
    uint32_t shown;        /* what reads return instead, where a fault says so */
    uint16_t index;        /* which page of its file it is */
    uint16_t length;       /* bytes of the page that belong to the file */
    bool lied;             /* its sync reported success and kept nothing */
    bool listed;           /* stands in a list: freed by whoever takes it out */
    bool doomed;           /* listed, and nobody else wants it */
};

struct pages {
    struct arena *arena;
    struct page_chunk **chunks;
    uint32_t count, count_max; /* count: ever taken from chunks, free ones included */
    uint32_t free, free_count;
};

struct page_table {
    uint32_t roots[PAGE_TABLE_ROOTS]; /* pages of slots */
};

MUST_USE enum status pages_init(struct pages *, uint32_t count_max, struct arena *, struct error *);

/* Whether `count` pages can be had; takes chunks from the arena as needed. */
bool pages_reserve(struct pages *, uint32_t count);
/* A fresh version: not synced, length 0, bytes of any value. Reserve first. */
uint32_t pages_take(struct pages *);
/* Gives back this version and what is shown for it, but not what is below it. */
void pages_give(struct pages *, uint32_t number);
/* Gives back a version and all below it. */
void pages_give_chain(struct pages *, uint32_t number);

/* Says that the version was taken out of its list: it is free now if it was doomed. */
void pages_unlist(struct pages *, uint32_t number);

struct page_version *pages_version(const struct pages *, uint32_t number);
uint8_t *pages_bytes(const struct pages *, uint32_t number);

/* Where the newest version of a page of the file stands; NULL if its root is missing. */
uint32_t *page_table_slot(const struct pages *, const struct page_table *, uint32_t index);
/* The newest version, or PAGE_NONE. */
uint32_t page_table_newest(const struct pages *, const struct page_table *, uint32_t index);
bool page_table_has_root(const struct page_table *, uint32_t index);
/* Adds the missing root, which costs a page. Reserve first. */
void page_table_add_root(struct pages *, struct page_table *, uint32_t index);
/* Gives back the roots of a table whose slots are all free from this page on. */
void page_table_cut(struct pages *, struct page_table *, uint32_t from_index);

#endif
