import { beforeEach, expect, test } from 'vitest';

const songs = (await import('./songs.cjs')).default;

beforeEach(() => gramme.reset());
for (const artist of ['Nina Simone', 'Miriam Makeba']) {
  test(`only ${artist} is there`, async () => {
    await songs.add(artist);
    expect(await songs.count()).toBe(1);
  });
}
