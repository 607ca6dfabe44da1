/* loop.h - an event loop on its own thread.
 *
 * Everything that belongs to a loop (its streams, their memory) is touched on its thread only; the
 * one way in from outside is net_loop_post(). Times are the loop's: milliseconds of a monotonic
 * clock, read once per round. */
#ifndef GRAMME_NET_LOOP_H
#define GRAMME_NET_LOOP_H

#include <stdint.h>

/* Embedded in what it is about; the poster keeps it alive until `run` is called. */
struct net_task {
    struct net_task *next;
    void (*run)(struct net_task *task);
};

struct net_loop;

/* From any thread: `task->run` is called once on the loop's thread, in the order of posting per
 * posting thread. Never allocates; many posts cost one wake-up. The loop must not have stopped. */
void net_loop_post(struct net_loop *loop, struct net_task *task);

uint64_t net_loop_now_ms(const struct net_loop *loop);
/* When the work of this round began to come, by base/ticks.h. */
uint64_t net_loop_round_ticks(const struct net_loop *loop);
unsigned net_loop_index(const struct net_loop *loop);
/* What the owner's thread_start() returned. */
void *net_loop_context(const struct net_loop *loop);

/* A loop that was told to stop goes on while it is held. On the loop's thread. */
void net_loop_hold(struct net_loop *loop);
void net_loop_unhold(struct net_loop *loop);

#endif
