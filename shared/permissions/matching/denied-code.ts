/** Finds commands that may run a denied program in words that the gate does not read as commands. */
import type { PreparedCall } from '../call/prepared-call.ts';
import type { Interpreter } from '../programs/record/record.ts';
import { resolveCommand } from '../programs/resolve.ts';
import { programOf, type ShellCommand } from '../shell/syntax/command.ts';
import type { Field } from '../shell/syntax/fields.ts';
import { baseName } from '../text/base-name.ts';
import { allCommands, policiesOf } from './match.ts';

/** A program outside the table, one of whose words is the command word of a deny or ask rule. */
export function namesDenied(argv: readonly Field[], prepared: PreparedCall): boolean {
  return policiesOf(prepared.call).some((policy) =>
    (['deny', 'ask'] as const).some((effect) => {
      const words = policy.index.of(effect).commandWords;
      return argv.slice(1).some((field) => words.has(baseName(field.text)));
    }),
  );
}

/** Why the call may run such a program (G8), as a clause; undefined if it does not. */
export function mayRunDenied(prepared: PreparedCall): string | undefined {
  const unknown = prepared.shell?.commands.find(
    ({ argv }) => resolveCommand(argv) === undefined && namesDenied(argv, prepared),
  );
  if (unknown !== undefined)
    return `${programOf(unknown.argv[0])} is not known, and may run a program that a deny or ask rule names`;
  const found = allCommands(prepared).find((command) =>
    codeOf(command).some((code) => holdsDenied(new Set(code.split(OTHER_SIGNS).map(baseName)), prepared)),
  );
  return found && `The code for ${programOf(found.argv[0])} holds the words of a deny or ask rule`;
}

const OTHER_SIGNS = /[^\w./-]+/;
const CODE_SIGNS = /[\s("'`]/;

/** Words that are code of another language: `python -c CODE`, and scripts of sed and awk that are not harmless. */
function codeOf({ argv }: ShellCommand): readonly string[] {
  const resolved = resolveCommand(argv);
  if (resolved === undefined) return [];
  const { record, program } = resolved;
  const interpreter = record.interpreter ?? program.interpreter;
  const isHarmless = (record.paths ?? program.paths)?.script;
  const isCode = interpreter !== undefined && interpreter.shell !== true;
  if (!isCode && isHarmless === undefined) return [];
  return (isCode ? beforeScript(argv, interpreter) : argv.slice(1))
    .filter(({ text }) => CODE_SIGNS.test(text) && (isCode || isHarmless?.(text) === false))
    .map(({ text }) => text);
}

/** Behind the name of a script or module stand its arguments, which are no code. */
function beforeScript(
  argv: readonly Field[],
  { code, flags, modules, operands, readsOn, words }: Interpreter,
): readonly Field[] {
  if (readsOn === true || operands !== undefined) return argv.slice(1);
  const end = argv.findIndex(({ text }, at) => {
    if (at === 0 || text.startsWith('-')) return modules === true && text === '-m';
    const before = argv[at - 1]?.text ?? '';
    const isValue = code.has(before) || (before.startsWith('-') && !flags.has(before));
    return !isValue && !code.has(text) && !words.has(text);
  });
  return argv.slice(1, end < 0 ? undefined : end);
}

function holdsDenied(words: ReadonlySet<string>, prepared: PreparedCall): boolean {
  return policiesOf(prepared.call).some((policy) =>
    (['deny', 'ask'] as const).some((effect) => {
      const index = policy.index.of(effect);
      const rules = [...words]
        .filter((word) => index.commandWords.has(word))
        .flatMap((word) => {
          const bucket = index.commands.get(prepared.call.toolName);
          return bucket?.get(word) ?? [];
        });
      return rules.some(
        ({ parsed }) => parsed.kind === 'command' && parsed.command.words.slice(1).every((word) => words.has(word)),
      );
    }),
  );
}
