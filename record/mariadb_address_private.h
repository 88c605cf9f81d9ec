/*
 * mariadb_address: where a server of MariaDB is, and as whom it is talked to.
 */
#ifndef RECORD_MARIADB_ADDRESS_PRIVATE_H
#define RECORD_MARIADB_ADDRESS_PRIVATE_H

#include "base/error.h"

struct mariadb_address {
    char socket[320]; /* empty: by host and port */
    char host[256], user[128], password[256], database[128];
    unsigned port;
};

/* "mariadb://user:password@host:port/database", or "mariadb://user@%2Frun%2Fsocket/database". */
MUST_USE enum status mariadb_address_read(const char *uri, struct mariadb_address *,
                                          struct error *);

#endif
