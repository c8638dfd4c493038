/** Decides whether allow rules cover each command of a shell text, and nothing beyond it. */
import type { CallPath, PreparedCall } from '../call/prepared-call.ts';
import { globPaths } from '../paths/glob-path.ts';
import { canBe, isDeep } from '../paths/glob-strength.ts';
import { recordOf } from '../programs/catalogue/index.ts';
import { isHarmlessVariable, isOwnVariable, namesStage } from '../programs/catalogue/names/variables.ts';
import { foundBy, innerOf, type Names } from '../programs/inner-commands.ts';
import { type PrefixVerdict, prefixCovers } from '../programs/prefix.ts';
import { hasBlank } from '../programs/record/options.ts';
import { listsNames, readingOf, resolveCommand } from '../programs/resolve.ts';
import { roleOf } from '../programs/roles.ts';
import type { CompiledRule } from '../rules/compiled-rule.ts';
import { namesSet } from '../shell/analysis/evaluated-names.ts';
import { passesInput } from '../shell/analysis/made-text.ts';
import { emptiedOf } from '../shell/analysis/readings.ts';
import { MAX_DEPTH } from '../shell/syntax/budget.ts';
import { programOf, type ShellCommand } from '../shell/syntax/command.ts';
import type { Field } from '../shell/syntax/fields.ts';
import { directoryAfter, moveOf } from '../shell/walk/directory.ts';
import { isPlainAscii, withoutIgnorable } from '../text/characters.ts';
import { AllowRules, coverRedirect, isSystemPath } from './allow-rules.ts';
import { climbsOut } from './climbs-out.ts';
import { type Covering, exactWhole, isExact, matchingRules, spellingsOf } from './command-rules.ts';
import type { Coverage } from './coverage.ts';
import { runsUnknown, writesDenied } from './denied-code.ts';
import { isNearDenied } from './near-denied.ts';
import { readsHome } from './reads-home.ts';
import { locationOf, readsInside } from './reads-inside.ts';
import { repeatedOption } from './repeated-options.ts';
import { pathRuleFor, printable, ruleFor } from './suggested-rule.ts';

/** Why one command may run: by a rule, as an edit that the mode accepts, or because it changes nothing. */
type CommandCoverage =
  | { readonly kind: 'rule'; readonly rule: CompiledRule }
  | { readonly kind: 'edit' | 'free' }
  /** `why` is a clause; `tried` the rule that was not enough, `write` one that would cover it. */
  | {
      readonly kind: 'no';
      readonly why: string;
      readonly write?: string | undefined;
      readonly tried?: CompiledRule | undefined;
    };

const no = (why: string, write?: string): CommandCoverage => ({ kind: 'no', why, write });
const FREE: CommandCoverage = { kind: 'free' };

/** Covered in every reading: as it stands, and with nothing in its unknown parts. */
function coverCommand(command: ShellCommand, covering: Covering): CommandCoverage {
  const found = coverOne(command, covering);
  if (found.kind === 'no') return found;
  const emptied = emptiedOf(command);
  if (emptied === undefined) return found;
  const other = coverOne(emptied, covering);
  return other.kind === 'no' ? other : found;
}

function coverOne(command: ShellCommand, covering: Covering): CommandCoverage {
  const assigned = assignmentProblem(command);
  if (assigned !== undefined) return no(assigned);
  if (command.argv.length === 0) return FREE;
  if (!command.dirAllowed)
    return no('no rule covers what runs after a cd out of the project, or to an unknown directory');
  const first = command.argv[0] as Field;
  if (!isPlainAscii(first.text) && first.text !== withoutIgnorable(first.text).normalize('NFKC'))
    return no('no rule covers a command word in unusual characters');
  if (!first.isKnown || first.hasGlob) return no('no rule covers a command word that is not literal');
  if (hasBlank(first.text)) return no('no rule covers a command word with a blank');
  const named = namesSet(command.argv).find(({ text }) => !isOwnVariable(text.replace(/^-v/, '').replace(/^-p/, '')));
  if (named !== undefined) return no(`the assignment of ${printable(named.text)} may change what runs`);
  if (readsHome(command, covering.prepared)) return no('no rule covers a walk through a whole home');
  const rules = matchingRules(command.argv, covering);
  const exact = rules.find(isExact);
  if (exact !== undefined && command.argv.every((field) => field.isKnown)) return { kind: 'rule', rule: exact };
  const found = coverInner(command, covering) ?? coverByRules(command, rules, covering);
  // A mode that asks nobody lets no more pass than what a rule covers, so the rule is told where there is one.
  return found.kind !== 'rule' && isFree(command, covering.prepared) ? FREE : found;
}

/** A variable that is given to a command must be harmless; one that is only assigned must be read by nobody else. */
function assignmentProblem({ assignments, argv }: ShellCommand): string | undefined {
  const isFine = ({ name, value, plain, literal }: ShellCommand['assignments'][number]): boolean =>
    argv.length > 0
      ? literal && isHarmlessVariable(name, value?.text ?? '')
      : plain && (isOwnVariable(name) || namesStage(name, value?.text ?? ''));
  const bad = assignments.find((each) => !isFine(each));
  return bad && `the assignment of ${printable(bad.name)} may change what runs`;
}

/** Built-ins that change nothing outside of the text, and `cd` to a literal directory of the project. */
function isFree(command: ShellCommand, { call }: PreparedCall): boolean {
  const name = command.argv[0]?.text ?? '';
  const move = moveOf(name);
  if (move !== undefined) {
    if (command.argv.some((field) => !field.isKnown || field.hasGlob)) return false;
    // The folder that `popd` leads to is not followed; the move itself changes nothing.
    if (move === 'back') return command.argv.length === 1;
    const roots = { projectRoot: call.projectRoot, home: call.home };
    return directoryAfter(command.argv, { path: command.dir, allowed: true }, roots)?.allowed === true;
  }
  return recordOf(name)?.names.includes(name) === true && recordOf(name)?.free?.(command.argv.slice(1)) === true;
}

/** Plain wrappers, `env`, `xargs` and `find -exec`: what they run has to be covered. */
function coverInner(command: ShellCommand, covering: Covering): CommandCoverage | undefined {
  const name = command.argv[0]?.text ?? '';
  const resolved = resolveCommand(command.argv);
  // By a path it may be another program of that name.
  if (resolved === undefined || !resolved.program.names.includes(name)) return undefined;
  const inner = innerOf(resolved, command.argv, () => namesFrom(command, covering.prepared));
  if (inner === undefined) return undefined;
  if (typeof inner === 'string') return no(`no rule covers ${printable(name)}, which ${printable(inner)}`);
  let found: CommandCoverage = FREE;
  const each = [...(inner.outer === undefined ? [] : [inner.outer]), ...inner.commands];
  if (covering.depth >= MAX_DEPTH) return no('commands within commands, too deep');
  const deeper = { ...covering, depth: covering.depth + 1 };
  for (const argv of each) {
    const one = coverCommand({ ...command, argv, assignments: [] }, deeper);
    if (one.kind === 'no') return one;
    if (found.kind !== 'rule') found = one;
  }
  return found;
}

/** The command whose output comes in through the pipe, past those that pass its lines on: `sort`, `head`. */
function sourceOf({ stdin }: ShellCommand): ShellCommand | undefined {
  let source = stdin.kind === 'pipe' && stdin.from.length === 1 ? stdin.from[0] : undefined;
  for (let depth = 0; source?.stdin.kind === 'pipe' && depth < MAX_DEPTH && passesInput(source); depth++)
    source = source.stdin.from.length === 1 ? source.stdin.from[0] : undefined;
  return source;
}

/** Names that are put into the inner command: those that find meets, or those that come in through the pipe. */
function namesFrom(command: ShellCommand, prepared: PreparedCall): Names {
  if (recordOf(command.argv[0]?.text ?? '')?.execs !== undefined) {
    const { outer } = foundBy(command.argv);
    return readsInside({ ...command, argv: outer }, prepared) ? 'project' : 'files';
  }
  const source = sourceOf(command);
  const resolved = source && resolveCommand(source.argv);
  if (source === undefined || resolved === undefined || !listsNames(resolved)) return 'any';
  return readsInside(source, prepared) ? 'project' : 'files';
}

function coverByRules(command: ShellCommand, rules: readonly CompiledRule[], covering: Covering): CommandCoverage {
  let refused: CommandCoverage | undefined;
  let most = -1;
  // Any rule may cover, so the order of allows never matters.
  for (const rule of rules) {
    const one = coverByRule(command, rule, covering);
    if (one.kind === 'rule') return one;
    // The reason for the rule that says most is told.
    if (wordsOf(rule) > most) {
      most = wordsOf(rule);
      refused = one;
    }
  }
  const preset = covering.rules.preset('read-only');
  if (preset !== undefined && readsInside(command, covering.prepared)) return { kind: 'rule', rule: preset };
  if (covering.prepared.call.mode === 'acceptEdits' && isPlainEdit(command, covering.prepared)) return { kind: 'edit' };
  return refused ?? uncovered(command, covering.prepared);
}

const wordsOf = ({ parsed }: CompiledRule): number => (parsed.kind === 'command' ? parsed.command.words.length : 0);

function coverByRule(command: ShellCommand, rule: CompiledRule, { prepared, rules }: Covering): CommandCoverage {
  const words = rule.parsed.kind === 'command' ? rule.parsed.command.words : [];
  const verdict: PrefixVerdict = prefixCovers(command, words, locationOf(command, prepared));
  if (verdict.kind === 'no') {
    const better = verdict.write && ruleFor(command, verdict.write, prepared);
    return better ? notEnough(rule, verdict.why, better.write) : notEnough(rule, verdict.why);
  }
  const climbs = rule.parsed.kind === 'command' ? climbsOut(rule.parsed.command, command.argv, spellingsOf) : undefined;
  if (climbs !== undefined) return notEnough(rule, `${printable(climbs)} leads out of the folder that it names`);
  const again = rule.parsed.kind === 'command' ? repeatedOption(rule.parsed.command, command.argv) : undefined;
  if (again !== undefined) return notEnough(rule, again);
  if (runsUnknown(command, verdict.described, prepared))
    return notEnough(rule, 'an argument names a program with a deny or ask rule, or what is protected');
  if (isNearDenied(command, prepared)) return notEnough(rule, 'a deny or ask rule has the same words');
  for (const target of verdict.writes) {
    const { dir, otherDirs, dirAllowed } = command;
    const redirect = { access: 'write' as const, target, dir, otherDirs, dirAllowed };
    if (!coverRedirect(redirect, prepared, rules))
      return notEnough(
        rule,
        `${printable(programOf(command.argv[0]) ?? '')} writes ${printable(target.text)}`,
        pathRuleFor(redirect, prepared),
      );
  }
  return { kind: 'rule', rule };
}

/** An edit of files of the project that are named in full, as the Edit tool would make it. */
function isPlainEdit(command: ShellCommand, prepared: PreparedCall): boolean {
  const resolved = resolveCommand(command.argv);
  if (resolved?.record.edits !== true || !resolved.program.names.includes(command.argv[0]?.text ?? '')) return false;
  const read = readingOf(resolved);
  if (typeof read === 'string' || read.operands.length === 0) return false;
  const { operands } = resolved.record.options ?? {};
  if (operands?.(read.operands, read.options, []) !== undefined) return false;
  const written = resolved.record.writes?.(read.operands, read.options) ?? read.operands;
  // sed reads without `-i`, which is no edit.
  if (written.length === 0) return false;
  const location = locationOf(command, prepared);
  return (
    command.argv.every(({ text, isKnown, hasGlob }, at) => {
      const isText = at === 0 || roleOf(at, command.argv, resolved, false) === 'text';
      return isKnown && !hasGlob && (isText || valuesIn(text).every(location.inside));
    }) && written.every(({ text }) => location.inside(text))
  );
}

/** Texts that may be the value of an option in the same word: `-t/tmp`, `-rt/tmp`, `--target-directory=/tmp`. */
function valuesIn(text: string): readonly string[] {
  if (!text.startsWith('-')) return [];
  if (text.startsWith('--')) return text.includes('=') ? [text.slice(text.indexOf('=') + 1)] : [];
  return Array.from({ length: Math.max(0, text.length - 2) }, (_, at) => text.slice(at + 2));
}

const notEnough = (tried: CompiledRule, why: string, write?: string): CommandCoverage => ({
  kind: 'no',
  why,
  write,
  tried,
});

/** No rule has the command's words: the rule that would have them, or why no prefix can cover it. */
function uncovered(command: ShellCommand, prepared: PreparedCall): CommandCoverage {
  const { text } = command.argv[0] as Field;
  if (moveOf(text) !== undefined) return no(`no rule covers ${text} out of the project, or to an unknown directory`);
  const path = resolveCommand(command.argv)?.path ?? [];
  const found = ruleFor(command, [text, ...path], prepared);
  const name = printable(found.words.join(' '));
  return found.why === undefined
    ? no(`no rule covers ${name}`, found.write)
    : no(`no rule covers ${name}: ${found.why}`);
}

/** `/[p]roc/self/environ`. */
const mayBeSystemPath = ({ path, glob, context }: CallPath): boolean =>
  glob !== undefined &&
  globPaths(path.stated, glob, context).some(({ segments: [top, name] }) => {
    const isOpen = top !== undefined && name !== undefined && top.text === undefined && !isDeep(top);
    return isOpen && ['proc', 'sys', 'dev'].some((each) => canBe(top, each));
  });

/** The reason why no rule covers one of the call's paths. */
function uncoveredPath({ paths }: PreparedCall): string | undefined {
  for (const each of paths) {
    const { path } = each;
    if (path.finding !== undefined && isWholeWord(path.stated)) return path.finding.why;
    if (isSystemPath(path) || mayBeSystemPath(each)) return 'no rule covers paths below /proc, /sys and /dev';
  }
  return undefined;
}

/** Every command covered, every redirection covered, every path plain, nothing in doubt. */
export function coverCommands(prepared: PreparedCall, now: number): Coverage {
  const { shell } = prepared;
  if (shell === undefined || shell.commands.length === 0) return { kind: 'none' };
  if (prepared.folder?.path.insideRoot === false)
    return { kind: 'not-covered', why: 'no rule covers a command that runs outside the project root' };
  const rules = new AllowRules(prepared, now);
  const exact = exactWhole(prepared, rules);
  let covering = exact;
  let edits = false;
  for (const command of exact === undefined ? shell.commands : []) {
    const found = coverCommand(command, { prepared, rules, depth: 0 });
    if (found.kind === 'no') return { kind: 'not-covered', why: found.why, write: found.write, tried: found.tried };
    if (found.kind === 'rule') covering ??= found.rule;
    edits ||= found.kind === 'edit';
  }
  const notUnderstood = shell.doubts[0] ?? shell.human[0]?.message;
  if (notUnderstood !== undefined)
    return { kind: 'not-covered', why: `the command is not fully understood: ${notUnderstood}` };
  const redirect = shell.redirects.find((each) => !coverRedirect(each, prepared, rules));
  if (redirect !== undefined) {
    const way = redirect.access === 'write' ? 'to' : 'from';
    return {
      kind: 'not-covered',
      why: `no rule covers the redirection ${way} ${printable(redirect.target.text)}`,
      write: pathRuleFor(redirect, prepared),
    };
  }
  const path = uncoveredPath(prepared);
  if (path !== undefined) return { kind: 'not-covered', why: path };
  const written = exact === undefined ? writesDenied(prepared) : undefined;
  if (written !== undefined) return { kind: 'not-covered', why: written };
  if (covering !== undefined) return { kind: 'covered', rule: covering };
  return { kind: 'needless', by: edits || writesByMode(prepared) ? 'edits' : 'free' };
}

const writesByMode = ({ call, shell }: PreparedCall): boolean =>
  call.mode === 'acceptEdits' && shell?.redirects.some(({ access }) => access === 'write') === true;

/** Newlines and tabs are plain within a command's words; only odd characters count there, which the analysis has seen. */
function isWholeWord(path: string): boolean {
  return !path.includes('\n') && !path.includes('\t');
}
