/** Checks that seals follow one another without gaps, whatever comes late, twice or at once. */
import { describe, expect, test } from 'vitest';
import { memoryArchive } from '../../../../shared/adapters/memory/archive.ts';
import { newestSeal, writeSeal } from '../../../../shared/use-cases/archive/write-seal.ts';
import { ArchiveWorld, insertAt, itemAt, MINUTE } from './archive-world.ts';

describe('a seal', () => {
  test('is written also when nothing came', async () => {
    const world = new ArchiveWorld();
    expect(await world.seals()).toMatchObject({ number: 0, objects: 0, entries: 0 });
    world.time += 5 * MINUTE;
    expect(await world.seals(0)).toMatchObject({ number: 1 });
    expect((await world.findings()).findings).toEqual([]);
  });

  test('takes an object three minutes after it was begun, once', async () => {
    const world = new ArchiveWorld();
    await world.archives(insertAt(1));
    await world.archives({ event: 'remove', seq: '5', before: itemAt(1) });
    world.time += 3 * MINUTE;
    expect(await world.seals()).toMatchObject({ objects: 0 });
    world.time += MINUTE;
    expect(await world.seals()).toMatchObject({ objects: 2, entries: 1, changes: 1 });
    world.time += MINUTE;
    expect(await world.seals()).toMatchObject({ objects: 0, number: 2 });
  });

  test('of two at once one is written', async () => {
    const world = await new ArchiveWorld().filled();
    const written = await Promise.all([world.seals(), world.seals()]);
    expect(written.filter(Boolean)).toHaveLength(1);
    expect((await world.findings()).findings).toEqual([]);
  });

  test('of a run whose clock is behind is no older than the one before it', async () => {
    const world = await new ArchiveWorld().filled();
    world.time -= 1_000;
    await world.seals();
    world.time += 1_000;
    expect((await world.findings()).findings).toEqual([]);
  });

  test('holds whole minutes: what is too much for one is in the next', async () => {
    const world = new ArchiveWorld();
    for (let n = 0; n < 4200; n += 1) {
      if (n % 1500 === 0) world.time += MINUTE;
      await world.archives(insertAt(n));
    }
    world.time += 5 * MINUTE;
    const seals = [];
    for (let more = true; more; ) {
      const seal = await world.seals();
      seals.push(seal?.objects);
      more = seal?.hasMore ?? false;
    }
    expect(seals).toEqual([1500, 1500, 1200]);
    expect((await world.findings()).findings).toEqual([]);
  });

  test('a minute with more objects than one seal takes is sealed whole', async () => {
    const world = new ArchiveWorld();
    for (let n = 0; n < 2100; n += 1) await world.archives(insertAt(n));
    world.time += MINUTE;
    await world.archives(insertAt(5000));
    world.time += 5 * MINUTE;
    expect(await world.seals()).toMatchObject({ objects: 2100, hasMore: true });
    expect(await world.seals()).toMatchObject({ objects: 1, hasMore: false });
  });

  test('the newest is found among any number, with or without a hint', async () => {
    const world = new ArchiveWorld();
    for (let count = 1; count <= 40; count += 1) {
      await world.seals();
      for (const hint of [0, 1, count - 1, count, 100])
        expect((await newestSeal(world.archive, hint))?.number).toBe(count - 1);
    }
    expect(await newestSeal(memoryArchive(), 7)).toBeUndefined();
  });

  test('a process that stops at any point leaves an archive that the next run completes', async () => {
    for (let stop = 1; ; stop += 1) {
      const world = await new ArchiveWorld().filled();
      await world.archives(insertAt(50));
      world.time += 4 * MINUTE;
      let calls = 0;
      const dies = <T>(value: T): T => {
        calls += 1;
        if (calls === stop) throw new Error('stopped');
        return value;
      };
      const { archive } = world;
      const dying = {
        ...archive,
        read: async (key: string) => dies(await archive.read(key)),
        put: async (key: string, text: string) => dies(await archive.put(key, text)),
      };
      const failed = await writeSeal({ ...world, clock: world.clock, deployment: 'shop', archive: dying }).catch(
        (error: unknown) => error,
      );
      world.time += 5 * MINUTE;
      await world.seals();
      expect((await world.findings()).findings).toEqual([]);
      if (!(failed instanceof Error)) break;
    }
  });
});

test('a name that is taken by another text is an error, and by the same one is not', async () => {
  const world = new ArchiveWorld();
  await world.archives(insertAt(1));
  await expect(world.archives(insertAt(1))).resolves.toBeUndefined();
  const [key = ''] = world.objects.keys();
  world.objects.set(key, 'else\n');
  await expect(world.archives(insertAt(1))).rejects.toThrow('is taken by another object');
});
