// mocha --require gramme/mocha: a server for the run, or for each worker of `mocha --parallel`, emptied before each test.
'use strict';

const { startFor } = require('./settings.cjs');

let server;

exports.mochaHooks = {
  async beforeAll() {
    server = await startFor(process.env, { alone: process.env.MOCHA_WORKER_ID === undefined, emptied: true });
    global.gramme = server;
  },
  async beforeEach() {
    await server.reset();
  },
  async afterAll() {
    await server?.stop();
  },
};
