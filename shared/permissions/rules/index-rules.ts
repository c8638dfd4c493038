/** The index of a compiled set: candidates by effect and tool, then by first command word, path segment or host. */
import type { Effect } from '../types.ts';
import type { CompiledRule } from './compile.ts';

/** Rules of one key, and those that must always be looked at. */
export class Bucket {
  readonly #byKey = new Map<string, CompiledRule[]>();
  readonly #always: CompiledRule[] = [];

  add(key: string | undefined, rule: CompiledRule): void {
    if (key === undefined) {
      this.#always.push(rule);
      return;
    }
    const found = this.#byKey.get(key);
    if (found === undefined) this.#byKey.set(key, [rule]);
    else found.push(rule);
  }

  /** Candidates for any of the keys. */
  *candidates(keys: Iterable<string>): Generator<CompiledRule> {
    yield* this.#always;
    if (this.#byKey.size === 0) return;
    for (const key of keys) yield* this.#byKey.get(key) ?? [];
  }

  get always(): readonly CompiledRule[] {
    return this.#always;
  }

  get(key: string): readonly CompiledRule[] {
    return this.#byKey.get(key) ?? [];
  }

  get empty(): boolean {
    return this.#always.length === 0 && this.#byKey.size === 0;
  }
}

/** Everything of one effect. */
export class EffectIndex {
  /** Bare tool names, parameters and texts, by tool. */
  readonly tools = new Map<string, CompiledRule[]>();
  /** Wildcard names, `*` and permission matchers. */
  readonly every: CompiledRule[] = [];
  /** Shell rules, by tool, then by the base name of the first word. */
  readonly commands = new Map<string, Bucket>();
  /** Path rules, by family or tool, then by one literal segment. */
  readonly paths = new Map<string, Bucket>();
  /** Host rules, by their longest literal suffix. */
  readonly hosts = new Bucket();
  /** Literal first words of shell rules, by base name. */
  readonly commandWords = new Set<string>();
  /** First words with a path or with capitals keep the bucket honest: base name, lower case as written. */

  add(rule: CompiledRule): void {
    const { parsed } = rule;
    switch (parsed.kind) {
      case 'every':
        this.every.push(rule);
        return;
      case 'tool':
        if (parsed.wild) this.every.push(rule);
        else push(this.tools, parsed.tool, rule);
        return;
      case 'param':
      case 'text':
        if (parsed.tool.includes('*')) this.every.push(rule);
        else push(this.tools, parsed.tool, rule);
        return;
      case 'command': {
        const word = parsed.command.firstWord;
        const key = word === undefined ? undefined : baseName(word);
        if (key !== undefined) this.commandWords.add(key);
        bucketOf(this.commands, parsed.tool).add(key, rule);
        return;
      }
      case 'path':
        bucketOf(this.paths, parsed.family === 'tool' ? parsed.tool : `family:${parsed.family}`).add(
          segmentKey(rule),
          rule,
        );
        return;
      case 'domain':
        this.hosts.add(hostKey(parsed.host), rule);
        return;
      default:
        parsed satisfies never;
    }
  }
}

export class RuleIndex {
  readonly deny = new EffectIndex();
  readonly ask = new EffectIndex();
  readonly allow = new EffectIndex();

  constructor(rules: readonly CompiledRule[]) {
    for (const rule of rules) this.of(rule.ref.effect).add(rule);
  }

  of(effect: Effect): EffectIndex {
    return this[effect];
  }
}

function push(map: Map<string, CompiledRule[]>, key: string, rule: CompiledRule): void {
  const found = map.get(key);
  if (found === undefined) map.set(key, [rule]);
  else found.push(rule);
}

function bucketOf(map: Map<string, Bucket>, key: string): Bucket {
  let found = map.get(key);
  if (found === undefined) {
    found = new Bucket();
    map.set(key, found);
  }
  return found;
}

export function baseName(word: string): string {
  let end = word.length;
  while (end > 1 && word[end - 1] === '/') end--;
  const at = word.lastIndexOf('/', end - 1);
  return word.slice(at + 1, end);
}

/** The last segment that is wholly literal, folded: any path that matches must hold it. */
function segmentKey(rule: CompiledRule): string | undefined {
  if (rule.parsed.kind !== 'path') return undefined;
  for (const segment of rule.parsed.path.segments.toReversed()) {
    if (segment.kind !== 'name') continue;
    if (segment.folded.every((token) => token.kind === 'char')) {
      return segment.folded.map((token) => (token.kind === 'char' ? token.char : '')).join('');
    }
  }
  return undefined;
}

/** `example.com` for itself and for `*.example.com`; other wildcards are always looked at. */
function hostKey(host: string): string | undefined {
  if (!host.includes('*')) return host;
  return host.startsWith('*.') && !host.slice(2).includes('*') && host.length > 2 ? host.slice(2) : undefined;
}
