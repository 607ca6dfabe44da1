/* postgres_server.h - the PostgreSQL server of tests/support/postgres. */
#ifndef GRAMME_TESTS_STORE_CONTRACT_POSTGRES_SERVER_H
#define GRAMME_TESTS_STORE_CONTRACT_POSTGRES_SERVER_H

#include "contract.h"
#include "postgres_wire.h"
#include "store/postgres/postgres.h"

/* Where a case has its tables: a schema that is its own, named after its directory, and empty once
 * the directory is gone. */
const char *postgres_url(struct contract *contract);
/* Runs a statement beside the store, as whoever looks after the server would. How many rows. */
int postgres_run(struct contract *contract, const char *sql);
/* The bigint in the first row of a statement's result; 0: there is no row. */
int64_t postgres_number(struct contract *contract, const char *sql);
/* Puts a wire before the server; where the case's tables are by way of it. */
const char *postgres_wire_url(struct contract *contract, struct wire *wire);

#endif
