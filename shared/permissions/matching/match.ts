/**
 * Finds the rules of one effect that speak of a call.
 * Deny and ask fire on any part; what an allow covers is in `cover.ts`.
 */
import type { CallContext } from '../call/call-context.ts';
import type { CallPath, PreparedCall } from '../call/prepared-call.ts';
import { isFileWriter } from '../model/tools.ts';
import type { ToolEntry } from '../model/types.ts';
import { asFound, knownSubject, toolAliases, USUAL_SUBJECT, usualSubject } from '../model/unlisted-tools.ts';
import { type GlobPath, globPaths } from '../paths/glob-path.ts';
import type { NormalisedPath } from '../paths/normalise.ts';
import { deniesPath } from '../paths/pattern.ts';
import { collapseBlanks, matchesCommand } from '../rules/command-spec.ts';
import type { CompiledPolicy } from '../rules/compile.ts';
import type { CompiledRule } from '../rules/compiled-rule.ts';
import type { Bucket, EffectIndex } from '../rules/index-rules.ts';
import { namesTool, type ParsedPattern } from '../rules/parse.ts';
import type { PathWord, ShellCommand } from '../shell/syntax/command.ts';
import { programOf } from '../shell/syntax/command.ts';
import { baseName } from '../text/base-name.ts';
import { matchesWildcard } from '../text/glob.ts';
import { domainsOf } from '../text/private-host.ts';
import { hostMatches } from '../text/web-address.ts';
import { commandsOf } from './command-matching.ts';

export const WRITER_TOOLS: ReadonlySet<string> = new Set(['Write', 'Edit', 'MultiEdit', 'NotebookEdit']);
export const READER_TOOLS: ReadonlySet<string> = new Set(['Read', 'Grep', 'Glob']);

/** The sets of rules that hold for a call: the deployment's and the session's. */
export function policiesOf(call: Pick<CallContext, 'policy' | 'sessionRules'>): readonly CompiledPolicy[] {
  return call.sessionRules === undefined ? [call.policy] : [call.policy, call.sessionRules];
}

/** Does the rule still count? An "always" has an end date. */
export function isCurrent(rule: CompiledRule, now: number): boolean {
  const until = rule.input.expiresAt;
  return until === undefined || (Number.isFinite(until) ? now < until : rule.ref.effect !== 'allow');
}

/** Highest priority first, then the order in which they were written. */
export function byPriority(a: CompiledRule, b: CompiledRule): number {
  return b.priority - a.priority || a.order - b.order;
}

/** The text that a scalar is compared as; objects, arrays and absent fields match nothing. */
function scalarText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return JSON.stringify(value);
  return undefined;
}

const isScalar = (value: unknown): boolean => scalarText(value) !== undefined;

/** The values of a field that rules are compared with. A deny or ask looks into lists, too: many tools take one value or several. */
const valuesOf = (value: unknown, allow: boolean): readonly unknown[] =>
  Array.isArray(value) && !allow ? value.flat(Number.POSITIVE_INFINITY) : [value];

export function ownField(input: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(input, name) ? input[name] : undefined;
}

/** Parameter and text rules, and bare names: those whose match does not depend on the effect. */
export function matchesDirectly(
  rule: CompiledRule,
  toolName: string,
  input: Readonly<Record<string, unknown>>,
  entry?: ToolEntry,
): boolean {
  const { parsed, input: written } = rule;
  if (written.matcher?.kind === 'permission') return entry?.permissions.includes(written.matcher.permission) === true;
  if (parsed.kind === 'every') return true;
  if (parsed.kind === 'preset') return false;
  if (!namesTool(parsed.tool, toolName)) return false;
  if (parsed.kind === 'tool') return true;
  const isAllow = rule.ref.effect === 'allow';
  if (parsed.kind === 'param') {
    // Skills and sub-agents of plugins have a colon in their names.
    if (!isAllow && namesKnown(`${parsed.name}:${parsed.value}`, toolName, input)) return true;
    return valuesOf(ownField(input, parsed.name), isAllow).some((each) => {
      const text = scalarText(each);
      // A rule may write a number otherwise than JSON does: `1.0` for 1.
      return text !== undefined && (matchesWildcard(parsed.value, text) || Number(parsed.value) === each);
    });
  }
  if (parsed.kind === 'text') {
    // `Agent(isolation:*)` may mean any value of that field, too: a deny or ask takes both readings, an allow the narrower one.
    if (parsed.prefix && !isAllow && valuesOf(ownField(input, parsed.text), false).some(isScalar)) return true;
    return matchesSubject(parsed, isAllow, toolName, input, entry);
  }
  return false;
}

/** The call's subject. A deny or ask looks at all that may be it; for an allow, all of it that is stated has to match. */
function matchesSubject(
  { text: rule, prefix }: Extract<ParsedPattern, { kind: 'text' }>,
  allow: boolean,
  toolName: string,
  input: Readonly<Record<string, unknown>>,
  entry: ToolEntry | undefined,
): boolean {
  const declared = entry?.subject ?? [];
  const fields = allow && declared.length > 0 ? declared : [...declared, ...USUAL_SUBJECT];
  const texts = fields
    .flatMap((name) => valuesOf(ownField(input, name), allow))
    .filter((value) => typeof value === 'string');
  // `Skill(deploy *)` speaks of the skill without arguments, too, as `Bash(ls *)` does.
  const bare = !allow && rule.endsWith(' *') ? rule.slice(0, -2) : undefined;
  const matches = (text: string) =>
    matchesWildcard(rule, text) ||
    (prefix && (text === rule || text.startsWith(`${rule} `))) ||
    (bare !== undefined && matchesWildcard(bare, text));
  if (allow) return texts.length > 0 && texts.every(matches);
  return texts.some(matches) || namesKnown(bare ?? rule, toolName, input);
}

/** Does a deny or ask speak of the skill or the sub-agent of this call? */
function namesKnown(rule: string, toolName: string, input: Readonly<Record<string, unknown>>): boolean {
  const stated = knownSubject(toolName)
    .flatMap((field) => valuesOf(ownField(input, field), false))
    .filter((value) => typeof value === 'string');
  return (stated.length ? stated : usualSubject(toolName)).some((name) =>
    matchesWildcard(asFound(rule), asFound(name)),
  );
}

/** Adds to `found` the rules of one kind that match. */
type Find = (index: EffectIndex, prepared: PreparedCall, found: Set<CompiledRule>) => void;

export const NO_RULES: readonly CompiledRule[] = [];

const directMatches: Find = (index, prepared, found) => {
  const { call, input, entry } = prepared;
  for (const rules of [index.every, index.tools.get(call.toolName) ?? NO_RULES])
    for (const rule of rules) if (matchesDirectly(rule, call.toolName, input, entry)) found.add(rule);
  for (const name of prepared.listed ? [] : toolAliases(call.toolName))
    for (const rule of index.tools.get(name) ?? NO_RULES)
      if (matchesDirectly(rule, name, input, entry)) found.add(rule);
  // `Edit` covers every tool that writes files, and that of Codex wherever nobody has listed it.
  const writes = WRITER_TOOLS.has(call.toolName) || call.toolName === 'apply_patch' || isFileWriter(entry);
  if (call.toolName !== 'Edit' && writes) {
    for (const rule of index.tools.get('Edit') ?? NO_RULES) if (rule.parsed.kind === 'tool') found.add(rule);
  }
};

const FAMILIES = ['family:read', 'family:edit', undefined] as const;

/** Each path of the call with the rules that may speak of it, until one gives a result. */
function firstOfPaths<Result>(
  index: EffectIndex,
  prepared: PreparedCall,
  look: (bucket: Bucket, path: CallPath) => Result | undefined,
): Result | undefined {
  if (prepared.paths.length === 0 || index.paths.size === 0) return undefined;
  for (const family of FAMILIES) {
    const bucket = index.paths.get(family ?? prepared.call.toolName);
    if (bucket === undefined) continue;
    for (const each of prepared.paths) {
      // Read rules hold for tools that write, too; edit rules for whatever is not known to read only.
      if (family === 'family:edit' && !mayWrite(prepared, each.access)) continue;
      const result = look(bucket, each);
      if (result !== undefined) return result;
    }
  }
  return undefined;
}

const pathMatches: Find = (index, prepared, found) => {
  firstOfPaths(index, prepared, (bucket, each) => {
    for (const rule of bucket.candidates(pathKeys(each.path)))
      if (rule.parsed.kind === 'path' && deniesPath(rule.parsed.path, each.path, each.context)) found.add(rule);
    for (const glob of globsOf(each)) {
      // A link to which only a wildcard leads is no certain name.
      if (glob.isGuess) continue;
      for (const rule of bucket.globs.certain(glob, each.context)) found.add(rule);
    }
    return undefined;
  });
};

/** Effects of rules that let no call pass by themselves. */
export type RefusingEffects = readonly ('deny' | 'ask')[];
export const REFUSING: RefusingEffects = ['deny', 'ask'];

/** Whether a rule of these effects speaks of one of the paths. */
export function namesDeniedPath(prepared: PreparedCall, effects: RefusingEffects): boolean {
  const found = new Set<CompiledRule>();
  for (const policy of policiesOf(prepared.call))
    for (const effect of effects) pathMatches(policy.index.of(effect), prepared, found);
  return found.size > 0;
}

const NO_GLOBS: readonly GlobPath[] = [];

const globsOf = ({ glob, path, context }: CallPath): readonly GlobPath[] =>
  glob === undefined ? NO_GLOBS : globPaths(path.stated, glob, context);

/** The first deny or ask rule whose paths a glob of the call may name without saying so, and that glob. */
export function possibleRule(
  prepared: PreparedCall,
  now: number,
): { readonly rule: CompiledRule; readonly word: string } | undefined {
  if (!prepared.paths.some((each) => each.glob !== undefined)) return undefined;
  for (const policy of policiesOf(prepared.call)) {
    for (const effect of ['deny', 'ask'] as const) {
      const found = firstOfPaths(policy.index.of(effect), prepared, (bucket, each) => {
        for (const glob of globsOf(each))
          for (const { rule, match } of bucket.globs.matches(glob, each.context))
            if ((match === 'possible' || glob.isGuess) && isCurrent(rule, now)) return { rule, word: each.path.stated };
        return undefined;
      });
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

/** The segments under which a path rule may stand. */
export function pathKeys({ folded }: NormalisedPath): readonly string[] {
  return folded.length === 1 ? (folded[0] as readonly string[]) : [...new Set(folded.flat())];
}

/** Whether a path may be written: what is not known to read only may. */
export function mayWrite(prepared: PreparedCall, access: PathWord['access']): boolean {
  if (access !== 'read') return true;
  const { permissions } = prepared.entry;
  if (permissions.length === 0) return true;
  return prepared.shell === undefined && permissions.some((each) => each !== 'Read' && each !== 'Network');
}

/** All commands that the analysis saw, through wrappers too. */
export function allCommands(prepared: PreparedCall): readonly ShellCommand[] {
  const { shell } = prepared;
  return shell === undefined
    ? []
    : shell.unwrapped.length === 0
      ? shell.commands
      : [...shell.commands, ...shell.unwrapped];
}

const commandMatches: Find = (index, prepared, found) => {
  const bucket = index.commands.get(prepared.call.toolName);
  if (bucket === undefined || bucket.empty || prepared.shell === undefined) return;
  const { namesCommand, otherPrograms } = commandsOf(prepared);
  const whole = prepared.shell.text.trim();
  for (const rule of bucket.always)
    if (rule.parsed.kind === 'command' && matchesCommand(rule.parsed.command, whole)) found.add(rule);
  for (const rule of rulesOfText(bucket, collapseBlanks(whole))) found.add(rule);
  const all = allCommands(prepared);
  for (const command of all) {
    const rules = rulesNaming(command, bucket, otherPrograms);
    if (rules.every((rule) => found.has(rule))) continue;
    const names = namesCommand(command, prepared.context, all);
    for (const rule of rules) if (rule.parsed.kind === 'command' && names(rule.parsed.command)) found.add(rule);
  }
};

/** `Bash(a && b)` without a wildcard is that very text, and names no command of it alone. */
export function rulesOfText(bucket: Bucket | undefined, text: string): readonly CompiledRule[] {
  const first = baseName(text.split(/\s/, 1)[0] ?? '');
  return (bucket?.candidates([first]) ?? []).filter(
    ({ parsed }) => parsed.kind === 'command' && parsed.command.form === 'exact' && parsed.command.text === text,
  );
}

/** The rules whose first word may be the program, in the case in which it is written or in small letters, or one that it also starts. */
function rulesNaming(
  command: ShellCommand,
  bucket: Bucket,
  others: (command: ShellCommand) => readonly string[],
): readonly CompiledRule[] {
  const program = programOf(command.argv[0]);
  if (program === undefined) return bucket.always;
  const lower = program.toLowerCase();
  const names = [lower, ...others(command)];
  return bucket.candidates(lower === program ? names : [program, ...names]);
}

const hostRules: Find = (index, prepared, found) => {
  const { address } = prepared;
  if (index.hosts.empty || prepared.call.toolName !== 'WebFetch' || address === undefined) return;
  const { domains, aliases } = address;
  for (const rule of index.hosts.candidates([...domains, ...aliases.flatMap(domainsOf)]))
    if (aliases.some((alias) => namesHost(rule, alias))) found.add(rule);
};

const namesHost = ({ parsed }: CompiledRule, host: string): boolean =>
  parsed.kind === 'domain' && hostMatches(parsed.host, host);

const FINDERS: readonly Find[] = [directMatches, pathMatches, commandMatches, hostRules];

/** Deny or ask rules that match any part of the call; the best first. */
export function firingRules(effect: 'deny' | 'ask', prepared: PreparedCall, now: number): CompiledRule[] {
  const found = new Set<CompiledRule>();
  for (const policy of policiesOf(prepared.call))
    for (const find of FINDERS) find(policy.index.of(effect), prepared, found);
  return found.size === 0 ? [] : [...found].filter((rule) => isCurrent(rule, now)).sort(byPriority);
}
