/* identity.c - see identity.h.
 *
 * What the process prints is secret: no message repeats any of it. */
#include "client/identity.h"

#include <stdio.h>

#include "base/date.h"
#include "base/secret.h"
#include "client/credentials.h"
#include "client/process.h"
#include "json/reader.h"

enum {
    OUTPUT_MAX = 64 * 1024,
    EARLY_S = 60, /* before they expire: requests are under way for a while */
    PAUSE_S = 10, /* after a failure, while the old ones are still good */
    PROCESS_TIMEOUT_MS = 60000,
};

void identity_init(struct identity *identity, const struct settings *settings) {
    *identity = (struct identity){.settings = settings, .credentials = settings->credentials};
    identity->expires_s = settings->process == NULL ? INT64_MAX : 0;
    arena_init(&identity->arena);
}

void identity_release(struct identity *identity) {
    arena_release(&identity->arena);
}

/* ---- reading ---- */

struct printed {
    int64_t version;
    const char *expiration;
    struct credentials *credentials;
};

/* NULL is absent, as null is. */
static const char *text_of(struct arena *arena, const struct json_reader *reader) {
    if (reader->token != JSON_STRING || memchr(reader->text.data, 0, reader->text.len) != NULL)
        return NULL;
    return (const char *)arena_printf(arena, "%.*s", SLICE_ARGS(reader->text)).data;
}

static void read_member(struct arena *arena, const struct json_reader *reader, struct slice name,
                        struct printed *printed) {
    if (slice_is(name, "Version"))
        printed->version = reader->token == JSON_INTEGER && slice_is(reader->text, "1");
    else if (slice_is(name, "AccessKeyId"))
        printed->credentials->id = text_of(arena, reader);
    else if (slice_is(name, "SecretAccessKey"))
        printed->credentials->secret = text_of(arena, reader);
    else if (slice_is(name, "SessionToken"))
        printed->credentials->token = text_of(arena, reader);
    else if (slice_is(name, "Expiration"))
        printed->expiration = text_of(arena, reader);
}

static bool read_members(struct arena *arena, struct slice output, struct printed *printed) {
    struct json_reader reader;
    json_reader_init(&reader, output, arena);
    if (json_next(&reader) != JSON_OBJECT_BEGIN)
        return false;
    while (json_next(&reader) == JSON_NAME) {
        struct slice name = reader.text;
        json_next(&reader);
        read_member(arena, &reader, name, printed);
        json_skip(&reader);
    }
    return json_finish(&reader);
}

/* 2026-10-17T08:30:00, then perhaps .123, then Z or +01:00. */
static bool read_time(const char *text, int64_t *ret_seconds) {
    enum { TIME_CHARS = 19 };
    char utc[TIME_CHARS + 2];
    int hours = 0, minutes = 0, used = 0;
    if (strlen(text) <= TIME_CHARS)
        return false;
    memcpy(utc, text, TIME_CHARS);
    memcpy(utc + TIME_CHARS, "Z", 2);
    if (!date_read(slice_text(utc), ret_seconds))
        return false;
    const char *zone = text + TIME_CHARS;
    zone += *zone == '.' ? 1 + strspn(zone + 1, "0123456789") : 0;
    if (strcmp(zone, "Z") == 0)
        return true;
    if ((*zone != '+' && *zone != '-') ||
        sscanf(zone + 1, "%2d:%2d%n", &hours, &minutes, &used) != 2 || zone[1 + used] != '\0')
        return false;
    *ret_seconds -= (*zone == '-' ? -1 : 1) * (hours * 3600 + minutes * 60);
    return true;
}

const char *identity_read(struct arena *arena, struct slice output,
                          struct credentials *ret_credentials, int64_t *ret_expires_s) {
    struct credentials found = {0};
    struct printed printed = {.credentials = &found};
    if (!read_members(arena, output, &printed) || printed.version != 1)
        return "does not print JSON with \"Version\": 1";
    if (found.id == NULL || found.secret == NULL)
        return "prints no AccessKeyId or no SecretAccessKey";
    if (credentials_problem(&found) != NULL)
        return "prints credentials with a blank or a character that is not ASCII";
    *ret_expires_s = INT64_MAX;
    if (printed.expiration != NULL && !read_time(printed.expiration, ret_expires_s))
        return "prints an Expiration that is no time";
    *ret_credentials = found;
    return NULL;
}

/* ---- asking ---- */

/* The new keys take the place of the old ones only when all is well. */
static const char *ask(struct identity *identity, struct arena *arena, int64_t now_s,
                       int64_t timeout_ms) {
    struct credentials found;
    int64_t expires_s;
    struct arena kept;
    struct buffer output;
    char **words = process_words(arena, identity->settings->process);
    if (words == NULL)
        return "is no command: a quote is not closed";
    arena_init(&kept);
    buffer_init(&output, OUTPUT_MAX);
    const char *problem = process_run(arena, words, timeout_ms, &output);
    if (problem == NULL)
        problem = identity_read(&kept, buffer_slice(&output), &found, &expires_s);
    if (problem == NULL && expires_s <= now_s)
        problem = "prints credentials that have expired already";
    if (output.len > 0)
        secret_wipe(output.data, output.len);
    buffer_release(&output);
    if (problem != NULL) {
        arena_release(&kept);
        return problem;
    }
    arena_release(&identity->arena);
    identity->arena = kept;
    found.region = identity->credentials.region;
    found.service = identity->credentials.service;
    identity->credentials = found;
    identity->expires_s = expires_s;
    return NULL;
}

const char *identity_refresh(struct identity *identity, struct arena *arena, int64_t now_s,
                             int64_t timeout_ms, bool *ret_new) {
    *ret_new = false;
    if (identity->expires_s == INT64_MAX || now_s < identity->expires_s - EARLY_S)
        return NULL;
    bool still_good = now_s < identity->expires_s;
    if (still_good && now_s < identity->ask_again_s)
        return NULL;
    if (timeout_ms > PROCESS_TIMEOUT_MS)
        timeout_ms = PROCESS_TIMEOUT_MS;
    const char *problem = ask(identity, arena, now_s, timeout_ms);
    *ret_new = problem == NULL;
    identity->ask_again_s = now_s + PAUSE_S;
    if (problem == NULL || still_good)
        return NULL;
    return (const char *)arena_printf(arena, "the credential_process of profile \"%s\" %s",
                                      identity->settings->profile, problem)
        .data;
}
