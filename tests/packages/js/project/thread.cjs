// A thread that starts a server and is ended, as vitest does it with `pool: 'threads'`, in a program that goes on.
'use strict';

const { Worker, isMainThread, parentPort } = require('node:worker_threads');

async function main() {
  const thread = new Worker(__filename);
  const endpoint = await new Promise((resolve) => thread.once('message', resolve));
  await thread.terminate();
  console.log(endpoint);
  setInterval(() => {}, 1000);
}

if (isMainThread) main();
else require('gramme').start().then(({ endpoint }) => parentPort.postMessage(endpoint));
