/** Runs `npm run campaign`: kills, interleavings, load and a soak on the deployed stack. */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { FUNCTIONS, type GateFunctionName } from '../../cdk/constructs/functions/function-names.ts';
import { campaignGate } from './gate.ts';
import { interleave } from './interleave.ts';
import { kill } from './kill/kill.ts';
import { ALL_SCENES } from './kill/tries.ts';
import { load } from './load.ts';
import { soak } from './soak.ts';
import { tellInterleaved, tellKilled, tellLoaded, tellSoaked } from './tables.ts';

const PARTS = ['kill', 'interleave', 'load', 'soak'] as const;
type Part = (typeof PARTS)[number];

/** Each alone; all of them where none is named. */
const DEFAULTS: Readonly<Record<Part, { readonly count: number; readonly minutes: number }>> = {
  kill: { count: 1_000, minutes: 180 },
  interleave: { count: 200, minutes: 60 },
  load: { count: 10_000, minutes: 60 },
  soak: { count: 0, minutes: 30 },
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** Of what is drawn: the points of a run, the first interleaving, the proposals. */
    seed: { type: 'string', default: '1' },
    /** Points of each function; interleavings; proposals. */
    count: { type: 'string' },
    /** No work is begun later. */
    minutes: { type: 'string' },
    /** Functions to kill. */
    function: { type: 'string', multiple: true },
    /** Scenes to play. */
    scene: { type: 'string', multiple: true },
    /** Points of repairs alone, which the usual scenes do not come by. */
    repairs: { type: 'boolean' },
    /** Remembers the points that were played, so that the next run goes on with the others. */
    file: { type: 'string', default: join('.cache', 'campaign', 'kill.json') },
  },
});

const fail = (why: string): never => {
  console.error(why);
  process.exit(2);
};
const parts = positionals.length ? positionals.map(partNamed) : PARTS;
const verbs = values.function?.map(functionNamed);
const seed = numberOf('seed') ?? 1;
const [wantedCount, wantedMinutes] = [numberOf('count'), numberOf('minutes')];

const gate = await campaignGate();
try {
  for (const part of parts) if (!(await play(part))) process.exitCode = 1;
} finally {
  await gate.stop();
}
// Clients of the harness keep their connections.
process.exit();

async function play(part: Part): Promise<boolean> {
  const { count, minutes } = {
    count: wantedCount ?? DEFAULTS[part].count,
    minutes: wantedMinutes ?? DEFAULTS[part].minutes,
  };
  const until = Date.now() + minutes * 60_000;
  switch (part) {
    case 'kill':
      return tellKilled(
        await kill(gate, {
          seed,
          count,
          minutes,
          file: values.file,
          verbs,
          scenes: values.repairs ? 'repairs' : undefined,
          names: values.scene?.map(sceneNamed),
        }),
      );
    case 'interleave':
      return tellInterleaved(await interleave(gate, { first: seed, count, deploys: true, until }));
    case 'load':
      return tellLoaded(await load(gate, { seed, count, until }));
    case 'soak':
      return tellSoaked(await soak(gate, { seed, minutes }));
    default:
      return part satisfies never;
  }
}

function partNamed(name: string): Part {
  return PARTS.find((part) => part === name) ?? fail(`no part is named ${name}; there are ${PARTS.join(', ')}`);
}

function sceneNamed(name: string): string {
  return Object.hasOwn(ALL_SCENES, name) ? name : fail(`no scene is named ${name}`);
}

function functionNamed(name: string): GateFunctionName {
  return (
    FUNCTIONS.find((one) => one === name) ?? fail(`no function is named ${name}; there are ${FUNCTIONS.join(', ')}`)
  );
}

function numberOf(name: 'seed' | 'count' | 'minutes'): number | undefined {
  if (values[name] === undefined) return undefined;
  const number = Number(values[name]);
  return Number.isFinite(number) && number > 0 ? number : fail(`--${name}: a number above 0, not ${values[name]}`);
}
