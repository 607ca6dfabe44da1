/* peers.c - see peers.h. */
#include "store/postgres/peers.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <stdio.h>
#include <sys/socket.h>

#include "base/random.h"
#include "base/secret.h"
#include "store/postgres/internal.h"

enum { PEERS_TIMEOUT_MS = 3000 };

/* ---- the secret ---- */

static const char *const secret_sql = "SELECT value FROM gramme_store WHERE name = 'secret'";

static struct error *add_secret(struct arena *arena, struct session *session) {
    uint8_t bytes[POSTGRES_SECRET_BYTES];
    char text[2 * POSTGRES_SECRET_BYTES + 1];
    random_fill(&system_random, bytes, sizeof(bytes));
    for (size_t i = 0; i < sizeof(bytes); i++)
        snprintf(text + 2 * i, 3, "%02x", bytes[i]);
    struct parameter parameter = {text, strlen(text)};
    enum fate fate = session_run(session,
                                 "INSERT INTO gramme_store (name, value) "
                                 "VALUES ('secret', $1::text) ON CONFLICT (name) DO NOTHING",
                                 &parameter, 1, PEERS_TIMEOUT_MS, NULL);
    secret_wipe(bytes, sizeof(bytes));
    secret_wipe(text, sizeof(text));
    return fate == FATE_DONE ? NULL
                             : session_error(session, arena, "The store's secret cannot be made");
}

static bool read_secret(struct slice text, uint8_t ret_secret[POSTGRES_SECRET_BYTES]) {
    char pair[3] = "";
    unsigned byte;
    if (text.len != 2 * POSTGRES_SECRET_BYTES)
        return false;
    for (size_t i = 0; i < POSTGRES_SECRET_BYTES; i++) {
        memcpy(pair, text.data + 2 * i, 2);
        if (sscanf(pair, "%2x", &byte) != 1)
            return false;
        ret_secret[i] = (uint8_t)byte;
    }
    return true;
}

/* Whoever comes first makes it, and all read what is there then. */
static struct error *find_secret(struct arena *arena, struct session *session,
                                 uint8_t ret_secret[POSTGRES_SECRET_BYTES]) {
    for (unsigned attempt = 0; attempt < 2; attempt++) {
        PGresult *result = NULL;
        if (session_run(session, secret_sql, NULL, 0, PEERS_TIMEOUT_MS, &result) != FATE_DONE)
            return session_error(session, arena, "The store's secret cannot be read");
        bool found = libpq.ntuples(result) == 1;
        bool sound = found && read_secret(result_bytes(result, 0, 0), ret_secret);
        libpq.clear(result);
        if (sound)
            return NULL;
        if (found)
            break;
        TRY(add_secret(arena, session));
    }
    return error_local(arena, "The store's secret is damaged: delete the row 'secret' of "
                              "gramme_store, and start all servers again");
}

struct error *postgres_store_secret(struct store *base, struct arena *arena,
                                    uint8_t ret_secret[POSTGRES_SECRET_BYTES]) {
    struct postgres_store *store = postgres_of(base);
    struct session *session = NULL;
    TRY(lead_take(store, arena, &session));
    struct error *error = find_secret(arena, session, ret_secret);
    lead_give(store);
    return error;
}

/* ---- who leads ---- */

void postgres_store_advertise(struct store *base, const char *address) {
    struct postgres_store *store = postgres_of(base);
    store->lead.address = arena_slice(&store->arena, slice_text(address));
}

static void take_leader(const PGresult *result, struct postgres_leader *ret_leader) {
    *ret_leader = (struct postgres_leader){.address = ""};
    if (libpq.ntuples(result) != 1)
        return;
    struct slice writer = result_bytes(result, 0, 0), address = result_bytes(result, 0, 1);
    if (writer.len == sizeof(ret_leader->writer))
        memcpy(ret_leader->writer, writer.data, writer.len);
    if (address.len > 0 && address.len < sizeof(ret_leader->address))
        memcpy(ret_leader->address, address.data, address.len);
}

struct error *postgres_store_leader(struct store *base, struct arena *arena,
                                    struct postgres_leader *ret_leader) {
    struct postgres_store *store = postgres_of(base);
    struct session *session = NULL;
    struct error *error = NULL;
    PGresult *result = NULL;
    TRY(lead_take(store, arena, &session));
    if (session_run(session,
                    "SELECT v.writer, s.value FROM gramme_version v LEFT JOIN gramme_store s "
                    "ON s.name = 'leader' WHERE v.grp = 0",
                    NULL, 0, PEERS_TIMEOUT_MS, &result) == FATE_DONE) {
        lead_note_contact(store);
        take_leader(result, ret_leader);
    } else {
        error = session_error(session, arena, "The leader is not known");
        lead_drop_session(store);
    }
    lead_give(store);
    libpq.clear(result);
    return error;
}

int64_t postgres_store_contact_ms(struct store *base) {
    return atomic_load(&postgres_of(base)->tally.contact_ms);
}

/* ---- where we are ---- */

void postgres_store_own_address(struct store *base, char ret_address[POSTGRES_ADDRESS_CHARS]) {
    const struct postgres_store *store = postgres_of(base);
    struct sockaddr_storage address;
    socklen_t len = sizeof(address);
    int fd = store->lead.session == NULL ? -1 : libpq.socket(store->lead.session->libpq);
    bool by_network = fd >= 0 && getsockname(fd, (struct sockaddr *)&address, &len) == 0 &&
                      address.ss_family != AF_UNIX;
    if (!by_network || getnameinfo((struct sockaddr *)&address, len, ret_address,
                                   POSTGRES_ADDRESS_CHARS, NULL, 0, NI_NUMERICHOST) != 0)
        snprintf(ret_address, POSTGRES_ADDRESS_CHARS, "127.0.0.1");
}
