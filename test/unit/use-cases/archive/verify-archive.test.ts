/** Checks which changes of archive and table `verify` finds, and how they are named (G36). */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anchorName, textOfAnchor, toldName } from '../../../../shared/domain/archive/anchor.ts';
import { itemKey } from '../../../../shared/domain/archive/lines.ts';
import { SEAL_KEYS } from '../../../../shared/domain/archive/seal-key.ts';
import { sha256Hex } from '../../../../shared/domain/digest.ts';
import { MIN_RETENTION_MS } from '../../../../shared/domain/record/retention.ts';
import { ArchiveWorld, insertAt, itemAt, LOCKED, MINUTE, START } from './archive-world.ts';
import { change, objectsOf } from './attack-steps.ts';
import { ATTACKS, inCopy, isOnObjects } from './attacks.ts';

const last = (world: ArchiveWorld, prefix: string) => objectsOf(world, prefix).at(-1) as string;
/** Replaces an ECDSA signature (r, s) by the other one that fits: (r, n - s). */
function withTwin(note: string): string {
  const [, head = '', base64 = ''] = /^([\s\S]*— \S+ )(\S+)\n$/.exec(note) ?? [];
  const bytes = Buffer.from(base64, 'base64');
  const [keyId, signature] = [bytes.subarray(0, 4), bytes.subarray(4)];
  const end = 4 + (signature[3] ?? 0);
  const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
  const twin = order - BigInt(`0x${signature.subarray(end + 2).toString('hex')}`);
  const hex = twin.toString(16).padStart(66, '0');
  const number = Buffer.from(hex.replace(/^(?:00)+(?=[89a-f])/, '00').replace(/^(?:00)+(?=[0-7])/, ''), 'hex');
  const body = Buffer.concat([signature.subarray(2, end), Buffer.of(2, number.length), number]);
  return `${head}${Buffer.concat([keyId, Buffer.of(0x30, body.length), body]).toString('base64')}\n`;
}
describe('verify', () => {
  test('finds nothing in an archive that nobody touched', async () => {
    const world = await new ArchiveWorld().filled();
    const { findings, verified } = await world.findings();
    expect(findings).toEqual([]);
    expect(verified).toMatchObject({ seals: 4, objects: 5, entries: 10, rows: 10, unproved: 0 });
  });

  test.each(ATTACKS)('finds that $what', async (attack) => {
    const world = await new ArchiveWorld().filled();
    const anchors = [(await world.findings()).verified.newest?.hash ?? ''];
    await attack.attack(world);
    await attack.carried?.(world);
    expect((await world.findings()).kinds.toSorted()).toEqual(attack.found.toSorted());
    if (isOnObjects(attack))
      expect((await world.findings({ offline: true })).kinds.toSorted()).toEqual(inCopy(attack).toSorted());
    const byAnchor = attack.foundByAnchor ?? [];
    for (const offline of byAnchor.length ? [false, true] : []) {
      const others = offline ? inCopy(attack) : attack.found;
      expect((await world.findings({ anchors, offline })).kinds.toSorted()).toEqual(
        [...others, ...byAnchor].toSorted(),
      );
    }
  });

  test('finds a seal of another gate, which a gate takes for no seal of its own', async () => {
    const world = await new ArchiveWorld().filled();
    world.objects.delete(last(world, 'seal/'));
    world.deployment = 'other';
    await expect(world.seals()).rejects.toThrow('of another deployment');
  });

  test('finds that seals are no longer written', async () => {
    const world = await new ArchiveWorld().filled();
    world.time += 16 * MINUTE;
    expect((await world.findings()).kinds).toEqual(['seals-stopped']);
  });

  test('does not miss a row whose retention was over, and misses one that went before', async () => {
    const world = new ArchiveWorld();
    const ends = (n: number, at: number) => itemAt(n, { ttl: { N: String(at / 1000) } });
    await world.archives(
      { event: 'insert', seq: '1', item: ends(1, START + MIN_RETENTION_MS) },
      { event: 'insert', seq: '2', item: ends(2, START + MIN_RETENTION_MS + 60 * MINUTE) },
    );
    await world.seals();
    world.time += MIN_RETENTION_MS + 2 * MINUTE;
    await world.seals();
    expect((await world.findings()).kinds).toEqual([]);
    world.rows.length = 0;
    expect((await world.findings()).findings).toEqual([{ kind: 'row-missing', subject: itemKey(itemAt(2)) }]);
  });

  test.each(['2026-11-23T05:21:00.000Z', '2026-11-24T05:00:00.000Z'])(
    'finds an anchor of another day or time than its seal, and takes the gate’s own: %s',
    async (at) => {
      const world = await new ArchiveWorld().filled();
      const { newest } = (await world.findings()).verified;
      const anchor = textOfAnchor({ number: 3, hash: newest?.hash ?? '', at });
      const day = anchorName(Date.parse(at));
      for (const name of [day, toldName(day)]) world.objects.set(name, anchor);
      const isOwn = at.startsWith('2026-11-23');
      expect((await world.findings()).kinds).toEqual(isOwn ? [] : ['anchor-wrong']);
      world.objects.set('anchor/2026-11-25', anchor);
      expect((await world.findings({ offline: true })).kinds).toEqual(['anchor-wrong']);
    },
  );

  test('finds that a text was deleted or overwritten that an entry names, until its retention is over', async () => {
    const world = new ArchiveWorld();
    const [proposal, shown] = [sha256Hex('proposal'), sha256Hex('shown')];
    const B = (digest: string) => ({ B: Buffer.from(digest, 'hex').toString('base64') });
    const entry = { M: { proposalDigest: B(proposal) } };
    const ttl = { N: String((START + MIN_RETENTION_MS) / 1000) };
    const item = itemAt(1, { entry, told: { M: { shownDigest: B(shown) } }, ttl });
    await world.archives({ event: 'insert', seq: '1', item });
    world.time += 5 * MINUTE;
    await world.seals();
    const both = [
      { kind: 'text-gone', subject: `record/${proposal}` },
      { kind: 'text-gone', subject: `shown/${shown}` },
    ];
    expect((await world.findings()).findings).toEqual(both);
    world.texts.set(`record/${proposal}`, 'proposal').set(`shown/${shown}`, 'overwritten');
    expect((await world.findings()).findings).toEqual(both.slice(1));
    world.texts.set(`shown/${shown}`, 'shown');
    expect(await world.findings()).toMatchObject({ findings: [], verified: { texts: 2 } });
    world.texts.clear();
    world.time += MIN_RETENTION_MS;
    await world.seals();
    expect((await world.findings()).findings).toEqual([]);
  });

  test('finds a text that was written under another key, and compares the others all the same', async () => {
    const world = new ArchiveWorld();
    const [proposal, shown] = [sha256Hex('proposal'), sha256Hex('shown')];
    const B = (digest: string) => ({ B: Buffer.from(digest, 'hex').toString('base64') });
    const entry = { M: { proposalDigest: B(proposal) } };
    const item = itemAt(1, { entry, told: { M: { shownDigest: B(shown) } } });
    await world.archives({ event: 'insert', seq: '1', item });
    world.time += 5 * MINUTE;
    await world.seals();
    world.texts.set(`record/${proposal}`, LOCKED).set(`shown/${shown}`, 'shown');
    expect((await world.findings()).findings).toEqual([{ kind: 'text-gone', subject: `record/${proposal}` }]);
    // A role that can decrypt none lacks the right, and learns nothing of the record.
    world.texts.set(`shown/${shown}`, LOCKED);
    await expect(world.findings()).rejects.toThrow('no text can be decrypted');
  });

  test('takes an old text that is missing for one that its bucket let go, and one that was overwritten for none', async () => {
    const world = new ArchiveWorld();
    const digest = sha256Hex('asked');
    const entry = { M: { askedDigest: { B: Buffer.from(digest, 'hex').toString('base64') } } };
    // Written while the policy file stated more than today.
    const item = itemAt(1, { entry, ttl: { N: String((START + 3 * MIN_RETENTION_MS) / 1000) } });
    await world.archives({ event: 'insert', seq: '1', item });
    const gone = [{ kind: 'text-gone', subject: `record/${digest}` }];
    world.time = START + MIN_RETENTION_MS;
    await world.seals();
    expect(await world.findings()).toMatchObject({ findings: gone, verified: { expired: 0 } });
    world.time += 10 * MINUTE;
    await world.seals();
    expect(await world.findings()).toMatchObject({ findings: [], verified: { texts: 1, expired: 1 } });
    world.texts.set(`record/${digest}`, 'overwritten');
    expect((await world.findings()).findings).toEqual(gone);
  });

  test('finds nothing in what the gate does while it reads for hours: it seals, and lets an entry go', async () => {
    const world = new ArchiveWorld();
    const ttl = { N: String((START + MIN_RETENTION_MS + 60 * MINUTE) / 1000) };
    await world.archives({ event: 'insert', seq: '1', item: itemAt(1, { ttl }) });
    world.time += MIN_RETENTION_MS;
    await world.seals();
    const names = world.archive.names;
    world.archive.names = async function* (prefix, after) {
      yield* names(prefix, after);
      if (prefix !== 'seal/') return;
      world.time += 120 * MINUTE;
      await world.seals();
      world.rows.length = 0;
      yield 'seal/000000000001';
    };
    expect(await world.findings()).toMatchObject({ findings: [], verified: { seals: 2, rows: 0 } });
  });

  test('tells of all seals that are missing in a row at once', async () => {
    const world = await new ArchiveWorld().filled();
    world.objects.delete('seal/000000000001');
    world.objects.delete('seal/000000000002');
    expect((await world.findings()).findings[0]).toEqual({
      kind: 'seal-missing',
      subject: 'seal/000000000001 to seal/000000000002',
    });
  });

  test('lets rows pass that are younger than ten minutes, and counts those from before the archive', async () => {
    const world = await new ArchiveWorld().filled();
    world.rows.push(itemAt(0, { pk: { S: 'bot#young' }, at: { S: new Date(world.time - MINUTE).toISOString() } }));
    world.rows.push(itemAt(0, { pk: { S: 'bot#old' }, at: { S: '2026-11-01T00:00:00.000Z' } }));
    const { findings, verified } = await world.findings();
    expect(findings).toEqual([]);
    expect(verified.unproved).toBe(1);
  });

  test('takes a batch that came twice, in other parts and later, for what it is', async () => {
    const world = await new ArchiveWorld().filled();
    world.rows.splice(0, 2);
    await world.archives(insertAt(0), insertAt(1));
    await world.archives(insertAt(0));
    expect((await world.findings()).kinds).toEqual([]);
    world.rows.splice(-1);
    world.time += 5 * MINUTE;
    await world.seals();
    expect((await world.findings()).kinds).toEqual([]);
  });

  test.each(SEAL_KEYS)('finds nothing where nobody touched, with a key of the kind %s', async (kind) => {
    const world = await new ArchiveWorld(kind).filled();
    expect((await world.findings()).findings).toEqual([]);
    const other = await new ArchiveWorld(kind === 'p256' ? 'ed25519' : 'p256').filled();
    for (const [key, text] of other.objects) world.objects.set(key, text);
    expect((await world.findings()).kinds).toContain('seal-wrong');
  });

  test.each(SEAL_KEYS)('finds any change of the last digit of the newest signature: %s', async (kind) => {
    const world = await new ArchiveWorld(kind).filled();
    const key = last(world, 'seal/');
    const text = world.objects.get(key) as string;
    const at = text.search(/=*\n$/) - 1;
    for (const digit of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/') {
      if (digit === text[at]) continue;
      // Some digits stand for the same bytes: the seal would verify, under another hash.
      world.objects.set(key, `${text.slice(0, at)}${digit}${text.slice(at + 1)}`);
      expect((await world.findings()).findings).not.toEqual([]);
    }
  });

  test('finds that the newest signature was replaced by its twin, which fits the text as well', async () => {
    const world = await new ArchiveWorld('p256').filled();
    change(world, last(world, 'seal/'), withTwin);
    expect((await world.findings()).kinds).toContain('seal-wrong');
  });

  test('counts whichever of the two a key makes', async () => {
    for (let time = 0; time < 12; time++)
      expect((await (await new ArchiveWorld('p256').filled()).findings()).findings).toEqual([]);
  });

  test.each(SEAL_KEYS)('finds any single change of any byte of any object, with a key of the kind %s', async (kind) => {
    const world = await new ArchiveWorld(kind).filled();
    const keys = [...world.objects.keys()];
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...keys), fc.nat(), fc.integer({ min: 1, max: 127 }), async (key, at, by) => {
        const text = world.objects.get(key) as string;
        const bytes = Buffer.from(text, 'utf8');
        const index = at % bytes.length;
        bytes[index] = (bytes[index] as number) ^ by;
        world.objects.set(key, bytes.toString('utf8'));
        try {
          expect((await world.findings()).findings).not.toEqual([]);
        } finally {
          world.objects.set(key, text);
        }
      }),
    );
  });

  test('finds any single change of any row', async () => {
    const world = await new ArchiveWorld().filled();
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: 9 }),
        fc.constantFrom('pk', 'sk', 'at', 'entry', 'new'),
        fc.string(),
        async (n, field, value) => {
          const row = world.rows[n];
          world.rows[n] = { ...row, [field]: { S: `${value}!` } };
          try {
            expect((await world.findings()).findings).not.toEqual([]);
          } finally {
            world.rows[n] = row as never;
          }
        },
      ),
    );
  });
});
