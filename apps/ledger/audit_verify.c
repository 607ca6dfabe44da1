/* audit_verify.c - walks the audit trail from its first entry, or from one that was noted earlier,
 * to its head.
 *
 * Each entry is to have the next number, the digest of the one before, and the digest that its own
 * content makes; the last one is to be the head's. Who can write the table can also make all of it
 * anew, with another head: that shows by a note of an earlier head, DAY/NUMBER/DIGEST, which is
 * what a walk ends with. */
#include "audit_verify.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit_trail.h"
#include "common/service_reply.h"

enum { PROBLEM_SIZE = 200, NOTE_SIZE = 128 };

struct walk {
    struct app *app;
    struct audit_reader reader;
    int64_t number; /* of the entry before, and its digest; at first of the note */
    char digest[AUDIT_DIGEST_SIZE];
    char day[AUDIT_DAY_SIZE];
    int64_t checked;
    int64_t gaps;
    char gap[PROBLEM_SIZE];     /* the first one */
    char problem[PROBLEM_SIZE]; /* "": none */
    char note[NOTE_SIZE];       /* of the last entry that is right */
};

static bool find_wrong(struct walk *walk, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool find_wrong(struct walk *walk, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(walk->problem, sizeof(walk->problem), format, arguments);
    va_end(arguments);
    return false;
}

static bool find_missing(struct walk *walk, int64_t first, int64_t last, const char *where) {
    if (first == last)
        return find_wrong(walk, "entry %" PRId64 " is missing%s", first, where);
    return find_wrong(walk, "entries %" PRId64 " to %" PRId64 " are missing%s", first, last, where);
}

static bool find_behind(struct walk *walk, int64_t last, int64_t head) {
    return find_wrong(walk, "there is entry %" PRId64 ", and the head says %" PRId64, last, head);
}

static void set_note(struct walk *walk) {
    snprintf(walk->note, sizeof(walk->note), "%s/%" PRId64 "/%s", walk->day, walk->number,
             walk->digest);
}

/* ---- entries ---- */

static void count_gap(struct walk *walk, const struct audit_entry *entry) {
    if (walk->gaps++ == 0)
        snprintf(walk->gap, sizeof(walk->gap),
                 "a gap before entry %" PRId64 ": changes from %s to %s may be missing",
                 entry->number + 1, entry->changed_at, entry->recorded_at);
}

/* False when something is wrong. */
static bool check_entry(struct walk *walk, const struct audit_entry *entry) {
    if (entry->number > walk->number + 1)
        return find_missing(walk, walk->number + 1, entry->number - 1, "");
    if (!walk->reader.sound || !audit_entry_is_sealed(entry))
        return find_wrong(walk, "entry %" PRId64 " was changed", entry->number);
    if (entry->number != walk->number + 1 || strcmp(entry->previous, walk->digest) != 0)
        return find_wrong(walk, "entry %" PRId64 " does not follow entry %" PRId64, entry->number,
                          walk->number);
    walk->number = entry->number;
    memcpy(walk->digest, entry->digest, sizeof(walk->digest));
    snprintf(walk->day, sizeof(walk->day), "%.10s", entry->recorded_at);
    walk->checked++;
    if (strcmp(entry->event, "GAP") == 0)
        count_gap(walk, entry);
    set_note(walk);
    return true;
}

/* To the head as it was when the walk began. False when it cannot be read, or something is wrong.
 */
static bool check_entries(struct walk *walk, const struct audit_head *head) {
    while (walk->number < head->number) {
        const struct audit_entry *entry = audit_next(&walk->reader);
        if (entry == NULL && ddb_client_error(app_client(walk->app)) != NULL)
            return false;
        if (entry == NULL)
            return find_missing(walk, walk->number + 1, head->number, " at the end");
        if (!check_entry(walk, entry))
            return false;
    }
    if (walk->number > head->number)
        return find_behind(walk, walk->number, head->number);
    return strcmp(walk->digest, head->digest) == 0 ||
           find_wrong(walk, "the head is not that of entry %" PRId64, head->number);
}

/* One more, if there is one, came with a head of its own: the head was not set back. */
static bool check_behind(struct walk *walk) {
    const struct audit_entry *entry = audit_next(&walk->reader);
    struct audit_head now;
    if (entry == NULL)
        return ddb_client_error(app_client(walk->app)) == NULL;
    bool ok = audit_head_read(walk->app, &now) &&
              (now.number >= entry->number || find_behind(walk, entry->number, now.number));
    audit_head_release(&now);
    return ok;
}

/* ---- where it begins and ends ---- */

static bool read_note(struct app *app, const char *note, struct walk *walk) {
    char day[TIMESTAMP_SIZE] = "";
    int used = 0;
    if (sscanf(note, "%10[-0-9]/%18" SCNd64 "/%64[0-9a-f]%n", day, &walk->number, walk->digest,
               &used) == 3 &&
        used > 0 && note[used] == '\0' && walk->number > 0 && strlen(walk->digest) == 64 &&
        timestamp_parse_day(day, &walk->reader.day_ms)) {
        snprintf(walk->day, sizeof(walk->day), "%.10s", day);
        return true;
    }
    app_bad_usage(app, "--after takes what a walk ended with, DAY/NUMBER/DIGEST, not '%s'", note);
    return false;
}

/* The noted entry has to be there still, as it was. */
static bool check_note(struct walk *walk) {
    char digest[AUDIT_DIGEST_SIZE];
    int64_t number = walk->number;
    memcpy(digest, walk->digest, sizeof(digest));
    walk->reader.after = number - 1;
    const struct audit_entry *entry = audit_next(&walk->reader);
    if (entry == NULL && ddb_client_error(app_client(walk->app)) != NULL)
        return false;
    if (entry == NULL || entry->number != number)
        return find_missing(walk, number, number, "");
    if (strcmp(entry->digest, digest) != 0)
        return find_wrong(walk, "entry %" PRId64 " is another one than was noted", number);
    set_note(walk);
    return true;
}

/* False, with a message, when it cannot be done; what is wrong is in `walk->problem`. */
static bool walk_trail(struct walk *walk, const char *note) {
    struct audit_head head;
    bool ok = audit_head_read(walk->app, &head);
    /* A clock may have been ahead once: then the days are, too. */
    if (!timestamp_parse(head.recorded_at, &walk->reader.last_day_ms) ||
        walk->reader.last_day_ms < timestamp_now_ms())
        walk->reader.last_day_ms = timestamp_now_ms();
    walk->reader.last_day_ms += DAY_MS;
    if (note == NULL) {
        memset(walk->digest, '0', sizeof(walk->digest) - 1);
        ok = ok && (!head.found || timestamp_parse_day(head.first_day, &walk->reader.day_ms) ||
                    find_wrong(walk, "the head tells no first day"));
    }
    if (ok && !head.found)
        app_fail(walk->app, "there is no audit trail yet; `gramme-ledger serve` keeps it");
    ok = ok && head.found && (note == NULL || check_note(walk)) && check_entries(walk, &head) &&
         check_behind(walk);
    audit_head_release(&head);
    audit_reader_release(&walk->reader);
    return ok || *walk->problem != '\0';
}

/* ---- the command, and over HTTP ---- */

const struct app_option audit_verify_options[] = {
    {"after", "NOTE", "begins behind an entry that was noted: what an earlier run ended with",
     false},
    {0},
};

enum app_status audit_verify(struct app *app) {
    struct walk walk = {.app = app, .reader = {.app = app}};
    const char *note = app_option(app, "after", NULL);
    if (note != NULL && !read_note(app, note, &walk))
        return APP_USAGE;
    if (!walk_trail(&walk, note))
        return APP_FAILED;
    if (*walk.problem != '\0')
        printf("%s\n", walk.problem);
    if (walk.gaps > 0)
        printf("%s\n", walk.gap);
    printf("%" PRId64 " entries are right, %" PRId64 " gaps; note %s\n", walk.checked, walk.gaps,
           walk.note);
    return *walk.problem == '\0' && walk.gaps == 0 ? APP_OK : APP_FAILED;
}

const struct service_parameter audit_verify_parameters[] = {
    {"after", SERVICE_QUERY, SERVICE_STRING, false, "`note` of an earlier answer"},
    {0},
};

enum app_status get_audit_verification(struct service_call *call) {
    struct walk walk = {.app = call->app, .reader = {.app = call->app}};
    const char *note = service_query(call, "after", NULL);
    if (note != NULL && !read_note(call->app, note, &walk))
        return APP_USAGE;
    if (!walk_trail(&walk, note))
        return reply_failure(call);
    ddb_item_set_int(call->reply, "entries", walk.checked);
    ddb_item_set_int(call->reply, "gaps", walk.gaps);
    ddb_item_set_bool(call->reply, "right", *walk.problem == '\0' && walk.gaps == 0);
    ddb_item_set_string(call->reply, "note", walk.note);
    if (*walk.problem != '\0')
        ddb_item_set_string(call->reply, "problem", walk.problem);
    if (walk.gaps > 0)
        ddb_item_set_string(call->reply, "gap", walk.gap);
    return APP_OK;
}
