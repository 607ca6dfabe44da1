/* stream.h - one socket on its loop, accepted or connected.
 *
 * The owner embeds a net_stream as the first member of its own struct, and hears of what happens
 * through net_stream_events. Life cycle:
 *   1. The owner's accept function (server.h) allocates it and returns net_stream_init()'d memory;
 *      or the owner calls net_stream_connect() with such memory.
 *   2. `opened` is called on the stream's loop; from then on everything happens on that thread.
 *      With TLS that is after the handshake (stream_tls.c); of who does not get so far the owner
 *      hears `closed` only.
 *   3. Reading goes on until net_stream_pause(), a full buffer, or the end of the peer's data.
 *   4. The work is done in turns (net_stream_want_turn): in each round of the loop first all
 *      sockets are read; then, for a number of streams at a time, their requests are handled and
 *      after that their replies sent. Doing one thing many times keeps its code and data in the
 *      processor's caches, which is a sixth of the cost of a small request.
 *   5. net_stream_close(), a failure or a time-out ends it: `closed` is the last call, after which
 *      the owner may free the memory. Between the two, only a requested turn may still come.
 * At most one write is pending at a time. */
#ifndef GRAMME_NET_STREAM_H
#define GRAMME_NET_STREAM_H

#include <uv.h>

#include "base/slice.h"
#include "net/loop.h"

struct net_peer;
struct net_stream;
struct net_tls;

struct net_space {
    uint8_t *data;
    size_t len;
};

struct net_stream_events {
    void (*opened)(struct net_stream *stream);
    /* Where the next bytes go; no room pauses the reading. */
    struct net_space (*space)(struct net_stream *stream);
    void (*arrived)(struct net_stream *stream, size_t len); /* a turn follows */
    void (*ended)(struct net_stream *stream);   /* the peer sends no more; it may still read */
    void (*written)(struct net_stream *stream); /* what was NET_WRITE_PENDING has gone */
    void (*expired)(struct net_stream *stream); /* its deadline has passed */
    void (*ticked)(struct net_stream *stream);  /* now and then, for housekeeping */
    void (*drain)(struct net_stream *stream);   /* the server stops: finish what is begun */
    void (*turn)(struct net_stream *stream);    /* handle what is there; send nothing yet */
    void (*turned)(struct net_stream *stream);  /* all turns of the round are over: send */
    void (*closed)(struct net_stream *stream);
};

enum { NET_WRITE_PARTS_MAX = 4 };

struct net_stream {
    uv_tcp_t tcp;
    union {
        uv_write_t write;
        uv_connect_t connect; /* until it is connected */
    };
    uv_buf_t
        unsent[NET_WRITE_PARTS_MAX]; /* of the pending write, what the socket did not get yet */
    unsigned unsent_count;
    const struct net_stream_events *events;
    struct net_loop *loop;
    struct net_tls *tls;                /* NULL: what the socket sees is what the owner says */
    struct net_stream *next, *previous; /* the loop's list */
    struct net_task arrival;
    struct net_stream *turn_next; /* the loop's list of those that want a turn */
    uint64_t deadline_ms;         /* 0: none */
    uint64_t write_mark_ms;       /* when the pending write last moved */
    size_t write_mark_bytes;      /* what it still had to do then */
    struct net_peer *peer;        /* that it is counted for (peers.h); NULL: none */
    int fd;                       /* until it is opened */
    bool opening;                 /* the handshake is under way, or it is being connected */
    bool outgoing;                /* it was connected, and counts for nobody */
    bool reading, writing, ended, lingering, closing, wants_turn;
};

void net_stream_init(struct net_stream *stream, const struct net_stream_events *events);

struct net_target {
    const struct sockaddr *address;
    struct tls_server *tls; /* by a secret (crypto/tls_server.h); NULL: plain */
    uint32_t timeout_ms;    /* to be there, with its handshake */
};

/* On the loop's thread. `opened` follows, or `closed`, neither before this returns. */
void net_stream_connect(struct net_stream *stream, struct net_loop *loop,
                        const struct net_target *target);

enum net_write_result { NET_WRITE_DONE, NET_WRITE_PENDING, NET_WRITE_FAILED };

/* Sends the parts one after another, in one system call if they are small and the socket takes
 * them. When pending, the bytes must stay until `written`; when failed, the stream has been closed.
 */
enum net_write_result net_stream_write(struct net_stream *stream, const struct slice *parts,
                                       unsigned count);

/* `turn` and then `turned` are called before the loop waits again. Asking twice is asking once: not
 * to be called for another stream from within a turn, whose own may be over in this round. */
void net_stream_want_turn(struct net_stream *stream);

void net_stream_pause(struct net_stream *stream);
void net_stream_resume(struct net_stream *stream);

/* `expired` comes once, up to a tick after the time; 0 for never. Cheap: called on every request.
 */
static inline void net_stream_set_deadline(struct net_stream *stream, uint64_t at_ms) {
    stream->deadline_ms = at_ms;
}

/* Nothing is expected soon: gives back memory that is not needed until then. */
void net_stream_rest(struct net_stream *stream);

void net_stream_close(struct net_stream *stream);

/* Closes, but first lets the peer read what was sent: closing with unread input would reset the
 * connection and might take the last reply with it. What the peer still sends is thrown away until
 * it ends, or until the time is up. */
void net_stream_close_gently(struct net_stream *stream, uint32_t linger_ms);

enum { NET_ADDRESS_CHARS = 46 }; /* with its NUL */

/* The peer's address without its port, an IPv4 one always in its own form. A system call. False:
 * the socket does not know any more. */
bool net_stream_peer(const struct net_stream *stream, char ret_text[NET_ADDRESS_CHARS]);

/* The common name in the certificate of a client that had to have one; NULL: there is none. */
const char *net_stream_client(const struct net_stream *stream);

#endif
