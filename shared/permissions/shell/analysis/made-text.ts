/** Finds the words of xargs that a program makes, and that nobody has read. */
import { listsNames, readingOf, resolveCommand } from '../../programs/resolve.ts';
import { roleOf } from '../../programs/roles.ts';
import { MAX_DEPTH } from '../syntax/budget.ts';
import type { ShellCommand } from '../syntax/command.ts';
import { type Field, fieldOf } from '../syntax/fields.ts';
import { printsWords, takesWords } from './piped-input.ts';
import type { Unwrapped } from './unwrapped.ts';

/** Stands for a text that another command made, at the end of the words that xargs gives. */
const MADE: Field = fieldOf([{ kind: 'opaque', quoted: false }]);

/** `ls | sed CODE | xargs cat`: nobody has read the words that xargs gives, as in `cat $(sed CODE)`. */
export const withMadeText = (command: ShellCommand, { argvs }: Unwrapped): readonly (readonly Field[])[] =>
  takesWords(command) && isMade(command, 0, new Set()) ? argvs.map((argv) => [...argv, MADE]) : [];

/** `grep --label=x` prints that name for its standard input, and `--group-separator=x` between lines; grep takes beginnings of both. */
const STATES = /^--(?:la|g)/;
/** `rg -r x` prints that instead of what it found. */
const RIPGREP_STATES = /^(?:-[^-tTgfeABCmMjdE]*r|--rep|--[a-z-]*separator)/;

/** Whether some program before the pipe makes names of its own: it neither lists what there is, nor passes on whole lines. */
function isMade(command: ShellCommand, depth: number, seen: Set<ShellCommand>): boolean {
  const { stdin } = command;
  if (stdin.kind !== 'pipe' || depth > MAX_DEPTH || seen.has(command)) return false;
  seen.add(command);
  return stdin.from.some((source) => {
    const resolved = resolveCommand(source.argv);
    if (resolved === undefined) return true;
    const states = resolved.program.names.includes('rg') ? RIPGREP_STATES : STATES;
    const passesLines = resolved.program.passesLines === true;
    if (passesLines && source.argv.some(({ text }) => states.test(text))) return true;
    if (printsWords(source) || resolved.record.printsNames === true || listsNames(resolved)) return false;
    return !passesLines || source.argv.some(({ text }) => CUTS.test(text)) || isMade(source, depth + 1, seen);
  });
}

/** `grep -o`, `tail -c5`, `tac -s.`: what is printed is a part of a line, which may be another name. */
const CUTS = /^-[A-Za-z0-9]*[ocs]|^--(?:only|bytes|sep)/;

/** Whether a program prints whole lines of its input, and of no file that it names or finds. */
export function passesInput({ argv, stdin }: ShellCommand): boolean {
  const resolved = resolveCommand(argv);
  if (resolved?.program.passesLines !== true || stdin.kind === 'file' || stdin.kind === 'process') return false;
  if (stdin.kind === 'inherited' && resolved.program.walks !== undefined) return false;
  const reading = readingOf(resolved);
  if (typeof reading === 'string' || argv.some(({ text }) => CUTS.test(text))) return false;
  const operands = new Set(reading.operands.filter(({ text }) => text !== '-'));
  const isText = (at: number): boolean => argv[at - 1]?.text === '-n' || roleOf(at, argv, resolved, false) === 'text';
  return argv.every((field, at) => !operands.has(field) || isText(at));
}
