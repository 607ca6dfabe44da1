// Where the program is: $GRAMME_BINARY, or the package of this machine's kind, which npm installs beside this one.
'use strict';

const { existsSync } = require('node:fs');
const path = require('node:path');

function find() {
  if (process.env.GRAMME_BINARY) return process.env.GRAMME_BINARY;
  const name = `gramme-${process.platform}-${process.arch}`;
  try {
    return path.join(path.dirname(require.resolve(`${name}/package.json`)), 'bin', 'gramme');
  } catch {
    throw new Error(`gramme: there is no package ${name}. gramme runs on Linux with glibc, x64 and arm64; ` +
      'was npm told to leave optional dependencies out? GRAMME_BINARY may name a program that was built here.');
  }
}

exports.binary = function binary() {
  const file = find();
  if (!existsSync(file)) throw new Error(`gramme: there is no program ${file}`);
  return file;
};
