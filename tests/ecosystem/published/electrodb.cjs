// electrodb.cjs - what the suite of electrodb expects around it: a server that its SDK knows of, and a table on it.

const AWS = require("aws-sdk");

const PREFIXES = ["", "gsi1", "gsi2", "gsi3", "gsi4"];

function schema(prefix) {
    return [{AttributeName: `${prefix}pk`, KeyType: "HASH"}, {AttributeName: `${prefix}sk`, KeyType: "RANGE"}];
}

AWS.config.update({dynamodb: {endpoint: process.env.GRAMME_ENDPOINT}});

exports.mochaHooks = {
    beforeAll: () => new AWS.DynamoDB().createTable({
        TableName: "electro",
        BillingMode: "PAY_PER_REQUEST",
        AttributeDefinitions: PREFIXES.flatMap(schema).map(({AttributeName}) => ({AttributeName, AttributeType: "S"})),
        KeySchema: schema(""),
        GlobalSecondaryIndexes: PREFIXES.slice(1).map((prefix) => ({IndexName: `${prefix}pk-${prefix}sk-index`, KeySchema: schema(prefix), Projection: {ProjectionType: "ALL"}})),
    }).promise(),
};
