/** Finds deny and ask rules whose words all stand in a command, in whatever order. */
import type { PreparedCall } from '../call/prepared-call.ts';
import { resolveCommand } from '../programs/resolve.ts';
import type { CommandSpec } from '../rules/command-spec.ts';
import { programOf, type ShellCommand } from '../shell/syntax/command.ts';
import { matchesWildcard } from '../text/glob.ts';
import { type Given, givenOptions } from './given-options.ts';
import { HeldWords } from './held-words.ts';
import { policiesOf } from './match.ts';
import { contextOf } from './option-rules.ts';
import { hasAnyOf } from './option-spellings.ts';
import { isOption } from './option-words.ts';
import { type OptionContext, wantedOf } from './wanted-options.ts';
import { isGap, partsOfWildcard } from './wildcard-words.ts';

export function nearDenied(command: ShellCommand, prepared: PreparedCall): boolean {
  const program = programOf(command.argv[0]);
  if (program === undefined) return false;
  const resolved = resolveCommand(command.argv);
  const known = resolved?.uncertain === undefined ? resolved?.program.subcommands?.of : undefined;
  const [name = ''] = resolved?.path ?? [];
  const isOther = (word: string | undefined): boolean =>
    word !== undefined && known?.has(name) === true && known.has(word) && word !== name;
  const holds = holdsWords(command);
  return policiesOf(prepared.call).some((policy) =>
    (['deny', 'ask'] as const).some((effect) => {
      const bucket = policy.index.of(effect).commands.get(prepared.call.toolName);
      return (bucket?.get(program) ?? []).some(({ parsed }) => {
        if (parsed.kind !== 'command') return false;
        const first = parsed.command.words.slice(1).find((word) => !word.includes('*'));
        // `git stash push` is another sub-command than `git push`.
        return first !== undefined && !isOther(first) && holds(parsed.command);
      });
    }),
  );
}

function holdsWords({ argv, dir, otherDirs }: ShellCommand): (spec: CommandSpec) => boolean {
  const fields = argv.slice(1);
  const words = new Set(fields.map(({ text }) => text));
  const isUnknown = fields.some(({ known, glob }) => !known || glob);
  let given: Given | undefined;
  let options: OptionContext | undefined;
  let held: HeldWords | undefined;
  /** The option under any of its names, whatever its value. */
  const isGiven = (word: string): boolean => {
    given ??= givenOptions(argv);
    options ??= contextOf(argv);
    const [name = ''] = word.split(/(?<=\*)/, 1);
    return hasAnyOf(wantedOf(name, undefined, options), given);
  };
  const isHeld = (word: string): boolean => {
    held ??= new HeldWords(fields, [dir, ...otherDirs]);
    return held.mayHold(word);
  };
  const mayHold = (word: string): boolean => {
    if (words.has(word) || isGap(word)) return true;
    const value = isOption(word) && word.includes('*') ? word.slice(word.indexOf('=') + 1) : '';
    if (isOption(word) && isGiven(word) && (value === word || value === '' || isHeld(value))) return true;
    if (!word.includes('*')) return false;
    if (isUnknown || fields.some(({ text }) => matchesWildcard(word, text))) return true;
    return !isOption(word) && isHeld(word);
  };
  return (spec) => (spec.form === 'wildcard' ? partsOfWildcard(spec) : spec.words).slice(1).every(mayHold);
}
