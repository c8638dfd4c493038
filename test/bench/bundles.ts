/**
 * Measures each function's bundle: its size, and the time of a fresh process to import it.
 *
 * Sizes are those of the first import and of later ones.
 */
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { bundleFunctions } from '../../cdk/bundle.ts';
import { packageRoot } from '../../cdk/constructs/functions/package-root.ts';
import { firstImport, laterImports } from '../../cdk/package/import-graph.ts';
import { importTimes } from './support/import-time.ts';
import { against, type Cell, kb, ms, note, printTable } from './support/print.ts';
import { median } from './support/stats.ts';

const RUNS = 7;
const AIMS = { evaluateBytes: 500_000, evaluateMs: 90, verifyMs: 60, boltMs: 350 } as const;
/** Not in evaluate's first import, by the folder of their package. */
const LAZY = {
  'Step Functions': '@aws-sdk/client-sfn',
  YAML: 'yaml',
  tracer: '@aws-lambda-powertools/tracer',
} as const;
/** The part that the first verified request of Slack loads beside the bundle itself. */
const BOLT = 'functions/slack/app.ts';

const out = join(packageRoot(), 'dist', 'functions');
const metafiles = await bundleFunctions();
const rows: Cell[][] = [];
const times = new Map<string, readonly number[]>();
for (const [name, metafile] of metafiles) {
  const first = firstImport(metafile);
  const later = laterImports(metafile);
  const samples = await importTimes([join(out, name, 'index.mjs')], RUNS);
  times.set(name, samples);
  rows.push([name, kb(first.bytes), kb(later.bytes), ms(median(samples)), ms(Math.min(...samples))]);
}
printTable(
  `Functions: static import graph (minified), and import in a fresh process (median and best of ${RUNS})`,
  ['function', 'first', 'later', 'import', 'best'],
  rows,
);
note('first: index.mjs and the chunks that it imports statically; later: chunks that are loaded when they are needed.');
await printAims(metafiles, times);
const [load = 0] = loadavg();
note(`Load of this machine: ${load.toFixed(1)} on ${availableParallelism()} cores; above its cores, times say little.`);

async function printAims(
  metafiles: Awaited<ReturnType<typeof bundleFunctions>>,
  times: ReadonlyMap<string, readonly number[]>,
) {
  const evaluate = metafiles.get('evaluate');
  const slack = metafiles.get('slack');
  if (!evaluate || !slack) throw new Error('evaluate and slack have to be among the functions');
  const { bytes, packages, largest } = firstImport(evaluate);
  const chunk = (of: typeof slack, entry: string) => {
    const found = laterImports(of).chunks.find(({ entryPoint }) => entryPoint.includes(entry));
    if (!found) throw new Error(`no chunk of slack is loaded for ${entry}`);
    return join(out, 'slack', found.file);
  };
  const index = join(out, 'slack', 'index.mjs');
  const verify = await importTimes([index], RUNS);
  const withBolt = await importTimes([index, chunk(slack, BOLT)], RUNS);
  const timed = (figure: string, samples: readonly number[], aim?: number): Cell[] => {
    const fast = Math.min(...samples);
    return [
      figure,
      ms(median(samples)),
      ms(fast),
      ...(aim ? [ms(aim), verdict(median(samples), fast, aim)] : ['', '']),
    ];
  };
  printTable(
    'Aims',
    ['figure', 'measured', 'best', 'aim', ''],
    [
      ['evaluate, first import', kb(bytes), '', kb(AIMS.evaluateBytes), against(bytes, AIMS.evaluateBytes)],
      timed('evaluate, time to import', times.get('evaluate') ?? [], AIMS.evaluateMs),
      timed('slack, until it can verify', verify, AIMS.verifyMs),
      timed('slack, the same with Bolt', withBolt, AIMS.boltMs),
      ...Object.entries(LAZY).map(([name, folder]): Cell[] => {
        const inside = packages.has(folder);
        return [`evaluate loads ${name} at once`, inside ? 'yes' : 'no', '', 'no', inside ? 'MISSES it' : 'meets it'];
      }),
    ],
  );
  printTable(
    'The first import of evaluate, by package (its largest)',
    ['package', 'size'],
    largest.slice(0, 12).map(([name, size]) => [name, kb(size)]),
  );
}

/** A busy machine makes a median slow, but no run faster than it can be. */
function verdict(middle: number, fast: number, aim: number): string {
  return middle > aim && fast <= aim ? 'the best run meets it' : against(middle, aim);
}
