/** Names the secrets and functions that the targets of a policy file need. */
import type { PolicyFile } from '../schema/policy-file.ts';

/** Names of the secrets that targets need. */
export function targetSecrets({ tools, mcpServers: servers }: PolicyFile): string[] {
  const ofTools = Object.values(tools).map((tool) =>
    tool.target && 'url' in tool.target ? tool.target.secret : undefined,
  );
  const ofServers = Object.values(servers).map((server) => ('url' in server ? server.secret : undefined));
  return [...new Set([...ofTools, ...ofServers].filter((name) => name !== undefined))];
}

/** Names or ARNs of the functions that the gate may invoke. */
export function targetFunctions({ tools }: PolicyFile): string[] {
  const names = Object.values(tools).map(({ target: where }) =>
    where && 'lambda' in where ? where.lambda : undefined,
  );
  return [...new Set(names.filter((name) => name !== undefined))];
}
