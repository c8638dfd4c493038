/** Records of editors, which take commands in their words and from their files. */
import { optionSpec } from '../options.ts';
import { plusOperands } from './files.ts';
import { NEVER, type ProgramRecord, program, programs, set } from './record.ts';

export const EDITORS: readonly ProgramRecord[] = [
  program('vim vi nvim view ex gvim rvim vimdiff', {
    stdin: true,
    options: optionSpec({ flags: 'RnyZ', operands: plusOperands }),
    commandOptions: set('-c --cmd +'),
  }),
  program('ed', { grant: 'never', stdin: true }),
  ...programs('emacs emacsclient nano pico micro hx kak joe code cursor subl', NEVER),
];
