// start(), reset() and stop() by themselves, and a server that is left to end with the program.
import assert from 'node:assert';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
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
await assert.rejects(server.faults({ Operation: 'PutItem', Drop: true }), /started without --test-faults/);
const { Now } = await server.clock({ Advance: 60 });
assert.ok(Now > Date.now() / 1000 + 30);
await assert.rejects(server.fork('key'), /started with args: \['--name-spaces'\]/);
assert.deepStrictEqual((await server.call('ListTables')).TableNames, ['music']);
await server.stop();

const many = await start({ args: ['--name-spaces'], tables: [music], timeout: Infinity });
const put = (to, k) => to.call('PutItem', { TableName: 'music', Item: { k: { S: k } } });
const count = async (of) => (await of.call('Scan', { TableName: 'music' })).Count;
const [one, two] = await Promise.all([many.fork('one'), many.fork('two')]);
await put(one, 'a');
await one.snapshot('with-a');
const three = await many.fork('three', 'with-a');
await put(three, 'b');
assert.deepStrictEqual([await count(many), await count(one), await count(two), await count(three)], [0, 1, 0, 2]);
await one.reset();
await three.stop();
assert.deepStrictEqual([await count(one), (await three.call('ListTables')).TableNames], [0, []]);
await many.stop();
await assert.rejects(server.call('ListTables'));

const data = mkdtempSync(path.join(tmpdir(), 'gramme-'));
const places = [{ data, tables: [music] }, { data, tables: [music, { ...music, TableName: 'more' }] }, { args: ['--store', `rocksdb:${data}`] }, { args: [`--data=${data}`] }];
for (const [at, place] of places.entries()) {
  const keeps = await start(place);
  assert.deepStrictEqual((await keeps.call('ListTables')).TableNames, at === 0 ? ['music'] : ['more', 'music']);
  await keeps.stop();
}
rmSync(data, { recursive: true });

await assert.rejects(start({ args: ['--no-such-option'] }), /no-such-option/);
const left = await start();
console.log(left.endpoint);
client.destroy();
