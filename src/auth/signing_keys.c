/* signing_keys.c - see signing_keys.h. Secrets are wiped when they leave. */
#include "auth/signing_keys.h"

#include <stdlib.h>

#include "base/check.h"
#include "base/secret.h"

enum { SETS = 64, WAYS = 4, NAME_MAX = 256 };

/* What the key is of: the secret and the scope, with their lengths before them. */
struct name {
    size_t len;
    uint8_t bytes[NAME_MAX];
};

struct place {
    struct digest *digest; /* NULL: free */
    uint64_t used;         /* when, in calls */
    struct name name;
};

struct signing_keys {
    struct digest *other; /* for what is too long to be kept */
    struct place *last;   /* that was asked for; NULL: none yet */
    uint64_t calls;
    struct place places[SETS][WAYS];
};

struct error *signing_keys_new(struct arena *arena, struct signing_keys **ret_keys) {
    struct digest *other;
    TRY(digest_new(arena, &other));
    struct signing_keys *keys = calloc(1, sizeof(*keys));
    CHECK(keys != NULL);
    keys->other = other;
    *ret_keys = keys;
    return NULL;
}

void signing_keys_free(struct signing_keys *keys) {
    if (keys == NULL)
        return;
    for (size_t i = 0; i < SETS * WAYS; i++)
        digest_free(keys->places[i / WAYS][i % WAYS].digest);
    digest_free(keys->other);
    secret_wipe(keys->places, sizeof(keys->places));
    free(keys);
}

static bool add(struct name *name, struct slice part) {
    if (part.len > 255 || name->len + 1 + part.len > NAME_MAX)
        return false;
    name->bytes[name->len++] = (uint8_t)part.len;
    memcpy(name->bytes + name->len, part.data, part.len);
    name->len += part.len;
    return true;
}

static bool make_name(struct slice secret, const struct sigv4_scope *scope, struct name *ret_name) {
    ret_name->len = 0;
    return add(ret_name, secret) && add(ret_name, scope->day) && add(ret_name, scope->region) &&
           add(ret_name, scope->service);
}

static size_t set_of(const struct name *name) {
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < name->len; i++)
        hash = (hash ^ name->bytes[i]) * 16777619u;
    return (hash ^ hash >> 16) % SETS;
}

/* The place of that name, or the one to give up for it. */
static struct place *find_place(struct place set[WAYS], const struct name *name) {
    struct place *oldest = &set[0];
    for (size_t i = 0; i < WAYS; i++) {
        if (set[i].digest != NULL && set[i].name.len == name->len &&
            memcmp(set[i].name.bytes, name->bytes, name->len) == 0)
            return &set[i];
        if (set[i].used < oldest->used)
            oldest = &set[i];
    }
    return oldest;
}

static void derive(struct digest *digest, struct slice secret, const struct sigv4_scope *scope) {
    uint8_t key[SHA256_BYTES];
    sigv4_derive_key(digest, secret, scope, key);
    secret_wipe(key, sizeof(key));
}

/* A digest that could be made once can be made again. */
static void fill(struct place *place, const struct name *name, struct slice secret,
                 const struct sigv4_scope *scope) {
    struct arena arena;
    arena_init(&arena);
    if (place->digest == NULL)
        CHECK(digest_new(&arena, &place->digest) == NULL);
    arena_release(&arena);
    derive(place->digest, secret, scope);
    place->name = *name;
}

static bool take(struct slice *name, struct slice part) {
    if (name->len < part.len + 1 || name->data[0] != part.len ||
        memcmp(name->data + 1, part.data, part.len) != 0)
        return false;
    *name = slice_skip(*name, part.len + 1);
    return true;
}

/* Whether it is what the place was filled for, without making its name. */
static bool is_of(const struct place *place, struct slice secret, const struct sigv4_scope *scope) {
    struct slice rest = slice_of(place->name.bytes, place->name.len);
    return take(&rest, secret) && take(&rest, scope->day) && take(&rest, scope->region) &&
           take(&rest, scope->service);
}

/* One caller mostly asks again and again. */
struct digest *signing_keys_get(struct signing_keys *keys, struct slice secret,
                                const struct sigv4_scope *scope) {
    struct name name;
    if (keys->last != NULL && is_of(keys->last, secret, scope))
        return keys->last->digest;
    if (!make_name(secret, scope, &name)) {
        derive(keys->other, secret, scope);
        return keys->other;
    }
    struct place *place = find_place(keys->places[set_of(&name)], &name);
    if (place->digest == NULL || place->name.len != name.len ||
        memcmp(place->name.bytes, name.bytes, name.len) != 0)
        fill(place, &name, secret, scope);
    place->used = ++keys->calls;
    secret_wipe(&name, sizeof(name));
    keys->last = place;
    return place->digest;
}
