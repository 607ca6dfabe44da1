/* backup_arn.c - from a backup to its name and back.
 *
 * The hex digits are the backup's id, times an odd number, so that ids that follow each other look
 * different and yet no two backups have the same. */
#include "ops/backup/backup_arn.h"

#include <inttypes.h>

#include "ops/request/arn.h"

#define SCRAMBLE UINT32_C(0x9E3779B1)
#define UNSCRAMBLE UINT32_C(0x0E8B2F51) /* their product is 1 */

_Static_assert((uint32_t)((uint64_t)SCRAMBLE *UNSCRAMBLE) == 1, "not each other's inverse");

enum { MS_DIGITS = 14, HEX_DIGITS = 8 };

struct slice backup_arn_print(const struct op_call *call, struct slice table_name,
                              struct backup_id id) {
    struct slice table = table_arn_print(call, table_name);
    return arena_printf(call->arena, "%.*s/backup/%014" PRId64 "-%08" PRIx32, SLICE_ARGS(table),
                        id.created_ms, id.id * SCRAMBLE);
}

static bool parse_digits(struct slice text, uint64_t base, uint64_t *ret_n) {
    uint64_t n = 0;
    for (size_t i = 0; i < text.len; i++) {
        uint8_t c = text.data[i];
        uint64_t digit = c >= '0' && c <= '9'   ? (uint64_t)(c - '0')
                         : c >= 'a' && c <= 'f' ? (uint64_t)(c - 'a') + 10
                                                : base;
        if (digit >= base)
            return false;
        n = n * base + digit;
    }
    *ret_n = n;
    return true;
}

static bool parse_id(struct slice text, struct backup_id *ret_id) {
    uint64_t ms, hex;
    if (text.len != MS_DIGITS + 1 + HEX_DIGITS || text.data[MS_DIGITS] != '-' ||
        !parse_digits(slice_first(text, MS_DIGITS), 10, &ms) ||
        !parse_digits(slice_skip(text, MS_DIGITS + 1), 16, &hex))
        return false;
    *ret_id = (struct backup_id){(int64_t)ms, (uint32_t)hex * UNSCRAMBLE};
    return true;
}

static struct error *backup_not_found(struct arena *arena, struct slice arn) {
    return error_new(arena, ERROR_BACKUP_NOT_FOUND, "Backup not found: %.*s", SLICE_ARGS(arn));
}

struct error *backup_arn_parse(struct op_call *call, struct slice text,
                               struct backup_arn *ret_arn) {
    struct arn arn;
    struct backup_id id;
    if (!arn_parse(text, &arn) || !slice_is(arn.service, "dynamodb") || arn.kind != ARN_BACKUP ||
        !field_name_matches(arn.table) || !parse_id(arn.id, &id))
        return error_validation(call->arena, "Invalid Backup ARN");
    if (!slice_equal(arn.account, call->context->account))
        return error_new(call->arena, ERROR_ACCESS_DENIED, "Access is denied");
    if (!slice_equal(arn.region, call->context->region))
        return backup_not_found(call->arena, text);
    *ret_arn = (struct backup_arn){text, arn.table, id};
    return NULL;
}

struct error *backup_arn_check(struct arena *arena, const struct backup_arn *arn,
                               const struct backup *backup,
                               struct table_definition *ret_definition) {
    if (!slice_present(backup->name))
        return backup_not_found(arena, arn->text);
    TRY(backup_table(arena, backup, ret_definition));
    if (!slice_equal(ret_definition->name, arn->table_name))
        return backup_not_found(arena, arn->text);
    return NULL;
}
