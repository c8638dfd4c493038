/** Reads the origin of a tool, or its MCP server, from its name. */

/** `mcp::github` for `mcp__github__create_issue`, else `local`. */
export function originOf(tool: string): string {
  const server = serverOf(tool);
  return server === undefined ? 'local' : `mcp::${server}`;
}

/** The MCP server of a tool, as its name says it; undefined for any other tool. */
export function serverOf(tool: string): string | undefined {
  if (!tool.startsWith('mcp__')) return undefined;
  const end = tool.indexOf('__', 'mcp__'.length + 1);
  return end < 0 ? undefined : tool.slice('mcp__'.length, end);
}
