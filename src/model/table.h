/* table.h - what a table is: its definition as CreateTable and UpdateTable give it and
 * DescribeTable shows it.
 *
 * A definition is plain data; its slices and arrays live in one arena, and it is never changed once
 * it is in the catalog (an update makes a new one). Indexes, the stream, TTL and tags have their
 * place here and in the stored form. */
#ifndef GRAMME_MODEL_TABLE_H
#define GRAMME_MODEL_TABLE_H

#include "model/value.h"
#include "model/words.h"

enum { KEY_PARTS_MAX = 4 }; /* of each kind; a table has one HASH and at most one RANGE */

struct key_attribute {
    struct slice name;
    enum value_type type; /* S, N or B */
};

struct key_schema {
    uint8_t hash_count;
    uint8_t range_count;
    struct key_attribute hash[KEY_PARTS_MAX];
    struct key_attribute range[KEY_PARTS_MAX];
};

struct attribute_definition {
    struct slice name;
    enum value_type type;
};

struct provisioned_throughput {
    int64_t read_units;
    int64_t write_units;
    int64_t last_increase_ms; /* 0: never */
    int64_t last_decrease_ms;
    int64_t decreases_today; /* counted on the UTC day of last_decrease_ms */
};

/* A pair of limits or of promises per second; -1: not set. */
struct unit_pair {
    int64_t read;
    int64_t write;
};

#define UNITS_UNSET ((struct unit_pair){-1, -1})

struct table_tag {
    struct slice key;
    struct slice value;
};

/* Of a table or of a global index. */
struct contributor_insights {
    bool enabled;
    enum insights_mode mode; /* stays after it is off */
    int64_t since_ms;        /* when it was enabled: it is in the names of its rules */
    int64_t changed_ms;      /* 0: never */
};

/* The policy of a table or a stream: who may do what with it. */
struct attached_policy {
    struct slice document; /* JSON in its canonical form; absent: there is none */
    bool unversioned;      /* it was given without a version; the form has one */
    int64_t revision_ms;   /* when it came, or went; 0: there was never one */
};

struct table_index {
    struct slice name;
    uint32_t id; /* of its key range */
    bool global;
    enum table_status status;
    bool backfilling;
    struct key_schema keys;
    enum projection_type projection;
    struct slice *non_key_attributes; /* sorted */
    size_t non_key_attribute_count;
    struct provisioned_throughput throughput;
    struct unit_pair on_demand;
    struct unit_pair warm;
    struct contributor_insights insights;
};

struct table_definition {
    struct slice name;
    uint32_t id;       /* of its key range; never used again after the table is deleted */
    struct slice uuid; /* TableId */
    enum table_status status;
    int64_t created_ms;
    struct key_schema keys;
    struct attribute_definition *attributes; /* sorted by name */
    size_t attribute_count;
    enum billing_mode billing;
    bool billing_shown;                       /* the table is or once was PAY_PER_REQUEST */
    int64_t on_demand_since_ms;               /* LastUpdateToPayPerRequestDateTime; 0: never */
    struct provisioned_throughput throughput; /* 0, 0 when PAY_PER_REQUEST */
    struct unit_pair on_demand;
    struct unit_pair warm; /* asked for; unset: derived */
/* The plain settings. */
#define FLAG_SETTING(symbol, member, ...) bool member;
#define WORD_SETTING(symbol, member, name, alone, stored, label, kind, ...) enum kind member;
#include "model/table_settings.def"
    int64_t table_class_changed_ms;
    bool sse_kms;
    struct slice sse_key_arn;
    enum stream_view stream;
    struct slice stream_label; /* stays after the stream is off */
    uint32_t stream_id;        /* of the key range of its records; 0: it never had a stream */
    int64_t stream_shards;     /* at a time */
    int64_t stream_created_ms; /* from when on its numbers are */
    struct attached_policy stream_policy;
    struct slice ttl_attribute; /* absent: off */
    uint32_t ttl_id;            /* of the key range that finds items by their expiry; 0: none */
    bool ttl_building;          /* that range is being filled */
    int64_t ttl_changed_ms;     /* 0: never */
    int64_t pitr_days;          /* 0: off */
    int64_t pitr_since_ms;
    struct contributor_insights insights;
    struct attached_policy policy;
    bool restoring;               /* it is being filled from a backup or an earlier time */
    struct slice restored_backup; /* ARN; absent: it was not restored from a backup */
    struct slice restored_table;  /* ARN of the table that it was restored from */
    int64_t restored_ms;          /* the time that it was restored to; 0: it was not restored */
    struct table_index *indexes;  /* in the order they were given */
    size_t index_count;
    struct table_tag *tags; /* sorted by key */
    size_t tag_count;
};

/* The index of this name; NULL: there is none. */
static inline struct table_index *table_find_index(const struct table_definition *table,
                                                   struct slice name) {
    for (size_t i = 0; i < table->index_count; i++)
        if (slice_equal(table->indexes[i].name, name))
            return &table->indexes[i];
    return NULL;
}

/* The type of a key or index attribute; VALUE_NONE when it is not defined. */
static inline enum value_type table_attribute_type(const struct table_definition *table,
                                                   struct slice name) {
    for (size_t i = 0; i < table->attribute_count; i++)
        if (slice_equal(table->attributes[i].name, name))
            return table->attributes[i].type;
    return VALUE_NONE;
}

#endif
