/** Tells which words of a command are messages or patterns by the option before them, behind runners, too. */
import { isNamedText } from '../../programs/catalogue/names/text-options.ts';
import { resolveCommand } from '../../programs/resolve.ts';
import type { Field } from '../syntax/fields.ts';
import { endOfRunner } from './unwrap-programs.ts';

/** `vitest -t TEXT`, `npx jest -t TEXT`, `yarn test -t TEXT`; `ssh test -t CODE` is none. */
export function namedTexts(argv: readonly Field[]): (at: number) => boolean {
  const resolved = resolveCommand(argv);
  const runner = resolved?.record.runner ?? resolved?.program.runner;
  const isOfNamed = resolved !== undefined && runner?.allow === 'named';
  const start = isOfNamed ? endOfRunner(argv, argv.length - resolved.words.length) - 1 : 0;
  let words: readonly string[] | undefined;
  return (at) => {
    if (at <= start) return false;
    words ??= argv.slice(start).map(({ text }) => text);
    return isNamedText(at - start, words, resolved !== undefined && runner === undefined);
  };
}
