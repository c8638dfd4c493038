/** Finds the one place where the two texts of an edit differ: among many lines nobody sees it. */
import { visible } from '../elements/text.ts';

interface Change {
  /** The line of the old text, counted from 1. */
  readonly line: number;
  /** `- old` and `+ new`, safe to show. */
  readonly text: string;
}

/** Fewer lines than these are read as they stand. */
const MANY_LINES = 10;
const MAX_TEXT = 900;
/** Characters around a change within a long line. */
const AROUND = 40;

/** Undefined for a call without two such texts, for short ones, and where more differs than a card has room for. */
export function changeOf(input: unknown): Change | undefined {
  const { old_string: before, new_string: after } = (input ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof before !== 'string' || typeof after !== 'string' || before === after) return undefined;
  const [old, now] = [before.split('\n'), after.split('\n')];
  if (old.length + now.length < MANY_LINES && before.length + after.length < MAX_TEXT) return undefined;
  const [start, tail] = sharedEnds(old, now);
  const [gone, come] = [old.slice(start, old.length - tail), now.slice(start, now.length - tail)];
  const whole = lines(gone, come);
  const text = whole.length > MAX_TEXT && gone.length === 1 && come.length === 1 ? withinLine(gone[0], come[0]) : whole;
  return text.length > MAX_TEXT ? undefined : { line: start + 1, text };
}

const lines = (gone: readonly string[], come: readonly string[]): string =>
  [...gone.map((line) => `- ${visible(line)}`), ...come.map((line) => `+ ${visible(line)}`)].join('\n');

function withinLine(old = '', now = ''): string {
  const [start, tail] = sharedEnds([...old], [...now]);
  const part = (text: string): string => {
    const points = [...text];
    const from = Math.max(0, start - AROUND);
    const to = Math.min(points.length, points.length - tail + AROUND);
    return `${from > 0 ? '…' : ''}${points.slice(from, to).join('')}${to < points.length ? '…' : ''}`;
  };
  return lines([part(old)], [part(now)]);
}

/** How many items two lists share at their beginning, and behind it at their end. */
function sharedEnds(a: readonly string[], b: readonly string[]): readonly [start: number, tail: number] {
  const most = Math.min(a.length, b.length);
  let start = 0;
  while (start < most && a[start] === b[start]) start++;
  let tail = 0;
  while (tail < most - start && a.at(-1 - tail) === b.at(-1 - tail)) tail++;
  return [start, tail];
}
