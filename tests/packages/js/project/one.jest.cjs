'use strict';

const songs = require('./songs.cjs');

// The same in two files, which run side by side: neither sees the other's items.
for (const artist of ['Nina Simone', 'Miriam Makeba']) {
  test(`only ${artist} is there`, async () => {
    await gramme.reset();
    await songs.add(artist);
    expect(await songs.count()).toBe(1);
  });
}
