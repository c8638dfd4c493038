/** Says which scene a point is to be tried in next, and which points one scene can play together. */
import type { GateFunctionName } from '../../../cdk/constructs/functions/function-names.ts';
import { REPAIRS } from './repairs.ts';
import { SCENES, type Scene } from './scenes.ts';

/** Of one function, processes that end in one scene, one after the other. */
const IN_A_ROW = 3;

export interface Point {
  readonly verb: GateFunctionName;
  readonly point: string;
}

/** A scene, and whether new processes are to play it. */
export interface Try {
  readonly scene: string;
  readonly isNew: boolean;
}

export interface Open extends Point {
  /** Still to come, in this order. */
  readonly tries: readonly Try[];
}

export type Scenes = Readonly<Partial<Record<GateFunctionName, Readonly<Record<string, Scene>>>>>;
const allOf = (scenes: Scenes): Readonly<Record<string, Scene>> => Object.assign({}, ...Object.values(scenes));
export const ALL_USUAL = allOf(SCENES);
const ALL_REPAIRS = allOf(REPAIRS);
export const ALL_SCENES: Readonly<Record<string, Scene>> = { ...ALL_USUAL, ...ALL_REPAIRS };
const ofBoth = Object.keys(ALL_REPAIRS).filter((name) => Object.hasOwn(ALL_USUAL, name));
// One would be played in the place of the other.
if (ofBoth.length) throw new Error(`there are two scenes ${ofBoth.join(', ')}`);
export const namesOf = (scenes: Scenes, verb: GateFunctionName): string[] => Object.keys(scenes[verb] ?? {});
const comesAgain = ({ scene, isNew }: Try): boolean => isNew || Object.hasOwn(ALL_REPAIRS, scene);

/** Points that one scene can play: one of each function, or a few where new processes or repairs come by one after the other. */
export function takenFrom(line: Open[]): Open[] {
  const [first] = line[0]?.tries ?? [];
  if (!first) return [];
  const taken: Open[] = [];
  for (const one of [...line]) {
    const [next] = one.tries;
    const ofItsOwn = taken.filter(({ verb }) => verb === one.verb).length;
    if (next?.scene !== first.scene || next.isNew !== first.isNew) continue;
    if (ofItsOwn >= (comesAgain(first) ? IN_A_ROW : 1)) continue;
    taken.push(one);
    line.splice(line.indexOf(one), 1);
  }
  return taken;
}
