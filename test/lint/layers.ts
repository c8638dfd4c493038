/**
 * Finds imports against the direction of the layers, and circles of files and of folders.
 *
 * Imports of types count.
 */
import { posix } from 'node:path';

interface Layer {
  readonly folder: string;
  /** Folders that it may import besides itself; undefined for one that may import anything of the repository. */
  readonly imports: readonly string[] | undefined;
  /** SDKs that it may load; every other package is free. */
  readonly sdks: readonly string[];
}

/** Packages that do I/O, or deploy: each stays where it belongs. */
const SDKS = ['@aws-sdk/', '@slack/', '@anthropic-ai/sdk', 'ai', 'aws-cdk-lib', '@aws-lambda-powertools/'] as const;

const layer = (folder: string, imports?: string, sdks = ''): Layer => ({
  folder,
  imports: imports?.split(' ').filter((each) => each !== ''),
  sdks: sdks.split(' ').filter((each) => each !== ''),
});

/** The direction of imports, from the words on the wire to what is deployed. */
export const LAYERS: readonly Layer[] = [
  layer('shared/contract', ''),
  layer('shared/domain', 'shared/contract'),
  layer('shared/ports', 'shared/contract shared/domain'),
  layer('shared/permissions', 'shared/domain shared/ports'),
  layer('shared/policies', 'shared/contract shared/domain shared/ports'),
  layer('shared/approvals', 'shared/contract shared/domain shared/ports shared/policies'),
  layer('shared/guardrails', 'shared/contract shared/domain shared/ports'),
  layer('shared/task-agent', 'shared/contract shared/domain shared/ports'),
  layer(
    'shared/config',
    'shared/contract shared/domain shared/permissions shared/policies shared/guardrails shared/task-agent',
  ),
  layer(
    'shared/use-cases',
    'shared/contract shared/domain shared/ports shared/config shared/permissions shared/policies shared/guardrails shared/task-agent',
  ),
  layer(
    'shared/client',
    'shared/contract shared/domain shared/ports shared/guardrails shared/adapters',
    '@aws-sdk/ @anthropic-ai/sdk ai',
  ),
  layer('shared/seeds', 'shared/contract shared/domain shared/policies shared/permissions shared/approvals'),
  layer('shared/adapters', undefined, '@aws-sdk/ @slack/ @anthropic-ai/sdk ai'),
  layer('shared/testing', undefined, '@aws-sdk/'),
  // Loaded by `countersign dev` alone.
  layer('shared/dev', undefined, '@aws-sdk/ @slack/'),
  layer('shared/cli', undefined, '@aws-sdk/ ai'),
  layer('functions', undefined, '@aws-sdk/ @slack/ @aws-lambda-powertools/ ai'),
  layer('cdk', 'shared/config shared/contract shared/domain functions', 'aws-cdk-lib'),
  // A workspace of its own: it plays Slack, and knows nothing of the gate.
  layer('test/local/slack', '', '@slack/'),
];

/** Entries of the package and of the command line re-export or start what stands in folders below them. */
const isEntry = (file: string): boolean => /\/(?:index|main)\.ts$/.test(file);

const IMPORT = /^(?:import|export)\b[^;'"]*?\bfrom\s+'([^']+)';|\bimport\(\s*'([^']+)'/gm;

/** Every specifier that a file imports or re-exports from. */
function specifiersOf(text: string): string[] {
  return [...text.matchAll(IMPORT)].map(([, from, dynamic]) => from ?? dynamic ?? '');
}

const isWithin = (path: string, folder: string): boolean => path.startsWith(`${folder}/`);

/** The rule that an import breaks, if any. */
function againstLayers(file: string, specifier: string, target: string | undefined): string | undefined {
  const own = LAYERS.find(({ folder }) => isWithin(file, folder));
  if (own === undefined) return undefined;
  if (target === undefined) {
    const sdk = SDKS.find((each) => specifier === each || specifier.startsWith(each.endsWith('/') ? each : `${each}/`));
    return sdk === undefined || own.sdks.includes(sdk) ? undefined : `${own.folder} does not load ${sdk}`;
  }
  if (own.imports === undefined || isWithin(target, own.folder)) return undefined;
  return own.imports.some((each) => isWithin(target, each)) ? undefined : `${own.folder} does not import ${target}`;
}

type Graph = ReadonlyMap<string, ReadonlySet<string>>;

/** Groups of which each member leads to every other (Tarjan), without single ones. */
export function circlesOf(graph: Graph): readonly (readonly string[])[] {
  const numbers = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const circles: string[][] = [];
  const visit = (node: string): number => {
    const number = numbers.size;
    numbers.set(node, number);
    let low = number;
    stack.push(node);
    for (const next of graph.get(node) ?? []) {
      if (!numbers.has(next)) low = Math.min(low, visit(next));
      else if (stack.includes(next)) low = Math.min(low, lowest.get(next) ?? numbers.get(next) ?? low);
      lowest.set(node, low);
    }
    lowest.set(node, low);
    if (low === number) {
      const circle = stack.splice(stack.indexOf(node));
      if (circle.length > 1) circles.push(circle.sort());
    }
    return low;
  };
  for (const node of graph.keys()) if (!numbers.has(node)) visit(node);
  return circles;
}

/**
 * Looks at the imports of TypeScript files of the repository.
 *
 * @param files each file's text by its path from the root
 * @returns one line for each problem; empty where everything points one way
 */
export function importProblems(files: ReadonlyMap<string, string>): string[] {
  const problems: string[] = [];
  const byFile = new Map<string, Set<string>>();
  const byFolder = new Map<string, Set<string>>();
  for (const [file, text] of files) {
    const targets = new Set<string>();
    byFile.set(file, targets);
    for (const specifier of specifiersOf(text)) {
      const target = specifier.startsWith('.') ? posix.join(posix.dirname(file), specifier) : undefined;
      const broken = againstLayers(file, specifier, target);
      if (broken !== undefined) problems.push(`${file}: ${broken}`);
      // How a workspace of its own is laid out is its own affair.
      if (target === undefined || !files.has(target) || isWithin(file, 'test')) continue;
      targets.add(target);
      const [from, to] = [posix.dirname(file), posix.dirname(target)];
      if (from === to || isEntry(file)) continue;
      byFolder.set(from, (byFolder.get(from) ?? new Set()).add(to));
    }
  }
  for (const circle of circlesOf(byFile)) problems.push(`files that import each other: ${circle.join(' ')}`);
  for (const circle of circlesOf(byFolder)) problems.push(`folders that import each other: ${circle.join(' ')}`);
  return problems;
}
