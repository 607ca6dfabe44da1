// common.mjs - what the programs share: clients for the server of GRAMME_ENDPOINT, and tables.

import {CreateTableCommand, DynamoDBClient, waitUntilTableExists} from "@aws-sdk/client-dynamodb";
import {DynamoDBDocumentClient} from "@aws-sdk/lib-dynamodb";

export const ENDPOINT = process.env.GRAMME_ENDPOINT;
export const SETTINGS = {endpoint: ENDPOINT, region: "us-east-1", credentials: {accessKeyId: "test", secretAccessKey: "test"}};
export const client = new DynamoDBClient(SETTINGS);
export const documents = DynamoDBDocumentClient.from(client, {marshallOptions: {removeUndefinedValues: true}});

/** A table with keys pk and sk, and an index with gsi1pk and gsi1sk, unless others are named. */
export async function makeTable(TableName, {keys = ["pk", "sk"], indexes = {gsi1: ["gsi1pk", "gsi1sk"]}} = {}) {
    const schema = (names) => names.map((AttributeName, i) => ({AttributeName, KeyType: ["HASH", "RANGE"][i]}));
    const names = new Set([keys, ...Object.values(indexes)].flat());
    await client.send(new CreateTableCommand({TableName, BillingMode: "PAY_PER_REQUEST", KeySchema: schema(keys),
        AttributeDefinitions: [...names].map((AttributeName) => ({AttributeName, AttributeType: "S"})),
        ...(Object.keys(indexes).length > 0 && {GlobalSecondaryIndexes: Object.entries(indexes).map(([IndexName, of]) => (
            {IndexName, KeySchema: schema(of), Projection: {ProjectionType: "ALL"}}))})}));
    await waitUntilTableExists({client, maxWaitTime: 60, minDelay: 0.05, maxDelay: 0.2}, {TableName});
}
