/** Applies rule 3: which task is meant. Each stage answers with one task or several, or passes on. */
import { readUtterance, trimStartOf } from '../intent/utterance.ts';

export interface ReferableTask {
  readonly id: string;
  readonly description: string;
  readonly completed: boolean;
}

export type Resolution<T> =
  | { readonly kind: 'one'; readonly task: T }
  | { readonly kind: 'several'; readonly tasks: readonly T[] }
  | { readonly kind: 'none' };

interface ResolveOptions {
  /** Text then names open tasks only; positions and numbers count all that were displayed. */
  readonly openOnly?: boolean;
  /** A part of a description has to be whole words of it. */
  readonly wholeWords?: boolean;
}

/** The task that a reference names, or why it names none. `tasks` in the order displayed. */
export function resolveReference<T extends ReferableTask>(
  reference: string,
  tasks: readonly T[],
  { openOnly = false, wholeWords = false }: ResolveOptions = {},
): Resolution<T> {
  const text = folded(reference);
  if (!text) return { kind: 'none' };
  const named = openOnly ? tasks.filter((task) => !task.completed) : tasks;
  const holds = wholeWords ? holdsWords : (description: string) => folded(description).includes(text);
  // The contract's order, also where a description holds a position word.
  const stages: readonly (readonly T[])[] = [
    named.filter((task) => folded(task.description) === text),
    named.filter((task) => holds(task.description, text)),
    at(tasks, listPositionOf(text, tasks.length)),
  ];
  const matches = stages.find((stage) => stage.length > 0) ?? [];
  const [task] = matches;
  if (!task) return { kind: 'none' };
  return matches.length === 1 ? { kind: 'one', task } : { kind: 'several', tasks: matches };
}

const holdsWords = (description: string, text: string): boolean =>
  spacedWords(folded(description)).includes(spacedWords(text));
const spacedWords = (text: string): string =>
  ` ${readUtterance(text)
    .words.map(({ key }) => key)
    .join(' ')} `;

const folded = (text: string): string => text.normalize('NFC').toLowerCase().trim();

const at = <T>(tasks: readonly T[], position: number | undefined): readonly T[] =>
  position === undefined || position < 1 ? [] : tasks.slice(position - 1, position);

const POSITIONS: ReadonlyMap<string, number> = new Map([
  ...['first', 'second', 'third', 'fourth', 'fifth'].map((word, i) => [word, i + 1] as const),
  ...['1st', '2nd', '3rd', '4th', '5th'].map((word, i) => [word, i + 1] as const),
]);

/** The position in a list that a text names by an ordinal word or else by a number, counted from 1; undefined where it names none. */
export function listPositionOf(reference: string, count: number): number | undefined {
  const text = folded(reference);
  return positionOf(text, count) ?? numberOf(text);
}

/** The word alone, or as in "the last one". */
function positionOf(text: string, count: number): number | undefined {
  const words = text.split(' ').filter((word) => word !== 'the');
  const [word = '', noun = 'task', ...rest] = words;
  if (rest.length > 0 || !['task', 'one', 'item'].includes(noun)) return undefined;
  return word === 'last' ? count : POSITIONS.get(word);
}

/** "task 1", "#1", "number 1", "1". At most six digits: nobody has more tasks. */
function numberOf(text: string): number | undefined {
  const noun = ['task', 'number'].find((word) => text.startsWith(word)) ?? '';
  const digits = trimStartOf(text.slice(noun.length), ' #');
  return /^\d{1,6}$/.test(digits) ? Number(digits) : undefined;
}
