/** Writes the hook into the text of a settings file of Claude Code, and changes nothing else. */
import * as z from 'zod';
import { CLAUDE_CODE_VERSION, HOOK_TIMEOUT_S } from '../../client/hooks/programs.ts';
import { hooksKey, readHooksFile, startOf, withGroup } from './hooks-file.ts';
import { withValue } from './json-edit.ts';

/** Where the settings count: of a project, or of everybody on a machine. */
export type Scope = 'project' | 'managed';

/** A project's key only holds back updates to older versions; the managed one keeps an older version from starting. */
const VERSION_KEYS = { project: 'minimumVersion', managed: 'requiredMinimumVersion' } as const;

/** The keys that are looked at; settings have many more. */
const settingsFile = z.looseObject({
  ...hooksKey,
  minimumVersion: z.string().optional(),
  requiredMinimumVersion: z.string().optional(),
  disableAllHooks: z.literal(false, 'is set, so that no hook would run: take it out first').optional(),
});

const offBecause = (next: string) =>
  z.literal(false, `is set, so that no hook of a project would run: ${next}`).optional();

/** Settings that win over those of a project, with their keys that leave its hook without effect. */
const SWITCHES = {
  local: z.looseObject({ disableAllHooks: offBecause('take it out first') }),
  managed: z.looseObject({
    disableAllHooks: offBecause('whoever manages this machine has to take it out first'),
    allowManagedHooksOnly: offBecause('install the hook with --managed'),
  }),
} as const;

/** @throws CliError that names the file and the key */
export function refuseSwitches(text: string, whose: keyof typeof SWITCHES, file: string): void {
  readHooksFile(startOf(text), file, SWITCHES[whose]);
}

/** The hook of every tool. Without a matcher it would be the same; people look for one. */
const hookGroup = (command: string) => ({
  matcher: '*',
  hooks: [{ type: 'command', command, timeout: HOOK_TIMEOUT_S, onFailure: 'block' }] as const,
});

/**
 * The text with the hook in it; the same text if it is there already.
 *
 * @param text of the file; empty if there is none
 * @throws CliError that names the file and the problem, for one that Claude Code would not read either
 */
export function withHook(text: string, command: string, scope: Scope, file: string): string {
  const before = startOf(text);
  const settings = readHooksFile(before, file, settingsFile);
  const grouped = withGroup(before, settings, hookGroup(command));
  // Wins over a user who has switched hooks off for all projects. Nobody can switch off those of the managed settings.
  const isOpen = scope === 'project' && settings.disableAllHooks === undefined;
  const after = isOpen ? withValue(grouped, ['disableAllHooks'], false) : grouped;
  const versionKey = VERSION_KEYS[scope];
  return isOlder(settings[versionKey], CLAUDE_CODE_VERSION)
    ? withValue(after, [versionKey], CLAUDE_CODE_VERSION)
    : after;
}

/** Whether a version is missing, or older than the other one. A text that is no version is left to the person who wrote it. */
function isOlder(version: string | undefined, other: string): boolean {
  if (version === undefined) return true;
  const parts = (text: string) => text.split('.').map(Number);
  const [mine, theirs] = [parts(version), parts(other)];
  const differs = theirs.findIndex((part, index) => part !== (mine[index] ?? 0));
  return differs >= 0 && (theirs[differs] ?? 0) > (mine[differs] ?? 0);
}
