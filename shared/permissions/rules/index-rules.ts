/** Indexes rules by effect and tool, then by first command word, path segment or host. */
import type { RuleEffect } from '../model/types.ts';
import { shortKey } from '../paths/short-names.ts';
import { baseName } from '../text/base-name.ts';
import type { CompiledRule } from './compiled-rule.ts';
import { GlobIndex } from './glob-index.ts';
import { namesMany } from './parse.ts';

/** Rules of one key, and those that must always be looked at. */
export class Bucket {
  readonly #byKey = new Map<string, CompiledRule[]>();
  /** The same by what their keys' short names have in common, for paths in which one stands. */
  readonly #byShort = new Map<string, CompiledRule[]>();
  readonly #always: CompiledRule[] = [];
  #globs: GlobIndex | undefined;

  add(key: string | undefined, rule: CompiledRule): void {
    this.#globs = undefined;
    if (key === undefined) {
      this.#always.push(rule);
      return;
    }
    push(this.#byKey, key, rule);
    push(this.#byShort, shortKey(key), rule);
  }

  /** Candidates for any of the keys; one may come twice. */
  candidates(keys: readonly string[]): readonly CompiledRule[] {
    let found: readonly CompiledRule[] = this.#always;
    if (this.#byKey.size === 0) return found;
    for (const key of keys) {
      const more = key.includes('~') ? this.#byShort.get(shortKey(key)) : this.#byKey.get(key);
      if (more !== undefined) found = found.length === 0 ? more : [...found, ...more];
    }
    return found;
  }

  /** The same rules for globs, of which each segment may be several keys; made for the first one. */
  get globs(): GlobIndex {
    this.#globs ??= new GlobIndex(this.#always, this.#byKey);
    return this.#globs;
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
  /** Built-in sets of allows that the policy file has switched on. */
  readonly presets: CompiledRule[] = [];
  /** Literal first words of shell rules, by base name. */
  readonly commandWords = new Set<string>();

  add(rule: CompiledRule, shares: ReadonlyMap<string, number>): void {
    const { parsed } = rule;
    switch (parsed.kind) {
      case 'every':
        this.every.push(rule);
        return;
      case 'preset':
        this.presets.push(rule);
        return;
      case 'tool':
        if (parsed.wild) this.every.push(rule);
        else push(this.tools, parsed.tool, rule);
        return;
      case 'param':
      case 'text':
        if (namesMany(parsed.tool)) this.every.push(rule);
        else push(this.tools, parsed.tool, rule);
        return;
      case 'command': {
        const word = parsed.command.firstWord;
        const key = word === undefined ? undefined : baseName(word);
        if (key !== undefined) this.commandWords.add(key);
        const bucket = bucketOf(this.commands, parsed.tool);
        bucket.add(key, rule);
        // Programs are looked up in small letters, too.
        if (key !== undefined && key !== key.toLowerCase()) bucket.add(key.toLowerCase(), rule);
        return;
      }
      case 'path':
        bucketOf(this.paths, parsed.family === 'tool' ? parsed.tool : `family:${parsed.family}`).add(
          segmentKey(rule, shares),
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
    const shares = new Map<string, number>();
    for (const rule of rules) {
      for (const name of literalSegments(rule)) shares.set(name, (shares.get(name) ?? 0) + 1);
    }
    for (const rule of rules) this.of(rule.ref.effect).add(rule, shares);
  }

  of(effect: RuleEffect): EffectIndex {
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

/** The wholly literal segments of a path rule, folded: any path that matches must hold each. */
function literalSegments(rule: CompiledRule): string[] {
  if (rule.parsed.kind !== 'path') return [];
  return rule.parsed.path.segments.flatMap((segment) =>
    segment.kind === 'name' && segment.folded.text !== undefined ? [segment.folded.text] : [],
  );
}

/** The one that the fewest rules share, so that `src` does not gather all of them. */
function segmentKey(rule: CompiledRule, shares: ReadonlyMap<string, number>): string | undefined {
  const names = literalSegments(rule).sort((a, b) => (shares.get(a) ?? 0) - (shares.get(b) ?? 0));
  return names[0];
}

/** `example.com` for itself and for `*.example.com`; other wildcards are always looked at. */
function hostKey(host: string): string | undefined {
  if (!host.includes('*')) return host;
  return host.startsWith('*.') && !host.slice(2).includes('*') ? host.slice(2) : undefined;
}
