/** Selects the allow rules that count for a call, and tells what they cover of a path. */
import type { PreparedCall } from '../call/prepared-call.ts';
import type { PresetName } from '../model/types.ts';
import { type NormalisedPath, normalisePath, type PathContext } from '../paths/normalise.ts';
import { allowsPath } from '../paths/pattern.ts';
import type { CompiledRule } from '../rules/compiled-rule.ts';
import type { Bucket, EffectIndex } from '../rules/index-rules.ts';
import type { ShellRedirect } from '../shell/syntax/command.ts';
import { byPriority, isCurrent, matchesDirectly, NO_RULES, pathKeys, policiesOf } from './match.ts';

/** `managedRulesOnly` and `workspaceTrusted` drop allow rules, never deny or ask rules. */
function countsAsAllow(rule: CompiledRule, prepared: PreparedCall, now: number): boolean {
  const { call } = prepared;
  if (call.managedRulesOnly === true && rule.ref.source !== 'managed') return false;
  if (call.workspaceTrusted === false && (rule.ref.source === 'project' || rule.ref.source === 'local')) return false;
  return isCurrent(rule, now);
}

const SAFE_DEVICES: ReadonlySet<string> = new Set([
  'null',
  'zero',
  'stdin',
  'stdout',
  'stderr',
  'tty',
  'random',
  'urandom',
]);

/** Below `/proc`, `/sys` and `/dev` an allow covers a few devices only. */
export function isSystemPath(path: NormalisedPath): boolean {
  return path.exact.some((spelling) => {
    const [top, name] = spelling;
    if (top === 'proc' || top === 'sys') return true;
    return top === 'dev' && !(spelling.length === 2 && SAFE_DEVICES.has(name as string));
  });
}

export class AllowRules {
  readonly #prepared: PreparedCall;
  readonly #now: number;
  readonly indexes: readonly EffectIndex[];

  constructor(prepared: PreparedCall, now: number) {
    this.#prepared = prepared;
    this.#now = now;
    this.indexes = policiesOf(prepared.call).map((policy) => policy.index.allow);
  }

  counts(rule: CompiledRule): boolean {
    return countsAsAllow(rule, this.#prepared, this.#now);
  }

  best(rules: Iterable<CompiledRule>): CompiledRule | undefined {
    let best: CompiledRule | undefined;
    for (const rule of rules) {
      if (!this.counts(rule)) continue;
      if (best === undefined || byPriority(rule, best) < 0) best = rule;
    }
    return best;
  }

  /** The set of built-in allows of that name, where the policy file has it. */
  preset(name: PresetName): CompiledRule | undefined {
    return this.best(
      this.indexes.flatMap((index) =>
        index.presets.filter(({ parsed }) => parsed.kind === 'preset' && parsed.preset === name),
      ),
    );
  }

  bare(tool: string): CompiledRule[] {
    const { call, input, entry } = this.#prepared;
    const found: CompiledRule[] = [];
    for (const index of this.indexes) {
      for (const rule of index.tools.get(tool) ?? NO_RULES) {
        if (tool === call.toolName ? matchesDirectly(rule, tool, input, entry) : rule.parsed.kind === 'tool')
          found.push(rule);
      }
    }
    return found;
  }

  wild(): CompiledRule[] {
    const { call, input, entry } = this.#prepared;
    const found: CompiledRule[] = [];
    for (const index of this.indexes) {
      for (const rule of index.every) if (matchesDirectly(rule, call.toolName, input, entry)) found.push(rule);
    }
    return found;
  }

  paths(families: readonly string[], path: NormalisedPath, context: PathContext): CompiledRule[] {
    const keys = pathKeys(path);
    const found: CompiledRule[] = [];
    for (const index of this.indexes) {
      for (const family of families) {
        const bucket: Bucket | undefined = index.paths.get(family);
        if (bucket === undefined) continue;
        for (const rule of bucket.candidates(keys)) {
          if (rule.parsed.kind === 'path' && allowsPath(rule.parsed.path, path, context)) found.push(rule);
        }
      }
    }
    return found;
  }
}

/** A redirection is judged like `Edit(target)` or `Read(target)`; a shell allow never covers it. */
export function coverRedirect(redirect: ShellRedirect, prepared: PreparedCall, rules: AllowRules): boolean {
  const { target } = redirect;
  if (!redirect.dirAllowed || !target.isKnown || target.hasGlob) return false;
  return [redirect.dir, ...redirect.otherDirs].every((dir) => coverRedirectIn(dir, redirect, prepared, rules));
}

function coverRedirectIn(
  cwd: string,
  { target, access }: ShellRedirect,
  prepared: PreparedCall,
  rules: AllowRules,
): boolean {
  const context: PathContext = { ...prepared.context, cwd };
  const path = normalisePath(target.text, context);
  if (path.finding !== undefined) return false;
  const spelling = path.exact[0] ?? [];
  if (
    path.exact.length === 1 &&
    spelling[0] === 'dev' &&
    spelling.length === 2 &&
    SAFE_DEVICES.has(spelling[1] as string)
  )
    return true;
  if (isSystemPath(path)) return false;
  if (access === 'write') {
    if (rules.best([...rules.paths(['family:edit'], path, prepared.context), ...rules.bare('Edit')]) !== undefined)
      return true;
    // The mode accepts edits of the project's files.
    return prepared.call.mode === 'acceptEdits' && path.insideRoot;
  }
  if (rules.best([...rules.paths(['family:read'], path, prepared.context), ...rules.bare('Read')]) !== undefined)
    return true;
  // In default mode a read within the project root is allowed without a rule.
  return (prepared.call.mode === 'default' || prepared.call.mode === 'acceptEdits') && path.insideRoot;
}
