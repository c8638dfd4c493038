/**
 * Checks the archive on streams as they may come.
 *
 * Streams come twice, late, in other parts, out of order, broken off anywhere, or not at all for a day.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ArchiveLine, itemKey } from '../../../../shared/domain/archive/lines.ts';
import { archiveEntries } from '../../../../shared/use-cases/archive/archive-entries.ts';
import { proveEntries } from '../../../../shared/use-cases/archive/prove-entry.ts';
import { writeSeal } from '../../../../shared/use-cases/archive/write-seal.ts';
import { ArchiveWorld, DEPLOYMENT, insertAt, itemAt, MINUTE } from './archive-world.ts';

const HOUR = 60 * MINUTE;

/** An archive whose `stop`-th answer is lost on its way: what was put stays. */
function dying(world: ArchiveWorld, stop: number) {
  let calls = 0;
  const dies = <T>(value: T): T => {
    calls += 1;
    if (calls === stop) throw new Error('stopped');
    return value;
  };
  const { archive } = world;
  return {
    ...archive,
    read: async (key: string) => dies(await archive.read(key)),
    put: async (key: string, text: string) => dies(await archive.put(key, text)),
  };
}

describe('a batch', () => {
  const batch: readonly ArchiveLine[] = [
    insertAt(1),
    { event: 'remove', seq: '1001', before: itemAt(0) },
    insertAt(2),
    { event: 'modify', seq: '1003', before: itemAt(1), item: itemAt(1, { new: { S: 'x' } }) },
  ];

  test('that is broken off at any point comes again, and nothing of it is lost or wrong', async () => {
    for (let stop = 1; stop <= 4; stop += 1)
      for (const later of [0, MINUTE, 7 * MINUTE]) {
        const world = new ArchiveWorld();
        await archiveEntries(batch, { archive: dying(world, stop), clock: world.clock }).catch(() => undefined);
        world.time += later;
        await archiveEntries(batch, world);
        world.time += 5 * MINUTE;
        await world.seals();
        const { findings, verified } = await world.findings({ offline: true });
        expect(verified.entries).toBe(2);
        expect(new Set(findings.map(({ kind }) => kind))).toEqual(new Set(['entry-changed']));
      }
  });

  test('of any size, in any order, several times, between crashes of both functions, is archived and sealed whole', async () => {
    const delivery = fc.record({
      from: fc.nat({ max: 19 }),
      count: fc.integer({ min: 1, max: 8 }),
      wait: fc.constantFrom(0, 1_000, MINUTE, 4 * MINUTE),
      stop: fc.option(fc.integer({ min: 1, max: 6 }), { nil: undefined }),
      seal: fc.constantFrom('no', 'yes', 'dies'),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(delivery, { maxLength: 12 }),
        fc.integer({ min: 1, max: 6 }),
        async (deliveries, size) => {
          const world = new ArchiveWorld();
          const lines = Array.from({ length: 20 }, (_, n) => insertAt(n));
          for (const line of lines) if (line.event === 'insert') world.rows.push(line.item);
          for (const { from, count, wait, stop, seal } of deliveries) {
            world.time += wait;
            const archive = stop === undefined ? world.archive : dying(world, stop);
            const part = lines.slice(from, from + count);
            await archiveEntries(part, { archive, clock: world.clock }).catch(() => undefined);
            if (seal === 'no') continue;
            const sealing = seal === 'dies' ? dying(world, 3) : world.archive;
            await writeSeal({ ...world, archive: sealing, clock: world.clock, deployment: DEPLOYMENT }).catch(
              () => undefined,
            );
          }
          // Lines that the stream still holds come in the end, in their order.
          for (let n = 0; n < lines.length; n += size) {
            await archiveEntries(lines.slice(n, n + size), world).catch(async () => {
              world.time += MINUTE;
              await archiveEntries(lines.slice(n, n + size), world);
            });
          }
          world.time += 5 * MINUTE;
          await world.seals();
          world.time += 6 * MINUTE;
          await world.seals();
          const { findings, verified } = await world.findings();
          expect(findings).toEqual([]);
          expect(verified.entries).toBe(20);
        },
      ),
      { numRuns: 150 },
    );
  });
});

describe('a stream that stands', () => {
  test('for twenty hours is named while it does, and its entries are archived, sealed and proved when it goes on', async () => {
    const world = await new ArchiveWorld().filled();
    const written = world.time;
    const late = Array.from({ length: 3 }, (_, n) =>
      itemAt(100 + n, { at: { S: new Date(written + n).toISOString() } }),
    );
    world.rows.push(...late);
    world.time += 11 * MINUTE;
    await world.seals();
    expect((await world.findings()).findings.map(({ kind }) => kind)).toEqual([
      'row-unarchived',
      'row-unarchived',
      'row-unarchived',
    ]);
    world.time = written + 20 * HOUR;
    await archiveEntries(
      late.map((item, n) => ({ event: 'insert', seq: `${2000 + n}`, item })),
      world,
    );
    world.time += 5 * MINUTE;
    const seal = await world.seals();
    expect((await world.findings()).findings).toEqual([]);
    const proofs = await proveEntries(world.archive, new Set([itemKey(itemAt(101))]), written, {
      deployment: DEPLOYMENT,
      publicKey: await world.signer.publicKey(),
      newest: seal?.number ?? 0,
    });
    expect(proofs).toHaveLength(1);
  });

  test('for more than a day has lost entries, and each of their rows is named for ever', async () => {
    const world = await new ArchiveWorld().filled();
    world.rows.push(itemAt(100, { at: { S: new Date(world.time).toISOString() } }));
    for (let day = 1; day <= 3; day += 1) {
      world.time += 24 * HOUR;
      await world.seals();
      expect((await world.findings()).findings).toEqual([{ kind: 'row-unarchived', subject: itemKey(itemAt(100)) }]);
    }
  });
});

test('an object whose bytes are no UTF-8 is not as it was sealed, and is never another text', async () => {
  const { NO_TEXT, textOfBytes } = await import('../../../../shared/domain/archive/text.ts');
  const bytes = Buffer.from('{"text":"a \uFFFD mark"}\n', 'utf8');
  expect(textOfBytes(bytes)).toBe(bytes.toString('utf8'));
  const at = bytes.indexOf(0xef);
  const changed = Buffer.concat([bytes.subarray(0, at), Buffer.of(0xff), bytes.subarray(at + 3)]);
  // Node's own decoder reads the same text from other bytes.
  expect(changed.toString('utf8')).toBe(bytes.toString('utf8'));
  expect(textOfBytes(changed)).toBe(NO_TEXT);
  const marked = Buffer.concat([Buffer.of(0xef, 0xbb, 0xbf), bytes]);
  expect(textOfBytes(marked)).not.toBe(textOfBytes(bytes));
});
