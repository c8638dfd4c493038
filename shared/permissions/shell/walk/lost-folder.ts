/** Finds code that may change the folder unseen, and the words that then name no certain file. */
import { recordOf } from '../../programs/catalogue/index.ts';
import { resolveCommand } from '../../programs/resolve.ts';
import { roleOf } from '../../programs/roles.ts';
import { programOf } from '../syntax/command.ts';
import type { Field } from '../syntax/fields.ts';
import { builtinWords } from './builtin-words.ts';
import { moveOf } from './directory.ts';

/** The doubt about a relative path behind such code. */
export const LOST = 'a path in a folder that code within the command may have changed';

/** Whether the command runs code in the same shell that is not seen to leave the folder as it is. */
export function mayMoveUnseen(words: readonly Field[]): boolean {
  const { argv } = builtinWords(words);
  const name = programOf(argv[0]);
  if (argv.length < 2 || name === undefined) return false;
  const runs = recordOf(name)?.runsHere;
  return runs === 'file' || (runs === 'words' && argv.slice(1).some(mayMove));
}

/** A shell reads plain characters as plain words: none of them moves, or runs other code. */
function mayMove({ text, isKnown }: Field): boolean {
  if (!isKnown || !/^[\w\s./:=@%+,;&|-]*$/.test(text)) return true;
  return text.split(/[\s;&|]+/).some((word) => moveOf(word) !== undefined || recordOf(word)?.runsHere !== undefined);
}

/** Neither from the root nor from a home. */
export const isRelative = ({ text }: Field): boolean => text !== '' && !text.startsWith('/') && !text.startsWith('~');

/** Whether a word of the command may name a file by the folder that it runs in. */
export function namesRelative(argv: readonly Field[]): boolean {
  const resolved = resolveCommand(argv);
  const from = resolved === undefined ? 1 : argv.length - resolved.words.length;
  return argv.some(
    (field, at) =>
      at >= from &&
      isRelative(field) &&
      !/^(?:-\w|--[\w-]+)$/.test(field.text) &&
      roleOf(at, argv, resolved, true) !== 'text',
  );
}
