/** Writes the hook into the text of the hooks file of Codex, and changes nothing else. */
import * as z from 'zod';
import { HOOK_TIMEOUT_S } from '../../client/hooks/programs.ts';
import { CliError, EXIT } from '../support/io.ts';
import { hooksKey, readHooksFile, startOf, withGroup } from './hooks-file.ts';

const hooksFile = z.looseObject(hooksKey);

/**
 * Starts the hook. Codex runs the call unless its hook exits with 2 and prints a reason. The command therefore ends this way too if the program
 * is missing or killed.
 */
const codexCommand = (program: string): string =>
  `${program} hook codex || { echo 'Countersign did not allow this call, so it does not run.' >&2; exit 2; }`;

/**
 * The text with the hook in it; the same text if it is there already.
 *
 * @param text of the file; empty if there is none
 * @throws CliError that names the file and the problem, for one that Codex would not read either
 */
export function withCodexHook(text: string, program: string, file: string): string {
  const before = startOf(text);
  const command = codexCommand(program);
  const wanted = { matcher: '*', hooks: [{ type: 'command', command, timeout: HOOK_TIMEOUT_S }] } as const;
  return withGroup(before, readHooksFile(before, file, hooksFile), wanted);
}

/**
 * Refuses settings beside the hooks file that would leave the hook without effect, or would ask twice about each call.
 *
 * Only lines are looked at: nothing here reads TOML, and Codex itself refuses a file that is not in order.
 *
 * @throws CliError that names the file and the setting
 */
export function refuseConfig(config: string, file: string): void {
  const lines = config.split('\n').filter((line) => !/^\s*#/.test(line));
  if (lines.some((line) => /(?:^|[\s.{,"'])hooks["']?\s*=\s*false\b/.test(line)))
    throw new CliError(`${file}: features.hooks: is off, so that no hook would run: take it out first`, EXIT.usage);
  if (lines.some((line) => /\bcountersign\b.*\shook\s+codex\b/.test(line)))
    throw new CliError(
      `${file}: hooks: has the hook; take it out first, since Codex would run both that one and this`,
      EXIT.usage,
    );
}
