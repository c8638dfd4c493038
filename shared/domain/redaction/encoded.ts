/** Finds secrets in base64: a text that holds one is one, in any encoding. */
import type { Found } from './marker.ts';

/** Also over lines, as `base64` writes it. */
const RUN = /(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{16,}(?:\r?\n[A-Za-z0-9+/_-]{1,76}(?![A-Za-z0-9+/_-]))*={0,2}/g;
/** So much is decoded first: most runs are no text, and are done with then. */
const HEAD = 32;
/** Text in UTF-8. */
const PLAIN = /^[\t\n\r\x20-\x7e\u00a0-\ufffc\u{10000}-\u{10ffff}]+$/u;

/** `holdsSecret` looks at the decoded text. */
export function findEncoded(text: string, holdsSecret: (decoded: string) => boolean): Found[] {
  const isSecret = (run: string): boolean => {
    const head = decoded(run.slice(0, HEAD - (HEAD % 4)));
    if (!PLAIN.test(head.replace(/\ufffd{1,3}$/, ''))) return false;
    const whole = decoded(run);
    return PLAIN.test(whole) && holdsSecret(whole);
  };
  return [...text.matchAll(RUN)].flatMap(({ 0: run, index }) => {
    const lines = run.includes('\n') ? [...run.matchAll(/[^\r\n]+/g)] : [];
    // The last line may be another word, as the end of a here-document.
    for (let count = lines.length; count > 1; count--) {
      const last = lines[count - 1];
      const joined = run.slice(0, last && last.index + last[0].length);
      if (isSecret(joined.replaceAll(/\r?\n/g, ''))) return [{ start: index, end: index + joined.length, kind: KIND }];
      if (lines.length - count >= MAX_OTHER_LINES) break;
    }
    const [{ 0: first } = { 0: run }] = lines;
    return isSecret(first) ? [{ start: index, end: index + first.length, kind: KIND }] : [];
  });
}

const KIND = 'base64 of a secret';
const MAX_OTHER_LINES = 2;
const UTF8 = new TextDecoder('utf-8');
const decoded = (run: string): string => UTF8.decode(Buffer.from(run, 'base64'));
