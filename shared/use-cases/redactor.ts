/** Redacts what use cases store, show or emit, by finders, patterns and a detector. */
import type { Policy } from '../config/compile.ts';
import { findPatterns } from '../domain/redaction/patterns.ts';
import { type Finder, type Redacted, redact } from '../domain/redaction/redact.ts';
import { mayHoldSecret } from '../domain/redaction/screen.ts';
import { plainName } from '../domain/redaction/tables/names.ts';
import { marked } from '../domain/redaction/text/marker.ts';
import type { SecretDetector } from '../ports/secret-detector.ts';
import { fromOutside } from './port-faults.ts';

export interface Redactor {
  json<Value>(value: Value): Promise<Redacted<Value>>;
  text(text: string): Promise<string>;
}

/** In characters: whatever the detector knows by its shape is longer. */
const MIN_KNOWN = 12;

/** The detector is loaded with the first value that may hold a secret: most hold none, and the fast path goes without. */
export function redactorOf(policy: () => Policy, detector: () => Promise<SecretDetector>): Redactor {
  const settings = () => policy().settings.redaction;
  const screened = (value: unknown): boolean => {
    const { names, patterns } = namesAndPatterns(settings());
    const suspicious: Finder = {
      names,
      find: (text) =>
        mayHoldSecret(text) || (names.size > 0 && /[=:]|--/.test(text)) || findPatterns(text, patterns).length > 0
          ? [{ start: 0, end: text.length, kind: 'suspected' }]
          : [],
    };
    return redact(value, suspicious).found;
  };
  const finder = async (): Promise<Finder> => {
    const { names, patterns } = namesAndPatterns(settings());
    // Loaded with the detector: most values hold nothing for either.
    const [{ findSecrets }, { find }] = await Promise.all([
      import('../domain/redaction/find.ts'),
      fromOutside(detector),
    ]);
    // Each look of the detector costs the same, however short the text: thousands of short ones would cost seconds.
    const detected: typeof find = (text) => (text.length < MIN_KNOWN ? [] : find(text));
    return { names, find: (text) => [...findPatterns(text, patterns), ...findSecrets(text, names), ...detected(text)] };
  };
  return {
    async json(value) {
      return screened(value) ? redact(value, await finder()) : { value, found: false, secrets: [] };
    },
    async text(text) {
      return screened(text) ? marked(text, (await finder()).find(text)).text : text;
    },
  };
}

const namesAndPatterns = ({ names, patterns }: Policy['settings']['redaction']) => ({
  names: new Set(names.map(plainName)),
  patterns,
});
