/* world_route.c - paths and bodies to calls of worlds.h.
 *
 * A new world takes some threads, and freeing what a snapshot held takes time, so a worker does all
 * of it. Memory: the exchange's arena. */
#include "server/world_route.h"

#include "base/container.h"
#include "json/reader.h"
#include "pipeline/own_reply.h"
#include "server/state.h"
#include "server/world.h"
#include "server/worlds.h"

struct world_order {
    struct worker_task task;
    struct exchange *exchange;
    struct server *server;
    struct error *(*run)(struct world_order *order);
    struct slice name; /* of a snapshot */
    struct slice key;  /* of a world, with the region; absent: none was named */
    struct slice region;
    struct error *error;
    bool lists;
};

/* ---- what can be asked for ---- */

static struct error *keep(struct world_order *order);
static struct error *reset(struct world_order *order);

static struct arena *arena_of(struct world_order *order) {
    return &order->exchange->arena;
}

static struct error *refused(struct world_order *order, const char *message) {
    return error_validation(arena_of(order), "%s", message);
}

/* Where a member of the body goes; NULL: there is no such. */
static struct slice *member_of(struct world_order *order, struct slice name) {
    if (slice_is(name, "AccessKeyId"))
        return &order->key;
    if (slice_is(name, "Region"))
        return &order->region;
    return slice_is(name, "Name") && order->run == keep ? &order->name : NULL;
}

static struct error *read_members(struct world_order *order, const char *expected) {
    struct json_reader json;
    json_reader_init(&json, order->exchange->request.body, arena_of(order));
    if (json_next(&json) != JSON_OBJECT_BEGIN)
        return refused(order, expected);
    while (json_next(&json) == JSON_NAME) {
        struct slice *to = member_of(order, json.text);
        if (to == NULL || json_next(&json) != JSON_STRING)
            return refused(order, expected);
        *to = arena_slice(arena_of(order), json.text);
    }
    bool whole = json.token == JSON_OBJECT_END && json_next(&json) == JSON_END;
    return whole ? NULL : refused(order, expected);
}

/* Whose world it is about; NULL: the server's own, or all. */
static struct error *find_world(struct world_order *order, const struct world_name **ret_name) {
    const struct server_config *config = &order->server->config;
    *ret_name = NULL;
    if (!slice_present(order->key))
        return slice_present(order->region) ? refused(order, "a Region goes with an AccessKeyId")
                                            : NULL;
    if (!config->name_spaces)
        return refused(order, "access keys share all tables: the server has no --name-spaces");
    if (!slice_present(order->region))
        order->region = slice_text(config->region);
    struct world_name *name = ARENA_NEW(arena_of(order), struct world_name);
    *ret_name = name;
    return world_name_read(order->key, order->region, name)
               ? NULL
               : refused(order, "an AccessKeyId has 1 to 128 bytes, and a Region 1 to 64 small "
                                "letters, digits and dashes");
}

static struct error *read_body(struct world_order *order, const char *expected,
                               const struct world_name **ret_name) {
    if (order->exchange->request.body.len > 0 || order->run == keep)
        TRY(read_members(order, expected));
    TRY(find_world(order, ret_name));
    if (order->run != reset && *ret_name == NULL && order->server->config.name_spaces)
        return refused(order, "with --name-spaces the body must have an AccessKeyId");
    return NULL;
}

static bool is_name(struct slice text) {
    static const char more[] = "-_.";
    for (size_t i = 0; i < text.len; i++) {
        uint8_t c = text.data[i];
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!plain && (c == '\0' || strchr(more, c) == NULL))
            return false;
    }
    /* Clients that tidy paths would ask for another one. */
    bool is_path = slice_is(text, ".") || slice_is(text, "..");
    return text.len >= 1 && text.len <= SNAPSHOT_NAME_MAX && !is_path;
}

static struct error *keep(struct world_order *order) {
    static const char expected[] = "the body must be a JSON object with a Name";
    const struct world_name *world = NULL;
    TRY(read_body(order, expected, &world));
    if (!slice_present(order->name))
        return refused(order, expected);
    if (!is_name(order->name))
        return error_validation(
            arena_of(order),
            "a Name is 1 to %d letters, digits, dots, dashes and underscores, and "
            "not . or ..",
            SNAPSHOT_NAME_MAX);
    return worlds_keep(order->server, arena_of(order), order->name, world);
}

static const char nothing_expected[] =
    "the body must be empty, or a JSON object with AccessKeyId and Region";

static struct error *reset(struct world_order *order) {
    const struct world_name *world = NULL;
    TRY(read_body(order, nothing_expected, &world));
    return worlds_reset(order->server, arena_of(order), world);
}

static struct error *restore(struct world_order *order) {
    const struct world_name *world = NULL;
    TRY(read_body(order, nothing_expected, &world));
    return worlds_restore(order->server, arena_of(order), order->name, world);
}

static struct error *drop(struct world_order *order) {
    return worlds_drop(order->server, arena_of(order), order->name);
}

static struct error *list(struct world_order *order) {
    order->lists = true;
    return NULL;
}

/* ---- the answer ---- */

static void write_list(struct world_order *order, struct json_writer *json) {
    struct snapshot_entry *entries;
    size_t count = worlds_list(order->server, arena_of(order), &entries);
    JSON_NAME_LITERAL(json, "Snapshots");
    json_array_begin(json);
    for (size_t i = 0; i < count; i++) {
        json_object_begin(json);
        member_text(json, "Name", slice_text(entries[i].name));
        JSON_NAME_LITERAL(json, "Made");
        json_timestamp(json, entries[i].made_ms);
        json_object_end(json);
    }
    json_array_end(json);
}

static void answer(struct net_task *task) {
    struct exchange *exchange = container_of(task, struct exchange, task);
    struct world_order *order = exchange->user;
    struct json_writer json;
    own_reply_begin(exchange, &json);
    if (order->lists)
        write_list(order, &json);
    own_reply_end(exchange, &json, order->error);
}

static void run_elsewhere(struct worker_task *task) {
    struct world_order *order = container_of(task, struct world_order, task);
    order->error = order->run(order);
    order->exchange->task.run = answer;
    net_loop_post(order->exchange->loop, &order->exchange->task);
}

/* ---- paths ---- */

/* Of "/NAME" or "/NAME/restore" the name; absent: it is neither. */
static struct slice name_in(struct slice path, struct slice end) {
    if (path.len < end.len + 2 || path.data[0] != '/' ||
        !slice_equal(slice_skip(path, path.len - end.len), end))
        return SLICE_NONE;
    struct slice name = slice_part(path, 1, path.len - 1 - end.len);
    return is_name(name) ? name : SLICE_NONE;
}

static bool take_snapshots(struct world_order *order, struct slice path, bool reads, bool posts) {
    const struct http_request *request = &order->exchange->request;
    if (path.len == 0) {
        order->run = reads ? list : keep;
        return reads || posts;
    }
    bool deletes = slice_is(request->method, "DELETE");
    order->run = deletes ? drop : restore;
    order->name = name_in(path, deletes ? SLICE_LITERAL("") : SLICE_LITERAL("/restore"));
    return slice_present(order->name) && (deletes || posts);
}

static bool take_path(struct world_order *order) {
    const struct http_request *request = &order->exchange->request;
    const struct slice snapshots = SLICE_LITERAL("/_gramme/snapshots");
    bool reads = request->verb == HTTP_VERB_GET || request->verb == HTTP_VERB_HEAD;
    bool posts = request->verb == HTTP_VERB_POST;
    order->run = reset;
    if (slice_is(request->path, "/_gramme/reset"))
        return posts;
    return slice_starts_with(request->path, snapshots) &&
           take_snapshots(order, slice_skip(request->path, snapshots.len), reads, posts);
}

bool world_route_handle(struct exchange *exchange, struct server *server) {
    struct world_order order = {.exchange = exchange, .server = server};
    if (!take_path(&order))
        return false;
    struct world_order *kept = ARENA_NEW(&exchange->arena, struct world_order);
    *kept = order;
    kept->task.run = run_elsewhere;
    exchange->user = kept;
    workers_submit(server->workers, &kept->task);
    return true;
}
