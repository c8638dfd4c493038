/** Bounds the code that a new process of each function loads before its first event. */
import type { Metafile } from 'esbuild';
import type { GateFunctionName } from './constructs/functions/function-names.ts';
import { firstImport, laterImports } from './package/import-graph.ts';

/** In kilobytes of 1000, minified. A start costs about a tenth of a millisecond for each. Lower a limit when a bundle becomes smaller. */
const MAX_FIRST_IMPORT_KB: Readonly<Record<GateFunctionName, number>> = {
  evaluate: 492,
  deliberate: 747,
  'request-approval': 235,
  resume: 505,
  'slack-out': 465,
  slack: 170,
  converse: 581,
  operate: 425,
  reconcile: 577,
  redeem: 490,
  'execute-tool': 645,
  'record-outcome': 400,
  'collect-outcomes': 405,
  'archive-audit': 170,
  seal: 175,
  redrive: 155,
  'send-webhooks': 160,
  canary: 185,
};

/** @throws Error if the function's first import is over its limit: code that is needed later is imported later */
export function refuseLargerFirstImport(name: GateFunctionName, metafile: Metafile): void {
  const { bytes, largest } = firstImport(metafile);
  const limit = MAX_FIRST_IMPORT_KB[name];
  if (bytes <= limit * 1000) return;
  const packages = largest.slice(0, 5).map(([part, size]) => `${part} ${kilobytes(size)}`);
  throw new Error(
    `the first import of ${name} has ${kilobytes(bytes)}, its limit is ${limit} KB: ${packages.join(', ')}. ` +
      'Import later what the first event does not need, or raise the limit in cdk/first-import-limits.ts',
  );
}

/** A line for each function: what it loads first, its limit, and what it loads when needed. */
export function firstImportTable(metafiles: ReadonlyMap<GateFunctionName, Metafile>): string {
  const lines = [...metafiles].map(([name, metafile]) =>
    [
      name.padEnd(18),
      kilobytes(firstImport(metafile).bytes).padStart(8),
      `${MAX_FIRST_IMPORT_KB[name]} KB`.padStart(8),
      kilobytes(laterImports(metafile).bytes).padStart(8),
    ].join('  '),
  );
  return [
    `${'function'.padEnd(18)}  ${'first'.padStart(8)}  ${'limit'.padStart(8)}  ${'later'.padStart(8)}`,
    ...lines,
  ].join('\n');
}

const kilobytes = (bytes: number): string => `${Math.round(bytes / 1000)} KB`;
