// A server for a program or a test: start() gives one that answers, with what a client has to know of it.
'use strict';

const { spawn } = require('node:child_process');
const { once } = require('node:events');
const readline = require('node:readline');
const { binary } = require('./binary.cjs');

const READY = /listening on (https?:\/\/\S+)/;

// Servers end with the program that started them, whatever ends it but SIGKILL.
const running = new Set();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

class Server {
  #child;
  #tables;

  constructor(child, endpoint, tables) {
    this.#child = child;
    this.#tables = tables;
    this.endpoint = endpoint;
    this.port = Number(new URL(endpoint).port);
    this.region = 'us-east-1';
    this.credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
    this.config = { endpoint, region: this.region, credentials: this.credentials };
    // What the AWS SDKs and the AWS CLI read by themselves.
    this.environment = {
      AWS_ENDPOINT_URL: endpoint,
      AWS_ENDPOINT_URL_DYNAMODB: endpoint,
      AWS_REGION: this.region,
      AWS_DEFAULT_REGION: this.region,
      AWS_ACCESS_KEY_ID: this.credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: this.credentials.secretAccessKey,
    };
  }

  // A request without a client: call('ListTables', {}).
  async call(operation, input = {}) {
    const scope = 'local/20260101/us-east-1/dynamodb/aws4_request';
    const reply = await fetch(this.endpoint, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/x-amz-json-1.0',
        'X-Amz-Target': `DynamoDB_20120810.${operation}`,
        'X-Amz-Date': '20260101T000000Z',
        Authorization: `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=0`,
      },
      body: JSON.stringify(input),
    });
    const output = await reply.json();
    if (reply.ok) return output;
    const error = new Error(output.message ?? output.Message ?? `${operation}: status ${reply.status}`);
    error.name = String(output.__type ?? 'Error').replace(/^.*#/, '');
    throw error;
  }

  async createTables(tables) {
    for (const table of tables) await this.call('CreateTable', { BillingMode: table.ProvisionedThroughput ? undefined : 'PAY_PER_REQUEST', ...table });
    for (const table of tables) await this.#until(async () => (await this.call('DescribeTable', { TableName: table.TableName })).Table.TableStatus === 'ACTIVE');
  }

  // As it was when it had started: its tables are there and empty, and no others.
  async reset() {
    const names = [];
    for (let last; ;) {
      const page = await this.call('ListTables', { ExclusiveStartTableName: last });
      names.push(...page.TableNames);
      last = page.LastEvaluatedTableName;
      if (!last) break;
    }
    for (const TableName of names) {
      await this.call('UpdateTable', { TableName, DeletionProtectionEnabled: false }).catch(() => {});
      await this.call('DeleteTable', { TableName });
    }
    await this.#until(async () => (await this.call('ListTables')).TableNames.length === 0);
    await this.createTables(this.#tables);
  }

  async stop() {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const gone = once(this.#child, 'exit');
      this.#child.ref();
      this.#child.kill('SIGTERM');
      await gone;
    }
  }

  [Symbol.asyncDispose ?? Symbol.for('gramme.dispose')]() {
    return this.stop();
  }

  async #until(condition) {
    while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

function argumentsOf({ port = 0, data, args = [] }) {
  return ['serve', '--port', String(port), ...(data ? ['--data', data] : ['--memory']), ...args];
}

// Resolves with the address that it prints, once it answers; rejects with what it said when it ends before.
function readiness(child) {
  return new Promise((resolve, reject) => {
    const said = [];
    readline.createInterface({ input: child.stdout }).on('line', (line) => {
      const ready = READY.exec(line);
      if (ready) resolve(ready[1]);
    });
    child.stderr.on('data', (text) => said.push(text));
    child.on('error', reject);
    child.on('exit', (code, signal) => reject(new Error(`gramme ended with ${signal ?? code}: ${Buffer.concat(said).toString().trim()}`)));
  });
}

async function start(options = {}) {
  const child = spawn(binary(), argumentsOf(options), { stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  child.on('exit', () => running.delete(child));
  const endpoint = await readiness(child);
  child.stderr.resume();
  // A program that has nothing else to do may end: the server goes with it.
  for (const handle of [child, child.stdout, child.stderr]) handle.unref();
  const tables = options.tables ?? [];
  const server = new Server(child, endpoint, tables);
  try {
    await server.createTables(tables);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return server;
}

module.exports = { start, Server, binary };
