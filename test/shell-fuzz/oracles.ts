/**
 * Compares a text's effects with what the policy lets pass.
 *
 * Each hit is a failure of the verdict `allow`.
 */
import { resolve } from 'node:path/posix';
import { effectOf } from './effects.ts';
import type { Gate } from './gate.ts';
import { commandsOf } from './policies.ts';
import { isInterpreter, ownHarmfulOptions } from './programs.ts';
import { HOME, PROJECT } from './scratch.ts';
import type { Observation, ProgramRun } from './shells.ts';
import { quoted } from './words.ts';

type FailureClass =
  | 'marker'
  | 'denied'
  | 'uncovered'
  | 'protected'
  | 'written'
  | 'read'
  | 'option'
  | 'critical'
  | 'code'
  | 'environment'
  | 'printed'
  | 'literal';

export interface Failure {
  readonly kind: FailureClass;
  readonly shell: string;
  readonly why: string;
}

const MARKERS = ['evil', 'e.sh', 'build.sh'];
/** Programs whose words are all paths. */
const FILE_PROGRAMS = new Set('cat cp mv rm head tail touch mkdir wc expand tee xxd nl chmod ln sort uniq'.split(' '));
const GUARDED = ['.env', '.git', '.ssh', '.bashrc', '.npmrc', 'id_rsa'];
/** Rules for the shells that run for real here. */
const SHELL_RULES = new Set(['sh', 'bash', 'dash'].map((name) => `Bash(${name}:*)`));
/** Interpreters that take their input for code where no word names a script. */
const CODE_READERS = new Set('python python3 node ruby perl php lua'.split(' '));
const EDIT_RULE = /^(?:Edit|Write)/;
const PRINTABLE = /^[\x20-\x7e\n\t]*$/;

const nameOf = (program: string) => program.slice(program.lastIndexOf('/') + 1);

export function failuresOf(gate: Gate, seen: Observation): readonly Failure[] {
  const failures: Failure[] = [];
  const add = (kind: FailureClass, why: string) => failures.push({ kind, shell: seen.shell, why });
  for (const run of seen.runs.flatMap(withInner)) {
    const text = [nameOf(run.program), ...run.words].join(' ').slice(0, 200);
    const reason = ownReason(gate, run);
    if (reason !== undefined) add(reason, text);
    const literal = literalReason(gate, run, seen.shell);
    if (literal !== undefined) add('literal', `${text}: ${literal}`);
  }
  for (const path of seen.changed.filter((each) => PRINTABLE.test(each) && !each.includes('\n'))) {
    const { verdict } = gate.verdict('Write', { file_path: path, content: '' });
    if (verdict !== 'allow') add(isGuarded(path) ? 'protected' : 'written', `${path} changed; Write of it: ${verdict}`);
  }
  for (const path of seen.read) {
    const { verdict } = gate.verdict('Read', { file_path: path });
    if (verdict === 'deny') add('read', `${path} was read`);
  }
  return failures;
}

/** Lists the effects of a printed command that differ from those of its text, in one shell. */
export function differences(original: Observation, printed: Observation): readonly Failure[] {
  if (original.killed || printed.killed) return [];
  const [before, after] = [original, printed].map(({ runs, changed }) =>
    [...runs.map(({ program, words, cwd }) => [cwd, program, ...words].map(quoted).join(' ')), ...changed].toSorted(),
  );
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  const shown = (each: unknown) => JSON.stringify(each).slice(0, 150);
  return [{ kind: 'printed', shell: original.shell, why: `${shown(after)} where the text does ${shown(before)}` }];
}

/** A run, and what `find -exec` would have run: the stub does not. */
function withInner(run: ProgramRun): readonly ProgramRun[] {
  const at = run.words.findIndex((word) => ['-exec', '-execdir', '-ok', '-okdir'].includes(word));
  const program = run.words[at + 1];
  if (nameOf(run.program) !== 'find' || at < 0 || program === undefined) return [run];
  const rest = run.words.slice(at + 2);
  const end = rest.findIndex((word) => word === ';' || word === '+');
  return [run, { ...run, program, words: end < 0 ? rest : rest.slice(0, end), input: '' }];
}

/** Names the failure of a run by this folder's own knowledge, without a look at the gate's readers. */
function ownReason(gate: Gate, run: ProgramRun): FailureClass | undefined {
  const { policy } = gate;
  const name = nameOf(run.program);
  const words = [name, ...run.words];
  if (commandsOf(policy, ['deny', 'ask']).some((each) => begins(words, each.split(' ')))) return 'denied';
  if (name === 'rm' && words.some((word) => word.startsWith('-') && word.includes('r')) && words.some(isCritical))
    return 'critical';
  const file = FILE_PROGRAMS.has(name) ? run.words.find((word) => touches(gate, run, word)) : undefined;
  if (file !== undefined) return 'protected';
  if (writtenBy(name, run.words).some((word) => verdictOn(gate, 'Write', run, word) === 'deny')) return 'written';
  if (policy.mode === 'bypass' || policy.mode === 'auto') return undefined;
  const allows = policy.rules.filter(([effect]) => effect === 'allow').map(([, pattern]) => pattern);
  if (allows.includes('Bash')) return undefined;
  if (MARKERS.includes(name) && !namesShell(gate) && !allows.some((each) => each.includes(name))) return 'marker';
  if (run.hasOtherEnvironment) return 'environment';
  if (CODE_READERS.has(name) && run.input !== '' && run.words.every((word) => word === '-')) return 'code';
  // Where files may be edited, an option that names an output is covered as the edit of that file.
  if (policy.mode === 'acceptEdits' || allows.some((each) => EDIT_RULE.test(each))) return undefined;
  if (effectOf(name, run.words) !== undefined) return 'option';
  const harmful = ownHarmfulOptions([name, ...run.words]);
  // Words behind an interpreter's script belong to the script.
  const end = isInterpreter(name) ? run.words.findIndex((word) => !word.startsWith('-')) : -1;
  const own = end < 0 ? run.words : run.words.slice(0, end);
  const option = own.find((word, index) => isHarmful(own, index, word, harmful));
  return option === undefined || allows.some((each) => each.includes(option)) ? undefined : 'option';
}

/** A rule that names a shell covers the scripts that it reads. */
const namesShell = ({ policy }: Gate) =>
  policy.rules.some(([effect, pattern]) => effect === 'allow' && SHELL_RULES.has(pattern));

const begins = (words: readonly string[], rule: readonly string[]) =>
  rule.every((word, index) => words[index] === word);

const isCritical = (word: string) => ['/', HOME, `${HOME}/`, PROJECT, '/*'].includes(word);

const verdictOn = (gate: Gate, tool: string, { cwd }: ProgramRun, word: string) =>
  gate.verdict(tool, { file_path: resolve(cwd, word), content: '' }).verdict;

/** A path that the guarded names hold, or that a rule denies: as it stands where the program ran. */
function touches(gate: Gate, run: ProgramRun, word: string): boolean {
  if (word.startsWith('-') || word === '' || !PRINTABLE.test(word)) return false;
  return isGuarded(resolve(run.cwd, word)) || verdictOn(gate, 'Read', run, word) === 'deny';
}

/** The operands that some programs write, by the way each is used. */
function writtenBy(name: string, words: readonly string[]): readonly string[] {
  const operands = words.filter((word) => !word.startsWith('-') && word !== '');
  if (['touch', 'mkdir', 'tee', 'rm', 'rmdir', 'unlink', 'truncate'].includes(name)) return operands;
  if (['cp', 'mv', 'ln', 'install'].includes(name)) return operands.length > 1 ? operands.slice(-1) : [];
  if (name === 'git' && ['checkout', 'restore', 'mv', 'rm'].includes(words[0] ?? '')) return operands.slice(1);
  return [];
}

function isGuarded(path: string): boolean {
  return path.split('/').some((part) => GUARDED.includes(part));
}

/** A harmful option that cannot be the value of another option, nor an operand behind `--`. */
function isHarmful(words: readonly string[], index: number, word: string, harmful: readonly string[]): boolean {
  const before = words[index - 1] ?? '';
  if (before.startsWith('-') || words.slice(0, index).includes('--')) return false;
  return harmful.some((each) => word === each || (each.length > 2 && word.startsWith(`${each}=`)));
}

/** The words that really ran, as a command of literal words: the gate must allow that command, too. */
function literalReason(gate: Gate, run: ProgramRun, shell: string): string | undefined {
  const words = [run.program, ...run.words];
  // A process substitution hands over a number that no text names.
  if (!words.every((word) => PRINTABLE.test(word) && !word.startsWith('/dev/fd/'))) return undefined;
  // dash has no braces, `$'…'` and `$"…"`: such a word arrives there as it is written, and names nothing.
  if (shell === 'dash' && words.some((word) => /\$|\{.*,.*\}/.test(word))) return undefined;
  // `xargs` alone prints, `time` alone does nothing, and a script that a rule's shell reads was covered with that shell.
  const name = nameOf(run.program);
  if (name === 'echo' || (name === 'time' && run.words.length === 0) || (MARKERS.includes(name) && namesShell(gate)))
    return undefined;
  const command = words.map(quoted).join(' ');
  const decided = gate.command(command, run.cwd);
  // A lone `$` is no text of a remote shell, and a word HEAD asks in bypass: neither is a difference of reading.
  if (
    decided.verdict === 'allow' ||
    ['does not parse', 'file named HEAD'].some((each) => decided.message.includes(each))
  )
    return undefined;
  return `${decided.verdict}: ${decided.message.slice(0, 120)}`;
}
