/** Lists attacks on the archived record: who could try each, and what `verify` finds of it (G36). */
import { textOfAnchor } from '../../../../shared/domain/archive/anchor.ts';
import { archiveObject, minuteOf, summaryOf } from '../../../../shared/domain/archive/lines.ts';
import { textOfList } from '../../../../shared/domain/archive/seal-note.ts';
import type { Finding } from '../../../../shared/use-cases/archive/findings.ts';
import { ArchiveWorld, MINUTE } from './archive-world.ts';
import {
  anchorsTomorrow,
  carry,
  change,
  changes,
  cutsOff,
  deletes,
  lineLess,
  linesSwapped,
  nth,
  objectsOf,
  puts,
  putsNow,
  sealsLess,
  swaps,
  textOf,
} from './attack-steps.ts';

/** Roles of the stack that write the record, its archive or its seals: no other role could do more. */
type Thief = 'GateEvaluateRole' | 'GateArchiveAuditRole' | 'GateSealRole';

export type Operation = 'PutObject' | 'DeleteObject' | 'PutItem' | 'DeleteItem';

type Kinds = readonly Finding['kind'][];

export interface Attack {
  readonly what: string;
  /** The strongest role that could do it. */
  readonly by: Thief;
  /** The rights of the role refuse these; somebody with the whole account does them. */
  readonly refused: readonly Operation[];
  readonly attack: (world: ArchiveWorld) => unknown;
  /** How the gate goes on: the stream brings a change to the archive, and it is sealed. */
  readonly carried?: (world: ArchiveWorld) => Promise<unknown>;
  /** Findings without an anchor. */
  readonly found: Kinds;
  /** In a copy, which has no rows and no time of its own. Absent: those of `found` that are no row’s. */
  readonly foundInCopy?: Kinds;
  /** Findings that only an anchor from outside of the account brings, beside the others. */
  readonly foundByAnchor?: Kinds;
}

/** Findings of a copy of the archive, without an account. */
export const inCopy = ({ found, foundInCopy }: Attack): Kinds =>
  foundInCopy ?? found.filter((kind) => !kind.startsWith('row-'));

/** Whether a copy of the archive shows anything of it. */
export const isOnObjects = (attack: Attack): boolean => inCopy(attack).length > 0 || attack.by !== 'GateEvaluateRole';

const OBJECT = { by: 'GateArchiveAuditRole', found: ['object-changed', 'row-unarchived'] } as const;
const SEAL = { by: 'GateSealRole', found: ['seal-wrong', 'seal-chain', 'object-unsealed'] } as const;
const LIST = { by: 'GateSealRole', found: ['list-wrong', 'object-unsealed'] } as const;
const ROW = { by: 'GateEvaluateRole' } as const;
/** The role may put a row or an object anew; under the bucket's lock the earlier version of the object stays. */
const MAY = { refused: [] } as const;
const NO_DELETING = { refused: ['DeleteObject'] } as const;

export const ATTACKS: readonly Attack[] = [
  {
    what: 'an entry of an object is altered',
    ...{ ...OBJECT, ...MAY },
    attack: changes('entry/', 1, (text) => text.replace('allow', 'denyy')),
  },
  { what: 'an entry is taken out of an object', ...OBJECT, ...MAY, attack: changes('entry/', 1, lineLess) },
  { what: 'an entry is put into an object', ...OBJECT, ...MAY, attack: changes('entry/', 1, (text) => text + text) },
  { what: 'entries of an object change places', ...OBJECT, ...MAY, attack: changes('entry/', 1, linesSwapped) },
  {
    what: 'an object loses its last line end',
    ...{ ...OBJECT, ...MAY },
    attack: changes('entry/', 1, (text) => text.trimEnd()),
  },
  { what: 'two objects change places', ...OBJECT, ...MAY, attack: swaps('entry/', 1) },
  {
    what: 'an object is deleted',
    ...{ ...OBJECT, ...NO_DELETING },
    attack: deletes('entry/', 1),
    found: ['object-missing', 'row-unarchived'],
  },
  {
    what: 'an object is renamed',
    ...{ ...OBJECT, ...NO_DELETING },
    attack: (world) => {
      const key = nth(world, 'entry/', 1);
      const minutes = [2, 1].map((after) => minuteOf(world.start + after * MINUTE)) as [string, string];
      world.objects.set(key.replace(...minutes), textOf(world, key));
      world.objects.delete(key);
    },
    found: ['object-missing', 'object-unsealed'],
  },
  {
    what: 'an object is put in later',
    ...{ ...OBJECT, ...MAY },
    attack: (world) => {
      const text = textOf(world, nth(world, 'entry/', 1)).replaceAll('bot#', 'spy#');
      world.objects.set(`entry/${minuteOf(world.start)}/1-2.jsonl`, text);
    },
    found: ['object-unsealed', 'row-missing'],
  },
  {
    what: 'an object is altered, and sealed once more by the key',
    ...{ ...OBJECT, ...MAY },
    attack: changes('entry/', 1, (text) => text.replace('allow', 'denyy')),
    carried: (world) => {
      const key = nth(world, 'entry/', 1);
      return world.signs(textOfList([summaryOf({ key, text: textOf(world, key) })]));
    },
    found: ['object-changed', 'object-resealed', 'row-unarchived'],
  },
  {
    what: 'an object that ends within a line is put where the next seal takes it',
    ...{ ...OBJECT, ...MAY },
    attack: (world) => putsNow(world, '{"event":'),
    carried: (world) => carry(world),
    found: ['line-wrong'],
  },
  {
    what: 'an entry that says to be over is put where the next seal takes it',
    ...{ ...OBJECT, ...MAY },
    attack: (world) => {
      const item = world.itemAt(77, { ttl: { N: String(Math.ceil(world.time / 1000)) } });
      return putsNow(world, archiveObject('entry', [{ event: 'insert', seq: '6000', item }], world.time).text);
    },
    carried: (world) => carry(world),
    found: ['row-missing'],
  },
  {
    what: 'a stranger stands among the objects',
    ...{ ...OBJECT, ...MAY },
    attack: puts('entry/readme', 'hello'),
    found: ['object-stranger'],
  },
  {
    what: 'a stranger stands among the seals',
    ...{ ...SEAL, ...MAY },
    attack: puts('seal/readme', 'hello'),
    found: ['seal-stranger'],
  },
  {
    what: 'a seal is deleted',
    ...{ ...SEAL, ...NO_DELETING },
    attack: deletes('seal/', 1),
    found: ['seal-missing', 'object-unsealed'],
  },
  {
    what: 'the first seal is deleted',
    ...{ ...SEAL, ...NO_DELETING },
    attack: deletes('seal/', 0),
    found: ['seal-missing', 'object-unsealed'],
  },
  {
    what: 'all seals are deleted',
    ...{ ...SEAL, ...NO_DELETING },
    attack: deletes('seal/', 0, Number.POSITIVE_INFINITY),
    found: ['no-seals', 'object-unsealed'],
    foundInCopy: ['no-seals'],
  },
  {
    what: 'the newest seals are cut off, and their objects stay',
    ...{ ...SEAL, ...NO_DELETING },
    attack: deletes('seal/', -2, 2),
    found: ['object-unsealed'],
    foundInCopy: [],
    foundByAnchor: ['seals-cut-off'],
  },
  {
    what: 'the newest seals are cut off, with their objects and rows',
    ...SEAL,
    refused: ['DeleteItem', 'DeleteObject'],
    attack: cutsOff,
    found: [],
    foundByAnchor: ['seals-cut-off'],
  },
  {
    what: 'the newest seals are cut off with their objects and rows, and written again by the key',
    ...SEAL,
    refused: ['DeleteItem', 'DeleteObject'],
    attack: async (world) => {
      cutsOff(world);
      await world.seals();
      world.time += MINUTE;
      await world.seals();
    },
    found: [],
    foundByAnchor: ['seals-cut-off'],
  },
  {
    what: 'the newest seals are written again by the key, without their objects',
    ...{ ...SEAL, ...MAY },
    attack: sealsLess,
    found: ['object-unsealed'],
    foundByAnchor: ['seals-cut-off'],
  },
  {
    what: 'all seals are written again by a key of somebody else',
    ...{ ...SEAL, ...MAY },
    attack: async (world) => {
      const other = await new ArchiveWorld('ed25519', { start: world.start, deployment: world.deployment }).filled();
      for (const key of objectsOf(world, 'seal/')) world.objects.set(key, textOf(other, key));
    },
    found: ['seal-wrong', 'object-unsealed'],
  },
  {
    what: 'an anchor of the gate is put in for a seal that never was',
    ...{ ...SEAL, ...MAY },
    attack: (world) => {
      const at = new Date(world.start).toISOString();
      world.objects.set(`anchor/${at.slice(0, 10)}`, textOfAnchor({ number: 1, hash: '0'.repeat(64), at }));
    },
    found: ['anchor-wrong'],
  },
  {
    what: 'an anchor of an old seal is put in for tomorrow',
    ...{ ...SEAL, ...MAY },
    attack: anchorsTomorrow,
    found: ['anchor-wrong'],
  },
  {
    what: 'a seal is dated in the future',
    ...{ ...SEAL, ...MAY },
    attack: (world) => world.signs('', { at: '2099-01-01T00:00:00.000Z' }),
    found: ['seal-early'],
    foundInCopy: [],
  },
  {
    what: 'a seal signs a list of which a line names no object',
    ...{ ...SEAL, ...MAY },
    attack: (world) => world.signs('hello\n'),
    found: ['list-wrong'],
  },
  {
    what: 'a seal is put far ahead of the others',
    ...{ ...SEAL, ...MAY },
    attack: (world) => world.objects.set('seal/900000000000', textOf(world, nth(world, 'seal/', -1))),
    found: ['seal-missing', 'seal-chain'],
  },
  { what: 'seals change places', ...SEAL, ...MAY, attack: swaps('seal/', 0), found: ['seal-chain'] },
  {
    what: 'a seal is put in twice',
    ...{ ...SEAL, ...MAY },
    attack: (world) => world.objects.set('seal/000000000004', textOf(world, 'seal/000000000002')),
    found: ['seal-chain'],
  },
  {
    what: 'the number in a seal is altered',
    ...{ ...SEAL, ...MAY },
    attack: changes('seal/', 0, (text) => text.replace('number 0', 'number 1')),
  },
  {
    what: 'the time in a seal is altered',
    ...{ ...SEAL, ...MAY },
    attack: changes('seal/', 0, (text) => text.replace('at 20', 'at 19')),
  },
  {
    what: 'a seal loses its signature',
    ...{ ...SEAL, ...MAY },
    attack: changes('seal/', 0, (text) => text.slice(0, text.indexOf('—'))),
  },
  {
    what: 'a seal gets the signature of another',
    ...{ ...SEAL, ...MAY },
    attack: (world) => {
      const [, signature = ''] = textOf(world, nth(world, 'seal/', 1)).split('\n\n');
      change(world, nth(world, 'seal/', 0), (text) => `${text.split('\n\n')[0]}\n\n${signature}`);
    },
  },
  {
    what: 'a list is deleted',
    ...{ ...LIST, ...NO_DELETING },
    attack: deletes('list/', 0),
    found: ['list-missing', 'object-unsealed'],
  },
  {
    what: 'a list loses a line',
    ...LIST,
    ...MAY,
    attack: changes('list/', 0, (text) => text.split('\n').slice(1).join('\n')),
  },
  {
    what: 'a digest in a list is altered',
    ...{ ...LIST, ...MAY },
    attack: changes('list/', 0, (text) => text.replace(/ [0-9a-f]{64}/, ` ${'0'.repeat(64)}`)),
  },
  {
    what: 'a row of the table is altered',
    ...{ ...ROW, ...MAY },
    attack: (world) => void world.rows.splice(3, 1, world.itemAt(3, { entry: { M: { verdict: { S: 'allow' } } } })),
    found: ['row-changed'],
  },
  {
    what: 'a row of the table is deleted',
    ...ROW,
    refused: ['DeleteItem'],
    attack: (world) => world.rows.splice(3, 1),
    found: ['row-missing'],
  },
  {
    what: 'a row is put into the table past the stream',
    ...{ ...ROW, ...MAY },
    attack: (world) => world.rows.push(world.itemAt(77, { pk: { S: 'bot#forged' } })),
    found: ['row-unarchived'],
  },
  {
    what: 'a row without a time is put into the table',
    ...{ ...ROW, ...MAY },
    attack: (world) => {
      const { at: _, ...item } = world.itemAt(77);
      world.rows.push(item);
    },
    found: ['row-unarchived'],
  },
  {
    what: 'two rows of the table change contents',
    ...{ ...ROW, ...MAY },
    attack: (world) => {
      const [a, b] = [world.itemAt(1), world.itemAt(2)];
      world.rows.splice(1, 2, { ...b, pk: a['pk'] }, { ...a, pk: b['pk'] });
    },
    found: ['row-changed'],
  },
  {
    what: 'an entry is changed, and the stream says so',
    ...{ ...ROW, ...MAY },
    attack: (world) => void world.rows.splice(3, 1, world.itemAt(3, { entry: { S: 'x' } })),
    carried: (world) => {
      const [before, item] = [world.itemAt(3), world.itemAt(3, { entry: { S: 'x' } })];
      return carry(world, { event: 'modify', seq: '5000', before, item });
    },
    found: ['entry-changed', 'row-changed'],
  },
  {
    what: 'an entry is removed, and the stream says so',
    ...ROW,
    refused: ['DeleteItem'],
    attack: (world) => world.rows.splice(3, 1),
    carried: (world) => carry(world, { event: 'remove', seq: '5000', before: world.itemAt(3) }),
    found: ['entry-changed', 'row-missing'],
  },
  {
    what: 'an entry is put where it does not belong',
    ...{ ...ROW, ...MAY },
    attack: (world) => world.rows.push(world.itemAt(88, { sk: { S: 'vote#1' } })),
    carried: (world) =>
      carry(world, { event: 'misplaced', seq: '5000', item: world.itemAt(88, { sk: { S: 'vote#1' } }) }),
    found: ['entry-misplaced'],
  },
  {
    what: 'an entry is removed and written anew',
    ...ROW,
    refused: ['DeleteItem'],
    attack: (world) => world.rows.splice(3, 1),
    carried: (world) => carry(world, { event: 'insert', seq: '5000', item: world.itemAt(3, { entry: { S: 'x' } }) }),
    found: ['entry-twice'],
  },
];
