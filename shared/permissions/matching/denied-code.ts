/** Finds commands that may run a denied program in words that the gate does not read as commands. */
import type { PreparedCall } from '../call/prepared-call.ts';
import { packageNames } from '../programs/catalogue/names/package-names.ts';
import { resolveCommand } from '../programs/resolve.ts';
import { programOf, type ShellCommand } from '../shell/syntax/command.ts';
import type { Field } from '../shell/syntax/fields.ts';
import { baseName } from '../text/base-name.ts';
import { CallTexts } from './call-texts.ts';
import { codeTexts, phrasesOf } from './code-texts.ts';
import { isNearEquivalentOfDenied } from './denied-equivalents.ts';
import { DeniedNames } from './denied-text.ts';
import { allCommands, policiesOf, REFUSING, type RefusingEffects } from './match.ts';

/**
 * A program outside the table, one of whose words is the command word of a deny or ask rule. Rules hear a word themselves that was tried as a
 * program: `docker exec db psql x` with `db` tried for one.
 */
function namesDenied(argv: readonly Field[], prepared: PreparedCall, effects: RefusingEffects): boolean {
  const tried = triedWords(prepared);
  return policiesOf(prepared.call).some((policy) =>
    effects.some((effect) => {
      const words = policy.index.of(effect).commandWords;
      return argv.slice(1).some((field) => {
        const name = baseName(field.text.replace(BLOCK, ''));
        if (tried.has(field)) return false;
        return words.has(name) || packageNames(name).some((each) => words.has(each));
      });
    }),
  );
}

/** PowerShell takes `{rm` for the beginning of a block. */
const BLOCK = /^\{|[;}]+$/g;

const triedOf = new WeakMap<PreparedCall, ReadonlySet<Field>>();

function triedWords(prepared: PreparedCall): ReadonlySet<Field> {
  let tried = triedOf.get(prepared);
  if (tried === undefined) {
    tried = new Set((prepared.shell?.unwrapped ?? []).flatMap(({ argv }) => argv.slice(0, 1)));
    triedOf.set(prepared, tried);
  }
  return tried;
}

/** Nobody has described the program, the sub-command of a script of the project (`./manage.py runcmd`), or a block that it is given. */
function isUnknown(argv: readonly Field[]): boolean {
  const { program, record } = resolveCommand(argv) ?? {};
  if (argv.some(({ text }, at) => at > 0 && /^\{[\w-]+$/.test(text))) return true;
  return program === undefined || (program.isScript === true && record?.grant === undefined);
}

/**
 * Whether the command is a program outside the table that may run what is denied, or runs one of the project: `yarn shx rm x`. Input counts as
 * data here. `isDescribed`: the command itself is none.
 */
export function runsUnknown(command: ShellCommand, isDescribed: boolean, prepared: PreparedCall): boolean {
  const own = new Set(command.argv);
  const within = (prepared.shell?.unwrapped ?? []).filter(
    ({ argv: [first], argv }) => first !== undefined && own.has(first) && isUnknown(argv),
  );
  const unknown = isDescribed && !isUnknown(command.argv) ? within : [command, ...within];
  if (unknown.length === 0) return false;
  const names = new DeniedNames(prepared, new CallTexts(prepared), REFUSING);
  return unknown.some(
    ({ argv, dir }) => namesDenied(argv, prepared, REFUSING) || names.in(phrasesOf(argv), dir) !== undefined,
  );
}

/** Why the call may run such a program, or touch a protected or denied path so (G6, G8), as a clause; undefined if it does not. */
export function mayRunDenied(prepared: PreparedCall, effects: RefusingEffects = REFUSING): string | undefined {
  // The cheapest look comes first.
  const unknown = allCommands(prepared).find(({ argv }) => isUnknown(argv) && namesDenied(argv, prepared, effects));
  if (unknown !== undefined)
    return `${programOf(unknown.argv[0])} is not known, and may run a program that a deny or ask rule names`;
  const call = new CallTexts(prepared);
  const names = new DeniedNames(prepared, call, effects);
  let words = 0;
  for (const command of allCommands(prepared)) {
    words += command.argv.length;
    if (words > MAX_WORDS) return 'The command holds too many words to look for those of a deny or ask rule';
    if (isNearEquivalentOfDenied(command, prepared, effects))
      return `${programOf(command.argv[0])} may do what a deny or ask rule names under another name`;
    const { texts, takesPrinted, runsWritten } = codeTexts(command, call);
    const problem =
      names.in(texts, command.dir) ??
      (runsWritten ? names.inWritten(command.dir) : takesPrinted ? names.inPrinted(command.dir) : undefined);
    if (problem !== undefined) return `The code for ${programOf(command.argv[0]) ?? 'a variable'} holds ${problem}`;
  }
  return undefined;
}

/** Words of all commands, those within others among them: no text in earnest has so many. */
const MAX_WORDS = 50_000;

/** Why a text that rules cover may do so by a file that it writes and runs: a rule for `bash` speaks of scripts that are there. */
export function writesDenied(prepared: PreparedCall): string | undefined {
  const call = new CallTexts(prepared);
  const names = new DeniedNames(prepared, call, REFUSING);
  for (const command of allCommands(prepared)) {
    if (!call.startsWritten(command)) continue;
    const problem = names.inWritten(command.dir);
    if (problem !== undefined) return `the file that ${programOf(command.argv[0])} runs is given ${problem}`;
  }
  return undefined;
}
