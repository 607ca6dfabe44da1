/* load_principal.c - reading the Principal or NotPrincipal of a statement:
 *
 *   "*"
 *   {"AWS": ["arn:aws:iam::123456789012:user/ann", "123456789012"], "Service": "...", ...}
 *
 * Services, federations and canonical users are nobody here: they are read, and match no caller. */
#include "policy/loader.h"

enum { ACCOUNT_DIGITS = 12 };

static bool is_account(struct slice text) {
    for (size_t i = 0; i < text.len; i++)
        if (text.data[i] < '0' || text.data[i] > '9')
            return false;
    return text.len == ACCOUNT_DIGITS;
}

/* Takes what stands before the next colon; absent: there is none. */
static struct slice take_part(struct slice *text) {
    const uint8_t *colon = text->len == 0 ? NULL : memchr(text->data, ':', text->len);
    if (colon == NULL)
        return SLICE_NONE;
    struct slice part = slice_first(*text, (size_t)(colon - text->data));
    *text = slice_skip(*text, part.len + 1);
    return part;
}

static bool names_someone(struct slice service, struct slice resource) {
    static const char *const iam[] = {"user/", "role/"};
    static const char *const sts[] = {"assumed-role/", "federated-user/"};
    const char *const *kinds = slice_is(service, "iam") ? iam : sts;
    if (!slice_is(service, "iam") && !slice_is(service, "sts"))
        return false;
    for (size_t i = 0; i < 2; i++)
        if (slice_starts_with(resource, slice_text(kinds[i])))
            return resource.len > strlen(kinds[i]) &&
                   memchr(resource.data, '*', resource.len) == NULL;
    return false;
}

/* arn:aws:iam::123456789012:user/ann. The root of an account is the account. */
static bool read_arn(struct slice text, struct principal *ret_principal) {
    struct slice rest = text;
    bool arn = slice_is(take_part(&rest), "arn");
    struct slice partition = take_part(&rest), service = take_part(&rest);
    struct slice region = take_part(&rest), account = take_part(&rest);
    if (!arn || partition.len == 0 || region.len > 0 || !is_account(account))
        return false;
    bool root = slice_is(service, "iam") && slice_is(rest, "root");
    if (!root && !names_someone(service, rest))
        return false;
    *ret_principal = root ? (struct principal){PRINCIPAL_ACCOUNT, account}
                          : (struct principal){PRINCIPAL_ARN, text};
    return true;
}

static bool read_aws(struct slice text, struct principal *ret_principal) {
    *ret_principal = (struct principal){PRINCIPAL_ACCOUNT, text};
    if (!slice_is(text, "*"))
        return is_account(text) || read_arn(text, ret_principal);
    ret_principal->kind = PRINCIPAL_EVERYONE;
    return true;
}

bool policy_is_principal(struct slice text) {
    struct principal principal;
    return read_aws(text, &principal);
}

static struct error *take_aws(struct policy_loader *loader, struct policy_statement *statement,
                              struct slice text) {
    struct principal principal;
    if (!read_aws(text, &principal))
        return policy_fault(loader,
                            "\"%.*s\" is no principal: an account's number, the ARN of a user, a "
                            "role, a session or a root, or * for everybody",
                            SLICE_ARGS(text));
    struct statement_principals *principals = &statement->principals;
    *POLICY_ADD(loader->arena, principals->list, principals->count) = principal;
    return NULL;
}

static struct error *take_nobody(struct policy_loader *loader, struct policy_statement *statement,
                                 struct slice text) {
    struct statement_principals *principals = &statement->principals;
    *POLICY_ADD(loader->arena, principals->list, principals->count) =
        (struct principal){PRINCIPAL_NOBODY, text};
    return NULL;
}

static policy_take *find_kind(struct slice name) {
    if (slice_is(name, "AWS"))
        return take_aws;
    bool known =
        slice_is(name, "Service") || slice_is(name, "Federated") || slice_is(name, "CanonicalUser");
    return known ? take_nobody : NULL;
}

struct error *policy_read_principals(struct policy_loader *loader,
                                     struct policy_statement *statement) {
    static const char wanted[] = "must be \"*\" or an object";
    statement->principals.inverted = slice_is(loader->element, "NotPrincipal");
    if (json_next(&loader->json) == JSON_STRING && slice_is(loader->json.text, "*"))
        return take_aws(loader, statement, loader->json.text);
    if (loader->json.token != JSON_OBJECT_BEGIN)
        return policy_shape_fault(loader, wanted);
    while (json_next(&loader->json) == JSON_NAME) {
        policy_take *take = find_kind(loader->json.text);
        if (take == NULL)
            return policy_fault(loader,
                                "%.*s is no kind of principal: AWS, Service, Federated or "
                                "CanonicalUser",
                                SLICE_ARGS(loader->json.text));
        TRY(policy_read_strings(loader, take, statement));
    }
    if (loader->json.token != JSON_OBJECT_END || statement->principals.count == 0)
        return policy_shape_fault(loader, wanted);
    return NULL;
}
