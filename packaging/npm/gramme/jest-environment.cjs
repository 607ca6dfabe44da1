// A server of its own for each test file, started in milliseconds: files run side by side and never see each other's items. In the
// tests it is `gramme`: `beforeEach(() => gramme.reset())` empties it.
'use strict';

const path = require('node:path');
const { startFor } = require('./settings.cjs');

// jest's own module, as the project has it.
const { TestEnvironment } = require(require.resolve('jest-environment-node', { paths: [process.cwd(), __dirname] }));

module.exports = class GrammeEnvironment extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    this.folder = path.resolve(config.projectConfig?.rootDir ?? process.cwd());
    this.alone = config.globalConfig?.maxWorkers === 1;
  }

  async setup() {
    await super.setup();
    this.server = await startFor(this.global.process.env, { folder: this.folder, alone: this.alone });
    this.global.gramme = this.server;
  }

  async teardown() {
    await this.server?.stop();
    await super.teardown();
  }
};
