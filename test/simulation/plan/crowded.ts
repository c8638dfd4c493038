/** Draws runs in which much happens at once: calls by chance, troubles, and some scenes. */
import { type Plan, planned, type Step } from '../model/plan.ts';
import { AGENTS } from '../model/policies.ts';
import { diceOf } from '../model/random.ts';
import { addChoice, addHooked, addProposal, hideSecret } from './calls.ts';
import { LAST_SCENES } from './last-scenes.ts';
import { LATER_SCENES, receiverOf } from './later-scenes.ts';
import { SCENES } from './scenes.ts';
import { SHORT_SCENES } from './short-scenes.ts';
import { deploymentOf, idleOf, lossOf, operationOf, outageOf } from './troubles.ts';

/** The share of runs that a scene of `LAST_SCENES` is in; half of them hold nothing else. */
const LAST_SHARE = 0.16;

/** Keeps all steps: they do not need each other. */
const ALL = (most: number): number => most;

export function crowdedPlanOf(seed: number): Plan {
  const dice = diceOf(seed);
  const rate = dice.one([0, 0.01, 0.03, 0.1]);
  const steps: Step[] = [];
  const count = dice.one([1, 1, 1, 2, 2, 3, 5]);
  for (let index = 0; index < count; index++) addProposal(`p${index}`, steps, dice);
  const scenes: Step[] = [];
  if (dice.chance(0.45) && dice.one(SCENES)(scenes, dice, ALL) === 'quiet')
    return planned(seed, 0, [...steps, ...scenes]);
  const troubles: Step[] = [];
  const rare = (share: number, step: () => Step) => {
    if (dice.chance(share)) troubles.push(step());
  };
  for (let index = 0; index < 2; index++) {
    rare(0.3, () => operationOf(dice));
    rare(0.2, () => deploymentOf(dice));
    rare(0.2, () => outageOf(dice));
  }
  rare(0.06, () => ({ do: 'mute', at: 0, agent: dice.one(AGENTS) }));
  rare(0.06, () => lossOf(dice));
  if (dice.chance(0.25)) addChoice('choice', steps, dice);
  if (dice.chance(0.05)) hideSecret(steps, dice);
  const hooked = dice.chance(0.15) ? 1 + dice.below(2) : 0;
  for (let index = 0; index < hooked; index++) addHooked(`hook${index}`, steps, dice);
  if (dice.chance(0.4)) dice.one(LATER_SCENES)(scenes, dice, ALL);
  rare(0.05, () => idleOf(dice));
  rare(0.04, () => receiverOf(dice));
  const isShort = steps.length + troubles.length + scenes.length <= FEW_STEPS;
  const isLast = dice.chance(LAST_SHARE);
  if (!isLast && isShort) return anotherPlan(seed);
  // By itself a scene is short, and whatever takes long is the gate's own fault.
  const isAlone = isLast && dice.chance(0.5);
  const last: Step[] = [];
  if (isLast) dice.one(LAST_SCENES)(last, dice, ALL);
  return isAlone ? planned(seed, 0, last) : planned(seed, rate, [...steps, ...troubles, ...scenes, ...last]);
}

/** Runs this short find little: others are played in their place. */
const FEW_STEPS = 5;

function anotherPlan(seed: number): Plan {
  const dice = diceOf(seed ^ 0x2545f491);
  const steps: Step[] = [];
  dice.one(SHORT_SCENES)(steps, dice, ALL);
  return planned(seed, dice.one([0, 0, 0.01, 0.03, 0.1]), steps);
}
