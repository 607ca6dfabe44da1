/* token.c - tokens in a group. */
#include "engine/token.h"

#include "engine/keyspace.h"
#include "model/limits.h"

struct slot *token_slot(struct group *group, const struct write_job *job) {
    if (!slice_present(job->transaction->token))
        return NULL;
    uint8_t hash[SIPHASH_BYTES];
    siphash128(group->owners.keys->secret, job->transaction->token, hash);
    struct slice key = token_key(group->arena, slice_of(hash, sizeof(hash)));
    return group_slot(group, NULL, catalog_key(key));
}

static const uint32_t *sizes_of(struct arena *arena, const struct write_job *job) {
    uint32_t *sizes = ARENA_ARRAY(arena, uint32_t, job->count);
    for (size_t i = 0; i < job->count; i++) {
        const struct item_write *write = &job->writes[i];
        size_t size = write->old_size > write->new_size ? write->old_size : write->new_size;
        sizes[i] = (uint32_t)size;
    }
    return sizes;
}

void token_remember(struct group *group, const struct write_job *job, struct slot *token) {
    uint64_t end_ms = group->now_ms + LIMIT_REQUEST_TOKEN_MS;
    struct token_record record = {
        .end_ms = end_ms,
        .fingerprint = slice_of(job->transaction->fingerprint, TOKEN_FINGERPRINT_BYTES),
        .sizes = sizes_of(group->arena, job),
        .size_count = job->count,
    };
    token->current = token_encode(group->arena, &record);
    struct slice end_key = token_end_key(group->arena, end_ms, catalog_key_hash(token->key));
    struct slot *end = group_slot(group, NULL, catalog_key(end_key));
    end->current = slice_first(token->current, 0);
    token_keeper_expect(group->owners.tokens, (int64_t)end_ms);
}
