/** Takes the steps of attacks on an archived record: changes, deletes, swaps and adds objects. */
import { anchorName, textOfAnchor } from '../../../../shared/domain/archive/anchor.ts';
import { minuteOf } from '../../../../shared/domain/archive/lines.ts';
import { hashOfNote } from '../../../../shared/domain/archive/seal-note.ts';
import { type ArchiveWorld, MINUTE } from './archive-world.ts';

export const objectsOf = (world: ArchiveWorld, prefix: string): string[] =>
  [...world.objects.keys()].filter((key) => key.startsWith(prefix)).toSorted();
export const textOf = (world: ArchiveWorld, key: string): string => {
  const text = world.objects.get(key);
  if (text === undefined) throw new Error(`the archive has no ${key}`);
  return text;
};
export const nth = (world: ArchiveWorld, prefix: string, n: number): string => objectsOf(world, prefix).at(n) ?? '';

export const change = (world: ArchiveWorld, key: string, by: (text: string) => string): void =>
  void world.objects.set(key, by(textOf(world, key)));

export const changes = (prefix: string, n: number, by: (text: string) => string) => (world: ArchiveWorld) =>
  change(world, nth(world, prefix, n), by);

export const deletes =
  (prefix: string, from: number, count = 1) =>
  (world: ArchiveWorld): void => {
    for (const key of objectsOf(world, prefix).slice(from).slice(0, count)) world.objects.delete(key);
  };

export const swaps =
  (prefix: string, from: number) =>
  (world: ArchiveWorld): void => {
    const [a = '', b = ''] = objectsOf(world, prefix).slice(from);
    const text = textOf(world, a);
    world.objects.set(a, textOf(world, b));
    world.objects.set(b, text);
  };

export const puts = (key: string, text: string) => (world: ArchiveWorld) => world.objects.set(key, text);

/** Archives what the stream brings, and seals it. */
export async function carry(world: ArchiveWorld, ...lines: Parameters<ArchiveWorld['archives']>): Promise<void> {
  await world.archives(...lines);
  world.time += 5 * MINUTE;
  await world.seals();
}

/** The newest two seals, the objects that only they name, and the rows of these. */
export function cutsOff(world: ArchiveWorld): void {
  cutsOffObjects(world);
  world.rows.splice(-4);
}

function cutsOffObjects(world: ArchiveWorld): void {
  deletes('seal/', -2, 2)(world);
  deletes('entry/', -2, 2)(world);
}

export const linesSwapped = (text: string): string => `${text.trimEnd().split('\n').toReversed().join('\n')}\n`;
export const lineLess = (text: string): string => `${text.trimEnd().split('\n').slice(1).join('\n')}\n`;

/** The newest seals once more, by the key itself, as if the newest objects had never come. */
export async function sealsLess(world: ArchiveWorld): Promise<void> {
  const kept = objectsOf(world, 'entry/')
    .slice(-2)
    .map((key) => [key, textOf(world, key)] as const);
  cutsOffObjects(world);
  await world.seals();
  world.time += MINUTE;
  await world.seals();
  for (const [key, text] of kept) world.objects.set(key, text);
}

/** Puts an object where the next seal takes it. */
export const putsNow = (world: ArchiveWorld, text: string) =>
  world.objects.set(`entry/${minuteOf(world.time)}/6000-6000.jsonl`, text);

/** An anchor of the oldest seal, which is all that people would be told tomorrow. */
export function anchorsTomorrow(world: ArchiveWorld): void {
  const at = new Date(world.time + 24 * 60 * MINUTE).toISOString();
  const hash = hashOfNote(textOf(world, nth(world, 'seal/', 0)));
  world.objects.set(anchorName(Date.parse(at)), textOfAnchor({ number: 0, hash, at }));
}
