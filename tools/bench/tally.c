/* tally.c - see tally.h. */
#include "bench/tally.h"

#include <stdio.h>

void tally_init(struct tally *tally) {
    memset(tally, 0, sizeof(*tally));
    for (size_t i = 0; i < WORKLOAD_KINDS_MAX; i++)
        histogram_init(&tally->kinds[i].latency);
}

static void add_type(struct tally *tally, const char *name, uint64_t count) {
    size_t at = 0;
    while (at < tally->type_count && strcmp(tally->types[at].name, name) != 0)
        at++;
    if (at == TALLY_TYPES_MAX) {
        at = TALLY_TYPES_MAX - 1;
        snprintf(tally->types[at].name, TALLY_TYPE_CHARS, "others");
    } else if (at == tally->type_count) {
        tally->type_count++;
        snprintf(tally->types[at].name, TALLY_TYPE_CHARS, "%s", name);
    }
    tally->types[at].count += count;
}

static void keep_first(struct tally *tally, uint64_t now_ns, const char *text) {
    if (text[0] == '\0' || (tally->first_error[0] != '\0' && tally->first_error_ns <= now_ns))
        return;
    tally->first_error_ns = now_ns;
    snprintf(tally->first_error, sizeof(tally->first_error), "%s", text);
}

/* What a server says may be anything; what is shown and written as JSON is plain text. */
static void make_printable(char *text) {
    for (; *text != '\0'; text++)
        if (*text < ' ' || *text > '~')
            *text = '?';
}

void tally_error(struct tally *tally, const struct tally_error *error) {
    char name[TALLY_TYPE_CHARS], text[TALLY_TEXT_CHARS];
    snprintf(name, sizeof(name), "%.*s", SLICE_ARGS(error->type));
    make_printable(name);
    if (tally->first_error[0] == '\0') {
        snprintf(text, sizeof(text), slice_present(error->text) ? "%s: %.*s" : "%s%.*s", name,
                 (int)error->text.len, (const char *)error->text.data);
        make_printable(text);
        keep_first(tally, error->now_ns, text);
    }
    if (!error->counts)
        return;
    add_type(tally, name, 1);
    tally_add(&tally->errors, 1);
    if (error->kind >= 0)
        tally_add(&tally->kinds[error->kind].errors, 1);
}

void tally_merge(struct tally *tally, const struct tally *from) {
    for (size_t i = 0; i < WORKLOAD_KINDS_MAX; i++) {
        struct kind_tally *kind = &tally->kinds[i];
        const struct kind_tally *other = &from->kinds[i];
        histogram_merge(&kind->latency, &other->latency);
        tally_add(&kind->errors, tally_get(&other->errors));
        tally_add(&kind->misses, tally_get(&other->misses));
        tally_add(&kind->unprocessed, tally_get(&other->unprocessed));
    }
    tally_add(&tally->errors, tally_get(&from->errors));
    tally_add(&tally->warmup, tally_get(&from->warmup));
    tally->behind += from->behind;
    for (size_t i = 0; i < from->type_count; i++)
        add_type(tally, from->types[i].name, from->types[i].count);
    keep_first(tally, from->first_error_ns, from->first_error);
}

uint64_t tally_replies(const struct tally *tally) {
    uint64_t replies = 0;
    for (size_t i = 0; i < WORKLOAD_KINDS_MAX; i++)
        replies += histogram_total(&tally->kinds[i].latency);
    return replies;
}
