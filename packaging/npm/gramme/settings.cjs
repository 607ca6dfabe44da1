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

exports.settings = async function settings(folder = process.cwd()) {
  const file = NAMES.map((name) => path.join(folder, name)).find(existsSync);
  const { tables, args, data } = file ? await load(file) : {};
  return { tables: typeof tables === 'function' ? await tables() : tables, args, data };
};

// A server by those settings, which the code under test finds by the variables that the SDKs read. MOCK_DYNAMODB_ENDPOINT is
// the name that projects have which come from @shelf/jest-dynamodb.
exports.startFor = async function startFor(environment, folder) {
  const { start } = require('./index.cjs');
  const server = await start(await exports.settings(folder));
  Object.assign(environment, server.environment, { MOCK_DYNAMODB_ENDPOINT: server.endpoint });
  return server;
};
