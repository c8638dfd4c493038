/** Writes the rule for exactly one call, its wildcards escaped, to decide it for good. */

import { isFileReader, isFileWriter, type ToolRegistry } from '../model/tools.ts';
import { normalisePath, type PathContext } from '../paths/normalise.ts';
import { collapseBlanks } from '../rules/command-spec.ts';
import { parsePattern } from '../rules/parse.ts';
import { ownField } from './match.ts';

const PATH_FIELDS: ReadonlySet<string> = new Set(['file_path', 'path', 'notebook_path']);

/**
 * `Bash(npm test)`, `Edit(//project/a\[1\].ts)`; to be given to `RuleRegistry.lasting`. Undefined where no rule would match this call and no
 * other: a command with `*`, a search, a tool without a form of its own. Never throws.
 */
export function savedPattern(
  toolName: string,
  input: unknown,
  { tools, ...context }: PathContext & { readonly tools: ToolRegistry },
): string | undefined {
  const lookup = tools.lookup(toolName);
  if (lookup.kind !== 'listed' || typeof input !== 'object' || input === null) return undefined;
  const { entry } = lookup;
  const fields = input as Readonly<Record<string, unknown>>;
  if (entry.shell === true) return commandPattern(toolName, ownField(fields, 'command'), tools);
  const family = isFileWriter(entry) ? 'Edit' : isFileReader(entry) ? 'Read' : undefined;
  const stated = (entry.subject ?? [])
    .filter((key) => PATH_FIELDS.has(key))
    .map((key) => ownField(fields, key))
    .filter((value) => value !== undefined);
  const [path] = stated;
  return family === undefined || stated.length !== 1 ? undefined : pathPattern(family, path, context);
}

function commandPattern(toolName: string, command: unknown, tools: ToolRegistry): string | undefined {
  if (typeof command !== 'string' || command.trim() === '' || collapseBlanks(command) !== command.trim())
    return undefined;
  const pattern = `${toolName}(${command.trim()})`;
  const parsed = parsePattern(pattern, tools);
  return parsed.kind === 'command' && parsed.command.form === 'exact' ? pattern : undefined;
}

/** The rule for exactly one path; undefined where it may be several. */
export function pathPattern(family: 'Edit' | 'Read', path: unknown, context: PathContext): string | undefined {
  if (typeof path !== 'string') return undefined;
  const { exact, finding } = normalisePath(path, context);
  const [segments] = exact;
  if (finding !== undefined || exact.length !== 1 || segments === undefined || segments.length === 0) return undefined;
  return `${family}(//${segments.map(escaped).join('/')})`;
}

/** Escapes characters with a meaning in patterns. */
const escaped = (segment: string): string =>
  [...segment].map((char) => ('\\*?[]'.includes(char) ? `\\${char}` : char)).join('');
