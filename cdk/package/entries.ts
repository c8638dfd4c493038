/** Lists the public entries with their sources, and builds one JavaScript file for each. */
import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Metafile } from 'esbuild';
import { devApart } from './dev-bundle.ts';
import { embeddedParser } from './embedded-parser.ts';
import { pureValues } from './pure-values.ts';
import { removeUnreached } from './unreached-chunks.ts';
import { wholeMcp } from './whole-mcp.ts';

/** Each entry of package.json by its file in dist/, without its ending. */
export const ENTRIES = {
  client: 'shared/client/index.ts',
  contract: 'shared/domain/proposal/public-contract.ts',
  config: 'shared/config/index.ts',
  permissions: 'shared/permissions/index.ts',
  policies: 'shared/policies/index.ts',
  guardrails: 'shared/adapters/guardrails/index.ts',
  approvals: 'shared/approvals/index.ts',
  'task-agent': 'shared/task-agent/index.ts',
  'seeds/tenor': 'shared/seeds/tenor.ts',
  'seeds/tkach': 'shared/seeds/tkach.ts',
  'seeds/echo-agent': 'shared/seeds/echo-agent.ts',
  testing: 'shared/testing/index.ts',
  cli: 'shared/cli/index.ts',
  cdk: 'cdk/index.ts',
  'llm/anthropic': 'shared/adapters/llm/anthropic.ts',
  'llm/bedrock': 'shared/adapters/llm/bedrock.ts',
  'llm/vercel': 'shared/adapters/llm/vercel.ts',
  'claude-agent-sdk': 'shared/client/integrations/claude-agent-sdk.ts',
  'google-adk': 'shared/client/integrations/google-adk.ts',
  langchain: 'shared/client/integrations/langchain.ts',
  mastra: 'shared/client/integrations/mastra.ts',
  mcp: 'shared/client/integrations/mcp.ts',
  'openai-agents': 'shared/client/integrations/openai-agents.ts',
  strands: 'shared/client/integrations/strands.ts',
  'vercel-ai': 'shared/client/integrations/vercel-ai.ts',
} as const;

const COMMAND = 'cli/main';
const COMMAND_SOURCE = 'shared/cli/main.ts';
/** A file of a known name, since the bundle of `countersign dev` imports it as well. */
const PARSER = 'chunks/parser-files';
const PARSER_SOURCE = 'shared/permissions/shell/parser-files.ts';

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

/** The command line connects to MCP servers itself: a peer of servers alone, which nobody has to install for that. */
const BUNDLED: readonly string[] = ['@modelcontextprotocol/sdk'];

/** Packages that are installed with this one, or by whoever uses the entry that needs them. */
export function installedBeside(root: string): readonly string[] {
  const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
  return Object.keys({ ...dependencies, ...peerDependencies }).filter((name) => !BUNDLED.includes(name));
}

/** A dependency is imported where the package is installed; a development dependency that an entry imports becomes part of it. */
export async function buildEntries(root: string, out: string): Promise<Metafile> {
  const { metafile } = await build({
    entryPoints: { ...ENTRIES, [COMMAND]: COMMAND_SOURCE, [PARSER]: PARSER_SOURCE },
    outdir: out,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    mainFields: ['module', 'main'],
    external: [...installedBeside(root)],
    // The build for Node is CommonJS, which requires modules of Node: an ES module that holds it does not load.
    alias: { yaml: join(root, 'node_modules', 'yaml', 'browser', 'dist', 'index.js') },
    chunkNames: 'chunks/[hash]',
    legalComments: 'none',
    plugins: [devApart, embeddedParser, pureValues, wholeMcp],
    metafile: true,
    absWorkingDir: root,
    logLevel: 'warning',
  });
  removeUnreached(root, metafile, [...Object.values(ENTRIES), COMMAND_SOURCE, PARSER_SOURCE]);
  chmodSync(join(out, `${COMMAND}.js`), 0o755);
  return metafile;
}
