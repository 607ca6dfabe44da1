/* relay.c - see relay.h: which request goes where, and what becomes of those that come back. */
#include "relay/relay.h"

#include <stdlib.h>

#include "base/check.h"
#include "relay/link.h"

enum {
    LINKS_MAX = 256,
    QUEUE_MAX = 8192,
    /* Longer than it takes to notice a leader that does nothing, and less than clients wait. */
    WAIT_MS = 20 * 1000,
    /* A request that takes its leader down is not to take down all of them. */
    SENT_MAX = 4,
    /* After a leader that cannot be reached, or says that it is none. */
    BACK_OFF_MS = 100,
    /* For the last answers of a leader that is one no more. */
    LAST_WORDS_MS = 1000,
};

struct relay {
    struct relay_options options;
    struct net_loop *loop; /* NULL: nothing was handed on yet */
    struct relay_leader leader;
    uint64_t again_ms; /* not before this time */
    struct relay_call *first, **last;
    unsigned queued;
    struct link *links;
    unsigned link_count;
    bool serves, ends;
};

static void on_answered(struct link *link, struct relay_call *call);
static void on_refused(struct link *link, struct relay_call *call);
static void on_starved(struct link *link, struct relay_call *call);
static void on_closed(struct link *link, struct relay_call *call);

static const struct link_events link_events = {
    .answered = on_answered, .refused = on_refused, .starved = on_starved, .closed = on_closed};

static void count(_Atomic uint64_t *counter) {
    atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

/* Questions do not count. */
static void count_call(const struct relay_call *call, _Atomic uint64_t *counter) {
    if (call->request.told == NULL)
        count(counter);
}

/* ---- answers of our own ---- */

static void refuse(struct relay_call *call, int status, const char *type, const char *text) {
    struct exchange *exchange = call->exchange;
    buffer_release(&exchange->reply);
    buffer_printf(&exchange->reply, "{\"__type\":\"%s\",\"message\":\"%s\"}", type, text);
    exchange_reply(exchange, status);
}

/* Whoever only asks hears what came of it. */
static bool tell(struct relay_call *call, int status) {
    if (call->request.told == NULL)
        return false;
    buffer_reset(&call->exchange->reply);
    call->request.told(call->exchange, status);
    return true;
}

static void refuse_for_now(struct relay_call *call) {
    if (tell(call, 0))
        return;
    refuse(call, 503, "com.amazon.coral.service#ServiceUnavailableException",
           "No server leads the store now");
}

static void refuse_in_doubt(struct relay *relay, struct relay_call *call) {
    count(&relay->options.tally->doubtful);
    refuse(call, 500, "com.amazonaws.dynamodb.v20120810#InternalServerError",
           "The server that leads was lost: the request may have happened or not");
}

/* ---- the queue ---- */

static void put_last(struct relay *relay, struct relay_call *call) {
    call->next = NULL;
    *relay->last = call;
    relay->last = &call->next;
    relay->queued++;
    count(&relay->options.tally->waiting);
}

static void waits_no_more(struct relay *relay, unsigned calls) {
    relay->queued -= calls;
    atomic_fetch_sub_explicit(&relay->options.tally->waiting, calls, memory_order_relaxed);
}

static struct relay_call *take_first(struct relay *relay) {
    struct relay_call *call = relay->first;
    relay->first = call->next;
    if (relay->first == NULL)
        relay->last = &relay->first;
    waits_no_more(relay, 1);
    return call;
}

static void wait_for_leader(struct relay *relay, struct relay_call *call) {
    if (!call->waited)
        count_call(call, &relay->options.tally->waited);
    call->waited = true;
    put_last(relay, call);
}

/* ---- sending ---- */

static struct link *resting_link(const struct relay *relay) {
    for (struct link *link = relay->links; link != NULL; link = link->next)
        if (link->ready && link->call == NULL && !link->stream.closing)
            return link;
    return NULL;
}

static void add_link(struct relay *relay, struct relay_call *call) {
    struct link_target target = {relay->options.tls, &relay->leader};
    struct link *link = link_new(&link_events, relay, call, &target);
    link->next = relay->links;
    if (link->next != NULL)
        link->next->previous = link;
    relay->links = link;
    relay->link_count++;
}

static bool may_send(const struct relay *relay) {
    return relay->leader.known && !relay->serves && !relay->ends &&
           net_loop_now_ms(relay->loop) >= relay->again_ms;
}

/* False: all links are in use. */
static bool send_call(struct relay *relay, struct relay_call *call) {
    struct link *link = resting_link(relay);
    if (link == NULL && relay->link_count >= LINKS_MAX)
        return false;
    count_call(call, &relay->options.tally->sent);
    if (call->sent > 0)
        count(&relay->options.tally->repeated);
    if (link != NULL)
        link_send(link, call);
    else
        add_link(relay, call);
    return true;
}

static void send_queued(struct relay *relay) {
    while (relay->first != NULL && may_send(relay) && send_call(relay, relay->first))
        take_first(relay);
}

/* A call that is not with a link goes to where it can be answered. */
static void place(struct relay *relay, struct relay_call *call) {
    if (relay->serves)
        call->request.here(call->exchange);
    else if (relay->ends || relay->queued >= QUEUE_MAX)
        refuse_for_now(call);
    else if (!may_send(relay))
        wait_for_leader(relay, call);
    else if (relay->first != NULL || !send_call(relay, call))
        put_last(relay, call);
}

void relay_hand_on(struct relay *relay, struct exchange *exchange,
                   const struct relay_request *request) {
    struct relay_call *call = ARENA_NEW(&exchange->arena, struct relay_call);
    relay->loop = exchange->loop;
    call->exchange = exchange;
    call->request = *request;
    call->give_up_ms =
        net_loop_now_ms(relay->loop) + (request->told == NULL ? WAIT_MS : request->told_ms);
    place(relay, call);
}

/* ---- what links tell ---- */

static void on_answered(struct link *link, struct relay_call *call) {
    struct relay *relay = link->owner;
    struct exchange *exchange = call->exchange;
    if (!link->keeps || link->stream.writing || link->number != relay->leader.number ||
        relay->serves || relay->ends)
        net_stream_close(&link->stream);
    count_call(call, &relay->options.tally->answered);
    if (!tell(call, link->answer.status))
        exchange_reply_with(exchange, &link->answer);
    send_queued(relay);
}

static void back_off(struct relay *relay) {
    relay->again_ms = net_loop_now_ms(relay->loop) + BACK_OFF_MS;
}

static void on_refused(struct link *link, struct relay_call *call) {
    struct relay *relay = link->owner;
    if (link->number == relay->leader.number)
        back_off(relay);
    call->sent--;
    if (!tell(call, 0))
        place(relay, call);
}

static void on_starved(struct link *link, struct relay_call *call) {
    if (tell(call, 0))
        ; /* nobody can say */
    else if (call->request.again && exchange_lacks_memory(call->exchange))
        exchange_try_again(call->exchange);
    else
        exchange_reply(call->exchange, 500); /* the endpoint tells why */
    send_queued(link->owner);
}

static void remove_link(struct relay *relay, struct link *link) {
    if (link->previous != NULL)
        link->previous->next = link->next;
    else
        relay->links = link->next;
    if (link->next != NULL)
        link->next->previous = link->previous;
    relay->link_count--;
}

static void on_closed(struct link *link, struct relay_call *call) {
    struct relay *relay = link->owner;
    remove_link(relay, link);
    if (call != NULL) {
        if (link->number == relay->leader.number)
            back_off(relay);
        buffer_reset(&call->exchange->reply);
        if (tell(call, 0))
            ; /* that it does not answer */
        else if (link->sent && (!call->request.again || call->sent >= SENT_MAX))
            refuse_in_doubt(relay, call);
        else
            place(relay, call);
    }
    send_queued(relay);
}

/* ---- what the server tells ---- */

/* Writes may still have been done: their answers are waited for, for a while. */
static void leave_links(struct relay *relay) {
    for (struct link *link = relay->links; link != NULL; link = link->next)
        if (link->call != NULL && link->sent && !link->call->request.again)
            net_stream_set_deadline(&link->stream, net_loop_now_ms(relay->loop) + LAST_WORDS_MS);
        else
            net_stream_close(&link->stream);
}

void relay_follow(struct relay *relay, const struct relay_leader *leader) {
    bool another = leader->number != relay->leader.number;
    relay->leader = *leader;
    if (relay->loop == NULL || !another)
        return;
    relay->again_ms = 0;
    leave_links(relay);
    send_queued(relay);
}

static void place_all(struct relay *relay) {
    struct relay_call *call = relay->first;
    relay->first = NULL;
    relay->last = &relay->first;
    waits_no_more(relay, relay->queued);
    for (struct relay_call *next; call != NULL; call = next) {
        next = call->next; /* it is gone when it is answered */
        place(relay, call);
    }
}

void relay_serve(struct relay *relay) {
    relay->serves = true;
    if (relay->loop != NULL)
        leave_links(relay);
    place_all(relay);
}

/* What is on its way is waited for, as ever. */
void relay_end(struct relay *relay) {
    relay->ends = true;
    for (struct link *link = relay->links; link != NULL; link = link->next)
        if (link->call == NULL)
            net_stream_close(&link->stream);
    place_all(relay);
}

bool relay_tick(struct relay *relay) {
    if (relay->loop == NULL)
        return false;
    uint64_t now = net_loop_now_ms(relay->loop);
    for (unsigned left = relay->queued; left > 0; left--) {
        struct relay_call *call = take_first(relay);
        if (now < call->give_up_ms) {
            put_last(relay, call);
            continue;
        }
        count_call(call, &relay->options.tally->given_up);
        refuse_for_now(call);
    }
    send_queued(relay);
    return relay->first != NULL;
}

/* ---- life ---- */

struct relay *relay_new(const struct relay_options *options) {
    struct relay *relay = calloc(1, sizeof(*relay));
    CHECK(relay != NULL);
    relay->options = *options;
    relay->last = &relay->first;
    return relay;
}

void relay_free(struct relay *relay) {
    if (relay == NULL)
        return;
    CHECK(relay->links == NULL && relay->first == NULL);
    free(relay);
}
