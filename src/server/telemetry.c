/* telemetry.c - what is known of a server at this moment, family by family. */
#include "server/telemetry.h"

#include "admin/control.h"
#include "base/clock.h"
#include "engine/engine.h"
#include "pipeline/pipeline.h"
#include "prometheus/meter_page.h"
#include "prometheus/process.h"
#include "relay/relay.h"
#include "server/reading.h"
#include "server/standby.h"

static void write_build(const struct telemetry *telemetry, struct exposition *to) {
    struct slice program = slice_text(telemetry->program);
    const uint8_t *blank = memchr(program.data, ' ', program.len);
    if (blank != NULL)
        program = slice_skip(program, (size_t)(blank + 1 - program.data));
    struct exposition_labels labels = labels_with(NO_LABELS, "version", program);
    labels = labels_with(labels, "store", slice_text(telemetry->store->engine->name));
    exposition_family(to, "gramme_build_info", EXPOSITION_GAUGE, "Which gramme this is.");
    exposition_sample(to, "", &labels, 1);
    exposition_single(to, "gramme_uptime_seconds", EXPOSITION_GAUGE, "Since the server started.",
                      (double)(clock_now_ms(&system_clock) - telemetry->started_ms) / 1000);
}

static void write_connections(const struct telemetry *telemetry, struct exposition *to) {
    struct endpoint_stats stats = endpoint_stats(telemetry->endpoint);
    exposition_single(to, "gramme_connections", EXPOSITION_GAUGE, "Open connections.",
                      (double)stats.connections);
    exposition_single(to, "gramme_connections_accepted", EXPOSITION_COUNTER,
                      "Connections since the start.", (double)stats.connections_accepted);
    exposition_single(to, "gramme_connections_refused", EXPOSITION_COUNTER,
                      "Connections over the limit.", (double)stats.connections_refused);
    exposition_single(to, "gramme_http_requests", EXPOSITION_COUNTER,
                      "Complete HTTP requests, whatever they asked for.", (double)stats.requests);
}

static void write_by(struct exposition *to, const char *label, const char *const names[2],
                     const double values[2]) {
    for (int i = 0; i < 2; i++) {
        struct exposition_labels labels = labels_with(NO_LABELS, label, slice_text(names[i]));
        exposition_sample(to, "", &labels, values[i]);
    }
}

/* Of requests: what comes in, and what is made of it. */
static void write_memory(const struct telemetry *telemetry, struct exposition *to) {
    static const char *const budgets[] = {"input", "work"};
    struct endpoint_stats stats = endpoint_stats(telemetry->endpoint);
    exposition_family(to, "gramme_request_memory_bytes", EXPOSITION_GAUGE,
                      "Memory that requests take of their budgets.");
    write_by(to, "budget", budgets,
             (const double[]){(double)stats.memory_bytes, (double)stats.work_bytes});
    exposition_family(to, "gramme_request_memory_limit_bytes", EXPOSITION_GAUGE, "These budgets.");
    write_by(to, "budget", budgets,
             (const double[]){(double)stats.memory_bytes_max, (double)stats.work_bytes_max});
}

static void write_backups(const struct telemetry *telemetry, struct exposition *to) {
    static const char *const outcomes[] = {"done", "failed"};
    const struct control_tally *backups = telemetry->backups;
    exposition_family(to, "gramme_backups", EXPOSITION_COUNTER,
                      "Backups of everything, taken while the server runs.");
    write_by(to, "outcome", outcomes,
             (const double[]){(double)atomic_load(&backups->done),
                              (double)atomic_load(&backups->failed)});
    exposition_single(to, "gramme_backup_last_done_timestamp_seconds", EXPOSITION_GAUGE,
                      "When the last one was finished; 0: there was none since the start.",
                      (double)atomic_load(&backups->last_done_ms) / 1000);
}

static void write_queues(const struct telemetry *telemetry, struct exposition *to) {
    size_t queued = 0;
    uint64_t damaged = 0;
    for (size_t i = 0; i < telemetry->part_count; i++) {
        queued += engine_queue_length(telemetry->parts[i].engine);
        damaged += engine_damage_found(telemetry->parts[i].engine);
    }
    exposition_single(to, "gramme_commit_queue_length", EXPOSITION_GAUGE,
                      "Jobs that wait for the commit thread.", (double)queued);
    exposition_single(to, "gramme_worker_queue_length", EXPOSITION_GAUGE,
                      "Long reads that wait for a worker.",
                      (double)workers_queue_length(telemetry->workers));
    exposition_single(to, "gramme_damaged_reads", EXPOSITION_COUNTER,
                      "Records that were read and are not what was written.", (double)damaged);
}

static void write_store(const struct telemetry *telemetry, struct arena *arena,
                        struct exposition *to) {
    struct store_statistic list[STORE_STATISTICS_MAX];
    size_t count = telemetry->store == NULL ? 0 : store_statistics(telemetry->store, arena, list);
    for (size_t i = 0; i < count; i++) {
        struct slice name = arena_printf(arena, "gramme_store_%s", list[i].name);
        exposition_single(to, (const char *)name.data, EXPOSITION_GAUGE, list[i].help,
                          list[i].value);
    }
}

/* ---- one of several servers ---- */

static void write_role(const char *role, struct exposition *to) {
    static const char *const roles[] = {"leading", "serving", "waiting"};
    exposition_family(to, "gramme_role", EXPOSITION_GAUGE,
                      "What this server does on the store it shares: 1, and 0 what it does not.");
    for (size_t i = 0; i < sizeof(roles) / sizeof(roles[0]); i++) {
        struct exposition_labels labels = labels_with(NO_LABELS, "role", slice_text(roles[i]));
        exposition_sample(to, "", &labels, strcmp(role, roles[i]) == 0);
    }
}

static void write_relay(const struct relay_tally *relay, struct exposition *to) {
    const struct {
        const char *name, *help;
        uint64_t value;
    } counters[] = {
        {"gramme_relay_requests", "Requests handed on to the server that leads.",
         atomic_load(&relay->sent)},
        {"gramme_relay_answered", "Of these, those that it answered.",
         atomic_load(&relay->answered)},
        {"gramme_relay_repeated", "Of these, not for the first time.",
         atomic_load(&relay->repeated)},
        {"gramme_relay_waits", "Requests that waited because no server led.",
         atomic_load(&relay->waited)},
        {"gramme_relay_given_up", "Of these, those that waited in vain.",
         atomic_load(&relay->given_up)},
        {"gramme_relay_in_doubt", "Writes handed on whose answer was lost.",
         atomic_load(&relay->doubtful)},
    };
    for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++)
        exposition_single(to, counters[i].name, EXPOSITION_COUNTER, counters[i].help,
                          (double)counters[i].value);
    exposition_single(to, "gramme_relay_waiting", EXPOSITION_GAUGE,
                      "Requests that wait for a leader now, or for a connection to it.",
                      (double)atomic_load(&relay->waiting));
}

static void write_node(const struct telemetry *telemetry, struct exposition *to) {
    if (telemetry->relay == NULL)
        return;
    write_role(telemetry->role, to);
    write_relay(telemetry->relay, to);
}

static void write_reading(const struct reading *reading, struct exposition *to) {
    if (reading == NULL)
        return;
    exposition_single(to, "gramme_follower_reads", EXPOSITION_COUNTER,
                      "Requests that were answered here though another server leads.",
                      (double)reading_confirmed(reading));
    exposition_single(to, "gramme_follower_reads_anew", EXPOSITION_COUNTER,
                      "Requests that started anew because something had changed meanwhile.",
                      (double)reading_anew(reading));
    exposition_single(
        to, "gramme_catalog_reloads", EXPOSITION_COUNTER,
        "How often the leader had changed tables, users or keys that were known here.",
        (double)reading_reloads(reading));
}

static void write_standby(struct standby *standby, struct exposition *to) {
    if (standby == NULL)
        return;
    const struct eventual *eventual = standby_eventual(standby);
    exposition_single(to, "gramme_standby_reads", EXPOSITION_COUNTER,
                      "Reads that went to the standby.", (double)atomic_load(&eventual->reads));
    exposition_single(to, "gramme_standby_reads_failed", EXPOSITION_COUNTER,
                      "Requests that went to the primary after all.",
                      (double)atomic_load(&eventual->failures));
    exposition_single(to, "gramme_standby_usable", EXPOSITION_GAUGE,
                      "1 while the standby is read, 0 while everything is read from the primary.",
                      eventual_is_usable(eventual));
    exposition_single(to, "gramme_standby_lag_seconds", EXPOSITION_GAUGE,
                      "How far it is behind; -1: nobody knows.", standby_lag_s(standby));
}

struct slice telemetry_write_following(const struct telemetry *telemetry, struct slice accept,
                                       struct buffer *out) {
    struct arena CLEANUP(arena_release) arena;
    struct exposition to = {.out = out, .open_metrics = exposition_wants_open_metrics(accept)};
    arena_init(&arena);
    write_node(telemetry, &to);
    write_reading(telemetry->reading, &to);
    if (telemetry->reading != NULL)
        write_standby(reading_standby(telemetry->reading), &to);
    write_store(telemetry, &arena, &to);
    write_connections(telemetry, &to);
    write_memory(telemetry, &to);
    process_page_write(&to);
    exposition_end(&to);
    return exposition_content_type(to.open_metrics);
}

/* ---- tables ---- */

static void write_count(struct exposition *to, const struct exposition_labels *labels,
                        const struct table_stats *stats, bool bytes) {
    struct table_count total = table_stats_total(stats);
    exposition_sample(to, "", labels, (double)(bytes ? total.bytes : total.items));
}

static void write_counts_of(struct exposition *to, const struct telemetry_part *part, bool bytes) {
    struct table *const *tables;
    struct exposition_labels all = labels_with(NO_LABELS, "name_space", part->name_space);
    size_t count = catalog_tables(part->catalog, &tables);
    for (size_t i = 0; i < count && i < METER_TABLES_MAX; i++) {
        const struct table_definition *table = &tables[i]->definition;
        struct exposition_labels labels = labels_with(all, "table", table->name);
        write_count(to, &labels, tables[i]->stats, bytes);
        for (size_t j = 0; j < table->index_count; j++) {
            struct exposition_labels of_index =
                labels_with(labels, "index", table->indexes[j].name);
            write_count(to, &of_index, tables[i]->index_stats[j], bytes);
        }
    }
}

static void write_numbers_of_tables(const struct telemetry *telemetry, struct exposition *to) {
    struct table *const *tables;
    exposition_family(to, "gramme_tables", EXPOSITION_GAUGE, "Tables there are.");
    for (size_t i = 0; i < telemetry->part_count; i++) {
        const struct telemetry_part *part = &telemetry->parts[i];
        struct exposition_labels labels = labels_with(NO_LABELS, "name_space", part->name_space);
        exposition_sample(to, "", &labels, (double)catalog_tables(part->catalog, &tables));
    }
}

/* How many of the parts are told table by table: together no more tables than meters tell apart,
 * and the server's own in any case. */
static size_t parts_in_detail(const struct telemetry *telemetry) {
    struct table *const *tables;
    size_t count = 0;
    for (size_t i = 0; i < telemetry->part_count; i++) {
        count += catalog_tables(telemetry->parts[i].catalog, &tables);
        if (i > 0 && count > METER_TABLES_MAX)
            return i;
    }
    return telemetry->part_count;
}

static void write_tables(const struct telemetry *telemetry, struct exposition *to) {
    size_t parts = parts_in_detail(telemetry);
    if (telemetry->has_name_spaces)
        exposition_single(to, "gramme_name_spaces", EXPOSITION_GAUGE,
                          "Name spaces that are open, each an access key in a region.",
                          (double)telemetry->part_count - 1);
    write_numbers_of_tables(telemetry, to);
    exposition_family(to, "gramme_table_items", EXPOSITION_GAUGE,
                      "Items of a table, or entries of an index.");
    for (size_t i = 0; i < parts; i++)
        write_counts_of(to, &telemetry->parts[i], false);
    exposition_family(to, "gramme_table_bytes", EXPOSITION_GAUGE, "Their size.");
    for (size_t i = 0; i < parts; i++)
        write_counts_of(to, &telemetry->parts[i], true);
}

static void write_meters(const struct telemetry *telemetry, struct arena *arena,
                         struct exposition *to) {
    size_t count = telemetry->part_count, told = parts_in_detail(telemetry);
    struct meter_page_part *parts = ARENA_ARRAY(arena, struct meter_page_part, count);
    for (size_t i = 0; i < count; i++) {
        parts[i].name_space = telemetry->parts[i].name_space;
        parts[i].untold = i >= told;
        meters_read(telemetry->parts[i].meters, arena, false, &parts[i].sums);
    }
    meter_page_write(to, parts, count, telemetry->names);
}

struct slice telemetry_write(const struct telemetry *telemetry, struct slice accept,
                             struct buffer *out) {
    struct arena CLEANUP(arena_release) arena;
    struct exposition to = {.out = out, .open_metrics = exposition_wants_open_metrics(accept)};
    arena_init(&arena);
    write_build(telemetry, &to);
    write_meters(telemetry, &arena, &to);
    write_tables(telemetry, &to);
    write_queues(telemetry, &to);
    write_connections(telemetry, &to);
    write_memory(telemetry, &to);
    write_backups(telemetry, &to);
    write_node(telemetry, &to);
    write_store(telemetry, &arena, &to);
    process_page_write(&to);
    exposition_end(&to);
    return exposition_content_type(to.open_metrics);
}
