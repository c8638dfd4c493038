/** Names fields of tools that no policy file lists: what a rule on one of their calls is about. */
import type { ToolEntry } from './types.ts';

/** Starts a sub-agent of Claude Code, which called the tool `Task` at first. */
const AGENT = { permissions: [], comments: ['description'], subject: ['subagent_type'] } as const;

/** Tools whose comments and subject are known although nothing else of them is: they stay unlisted. */
export const KNOWN_UNLISTED: ReadonlyMap<string, ToolEntry> = new Map([
  ['Agent', { name: 'Agent', ...AGENT }],
  ['Task', { name: 'Task', ...AGENT }],
  ['Skill', { name: 'Skill', permissions: [], subject: ['skill'] }],
]);

/** Fields that rules such as `Tool(what)` look at where the tool's entry names no subject. */
export const USUAL_SUBJECT = [
  'command',
  'query',
  'pattern',
  'url',
  'file_path',
  'path',
  'flow_id',
  'flowId',
  'name',
  'id',
] as const;

/** Fields that a deny or ask such as `Skill(deploy)` is about where the policy file says nothing of the tool. A call may leave them out. */
export const knownSubject = (name: string): readonly string[] => KNOWN_UNLISTED.get(name)?.subject ?? [];

/** Sub-agents that Claude Code starts where a call names none. */
export const usualSubject = (name: string): readonly string[] => (toolAliases(name).length ? ['general-purpose'] : []);

const SAME: readonly string[] = ['Agent', 'Task'];

/** Names of the same tool in other versions: `Task(Explore)` of older settings speaks of `Agent`, as in Claude Code. */
export const toolAliases = (name: string): readonly string[] =>
  SAME.includes(name) ? SAME.filter((other) => other !== name) : [];

/** Claude Code finds a sub-agent in any case and with any separators, and a skill behind a slash: `Code Reviewer` starts `code-reviewer`. */
export const asFound = (name: string): string =>
  name
    .trim()
    .replace(/^\//, '')
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, '-');
