/* posting_write.c - the writes of a posting: the transaction's item, its debit leg, its credit leg,
 * the two accounts, and for a reversal the transaction that is reversed. All of them happen or
 * none, and their conditions are what counts, whatever was read before. */
#include "posting_write.h"

#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>

#include "common/money.h"
#include "common/timestamp.h"

static const char *const names[] = {"#status", "Status", NULL};
static const char new_only[] = "attribute_not_exists(PK)";

enum { WRITES_MAX = 6, ITEMS_MAX = 2 * WRITES_MAX };

/* The writes, and the items that they point to. */
struct writes {
    struct ddb_write all[WRITES_MAX];
    size_t count;
    struct ddb_item *items[ITEMS_MAX];
    size_t item_count;
};

static struct ddb_item *keep(struct writes *writes, struct ddb_item *item) {
    writes->items[writes->item_count++] = item;
    return item;
}

static void add(struct writes *writes, struct ddb_write write) {
    write.table = LEDGER_TABLE;
    writes->all[writes->count++] = write;
}

void uuid_from_text(const char *purpose, const char *text, char ret_id[UUID_TEXT_SIZE]) {
    char whole[LEDGER_KEY_SIZE];
    uint8_t hash[EVP_MAX_MD_SIZE] = {0};
    int size = snprintf(whole, sizeof(whole), "%s#%s", purpose, text);
    EVP_Digest(whole, (size_t)size, hash, NULL, EVP_sha256(), NULL);
    uuid_format(hash, 8, ret_id);
}

/* ---- the transaction ---- */

static void set_if(struct ddb_item *item, const char *name, const char *value) {
    if (value != NULL)
        ddb_item_set_string(item, name, value);
}

static void add_transaction(struct writes *writes, const struct posting *posting, bool pending,
                            const char *time) {
    struct ddb_item *item = keep(writes, entity_key("TXN#", posting->id));
    const char *status = pending ? "pending" : "completed";
    entity_set(item, "GSI1PK", "STATUS#", status);
    entity_set(item, "GSI1SK", "CREATED#", time);
    entity_set(item, "GSI2PK", "IDEMPOTENCY#", posting->key);
    ddb_item_set_string(item, "GSI2SK", "TXN");
    ddb_item_set_string(item, "Type", "Transaction");
    ddb_item_set_string(item, "ID", posting->id);
    ddb_item_set_string(item, "IdempotencyKey", posting->key);
    ddb_item_set_string(item, "TransactionType", posting->type);
    ddb_item_set_string(item, "Status", status);
    set_if(item, "MerchantID", posting->merchant);
    set_if(item, "Description", posting->description);
    set_if(item, "ReversesID", posting->reverses);
    money_set(item, "Amount", posting->amount);
    ddb_item_set_string(item, "Currency", posting->currency);
    ddb_item_set_string(item, "CreatedAt", time);
    if (pending) { /* one without legs has to say what they will be */
        ddb_item_set_string(item, "FromAccountID", posting->from);
        ddb_item_set_string(item, "ToAccountID", posting->to);
    }
    add(writes, (struct ddb_write){.action = DDB_PUT, .item = item, .condition = new_only});
}

static void add_completion(struct writes *writes, const struct posting *posting, const char *time) {
    struct ddb_item *values = keep(writes, ddb_item_new());
    ddb_item_set_string(values, ":pending", "pending");
    ddb_item_set_string(values, ":completed", "completed");
    ddb_item_set_string(values, ":key", "STATUS#completed");
    ddb_item_set_string(values, ":time", time);
    add(writes,
        (struct ddb_write){.action = DDB_UPDATE,
                           .key = keep(writes, entity_key("TXN#", posting->id)),
                           .update = "SET #status = :completed, GSI1PK = :key, CompletedAt = :time",
                           .condition = "#status = :pending",
                           .names = names,
                           .values = values});
}

static void add_reversed(struct writes *writes, const struct posting *posting) {
    struct ddb_item *values = keep(writes, ddb_item_new());
    ddb_item_set_string(values, ":completed", "completed");
    ddb_item_set_string(values, ":by", posting->id);
    add(writes,
        (struct ddb_write){.action = DDB_UPDATE,
                           .key = keep(writes, entity_key("TXN#", posting->reverses)),
                           .update = "SET ReversedBy = :by",
                           .condition = "#status = :completed AND attribute_not_exists(ReversedBy)",
                           .names = names,
                           .values = values});
}

/* ---- legs and accounts ---- */

static void add_leg(struct writes *writes, const struct posting *posting, const char *type,
                    const char *account, const char *time) {
    char id[UUID_TEXT_SIZE], sort_key[LEDGER_KEY_SIZE];
    uuid_from_text(type, posting->key, id);
    snprintf(sort_key, sizeof(sort_key), "LEG#%s#%s", time, id);
    struct ddb_item *item = keep(writes, ddb_item_new());
    entity_set(item, "PK", "TXN#", posting->id);
    entity_set(item, "SK", "LEG#", id);
    entity_set(item, "GSI1PK", "ACCOUNT#", account);
    ddb_item_set_string(item, "GSI1SK", sort_key);
    ddb_item_set_string(item, "Type", "TransactionLeg");
    ddb_item_set_string(item, "ID", id);
    ddb_item_set_string(item, "TransactionID", posting->id);
    ddb_item_set_string(item, "AccountID", account);
    ddb_item_set_string(item, "LegType", type);
    money_set(item, "Amount", posting->amount);
    ddb_item_set_string(item, "Currency", posting->currency);
    ddb_item_set_string(item, "CreatedAt", time);
    add(writes, (struct ddb_write){.action = DDB_PUT, .item = item, .condition = new_only});
}

/* An account of the ledger's own is made when it is needed, and may drop below zero: it stands for
 * what is outside. */
static void add_system_change(struct writes *writes, const struct posting *posting,
                              const char *account, int64_t cents) {
    struct ddb_item *values = keep(writes, ddb_item_new());
    entity_set(values, ":user", "USER#", "system");
    entity_set(values, ":account", "ACCOUNT#", account);
    ddb_item_set_string(values, ":type", "Account");
    ddb_item_set_string(values, ":id", account);
    ddb_item_set_string(values, ":owner", "system");
    ddb_item_set_string(values, ":kind", "system");
    ddb_item_set_string(values, ":currency", posting->currency);
    ddb_item_set_string(values, ":active", "active");
    money_set(values, ":zero", 0);
    money_set(values, ":change", cents);
    static const char *const more_names[] = {"#status", "Status", "#type", "Type", NULL};
    add(writes,
        (struct ddb_write){
            .action = DDB_UPDATE,
            .key = keep(writes, entity_key("ACCOUNT#", account)),
            .update = "SET Balance = if_not_exists(Balance, :zero) + :change, GSI1PK = :user, "
                      "GSI1SK = :account, #type = :type, ID = :id, UserID = :owner, "
                      "AccountType = :kind, Currency = :currency, #status = :active",
            .names = more_names,
            .values = values});
}

/* :limit is the least that the payer must have, or the most that the payee may have before. */
static void add_change(struct writes *writes, const struct posting *posting, const char *account,
                       int64_t cents) {
    if (account_is_system(account)) {
        add_system_change(writes, posting, account, cents);
        return;
    }
    struct ddb_item *values = keep(writes, ddb_item_new());
    money_set(values, ":change", cents);
    money_set(values, ":limit", cents < 0 ? -cents : MONEY_CENTS_MAX - cents);
    ddb_item_set_string(values, ":active", "active");
    ddb_item_set_string(values, ":currency", posting->currency);
    add(writes,
        (struct ddb_write){
            .action = DDB_UPDATE,
            .key = keep(writes, entity_key("ACCOUNT#", account)),
            .update = "SET Balance = Balance + :change",
            .condition = cents < 0
                             ? "Balance >= :limit AND #status = :active AND Currency = :currency"
                             : "Balance <= :limit AND #status = :active AND Currency = :currency",
            .names = names,
            .values = values});
}

bool posting_write(struct app *app, const struct posting *posting, enum posting_write what) {
    struct writes writes = {.count = 0};
    char time[TIMESTAMP_SIZE];
    timestamp_format_ms(timestamp_now_ms(), time);
    if (what == POSTING_COMPLETE)
        add_completion(&writes, posting, time);
    else
        add_transaction(&writes, posting, what == POSTING_PENDING, time);
    if (what != POSTING_PENDING) {
        add_leg(&writes, posting, "debit", posting->from, time);
        add_leg(&writes, posting, "credit", posting->to, time);
        add_change(&writes, posting, posting->from, -posting->amount);
        if (posting->opens != NULL)
            add(&writes, (struct ddb_write){
                             .action = DDB_PUT, .item = posting->opens, .condition = new_only});
        else
            add_change(&writes, posting, posting->to, posting->amount);
    }
    if (posting->reverses != NULL)
        add_reversed(&writes, posting);
    bool ok = ddb_transact_write_items(app_client(app), writes.all, writes.count, NULL);
    for (size_t i = 0; i < writes.item_count; i++)
        ddb_item_free(writes.items[i]);
    return ok;
}
