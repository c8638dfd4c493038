/** What an allow covers of a shell command (rules.md, "Commands"): each sub-command by a rule, nothing beyond it. */
import type { PreparedCall } from '../prepare.ts';
import { prefixCovers } from '../programs/prefix.ts';
import type { ShellCommand } from '../shell/command.ts';
import { joinFields } from '../shell/command.ts';
import { programOf } from '../shell/derive.ts';
import { type Field, UNKNOWN } from '../shell/fields.ts';
import { plainWrapperInner } from '../shell/plain-wrappers.ts';
import { isPlainAscii, withoutIgnorable } from '../text/characters.ts';
import { matchesCommand } from './command-spec.ts';
import type { CompiledRule } from './compile.ts';
import { type AllowRules, type Coverage, coverRedirect, isSystemPath } from './cover.ts';
import { baseName } from './index-rules.ts';
import { policiesOf } from './match.ts';

/** rules.md: a leading assignment is stripped only for these, with a literal value. */
const SAFE_VARIABLES: ReadonlySet<string> = new Set([
  'NODE_ENV',
  'CI',
  'TZ',
  'TERM',
  'LANG',
  'LANGUAGE',
  'NO_COLOR',
  'FORCE_COLOR',
  'COLORTERM',
  'CHARSET',
  'LS_COLORS',
  'RUST_LOG',
  'RUST_BACKTRACE',
  'GOOS',
  'GOARCH',
  'CGO_ENABLED',
  'PYTHONUNBUFFERED',
  'PYTHONDONTWRITEBYTECODE',
]);

function isSafeVariable(name: string): boolean {
  return SAFE_VARIABLES.has(name) || name.startsWith('LC_');
}

type CommandCoverage = { readonly rule: CompiledRule } | { readonly why: string } | undefined;

/** Candidates whose text matches: exact rules, then those with a prefix or wildcard, then the bare tool. */
function* textMatches(
  command: ShellCommand,
  joined: string,
  prepared: PreparedCall,
  rules: AllowRules,
): Generator<CompiledRule> {
  const tool = prepared.call.toolName;
  const program = command.argv[0]?.text;
  for (const index of rules.indexes) {
    const bucket = index.commands.get(tool);
    if (bucket === undefined) continue;
    for (const rule of [...bucket.always, ...(program === undefined ? [] : bucket.get(baseName(program)))]) {
      if (rule.parsed.kind === 'command' && matchesCommand(rule.parsed.command, joined)) yield rule;
    }
  }
}

/** A deny or ask rule whose words all stand in the command, in whatever order: a re-spelling is not covered (G8). */
function nearDenied(command: ShellCommand, prepared: PreparedCall): boolean {
  const program = programOf(command.argv[0]);
  if (program === undefined) return false;
  const words = new Set(command.argv.slice(1).map((field) => field.text));
  return policiesOf(prepared.call).some((policy) =>
    (['deny', 'ask'] as const).some((effect) => {
      const bucket = policy.index.of(effect).commands.get(prepared.call.toolName);
      return (bucket?.get(program) ?? []).some((rule) => {
        if (rule.parsed.kind !== 'command') return false;
        const rest = rule.parsed.command.words.slice(1).filter((word) => !word.includes('*'));
        return rest.length > 0 && rest.every((word) => words.has(word));
      });
    }),
  );
}

/** A program outside the table, one of whose words is the command word of a deny or ask rule (rules.md, "Commands"). */
function namesDenied(argv: readonly Field[], prepared: PreparedCall): boolean {
  return policiesOf(prepared.call).some((policy) =>
    (['deny', 'ask'] as const).some((effect) => {
      const words = policy.index.of(effect).commandWords;
      return argv.slice(1).some((field) => words.has(baseName(field.text)));
    }),
  );
}

function coverOne(command: ShellCommand, prepared: PreparedCall, rules: AllowRules): CommandCoverage {
  const loose = command.assignments.find((each) => !each.literal || !isSafeVariable(each.name));
  if (loose !== undefined) return { why: `the assignment of ${printable(loose.name)}` };
  if (command.argv.length === 0) return { why: 'an assignment alone' };
  if (!command.dirAllowed)
    return { why: 'what follows a change of directory out of the project or to an unknown place' };
  const first = command.argv[0] as Field;
  if (!isPlainAscii(first.text) && first.text !== withoutIgnorable(first.text).normalize('NFKC')) {
    return { why: 'a command word in unusual characters' };
  }
  if (!first.known || first.glob) return { why: 'a command word that is not literal' };

  const exact = rules.best([...textMatches(command, command.joined, prepared, rules)].filter((rule) => isExact(rule)));
  if (exact !== undefined && command.argv.every((field) => field.known)) return { rule: exact };

  const inner = plainWrapperInner(command.argv);
  if (inner === 'unclear') return { why: `the options of ${printable(first.text)}` };
  if (inner !== undefined)
    return coverOne({ ...command, argv: inner, assignments: [], joined: joinFields(inner) }, prepared, rules);

  const matching = rules.best([
    ...textMatches(command, command.joined, prepared, rules),
    ...rules.bare(prepared.call.toolName),
    ...rules.wild(),
  ]);
  if (matching === undefined) return undefined;
  const words = matching.parsed.kind === 'command' ? matching.parsed.command.words : [];
  const verdict = prefixCovers(command, words);
  if (verdict.kind === 'no') return { why: verdict.why };
  if (verdict.kind === 'outside-table' && namesDenied(command.argv, prepared)) {
    return { why: 'an argument that names a program with a deny or ask rule' };
  }
  if (nearDenied(command, prepared)) return { why: 'a command close to one with a deny or ask rule' };
  for (const target of verdict.writes) {
    const redirect = { access: 'write' as const, target, dir: command.dir, dirAllowed: command.dirAllowed };
    if (!coverRedirect(redirect, prepared, rules)) return { why: `a write to ${printable(target.text)}` };
  }
  return { rule: matching };
}

function isExact(rule: CompiledRule): boolean {
  return rule.parsed.kind === 'command' && rule.parsed.command.form === 'exact';
}

function printable(text: string): string {
  return text.replaceAll(UNKNOWN, '…').slice(0, 60);
}

/** `Bash(a && b)` without a wildcard is that very text. */
function exactWhole(prepared: PreparedCall, rules: AllowRules): CompiledRule | undefined {
  const text = prepared.shell?.text.trim() ?? '';
  const candidates: CompiledRule[] = [];
  for (const index of rules.indexes) {
    const bucket = index.commands.get(prepared.call.toolName);
    const first = baseName(text.split(' ')[0] ?? '');
    for (const rule of [...(bucket?.always ?? []), ...(bucket?.get(first) ?? [])]) {
      if (isExact(rule) && rule.parsed.kind === 'command' && rule.parsed.command.text === text) candidates.push(rule);
    }
  }
  return rules.best(candidates);
}

/** Every command covered, every redirection covered, every path plain, nothing in doubt. */
export function coverCommands(prepared: PreparedCall, rules: AllowRules): Coverage {
  const shell = prepared.shell;
  if (shell === undefined || shell.commands.length === 0) return { kind: 'none' };
  let covering: CompiledRule | undefined = exactWhole(prepared, rules);
  if (covering === undefined) {
    for (const command of shell.commands) {
      const found = coverOne(command, prepared, rules);
      if (found === undefined) {
        const why = `no rule covers ${printable(programOf(command.argv[0]) ?? 'a command')}`;
        return covering === undefined ? { kind: 'none' } : { kind: 'not-covered', why };
      }
      if ('why' in found) return { kind: 'not-covered', why: `an allow does not cover ${found.why}` };
      covering ??= found.rule;
    }
  }
  if (covering === undefined) return { kind: 'none' };
  const doubt = shell.doubts[0] ?? shell.human[0]?.message;
  if (doubt !== undefined) return { kind: 'not-covered', why: `not fully understood: ${doubt}` };
  const redirect = shell.redirects.find((each) => !coverRedirect(each, prepared, rules));
  if (redirect !== undefined) {
    return {
      kind: 'not-covered',
      why: `an allow does not cover the redirection to ${printable(redirect.target.text)}`,
    };
  }
  for (const { path } of prepared.paths) {
    if (path.finding !== undefined && isWholeWord(path.stated)) return { kind: 'not-covered', why: path.finding.why };
    if (isSystemPath(path)) {
      return { kind: 'not-covered', why: 'an allow does not cover paths below /proc, /sys and /dev' };
    }
  }
  return { kind: 'covered', rule: covering };
}

/** Newlines and tabs are plain within a command's words; only odd characters count there, which the analysis has seen. */
function isWholeWord(path: string): boolean {
  return !path.includes('\n') && !path.includes('\t');
}
