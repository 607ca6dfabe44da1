// start(), reset() and stop() by themselves, and a server that is left to end with the program.
import assert from 'node:assert';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { start } from 'gramme';

const server = await start({ args: ['--test-clock'] });
const client = new DynamoDBClient(server.config);
assert.deepStrictEqual((await client.send(new ListTablesCommand({}))).TableNames, []);
await assert.rejects(server.call('DescribeTable', { TableName: 'missing' }), { name: 'ResourceNotFoundException' });
await server.stop();
await assert.rejects(server.call('ListTables'));
await assert.rejects(start({ args: ['--no-such-option'] }), /no-such-option/);
const left = await start();
console.log(left.endpoint);
client.destroy();
