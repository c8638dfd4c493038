/** Finds deny and ask rules whose words all stand in a command, in whatever order. */
import type { PreparedCall } from '../call/prepared-call.ts';
import { resolveCommand } from '../programs/resolve.ts';
import type { CommandSpec } from '../rules/command-spec.ts';
import { programOf, type ShellCommand } from '../shell/syntax/command.ts';
import { matchesWildcard } from '../text/glob.ts';
import { policiesOf } from './match.ts';
import { type Given, givenOptions } from './spellings/given-options.ts';
import { contextOf } from './spellings/option-rules.ts';
import { hasAnyOf } from './spellings/option-spellings.ts';
import { isOption } from './spellings/option-words.ts';
import { PossibleOperands } from './spellings/possible-operands.ts';
import { type OptionContext, type Wanted, wantedOf } from './spellings/wanted-options.ts';
import { isGap, readingsOfWildcard } from './spellings/wildcard-words.ts';

export function isNearDenied(command: ShellCommand, prepared: PreparedCall): boolean {
  const program = programOf(command.argv[0]);
  if (program === undefined) return false;
  const resolved = resolveCommand(command.argv);
  const known = resolved?.uncertain === undefined ? resolved?.program.subcommands?.of : undefined;
  const [name = ''] = resolved?.path ?? [];
  const isOther = (word: string | undefined): boolean =>
    word !== undefined && known?.has(name) === true && known.has(word) && word !== name;
  const nearness = new Nearness(command);
  return policiesOf(prepared.call).some((policy) =>
    (['deny', 'ask'] as const).some((effect) => {
      const bucket = policy.index.of(effect).commands.get(prepared.call.toolName);
      return (bucket?.get(program) ?? []).some(({ parsed }) => {
        if (parsed.kind !== 'command') return false;
        // `git stash push` is another sub-command than `git push`.
        return partsOf(parsed.command).some(
          (parts) => parts.first !== undefined && !isOther(parts.first) && nearness.holds(parts),
        );
      });
    }),
  );
}

/** People write these for globs, which a rule does not know: what such a word leaves open is not certain. */
const GLOB = /[?[\]{}]/;

/** The words of a rule behind its program, by the way in which a command may hold them. */
interface Parts {
  /** The first word without a `*`. */
  readonly first: string | undefined;
  readonly literals: readonly string[];
  readonly options: readonly string[];
  readonly patterns: readonly string[];
}

const known = new WeakMap<CommandSpec, readonly Parts[]>();

/** One for each reading of the rule. */
function partsOf(spec: CommandSpec): readonly Parts[] {
  let parts = known.get(spec);
  if (parts === undefined) {
    const first = spec.words.slice(1).find((word) => !word.includes('*'));
    parts = (spec.form === 'wildcard' ? readingsOfWildcard(spec) : [spec.words]).map((all) => {
      const words = all.slice(1).filter((word) => !isGap(word));
      return {
        first,
        literals: words.filter((word) => !isOption(word) && !word.includes('*')),
        options: words.filter(isOption),
        patterns: words.filter((word) => !isOption(word) && word.includes('*')),
      };
    });
    known.set(spec, parts);
  }
  return parts;
}

class Nearness {
  readonly #command: ShellCommand;
  readonly #words: ReadonlySet<string>;
  readonly #dashed: readonly string[];
  /** A word that is not known, or a glob, may be any that a rule leaves open. */
  readonly #isUnknown: boolean;
  readonly #wanted = new Map<string, readonly Wanted[]>();
  #given: Given | undefined;
  #context: OptionContext | undefined;
  #operands: PossibleOperands | undefined;

  constructor(command: ShellCommand) {
    const fields = command.argv.slice(1);
    this.#command = command;
    this.#words = new Set(fields.map(({ text }) => text));
    this.#dashed = [...this.#words].filter((text) => text.startsWith('-'));
    this.#isUnknown = fields.some(({ isKnown, hasGlob }) => !isKnown || hasGlob);
  }

  holds({ literals, options, patterns }: Parts): boolean {
    return (
      literals.every((word) => this.#words.has(word)) &&
      options.every((word) => this.#mayBeGiven(word)) &&
      patterns.every((word) => this.#isUnknown || GLOB.test(word) || this.#isHeld(word))
    );
  }

  #mayBeGiven(word: string): boolean {
    if (this.#words.has(word)) return true;
    const isOpen = word.includes('*');
    if (isOpen && (this.#isUnknown || GLOB.test(word) || this.#dashed.some((text) => matchesWildcard(word, text))))
      return true;
    if (!this.#isGiven(isOpen ? word.slice(0, word.indexOf('*') + 1) : word)) return false;
    const equals = word.indexOf('=');
    return !isOpen || equals < 0 || this.#isHeld(word.slice(equals + 1));
  }

  /** The option under any of its names, whatever its value. */
  #isGiven(word: string): boolean {
    this.#given ??= givenOptions(this.#command.argv);
    if (this.#given.options.size === 0 && !this.#given.isOpen) return false;
    this.#context ??= contextOf(this.#command.argv);
    let wanted = this.#wanted.get(word);
    if (wanted === undefined) {
      wanted = wantedOf(word, undefined, this.#context);
      this.#wanted.set(word, wanted);
    }
    return hasAnyOf(wanted, this.#given);
  }

  #isHeld(word: string): boolean {
    const { argv, dir, otherDirs } = this.#command;
    this.#operands ??= new PossibleOperands(argv.slice(1), [dir, ...otherDirs]);
    return this.#operands.mayInclude(word);
  }
}
