/** Checks that one hash a day leaves the account, whatever stops, comes twice or runs at once. */
import { expect, test } from 'vitest';
import { loadPolicy } from '../../../../shared/config/load.ts';
import { peopleOf } from '../../../../shared/config/readers/people-of.ts';
import type { Anchor } from '../../../../shared/domain/archive/anchor.ts';
import { anchorSeal, recordChannelOf, textOfAnnouncement } from '../../../../shared/use-cases/archive/anchor-seal.ts';
import { ArchiveWorld, DEPLOYMENT, insertAt, MINUTE } from './archive-world.ts';

const DAY = 24 * 60 * MINUTE;

class AnchoredWorld extends ArchiveWorld {
  readonly told: Anchor[] = [];

  /** One run of the function: a seal, and the anchor of the day. */
  async runs(archive = this.archive): Promise<void> {
    const seal = await this.seals();
    if (!seal) return;
    const tell = async (anchor: Anchor) => {
      this.told.push(anchor);
    };
    await anchorSeal(seal, { archive, clock: this.clock, tell });
  }
}

test('a day has one anchor, of a seal of that day', async () => {
  const world = new AnchoredWorld();
  for (let run = 0; run < 4; run += 1) {
    await world.archives(insertAt(run));
    world.time += 6 * 60 * MINUTE;
    await world.runs();
  }
  expect(world.told.map(({ number }) => number)).toEqual([0, 3]);
  const { findings } = await world.findings({ anchors: world.told.map(({ hash }) => hash) });
  expect(findings).toEqual([]);
});

test('two runs at once tell of the same seal', async () => {
  const world = new AnchoredWorld();
  const seal = await world.seals();
  const other = { number: 7, hash: 'f'.repeat(64) };
  const gate = { archive: world.archive, clock: world.clock, tell: async (one: Anchor) => void world.told.push(one) };
  await Promise.all([anchorSeal(seal as never, gate), anchorSeal(other, gate)]);
  expect(new Set(world.told.map(({ hash }) => hash)).size).toBe(1);
});

test('a process that stops at any point tells of the same anchor again, or not at all before the next run does', async () => {
  for (let stop = 1; ; stop += 1) {
    const world = new AnchoredWorld();
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
    const failed = await world.runs(dying).catch((error: unknown) => error);
    world.time += 5 * MINUTE;
    await world.runs();
    expect(new Set(world.told.map((one) => JSON.stringify(one))).size).toBe(1);
    world.time += 5 * MINUTE;
    await world.runs();
    expect(world.told.length).toBeLessThanOrEqual(2);
    if (!(failed instanceof Error)) break;
    expect(stop).toBeLessThan(20);
  }
});

test('an anchor in the archive that fits no seal is found: seals that were cut off, or another text', async () => {
  const world = new AnchoredWorld();
  await world.runs();
  world.time += DAY;
  await world.runs();
  expect((await world.findings()).findings).toEqual([]);
  const cut = new Map(world.objects);
  world.objects.delete('seal/000000000001');
  expect((await world.findings()).kinds).toContain('anchor-wrong');
  for (const [key, text] of cut) world.objects.set(key, text);
  for (const key of [...world.objects.keys()].filter((one) => one.startsWith('anchor/'))) {
    const text = world.objects.get(key) as string;
    world.objects.set(
      key,
      text.replace(/[0-9a-f](?=[0-9a-f]{10} )/, (digit) => (digit === '0' ? '1' : '0')),
    );
    expect((await world.findings()).kinds).toEqual(['anchor-wrong']);
    world.objects.set(key, text);
  }
  world.objects.set('anchor/else', cut.get('anchor/2026-11-23') as string);
  expect((await world.findings()).findings).toEqual([{ kind: 'anchor-wrong', subject: 'anchor/else' }]);
});

test('an anchor that cannot be read stops the run, so that an alarm tells', async () => {
  const world = new AnchoredWorld();
  world.objects.set('anchor/2026-11-23', 'nothing\n');
  await expect(world.runs()).rejects.toThrow('anchor/2026-11-23 holds no anchor');
});

test.each([
  ['approvals: { approvers: leads }', 'C0LEADS'],
  ['approvals: { stages: [{ group: leads, quorum: 1 }] }', 'C0LEADS'],
  ['', 'C0FIRST'],
])('people read it where approvers do: %s', (approvals, channel) => {
  const { policy } = loadPolicy(
    `people: { ann: { team: T0LOCAL, user: U0ANN, name: Ann } }
agents: {}
channels: { first: { team: T0LOCAL, id: C0FIRST }, leads: { team: T0LOCAL, id: C0LEADS } }
approvers: { crew: { members: [ann], channel: first }, leads: { members: [ann], channel: leads } }
${approvals}
`,
    'test.yaml',
  );
  expect(recordChannelOf(peopleOf(policy))).toBe(channel);
});

test('without a group of approvers nobody is told', () => {
  const { policy } = loadPolicy('agents: {}\n', 'test.yaml');
  expect(recordChannelOf(peopleOf(policy))).toBeUndefined();
});

test('the announcement holds the hash and the command that needs it', () => {
  const text = textOfAnnouncement({ number: 3, hash: 'a'.repeat(64), at: '2026-11-23T05:00:00.000Z' }, DEPLOYMENT);
  expect(text).toContain('a'.repeat(64));
  expect(text).toContain('countersign audit verify --anchor');
});
