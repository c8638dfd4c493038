/** Writes one PreToolUse hook into the text of a JSON file of hooks, and changes nothing else. */
import * as z from 'zod';
import { fieldOf, jsonWords } from '../../domain/issue-messages.ts';
import { readIJson } from '../../domain/raw-json.ts';
import { CliError, EXIT } from '../support/io.ts';
import { jsonProblem } from '../support/json-problem.ts';
import { withValue } from './json-edit.ts';

const group = z.looseObject({
  matcher: z.string().optional(),
  hooks: z.array(z.looseObject({ type: z.string(), command: z.string().optional() })),
});

/** The key that Claude Code and Codex share: PreToolUse is the one event that is looked at. */
export const hooksKey = {
  hooks: z.looseObject({ PreToolUse: z.array(group).optional() }).optional(),
};

const hooksFile = z.looseObject(hooksKey);
type HooksFile = z.infer<typeof hooksFile>;

/** One hook, and the tools that it is asked about. */
interface HookGroup {
  readonly matcher: string;
  readonly hooks: readonly [{ readonly type: 'command'; readonly command: string; readonly timeout: number }];
}

const LARGEST = 1024 * 1024;

/** The text of a file to add to: a missing or an empty one holds an object without keys. */
export const startOf = (text: string): string => (text.trim() === '' ? '{}\n' : text);

/** @throws CliError that names the file and the problem, for one that the program would not read either */
export function readHooksFile<Shape>(text: string, file: string, schema: z.ZodType<Shape>): Shape {
  const read = readIJson(text.replace(/^\uFEFF/, ''), LARGEST);
  if (!read.ok) throw new CliError(`${file}: ${jsonProblem(text, read.fault, 'it')}; nothing was changed`, EXIT.usage);
  const parsed = schema.safeParse(read.value, { error: jsonWords });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = fieldOf(issue?.path ?? []) || 'it';
  throw new CliError(`${file}: ${field}: ${issue?.message}; nothing was changed`, EXIT.usage);
}

/** The text with the hook in it, before all others; the same text if it is there already. */
export function withGroup(text: string, { hooks }: HooksFile, wanted: HookGroup): string {
  const groups = hooks?.PreToolUse ?? [];
  const [{ command }] = wanted.hooks;
  const own = groups.findIndex((found) => found.hooks.some(({ command: other = '' }) => isOurs(other, command)));
  if (hooks === undefined) return withValue(text, ['hooks'], { PreToolUse: [wanted] });
  if (hooks.PreToolUse === undefined) return withValue(text, ['hooks', 'PreToolUse'], [wanted]);
  if (own < 0) return withValue(text, ['hooks', 'PreToolUse'], wanted, 'first');
  const ours = alone(groups[own], wanted);
  return isEqual(groups[own], ours) ? text : withValue(text, ['hooks', 'PreToolUse', own], ours);
}

/** Hooks of others that stand in the same group go on there. */
function alone(found: z.infer<typeof group> | undefined, wanted: HookGroup) {
  const [{ command: own }] = wanted.hooks;
  const others = found?.hooks.filter(({ command = '' }) => !isOurs(command, own)) ?? [];
  return { ...found, ...wanted, hooks: [...wanted.hooks, ...others] };
}

/** Whether a command is the hook: this one, or one that starts `countersign` in another way or with other options. */
const isOurs = (command: string, own: string): boolean =>
  command === own || /(?:^|[\s/\\"'])countersign(?:\.cmd)?["']?\s+hook(?:\s|$)/.test(command);

const isEqual = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
