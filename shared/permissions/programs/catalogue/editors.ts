/** Describes editors, which take commands in their words and from their files. */
import { optionSpec } from '../record/options.ts';
import { NEVER, type ProgramRecord, program, programs, set } from '../record/record.ts';
import { plusOperands } from './files.ts';

export const EDITORS: readonly ProgramRecord[] = [
  program('vim vi nvim view ex gvim rvim vimdiff', {
    stdin: true,
    options: optionSpec({ flags: 'RnyZ', operands: plusOperands }),
    commandOptions: set('-c --cmd +'),
    paths: { scriptFiles: editorFiles },
  }),
  program('ed red', { grant: 'never', stdin: true }),
  ...programs('emacs emacsclient nano pico micro hx kak joe code cursor subl helix mcedit zed', NEVER),
];

/** `+r.env`, `-c w.env`: the file that a command names right behind its own name. */
function editorFiles(word: string, before: string): readonly string[] {
  const isCommand = word.startsWith('+') || word.startsWith('-') || before === '--cmd' || /^-\w*c$/.test(before);
  if (!isCommand) return [];
  return word
    .replace(/^-\w*c/, '')
    .split(/[|\n]/)
    .map((each) => each.replace(/^[+:\d,.$%\s]*[A-Za-z]+[!>+\s]*/, ''));
}
