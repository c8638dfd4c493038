/** Names what a scene is: steps that belong together. */
import type { Step } from '../model/plan.ts';
import type { Dice } from '../model/random.ts';

/**
 * Adds its steps; `quiet`: nothing else happens in that run, so that whatever takes long is the gate's own fault.
 * `few` says how many there are of steps that do not need each other, of at most so many.
 */
export type Scene = (steps: Step[], dice: Dice, few: (most: number) => number) => undefined | 'quiet';
