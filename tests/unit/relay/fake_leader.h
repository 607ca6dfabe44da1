/* fake_leader.h - a scripted leader: a listening socket that the test reads and answers itself.
 *
 * Every wait ends after ten seconds with a failed test. */
#ifndef GRAMME_TESTS_FAKE_LEADER_H
#define GRAMME_TESTS_FAKE_LEADER_H

#include "relay/call.h"

struct fake_leader {
    int listener;
    struct relay_leader address;
};

/* `number` identifies the leader (struct relay_leader). */
void fake_leader_open(struct fake_leader *leader, uint64_t number);
void fake_leader_close(struct fake_leader *leader);

/* Accepts the next connection. */
int fake_leader_accept(const struct fake_leader *leader);
/* Whether no connection is waiting to be accepted. */
bool fake_leader_is_idle(const struct fake_leader *leader);

/* Reads the next request, whose body must be {}. */
void fake_leader_read(int fd, char *ret_text, size_t size);
void fake_leader_send(int fd, const char *text);
/* Replies 200 with this body and keeps the connection. */
void fake_leader_reply(int fd, const char *body);
/* Expects the peer to close the connection without sending more, then closes it. */
void fake_leader_expect_end(int fd);

#endif
