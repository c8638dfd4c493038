/** Says which scene a point is to be tried in next, and which points one scene can play together. */
import type { GateFunctionName } from '../../../cdk/constructs/functions/function-names.ts';
import { OUTAGES, REPAIRS } from './repairs.ts';
import { SCENES, type Scene } from './scenes.ts';

/** Processes of one function that one scene ends, one after the other: each new one comes by the same points as the last. */
const IN_A_ROW = 3;
/** Scenes that come by a point already: so many are tried first. */
const MAX_KNOWN = 3;

export interface Point {
  readonly verb: GateFunctionName;
  readonly point: string;
}

/** A scene, whether new processes are to play it, and where others have to end before. */
export interface Try {
  readonly scene: string;
  readonly isNew: boolean;
  readonly after?: readonly Point[];
}

export interface Open extends Point {
  /** Still to come, in this order. */
  readonly tries: readonly Try[];
}

export type Scenes = Readonly<Partial<Record<GateFunctionName, Readonly<Record<string, Scene>>>>>;
const allOf = (scenes: Scenes): Readonly<Record<string, Scene>> => Object.assign({}, ...Object.values(scenes));
export const ALL_USUAL = allOf(SCENES);
export const ALL_REPAIRS = { ...allOf(REPAIRS), ...allOf(OUTAGES) };
export const ALL_SCENES: Readonly<Record<string, Scene>> = { ...ALL_USUAL, ...ALL_REPAIRS };
const ofBoth = Object.keys(ALL_REPAIRS).filter((name) => Object.hasOwn(ALL_USUAL, name));
// One would be played in the place of the other.
if (ofBoth.length) throw new Error(`there are two scenes ${ofBoth.join(', ')}`);
export const namesOf = (scenes: Scenes, verb: GateFunctionName): string[] => Object.keys(scenes[verb] ?? {});
/** The scenes of these names alone. */
export function onlyNamed(scenes: Scenes, names: readonly string[] | undefined): Scenes {
  if (!names) return scenes;
  const named = (all: Readonly<Record<string, Scene>>) =>
    Object.fromEntries(Object.entries(all).filter(([name]) => names.includes(name)));
  return Object.fromEntries(Object.entries(scenes).map(([verb, all]) => [verb, named(all)]));
}

/** In scenes that came by it, with new processes or with those that are there, as it was; then the other way, last in all others of its function. */
export function triesOf(cameBy: readonly string[], others: readonly string[], isOfStart: boolean): readonly Try[] {
  const known = cameBy.slice(0, MAX_KNOWN);
  const rest = others.filter((scene) => !known.includes(scene));
  return [
    ...known.map((scene) => ({ scene, isNew: isOfStart })),
    ...known.map((scene) => ({ scene, isNew: !isOfStart })),
    ...rest.map((scene) => ({ scene, isNew: true })),
  ];
}

/** Points that one scene can play: a few of each function. */
export function takenFrom(line: Open[]): Open[] {
  const [first] = line[0]?.tries ?? [];
  if (!first) return [];
  const taken: Open[] = [];
  for (const one of [...line]) {
    const [next] = one.tries;
    const ofItsOwn = taken.filter(({ verb }) => verb === one.verb).length;
    if (next?.scene !== first.scene || next.isNew !== first.isNew) continue;
    if (ofItsOwn >= IN_A_ROW) continue;
    taken.push(one);
    line.splice(line.indexOf(one), 1);
  }
  return taken;
}
