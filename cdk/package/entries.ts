/** Lists the public entries with their sources, and builds one JavaScript file for each. */
import { chmodSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Metafile } from 'esbuild';
import { embeddedParser } from './embedded-parser.ts';
import { pureValues } from './pure-values.ts';

/** Each entry of package.json by its file in dist/, without its ending. */
export const ENTRIES = {
  client: 'shared/client/index.ts',
  contract: 'shared/domain/public-contract.ts',
  config: 'shared/config/index.ts',
  permissions: 'shared/permissions/public.ts',
  policies: 'shared/policies/public.ts',
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
  'llm/vercel': 'shared/adapters/llm/vercel.ts',
  'claude-agent-sdk': 'shared/client/integrations/claude-agent-sdk.ts',
  langchain: 'shared/client/integrations/langchain.ts',
  mcp: 'shared/client/integrations/mcp.ts',
  'openai-agents': 'shared/client/integrations/openai-agents.ts',
  'vercel-ai': 'shared/client/integrations/vercel-ai.ts',
} as const;

const COMMAND = 'cli/main';

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

/** A dependency is imported where the package is installed; a development dependency that an entry imports becomes part of it. */
export async function buildEntries(root: string, out: string): Promise<Metafile> {
  const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
  const { metafile } = await build({
    entryPoints: { ...ENTRIES, [COMMAND]: 'shared/cli/main.ts' },
    outdir: out,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    mainFields: ['module', 'main'],
    external: Object.keys({ ...dependencies, ...peerDependencies }),
    // The build for Node is CommonJS, which requires modules of Node: an ES module that holds it does not load.
    alias: { yaml: join(root, 'node_modules', 'yaml', 'browser', 'dist', 'index.js') },
    chunkNames: 'chunks/[hash]',
    legalComments: 'none',
    plugins: [embeddedParser, pureValues],
    metafile: true,
    absWorkingDir: root,
    logLevel: 'warning',
  });
  // A shared chunk of which nothing is left is written all the same, and no entry imports it.
  const imported = new Set(Object.values(metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path)));
  for (const [file, { bytes }] of Object.entries(metafile.outputs))
    if (bytes === 0 && !imported.has(file)) rmSync(join(root, file));
  chmodSync(join(out, `${COMMAND}.js`), 0o755);
  return metafile;
}
