/** Looks for denied commands and protected or denied paths in texts that a program may run. */
import type { CallPath, PreparedCall } from '../call/prepared-call.ts';
import { scanCommandText } from '../paths/scan-command.ts';
import { holdsCriticalDelete } from '../shell/analysis/critical-text.ts';
import { baseName } from '../text/base-name.ts';
import type { CallTexts } from './call-texts.ts';
import { isPhrase } from './code-texts.ts';
import { namesDeniedPath, policiesOf, type RefusingEffects } from './match.ts';

/** Each is compared with all rules on paths, and no text in earnest has so many. */
const MAX_GLOBS = 400;

/** Remembers for one call which of its texts hold something denied; each name in a folder is looked at once. */
export class DeniedNames {
  readonly #prepared: PreparedCall;
  readonly #call: CallTexts;
  readonly #effects: RefusingEffects;
  readonly #printed = new Map<string, string | undefined>();
  readonly #texts = new Map<string, string | undefined>();
  readonly #names = new Set<string>();
  #globs = 0;

  constructor(prepared: PreparedCall, call: CallTexts, effects: RefusingEffects) {
    this.#prepared = prepared;
    this.#call = call;
    this.#effects = effects;
  }

  /** Tells the first denied thing that one of the texts holds, as the end of a sentence. */
  in(texts: readonly string[], dir: string): string | undefined {
    for (const text of texts) {
      const key = `${dir}\0${text}`;
      if (!this.#texts.has(key)) this.#texts.set(key, this.#problemIn(text, dir));
      const problem = this.#texts.get(key);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }

  /** The same of all that the call's commands print. */
  inPrinted(dir: string): string | undefined {
    if (!this.#printed.has(dir)) this.#printed.set(dir, this.in(this.#call.printed(), dir));
    return this.#printed.get(dir);
  }

  /** The same of a file that the call writes: any program may print a text of its words, as `find -printf` and `awk` do. */
  inWritten(dir: string): string | undefined {
    return this.inPrinted(dir) ?? this.in(this.#call.words().filter(isPhrase), dir);
  }

  #problemIn(text: string, dir: string): string | undefined {
    const readings = readingsOf(text);
    if (holdsWords(readings, this.#prepared, this.#effects)) return 'the words of a deny or ask rule';
    if (readings.some((reading) => holdsCriticalDelete(reading, dir, this.#prepared.context))) return WHOLE;
    // A name alone is no code.
    const isDenied = isPhrase(text.trim()) && readings.some((reading) => this.#namesDenied(reading, dir));
    if (this.#globs > MAX_GLOBS) return 'too many patterns of names to look at';
    return isDenied ? 'a path that is protected or denied' : undefined;
  }

  /** Names that were looked at once are harmless: the first denied one ends the search. */
  #namesDenied(text: string, dir: string): boolean {
    const { context, normalised } = this.#prepared;
    const at = dir === context.cwd ? context : { ...context, cwd: dir };
    const paths: CallPath[] = [];
    for (const { path: stated, glob } of scanCommandText(text)) {
      const key = `${dir}\0${stated}`;
      if (this.#names.has(key)) continue;
      this.#names.add(key);
      if (glob !== undefined) this.#globs += 1;
      if (this.#globs > MAX_GLOBS) return false;
      const path = normalised(stated, dir);
      paths.push({ path, glob, context: at, access: 'either', argument: false, key: 'command' });
    }
    return (
      paths.some((each) => this.#isProtected(each)) || namesDeniedPath({ ...this.#prepared, paths }, this.#effects)
    );
  }

  #isProtected({ path, glob, context }: CallPath): boolean {
    const checker = this.#prepared.call.protected;
    return glob === undefined
      ? checker.matchPath(path, context, 'write') !== undefined
      : checker.matchGlob(path.stated, glob, context, 'write')?.certain === true;
  }
}

const WHOLE = 'a delete of a top-level folder, the home or working directory, or all in it';

const OTHER_SIGNS = /[^\w./-]+/;
/** `\n` and its like, as printf and other languages write them. */
const ESCAPES = /\\[abefnrtv]/g;
/** `\x72`, `\162`, `\u0072`: a character by its number. */
const NUMBERED = /\\(?:x([\da-fA-F]{1,2})|u\{?([\da-fA-F]{1,6})\}?|([0-7]{3}))/g;
/** Expansions of nothing, which may stand within a word for a shell that the program starts, as in `r$@m`; and the `$` of `$'…'`. */
const EXPANSIONS = /\$(?:(?=['"])|[@*#!\d]|\w+|\{[^{}()\s]*\})/g;
/** Expansions that show themselves only without the quotes around them. */
const QUOTED_EXPANSIONS = /\$(?:[@*#!\d]|\{[^{}()\s]*\})?/g;
const QUOTES = /['"\\]/g;

/** A text as it stands, and as programs and the shells that they start may read it. */
function readingsOf(text: string): readonly string[] {
  if (!SPELLS.test(text)) return text === '' ? [] : [text];
  const decoded = text.replace(NUMBERED, (_, ...codes: (string | undefined)[]) => characterOf(codes));
  const spaced = decoded.replace(ESCAPES, ' ').replace(EXPANSIONS, '');
  const unspaced = decoded.replace(EXPANSIONS, '');
  return [...new Set([text, spaced, withoutQuotes(spaced), withoutQuotes(unspaced)])];
}

const withoutQuotes = (text: string): string => text.replace(QUOTES, '').replace(QUOTED_EXPANSIONS, '');

const SPELLS = /[$'"\\]/;

function characterOf([hex, long, octal]: readonly (string | undefined)[]): string {
  const code = octal === undefined ? Number.parseInt(hex ?? long ?? '', 16) : Number.parseInt(octal, 8);
  return code <= LAST_CODE_POINT ? String.fromCodePoint(code) : '';
}

const LAST_CODE_POINT = 0x10_ffff;

function holdsWords(readings: readonly string[], prepared: PreparedCall, effects: RefusingEffects): boolean {
  const words = new Set(readings.flatMap((each) => each.split(OTHER_SIGNS).map(baseName)));
  // `-Orm`: the value of a short option, attached. `--rm` is a name.
  for (const word of [...words]) if (/^-[^-]/.test(word)) words.add(word.slice(2));
  const isHeld = (word: string): boolean =>
    word.includes('*')
      ? word.split('*').every((piece) => readings.some((reading) => reading.includes(piece)))
      : words.has(word);
  return policiesOf(prepared.call).some((policy) =>
    effects.some((effect) => {
      const index = policy.index.of(effect);
      const rules = [...words]
        .filter((word) => index.commandWords.has(word))
        .flatMap((word) => index.commands.get(prepared.call.toolName)?.get(word) ?? []);
      return rules.some(({ parsed }) => parsed.kind === 'command' && parsed.command.words.slice(1).every(isHeld));
    }),
  );
}
