/* simulation.h - a request that nobody makes, and what policies would say to it, with the reason.
 *
 * Memory: the arena of the call; policies of principals are the directory's. */
#ifndef GRAMME_IDENTITY_SIMULATION_H
#define GRAMME_IDENTITY_SIMULATION_H

#include "identity/identity.h"
#include "policy/decide.h"

/* A policy that has a say, and what it is called in the answer. */
struct simulated_policy {
    const struct policy *policy;
    enum policy_side side;
    struct slice id;
};

struct simulation {
    struct service_call *call;
    struct caller caller;
    struct policy_sides sides;
    struct simulated_policy *policies;
    size_t count, room;
    size_t bytes; /* of the documents that came with the call */
    struct policy_request request;
};

/* `known` is how many policies there are besides those of the call. */
struct simulation *simulation_new(struct service_call *call, size_t known);
/* One that is there. */
void simulation_add(struct simulation *simulation, const struct simulated_policy *policy);
/* Those that came with the call, by its members. */
struct error *simulation_add_given(struct simulation *simulation);
/* When all of them are known: sides, caller's policies and what the request has for conditions. */
void simulation_finish(struct simulation *simulation);

/* One result: an item of a list. */
void simulation_write(struct simulation *simulation, struct slice action, struct slice resource);

/* ---- simulation_context.c ---- */

/* What is known of the caller and the time, and what ContextEntries say, which wins. */
void simulation_fill(struct simulation *simulation);

#endif
