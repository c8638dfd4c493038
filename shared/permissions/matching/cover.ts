/** What an allow covers: every command, redirection and path of the call, and nothing that the rules leave to people. */

import type { PreparedCall } from '../call/prepared-call.ts';
import { isFileReader, isFileWriter } from '../model/tools.ts';
import type { PresetName } from '../model/types.ts';
import { type JudgedPath, judgePath, type PathContext } from '../paths/normalise.ts';
import { allowsPath } from '../paths/pattern.ts';
import type { CompiledRule } from '../rules/compile.ts';
import type { Bucket, EffectIndex } from '../rules/index-rules.ts';
import type { ShellRedirect } from '../shell/syntax/command.ts';
import { hostMatches } from '../text/web-address.ts';
import { coverCommands } from './cover-command.ts';
import {
  byPriority,
  hostKeys,
  isCurrent,
  matchesDirectly,
  pathKeys,
  policiesOf,
  READER_TOOLS,
  WRITER_TOOLS,
} from './match.ts';

export type Coverage =
  | { readonly kind: 'covered'; readonly rule: CompiledRule }
  /** A shell command that needs no rule: it changes nothing, or only edits files as the mode accepts it. */
  | { readonly kind: 'needless'; readonly by: 'free' | 'edits' }
  /** No allow is enough; `why` is a clause, `tried` the rule that was not enough, `write` one that would cover it. */
  | {
      readonly kind: 'not-covered';
      readonly why: string;
      readonly write?: string | undefined;
      readonly tried?: CompiledRule | undefined;
    }
  | { readonly kind: 'none' };

/** rules.md: `managedRulesOnly` and `workspaceTrusted` drop allow rules, never deny or ask rules. */
export function countsAsAllow(rule: CompiledRule, prepared: PreparedCall, now: number): boolean {
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

/** Below `/proc`, `/sys` and `/dev` an allow covers a few devices only (rules.md, "Commands"). */
export function isSystemPath(path: JudgedPath): boolean {
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

  *bare(tool: string): Generator<CompiledRule> {
    const { call, input, entry } = this.#prepared;
    for (const index of this.indexes) {
      for (const rule of index.tools.get(tool) ?? []) {
        if (tool === call.toolName ? matchesDirectly(rule, tool, input, entry) : rule.parsed.kind === 'tool')
          yield rule;
      }
    }
  }

  *wild(): Generator<CompiledRule> {
    const { call, input, entry } = this.#prepared;
    for (const index of this.indexes) {
      for (const rule of index.every) if (matchesDirectly(rule, call.toolName, input, entry)) yield rule;
    }
  }

  *paths(families: readonly string[], path: JudgedPath, context: PathContext): Generator<CompiledRule> {
    const keys = pathKeys(path);
    for (const index of this.indexes) {
      for (const family of families) {
        const bucket: Bucket | undefined = index.paths.get(family);
        if (bucket === undefined) continue;
        for (const rule of bucket.candidates(keys)) {
          if (rule.parsed.kind === 'path' && allowsPath(rule.parsed.path, path, context)) yield rule;
        }
      }
    }
  }
}

function familiesOf(prepared: PreparedCall): string[] {
  const { call, entry } = prepared;
  if (WRITER_TOOLS.has(call.toolName) || isFileWriter(entry)) return ['family:edit', call.toolName];
  if (READER_TOOLS.has(call.toolName) || isFileReader(entry)) return ['family:read', call.toolName];
  return [call.toolName];
}

/** Paths that an allow by path must cover; a search without a path looks at the working directory. */
function statedPaths(prepared: PreparedCall): { path: JudgedPath; context: PathContext }[] {
  const stated = prepared.paths.filter((each) => each.argument);
  if (stated.length > 0) return stated.map(({ path, context }) => ({ path, context }));
  return READER_TOOLS.has(prepared.call.toolName)
    ? [{ path: judgePath('.', prepared.context), context: prepared.context }]
    : [];
}

function coverPaths(prepared: PreparedCall, rules: AllowRules): Coverage {
  const families = familiesOf(prepared);
  const paths = statedPaths(prepared);
  let covering: CompiledRule | undefined;
  for (const { path, context } of paths) {
    const rule = rules.best(rules.paths(families, path, context));
    if (rule === undefined)
      return covering === undefined
        ? { kind: 'none' }
        : { kind: 'not-covered', why: 'an allow covers only some of the paths' };
    covering ??= rule;
  }
  return covering === undefined ? { kind: 'none' } : { kind: 'covered', rule: covering };
}

function coverWeb(prepared: PreparedCall, rules: AllowRules): Coverage {
  const { address } = prepared;
  const named = rules.best([...rules.bare('WebFetch'), ...rules.wild()]);
  if (address === undefined || !address.web) {
    return named === undefined
      ? { kind: 'none' }
      : { kind: 'not-covered', why: 'an allow covers only http and https addresses' };
  }
  const candidates = rules.indexes.flatMap((index) => [...index.hosts.candidates(hostKeys(address.host))]);
  const exact = rules.best(
    candidates.filter((rule) => rule.parsed.kind === 'domain' && rule.parsed.host === address.host),
  );
  if (exact !== undefined) return { kind: 'covered', rule: exact };
  const wild =
    rules.best(
      candidates.filter((rule) => rule.parsed.kind === 'domain' && hostMatches(rule.parsed.host, address.host)),
    ) ?? named;
  if (wild === undefined) return { kind: 'none' };
  if (address.privateHost)
    return { kind: 'not-covered', why: 'a private or metadata address needs a rule that names it' };
  return { kind: 'covered', rule: wild };
}

/** A redirection is judged like `Edit(target)` or `Read(target)`; a shell allow never covers it. */
export function coverRedirect(redirect: ShellRedirect, prepared: PreparedCall, rules: AllowRules): boolean {
  const { target } = redirect;
  if (!redirect.dirAllowed || !target.known || target.glob) return false;
  return [redirect.dir, ...redirect.otherDirs].every((dir) => coverRedirectIn(dir, redirect, prepared, rules));
}

function coverRedirectIn(
  cwd: string,
  { target, access }: ShellRedirect,
  prepared: PreparedCall,
  rules: AllowRules,
): boolean {
  const context: PathContext = { ...prepared.context, cwd };
  const path = judgePath(target.text, context);
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
    // D6: the mode accepts edits of the project's files.
    return prepared.call.mode === 'acceptEdits' && path.insideRoot;
  }
  if (rules.best([...rules.paths(['family:read'], path, prepared.context), ...rules.bare('Read')]) !== undefined)
    return true;
  // D5: in default mode a read within the project root is allowed without a rule.
  return (prepared.call.mode === 'default' || prepared.call.mode === 'acceptEdits') && path.insideRoot;
}

/** Whether allow rules cover the whole call. */
export function coverage(prepared: PreparedCall, now: number): Coverage {
  const { call, shell, entry } = prepared;
  const rules = new AllowRules(prepared, now);
  if (shell !== undefined) return coverCommands(prepared, rules);
  if (call.toolName === 'WebFetch') return coverWeb(prepared, rules);

  const odd = prepared.paths.find((each) => each.path.finding !== undefined);
  const direct = rules.best([
    ...rules.bare(call.toolName),
    ...(call.toolName !== 'Edit' && writesFiles(prepared) ? rules.bare('Edit') : []),
    ...rules.wild(),
  ]);
  const byPath = coverPaths(prepared, rules);
  const found: Coverage =
    direct === undefined || (byPath.kind === 'covered' && byPriority(byPath.rule, direct) < 0)
      ? byPath
      : { kind: 'covered', rule: direct };
  if (found.kind !== 'covered') return found;
  if (odd !== undefined) return { kind: 'not-covered', why: odd.path.finding?.why ?? 'a path is not certain' };
  if (prepared.paths.some((each) => each.argument && isSystemPath(each.path))) {
    return { kind: 'not-covered', why: 'an allow does not cover paths below /proc, /sys and /dev' };
  }
  if (prepared.address?.protocol === 'file:' && !isFileReader(entry) && !isFileWriter(entry)) {
    return { kind: 'not-covered', why: 'an allow does not cover file: addresses' };
  }
  return found;
}

function writesFiles(prepared: PreparedCall): boolean {
  return (
    WRITER_TOOLS.has(prepared.call.toolName) ||
    (isFileWriter(prepared.entry) && prepared.paths.some((each) => each.argument))
  );
}
