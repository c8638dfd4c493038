/** Finds commands that do much the same as one that a deny or ask rule names. */
import type { PreparedCall } from '../call/prepared-call.ts';
import { recordOf, withoutVersion } from '../programs/catalogue/index.ts';
import { resolveCommand } from '../programs/resolve.ts';
import type { CommandSpec } from '../rules/command-spec.ts';
import type { CompiledPolicy } from '../rules/compile.ts';
import { programOf, type ShellCommand } from '../shell/syntax/command.ts';
import { type Field, literalField } from '../shell/syntax/fields.ts';
import { policiesOf, type RefusingEffects } from './match.ts';
import { byInput } from './spellings/alternative-forms.ts';
import { asNearEquivalents } from './spellings/equivalents.ts';
import { namesCommand } from './spellings/spellings.ts';

/** Whether it does so by another program, in a broader command, or as the default version of a program. */
export function isNearEquivalentOfDenied(
  command: ShellCommand,
  prepared: PreparedCall,
  effects: RefusingEffects,
): boolean {
  const names = (argv: readonly Field[], name: string, words: number): boolean => {
    const specs = specsOf(name, prepared, effects).filter((spec) => spec.words.length >= words);
    return specs.length > 0 && specs.some(namesCommand({ ...command, argv }, prepared.context, []));
  };
  return (
    [command.argv, ...byInput(command)]
      .flatMap(asNearEquivalents)
      .some(({ argv, words }) => names(argv, argv[0]?.text ?? '', words)) ||
    versionsOf(command, prepared).some((name) => names([literalField(name), ...command.argv.slice(1)], name, 1)) ||
    interpretersFor(command, prepared).some((name) => names([literalField(name), ...command.argv], name, 2))
  );
}

/** Rules of these effects on the program. */
const specsOf = (program: string, prepared: PreparedCall, effects: RefusingEffects): readonly CommandSpec[] =>
  policiesOf(prepared.call).flatMap((policy) =>
    effects.flatMap((effect) =>
      (policy.index.of(effect).commands.get(prepared.call.toolName)?.get(program) ?? []).flatMap(({ parsed }) =>
        parsed.kind === 'command' ? [parsed.command] : [],
      ),
    ),
  );

/** A file that nobody described may be one. */
const SCRIPT = { isScript: true } as const;

/** Interpreters of deny and ask rules: a file that is run by its path may be a script that one of these rules names. */
const interpretersFor = ({ argv }: ShellCommand, { call }: PreparedCall): readonly string[] =>
  argv[0]?.text.includes('/') && (resolveCommand(argv)?.program ?? SCRIPT).isScript === true
    ? policiesOf(call).flatMap((policy) => namesIn(policy).interpreters)
    : [];

/** `python3` may be the `python3.12` of a rule; `python3.11` is another one. */
function versionsOf({ argv, foundIn = '' }: ShellCommand, { call }: PreparedCall): readonly string[] {
  const program = programOf(argv[0]);
  const usual = withoutVersion(program ?? '');
  // As another name of a version, it is certain which one runs.
  if (program === undefined || withoutVersion(foundIn) === usual) return [];
  return policiesOf(call)
    .flatMap((policy) => namesIn(policy).byUsual.get(usual) ?? [])
    .filter((word) => word !== program && word.startsWith(program));
}

/** Programs of deny and ask rules. */
interface RuleNames {
  /** By their name without a version. */
  readonly byUsual: ReadonlyMap<string, readonly string[]>;
  readonly interpreters: readonly string[];
}

const known = new WeakMap<CompiledPolicy, RuleNames>();

/** Remembered: a policy may have thousands. */
function namesIn(policy: CompiledPolicy): RuleNames {
  let names = known.get(policy);
  if (names === undefined) {
    const { deny, ask } = policy.index;
    const all = [...deny.commandWords, ...ask.commandWords];
    const isInterpreter = (name: string): boolean => {
      const found = recordOf(withoutVersion(name))?.interpreter;
      // The operands of `psql` are a database and a user, and no script.
      return found !== undefined && found.operands === undefined;
    };
    names = { byUsual: Map.groupBy(all, withoutVersion), interpreters: all.filter(isInterpreter) };
    known.set(policy, names);
  }
  return names;
}
