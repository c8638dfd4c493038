/** Changes of the archive and of the table that `verify` finds, and how they are named (G36). */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SEAL_KEYS } from '../../../../shared/domain/archive/seal-key.ts';
import { ArchiveWorld, insertAt, itemAt, MINUTE, START } from './archive-world.ts';

type Attack = readonly [what: string, attack: (world: ArchiveWorld) => void | Promise<void>, found: readonly string[]];

const objectsOf = (world: ArchiveWorld, prefix: string) =>
  [...world.objects.keys()].filter((key) => key.startsWith(prefix)).toSorted();
const first = (world: ArchiveWorld, prefix: string) => objectsOf(world, prefix)[0] as string;
const second = (world: ArchiveWorld, prefix: string) => objectsOf(world, prefix)[1] as string;
const last = (world: ArchiveWorld, prefix: string) => objectsOf(world, prefix).at(-1) as string;
const change = (world: ArchiveWorld, key: string, by: (text: string) => string) =>
  world.objects.set(key, by(world.objects.get(key) as string));
const swap = (world: ArchiveWorld, [a, b]: readonly string[]) => {
  const text = world.objects.get(a as string) as string;
  world.objects.set(a as string, world.objects.get(b as string) as string);
  world.objects.set(b as string, text);
};
/** Of an ECDSA signature (r, s) the other that fits: (r, n - s). */
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
const linesSwapped = (text: string) => `${text.trimEnd().split('\n').toReversed().join('\n')}\n`;
const lineLess = (text: string) => `${text.trimEnd().split('\n').slice(1).join('\n')}\n`;

const ATTACKS: readonly Attack[] = [
  [
    'an entry of an object is altered',
    (w) => change(w, second(w, 'entry/'), (t) => t.replace('allow', 'denyy')),
    ['object-changed', 'row-unarchived'],
  ],
  [
    'an entry is taken out of an object',
    (w) => change(w, second(w, 'entry/'), lineLess),
    ['object-changed', 'row-unarchived'],
  ],
  [
    'an entry is put into an object',
    (w) => change(w, second(w, 'entry/'), (t) => t + t),
    ['object-changed', 'row-unarchived'],
  ],
  [
    'entries of an object change places',
    (w) => change(w, second(w, 'entry/'), linesSwapped),
    ['object-changed', 'row-unarchived'],
  ],
  [
    'an object loses its last line end',
    (w) => change(w, second(w, 'entry/'), (t) => t.trimEnd()),
    ['object-changed', 'row-unarchived'],
  ],
  ['an object is deleted', (w) => void w.objects.delete(second(w, 'entry/')), ['object-missing', 'row-unarchived']],
  ['two objects change places', (w) => swap(w, objectsOf(w, 'entry/').slice(1)), ['object-changed', 'row-unarchived']],
  [
    'an object is renamed',
    (w) => {
      const key = second(w, 'entry/');
      w.objects.set(key.replace('T0502', 'T0501'), w.objects.get(key) as string);
      w.objects.delete(key);
    },
    ['object-missing', 'object-unsealed'],
  ],
  [
    'an object is put in later',
    (w) =>
      void w.objects.set(
        'entry/2026-11-23T0500Z/1-2.jsonl',
        w.objects.get(second(w, 'entry/'))?.replaceAll('bot#', 'spy#') as string,
      ),
    ['object-unsealed', 'row-missing'],
  ],
  ['a stranger stands among the objects', (w) => void w.objects.set('entry/readme', 'hello'), ['object-stranger']],
  ['a stranger stands among the seals', (w) => void w.objects.set('seal/readme', 'hello'), ['seal-stranger']],
  [
    'a seal is deleted',
    (w) => void w.objects.delete(objectsOf(w, 'seal/')[1] as string),
    ['seal-missing', 'object-unsealed'],
  ],
  ['the first seal is deleted', (w) => void w.objects.delete(first(w, 'seal/')), ['seal-missing', 'object-unsealed']],
  [
    'all seals are deleted',
    (w) => {
      for (const key of objectsOf(w, 'seal/')) w.objects.delete(key);
    },
    ['no-seals', 'object-unsealed'],
  ],
  [
    'the newest seals are cut off',
    (w) => {
      for (const key of objectsOf(w, 'seal/').slice(-2)) w.objects.delete(key);
    },
    ['object-unsealed'],
  ],
  ['seals change places', (w) => swap(w, objectsOf(w, 'seal/')), ['seal-chain']],
  [
    'a seal is put in twice',
    (w) => void w.objects.set('seal/000000000004', w.objects.get('seal/000000000002') as string),
    ['seal-chain'],
  ],
  [
    'the number in a seal is altered',
    (w) => change(w, first(w, 'seal/'), (t) => t.replace('number 0', 'number 1')),
    ['seal-wrong', 'seal-chain', 'object-unsealed'],
  ],
  [
    'the time in a seal is altered',
    (w) => change(w, first(w, 'seal/'), (t) => t.replace('at 2026', 'at 2025')),
    ['seal-wrong', 'seal-chain', 'object-unsealed'],
  ],
  [
    'a seal loses its signature',
    (w) => change(w, first(w, 'seal/'), (t) => t.slice(0, t.indexOf('—'))),
    ['seal-wrong', 'seal-chain', 'object-unsealed'],
  ],
  [
    'a seal gets the signature of another',
    (w) => {
      const [a, b] = objectsOf(w, 'seal/') as [string, string];
      const signature = (w.objects.get(b) as string).split('\n\n')[1] as string;
      change(w, a, (t) => `${t.split('\n\n')[0]}\n\n${signature}`);
    },
    ['seal-wrong', 'seal-chain', 'object-unsealed'],
  ],
  ['a list is deleted', (w) => void w.objects.delete(first(w, 'list/')), ['list-missing', 'object-unsealed']],
  [
    'a list loses a line',
    (w) => change(w, first(w, 'list/'), (t) => t.split('\n').slice(1).join('\n')),
    ['list-wrong', 'object-unsealed'],
  ],
  [
    'a digest in a list is altered',
    (w) => change(w, first(w, 'list/'), (t) => t.replace(/ [0-9a-f]{64}/, ` ${'0'.repeat(64)}`)),
    ['list-wrong', 'object-unsealed'],
  ],
  [
    'a row of the table is altered',
    (w) => {
      w.rows[3] = itemAt(3, { entry: { M: { verdict: { S: 'allow' } } } });
    },
    ['row-changed'],
  ],
  ['a row of the table is deleted', (w) => void w.rows.splice(3, 1), ['row-missing']],
  [
    'a row is put into the table past the stream',
    (w) => void w.rows.push(itemAt(77, { pk: { S: 'bot#forged' } })),
    ['row-unarchived'],
  ],
  [
    'a row without a time is put into the table',
    (w) => {
      const { at: _, ...item } = itemAt(77);
      w.rows.push(item);
    },
    ['row-unarchived'],
  ],
  [
    'two rows of the table change contents',
    (w) => {
      const [a, b] = [w.rows[1], w.rows[2]];
      w.rows[1] = { ...b, pk: a?.['pk'] };
      w.rows[2] = { ...a, pk: b?.['pk'] };
    },
    ['row-changed'],
  ],
  [
    'an entry is changed, and the stream says so',
    async (w) => {
      await w.archives({ event: 'modify', seq: '5000', before: itemAt(3), item: itemAt(3, { entry: { S: 'x' } }) });
      w.time += 5 * MINUTE;
      await w.seals();
    },
    ['entry-changed'],
  ],
  [
    'an entry is removed, and the stream says so',
    async (w) => {
      await w.archives({ event: 'remove', seq: '5000', before: itemAt(3) });
      w.time += 5 * MINUTE;
      await w.seals();
    },
    ['entry-changed'],
  ],
  [
    'an entry is put where it does not belong',
    async (w) => {
      const item = itemAt(88, { sk: { S: 'vote#1' } });
      await w.archives({ event: 'misplaced', seq: '5000', item });
      w.rows.push(item);
      w.time += 5 * MINUTE;
      await w.seals();
    },
    ['entry-misplaced'],
  ],
  [
    'an entry is removed and written anew',
    async (w) => {
      await w.archives({ event: 'insert', seq: '5000', item: itemAt(3, { entry: { S: 'x' } }) });
      w.rows.splice(3, 1);
      w.time += 5 * MINUTE;
      await w.seals();
    },
    ['entry-twice'],
  ],
];

describe('verify', () => {
  test('finds nothing in an archive that nobody touched', async () => {
    const world = await new ArchiveWorld().filled();
    const { findings, verified } = await world.findings();
    expect(findings).toEqual([]);
    expect(verified).toMatchObject({ seals: 4, objects: 5, entries: 10, rows: 10, unproved: 0 });
  });

  test.each(ATTACKS)('finds that %s', async (_, attack, found) => {
    const world = await new ArchiveWorld().filled();
    await attack(world);
    expect((await world.findings()).kinds.toSorted()).toEqual(found.toSorted());
  });

  test('finds cut-off seals of a copy with an anchor, and only with one', async () => {
    const world = await new ArchiveWorld().filled();
    const { verified } = await world.findings();
    const anchors = [verified.newest?.hash ?? ''];
    expect((await world.findings({ anchors, offline: true })).kinds).toEqual([]);
    // The newest seals and all that only they name.
    for (const key of objectsOf(world, 'seal/').slice(-2)) world.objects.delete(key);
    for (const key of objectsOf(world, 'entry/').slice(-1)) world.objects.delete(key);
    expect((await world.findings({ offline: true })).kinds).toEqual([]);
    expect((await world.findings({ offline: true, anchors })).kinds).toEqual(['seals-cut-off']);
  });

  test('finds an archive that was written again with a key of its own', async () => {
    const world = await new ArchiveWorld().filled();
    const other = await new ArchiveWorld().filled();
    for (const [key, text] of other.objects) world.objects.set(key, text);
    expect((await world.findings()).kinds).toContain('seal-wrong');
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
      { event: 'insert', seq: '1', item: ends(1, START + MINUTE) },
      { event: 'insert', seq: '2', item: ends(2, START + 60 * MINUTE) },
    );
    await world.seals();
    world.time += 2 * MINUTE;
    await world.seals();
    expect((await world.findings()).kinds).toEqual([]);
    world.rows.length = 0;
    expect((await world.findings()).findings).toEqual([{ kind: 'row-missing', subject: '["bot#2","evaluated"]' }]);
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
