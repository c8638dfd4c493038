/** Finds the allow rules that may cover a command. */
import type { PreparedCall } from '../call/prepared-call.ts';
import { readingOf, resolveCommand } from '../programs/resolve.ts';
import { type CommandSpec, matchesCommand } from '../rules/command-spec.ts';
import type { CompiledRule } from '../rules/compiled-rule.ts';
import type { Field } from '../shell/syntax/fields.ts';
import { baseName } from '../text/base-name.ts';
import type { AllowRules } from './allow-rules.ts';
import { byPriority, rulesOfText } from './match.ts';

/** The call and the allow rules that all its commands share. */
export interface Covering {
  readonly prepared: PreparedCall;
  readonly rules: AllowRules;
  /** How many commands the command is within. */
  readonly depth: number;
}

/** Compared word by word, so that a blank within a word is none between two. */
function matchesWords(
  spec: CommandSpec,
  words: readonly string[],
  argv: readonly Field[],
  joined: () => string,
): boolean {
  if (spec.form === 'wildcard') return matchesCommand(spec, joined());
  if (spec.words.length > words.length || spec.words.some((word, at) => words[at] !== word)) return false;
  return spec.form === 'prefix' || (spec.words.length === words.length && isSameReading(spec, argv));
}

const QUOTED = /\\.|'[^']*'|"(?:\\.|[^"\\])*"/gs;
const OPERATOR = /[;&|<>()`]|(?:^|\s)#/;

/** Finds text that a shell replaces, between double quotes too; `$'` and `$"` begin other quotes. */
const EXPANSION = /`|\$[\w{(@*#?$!'"-]/;
const withoutLiterals = (text: string): string =>
  text.replace(QUOTED, (part) => (part.startsWith('"') ? `${part.slice(1, -1).replace(/\\./gs, '')} ` : '"'));

/**
 * Whether a shell reads the words of an exact rule as it reads the command's: an operator or a variable of the rule is no word of one command,
 * and a name that the rule quotes is no pattern or home.
 */
function isSameReading({ text }: CommandSpec, argv: readonly Field[]): boolean {
  const bare = text.replace(QUOTED, '');
  if (OPERATOR.test(bare) || EXPANSION.test(withoutLiterals(text))) return false;
  return bare === text || !argv.some((field) => field.hasGlob || field.text.startsWith('~'));
}

/** The command as it is written, and with harmless options before its sub-command or among the addresses left out. */
export function spellingsOf(argv: readonly Field[]): readonly (readonly string[])[] {
  const words = argv.map(({ text }) => text);
  const resolved = resolveCommand(argv);
  if (resolved === undefined || resolved.uncertain !== undefined) return [words];
  const { globals, path, program } = resolved;
  const spelled = [words];
  if (globals.length > 0 && path.length > 0)
    spelled.push([words[0] as string, ...path, ...resolved.words.map(({ text }) => text)]);
  const runner = resolved.record.runner;
  if (runner?.allow === 'named') {
    const at = resolved.words.findIndex(({ text }) => !runner.flags.has(text));
    if (at > 0) spelled.push([words[0] as string, ...path, ...resolved.words.slice(at).map(({ text }) => text)]);
  }
  if (program.fetches === true) {
    const read = readingOf(resolved);
    if (typeof read !== 'string' && read.operands.length > 0)
      spelled.push([words[0] as string, ...read.operands.map(({ text }) => text)]);
  }
  return spelled;
}

const NO_RULES: readonly CompiledRule[] = [];

/** Rules whose words match, the best first, then those of the bare tool. */
export function matchingRules(argv: readonly Field[], { prepared, rules }: Covering): readonly CompiledRule[] {
  const tool = prepared.call.toolName;
  const program = argv[0]?.text;
  const spellings = spellingsOf(argv);
  const joined: string[] = [];
  const joinedAt = (at: number): string => (joined[at] ??= spellings[at]?.join(' ') ?? '');
  const found = new Set<CompiledRule>();
  for (const index of rules.indexes) {
    const bucket = index.commands.get(tool);
    if (bucket === undefined) continue;
    for (const rule of program === undefined ? bucket.always : bucket.candidates([baseName(program)])) {
      const { parsed } = rule;
      if (parsed.kind !== 'command' || !rules.counts(rule)) continue;
      if (spellings.some((words, at) => matchesWords(parsed.command, words, argv, () => joinedAt(at)))) found.add(rule);
    }
  }
  for (const rule of rules.bare(tool)) if (rules.counts(rule)) found.add(rule);
  for (const rule of rules.wild()) if (rules.counts(rule)) found.add(rule);
  return found.size === 0 ? NO_RULES : [...found].sort(byPriority);
}

export function isExact(rule: CompiledRule): boolean {
  return rule.parsed.kind === 'command' && rule.parsed.command.form === 'exact';
}

export function exactWhole(prepared: PreparedCall, rules: AllowRules): CompiledRule | undefined {
  const text = prepared.shell?.text.trim() ?? '';
  return rules.best(rules.indexes.flatMap(({ commands }) => rulesOfText(commands.get(prepared.call.toolName), text)));
}
