/** Draws from a seed what people, agents and operators do. */

import {
  BUSY_MS,
  type Deploy,
  MINUTE,
  type Operate,
  type Plan,
  type Propose,
  SHIFTS_MS,
  type Step,
} from '../model/plan.ts';
import {
  AGENTS,
  APPROVERS,
  CHOOSER_NAMES,
  FLOWS,
  HOOK_DOES,
  HOOKED,
  PILOT,
  POLICY_NAMES,
  type ToolName,
} from '../model/policies.ts';
import { type Dice, diceOf } from '../model/random.ts';
import { LAST_SCENES } from './last-scenes.ts';
import { LATER_SCENES, receiverOf } from './later-scenes.ts';
import { RARE_SCENES } from './rare-scenes.ts';
import { SCENES } from './scenes.ts';
import { SHORT_SCENES } from './short-scenes.ts';

const PORTS: readonly (readonly string[])[] = [
  ['cards'],
  ['workflow'],
  ['replies'],
  ['deferred'],
  ['rates'],
  ['slack'],
  ['approvals.read'],
  ['approvals.write', 'approvals.finish'],
  ['approvals.storeToken'],
  ['claims', 'sessions', 'control'],
  ['audit'],
  ['permits'],
  ['results', 'limits'],
  ['approvals', 'claims', 'journal', 'sessions', 'audit', 'permits', 'results', 'control', 'rates'],
];

/** Of the runs that a scene of `LAST_SCENES` is in; half of them hold nothing else. */
const LAST_SHARE = 0.16;

export function planOf(seed: number, onTables = false): Plan {
  return { ...drawnOf(seed, onTables), onTables };
}

function drawnOf(seed: number, onTables: boolean): Plan {
  const dice = diceOf(seed);
  const rate = dice.one([0, 0.01, 0.03, 0.1]);
  const drawn: Drawn = { onTables, calls: [], troubles: [], scenes: [] };
  const { calls, troubles, scenes } = drawn;
  // Most runs are short: whatever breaks with one or two proposals is found many times faster.
  const count = dice.one([1, 1, 1, 2, 2, 3, 5]);
  for (let index = 0; index < count; index++) addProposal(`p${index}`, calls, dice);
  if (dice.chance(0.45) && dice.one(SCENES)(scenes, dice) === 'quiet') return thinned(seed, 0, drawn);
  const rare = (share: number, step: () => Step) => {
    if (dice.chance(share)) troubles.push(step());
  };
  for (let index = 0; index < 2; index++) {
    rare(0.3, () => operationOf(dice));
    rare(0.2, () => deploymentOf(dice));
    rare(0.2, () => ({
      do: 'outage',
      at: dice.below(BUSY_MS),
      ports: dice.one(PORTS),
      lasts: dice.below(10 * MINUTE),
    }));
  }
  rare(0.06, () => ({ do: 'mute', at: 0, agent: dice.one(AGENTS) }));
  rare(0.06, () => ({
    do: 'outage',
    at: dice.below(BUSY_MS),
    ports: ['cards'],
    lasts: dice.below(5 * MINUTE),
    loses: true,
  }));
  // The last to be drawn, so that the rest of a plan stays as it was.
  if (dice.chance(0.25)) addChoice('choice', calls, dice);
  if (dice.chance(0.05)) hideSecret(calls, dice);
  const hooked = dice.chance(0.15) ? 1 + dice.below(2) : 0;
  for (let index = 0; index < hooked; index++) addHooked(`hook${index}`, calls, dice);
  if (dice.chance(0.4)) dice.one(LATER_SCENES)(scenes, dice);
  rare(0.05, () => ({ do: 'idle', at: 0, days: dice.one([1, 3, 40, 130]), deletes: dice.chance(0.5) }));
  rare(0.04, () => receiverOf(dice));
  const isShort = calls.length + troubles.length + scenes.length <= FEW_STEPS;
  if (!dice.chance(LAST_SHARE)) return isShort ? anotherPlan(seed) : thinned(seed, rate, drawn);
  // By itself a scene is short, and whatever takes long is the gate's own fault.
  if (dice.chance(0.5)) {
    const alone: Step[] = [];
    dice.one(LAST_SCENES)(alone, dice);
    return planned(seed, 0, alone);
  }
  dice.one(LAST_SCENES)(scenes, dice);
  return thinned(seed, rate, drawn);
}

interface Drawn {
  readonly onTables: boolean;
  /** Calls that agents propose by chance, with the clicks on them. */
  readonly calls: Step[];
  /** Orders of operators, deployments and outages. */
  readonly troubles: Step[];
  readonly scenes: Step[];
}

/** Of the runs with a scene, which plays as well without the other calls: those take longer than the scene. */
const WITHOUT_CALLS = 0.75;
/** Of those: chance alone would hardly ever come to what is played in their place. */
const RARE_SHARE = 0.08;

function thinned(seed: number, rate: number, { onTables, calls, troubles, scenes }: Drawn): Plan {
  // Dice of their own: whatever is still played is as it was.
  const dice = diceOf(seed ^ 0x1b873593);
  // Defects of tables need many calls, and no scene.
  if (onTables || !scenes.length || !dice.chance(WITHOUT_CALLS))
    return planned(seed, rate, [...calls, ...troubles, ...scenes]);
  if (!dice.chance(RARE_SHARE)) return planned(seed, rate, [...troubles, ...scenes]);
  const steps: Step[] = [];
  dice.one(RARE_SCENES)(steps, dice);
  return planned(seed, rate, steps);
}

/** Runs this short find little: others are played in their place, and all that is longer is as it was. */
const FEW_STEPS = 5;

function anotherPlan(seed: number): Plan {
  const dice = diceOf(seed ^ 0x2545f491);
  const steps: Step[] = [];
  dice.one(SHORT_SCENES)(steps, dice);
  return planned(seed, dice.one([0, 0, 0.01, 0.03, 0.1]), steps);
}

const planned = (seed: number, rate: number, steps: readonly Step[]): Plan => ({
  seed,
  rate,
  steps: steps.toSorted((one, other) => one.at - other.at),
});

const TOOLS: readonly ToolName[] = [
  'Push',
  'Push',
  'Push',
  'Drop',
  'Drop',
  'Ship',
  'Sync',
  'Sync',
  'Look',
  'Wipe',
  'Pay',
  'Pay',
  'Ping',
  'Move',
];

function addProposal(id: string, steps: Step[], dice: Dice): void {
  const at = dice.below(dice.chance(0.5) ? 5_000 : BUSY_MS);
  const times = dice.one([1, 1, 1, 2, 3]);
  const isGuarded = dice.chance(0.2);
  const run = {
    how: dice.one(['agent', 'gate'] as const),
    times,
    apart: dice.one([0, 0, 50, 5_000, 30_000, 3 * MINUTE]),
    report: dice.chance(0.8),
    ...(dice.chance(0.2) ? { unedited: true } : {}),
  };
  steps.push({
    do: 'propose',
    at,
    id,
    agent: dice.one(AGENTS),
    tool: dice.one(TOOLS),
    number: dice.below(3),
    copies: isGuarded ? [] : several(dice, 0.2),
    // The client sends one call, as it should be.
    ...(isGuarded ? { guarded: true } : { ...oddities(dice), ...(dice.chance(0.8) ? { run } : {}) }),
  });
  const clicks = dice.below(4);
  for (let index = 0; index < clicks; index++)
    steps.push({
      do: 'click',
      at:
        at +
        dice.one([10, 1_000, 20_000, 2 * MINUTE, 8 * MINUTE, 10 * MINUTE, 10 * MINUTE + 5_000]) +
        dice.below(1_000),
      id,
      who: dice.chance(0.9) ? dice.one(APPROVERS) : dice.one(['olga', 'sam'] as const),
      choice: dice.chance(0.8) ? 'approve' : 'reject',
      remember: dice.chance(0.2),
      ...(dice.chance(0.12) ? { edit: dice.below(4) } : {}),
      again: several(dice, 0.2),
    });
  if (dice.chance(0.04))
    steps.push({ do: 'spoil', at: at + dice.below(5 * MINUTE), id, how: dice.one(['newer', 'broken'] as const) });
  if (dice.chance(0.1)) steps.push({ do: 'cancel', at: Math.max(0, at + dice.one([-500, 0, 500, MINUTE])), id });
}

/** In one of the proposals that an agent sends by itself. */
function hideSecret(steps: Step[], dice: Dice): void {
  const indices = steps.flatMap((step, index) => (step.do === 'propose' && !step.guarded ? [index] : []));
  if (!indices.length) return;
  const index = dice.one(indices);
  steps[index] = { ...(steps[index] as Propose), secret: true };
}

/** A call about which a hook is asked, and asked again where somebody changes it. */
function addHooked(id: string, steps: Step[], dice: Dice): void {
  const at = dice.below(dice.chance(0.5) ? 5_000 : BUSY_MS);
  const agent = dice.one([...AGENTS, PILOT]);
  const tool = dice.one([...HOOKED, 'Scan', 'Fix'] as const);
  const number = dice.below(HOOK_DOES.length);
  const also = dice.chance(0.15) ? { also: dice.below(HOOK_DOES.length) } : {};
  const run = { how: dice.one(['agent', 'gate'] as const), times: 1, apart: 0, report: true };
  steps.push({ do: 'propose', at, id, agent, tool, number, ...also, copies: several(dice, 0.2), run });
  const clicks = dice.below(4);
  for (let index = 0; index < clicks; index++)
    steps.push({
      do: 'click',
      at: at + dice.one([1_000, 20_000, 2 * MINUTE, 8 * MINUTE]) + dice.below(1_000),
      id,
      who: dice.one(APPROVERS),
      choice: dice.chance(0.9) ? 'approve' : 'reject',
      remember: dice.chance(0.2),
      ...(dice.chance(index ? 0.2 : 0.6) ? { edit: dice.below(HOOK_DOES.length) } : {}),
      again: several(dice, 0.1),
    });
  // Of the stores that count questions and share the runs.
  if (dice.chance(0.1)) steps.push({ do: 'outage', at, ports: ['limits'], lasts: dice.one([MINUTE, 8 * MINUTE]) });
}

function addChoice(id: string, steps: Step[], dice: Dice): void {
  const at = dice.below(dice.chance(0.5) ? 5_000 : BUSY_MS);
  const flows = FLOWS.slice(dice.below(2)).toSorted(() => (dice.chance(0.5) ? 1 : -1));
  const agent = dice.one(AGENTS);
  steps.push({ do: 'choose', at, id, agent, policy: dice.one(CHOOSER_NAMES), flows, copies: several(dice, 0.3) });
  const clicks = dice.below(3);
  for (let index = 0; index < clicks; index++)
    steps.push({
      do: 'click',
      at: at + dice.one([1_000, 20_000, 2 * MINUTE, 10 * MINUTE, 10 * MINUTE + 5_000]) + dice.below(1_000),
      id,
      who: dice.chance(0.9) ? dice.one(APPROVERS) : dice.one(['olga', 'sam'] as const),
      choice: dice.chance(0.7) ? 'approve' : 'reject',
      remember: false,
      ...(dice.chance(0.25) ? { substitute: dice.below(3) } : {}),
      again: several(dice, 0.2),
    });
  if (dice.chance(0.1)) steps.push({ do: 'cancel', at: at + dice.one([0, 500, MINUTE]), id });
}

const oddities = (dice: Dice): Pick<Propose, 'other' | 'also' | 'spoilt'> => ({
  ...(dice.chance(0.05) ? { other: dice.below(MINUTE) } : {}),
  ...(dice.chance(0.15) ? { also: dice.below(3) + 3 * dice.below(2) } : {}),
  ...(dice.chance(0.03) ? { spoilt: dice.one(['unsafe number', 'double key', 'no id'] as const) } : {}),
});

const several = (dice: Dice, share: number): number[] =>
  dice.chance(share)
    ? Array.from({ length: 1 + dice.below(2) }, () => dice.one([0, 30, 2_000, 70_000, 5 * MINUTE]))
    : [];

/** The moment tells how long it takes: a number more would change the rest of each plan. */
function deploymentOf(dice: Dice): Deploy {
  const at = dice.below(BUSY_MS);
  return { do: 'deploy', at, policy: dice.one(POLICY_NAMES), lasts: SHIFTS_MS[at % SHIFTS_MS.length] ?? 0 };
}

function operationOf(dice: Dice): Operate {
  const scope = dice.one([
    { all: true },
    { agent: dice.one(AGENTS) },
    { tool: dice.one(['Push', 'Pay'] as const) },
  ] as const);
  const effect = dice.one(['deny', 'deny', 'ask', 'lift'] as const);
  return { do: 'operate', at: dice.below(BUSY_MS), effect, scope, copies: several(dice, 0.2) };
}
