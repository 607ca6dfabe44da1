/* simulate_ops.c - SimulateCustomPolicy and SimulatePrincipalPolicy: each action on each resource,
 * page by page. */
#include "identity/page.h"
#include "identity/request.h"
#include "identity/simulation.h"

/* A page holds what can be decided within this much reading of documents, and one at least: the
 * rest comes with its marker. */
enum { PAGE_BYTES_MAX = 4 * 1024 * 1024, DOCUMENT_MAX = 131072, ARN_MAX = 2048, MARKER_MAX = 9 };

static const struct input_field context_fields[] = {
    INPUT("ContextKeyName", INPUT_TEXT, .min = 5, .max = 256),
    INPUT("ContextKeyValues", INPUT_LIST, .items = INPUT_TEXT),
    INPUT("ContextKeyType", INPUT_TEXT,
          .words = "[string, stringList, numeric, numericList, boolean, booleanList, ip, ipList, "
                   "binary, binaryList, date, dateList]"),
    INPUT_END,
};

#define INPUT_DOCUMENTS(name, ...)                                                        \
    INPUT(name, INPUT_LIST, .items = INPUT_TEXT, .item_min = 1, .item_max = DOCUMENT_MAX, \
          __VA_ARGS__)

/* What is asked, of whomever. */
#define INPUT_QUESTION                                                                         \
    INPUT_DOCUMENTS("PermissionsBoundaryPolicyInputList", .max = 1),                           \
        INPUT("ActionNames", INPUT_LIST, .required = true, .min = 1, .items = INPUT_TEXT,      \
              .item_min = 3, .item_max = 128),                                                 \
        INPUT("ResourceArns", INPUT_LIST, .items = INPUT_TEXT, .item_min = 1,                  \
              .item_max = ARN_MAX),                                                            \
        INPUT("ResourcePolicy", INPUT_TEXT, .min = 1, .max = DOCUMENT_MAX),                    \
        INPUT("ResourceOwner", INPUT_TEXT, .min = 1, .max = ARN_MAX),                          \
        INPUT("CallerArn", INPUT_TEXT, .min = 1, .max = ARN_MAX),                              \
        INPUT("ContextEntries", INPUT_LIST, .items = INPUT_OBJECT, .members = context_fields), \
        INPUT_PAGE

static const struct input_field custom_fields[] = {
    INPUT_DOCUMENTS("PolicyInputList", .required = true, .min = 1),
    INPUT_QUESTION,
    INPUT_END,
};

static const struct input_field principal_fields[] = {
    INPUT("PolicySourceArn", INPUT_TEXT, .required = true, .min = 20, .max = ARN_MAX),
    INPUT_DOCUMENTS("PolicyInputList", .min = 0),
    INPUT_QUESTION,
    INPUT_END,
};

/* ---- who asks ---- */

static struct error *no_entity(const struct service_call *call, struct slice arn) {
    return error_new(call->arena, ERROR_IAM_INVALID_INPUT,
                     "Invalid Entity Arn: %.*s does not clearly define entity type and name.",
                     SLICE_ARGS(arn));
}

/* arn:aws:iam::ACCOUNT:KIND/NAME. */
static bool split(struct slice arn, const char *kind, struct slice *ret_account,
                  struct slice *ret_name) {
    const struct slice head = SLICE_LITERAL("arn:aws:iam::");
    struct slice rest = slice_starts_with(arn, head) ? slice_skip(arn, head.len) : SLICE_NONE;
    size_t len = strlen(kind);
    if (rest.len <= 12 + len + 2 || rest.data[12] != ':' ||
        memcmp(rest.data + 13, kind, len) != 0 || rest.data[13 + len] != '/')
        return false;
    *ret_account = slice_first(rest, 12);
    *ret_name = slice_skip(rest, 13 + len + 1);
    return ret_name->len > 0;
}

/* A user, of whichever account, whom a policy of the resource may name. */
static struct error *set_caller(struct simulation *simulation) {
    const struct service_call *call = simulation->call;
    struct slice arn = input_text(call->input, "CallerArn");
    struct caller *caller = &simulation->caller;
    if (slice_present(arn)) {
        if (!split(arn, "user", &caller->account, &caller->name))
            return no_entity(call, arn);
        caller->kind = CALLER_USER;
        caller->arn = caller->principal_arn = arn;
    }
    if (input_has(call->input, "ResourcePolicy") && !slice_present(caller->arn))
        return error_new(call->arena, ERROR_IAM_INVALID_INPUT,
                         "Invalid caller - Caller cannot be null or empty.");
    return NULL;
}

/* ---- answering ---- */

static struct error *read_marker(const struct service_call *call, size_t *ret_from) {
    struct slice marker = input_text(call->input, "Marker");
    size_t from = 0;
    for (size_t i = 0; i < marker.len; i++) {
        if (marker.data[i] < '0' || marker.data[i] > '9' || i == MARKER_MAX)
            return error_new(call->arena, ERROR_VALIDATION, "Invalid Marker.");
        from = from * 10 + (size_t)(marker.data[i] - '0');
    }
    *ret_from = from;
    return NULL;
}

static size_t page_size(const struct simulation *simulation) {
    size_t wanted = (size_t)input_integer(simulation->call->input, "MaxItems", PAGE_ITEMS_DEFAULT);
    size_t able = PAGE_BYTES_MAX / (simulation->bytes + 1);
    return able == 0 ? 1 : able < wanted ? able : wanted;
}

static const struct slice *texts_of(const struct service_call *call, const char *member,
                                    size_t *ret_count) {
    size_t count = 0;
    struct slice *texts =
        ARENA_ARRAY(call->arena, struct slice, input_count(call->input, member) + 1);
    for (const struct json_value *item = input_items(call->input, member); item != NULL;
         item = item->next)
        texts[count++] = item->text;
    if (count == 0)
        texts[count++] = SLICE_LITERAL("*");
    *ret_count = count;
    return texts;
}

static struct error *simulate(struct simulation *simulation) {
    struct service_call *call = simulation->call;
    size_t action_count, resource_count, at = 0;
    TRY(simulation_add_given(simulation));
    TRY(set_caller(simulation));
    TRY(read_marker(call, &at));
    simulation_finish(simulation);
    const struct slice *actions = texts_of(call, "ActionNames", &action_count);
    const struct slice *resources = texts_of(call, "ResourceArns", &resource_count);
    size_t count = action_count * resource_count, left = page_size(simulation);
    answer_list(call->answer, "EvaluationResults");
    for (; at < count && left > 0; at++, left--) {
        TRY(error_if_full(call->arena, 0));
        simulation_write(simulation, actions[at / resource_count], resources[at % resource_count]);
    }
    answer_end(call->answer);
    answer_bool(call->answer, "IsTruncated", at < count);
    if (at < count)
        answer_text(call->answer, "Marker", arena_printf(call->arena, "%zu", at));
    return NULL;
}

/* ---- operations ---- */

static struct error *simulate_custom_policy(struct service_call *call) {
    struct simulation *simulation = simulation_new(call, 0);
    simulation->caller = (struct caller){.kind = CALLER_USER, .account = call->account};
    return simulate(simulation);
}

static void add_principal(struct simulation *simulation, const struct principal *principal) {
    struct arena *arena = simulation->call->arena;
    const struct identity *identity = simulation->call->state;
    const char *word = principal->kind == PRINCIPAL_USER ? "user" : "role";
    for (size_t i = 0; i < principal->policy_count; i++) {
        const struct named_policy *each = &principal->policies[i];
        struct slice id = arena_printf(arena, "%s_%.*s_%.*s", word, SLICE_ARGS(principal->name),
                                       SLICE_ARGS(each->name));
        simulation_add(simulation,
                       &(struct simulated_policy){each->policy, POLICY_SIDE_IDENTITY, id});
        simulation->bytes += each->document.len;
    }
    const struct policy *common = common_policy_now(identity->common);
    if (common != NULL)
        simulation_add(simulation, &(struct simulated_policy){common, POLICY_SIDE_IDENTITY,
                                                              SLICE_LITERAL("--policy")});
    if (principal->boundary.policy != NULL)
        simulation_add(simulation,
                       &(struct simulated_policy){principal->boundary.policy, POLICY_SIDE_BOUNDARY,
                                                  SLICE_LITERAL("boundary")});
}

/* Whose ARN it is, there or not. */
static struct error *read_source(const struct service_call *call, enum principal_kind *ret_kind,
                                 struct slice *ret_name) {
    struct slice arn = input_text(call->input, "PolicySourceArn"), account, name;
    enum principal_kind kind =
        split(arn, "user", &account, &name) ? PRINCIPAL_USER : PRINCIPAL_ROLE;
    if (kind == PRINCIPAL_ROLE && !split(arn, "role", &account, &name))
        return no_entity(call, arn);
    if (!slice_equal(account, call->account))
        return identity_no_such(call, kind, name);
    *ret_kind = kind;
    *ret_name = name;
    return NULL;
}

/* Of a role any session, whatever it is called. */
static struct caller caller_of(const struct service_call *call, const struct iam *iam,
                               const struct principal *source) {
    if (source->kind == PRINCIPAL_USER)
        return iam_caller_of_user(iam, source);
    struct caller caller = iam_caller_of_role(iam, source);
    caller.arn = arena_printf(call->arena, "arn:aws:sts::%.*s:assumed-role/%.*s/any",
                              SLICE_ARGS(call->account), SLICE_ARGS(source->name));
    return caller;
}

static struct error *simulate_principal_policy(struct service_call *call) {
    CLEANUP(directory_release) struct directory *now = NULL;
    enum principal_kind kind = PRINCIPAL_USER;
    struct slice name = SLICE_NONE;
    struct iam *iam;
    TRY(identity_iam(call, &iam));
    TRY(identity_look(call, &now));
    TRY(read_source(call, &kind, &name));
    const struct principal *source = directory_find(now, kind, name);
    if (source == NULL)
        return identity_no_such(call, kind, name);
    struct simulation *simulation = simulation_new(call, source->policy_count + 2);
    simulation->caller = caller_of(call, iam, source);
    add_principal(simulation, source);
    return simulate(simulation);
}

static struct slice source_arn(const struct service_call *call, size_t number) {
    return number == 0 ? input_text(call->input, "PolicySourceArn") : SLICE_NONE;
}

const struct service_op identity_simulate_custom_policy = {
    "SimulateCustomPolicy", simulate_custom_policy, custom_fields, 0, NULL};
const struct service_op identity_simulate_principal_policy = {
    "SimulatePrincipalPolicy", simulate_principal_policy, principal_fields, 0, source_arn};
