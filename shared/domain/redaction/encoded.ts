/** Finds secrets in base64: a text that holds one is one, in any encoding. */
import type { Found } from './marker.ts';

const RUN = /(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{16,}={0,2}/g;
/** So much is decoded first: most runs are no text, and are done with then. */
const HEAD = 32;
const PLAIN = /^[\t\n\r\x20-\x7e]+$/;

/** `holdsSecret` looks at the decoded text. */
export function findEncoded(text: string, holdsSecret: (decoded: string) => boolean): Found[] {
  return [...text.matchAll(RUN)].flatMap(({ 0: run, index }) => {
    if (!PLAIN.test(decoded(run.slice(0, HEAD - (HEAD % 4))))) return [];
    const whole = decoded(run);
    return PLAIN.test(whole) && holdsSecret(whole)
      ? [{ start: index, end: index + run.length, kind: 'base64 of a secret' }]
      : [];
  });
}

const decoded = (run: string): string => Buffer.from(run, 'base64').toString('latin1');
