// Code under test, as it would be anywhere: it knows nothing of gramme.
'use strict';

const { DynamoDBClient, PutItemCommand, ScanCommand } = require('@aws-sdk/client-dynamodb');

const client = new DynamoDBClient({});

exports.add = (artist) => client.send(new PutItemCommand({ TableName: 'music', Item: { artist: { S: artist } } }));
exports.count = async () => (await client.send(new ScanCommand({ TableName: 'music' }))).Count;
