// start(), reset() and stop() by themselves, and a server that is left to end with the program.
import assert from 'node:assert';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { start } from 'gramme';

const server = await start({ args: ['--test-clock'] });
const client = new DynamoDBClient(server.config);
assert.deepStrictEqual((await client.send(new ListTablesCommand({}))).TableNames, []);
await assert.rejects(server.call('DescribeTable', { TableName: 'missing' }), { name: 'ResourceNotFoundException' });
const music = { TableName: 'music', KeySchema: [{ AttributeName: 'k', KeyType: 'HASH' }], AttributeDefinitions: [{ AttributeName: 'k', AttributeType: 'S' }] };
await server.createTables([music]);
await server.snapshot('made');
await server.reset();
assert.deepStrictEqual((await server.call('ListTables')).TableNames, []);
await server.restore('made');
assert.deepStrictEqual([(await server.call('ListTables')).TableNames, await server.snapshots()], [['music'], ['made']]);
await server.deleteSnapshot('made');
await assert.rejects(server.restore('made'), /there is no snapshot made/);
await assert.rejects(server.faults({ Operation: 'PutItem', Drop: true }), /started without the option/);
const { Now } = await server.clock({ Advance: 60 });
assert.ok(Now > Date.now() / 1000 + 30);
await server.stop();
await assert.rejects(server.call('ListTables'));
await assert.rejects(start({ args: ['--no-such-option'] }), /no-such-option/);
const left = await start();
console.log(left.endpoint);
client.destroy();
