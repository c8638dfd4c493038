/** Declares what the stages ask about a call's commands; the shell parser brings the answers. */
import type { PreparedCall } from '../call/prepared-call.ts';
import type { PathContext } from '../paths/normalise.ts';
import type { CertainUse } from '../programs/certain-uses.ts';
import type { CommandSpec } from '../rules/command-spec.ts';
import type { CompiledRule } from '../rules/compiled-rule.ts';
import type { ShellAnalysis, ShellCommand } from '../shell/syntax/command.ts';
import type { ShellParser } from '../shell/syntax/shell-parser.ts';
import type { Coverage } from './coverage.ts';

export interface PossibleCommand {
  /** Undefined where there were too many to compare. */
  readonly rule: CompiledRule | undefined;
  readonly command: ShellCommand;
}

/** Functions that know programs and their options. A call without a command is judged without loading any of them. */
export interface CommandMatching {
  /** Whether allow rules cover every command. `now` in epoch milliseconds, as below. */
  cover(prepared: PreparedCall, now: number): Coverage;
  /** A deny or ask rule that the uncertain words of a command may match, or a sentence about a protected file that one may name. */
  possibleCommand(prepared: PreparedCall, now: number): PossibleCommand | string | undefined;
  /** Why a program may run one of a deny or ask rule: nobody described it, or it is given code that holds the rule's words. */
  mayRunDenied(prepared: PreparedCall, effects?: readonly ('deny' | 'ask')[]): string | undefined;
  /**
   * Whether a deny or ask rule names the command. Relative paths of the rule start in the project or in the folder of the call. `text`: all
   * commands of the call, which may set variables for this one.
   */
  namesCommand(
    command: ShellCommand,
    folders: PathContext,
    text: readonly ShellCommand[],
  ): (spec: CommandSpec) => boolean;
  /** Programs that rules on the command may name besides its own: `npx` of `npm`, and a script that it runs. */
  otherPrograms(command: ShellCommand): readonly string[];
  /** The command in its one printed form; undefined where there is none. */
  canonicalCommand(text: string, parser: ShellParser): string | undefined;
  isSameReading(one: ShellAnalysis, other: ShellAnalysis): boolean;
  /** Names that the commands certainly use, for people to read; never for a verdict. */
  certainUses(analysis: ShellAnalysis): readonly CertainUse[];
  /** Whether a program of that name deletes files. */
  deletes(program: string): boolean;
}

/**
 * The matching that was loaded with the call's parser.
 *
 * @throws Error if the call has none: whoever holds an analysis got it from a parser
 */
export function commandsOf({ call }: Pick<PreparedCall, 'call'>): CommandMatching {
  if (call.shell === undefined) throw new Error('the shell parser of this call is not loaded');
  return call.shell.commands as CommandMatching;
}
