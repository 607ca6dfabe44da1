// What the presets are told: gramme.config.{js,cjs,mjs,json} in the project's folder, with start()'s options in it; and the file of
// @shelf/jest-dynamodb where that is what there is.
'use strict';

const { existsSync, readFileSync } = require('node:fs');
const path = require('node:path');
const { pathToFileURL } = require('node:url');

const NAMES = ['gramme.config.mjs', 'gramme.config.js', 'gramme.config.cjs', 'gramme.config.json', 'jest-dynamodb-config.js', 'jest-dynamodb-config.cjs'];

async function load(file) {
  if (file.endsWith('.json')) return JSON.parse(readFileSync(file, 'utf8'));
  const exported = await import(pathToFileURL(file));
  const config = exported.default ?? exported;
  return typeof config === 'function' ? config() : config;
}

async function settings(folder = process.cwd()) {
  const file = NAMES.map((name) => path.join(folder, name)).find(existsSync);
  const { tables, args, data, port, timeout } = file ? await load(file) : {};
  return { file, tables: typeof tables === 'function' ? await tables() : tables, args, data, port, timeout };
}

let told = false;

// A port is one server's. Servers side by side take free ones, and what has the port in its code hears why it finds nobody there.
function portFor({ file, port }, alone) {
  if (!port || alone) return port;
  if (!told) console.warn(`gramme: port ${port} of ${path.basename(file)} is not used, since other files of tests may run at the same time, each with a server ` +
    'of its own, which AWS_ENDPOINT_URL_DYNAMODB names. One after the other have it: jest --runInBand, mocha without --parallel, vitest --no-file-parallelism, before vitest 4 ' +
    '--poolOptions.forks.singleFork.');
  told = true;
  return 0;
}

// By what vitest shows its workers: before version 4 only these two settings of a pool tell that there are no others, which are gone since.
exports.isOnlyWorker = function isOnlyWorker({ maxWorkers, poolOptions: { forks, threads } = {} } = {}) {
  return Boolean(maxWorkers === 1 || forks?.singleFork || threads?.singleThread);
};

// What a developer's shell may say, and would count for more than what the server is found by.
const IN_THE_WAY = ['AWS_PROFILE', 'AWS_DEFAULT_PROFILE', 'AWS_SESSION_TOKEN', 'AWS_SECURITY_TOKEN', 'AWS_IGNORE_CONFIGURED_ENDPOINT_URLS'];

// A server by those settings, which the code under test finds by the variables that the SDKs read. MOCK_DYNAMODB_ENDPOINT is
// the name that projects have which come from @shelf/jest-dynamodb. `alone`: no
// other is started before it is stopped. `emptied`: the preset resets it without being asked, for which nobody's data is there.
exports.startFor = async function startFor(environment, { folder, alone, emptied = false }) {
  const { start, keepsData } = require('./index.cjs');
  const wanted = await settings(folder);
  if (emptied && keepsData(wanted)) throw new Error(`gramme: ${path.basename(wanted.file)} names data that is kept, and this preset empties the server before ` +
    'each test. Leave the data out, or start the server in a hook of your own, by start().');
  const server = await start({ ...wanted, port: portFor(wanted, alone) });
  for (const name of IN_THE_WAY) delete environment[name];
  Object.assign(environment, server.environment, { MOCK_DYNAMODB_ENDPOINT: server.endpoint });
  return server;
};
