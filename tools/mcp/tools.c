/* tools.c - see tools.h. */
#include "mcp/tools.h"

enum { ITEMS_MAX = 1000, TABLES_MAX = 100 };

#define TABLE \
    { "TableName", MCP_TEXT, true, "the table, or its ARN" }
#define NAMES                                                                              \
    {                                                                                      \
        "ExpressionAttributeNames", MCP_OBJECT, false,                                     \
            "names that stand in expressions, as {\"#s\": \"status\"}; for reserved words" \
    }
#define VALUES                                                                \
    {                                                                         \
        "ExpressionAttributeValues", MCP_OBJECT, false,                       \
            "values that stand in expressions, as {\":id\": {\"S\": \"42\"}}" \
    }
#define PROJECTION \
    { "ProjectionExpression", MCP_TEXT, false, "the attributes to return, by commas" }
#define CONSISTENT \
    { "ConsistentRead", MCP_FLAG, false, "see every write that was acknowledged before" }
#define CONDITION \
    { "ConditionExpression", MCP_TEXT, false, "what must hold, or nothing is written" }
#define INDEX \
    { "IndexName", MCP_TEXT, false, "an index to read instead of the table" }
#define FILTER \
    { "FilterExpression", MCP_TEXT, false, "which of the items read to return" }
#define LIMIT \
    { "Limit", MCP_COUNT, false, "how many items to read at most; 25 unless it is given" }
#define START                                                         \
    {                                                                 \
        "ExclusiveStartKey", MCP_OBJECT, false,                       \
            "LastEvaluatedKey of the page before, to go on behind it" \
    }
#define RETURNED \
    { "ReturnValues", MCP_TEXT, false, "NONE or ALL_OLD; update_item also takes ALL_NEW" }
#define END \
    { .name = NULL }

static const struct mcp_member list_tables[] = {
    {"ExclusiveStartTableName", MCP_TEXT, false, "LastEvaluatedTableName of the page before"},
    {"Limit", MCP_COUNT, false, "how many names at most; 25 unless it is given"},
    END};
static const struct mcp_member describe_table[] = {TABLE, END};
static const struct mcp_member get_item[] = {
    TABLE,      {"Key", MCP_OBJECT, true, "the whole primary key, as {\"id\": {\"S\": \"42\"}}"},
    PROJECTION, NAMES,
    CONSISTENT, END};
static const struct mcp_member query[] = {
    TABLE,
    INDEX,
    {"KeyConditionExpression", MCP_TEXT, true,
     "an equality for the partition key, and what may be said of the sort key"},
    FILTER,
    PROJECTION,
    NAMES,
    VALUES,
    {"ScanIndexForward", MCP_FLAG, false, "false: the last sort key first"},
    LIMIT,
    START,
    CONSISTENT,
    END};
static const struct mcp_member scan[] = {TABLE,  INDEX, FILTER, PROJECTION, NAMES,
                                         VALUES, LIMIT, START,  CONSISTENT, END};
static const struct mcp_member partiql[] = {
    {"Statement", MCP_TEXT, true, "as SELECT * FROM \"music\" WHERE artist = ?"},
    {"Parameters", MCP_ARRAY, false, "a value for each ?, as [{\"S\": \"Nina Simone\"}]"},
    {"Limit", MCP_COUNT, false, "how many items to read at most; 25 unless it is given"},
    {"NextToken", MCP_TEXT, false, "NextToken of the page before"},
    CONSISTENT,
    END};
static const struct mcp_member put_item[] = {
    TABLE,     {"Item", MCP_OBJECT, true, "all of the item, as {\"id\": {\"S\": \"42\"}}"},
    CONDITION, NAMES,
    VALUES,    RETURNED,
    END};
static const struct mcp_member update_item[] = {
    TABLE,
    {"Key", MCP_OBJECT, true, "the whole primary key"},
    {"UpdateExpression", MCP_TEXT, true, "SET, REMOVE, ADD and DELETE clauses"},
    CONDITION,
    NAMES,
    VALUES,
    RETURNED,
    END};
static const struct mcp_member delete_item[] = {
    TABLE, {"Key", MCP_OBJECT, true, "the whole primary key"}, CONDITION, NAMES, VALUES, RETURNED,
    END};
static const struct mcp_member create_table[] = {
    {"TableName", MCP_TEXT, true, "the new table's name"},
    {"AttributeDefinitions", MCP_ARRAY, true, "name and type of each attribute that is in a key"},
    {"KeySchema", MCP_ARRAY, true, "the HASH key, and a RANGE key if there is one"},
    {"GlobalSecondaryIndexes", MCP_ARRAY, false, "IndexName, KeySchema and Projection of each"},
    {"LocalSecondaryIndexes", MCP_ARRAY, false, "the same"},
    {"BillingMode", MCP_TEXT, true, "PAY_PER_REQUEST"},
    END};

const struct mcp_tool mcp_tools[] = {
    {"list_tables", "ListTables", "Lists the names of tables.", list_tables, MCP_READS, TABLES_MAX},
    {"describe_table", "DescribeTable",
     "Tells of a table: its keys, attributes in keys, indexes, size. Ask before writing a query.",
     describe_table, MCP_READS, 0},
    {"get_item", "GetItem", "Reads one item by its primary key.", get_item, MCP_READS, 0},
    {"query", "Query", "Reads the items of one partition key, of a table or an index, in order.",
     query, MCP_READS, ITEMS_MAX},
    {"scan", "Scan", "Reads a table or an index from its beginning: dear, when it is large.", scan,
     MCP_READS, ITEMS_MAX},
    {"partiql", "ExecuteStatement",
     "Runs one PartiQL statement: SELECT, and INSERT, UPDATE, DELETE when writing is allowed.",
     partiql, MCP_MAY_WRITE, ITEMS_MAX},
    {"put_item", "PutItem", "Writes an item, in the place of the one that has its key.", put_item,
     MCP_WRITES, 0},
    {"update_item", "UpdateItem",
     "Changes attributes of an item, which is made if it is not there.", update_item, MCP_WRITES,
     0},
    {"delete_item", "DeleteItem", "Deletes an item.", delete_item, MCP_WRITES, 0},
    {"create_table", "CreateTable", "Makes a table.", create_table, MCP_WRITES, 0},
    {.name = NULL},
};

const struct mcp_tool *mcp_tool_find(struct slice name) {
    for (const struct mcp_tool *tool = mcp_tools; tool->name != NULL; tool++)
        if (slice_equal(name, slice_text(tool->name)))
            return tool;
    return NULL;
}

const struct mcp_member *mcp_member_find(const struct mcp_tool *tool, struct slice name) {
    for (const struct mcp_member *member = tool->members; member->name != NULL; member++)
        if (slice_equal(name, slice_text(member->name)))
            return member;
    return NULL;
}
