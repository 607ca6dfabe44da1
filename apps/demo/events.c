/* events.c - see events.h: a ring for each system. */
#include "events.h"

#include <inttypes.h>
#include <pthread.h>
#include <string.h>

#include "common/document.h"
#include "common/timestamp.h"
#include "systems.h"

struct record {
    int64_t time_ms;
    enum event_tone tone;
    char what[EVENT_TEXT_SIZE];
    char outcome[EVENT_TEXT_SIZE];
};

static struct {
    struct record records[EVENTS_KEPT];
    uint64_t count;
} rings[SYSTEM_COUNT];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* As much of the text as there is room for, without half a character at its end. */
static void copy_text(char to[EVENT_TEXT_SIZE], const char *text) {
    size_t size = strnlen(text, EVENT_TEXT_SIZE);
    if (size == EVENT_TEXT_SIZE)
        for (size--; size > 0 && ((unsigned char)text[size] & 0xC0) == 0x80;)
            size--;
    memcpy(to, text, size);
    to[size] = '\0';
}

void events_add(const struct event *event) {
    pthread_mutex_lock(&lock);
    struct record *record =
        &rings[event->system].records[rings[event->system].count++ % EVENTS_KEPT];
    record->time_ms = timestamp_now_ms();
    record->tone = event->tone;
    copy_text(record->what, event->what);
    copy_text(record->outcome, event->outcome);
    pthread_mutex_unlock(&lock);
}

void events_write(FILE *out, int system) {
    static const char *const tones[] = {[EVENT_GOOD] = "good",
                                        [EVENT_BAD] = "bad",
                                        [EVENT_WAITING] = "waiting",
                                        [EVENT_PLAIN] = "plain"};
    pthread_mutex_lock(&lock);
    uint64_t count = rings[system].count, shown = count < EVENTS_KEPT ? count : EVENTS_KEPT;
    fputc('[', out);
    for (uint64_t i = 0; i < shown; i++) {
        const struct record *record = &rings[system].records[(count - 1 - i) % EVENTS_KEPT];
        fprintf(out, "%s{\"number\":%" PRIu64 ",\"time\":%" PRId64 ",\"tone\":\"%s\",\"what\":",
                i == 0 ? "" : ",", count - i, record->time_ms, tones[record->tone]);
        document_write_text(out, record->what);
        fputs(",\"outcome\":", out);
        document_write_text(out, record->outcome);
        fputc('}', out);
    }
    fputc(']', out);
    pthread_mutex_unlock(&lock);
}
