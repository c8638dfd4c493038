/** Draws from a seed what people, agents and operators do: mostly one scene, or one call. */
import { type Plan, planned, type Step } from '../model/plan.ts';
import { AGENTS } from '../model/policies.ts';
import { type Dice, diceOf } from '../model/random.ts';
import { addChoice, addHooked, addProposal, denyByHook, hideSecret } from './calls.ts';
import { crowdedPlanOf } from './crowded.ts';
import { LAST_SCENES } from './last-scenes.ts';
import { LATER_SCENES, receiverOf } from './later-scenes.ts';
import { RARE_SCENES } from './rare-scenes.ts';
import { SCENES } from './scenes.ts';
import { SHORT_SCENES } from './short-scenes.ts';
import { deploymentOf, idleOf, lossOf, operationOf, outageOf } from './troubles.ts';

/** The share of crowded runs in memory: some defects show only where much happens at once. On tables all runs are crowded. */
const CROWDED_SHARE = 0.1;
/** The share of the other runs that hold calls by chance, and no scene. */
const CALLS_SHARE = 0.45;

export function planOf(seed: number, onTables = false): Plan {
  // Dice of their own: a crowded run is the one that its seed has on tables.
  const dice = diceOf(seed ^ 0x1b873593);
  const isCrowded = onTables || dice.chance(CROWDED_SHARE);
  return { ...(isCrowded ? crowdedPlanOf(seed) : smallPlanOf(seed, dice)), onTables };
}

function smallPlanOf(seed: number, dice: Dice): Plan {
  const rate = dice.one([0, 0, 0.01, 0.03, 0.1]);
  const steps: Step[] = [];
  if (dice.chance(CALLS_SHARE)) addCalls(steps, dice);
  else if (addScene(steps, dice) === 'quiet') return planned(seed, 0, steps);
  if (dice.chance(TROUBLED_SHARE)) addTroubles(steps, dice);
  return planned(seed, rate, steps);
}

const ALL_SCENES = [...SCENES, ...LATER_SCENES, ...LAST_SCENES, ...SHORT_SCENES, ...RARE_SCENES];
/** A scene takes as long as it has steps: a longer one is drawn less often, as the root of its length. */
const USUAL_STEPS = 4;
/** The share of drawn runs in which nothing fails, so that each play of one is much like the others. */
const QUIET_SHARE = 0.35;

function addScene(steps: Step[], dice: Dice): undefined | 'quiet' {
  const few = (most: number) => Math.min(most, dice.one([1, 1, 2]));
  for (;;) {
    const drawn: Step[] = [];
    const isQuiet = dice.one(ALL_SCENES)(drawn, dice, few);
    if (!dice.chance((isQuiet ? QUIET_SHARE : 1) * Math.sqrt(USUAL_STEPS / drawn.length))) continue;
    steps.push(...drawn);
    return isQuiet || undefined;
  }
}

function addCalls(steps: Step[], dice: Dice): void {
  const kind = dice.next();
  if (kind < 0.4) addChoice('choice', steps, dice);
  else if (kind < 0.6) {
    addHooked('hook0', steps, dice);
    // Too few by chance: one answer of five denies, and a person has to approve that call as it is.
    if (dice.chance(0.4)) denyByHook(steps, dice);
  } else {
    const count = dice.one([1, 1, 2]);
    for (let index = 0; index < count; index++) addProposal(`p${index}`, steps, dice);
    if (dice.chance(0.2)) hideSecret(steps, dice);
  }
}

/** The share of faulty runs among those that are not quiet. */
const TROUBLED_SHARE = 0.45;

function addTroubles(steps: Step[], dice: Dice): void {
  const rare = (share: number, step: () => Step) => {
    if (dice.chance(share)) steps.push(step());
  };
  rare(0.3, () => operationOf(dice));
  rare(0.3, () => deploymentOf(dice));
  rare(0.3, () => outageOf(dice));
  rare(0.06, () => ({ do: 'mute', at: 0, agent: dice.one(AGENTS) }));
  rare(0.06, () => lossOf(dice));
  rare(0.08, () => idleOf(dice));
  rare(0.03, () => receiverOf(dice));
}
