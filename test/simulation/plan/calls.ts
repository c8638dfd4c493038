/** Draws calls that agents propose by chance, and the clicks on them. */
import { BUSY_MS, MINUTE, type Propose, type Step } from '../model/plan.ts';
import { AGENTS, APPROVERS, CHOOSER_NAMES, FLOWS, HOOK_DOES, HOOKED, PILOT, type ToolName } from '../model/policies.ts';
import type { Dice } from '../model/random.ts';
import { clickBy } from './later-scenes.ts';

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

export function addProposal(id: string, steps: Step[], dice: Dice): void {
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
export function hideSecret(steps: Step[], dice: Dice): void {
  const indices = steps.flatMap((step, index) => (step.do === 'propose' && !step.guarded ? [index] : []));
  if (!indices.length) return;
  const index = dice.one(indices);
  steps[index] = { ...(steps[index] as Propose), secret: true };
}

/** A call about which a hook is asked, and asked again where somebody changes it. */
export function addHooked(id: string, steps: Step[], dice: Dice): void {
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
  // An outage of the stores that count questions and share the runs.
  if (dice.chance(0.1)) steps.push({ do: 'outage', at, ports: ['limits'], lasts: dice.one([MINUTE, 8 * MINUTE]) });
}

/** The call's hook denies it, and people would approve it. */
export function denyByHook(steps: Step[], dice: Dice): void {
  const index = steps.findIndex((step) => step.do === 'propose');
  const call = steps[index] as Propose;
  steps[index] = { ...call, number: HOOK_DOES.indexOf(dice.one(['denies', 'blocks'] as const)) };
  for (const who of APPROVERS) steps.push(clickBy(call.id, call.at + 20_000 + dice.below(2 * MINUTE), who));
}

export function addChoice(id: string, steps: Step[], dice: Dice): void {
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

export const several = (dice: Dice, share: number): number[] =>
  dice.chance(share)
    ? Array.from({ length: 1 + dice.below(2) }, () => dice.one([0, 30, 2_000, 70_000, 5 * MINUTE]))
    : [];
