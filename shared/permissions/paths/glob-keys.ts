/** Finds those of many names that a glob may say, so that not every rule is compared with every glob. */
import type { GlobToken } from '../text/glob.ts';
import type { GlobSegment } from './glob-strength.ts';

/** The characters that any name begins and ends with. */
interface Ends {
  readonly head: string;
  readonly tail: string;
}

function endsOf(tokens: readonly GlobToken[]): Ends {
  let head = '';
  for (const token of tokens) {
    if (token.kind !== 'char') break;
    head += token.char;
  }
  let tail = '';
  for (let at = tokens.length - 1; at >= 0; at--) {
    const token = tokens[at];
    if (token?.kind !== 'char') break;
    tail = token.char + tail;
  }
  return { head, tail };
}

/** `*`, `?*` and their like may be nearly every name. */
function isOpen({ text, tokens }: GlobSegment): boolean {
  return text === undefined && tokens[0]?.kind !== 'char' && tokens.at(-1)?.kind !== 'char';
}

const NONE: readonly string[] = [];

/** Literal names, by their ends. */
export class GlobKeys {
  readonly #all: ReadonlySet<string>;
  readonly #byFirst = new Map<string, string[]>();
  readonly #byLast = new Map<string, string[]>();

  /** @param keys folded names, none of them empty */
  constructor(keys: Iterable<string>) {
    this.#all = new Set(keys);
    for (const key of this.#all) {
      push(this.#byFirst, key[0] as string, key);
      push(this.#byLast, key.at(-1) as string, key);
    }
  }

  /** Every name that some segment may be, and few others. */
  meeting(segments: readonly GlobSegment[]): ReadonlySet<string> {
    if (segments.some(isOpen)) return this.#all;
    const found = new Set<string>();
    for (const segment of segments) this.#meet(segment, found);
    return found;
  }

  #meet(segment: GlobSegment, found: Set<string>): void {
    const { text, tokens, mayHide } = segment;
    if (text !== undefined) {
      if (this.#all.has(text)) found.add(text);
      return;
    }
    const { head, tail } = endsOf(tokens);
    const isDotHidden = head === '' && !mayHide;
    for (const key of this.#near(head, tail)) {
      if (isDotHidden && key.startsWith('.')) continue;
      if (key.startsWith(head) && key.endsWith(tail)) found.add(key);
    }
  }

  #near(head: string, tail: string): Iterable<string> {
    const byFirst = head === '' ? undefined : (this.#byFirst.get(head[0] as string) ?? NONE);
    const byLast = tail === '' ? undefined : (this.#byLast.get(tail.at(-1) as string) ?? NONE);
    if (byFirst === undefined || byLast === undefined) return byFirst ?? byLast ?? this.#all;
    return byFirst.length < byLast.length ? byFirst : byLast;
  }
}

function push(map: Map<string, string[]>, key: string, name: string): void {
  const found = map.get(key);
  if (found === undefined) map.set(key, [name]);
  else found.push(name);
}
