/* limits.h - every limit of the service in one place, each with where it comes from.
 *
 * Sources: "model" is the constraint in the service's API model, "guide" the quota pages of its
 * developer guide, "recorded" an answer of the service itself, "ours" a limit gramme needs and the
 * service does not state. KB and MB are 1024 and 1024 * 1024 bytes. */
#ifndef GRAMME_MODEL_LIMITS_H
#define GRAMME_MODEL_LIMITS_H

/* ---- requests ---- */
enum {
    LIMIT_HEAD_BYTES = 16 * 1024,              /* recorded: a larger head is answered with 400 */
    LIMIT_BODY_BYTES = 16 * 1024 * 1024,       /* recorded: a larger body is answered with 413 */
    LIMIT_BATCH_GET_KEYS = 100,                /* model: of one table, and of the whole request */
    LIMIT_BATCH_GET_BYTES = 16 * 1024 * 1024,  /* guide: of the reply; the rest is unprocessed */
    LIMIT_BATCH_WRITE_REQUESTS = 25,           /* model: of one table, and of the whole request */
    LIMIT_TRANSACTION_ACTIONS = 100,           /* model */
    LIMIT_TRANSACTION_BYTES = 4 * 1024 * 1024, /* guide: of all items; 4.2 MB refused (recorded) */
    LIMIT_REQUEST_TOKEN_CHARS = 36,            /* model: ClientRequestToken */
    LIMIT_REQUEST_TOKEN_MS = 10 * 60 * 1000,   /* guide: how long a token is remembered */
    LIMIT_CONSTRAINT_ERRORS = 10,              /* recorded: constraint errors in one answer */
    LIMIT_ECHO_BYTES = 64 * 1024,              /* ours: of a value that an error quotes */
    LIMIT_ERROR_TEXT_BYTES = 1024 * 1024,      /* ours: of an error's text, quotes and all */
};

/* ---- items and keys ---- */
enum {
    LIMIT_ITEM_BYTES = 400 * 1024,      /* recorded: 409600 accepted, 409601 refused */
    LIMIT_HASH_KEY_BYTES = 2048,        /* guide: a partition key's value */
    LIMIT_RANGE_KEY_BYTES = 1024,       /* guide: a sort key's value */
    LIMIT_NESTING = 32,                 /* recorded: levels of a value; an attribute's is level 1 */
    LIMIT_CURRENT_NESTING = 63,         /* recorded, nearly: levels that the current layer reads */
    LIMIT_ATTRIBUTE_NAME_BYTES = 65535, /* model: AttributeName */
    LIMIT_KEY_NAME_BYTES = 255,         /* model: KeySchemaAttributeName, NonKeyAttributeName */
    LIMIT_NUMBER_DIGITS = 38,           /* guide: significant ones */
};

/* guide: all items of one partition key and their entries in local indexes */
#define LIMIT_COLLECTION_BYTES (10ULL * 1024 * 1024 * 1024)

/* ---- expressions ---- */
enum {
    LIMIT_EXPRESSION_BYTES = 4096,    /* recorded: of the text as sent */
    LIMIT_EXPRESSION_OPERATORS = 300, /* guide: operators and functions of one expression */
    LIMIT_IN_OPERANDS = 100,          /* guide: of IN */
    LIMIT_PATH_NESTING = 32,          /* guide: elements of a document path */
    LIMIT_PLACEHOLDER_BYTES = 255,    /* guide: the key of a #name or :value */
    LIMIT_PLACEHOLDERS_BYTES = 2 * 1024 * 1024, /* guide: all of a request's names and values */
    LIMIT_LIST_INDEX = 2147483647,              /* recorded: list[index] */
    LIMIT_STATEMENT_CHARS = 8192,               /* model: a PartiQL statement */
    LIMIT_BATCH_STATEMENTS = 25,                /* model: of BatchExecuteStatement */
};

/* ---- reads ---- */
enum {
    LIMIT_PAGE_BYTES = 1024 * 1024, /* guide: evaluated by one Query or Scan */
    LIMIT_SEGMENTS = 1000000,       /* model: TotalSegments */
};

/* ---- tables ---- */
enum {
    LIMIT_TABLE_NAME_MIN = 3,             /* model: TableName */
    LIMIT_TABLE_NAME_MAX = 255,           /* model: TableName, IndexName */
    LIMIT_TABLE_ARN_CHARS = 1024,         /* model: TableArn */
    LIMIT_TABLES = 2500,                  /* guide: of an account in a Region */
    LIMIT_LOCAL_INDEXES = 5,              /* guide: of a table */
    LIMIT_GLOBAL_INDEXES = 20,            /* guide: of a table */
    LIMIT_NON_KEY_ATTRIBUTES = 20,        /* model: NonKeyAttributes of one index */
    LIMIT_PROJECTED_ATTRIBUTES = 100,     /* guide: NonKeyAttributes over all indexes */
    LIMIT_INDEX_KEY_PARTS = 4,            /* guide: HASH, and RANGE, attributes of a GSI */
    LIMIT_TABLE_CAPACITY_UNITS = 40000,   /* guide: of a table, read or write */
    LIMIT_ACCOUNT_CAPACITY_UNITS = 80000, /* guide: of an account, read or write */
    LIMIT_LIST_TABLES = 100,              /* model: ListTables page */
    LIMIT_LIST_INSIGHTS = 100,            /* model: ListContributorInsights page */
    LIMIT_SCALING_POLICY_CHARS = 256,     /* model: AutoScalingPolicyName */
    LIMIT_SCALING_ROLE_CHARS = 1600,      /* model: AutoScalingRoleArn */
    LIMIT_TAGS = 50,                      /* guide: of a table */
    LIMIT_TAG_SET_BYTES = 10 * 1024,      /* observed: keys and values of a table's tags */
    LIMIT_RESOURCE_ARN_CHARS = 1283,      /* model: ResourceArnString */
    LIMIT_TAG_KEY_CHARS = 128,            /* model: TagKeyString */
    LIMIT_TAG_VALUE_CHARS = 256,          /* model: TagValueString */
    LIMIT_THROUGHPUT_DECREASES_FIRST = 4, /* guide: of a day, before one an hour */
};

/* ---- streams, TTL, recovery ---- */
enum {
    LIMIT_LIST_STREAMS = 100,                  /* model: ListStreams page */
    LIMIT_STREAM_RECORDS = 1000,               /* model: GetRecords page */
    LIMIT_STREAM_BYTES = 1024 * 1024,          /* guide: GetRecords page */
    LIMIT_STREAM_RETENTION_MS = 86400 * 1000,  /* guide: a day */
    LIMIT_STREAM_ITERATOR_MS = 15 * 60 * 1000, /* guide: until an iterator expires */
    LIMIT_BACKUP_ARN_MIN = 37,                 /* model: BackupArn */
    LIMIT_BACKUPS_PAGE = 100,                  /* model: ListBackups page */
    LIMIT_RESTORES = 50,                       /* guide: at a time */
    LIMIT_RECOVERY_DAYS = 35,                  /* guide: window of point-in-time recovery */
    LIMIT_TTL_PAST_YEARS = 5,                  /* guide: an older expiry is not acted on */
    LIMIT_TTL_ATTRIBUTE_CHARS = 255,           /* model: TimeToLiveAttributeName */
    LIMIT_TTL_CHANGE_MS = 30 * 60 * 1000,      /* observed: between two UpdateTimeToLive */
    LIMIT_POLICY_BYTES = 20480,                /* recorded: of a resource's policy, as it is sent */
    LIMIT_POLICY_CHANGE_MS = 15000,            /* recorded: between two changes of one */
    LIMIT_POLICY_REVISION_CHARS = 255,         /* model: PolicyRevisionId */
};

#endif
