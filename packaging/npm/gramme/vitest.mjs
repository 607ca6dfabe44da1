// vitest.config.js: { test: { setupFiles: ['gramme/vitest'] } }. A server of its own for each test file; in the tests it is
// `gramme`: `beforeEach(() => gramme.reset())` empties it.
import { afterAll } from 'vitest';
import settings from './settings.cjs';

const server = await settings.startFor(process.env, { alone: settings.isOnlyWorker(globalThis.__vitest_worker__?.config) });
globalThis.gramme = server;
afterAll(() => server.stop());
