/**
 * Registers tools: what may be asked for, with which permissions.
 * Permission sets never come from a message.
 */
import { isToolName, notAName } from '../../domain/proposal/tool-name.ts';
import type { Severity, ToolEntry, ToolPermission } from './types.ts';
import { KNOWN_UNLISTED } from './unlisted-tools.ts';

const BUILT_IN: readonly ToolEntry[] = [
  { name: 'Read', permissions: ['Read'], subject: ['file_path', 'path'] },
  { name: 'Grep', permissions: ['Read'], subject: ['pattern'] },
  { name: 'Glob', permissions: ['Read'], subject: ['pattern'] },
  { name: 'Write', permissions: ['Write'], subject: ['file_path', 'path'] },
  { name: 'Edit', permissions: ['Write'], subject: ['file_path', 'path'] },
  { name: 'MultiEdit', permissions: ['Write'], subject: ['file_path', 'path'] },
  { name: 'NotebookEdit', permissions: ['Write'], subject: ['notebook_path', 'file_path', 'path'] },
  { name: 'Bash', permissions: ['Execute'], subject: ['command'], shell: true, comments: ['description'] },
  { name: 'WebFetch', permissions: ['Network'], subject: ['url'] },
  { name: 'WebSearch', permissions: ['Network'] },
];

const BUILT_IN_BY_NAME: ReadonlyMap<string, ToolEntry> = new Map(BUILT_IN.map((tool) => [tool.name, tool]));

/** Fields of a tool without an entry of its own that hold the agent's words about its call. */
export const commentsOf = (name: string): readonly string[] =>
  (BUILT_IN_BY_NAME.get(name) ?? KNOWN_UNLISTED.get(name))?.comments ?? [];

export const builtInTool = (name: string): ToolEntry | undefined => BUILT_IN_BY_NAME.get(name);

/** Tools whose every argument the gate knows. */
export function isBuiltInTool(name: string): boolean {
  return BUILT_IN_BY_NAME.has(name);
}

/** Built-in tools that only read files. */
export function isBuiltInReader(name: string): boolean {
  const entry = BUILT_IN_BY_NAME.get(name);
  return entry !== undefined && isFileReader(entry);
}

/** Under this name rules speak of the actions of a contract, as in `Flow(release_escrow)`. A registry lists it only if it is a tool as well. */
export const FLOW_TOOL = 'Flow';
/** Fields of an action that rules see; `Flow(x)` is about the first. */
export const FLOW_FIELDS = ['flow_id', 'persona_id'] as const;

/** The registry's answer about a tool name. */
export type ToolLookup =
  | { readonly kind: 'listed'; readonly entry: ToolEntry }
  /** Any other well-formed name: the empty permission set. */
  | { readonly kind: 'unlisted'; readonly entry: ToolEntry }
  | { readonly kind: 'refused'; readonly why: string; readonly nearest?: string | undefined };

/** The tools that a service knows. */
export interface ToolRegistry {
  lookup(name: unknown): ToolLookup;
  has(name: string): boolean;
  list(): readonly ToolEntry[];
}

/**
 * Built-ins first, then the policy file's entries, which replace a built-in of the same name. An entry keeps the subject of its built-in and whether
 * that is a shell: `Bash` cannot be listed into a tool whose command nobody reads.
 */
export function createToolRegistry(entries: readonly ToolEntry[] = []): ToolRegistry {
  const tools = new Map<string, ToolEntry>(BUILT_IN_BY_NAME);
  for (const entry of entries) {
    const base = BUILT_IN_BY_NAME.get(entry.name);
    tools.set(entry.name, {
      ...entry,
      subject: entry.subject ?? base?.subject,
      shell: base?.shell === true || entry.shell === true,
      comments: entry.comments ?? commentsOf(entry.name),
    });
  }
  const byFold = new Map<string, string>();
  for (const name of tools.keys()) byFold.set(name.toLowerCase(), name);

  return {
    lookup(name) {
      if (!isToolName(name)) return { kind: 'refused', why: notAName(name) };
      const entry = tools.get(name);
      if (entry !== undefined) return { kind: 'listed', entry };
      const twin = byFold.get(name.toLowerCase());
      if (twin !== undefined && twin !== name) {
        return { kind: 'refused', why: `the tool name differs only in case from ${twin}`, nearest: twin };
      }
      const { shell, comments } = KNOWN_UNLISTED.get(name) ?? {};
      return { kind: 'unlisted', entry: { name, permissions: [], shell, comments } };
    },
    has: (name) => tools.has(name),
    list: () => [...tools.values()],
  };
}

/** How risky a tool is by its permissions. For display only. */
export function riskLevel(permissions: readonly ToolPermission[]): Severity {
  if (permissions.includes('Sensitive')) return 'critical';
  if (permissions.includes('Execute')) return 'high';
  if (permissions.includes('Write') || permissions.includes('Network')) return 'medium';
  return 'low';
}

export function isShellTool(entry: ToolEntry): boolean {
  return entry.shell === true;
}

/** Tools whose permission set is Write, or Read and Write, only: those that `Edit(path)` covers and accept-edits allows. */
export function isFileWriter(entry: ToolEntry): boolean {
  return entry.permissions.includes('Write') && entry.permissions.every((each) => each === 'Write' || each === 'Read');
}

export function isFileReader(entry: ToolEntry): boolean {
  return entry.permissions.length === 1 && entry.permissions[0] === 'Read';
}
