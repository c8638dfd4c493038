/** Reads the words of a case that script a stub, such as `sleeps 50ms then Approved`. */

interface Spoken {
  /** The word before the verb: a tool's name. */
  readonly subject: string | undefined;
  readonly delayMs: number;
  /** The stub throws, gives back an error, or never answers. */
  readonly fault: 'raises' | 'returns' | 'silent' | undefined;
  /** The text of the error: between quotes, or behind the verb. */
  readonly why: string;
  /** The words without what stands between quotes, so that no text of an error is taken for a verb. */
  readonly plain: string;
  /** The words after a wait: `Approved` of `sleeps 50ms then Approved`; else the same as `plain`. */
  readonly answer: string;
}

const QUOTED = /(['"])(.*)\1/s;
const FAILS = /\b(raises?|throws?|fails?|failing|errors?)\b/i;
const SILENT = /\b(never|hangs?|hung|forever|times? ?out)\b/i;
const VERB = /\b(raises?|throws?|fails?|failing|returns?|sleeps?|hangs?|never|always|keeps|times)\b/i;

export function spoken(words: string): Spoken {
  const [, , quoted] = QUOTED.exec(words) ?? [];
  const plain = words.replace(QUOTED, '').trim();
  const verb = VERB.exec(plain);
  const delay = /(\d+(?:\.\d+)?)\s*(ms|s)\b/.exec(plain);
  const returns = /\breturns?\s+(?:an?\s+)?\w*error\b/i.test(plain);
  const fails = FAILS.test(plain.replace(/\breturns?\b.*$/i, ''));
  const subject = verb && verb.index > 0 ? plain.slice(0, verb.index).trim() : undefined;
  return {
    subject: subject === '' ? undefined : subject,
    delayMs: delay ? Number(delay[1]) * (delay[2] === 's' ? 1000 : 1) : 0,
    fault: returns ? 'returns' : fails ? 'raises' : SILENT.test(plain) ? 'silent' : undefined,
    why: quoted ?? plain.slice((verb?.index ?? 0) + (verb?.[0].length ?? 0)).trim(),
    plain,
    answer: plain.replace(/^.*?\bsleeps?\s+\d+(?:\.\d+)?\s*m?s\s*(?:then\s+)?/i, ''),
  };
}
