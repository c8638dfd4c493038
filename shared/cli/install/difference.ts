/** Shows the difference of two texts as lines with a minus or a plus before them. */

/** Lines around a change that show where it is. */
const CONTEXT = 3;

/** One block from the first changed line to the last one; empty if the texts are equal. */
export function differenceOf(before: string, after: string): readonly string[] {
  if (before === after) return [];
  const [old, now] = [linesOf(before), linesOf(after)];
  const shortest = Math.min(old.length, now.length);
  let head = 0;
  while (head < shortest && old[head] === now[head]) head++;
  let tail = 0;
  while (tail < shortest - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++;
  const same = (line: string) => `  ${line}`;
  return [
    ...old.slice(Math.max(0, head - CONTEXT), head).map(same),
    ...old.slice(head, old.length - tail).map((line) => `- ${line}`),
    ...now.slice(head, now.length - tail).map((line) => `+ ${line}`),
    ...now.slice(now.length - tail, now.length - tail + CONTEXT).map(same),
  ];
}

const linesOf = (text: string): readonly string[] => (text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/));
