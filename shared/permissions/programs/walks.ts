/** Tells whether a command goes into the folders that it names. */
import { programOf, type ShellCommand } from '../shell/syntax/command.ts';
import { recordOf } from './catalogue/index.ts';

/** An option by which the program goes into folders: `-r`, `-aR`, `--recursive`. */
export function walks(command: Pick<ShellCommand, 'argv'>): boolean {
  const record = recordOf(programOf(command.argv[0]) ?? '');
  const letters = record?.walks;
  if (record === undefined || letters === undefined) return false;
  if (letters === '') return true;
  return command.argv.some(
    ({ text }) =>
      (record.execs?.has(text) ?? false) ||
      WALKING.test(text) ||
      (text.startsWith('-') && !text.startsWith('--') && [...letters].some((letter) => text.includes(letter))),
  );
}

/** `--recursive`, `--dereference-recursive`, `--archive` and what GNU's programs take for them; `-d recurse` of grep. */
const WALKING = /^(?:--(?:rec|der|ar)|(?:-[a-zA-Z]*d|--di[a-z]*=)?recurse$)/;
