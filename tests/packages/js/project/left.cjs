// A program that is killed, with a child that is not.
'use strict';

const { spawn } = require('node:child_process');
const { start } = require('gramme');

setInterval(() => {}, 1000);
start().then(({ endpoint }) => {
  const child = spawn('sleep', ['600'], { stdio: 'ignore', detached: true });
  console.log(endpoint, child.pid);
});
