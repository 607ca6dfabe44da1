/* traffic.c - what all traffic shares: asking, noting, names. */
#include "traffic.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

#include "common/random.h"
#include "common/timestamp.h"
#include "systems.h"
#include "web.h"

struct traffic_answer traffic_ask(int system, const char *method, const char *path,
                                  const char *body) {
    char url[CHILD_ADDRESS_SIZE + TRAFFIC_PATH_SIZE];
    struct web_reply reply;
    snprintf(url, sizeof(url), "%s%s", systems[system].child.address, path);
    web_ask(method, url, body, &reply);
    struct traffic_answer answer = {.status = reply.status, .holder = web_document(&reply)};
    answer.document = ddb_item_map(answer.holder, "document");
    web_reply_free(&reply);
    return answer;
}

void traffic_note(int system, enum event_tone tone, const char *what, const char *outcome,
                  const struct traffic_answer *answer) {
    if (outcome == NULL)
        outcome = ddb_item_string(answer->document, "error", "no answer");
    events_add(&(struct event){system, tone, what, outcome});
}

void traffic_done(struct traffic_answer *answer) {
    ddb_item_free(answer->holder);
}

int traffic_pick(int limit) {
    return (int)(random_u64() % (unsigned)limit);
}

void traffic_name(char *ret_name, size_t size) {
    static atomic_uint_fast64_t count;
    static _Atomic int64_t start_s;
    int64_t unset = 0;
    atomic_compare_exchange_strong(&start_s, &unset, timestamp_now_ms() / 1000);
    snprintf(ret_name, size, "%" PRId64 "-%" PRIuFAST64, atomic_load(&start_s),
             atomic_fetch_add(&count, 1) + 1);
}

void traffic_pause(int ms) {
    nanosleep(&(struct timespec){.tv_nsec = ms * 1000000L}, NULL);
}
