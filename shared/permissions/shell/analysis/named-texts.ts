/** Tells which words of a command are messages or names of tests, behind runners, too. */
import { handsOptionsOn, isTextOption } from '../../programs/catalogue/names/text-options.ts';
import { resolveCommand } from '../../programs/resolve.ts';
import { programOf } from '../syntax/command.ts';
import type { Field } from '../syntax/fields.ts';
import { endOfRunner } from './unwrap-programs.ts';

/** The program of the words, and names behind it that may be scripts of a package. */
interface Names {
  readonly at: number;
  readonly scripts: readonly string[];
}

/** Words behind the program that may be the name of a script. */
const MAX_NAMES = 3;

/** Remembered: every phrase of a command asks. */
const known = new WeakMap<readonly Field[], Names>();

function namesIn(argv: readonly Field[]): Names {
  const resolved = resolveCommand(argv);
  const runner = resolved?.record.runner ?? resolved?.program.runner;
  if (resolved !== undefined && runner?.allow === 'named' && runner.operands === 0)
    return { at: endOfRunner(argv, argv.length - resolved.words.length) - 1, scripts: [] };
  const handsOn = runner === undefined && handsOptionsOn(programOf(argv[0]) ?? '');
  return { at: 0, scripts: handsOn ? argv.slice(1, 1 + MAX_NAMES).map(({ text }) => text) : [] };
}

/** `vitest -t TEXT`, `npx jest -t TEXT`, `yarn test -t TEXT`; `ssh test -t CODE` is none. */
export function isNamedText(at: number, argv: readonly Field[]): boolean {
  const { text = '' } = argv[at] ?? {};
  const option = text.startsWith('-') ? (text.split('=')[0] as string) : (argv[at - 1]?.text ?? '');
  if (option === text || !option.startsWith('-')) return false;
  const names = known.get(argv) ?? namesIn(argv);
  known.set(argv, names);
  return (
    at > names.at + 1 - Number(text.startsWith('-')) && isTextOption(option, argv[names.at]?.text ?? '', names.scripts)
  );
}
