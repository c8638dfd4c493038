/** Finds allow rules that name too much to grant anything. */
import type { ToolRegistry } from '../model/tools.ts';
import { hasOwnSpecifier, type ParsedPattern } from './parse.ts';

/** A `*` in the tool name of an allow only stands behind an exact MCP server. */
export function allowGrantsNothing(parsed: ParsedPattern, tools: ToolRegistry | undefined): string | undefined {
  if (parsed.kind === 'every') return 'an allow of every tool grants nothing; name the tools';
  if (parsed.kind === 'param' && hasOwnSpecifier(parsed.tool, tools))
    return `one field does not make a call of ${parsed.tool} harmless; an allow takes its own specifier`;
  const star = parsed.tool.indexOf('*');
  if (star < 0) return undefined;
  const server = parsed.tool.startsWith('mcp__') ? parsed.tool.indexOf('__', 5) : -1;
  return server > 5 && star >= server + 2
    ? undefined
    : 'an allow takes "*" in a tool name only behind an exact server, as in mcp__server__*';
}
