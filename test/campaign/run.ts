/** Runs `npm run campaign`: kills, interleavings, load and a soak on the deployed stack. */
import { join } from 'node:path';
import { FUNCTIONS, type GateFunctionName } from '../../cdk/constructs/functions/function-names.ts';
import { commandLine } from '../support/command-line.ts';

const PARTS = ['kill', 'interleave', 'load', 'soak'] as const;
type Part = (typeof PARTS)[number];

/** Each alone; all of them where none is named. */
const DEFAULTS: Readonly<Record<Part, { readonly count: number; readonly minutes: number }>> = {
  kill: { count: 1_000, minutes: 180 },
  interleave: { count: 200, minutes: 60 },
  load: { count: 10_000, minutes: 60 },
  soak: { count: 0, minutes: 30 },
};

const USAGE = `npm run campaign -- [kill|interleave|load|soak …] [options]

  --seed N         of what is drawn: the points of a run, the first interleaving, the proposals
  --count N        points of each function; interleavings; proposals
  --minutes N      no work is begun later
  --function NAME  functions to kill, more than one if it is repeated
  --scene NAME     scenes to play, likewise
  --repairs        points of repairs alone, which the usual scenes do not come by
  --file FILE      remembers the points that were played`;

const { values, positionals } = commandLine(USAGE, {
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string' },
    minutes: { type: 'string' },
    function: { type: 'string', multiple: true },
    scene: { type: 'string', multiple: true },
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

// Behind the options: whoever asks for help waits for no gate.
const [{ campaignGate }, { interleave }, { kill }, { ALL_SCENES }, { load }, { soak }, tell] = await Promise.all([
  import('./gate.ts'),
  import('./interleave.ts'),
  import('./kill/kill.ts'),
  import('./kill/tries.ts'),
  import('./load.ts'),
  import('./soak.ts'),
  import('./tables.ts'),
]);
const names = values.scene?.map(sceneNamed);

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
      return tell.tellKilled(
        await kill(gate, {
          seed,
          count,
          minutes,
          file: values.file,
          verbs,
          scenes: values.repairs ? 'repairs' : undefined,
          names,
        }),
      );
    case 'interleave':
      return tell.tellInterleaved(await interleave(gate, { first: seed, count, deploys: true, until }));
    case 'load':
      return tell.tellLoaded(await load(gate, { name: 'load', seed, count, until }));
    case 'soak':
      return tell.tellSoaked(await soak(gate, { seed, minutes }));
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
