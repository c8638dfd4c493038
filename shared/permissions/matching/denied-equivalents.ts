/** Finds commands that do much the same as one that a deny or ask rule names. */
import type { PreparedCall } from '../call/prepared-call.ts';
import { recordOf, withoutVersion } from '../programs/catalogue/index.ts';
import { resolveCommand } from '../programs/resolve.ts';
import { type CommandSpec, commandSpec } from '../rules/command-spec.ts';
import type { CompiledPolicy } from '../rules/compile.ts';
import { programOf, type ShellCommand } from '../shell/syntax/command.ts';
import { type Field, literalField } from '../shell/syntax/fields.ts';
import { baseName } from '../text/base-name.ts';
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
    interpretersFor(command, prepared).some((name) => names([literalField(name), ...command.argv], name, 2)) ||
    isNamedBehindRunner(command, prepared, effects)
  );
}

/** `prisma reset`, however it is started, beside a rule on `npx prisma reset`: the runner is only a way to the program. */
function isNamedBehindRunner(command: ShellCommand, prepared: PreparedCall, effects: RefusingEffects): boolean {
  const program = withoutVersion(programOf(command.argv[0]) ?? '');
  const specs = policiesOf(prepared.call).flatMap((policy) =>
    effects.flatMap((effect) => behindRunners(policy, effect, prepared.call.toolName).get(program) ?? []),
  );
  return specs.length > 0 && specs.some(namesCommand(command, prepared.context, []));
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

type Behind = ReadonlyMap<string, readonly CommandSpec[]>;
const behind = new WeakMap<CompiledPolicy, Map<string, Behind>>();

/** Rules on runners, as rules on the programs that they name, by those. */
function behindRunners(policy: CompiledPolicy, effect: 'deny' | 'ask', tool: string): Behind {
  const found = behind.get(policy) ?? new Map<string, Behind>();
  behind.set(policy, found);
  const key = `${effect} ${tool}`;
  let specs = found.get(key);
  if (specs === undefined) {
    const { commandWords, commands } = policy.index.of(effect);
    const all = [...commandWords].flatMap((name) => commands.get(tool)?.get(name) ?? []);
    const inner = all.flatMap(({ parsed }) => (parsed.kind === 'command' ? (behindRunner(parsed.command) ?? []) : []));
    specs = Map.groupBy(inner, ({ firstWord }) => withoutVersion(baseName(firstWord ?? '')));
    found.set(key, specs);
  }
  return specs;
}

function behindRunner({ words, form }: CommandSpec): CommandSpec | undefined {
  const resolved = resolveCommand(words.map(literalField));
  const { runner } = resolved?.record ?? {};
  if (form === 'wildcard' || resolved === undefined || runner?.allow !== 'named' || runner.operands > 0)
    return undefined;
  const at = resolved.words.findIndex(({ text }) => !runner.flags.has(text) && text !== '--');
  const inner = at < 0 ? [] : resolved.words.slice(at).map(({ text }) => text);
  // A blank in a word would part it in another rule.
  if (inner.length === 0 || inner[0]?.startsWith('-') || inner.some((word) => /\s/.test(word))) return undefined;
  return commandSpec(`${inner.join(' ')}:*`);
}

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
