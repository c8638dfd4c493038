/** Finds secrets in base64: a text that holds one is one, in any encoding. */
import type { SecretSpan } from '../text/marker.ts';
import { matchesOf } from '../text/matches.ts';

const RUN = /(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{16,}={0,2}/g;
/** The last of several lines is as long as the others at most. */
const LAST_LINE = /\r?\n([A-Za-z0-9+/_-]{1,76}={0,2})(?![A-Za-z0-9+/_=-])/y;
/** So much is decoded first: most runs are no text, and are done with then. */
const HEAD = 32;
/** Text in UTF-8. */
const PLAIN = /^[\t\n\r\x20-\x7e\u00a0-\ufffc\u{10000}-\u{10ffff}]+$/u;

/** `holdsSecret` looks at the decoded text. */
export function findEncoded(text: string, holdsSecret: (decoded: string) => boolean): SecretSpan[] {
  const isSecret = (run: string): boolean => {
    const head = decoded(run.slice(0, HEAD - (HEAD % 4)));
    if (!PLAIN.test(head.replace(/\ufffd{1,3}$/, ''))) return false;
    const whole = decoded(run);
    return PLAIN.test(whole) && holdsSecret(whole);
  };
  const runs = matchesOf(text, RUN).map(({ 0: run, index }) => ({ start: index, end: index + run.length }));
  const found = runs.filter(({ start, end }) => isSecret(text.slice(start, end)));
  // Also each line for itself: the line before may be another word.
  found.push(...blocksOf(text, runs).flatMap((block) => secretIn(text, block, isSecret) ?? []));
  return found.map((span) => ({ ...span, kind: KIND }));
}

type Span = Pick<SecretSpan, 'start' | 'end'>;

/** Lines of one length below each other, as `base64` writes them, and the rest in the last one. */
function blocksOf(text: string, runs: readonly Span[]): Span[][] {
  const blocks: Span[][] = [];
  for (const run of runs) {
    const block = blocks.at(-1);
    const above = block?.at(-1);
    const isBelow = above && /^\r?\n$/.test(text.slice(above.end, Math.min(run.start, above.end + 3)));
    if (isBelow && run.end - run.start === above.end - above.start) block?.push(run);
    else blocks.push([run]);
  }
  return blocks.flatMap((block) => {
    const above = block.at(-1) as Span;
    LAST_LINE.lastIndex = above.end;
    const rest = LAST_LINE.exec(text)?.[1];
    const isRest = rest !== undefined && rest.length < above.end - above.start;
    const last = isRest ? [{ start: LAST_LINE.lastIndex - rest.length, end: LAST_LINE.lastIndex }] : [];
    return block.length + last.length > 1 ? [[...block, ...last]] : [];
  });
}

/** The first and the last line may be other words, as the end of a here-document. */
function secretIn(text: string, block: readonly Span[], isSecret: (run: string) => boolean): Span | undefined {
  for (const from of [0, 1])
    for (const to of [block.length, block.length - 1]) {
      const lines = block.slice(from, to);
      const [first] = lines;
      const last = lines.at(-1);
      if (first && last && lines.length > 1 && isSecret(lines.map(({ start, end }) => text.slice(start, end)).join('')))
        return { start: first.start, end: last.end };
    }
  return undefined;
}

const KIND = 'base64 of a secret';
const UTF8 = new TextDecoder('utf-8');
const decoded = (run: string): string => UTF8.decode(Buffer.from(run, 'base64'));
