/** Finds targets that cannot be reached or are not pinned. */
import { serverOf } from '../readers/tool-origin.ts';
import type { PolicyFile } from '../schema/policy-file.ts';
import type { PolicyProblem } from '../schema/problems.ts';
import { programProblems } from './programs.ts';

export function targetProblems(file: PolicyFile): PolicyProblem[] {
  const problems: PolicyProblem[] = [];
  const refuse = (path: PolicyProblem['path'], message: string) => problems.push({ path, message });
  for (const [name, server] of Object.entries(file.mcpServers)) {
    if (name.includes('__')) refuse(['mcpServers', name], 'may not hold "__": it separates server and tool');
    // `mcp__pay___send` would be read as the tool `_send` of the server `pay`.
    if (name.endsWith('_')) refuse(['mcpServers', name], 'may not end in "_": "__" separates server and tool');
    if ('command' in server) problems.push(...programProblems(server, ['mcpServers', name], file.redaction.names));
  }
  for (const [tool, entry] of Object.entries(file.tools)) {
    const server = serverOf(tool);
    if (server === undefined) {
      if (entry.definition) refuse(['tools', tool, 'definition'], 'is for tools of MCP servers');
      continue;
    }
    if (entry.target) refuse(['tools', tool, 'target'], `an MCP tool is run at its server: mcpServers.${server}`);
    const declared = Object.hasOwn(file.mcpServers, server);
    if (entry.definition && !declared)
      refuse(['tools', tool, 'definition'], `the server ${server} is not declared under mcpServers`);
    // Definitions are pinned: without the digest a changed tool would look like the one that was listed.
    if (declared && !entry.definition)
      refuse(
        ['tools', tool],
        `needs definition: the SHA-256 of the RFC 8785 form of what the server ${server} lists of it`,
      );
  }
  return problems;
}
