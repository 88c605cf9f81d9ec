/*
 * mariadb_binlog: what MariaDB's binary log says was committed, in the order of the commits. The log
 * has rows (binlog_format=ROW); of each transaction
 *
 *     GTID        its number
 *     TABLE_MAP   a table, its columns and their types
 *     ROWS        rows of it: written, updated (before and after) or deleted
 *     XID         it has committed
 *
 * A transaction without its XID was being written when the server ended, and was rolled back.
 */
#ifndef RECORD_MARIADB_BINLOG_PRIVATE_H
#define RECORD_MARIADB_BINLOG_PRIVATE_H

#include "record/database.h"

/* The bytes of one file of the log. Of columns, only BIGINT and texts are understood. */
struct mariadb_binlog {
    struct text bytes;
    uint64_t file;                    /* its number */
    bool by_place;                    /* snapshots are places in the log; else numbers of GTIDs */
    const struct stored_table *table; /* rows of others are passed over */
};

/* A position in a file of the log, as one number that grows. */
static inline uint64_t mariadb_binlog_place(uint64_t file, uint64_t position)
{
    return file << 40 | position;
}

static inline uint64_t mariadb_binlog_file(uint64_t place)
{
    return place >> 40;
}

/* Adds the file's commits. */
MUST_USE enum status mariadb_binlog_read(const struct mariadb_binlog *, struct recovered_order *,
                                         struct error *);

#endif
