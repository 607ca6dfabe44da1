/* fetcher.c - reads that nobody waits for, many in one statement.
 *
 * A thread with a connection of its own: what has been started when it looks becomes one batch, a
 * statement with the keys of all. Several batches are under way at once, so that nobody waits for
 * the answers of others; only so many, so that under load the next one gathers more keys, and a
 * statement with sixteen keys costs the server little more than one with two.
 *
 * A connection that is lost takes nothing along: what was under way is sent again on the next one,
 * before what came later, until its time is over.
 *
 * Memory: a batch has an arena; its result is shared by the transactions whose values are in it.
 * Threads: fetches are started by any; all else is the thread's own. It starts with the first. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/check.h"
#include "base/clock.h"
#include "store/postgres/internal.h"

enum {
    BATCHES_MAX = 8, /* under way at once */
    BATCH_KEYS_MAX = 100,
};

/* Fetches in the order in which they came. */
struct fetch_list {
    struct store_fetch *first, **end;
};

/* One statement and its sync. */
struct fetch_batch {
    struct arena arena;
    struct fetch_list fetches;
    size_t fetch_count;
    struct gets gets;
    PGresult *result;     /* once it has come */
    uint64_t deadline_ns; /* a server that has said nothing until then is lost */
};

struct fetcher {
    struct postgres_store *store;
    pthread_mutex_t lock;
    struct fetch_list waiting; /* under the lock, as the next four */
    bool sleeps;               /* and wants to be woken by who starts a fetch */
    bool runs, stops;
    struct fetcher_counts counts;
    int wake; /* an eventfd */
    pthread_t thread;
    struct session *session; /* from here on of the thread; NULL: lost, or not made yet */
    struct fetch_batch batches[BATCHES_MAX];
    size_t oldest, under_way; /* in `batches`, a ring */
    struct buffer array;
};

/* ---- lists ---- */

static void list_init(struct fetch_list *list) {
    list->first = NULL;
    list->end = &list->first;
}

static void list_add(struct fetch_list *list, struct store_fetch *fetch) {
    fetch->next = NULL;
    *list->end = fetch;
    list->end = &fetch->next;
}

static struct store_fetch *list_take(struct fetch_list *list) {
    struct store_fetch *fetch = list->first;
    list->first = fetch->next;
    if (list->first == NULL)
        list->end = &list->first;
    return fetch;
}

/* Those of `more` go first. */
static void list_put_before(struct fetch_list *list, struct fetch_list *more) {
    if (more->first == NULL)
        return;
    *more->end = list->first;
    if (list->first == NULL)
        list->end = more->end;
    list->first = more->first;
    list_init(more);
}

/* ---- what comes of them ---- */

void shared_result_release(struct shared_result *shared) {
    if (atomic_fetch_sub(&shared->holders, 1) > 1)
        return;
    libpq.clear(shared->result);
    free(shared);
}

static void fail(struct store_fetch *fetch, const char *why) {
    fetch->error = error_local(fetch->txn->arena, POSTGRES_READING ": %s", why);
    fetch->done(fetch);
}

/* To be tried again, unless their time is over. */
static void put_back(struct fetcher *fetcher, struct fetch_list *list, const char *why) {
    struct fetch_list again;
    uint64_t now_ns = monotonic_ns();
    list_init(&again);
    while (list->first != NULL) {
        struct store_fetch *fetch = list_take(list);
        if (now_ns < fetch->deadline_ns)
            list_add(&again, fetch);
        else
            fail(fetch, why);
    }
    pthread_mutex_lock(&fetcher->lock);
    list_put_before(&fetcher->waiting, &again);
    pthread_mutex_unlock(&fetcher->lock);
}

static void take_result(struct fetch_batch *batch) {
    struct shared_result *shared = malloc(sizeof(*shared));
    CHECK(shared != NULL);
    shared->result = batch->result;
    atomic_init(&shared->holders, batch->fetch_count);
    struct slice *values = ARENA_ARRAY(&batch->arena, struct slice, batch->gets.count);
    gets_take(&batch->gets, &batch->result, values);
    while (batch->fetches.first != NULL) {
        struct store_fetch *fetch = list_take(&batch->fetches);
        memcpy(fetch->values, values, fetch->count * sizeof(*values));
        values += fetch->count;
        postgres_of_txn(fetch->txn)->shared = shared;
        fetch->done(fetch);
    }
}

/* The oldest batch is answered. */
static void land(struct fetcher *fetcher) {
    struct fetch_batch *batch = &fetcher->batches[fetcher->oldest];
    const char *why = fetcher->session->text;
    if (batch->result != NULL)
        take_result(batch);
    else if (strcmp(fetcher->session->state, SERIALIZATION_FAILURE) == 0)
        put_back(fetcher, &batch->fetches, why);
    else if (lead_refused_read(fetcher->store, fetcher->session))
        why = LEAD_ELSEWHERE;
    while (batch->fetches.first != NULL)
        fail(list_take(&batch->fetches), why);
    arena_reset(&batch->arena);
    fetcher->oldest = (fetcher->oldest + 1) % BATCHES_MAX;
    fetcher->under_way--;
}

/* ---- the connection ---- */

/* A server that is about to go says so before it goes. */
static bool is_going(const struct session *session) {
    return strncmp(session->state, "57P", 3) == 0;
}

static void lose(struct fetcher *fetcher) {
    postgres_note_loss(fetcher->store, fetcher->session);
    while (fetcher->under_way > 0) { /* from the newest to the oldest, each before the later ones */
        size_t newest = (fetcher->oldest + --fetcher->under_way) % BATCHES_MAX;
        struct fetch_batch *batch = &fetcher->batches[newest];
        libpq.clear(batch->result);
        put_back(fetcher, &batch->fetches, fetcher->session->text);
        arena_reset(&batch->arena);
    }
    session_close(fetcher->session);
    fetcher->session = NULL;
}

/* Takes all that is there; false: the connection is lost. */
static bool receive(struct fetcher *fetcher) {
    session_pull(fetcher->session);
    while (fetcher->under_way > 0) {
        struct fetch_batch *batch = &fetcher->batches[fetcher->oldest];
        switch (session_arrived(fetcher->session, &batch->result)) {
        case ARRIVED_NOTHING:
            return true;
        case ARRIVED_RESULT:
            break;
        case ARRIVED_REFUSAL:
            if (is_going(fetcher->session))
                return false;
            break;
        case ARRIVED_SYNC:
            land(fetcher);
            break;
        case ARRIVED_LOSS:
            return false;
        }
    }
    return true;
}

/* One try, with a pause after one that failed. */
static void reconnect(struct fetcher *fetcher, struct patience *patience) {
    struct arena CLEANUP(arena_release) scratch;
    arena_init(&scratch);
    struct error *error = postgres_connect(fetcher->store, &scratch, false, &fetcher->session);
    if (error == NULL)
        return;
    struct fetch_list all;
    list_init(&all);
    pthread_mutex_lock(&fetcher->lock);
    list_put_before(&all, &fetcher->waiting);
    pthread_mutex_unlock(&fetcher->lock);
    put_back(fetcher, &all,
             (const char *)arena_printf(&scratch, "%.*s", SLICE_ARGS(error->message)).data);
    if (!patience_wait(patience))
        *patience = patience_begin(fetcher->store);
}

/* ---- sending ---- */

/* As many of those that wait as a statement takes, of one keyspace; how many keys they have. */
static size_t gather(struct fetcher *fetcher, struct fetch_batch *batch) {
    size_t keys = 0;
    list_init(&batch->fetches);
    batch->fetch_count = 0;
    pthread_mutex_lock(&fetcher->lock);
    for (const struct store_fetch *next; (next = fetcher->waiting.first) != NULL;) {
        const struct store_fetch *first = batch->fetches.first;
        if (first != NULL && (keys + next->count > BATCH_KEYS_MAX ||
                              next->keys[0].keyspace != first->keys[0].keyspace))
            break;
        keys += next->count;
        list_add(&batch->fetches, list_take(&fetcher->waiting));
        batch->fetch_count++;
    }
    fetcher->counts.fetches += batch->fetch_count;
    fetcher->counts.batches += batch->fetch_count > 0;
    pthread_mutex_unlock(&fetcher->lock);
    return keys;
}

static void send_batch(struct fetcher *fetcher, struct fetch_batch *batch, size_t count) {
    struct store_key *keys = ARENA_ARRAY(&batch->arena, struct store_key, count);
    size_t at = 0;
    for (const struct store_fetch *fetch = batch->fetches.first; fetch != NULL;
         fetch = fetch->next) {
        memcpy(keys + at, fetch->keys, fetch->count * sizeof(*keys));
        at += fetch->count;
    }
    batch->gets = gets_of(&batch->arena, count, keys);
    batch->result = NULL;
    batch->deadline_ns = monotonic_ns() + (uint64_t)fetcher->store->options.patience_ms * 1000000;
    gets_send(&batch->gets, fetcher->store, fetcher->session, &fetcher->array);
    session_sync(fetcher->session);
}

/* Whether another batch may be sent on the connection that there is. */
static bool has_room(const struct fetcher *fetcher) {
    return fetcher->under_way < BATCHES_MAX &&
           (fetcher->session == NULL || !postgres_is_old(fetcher->store, fetcher->session));
}

static void send_waiting(struct fetcher *fetcher) {
    while (has_room(fetcher)) {
        size_t next = (fetcher->oldest + fetcher->under_way) % BATCHES_MAX;
        size_t keys = gather(fetcher, &fetcher->batches[next]);
        if (keys == 0)
            return;
        send_batch(fetcher, &fetcher->batches[next], keys);
        fetcher->under_way++;
    }
}

/* ---- the thread ---- */

/* Whether there is something to do at once; otherwise who starts a fetch wakes it, if that could be
 * sent. */
static bool fall_asleep(struct fetcher *fetcher) {
    bool room = has_room(fetcher);
    pthread_mutex_lock(&fetcher->lock);
    bool busy = fetcher->stops || (room && fetcher->waiting.first != NULL);
    fetcher->sleeps = !busy && room;
    pthread_mutex_unlock(&fetcher->lock);
    return busy;
}

static void wake_up(struct fetcher *fetcher, bool woken) {
    uint64_t count;
    pthread_mutex_lock(&fetcher->lock);
    fetcher->sleeps = false;
    pthread_mutex_unlock(&fetcher->lock);
    if (woken)
        (void)!read(fetcher->wake, &count, sizeof(count));
}

static int wait_ms(const struct fetcher *fetcher) {
    uint64_t now_ns = monotonic_ns();
    if (fetcher->under_way == 0)
        return -1;
    uint64_t deadline_ns = fetcher->batches[fetcher->oldest].deadline_ns;
    return deadline_ns <= now_ns ? 0 : (int)((deadline_ns - now_ns) / 1000000 + 1);
}

/* For answers, or somebody who starts a fetch. */
static void wait_for_something(struct fetcher *fetcher, bool unsent) {
    bool has_session = fetcher->under_way > 0;
    struct pollfd sources[] = {
        {.fd = fetcher->wake, .events = POLLIN},
        {.fd = has_session ? session_socket(fetcher->session) : -1,
         .events = (short)(unsent ? POLLIN | POLLOUT : POLLIN)},
    };
    int ready = poll(sources, 2, wait_ms(fetcher));
    wake_up(fetcher, sources[0].revents != 0);
    if (ready == 0 && has_session)
        session_lose(fetcher->session, "the server does not answer");
}

static bool take_turn(struct fetcher *fetcher, struct patience *patience) {
    pthread_mutex_lock(&fetcher->lock);
    bool waited_for = fetcher->waiting.first != NULL, stops = fetcher->stops;
    pthread_mutex_unlock(&fetcher->lock);
    if (stops)
        return false;
    if (fetcher->session != NULL && fetcher->under_way == 0 &&
        postgres_is_old(fetcher->store, fetcher->session)) {
        session_close(fetcher->session);
        fetcher->session = NULL;
    }
    if (fetcher->session == NULL && waited_for) {
        reconnect(fetcher, patience);
        return true;
    }
    bool unsent = false;
    if (fetcher->session != NULL) {
        send_waiting(fetcher);
        session_push(fetcher->session, &unsent);
    }
    /* What could not be sent has no socket any more to wait at. */
    bool lost = fetcher->under_way > 0 && session_is_lost(fetcher->session);
    if (!lost && !fall_asleep(fetcher))
        wait_for_something(fetcher, unsent);
    if (fetcher->under_way > 0 && !receive(fetcher)) {
        lose(fetcher);
        *patience = patience_begin(fetcher->store);
    }
    return true;
}

static void *fetcher_main(void *context) {
    struct fetcher *fetcher = context;
    struct patience patience = patience_begin(fetcher->store);
    while (take_turn(fetcher, &patience))
        ;
    return NULL;
}

/* ---- from outside ---- */

struct fetcher *fetcher_new(struct postgres_store *store) {
    struct fetcher *fetcher = calloc(1, sizeof(*fetcher));
    CHECK(fetcher != NULL);
    fetcher->store = store;
    pthread_mutex_init(&fetcher->lock, NULL);
    list_init(&fetcher->waiting);
    fetcher->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    CHECK(fetcher->wake >= 0);
    for (size_t i = 0; i < BATCHES_MAX; i++)
        arena_init(&fetcher->batches[i].arena);
    buffer_init(&fetcher->array, INT32_MAX);
    return fetcher;
}

static void wake(struct fetcher *fetcher) {
    uint64_t one = 1;
    CHECK(write(fetcher->wake, &one, sizeof(one)) == sizeof(one) || errno == EAGAIN);
}

void fetcher_free(struct fetcher *fetcher) {
    pthread_mutex_lock(&fetcher->lock);
    CHECK(fetcher->waiting.first == NULL);
    fetcher->stops = true;
    pthread_mutex_unlock(&fetcher->lock);
    wake(fetcher);
    if (fetcher->runs)
        pthread_join(fetcher->thread, NULL);
    session_close(fetcher->session);
    for (size_t i = 0; i < BATCHES_MAX; i++)
        arena_release(&fetcher->batches[i].arena);
    buffer_release(&fetcher->array);
    close(fetcher->wake);
    pthread_mutex_destroy(&fetcher->lock);
    free(fetcher);
}

/* Under the lock. */
static bool runs(struct fetcher *fetcher) {
    if (!fetcher->runs)
        fetcher->runs = pthread_create(&fetcher->thread, NULL, fetcher_main, fetcher) == 0;
    return fetcher->runs;
}

void postgres_get_many_start(struct store_fetch *fetch) {
    struct postgres_store *store = postgres_of(fetch->txn->store);
    struct fetcher *fetcher = store->fetcher;
    fetch->deadline_ns = monotonic_ns() + (uint64_t)store->options.patience_ms * 1000000;
    pthread_mutex_lock(&fetcher->lock);
    bool sent = store->moment == NULL && runs(fetcher); /* else of that moment */
    bool sleeps = fetcher->sleeps;
    if (sent)
        list_add(&fetcher->waiting, fetch);
    fetcher->sleeps = false;
    pthread_mutex_unlock(&fetcher->lock);
    if (sleeps)
        wake(fetcher);
    if (sent)
        return;
    fetch->error = postgres_get_many(fetch->txn, fetch->count, fetch->keys, fetch->values);
    fetch->done(fetch);
}

struct fetcher_counts fetcher_counts(struct fetcher *fetcher) {
    pthread_mutex_lock(&fetcher->lock);
    struct fetcher_counts counts = fetcher->counts;
    pthread_mutex_unlock(&fetcher->lock);
    return counts;
}
