#!/usr/bin/env node
// `npx gramme ...` is `gramme ...`: same words, same signals, same exit status.
'use strict';

const { spawn } = require('node:child_process');
const { binary } = require('./binary.cjs');

let child;
try {
  child = spawn(binary(), process.argv.slice(2), { stdio: 'inherit' });
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('error', (error) => {
  console.error(`gramme: ${error.message}`);
  process.exit(1);
});
child.on('exit', (code, signal) => {
  if (!signal) process.exit(code);
  // The same end for whoever waits for this process: without its own handler the signal ends it.
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
