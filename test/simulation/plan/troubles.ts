/** Draws what operators, deployments and outages do in a run. */
import { BUSY_MS, type Deploy, type Idle, MINUTE, type Operate, type Outage, SHIFTS_MS } from '../model/plan.ts';
import { AGENTS, POLICY_NAMES } from '../model/policies.ts';
import type { Dice } from '../model/random.ts';
import { several } from './calls.ts';

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

export const outageOf = (dice: Dice): Outage => ({
  do: 'outage',
  at: dice.below(BUSY_MS),
  ports: dice.one(PORTS),
  lasts: dice.below(10 * MINUTE),
});

/** Cards that seem to be sent, and are not. */
export const lossOf = (dice: Dice): Outage => ({
  do: 'outage',
  at: dice.below(BUSY_MS),
  ports: ['cards'],
  lasts: dice.below(5 * MINUTE),
  loses: true,
});

/** The moment tells how long it takes: a number more would change the rest of each plan. */
export function deploymentOf(dice: Dice): Deploy {
  const at = dice.below(BUSY_MS);
  return { do: 'deploy', at, policy: dice.one(POLICY_NAMES), lasts: SHIFTS_MS[at % SHIFTS_MS.length] ?? 0 };
}

export function operationOf(dice: Dice): Operate {
  const scope = dice.one([
    { all: true },
    { agent: dice.one(AGENTS) },
    { tool: dice.one(['Push', 'Pay'] as const) },
  ] as const);
  const effect = dice.one(['deny', 'deny', 'ask', 'lift'] as const);
  return { do: 'operate', at: dice.below(BUSY_MS), effect, scope, copies: several(dice, 0.2) };
}

export const idleOf = (dice: Dice): Idle => ({
  do: 'idle',
  at: 0,
  days: dice.one([1, 3, 40, 130]),
  deletes: dice.chance(0.5),
});
