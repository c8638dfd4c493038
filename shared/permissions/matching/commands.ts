/** Answers what the stages ask about commands; only the loader of the shell parser imports it. */
import { recordOf } from '../programs/catalogue/index.ts';
import { certainUses } from '../programs/certain-uses.ts';
import { canonicalCommand, isSameReading } from '../shell/printing/canonical.ts';
import type { CommandMatching } from './command-matching.ts';
import { coverCommands } from './cover-command.ts';
import { mayRunDenied } from './denied-code.ts';
import { possibleCommand } from './possible-command.ts';
import { namesCommand, otherPrograms } from './spellings/spellings.ts';
import { usualPath } from './usual-paths.ts';

export const commands: CommandMatching = {
  cover: coverCommands,
  possibleCommand: (prepared, now) => usualPath(prepared) ?? possibleCommand(prepared, now),
  mayRunDenied,
  namesCommand,
  otherPrograms,
  canonicalCommand,
  isSameReading,
  certainUses,
  deletes: (program) => recordOf(program)?.deletes === true,
};
