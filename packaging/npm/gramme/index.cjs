// A server for a program or a test: start() gives one that answers, with what a client has to know of it.
'use strict';

const { spawn } = require('node:child_process');
const { once } = require('node:events');
const readline = require('node:readline');
const { binary } = require('./binary.cjs');

// Node takes a longer time for none at all.
const LONGEST = 2 ** 31 - 1;

const READY = /listening on (https?:\/\/\S+)/;

// What a server answers for, as the SDKs' variables name it. AWS_ENDPOINT_URL would bring all other services here, too, in vain.
const SERVICES = ['DYNAMODB', 'DYNAMODB_STREAMS', 'CLOUDWATCH', 'APPLICATION_AUTO_SCALING', 'STS', 'IAM'];

// Under this name a server keeps what it was started with.
const STARTED = 'as-started';

function optionFor(path) {
  return { clock: '--test-clock', faults: '--test-faults', reset: '--test-reset', snapshots: '--test-reset' }[path.split('/')[0]] ?? 'the option for it';
}

class Server {
  #child;
  #tables;
  #resets;
  #apart;
  #fork;

  constructor(child, endpoint, tables, { resets, apart, accessKeyId = 'local', fork = false }) {
    this.#child = child;
    this.#tables = tables;
    this.#resets = resets;
    this.#apart = apart;
    this.#fork = fork;
    this.endpoint = endpoint;
    this.port = Number(new URL(endpoint).port);
    this.region = 'us-east-1';
    this.credentials = { accessKeyId, secretAccessKey: 'local' };
    this.config = { endpoint, region: this.region, credentials: this.credentials };
    // What the AWS SDKs and the AWS CLI read by themselves.
    this.environment = {
      ...Object.fromEntries(SERVICES.map((name) => [`AWS_ENDPOINT_URL_${name}`, endpoint])),
      AWS_REGION: this.region,
      AWS_DEFAULT_REGION: this.region,
      AWS_ACCESS_KEY_ID: this.credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: this.credentials.secretAccessKey,
    };
  }

  #signed() {
    const scope = `${this.credentials.accessKeyId}/20260101/${this.region}/dynamodb/aws4_request`;
    return { 'X-Amz-Date': '20260101T000000Z', Authorization: `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=0` };
  }

  // Whose tables it is about, where each access key has its own.
  #whose() {
    return this.#apart ? { AccessKeyId: this.credentials.accessKeyId, Region: this.region } : {};
  }

  // A request without a client: call('ListTables', {}).
  async call(operation, input = {}) {
    const reply = await fetch(this.endpoint, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/x-amz-json-1.0',
        'X-Amz-Target': `DynamoDB_20120810.${operation}`,
        ...this.#signed(),
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

  // What gramme has besides the API: own('POST', 'clock', { Advance: 3600 }). See docs/TESTING.md.
  async own(method, path, body) {
    const reply = await fetch(`${this.endpoint}/_gramme/${path}`, {
      method,
      headers: { 'Content-Type': 'application/json', ...this.#signed() },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    if (reply.status === 404) throw new Error(`${method} /_gramme/${path}: the server was started without ${optionFor(path)}`);
    const output = await reply.json();
    if (reply.ok) return output;
    throw new Error(output.message ?? `${method} /_gramme/${path}: status ${reply.status}`);
  }

  // Keeps all that there is now, for restore().
  async snapshot(name) {
    await this.own('POST', 'snapshots', { Name: name, ...this.#whose() });
  }

  async restore(name) {
    await this.own('POST', `snapshots/${encodeURIComponent(name)}/restore`, this.#whose());
  }

  async snapshots() {
    return (await this.own('GET', 'snapshots')).Snapshots.map(({ Name }) => Name).filter((name) => name !== STARTED);
  }

  async deleteSnapshot(name) {
    await this.own('DELETE', `snapshots/${encodeURIComponent(name)}`);
  }

  // The time, read or moved; with the option --test-clock.
  clock(move) {
    return move ? this.own('POST', 'clock', move) : this.own('GET', 'clock');
  }

  // Failures to come; with --test-faults.
  faults(...wanted) {
    return this.own('POST', 'faults', wanted);
  }

  // Another set of tables in the same server, under an access key of its own, that begins with a snapshot, or with what the server was
  // started with; with the option --name-spaces. Its stop() leaves it empty.
  async fork(accessKeyId, name = STARTED) {
    if (!this.#apart || !this.#resets) throw new Error("fork() takes a server in memory that was started with args: ['--name-spaces']");
    const options = { resets: this.#resets, apart: this.#apart, accessKeyId, fork: true };
    const other = new Server(this.#child, this.endpoint, this.#tables, options);
    await other.restore(name);
    return other;
  }

  // Where data is kept, tables may be there from the last time.
  async prepare() {
    const there = this.#tables.length > 0 ? await this.#tableNames() : [];
    await this.createTables(this.#tables.filter(({ TableName }) => !there.includes(TableName)));
    if (this.#resets) await this.snapshot(STARTED);
  }

  // As it was when it had started: its tables are there and empty, and no others.
  async reset() {
    if (this.#resets) await this.restore(STARTED);
    else await this.#empty();
  }

  // Where data is kept, there is no other way.
  async #empty() {
    for (const TableName of await this.#tableNames()) {
      await this.call('UpdateTable', { TableName, DeletionProtectionEnabled: false }).catch(() => {});
      await this.call('DeleteTable', { TableName });
    }
    await this.#until(async () => (await this.#tableNames()).length === 0);
    await this.createTables(this.#tables);
  }

  async #tableNames() {
    const names = [];
    for (let last; ;) {
      const page = await this.call('ListTables', { ExclusiveStartTableName: last });
      names.push(...page.TableNames);
      last = page.LastEvaluatedTableName;
      if (!last) return names;
    }
  }

  async stop() {
    if (this.#fork) await this.own('POST', 'reset', this.#whose());
    else if (this.#child.exitCode === null && this.#child.signalCode === null) {
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

const has = (args, pattern) => args.some((word) => pattern.test(word));

// A server that keeps data, or wants to know who asks, cannot be reset at once.
function resets({ data, args = [] }) {
  return !data && !has(args, /^--(auth|data|store)(=|$)/);
}

// On a disk, or in a database.
function keepsData({ data, args = [] }) {
  const words = args.flatMap((word) => word.split('='));
  return Boolean(data) || words.some((word, at) => word === '--data' || (word === '--store' && words[at + 1] !== 'memory:'));
}

function argumentsOf(options) {
  const { port = 0, data, args = [] } = options;
  const place = data ? ['--data', data] : has(args, /^--(data|store|memory)(=|$)/) ? [] : ['--memory'];
  return ['serve', '--stop-with-stdin', '--port', String(port), ...place, ...(resets(options) ? ['--test-reset'] : []), ...args];
}

// Resolves with the address that it prints, once it answers; rejects with what it said when it ends before, or the time is up.
function readiness(child, timeout) {
  return new Promise((resolve, reject) => {
    const said = [];
    const fail = (how) => reject(new Error(`gramme ${how}: ${said.join('\n').trim()}`));
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      fail(`did not answer within ${timeout / 1000} s`);
    }, Math.min(timeout, LONGEST));
    const lines = [child.stdout, child.stderr].map((input) => readline.createInterface({ input }).on('line', (line) => {
      said.push(line);
      const ready = input === child.stdout && READY.exec(line);
      if (!ready) return;
      clearTimeout(timer);
      // From now on it is read and forgotten, so that the server never waits for room.
      for (const each of lines) each.removeAllListeners('line');
      resolve(ready[1]);
    }));
    child.on('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      fail(`ended with ${signal ?? code}`);
    });
  });
}

async function start(options = {}) {
  // A server ends with the process, or the worker thread, that started it, whatever ends that: then its end of the pipe is closed.
  const child = spawn(binary(), argumentsOf(options), { stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.on('error', () => {});
  const endpoint = await readiness(child, options.timeout ?? 60_000);
  // A program that has nothing else to do may end: the server goes with it.
  for (const handle of [child, child.stdin, child.stdout, child.stderr]) handle.unref();
  const apart = (options.args ?? []).includes('--name-spaces');
  const server = new Server(child, endpoint, options.tables ?? [], { resets: resets(options), apart });
  try {
    await server.prepare();
  } catch (error) {
    await server.stop();
    throw error;
  }
  return server;
}

module.exports = { start, Server, binary, keepsData };
