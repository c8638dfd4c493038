/** Finds commands that may run a denied program in words that the gate does not read as commands. */
import type { PreparedCall } from '../call/prepared-call.ts';
import { packageNames } from '../programs/catalogue/names/package-names.ts';
import { resolveCommand } from '../programs/resolve.ts';
import { programOf } from '../shell/syntax/command.ts';
import type { Field } from '../shell/syntax/fields.ts';
import { baseName } from '../text/base-name.ts';
import { CallTexts } from './call-texts.ts';
import { codeTexts, isPhraseAt } from './code-texts.ts';
import { allCommands, policiesOf } from './match.ts';

/** A program outside the table, one of whose words is the command word of a deny or ask rule, or a phrase that holds the rule's words. */
export function namesDenied(argv: readonly Field[], prepared: PreparedCall): boolean {
  const isNamed = policiesOf(prepared.call).some((policy) =>
    (['deny', 'ask'] as const).some((effect) => {
      const words = policy.index.of(effect).commandWords;
      return argv.slice(1).some(({ text }) => {
        const name = baseName(text);
        return words.has(name) || packageNames(name).some((each) => words.has(each));
      });
    }),
  );
  return isNamed || argv.some(({ text }, at) => isPhraseAt(at, argv) && holdsDenied(text, prepared));
}

/** Why the call may run such a program (G8), as a clause; undefined if it does not. */
export function mayRunDenied(prepared: PreparedCall): string | undefined {
  const unknown = prepared.shell?.commands.find(
    ({ argv }) => resolveCommand(argv) === undefined && namesDenied(argv, prepared),
  );
  if (unknown !== undefined)
    return `${programOf(unknown.argv[0])} is not known, and may run a program that a deny or ask rule names`;
  const call = new CallTexts(prepared);
  const isDenied = (text: string): boolean => holdsDenied(text, prepared);
  let printed: boolean | undefined;
  let words = 0;
  const found = allCommands(prepared).find((command) => {
    words += command.argv.length;
    if (words > MAX_WORDS) return true;
    const { texts, takesPrinted } = codeTexts(command, call);
    if (texts.some(isDenied)) return true;
    if (!takesPrinted) return false;
    printed ??= call.printed().some(isDenied);
    return printed;
  });
  if (words > MAX_WORDS) return 'The command holds too many words to look for those of a deny or ask rule';
  return found && `The code for ${programOf(found.argv[0]) ?? 'a variable'} holds the words of a deny or ask rule`;
}

/** Words of all commands, those within others among them: no text in earnest has so many. */
const MAX_WORDS = 50_000;

const OTHER_SIGNS = /[^\w./-]+/;
/** `\n` and its like, as printf and other languages write them. */
const ESCAPES = /\\[abefnrtv]/g;

/** Whether the words of one rule all stand in a text. */
function holdsDenied(text: string, prepared: PreparedCall): boolean {
  if (text === '') return false;
  const words = new Set([text, text.replace(ESCAPES, ' ')].flatMap((each) => each.split(OTHER_SIGNS).map(baseName)));
  return policiesOf(prepared.call).some((policy) =>
    (['deny', 'ask'] as const).some((effect) => {
      const index = policy.index.of(effect);
      const rules = [...words]
        .filter((word) => index.commandWords.has(word))
        .flatMap((word) => index.commands.get(prepared.call.toolName)?.get(word) ?? []);
      return rules.some(
        ({ parsed }) => parsed.kind === 'command' && parsed.command.words.slice(1).every((word) => words.has(word)),
      );
    }),
  );
}
