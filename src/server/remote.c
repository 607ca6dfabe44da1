/* remote.c - a store that several servers share: one leads, the others hand requests on to it, and
 * wait here for it to go, before they have read anything of the store. */
#include "admin/shared_secrets.h"
#include "base/log.h"
#include "engine/engine.h"
#include "server/certificates.h"
#include "server/server.h"
#include "server/state.h"
#include "store/postgres/postgres.h"
#include "store/postgres/survey.h"

enum { LEAD_WAIT_MS = 100 };

/* False: it is to end. */
static bool hear_wish(struct server *server) {
    struct server_waiter *waiter = server->config.waiter;
    enum server_wish wish =
        waiter == NULL ? SERVER_WAITS : waiter->wish(waiter, server->place, server->config.port);
    if (wish == SERVER_RELOADS)
        server_reload(server);
    return wish != SERVER_ENDS;
}

static struct error *wait_until_it_leads(struct server *server, struct arena *arena,
                                         struct store *store) {
    for (bool leads = false; !leads;) {
        if (!hear_wish(server))
            return error_local(arena, "stopped while another server leads");
        if (server->certificates != NULL)
            certificates_look(server->certificates);
        if (server->node.lost)
            return error_local(arena, "another server writes in this one's place: started again, "
                                      "it finds another");
        TRY(store_lead(store, arena, LEAD_WAIT_MS, &leads));
        if (!leads)
            server_follow(server, arena, store);
    }
    return NULL;
}

/* It has its port from here on, and answers by way of the leader. */
static struct error *wait_for_lead(struct server *server, struct arena *arena,
                                   struct store *store) {
    TRY(server_start_endpoint(server, arena));
    server->config.port = endpoint_port(server->endpoint);
    atomic_store(&server->pages.state, PAGES_WAITING);
    log_info("another server leads %.*s", SLICE_ARGS(server->place));
    server_follow(server, arena, store);
    TRY(wait_until_it_leads(server, arena, store));
    server_leave_members(server);
    atomic_store(&server->pages.state, PAGES_STARTING);
    return NULL;
}

static struct error *take_lead(struct server *server, struct arena *arena, struct store *store) {
    bool leads = false;
    TRY(store_lead(store, arena, 0, &leads));
    if (!leads)
        TRY(wait_for_lead(server, arena, store));
    log_info("leading %.*s", SLICE_ARGS(server->place));
    return NULL;
}

/* Who made the store was told, but settings change, and so do servers. */
static struct error *check_settings(const struct server *server, struct arena *arena,
                                    struct store *store) {
    struct postgres_survey_options options = {.url = server->config.store_url};
    struct postgres_survey survey;
    TRY(postgres_is_single(store, arena, &options.single));
    TRY(postgres_survey(arena, &options, &survey));
    if (survey.waits_for_none)
        return error_local(arena,
                           "%.*s is a store for more than one copy, and its server's commits wait "
                           "for no standby: set synchronous_standby_names on every server that may "
                           "become the primary; or, if one copy will do, say gramme store init "
                           "--single",
                           SLICE_ARGS(server->place));
    for (size_t i = 0; i < survey.count; i++)
        if (survey.settings[i].wrong != NULL)
            log_warning("%.*s has %.*s = %.*s: %s", SLICE_ARGS(server->place),
                        SLICE_ARGS(survey.settings[i].name), SLICE_ARGS(survey.settings[i].value),
                        survey.settings[i].wrong);
    return NULL;
}

/* Of the key that the server was given only what it seals is needed from here on. */
static struct error *open_secrets(struct server *server, struct arena *arena, struct store *store) {
    struct master_key key = {0};
    if (server->config.encrypt_with == NULL)
        return NULL;
    TRY(master_key_read(arena, server->config.encrypt_with, &key));
    struct error *error = shared_secrets_open(arena, store, &key, &server->shared_secrets);
    master_key_release(&key);
    return error;
}

struct error *server_open_remote(struct server *server, struct arena *arena,
                                 struct store **ret_store) {
    struct postgres_store_options options = {
        .url = server->config.store_url, .groups = POSTGRES_ANY_GROUPS, .keeps = true};
    struct slice place;
    TRY(postgres_place(arena, options.url, &place));
    server->place = arena_slice(&server->arena, place);
    TRY(postgres_store_open(arena, &options, engine_keyspaces, KEYSPACE_COUNT, ret_store));
    server_show_store(server, *ret_store);
    struct error *error = sharing_check(server, arena, *ret_store);
    if (error == NULL)
        error = check_settings(server, arena, *ret_store);
    if (error == NULL)
        error = open_secrets(server, arena, *ret_store);
    if (error == NULL)
        error = server_open_node(server, arena, *ret_store);
    if (error == NULL)
        error = take_lead(server, arena, *ret_store);
    server_show_store(server, NULL);
    if (error != NULL)
        store_close(*ret_store);
    return error;
}
