/* gramme_client.h - a DynamoDB client for C. It talks to gramme, and to the AWS service.
 *
 *     #include <gramme_client.h>
 *     #include <stdio.h>
 *
 *     int main(void) {
 *         struct ddb_client *db = ddb_client_new(NULL); // endpoint, region, keys: as the AWS CLI
 *
 *         struct ddb_item *song = ddb_item_new();
 *         ddb_item_set_string(song, "artist", "Nina Simone");
 *         ddb_item_set_int(song, "year", 1965);
 *         bool ok = ddb_put_item(db, &(struct ddb_write){.table = "music", .item = song}, NULL);
 *         ddb_item_free(song);
 *
 *         struct ddb_item *values = ddb_item_new();
 *         ddb_item_set_string(values, ":a", "Nina Simone");
 *         struct ddb_query by_artist = {
 *             .table = "music", .key_condition = "artist = :a", .values = values};
 *         struct ddb_cursor *songs = ok ? ddb_query(db, &by_artist) : NULL;
 *         for (const struct ddb_item *item; (item = ddb_cursor_next(songs)) != NULL;)
 *             printf("%s %s\n", ddb_item_string(item, "artist", "?"),
 *                    ddb_item_number(item, "year", "?"));
 *         ddb_cursor_free(songs);
 *         ddb_item_free(values);
 *
 *         const struct ddb_error *error = ddb_client_error(db);
 *         if (error != NULL)
 *             fprintf(stderr, "%s: %s\n", error->type, error->message);
 *         int status = error == NULL ? 0 : 1;
 *         ddb_client_free(db);
 *         return status;
 *     }
 *
 *     cc songs.c $(pkg-config --cflags --libs gramme-client)
 *
 * Success and failure. A call that can fail returns true or a pointer on success, false or NULL on
 * failure; ddb_client_error() then tells what happened. It speaks of the latest call that had this
 * client, or a cursor of it, in its hands.
 *
 * Ownership. What a function named _new, _copy or _parse returns, and every item that a call hands
 * out through a `ret_` parameter, is yours: free it. Everything that is `const` belongs to the
 * thing you got it from, and lives as long as that does, or as long as the comment says. What you
 * pass in stays yours and is copied where it must live on. Every _free function takes NULL.
 *
 * Structs of parameters. Start from zeroes, as a compound literal does: zero is always the usual
 * choice, and fields may be added at their end in later versions.
 *
 * Threads. A client, and its cursors, belong to one thread at a time: make one client for each
 * thread. Items belong to nobody but you; they may move between threads.
 *
 * Text is UTF-8 and ends with a NUL, except where a size is given. Running out of memory ends the
 * program. */
#ifndef GRAMME_CLIENT_H
#define GRAMME_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define DDB_API __attribute__((visibility("default")))
#define DDB_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define DDB_API
#define DDB_PRINTF(text, first)
#endif

/* The version of this header, and whether it is one with what a program needs. Versions follow
 * Semantic Versioning. Until 1.0 each minor version may change the interface, and the shared
 * library's name has it: libgramme-client.so.0.1. */
#define DDB_VERSION "0.1.0"
#define DDB_VERSION_MAJOR 0
#define DDB_VERSION_MINOR 1
#define DDB_VERSION_PATCH 0
#define DDB_VERSION_AT_LEAST(major, minor, patch) \
    (DDB_VERSION_MAJOR > (major) ||               \
     (DDB_VERSION_MAJOR == (major) &&             \
      (DDB_VERSION_MINOR > (minor) ||             \
       (DDB_VERSION_MINOR == (minor) && DDB_VERSION_PATCH >= (patch)))))

struct ddb_client; /* a connection and its settings */
struct ddb_item;   /* attributes by name: an item, a key, the values of an expression, a map */
struct ddb_list;   /* values in order: a list, or the members of a set */
struct ddb_value;  /* one attribute's value */
struct ddb_cursor; /* the items of a query, a scan, a batch of gets or a statement */
struct ddb_stream; /* the changes of a table, as they come */

/* ---- the client ---- */

/* What is NULL or 0 is looked up or has a default.
 *   endpoint     AWS_ENDPOINT_URL_DYNAMODB, AWS_ENDPOINT_URL, `endpoint_url` of the profile's
 *                `services` or of the profile, else the service in the region
 *   region       AWS_REGION, AWS_DEFAULT_REGION, else `region` of the profile
 *   credentials  AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, else those of the
 *                profile, else what its `credential_process` prints, which is run again before that
 *                expires. Options, environment and profile are not mixed with each other; where the
 *                option `profile` is set, the environment's are passed over.
 *   profile      AWS_PROFILE, else "default"; looked up in ~/.aws/credentials and ~/.aws/config, or
 *                in AWS_SHARED_CREDENTIALS_FILE and AWS_CONFIG_FILE
 * A gramme server that does not check signatures is content with any region and any keys. */
struct ddb_options {
    const char *endpoint; /* http://localhost:8000 */
    const char *region;   /* us-east-1 */
    const char *access_key_id;
    const char *secret_access_key;
    const char *session_token; /* of temporary credentials */
    const char *profile;
    const char *ca_file;    /* to trust: AWS_CA_BUNDLE, the profile's ca_bundle, the system's */
    int connect_timeout_ms; /* 3000 */
    int request_timeout_ms; /* 30000, for one attempt, connecting included */
    int attempts_max;       /* AWS_MAX_ATTEMPTS, else 6; 1 never tries again */
    int backoff_base_ms;    /* 50: the n-th wait is random, up to base * 2^(n-1) */
    int backoff_max_ms;     /* 5000, however many attempts there were */
    size_t reply_size_max;  /* 64 MB; a longer reply is an error */
    /* "dynamodb"; "monitoring" for calls to GraniteServiceVersion20100801, and so on */
    const char *signing_name;
    int call_timeout_ms; /* no limit; else of a call or a cursor's page, all attempts included */
    int retry_budget;    /* 500; -1 has no bottom: see "Trying again" */
    /* For a server that asks clients for certificates: PEM files; the key may be in the first. */
    const char *client_cert_file;
    const char *client_key_file;
};

/* Never NULL. When a setting is missing or wrong, ddb_client_error() says which, and every call
 * with this client fails with the same error. Nothing is sent before the first call. */
DDB_API struct ddb_client *ddb_client_new(const struct ddb_options *options);
DDB_API void ddb_client_free(struct ddb_client *client);

/* Everything that this client does from now on, whole cursors and waits included, must be done
 * after so many milliseconds: no attempt lasts longer, no wait is begun that does, and then every
 * call fails with DDB_ERROR_TIMEOUT. 0 or less takes the limit away again. */
DDB_API void ddb_client_set_deadline(struct ddb_client *client, int64_t timeout_ms);

/* The version of the library that the program runs with. */
DDB_API const char *ddb_version(void);

/* ---- errors ---- */

enum ddb_error_kind {
    DDB_ERROR_CONFIG,  /* an option, a variable or a profile is missing or wrong */
    DDB_ERROR_INPUT,   /* the call was not sent, because a parameter is wrong */
    DDB_ERROR_NETWORK, /* no connection, or it broke */
    DDB_ERROR_TIMEOUT,
    DDB_ERROR_SERVICE, /* the server answered with an error */
    DDB_ERROR_REPLY,   /* the server's answer is too long or not DynamoDB's */
};

/* Why a transaction was cancelled; one for each of its actions, in order. */
struct ddb_reason {
    const char *code;            /* "None" for an action that would have worked */
    const char *message;         /* "" where there is none */
    const struct ddb_item *item; /* with return_item_on_failure, else NULL */
};

struct ddb_error {
    enum ddb_error_kind kind;
    const char *type;       /* "ConditionalCheckFailedException"; "ClientError" when not SERVICE */
    const char *message;    /* never NULL; says which action of a transaction failed, and why */
    int http_status;        /* 0 when there was no reply */
    const char *request_id; /* "" when there was no reply */
    int attempts;           /* how often the request was sent */
    /* The write may have happened all the same: an attempt ended without a clear answer (see
     * "Trying again" below). */
    bool maybe_applied;
    /* ConditionalCheckFailedException with return_item_on_failure: the item as it is, else NULL. */
    const struct ddb_item *item;
    const struct ddb_reason *reasons; /* TransactionCanceledException, else NULL */
    size_t reason_count;
    /* The same call may work a moment later: throttled, in a conflict with another transaction, no
     * connection, a time-out, an error of the server's own. Where maybe_applied is set, too, find
     * out first. */
    bool retryable;
};

/* About the latest call; NULL when it succeeded. Valid until the next call. */
DDB_API const struct ddb_error *ddb_client_error(const struct ddb_client *client);
/* Whether the latest call failed with this type: "ConditionalCheckFailedException". */
DDB_API bool ddb_client_failed_with(const struct ddb_client *client, const char *type);

/* Trying again. Throttling, and a connection that cannot be made, are tried again: nothing has
 * happened. After a broken connection, a time-out or a reply of 500 and above nobody knows whether
 * the request was carried out. Then
 *   - reads are tried again;
 *   - transactions are tried again, under the same token, so that they happen once;
 *   - PutItem, DeleteItem and BatchWriteItem are tried again: the second one writes the same. With
 *     a condition, the second one may meet what the first one wrote and fail; such a
 *     ConditionalCheckFailedException has maybe_applied set. What ALL_OLD returns can also be the
 *     first one's work;
 *   - UpdateItem and PartiQL statements are not, as ADD would add twice. The error has
 *     maybe_applied set. Set `idempotent` where twice is as good as once.
 * Every wait is random between 0 and a bound that doubles. No wait goes past a deadline.
 *
 * A client that fails all the time must not make things worse: a budget of 500 tokens pays for
 * second attempts, 5 for one and 10 after a time-out. When such an attempt succeeds, what it cost
 * comes back; a call that works at once brings 1. Without enough tokens the error is told at
 * once. */

/* ---- any operation ---- */

/* Sends the JSON text as it is, for operations that have no function here: CreateTable,
 * DescribeTable, TagResource. Returns the reply's JSON text, valid until the next call, or NULL.
 * `operation` is its plain name; another target, of DynamoDB Streams, is written with a dot:
 * "DynamoDBStreams_20120810.GetRecords". Tried again as told above, by the operation's name;
 * ambiguous ends of TransactWriteItems and ExecuteTransaction are not. */
DDB_API const char *ddb_call(struct ddb_client *client, const char *operation, const char *json);
/* The same without writing JSON: the parameters are an item whose strings, numbers, maps and lists
 * become JSON's own (or NULL: none), and so is the reply, which is yours. What the reply says of
 * the attributes of items is in DynamoDB's form, a map {S: "x"}. `ret_reply` may be NULL. */
DDB_API bool ddb_call_document(struct ddb_client *client, const char *operation,
                               const struct ddb_item *parameters, struct ddb_item **ret_reply);

/* All that a List operation lists, page after page: "ListTables", "ListBackups",
 * "ListTagsOfResource", "DynamoDBStreams_20120810.ListStreams". Each item is an object of the list;
 * of a list of texts it has one attribute, named without the final s: TableName. NULL on failure;
 * goes on as the cursors below. */
DDB_API struct ddb_cursor *ddb_call_pages(struct ddb_client *client, const char *operation,
                                          const struct ddb_item *parameters);

/* ---- waiting ---- */

enum ddb_state {
    DDB_TABLE_ACTIVE,
    DDB_TABLE_GONE,
    DDB_INDEX_ACTIVE,     /* and its table; without a name all indexes are */
    DDB_INDEX_GONE,       /* and its table is active */
    DDB_BACKUP_AVAILABLE, /* these by their ARNs */
    DDB_EXPORT_COMPLETED,
    DDB_IMPORT_COMPLETED,
};

struct ddb_wait {
    enum ddb_state until;
    const char *table;
    const char *index;
    const char *arn;
    int64_t timeout_ms; /* 300000 */
    int delay_ms;       /* 50: between the first two looks; random waits, whose bound doubles */
    int delay_max_ms;   /* 5000 */
    bool must_exist;    /* one that is not there is an error, and not what may still come */
    /* Or NULL. Called before each wait; false ends the waiting, as the time-out does. */
    bool (*go_on)(void *context);
    void *context;
};

/* Asks again and again. False with DDB_ERROR_TIMEOUT when it takes too long, with the error's
 * message telling what was seen last; with another error when it will never be so. */
DDB_API bool ddb_wait(struct ddb_client *client, const struct ddb_wait *wait);

/* ---- building items ---- */

enum ddb_type {
    DDB_NONE, /* no such attribute */
    DDB_S,
    DDB_N,
    DDB_B,
    DDB_BOOL,
    DDB_NULL,
    DDB_SS,
    DDB_NS,
    DDB_BS,
    DDB_L,
    DDB_M,
};

struct ddb_bytes {
    const void *data;
    size_t size;
};

DDB_API struct ddb_item *ddb_item_new(void);
DDB_API struct ddb_item *ddb_item_copy(const struct ddb_item *item);
/* From DynamoDB's JSON, {"pk": {"S": "x"}}. When the text is wrong, the item is what was read so
 * far, and ddb_item_error() tells where it stopped. Never NULL. */
DDB_API struct ddb_item *ddb_item_parse(const char *json);
/* DynamoDB's JSON; free() it. Never NULL. */
DDB_API char *ddb_item_json(const struct ddb_item *item);
DDB_API void ddb_item_free(struct ddb_item *item); /* not for maps inside another item */

/* Each sets one attribute and replaces what was there. A mistake (a number that is none, an empty
 * set, nesting deeper than 32) is kept: ddb_item_error() tells it, and the call that is given the
 * item fails with it. So build first, check once. */
DDB_API void ddb_item_set_string(struct ddb_item *item, const char *name, const char *text);
DDB_API void ddb_item_set_text(struct ddb_item *item, const char *name, const char *text,
                               size_t size);
/* Numbers are decimals of up to 38 digits and stay text: "19.99", "-1e-7". */
DDB_API void ddb_item_set_number(struct ddb_item *item, const char *name, const char *number);
DDB_API void ddb_item_set_int(struct ddb_item *item, const char *name, int64_t number);
/* The shortest decimal that reads back as the same double: 0.1 is "0.1". Money is better kept as
 * text or as an integer. */
DDB_API void ddb_item_set_double(struct ddb_item *item, const char *name, double number);
/* A string, as by printf(). */
DDB_API void ddb_item_set_format(struct ddb_item *item, const char *name, const char *format, ...)
    DDB_PRINTF(3, 4);
DDB_API void ddb_item_set_binary(struct ddb_item *item, const char *name, const void *data,
                                 size_t size);
DDB_API void ddb_item_set_bool(struct ddb_item *item, const char *name, bool truth);
DDB_API void ddb_item_set_null(struct ddb_item *item, const char *name);
DDB_API void ddb_item_set_strings(struct ddb_item *item, const char *name, const char *const *texts,
                                  size_t count);
DDB_API void ddb_item_set_numbers(struct ddb_item *item, const char *name,
                                  const char *const *numbers, size_t count);
DDB_API void ddb_item_set_ints(struct ddb_item *item, const char *name, const int64_t *numbers,
                               size_t count);
DDB_API void ddb_item_set_binaries(struct ddb_item *item, const char *name,
                                   const struct ddb_bytes *binaries, size_t count);
/* An empty map or list, to fill; it belongs to the item, and is gone when the attribute is set
 * again. Never NULL. */
DDB_API struct ddb_item *ddb_item_set_map(struct ddb_item *item, const char *name);
DDB_API struct ddb_list *ddb_item_set_list(struct ddb_item *item, const char *name);
DDB_API void ddb_item_set_value(struct ddb_item *item, const char *name,
                                const struct ddb_value *value); /* copies; NULL removes */
/* From plain JSON, as programs and people write it: a string becomes S, a number N, true and false
 * BOOL, null NULL, an array L, an object M; where an object has a name twice, the later one counts.
 * When the text is wrong, ddb_item_error() says where: line 3: this is not JSON. */
DDB_API void ddb_item_set_document(struct ddb_item *item, const char *name, const char *json,
                                   size_t size);
DDB_API void ddb_item_remove(struct ddb_item *item, const char *name);
/* Removes everything, mistakes included, and gives memory back: for an item that is used again. */
DDB_API void ddb_item_clear(struct ddb_item *item);

/* A list of its own, for the parameters of a statement. */
DDB_API struct ddb_list *ddb_list_new(void);
DDB_API void ddb_list_free(struct ddb_list *list); /* not for lists inside an item */

DDB_API void ddb_list_add_string(struct ddb_list *list, const char *text);
DDB_API void ddb_list_add_text(struct ddb_list *list, const char *text, size_t size);
DDB_API void ddb_list_add_number(struct ddb_list *list, const char *number);
DDB_API void ddb_list_add_int(struct ddb_list *list, int64_t number);
DDB_API void ddb_list_add_double(struct ddb_list *list, double number);
DDB_API void ddb_list_add_binary(struct ddb_list *list, const void *data, size_t size);
DDB_API void ddb_list_add_bool(struct ddb_list *list, bool truth);
DDB_API void ddb_list_add_null(struct ddb_list *list);
DDB_API struct ddb_item *ddb_list_add_map(struct ddb_list *list);
DDB_API struct ddb_list *ddb_list_add_list(struct ddb_list *list);
DDB_API void ddb_list_add_value(struct ddb_list *list, const struct ddb_value *value); /* copies */

/* ---- reading items ---- */

/* With a default, for attributes that may be absent or of another type. An int64_t also takes its
 * default when the number has a fraction or does not fit; a double is the nearest one. Texts and
 * bytes live in the item. NULL as an item has no attributes, so that reading into maps needs no
 * checks between: ddb_item_string(ddb_item_map(item, "address"), "city", "?"). */
DDB_API const char *ddb_item_string(const struct ddb_item *item, const char *name,
                                    const char *otherwise);
DDB_API const char *ddb_item_number(const struct ddb_item *item, const char *name,
                                    const char *otherwise);
DDB_API int64_t ddb_item_int(const struct ddb_item *item, const char *name, int64_t otherwise);
DDB_API double ddb_item_double(const struct ddb_item *item, const char *name, double otherwise);
DDB_API bool ddb_item_bool(const struct ddb_item *item, const char *name, bool otherwise);
/* Bytes, a map, a list or a set: NULL when the attribute is none. */
DDB_API const void *ddb_item_binary(const struct ddb_item *item, const char *name,
                                    size_t *ret_size);
DDB_API const struct ddb_item *ddb_item_map(const struct ddb_item *item, const char *name);
DDB_API const struct ddb_list *ddb_item_list(const struct ddb_item *item, const char *name);

/* Of attributes that must be there. When one is absent or of another type these return "", 0,
 * false or NULL, and ddb_item_error() says, e.g.: attribute "year" is a string (S), not a number
 * (N). Read all, then check once. */
DDB_API const char *ddb_item_need_string(const struct ddb_item *item, const char *name);
DDB_API const char *ddb_item_need_number(const struct ddb_item *item, const char *name);
DDB_API int64_t ddb_item_need_int(const struct ddb_item *item, const char *name);
DDB_API double ddb_item_need_double(const struct ddb_item *item, const char *name);
DDB_API bool ddb_item_need_bool(const struct ddb_item *item, const char *name);
DDB_API const void *ddb_item_need_binary(const struct ddb_item *item, const char *name,
                                         size_t *ret_size);
DDB_API const struct ddb_item *ddb_item_need_map(const struct ddb_item *item, const char *name);
DDB_API const struct ddb_list *ddb_item_need_list(const struct ddb_item *item, const char *name);

/* The first mistake that was made while building or reading the item, its maps and its lists; NULL
 * when there was none. Mistakes of reading do not keep the item from being sent. NULL as an item
 * is a mistake itself. */
DDB_API const char *ddb_item_error(const struct ddb_item *item);

/* Any attribute: by name (NULL when absent), or by position from 0 to ddb_item_count() - 1. */
DDB_API const struct ddb_value *ddb_item_value(const struct ddb_item *item, const char *name);
DDB_API size_t ddb_item_count(const struct ddb_item *item);
DDB_API const char *ddb_item_name_at(const struct ddb_item *item, size_t at);
DDB_API const struct ddb_value *ddb_item_value_at(const struct ddb_item *item, size_t at);

/* The elements of a list, or the members of a set, which are strings, numbers or binaries. NULL as
 * a list has none; NULL is returned past the end. */
DDB_API size_t ddb_list_count(const struct ddb_list *list);
DDB_API const struct ddb_value *ddb_list_at(const struct ddb_list *list, size_t at);
DDB_API const char *ddb_list_error(const struct ddb_list *list);

/* NULL as a value is absent: DDB_NONE, and the default. */
DDB_API enum ddb_type ddb_value_type(const struct ddb_value *value);
DDB_API const char *ddb_value_string(const struct ddb_value *value, const char *otherwise);
DDB_API const char *ddb_value_number(const struct ddb_value *value, const char *otherwise);
DDB_API int64_t ddb_value_int(const struct ddb_value *value, int64_t otherwise);
DDB_API double ddb_value_double(const struct ddb_value *value, double otherwise);
DDB_API bool ddb_value_bool(const struct ddb_value *value, bool otherwise);
DDB_API const struct ddb_item *ddb_value_map(const struct ddb_value *value);
DDB_API const struct ddb_list *ddb_value_list(const struct ddb_value *value);
/* The bytes of a string, a number or a binary, with their size; NULL for other types. */
DDB_API const void *ddb_value_bytes(const struct ddb_value *value, size_t *ret_size);
/* Plain JSON on one line, names in alphabetical order; sets are arrays, binary is base64. Never
 * NULL; free() it. */
DDB_API char *ddb_value_document(const struct ddb_value *value);

/* ---- writing ---- */

enum ddb_return {
    DDB_RETURN_NOTHING,
    DDB_RETURN_ALL_OLD,
    DDB_RETURN_ALL_NEW, /* this one and those below: UpdateItem only */
    DDB_RETURN_UPDATED_OLD,
    DDB_RETURN_UPDATED_NEW,
};

/* What an element of a batch or a transaction does. */
enum ddb_action {
    DDB_PUT,
    DDB_UPDATE, /* transactions only */
    DDB_DELETE,
    DDB_CHECK, /* the condition only; transactions only */
};

struct ddb_write {
    const char *table;
    const struct ddb_item *item;   /* put: the whole item */
    const struct ddb_item *key;    /* update, delete, check: the key attributes */
    const char *update;            /* update: "SET #n = :n ADD plays :one" */
    const char *condition;         /* "attribute_not_exists(pk)", or NULL */
    const char *const *names;      /* {"#n", "name", "#y", "year", NULL} */
    const struct ddb_item *values; /* :n, :one and their values */
    enum ddb_return return_values; /* not in batches and transactions */
    bool return_item_on_failure;   /* when the condition fails, the error has the item */
    bool idempotent;               /* twice is as good as once: see "Trying again" */
    enum ddb_action action;        /* in batches and transactions */
};

/* `ret_attributes` takes what return_values asks for: your item, or NULL where there is none. It
 * may itself be NULL. */
DDB_API bool ddb_put_item(struct ddb_client *client, const struct ddb_write *put,
                          struct ddb_item **ret_attributes);
DDB_API bool ddb_update_item(struct ddb_client *client, const struct ddb_write *update,
                             struct ddb_item **ret_attributes);
DDB_API bool ddb_delete_item(struct ddb_client *client, const struct ddb_write *deletion,
                             struct ddb_item **ret_attributes);

/* Puts and deletes, as many as you like, of any tables: sent 25 at a time; what the server leaves
 * unprocessed is sent again after a wait. One request may not name an item twice, so do not put
 * an item twice within 25 writes. On failure all writes before `*ret_done` have happened, and some
 * of the 25 after it may have. `ret_done` may be NULL. */
DDB_API bool ddb_batch_write_items(struct ddb_client *client, const struct ddb_write *writes,
                                   size_t count, size_t *ret_done);

/* Up to 100 actions, all or nothing. The token makes it happen once, however often it is sent
 * within ten minutes; NULL makes one for this call. When it is cancelled, the error has a reason
 * for each action. */
DDB_API bool ddb_transact_write_items(struct ddb_client *client, const struct ddb_write *actions,
                                      size_t count, const char *token);

/* ---- reading ---- */

struct ddb_get {
    const char *table;
    const struct ddb_item *key;
    bool consistent;
    const char *projection; /* "#n, address.city", or NULL for everything */
    const char *const *names;
};

/* True with NULL in `*ret_item` when there is no such item. */
DDB_API bool ddb_get_item(struct ddb_client *client, const struct ddb_get *get,
                          struct ddb_item **ret_item);
/* Up to 100 items as of one moment. Fills `ret_items`, an array of `count`: yours, each may be
 * NULL. Untouched on failure. */
DDB_API bool ddb_transact_get_items(struct ddb_client *client, const struct ddb_get *gets,
                                    size_t count, struct ddb_item **ret_items);

struct ddb_batch_get {
    const char *table;
    struct ddb_item *const *keys; /* as many as you like, each once; 100 at a time are sent */
    size_t key_count;
    bool consistent;
    const char *projection;
    const char *const *names;
};

/* Query and Scan. */
struct ddb_query {
    const char *table;
    const char *index;         /* or NULL: the table itself */
    const char *key_condition; /* Query only: "artist = :a AND #y > :y" */
    const char *filter;
    const char *projection;
    const char *const *names;
    const struct ddb_item *values;
    const struct ddb_item *start_key; /* of a former ddb_cursor_position(); NULL: the beginning */
    int64_t limit;                    /* items that the cursor gives; 0: all */
    int page_size;                    /* items that one request looks at; 0: 1 MB of them */
    bool consistent;
    bool descending;    /* Query only */
    bool count_only;    /* no items, see ddb_cursor_count() */
    int segment;        /* Scan only: this one, from 0, ... */
    int total_segments; /* ... of so many; 0: no segments */
};

struct ddb_statement {
    const char *text;                  /* SELECT * FROM music WHERE artist = ? */
    const struct ddb_list *parameters; /* or NULL */
    bool consistent;
    int page_size;
    bool return_item_on_failure;
    bool idempotent; /* a SELECT, or a change that may happen twice: see "Trying again" */
};

/* Each sends its first request at once, so that what is wrong shows here: NULL on failure. Free
 * the cursor before its client. */
DDB_API struct ddb_cursor *ddb_query(struct ddb_client *client, const struct ddb_query *query);
DDB_API struct ddb_cursor *ddb_scan(struct ddb_client *client, const struct ddb_query *scan);
/* In no particular order; keys without an item give none. */
DDB_API struct ddb_cursor *ddb_batch_get_items(struct ddb_client *client,
                                               const struct ddb_batch_get *get);
DDB_API struct ddb_cursor *ddb_execute_statement(struct ddb_client *client,
                                                 const struct ddb_statement *statement);
DDB_API void ddb_cursor_free(struct ddb_cursor *cursor);

/* The next item, fetching pages as needed. NULL after the last one, or on failure: only then does
 * ddb_client_error() have an error. The item is valid until the next call with this cursor;
 * ddb_item_copy() keeps it. A cursor that is NULL gives NULL, and leaves the error as it is. */
DDB_API const struct ddb_item *ddb_cursor_next(struct ddb_cursor *cursor);
/* Of all pages so far: items that the filter let through, and items that were looked at. With
 * count_only all pages are fetched by ddb_query() or ddb_scan(). */
DDB_API int64_t ddb_cursor_count(const struct ddb_cursor *cursor);
DDB_API int64_t ddb_cursor_scanned_count(const struct ddb_cursor *cursor);
/* Where a later query or scan goes on: its start_key. That is behind the page that the latest item
 * came from, so give all items of a page out first; without a filter a `limit` ends the page, too.
 * NULL when it was the last page. Valid until the next call with this cursor. */
DDB_API const struct ddb_item *ddb_cursor_position(const struct ddb_cursor *cursor);

/* ---- streams ---- */

/* What to read: the latest stream of a table, or a stream by its ARN, or the one of the position.
 * Where to begin: at the position; without one with all that is kept, which is 24 hours, or with
 * what comes from now on. */
struct ddb_stream_options {
    const char *table;
    const char *stream_arn;
    const char *position; /* of a former ddb_stream_position() */
    bool latest;          /* only what comes from now on */
    bool skip_trimmed;    /* go on with what is kept where records are gone that were not read */
    int page_size;        /* records that one request asks for; 0: 1000 */
};

enum ddb_event {
    DDB_INSERT,
    DDB_MODIFY,
    DDB_REMOVE,
};

struct ddb_record {
    enum ddb_event event;
    const char *event_id; /* the same when the record is read again */
    const char *shard_id;
    const char *sequence_number; /* grows within a shard */
    int64_t created_s;           /* about when it happened, in seconds since 1970 */
    bool expired;                /* removed by its time to live, and by nobody else */
    const struct ddb_item *keys;
    const struct ddb_item *old_image; /* these two as the stream's view type has them, else NULL */
    const struct ddb_item *new_image;
};

/* NULL on failure. Close the stream before its client. */
DDB_API struct ddb_stream *ddb_stream_open(struct ddb_client *client,
                                           const struct ddb_stream_options *options);
DDB_API void ddb_stream_close(struct ddb_stream *stream);

/* The next record of all shards, waiting up to so many milliseconds for one. NULL when none came,
 * or on failure: only then does ddb_client_error() have an error, and a later call tries again. The
 * changes of one item come in order. Valid until the next call with this stream.
 *
 * When records that were not read are gone, because the stream keeps 24 hours, the error is a
 * TrimmedDataAccessException; see skip_trimmed. */
DDB_API const struct ddb_record *ddb_stream_next(struct ddb_stream *stream, int64_t timeout_ms);

/* Where to go on another time: behind the latest record that was given. A text to keep, in the same
 * transaction as what was made of the record if need be; free() it. After a crash the records since
 * the position that was kept come once more. A shard that was begun with `latest` and had no record
 * yet begins with the latest again. */
DDB_API char *ddb_stream_position(const struct ddb_stream *stream);

/* Whether the stream has been disabled and all its records were given. */
DDB_API bool ddb_stream_finished(const struct ddb_stream *stream);

#ifdef __cplusplus
}
#endif

#endif
