/** Writes the hook into the text of a settings file of Claude Code, and changes nothing else. */
import * as z from 'zod';
import { CLAUDE_CODE_VERSION, HOOK_TIMEOUT_S } from '../../client/hooks/programs.ts';
import { fieldOf, jsonWords } from '../../domain/issue-words.ts';
import { readIJson } from '../../domain/raw-json.ts';
import { CliError, EXIT } from '../support/io.ts';
import { jsonProblem } from '../support/json-problem.ts';
import { withValue } from './json-edit.ts';

/** Where the settings count: of a project, or of everybody on a machine. */
export type Scope = 'project' | 'managed';

/** A project's key only holds back updates to older versions; the managed one keeps an older version from starting. */
const VERSION_KEYS = { project: 'minimumVersion', managed: 'requiredMinimumVersion' } as const;

const group = z.looseObject({
  matcher: z.string().optional(),
  hooks: z.array(z.looseObject({ type: z.string(), command: z.string().optional() })),
});

/** The keys that are looked at; settings have many more. */
const settingsFile = z.looseObject({
  hooks: z.looseObject({ PreToolUse: z.array(group).optional() }).optional(),
  minimumVersion: z.string().optional(),
  requiredMinimumVersion: z.string().optional(),
  disableAllHooks: z.literal(false, 'is set, so that no hook would run: take it out first').optional(),
});

const LARGEST = 1024 * 1024;

/** The hook of every tool. Without a matcher it would be the same; people look for one. */
export const hookGroup = (command: string) => ({
  matcher: '*',
  hooks: [{ type: 'command', command, timeout: HOOK_TIMEOUT_S, onFailure: 'block' }],
});

/**
 * The text with the hook in it; the same text if it is there already.
 *
 * @param text of the file; empty if there is none
 * @throws CliError that names the file and the problem, for one that Claude Code would not read either
 */
export function withHook(text: string, command: string, scope: Scope, file: string): string {
  const before = text.trim() === '' ? '{}\n' : text;
  const settings = readSettings(before, file);
  const versionKey = VERSION_KEYS[scope];
  const wanted = hookGroup(command);
  const groups = settings.hooks?.PreToolUse ?? [];
  const own = groups.findIndex(({ hooks }) => hooks.some(({ command: other = '' }) => isOurs(other, command)));
  let after = before;
  if (settings.hooks === undefined) after = withValue(after, ['hooks'], { PreToolUse: [wanted] });
  else if (settings.hooks.PreToolUse === undefined) after = withValue(after, ['hooks', 'PreToolUse'], [wanted]);
  else if (own < 0) after = withValue(after, ['hooks', 'PreToolUse'], wanted, 'first');
  else {
    const ours = alone(groups[own], wanted);
    if (!isEqual(groups[own], ours)) after = withValue(after, ['hooks', 'PreToolUse', own], ours);
  }
  if (isOlder(settings[versionKey], CLAUDE_CODE_VERSION)) after = withValue(after, [versionKey], CLAUDE_CODE_VERSION);
  return after;
}

/** Hooks of others that stand in the same group go on there. */
function alone(found: z.infer<typeof group> | undefined, wanted: ReturnType<typeof hookGroup>) {
  const own = wanted.hooks[0]?.command;
  const others = found?.hooks.filter(({ command = '' }) => !isOurs(command, own)) ?? [];
  return { ...found, ...wanted, hooks: [...wanted.hooks, ...others] };
}

/** Whether a command is the hook: this one, or one that starts `countersign` in another way or with other options. */
const isOurs = (command: string, own: string | undefined): boolean =>
  command === own || /(?:^|[\s/\\"'])countersign(?:\.cmd)?["']?\s+hook(?:\s|$)/.test(command);

function readSettings(text: string, file: string): z.infer<typeof settingsFile> {
  const read = readIJson(text.replace(/^\uFEFF/, ''), LARGEST);
  if (!read.ok) throw new CliError(`${file}: ${jsonProblem(text, read.fault, 'it')}; nothing was changed`, EXIT.usage);
  const parsed = settingsFile.safeParse(read.value, { error: jsonWords });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = fieldOf(issue?.path ?? []) || 'it';
  throw new CliError(`${file}: ${field}: ${issue?.message}; nothing was changed`, EXIT.usage);
}

const isEqual = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** Whether a version is missing, or older than the other one. A text that is no version is left to the person who wrote it. */
function isOlder(version: string | undefined, other: string): boolean {
  if (version === undefined) return true;
  const parts = (text: string) => text.split('.').map(Number);
  const [mine, theirs] = [parts(version), parts(other)];
  const differs = theirs.findIndex((part, index) => part !== (mine[index] ?? 0));
  return differs >= 0 && (theirs[differs] ?? 0) > (mine[differs] ?? 0);
}
