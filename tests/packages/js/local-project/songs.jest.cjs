'use strict';

const { DynamoDBClient, DescribeTableCommand } = require('@aws-sdk/client-dynamodb');

const client = new DynamoDBClient({
  endpoint: `http://localhost:${process.env.LOCAL_PORT}`, region: 'local', credentials: { accessKeyId: 'fakeMyKeyId', secretAccessKey: 'fakeSecretAccessKey' },
});

test('the table of the configuration is there', async () => {
  const { Table } = await client.send(new DescribeTableCommand({ TableName: 'music' }));
  expect(Table.TableStatus).toBe('ACTIVE');
});
