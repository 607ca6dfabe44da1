'use strict';

const assert = require('node:assert');
const songs = require('./songs.cjs');

for (const artist of ['Nina Simone', 'Miriam Makeba']) {
  it(`only ${artist} is there`, async () => {
    await songs.add(artist);
    assert.strictEqual(await songs.count(), 1);
  });
}
