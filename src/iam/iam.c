/* iam.c - see iam.h. */
#include "iam/iam.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/secret.h"

enum { SESSIONS_KEPT = 64 };

struct iam {
    struct iam_options options;
    pthread_mutex_t changing; /* held by who changes something */
    pthread_mutex_t lock;     /* guards the pointer, not the directory */
    struct directory *directory;
    atomic_uint_fast64_t generation; /* of the directory */
    struct arena arena;
    struct slice owner_arn;
};

/* A session that was opened, with what it names. */
struct kept_session {
    struct arena arena;
    struct slice token; /* absent: the place is free */
    struct session session;
    struct caller caller;
};

struct iam_view {
    struct iam *iam;
    struct directory *directory;
    uint_fast64_t generation;
    struct kept_session sessions[SESSIONS_KEPT]; /* of this directory; by hash of the token */
};

/* ---- opening ---- */

static struct error *load(struct iam *iam, struct arena *arena, struct directory **ret_directory) {
    struct directory_options options = {
        .engine = iam->options.engine,
        .seal = iam->options.seal,
        .account = iam->options.account,
    };
    return directory_load(arena, &options, ret_directory);
}

struct error *iam_open(struct arena *arena, const struct iam_options *options,
                       struct iam **ret_iam) {
    struct iam *iam = calloc(1, sizeof(*iam));
    CHECK(iam != NULL);
    iam->options = *options;
    pthread_mutex_init(&iam->changing, NULL);
    pthread_mutex_init(&iam->lock, NULL);
    atomic_init(&iam->generation, 1);
    arena_init(&iam->arena);
    iam->owner_arn =
        arena_printf(&iam->arena, "arn:aws:iam::%.*s:root", SLICE_ARGS(options->account));
    struct error *error = load(iam, arena, &iam->directory);
    if (error != NULL) {
        iam_close(iam);
        return error;
    }
    *ret_iam = iam;
    return NULL;
}

void iam_close(struct iam *iam) {
    if (iam == NULL)
        return;
    directory_unref(iam->directory);
    arena_release(&iam->arena);
    pthread_mutex_destroy(&iam->lock);
    pthread_mutex_destroy(&iam->changing);
    free(iam);
}

const struct iam_options *iam_options(const struct iam *iam) {
    return &iam->options;
}

/* ---- views ---- */

struct directory *iam_directory(struct iam *iam) {
    pthread_mutex_lock(&iam->lock);
    struct directory *directory = directory_ref(iam->directory);
    pthread_mutex_unlock(&iam->lock);
    return directory;
}

struct iam_view *iam_view_new(struct iam *iam) {
    struct iam_view *view = calloc(1, sizeof(*view));
    CHECK(view != NULL);
    view->iam = iam;
    return view;
}

static void forget_session(struct kept_session *kept) {
    if (!slice_present(kept->token))
        return;
    struct slice secret = kept->session.secret;
    secret_wipe((uint8_t *)(uintptr_t)secret.data, secret.len);
    arena_release(&kept->arena);
    kept->token = SLICE_NONE;
}

static void forget_sessions(struct iam_view *view) {
    for (size_t i = 0; i < SESSIONS_KEPT; i++)
        forget_session(&view->sessions[i]);
}

void iam_view_free(struct iam_view *view) {
    if (view == NULL)
        return;
    forget_sessions(view);
    directory_unref(view->directory);
    free(view);
}

const struct directory *iam_view_directory(struct iam_view *view) {
    struct iam *iam = view->iam;
    if (atomic_load_explicit(&iam->generation, memory_order_acquire) == view->generation)
        return view->directory;
    forget_sessions(view);
    directory_unref(view->directory);
    pthread_mutex_lock(&iam->lock);
    view->directory = directory_ref(iam->directory);
    view->generation = atomic_load_explicit(&iam->generation, memory_order_relaxed);
    pthread_mutex_unlock(&iam->lock);
    return view->directory;
}

/* ---- whose key it is ---- */

static struct error *invalid_key(struct arena *arena) {
    return error_new(arena, ERROR_UNRECOGNIZED_CLIENT,
                     "The security token included in the request is invalid.");
}

static struct error *invalid_token(struct arena *arena) {
    return error_new(arena, ERROR_UNRECOGNIZED_CLIENT,
                     "The security token included in the request is invalid");
}

static struct caller caller_of_owner(const struct iam *iam) {
    return (struct caller){.kind = CALLER_ROOT,
                           .account = iam->options.account,
                           .arn = iam->owner_arn,
                           .principal_arn = iam->owner_arn,
                           .id = iam->options.account};
}

/* What users and roles have in common. */
static struct caller caller_of(const struct iam *iam, const struct principal *principal) {
    return (struct caller){
        .kind = CALLER_USER,
        .account = iam->options.account,
        .arn = principal->arn,
        .principal_arn = principal->arn,
        .id = principal->id,
        .tags = principal->tags,
        .tag_count = principal->tag_count,
        .policies = principal->identity,
        .policy_count = principal->policy_count,
        .boundary = principal->boundary.policy,
    };
}

struct caller iam_caller_of_user(const struct iam *iam, const struct principal *user) {
    struct caller caller = caller_of(iam, user);
    caller.name = user->name;
    return caller;
}

struct caller iam_caller_of_role(const struct iam *iam, const struct principal *role) {
    struct caller caller = caller_of(iam, role);
    caller.kind = CALLER_SESSION;
    return caller;
}

static struct error *long_term(struct iam_view *view, struct arena *arena, struct slice key_id,
                               struct iam_credentials *ret) {
    const struct access_key *key = directory_find_key(view->directory, key_id);
    if (key == NULL || !key->active || !slice_present(key->secret))
        return invalid_key(arena);
    ret->secret = key->secret;
    if (key->user.len == 0) {
        ret->caller = caller_of_owner(view->iam);
        return NULL;
    }
    const struct principal *user = directory_find(view->directory, PRINCIPAL_USER, key->user);
    if (user == NULL)
        return invalid_key(arena);
    ret->caller = iam_caller_of_user(view->iam, user);
    return NULL;
}

/* ---- sessions ---- */

/* Who is behind it, as long as they are the same. */
static bool identify(struct iam_view *view, struct kept_session *kept) {
    const struct session *session = &kept->session;
    if (session->of == SESSION_OF_OWNER) {
        kept->caller = caller_of_owner(view->iam);
        return true;
    }
    bool role = session->of == SESSION_OF_ROLE;
    const struct principal *principal =
        directory_find(view->directory, role ? PRINCIPAL_ROLE : PRINCIPAL_USER, session->principal);
    if (principal == NULL || !slice_equal(principal->id, session->principal_id))
        return false;
    if (!role) {
        kept->caller = iam_caller_of_user(view->iam, principal);
        return true;
    }
    kept->caller = iam_caller_of_role(view->iam, principal);
    kept->caller.arn = arena_printf(&kept->arena, "arn:aws:sts::%.*s:assumed-role/%.*s/%.*s",
                                    SLICE_ARGS(view->iam->options.account),
                                    SLICE_ARGS(principal->name), SLICE_ARGS(session->name));
    kept->caller.id = arena_printf(&kept->arena, "%.*s:%.*s", SLICE_ARGS(principal->id),
                                   SLICE_ARGS(session->name));
    return true;
}

static bool open_session(struct iam_view *view, struct kept_session *kept, struct slice token) {
    const struct iam_options *options = &view->iam->options;
    arena_init(&kept->arena);
    kept->token = arena_slice(&kept->arena, token);
    kept->session.secret = SLICE_LITERAL("");
    if (!session_open(&kept->arena, options->seal, token, &kept->session) || !identify(view, kept))
        return false;
    kept->caller.issued_ms = kept->session.issued_ms;
    struct policy_document document = {POLICY_OF_IDENTITY, "session policy", kept->session.policy};
    return kept->session.policy.len == 0 ||
           policy_parse(&kept->arena, &document, &kept->caller.session) == NULL;
}

static struct kept_session *place_of(struct iam_view *view, struct slice token) {
    uint32_t hash = 2166136261u; /* the end of a token is its seal, and as good as random */
    for (size_t i = token.len < 16 ? 0 : token.len - 16; i < token.len; i++)
        hash = (hash ^ token.data[i]) * 16777619u;
    return &view->sessions[hash % SESSIONS_KEPT];
}

/* NULL: it is no token of ours. */
static const struct kept_session *find_session(struct iam_view *view, struct slice token) {
    struct kept_session *kept = place_of(view, token);
    if (slice_present(kept->token) && slice_equal(kept->token, token))
        return kept;
    forget_session(kept);
    if (open_session(view, kept, token))
        return kept;
    forget_session(kept);
    return NULL;
}

static struct error *temporary(struct iam_view *view, struct arena *arena, struct slice key_id,
                               struct slice token, int64_t now_ms, struct iam_credentials *ret) {
    const struct kept_session *kept = find_session(view, token);
    if (kept == NULL || !slice_equal(kept->session.key_id, key_id))
        return invalid_token(arena);
    if (now_ms >= kept->session.ends_ms)
        return error_new(arena, ERROR_EXPIRED_TOKEN,
                         "The security token included in the request is expired");
    ret->secret = kept->session.secret;
    ret->caller = kept->caller;
    return NULL;
}

struct error *iam_find_credentials(struct iam_view *view, struct arena *arena, struct slice key_id,
                                   struct slice token, int64_t now_ms,
                                   struct iam_credentials *ret_credentials) {
    struct iam_credentials found;
    iam_view_directory(view);
    if (token.len > 0)
        TRY(temporary(view, arena, key_id, token, now_ms, &found));
    else
        TRY(long_term(view, arena, key_id, &found));
    *ret_credentials = found;
    return NULL;
}

/* ---- changing ---- */

const struct directory *iam_change_begin(struct iam *iam) {
    pthread_mutex_lock(&iam->changing);
    return iam->directory; /* only who changes replaces it */
}

static void publish(struct iam *iam, struct directory *directory) {
    pthread_mutex_lock(&iam->lock);
    struct directory *before = iam->directory;
    iam->directory = directory;
    atomic_fetch_add_explicit(&iam->generation, 1, memory_order_release);
    pthread_mutex_unlock(&iam->lock);
    directory_unref(before);
}

static struct error *show(struct iam *iam, struct arena *arena) {
    struct directory *directory;
    TRY(load(iam, arena, &directory));
    publish(iam, directory);
    return NULL;
}

struct error *iam_change(struct iam *iam, struct arena *arena, const struct record *changes,
                         size_t count) {
    TRY(engine_change_records(iam->options.engine, arena, changes, count));
    return show(iam, arena);
}

void iam_change_end(struct iam *iam) {
    pthread_mutex_unlock(&iam->changing);
}

struct error *iam_look_again(struct iam *iam, struct arena *arena) {
    pthread_mutex_lock(&iam->changing);
    struct error *error = show(iam, arena);
    pthread_mutex_unlock(&iam->changing);
    return error;
}
