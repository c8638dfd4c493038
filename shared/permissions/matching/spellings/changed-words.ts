/** Finds the words of a command that have another spelling. */
import { scriptAt } from '../../programs/interpreters.ts';
import type { Resolved } from '../../programs/resolve.ts';
import { roleOf } from '../../programs/roles.ts';
import { type Field, literalField } from '../../shell/syntax/fields.ts';
import { isBare, type Manner, plainWord } from './plain-word.ts';

export function kindOf(resolved: Resolved | undefined): Manner['words'] {
  if (resolved?.record.fetches === true) return 'addresses';
  const connects = resolved?.record.connects ?? resolved?.program.connects;
  return connects === 'host' || connects === 'service' ? 'hosts' : 'paths';
}

/** Whether the operands are files, and neither modes nor patterns. */
export function takesFiles(resolved: Resolved | undefined): boolean {
  const { deletes, edits, passesLines, paths } = resolved?.record ?? {};
  return deletes === true || edits === true || (passesLines === true && paths?.pattern === undefined);
}

/** The words that have another spelling, by their place. A sub-command and a text are no files of any folder. */
export function changedFields(
  argv: readonly Field[],
  resolved: Resolved | undefined,
  manner: Manner,
): ReadonlyMap<number, Field> {
  const changed = new Map<number, Field>();
  const from = argv.length - (resolved?.words.length ?? argv.length - 1);
  const isOfFiles = takesFiles(resolved);
  const { interpreter } = resolved?.program ?? {};
  const at = interpreter === undefined ? -1 : scriptAt(argv, interpreter);
  // In `docker run node npm test` the program is an image.
  const script = argv[at]?.text.includes('.') ? at : -1;
  argv.forEach((field, at) => {
    const { text, isKnown } = field;
    if (!isKnown || text === '') return;
    if (at > 0 && isBare(text)) {
      if (at < from && resolved?.path.includes(text) === true) return;
      if (manner.marks && manner.dir === manner.base && at !== script && (at < from || !isOfFiles)) return;
      if (manner.dir !== manner.base && roleOf(at, argv, resolved, true) === 'text') return;
    }
    const plain = plainWord(text, at === 0, manner);
    if (plain !== text) changed.set(at, literalField(plain));
  });
  return changed;
}
