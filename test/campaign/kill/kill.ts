/** Ends a process of each function at each of its awaits, and has the history judged. */
import { setTimeout as delay } from 'node:timers/promises';
import { FUNCTIONS, type GateFunctionName } from '../../../cdk/constructs/functions/function-names.ts';
import { patience } from '../../e2e/harness/until.ts';
import type { Problem } from '../../simulation/judge/judge.ts';
import { diceOf } from '../../simulation/model/random.ts';
import { Actors } from '../actors.ts';
import type { CampaignGate } from '../gate.ts';
import { endAll } from '../interleave.ts';
import { comingAgainSoon, workedByFew } from '../queues.ts';
import { judged } from '../record.ts';
import { archiveProblems } from './archive.ts';
import { CameBy, SETTLED_MS } from './came-by.ts';
import { type Door, PointedFunctions } from './functions.ts';
import { type Fate, type KillRow, type Played, playedBefore, remember } from './played.ts';
import { OUTAGES, REPAIRS } from './repairs.ts';
import { SCENES, type Turn, WOKEN_MS } from './scenes.ts';
import {
  ALL_REPAIRS,
  ALL_SCENES,
  ALL_USUAL,
  namesOf,
  type Open,
  onlyNamed,
  type Point,
  type Scenes,
  type Try,
  takenFrom,
  triesOf,
} from './tries.ts';
import { byReason } from './unmet.ts';

/** Scenes that are played side by side: most of their time they wait for messages that come again. */
const LANES = 8;
/** Fewer, where it is only guessed which scene comes by a point of a schedule. */
const MEETING_LANES = 6;
/** A process that is to end at a door has come by it so long after the work. */
const DOOR_MS = 60_000;
const IDLE_MS = 200;
/** After so many scenes without a process that ended, the points of repairs that are left are not tried further. */
const MAX_SCENES_IN_VAIN = 40;

export interface Killed {
  readonly rows: readonly KillRow[];
  readonly problems: readonly Problem[];
  /** Scenes that did not come to their end, and what they waited for; points that were met and taken for out of reach. */
  readonly unfinished: readonly string[];
}

interface KillOptions {
  readonly seed: number;
  /** Points of each function, drawn by the seed; those of earlier runs are not played again. */
  readonly count: number;
  /** Time for killing; the scenes that are played before, and the judgement, come besides. */
  readonly minutes: number;
  /** Remembers what was played, for a run that goes on. */
  readonly file?: string | undefined;
  readonly verbs?: readonly GateFunctionName[] | undefined;
  /** Usual ones alone, or only what those of repairs come by and they do not; both where it is absent. */
  readonly scenes?: 'usual' | 'repairs' | undefined;
  /** Scenes of these names alone. */
  readonly names?: readonly string[] | undefined;
}

export async function kill(gate: CampaignGate, options: KillOptions): Promise<Killed> {
  // Usual scenes end processes of these functions alone: the others go on with what they have loaded.
  const functions = new PointedFunctions(options.scenes === 'usual' ? options.verbs : undefined);
  await functions.deploy();
  await comingAgainSoon();
  await workedByFew();
  const campaign = new Campaign(await Actors.on(gate), functions, options);
  try {
    return await campaign.play();
  } finally {
    await functions.restore();
  }
}

const secondsSince = (began: number): number => Math.round((Date.now() - began) / 1_000);

async function inLanes(lanes: number, work: () => Promise<void>): Promise<void> {
  await Promise.all(Array.from({ length: lanes }, work));
}

class Campaign {
  readonly #actors: Actors;
  readonly #functions: PointedFunctions;
  readonly #options: KillOptions;
  readonly #played: Played;
  readonly #cameBy: CameBy;
  readonly #doors = new Map<string, Promise<unknown>>();
  /** By the id of a turn, the points that were armed for it. */
  readonly #turns = new Map<string, readonly Point[]>();
  readonly #unfinished: string[] = [];
  #numbers = 0;

  constructor(actors: Actors, functions: PointedFunctions, options: KillOptions) {
    this.#actors = actors;
    this.#functions = functions;
    this.#options = options;
    this.#played = playedBefore(options.file, functions.digest);
    this.#cameBy = new CameBy(this.#played, actors.ids, (verb) => functions.passed(verb));
  }

  async play(): Promise<Killed> {
    patience.ms = WOKEN_MS;
    const verbs = this.#options.verbs ?? FUNCTIONS;
    const { names, scenes } = this.#options;
    // Outages come last: what another scene sends meanwhile goes its way late, or another one.
    for (const each of scenes === 'usual' ? [SCENES] : [SCENES, REPAIRS, OUTAGES])
      await this.#meet(onlyNamed(each, names), verbs);
    const until = Date.now() + this.#options.minutes * 60_000;
    await this.#playAll(verbs, until);
    await this.#playRepairs(verbs, until);
    this.#actors.calm();
    await endAll(
      this.#actors.history.sent.map(({ id }) => id),
      this.#actors,
    );
    const { problems } = await judged(this.#actors);
    const all = [...problems, ...(await archiveProblems(this.#actors.gate))];
    for (const { text } of all) {
      const ids = text.split(/[ ,;]/).filter((word) => this.#turns.has(word));
      const blamed = ids.flatMap((id) => this.#pointsOf(id));
      for (const { verb, point } of blamed) this.#note(verb, point, 'failed');
      if (blamed.length) console.log(`  ${text}: ${blamed.map(({ verb, point }) => `${verb} ${point}`).join(', ')}`);
    }
    const rows = this.#rowsOf(verbs);
    this.#write();
    return { rows, problems: all, unfinished: this.#unfinished };
  }

  /** Each scene once, with nobody killed: the points that it comes by. Scenes of an earlier run are known. */
  async #meet(scenes: Scenes, verbs: readonly GateFunctionName[]): Promise<void> {
    const seen = new Set(this.#played.seen);
    const names = new Set(
      verbs.flatMap((verb) => namesOf(scenes, verb).filter((name) => !seen.has(`${verb} ${name}`))),
    );
    if (!names.size) return;
    const line = names.values();
    await inLanes(MEETING_LANES, async () => {
      for (const name of line) {
        const began = Date.now();
        await this.#scene(name, this.#turn());
        console.log(`  ${name}: ${secondsSince(began)} s`);
      }
    });
    // Work that a scene left behind.
    await delay(SETTLED_MS);
    for (const verb of verbs) this.#cameBy.note(verb, new Set(namesOf(scenes, verb)));
    for (const verb of verbs) for (const name of namesOf(scenes, verb)) seen.add(`${verb} ${name}`);
    this.#played.seen = [...seen];
    Object.assign(this.#played, this.#cameBy.all());
    this.#write();
  }

  /** Whether scenes of repairs alone come by it. */
  #isOfRepairs = (verb: GateFunctionName, point: string): boolean =>
    this.#cameBy.scenesAt(verb, point).every((name) => Object.hasOwn(ALL_REPAIRS, name));

  /** `whole`: the id of the turn that it is a part of. */
  #turn(whole?: string): Turn {
    const number = ++this.#numbers * 10;
    const id = `k${number}`;
    if (whole) {
      this.#turns.set(id, this.#turns.get(whole) ?? []);
      this.#cameBy.share(id, whole);
    }
    return {
      ...{ actors: this.#actors, id, number },
      killedAt: (door, work) => this.#killedAt(id, door, work),
      part: () => this.#turn(id),
    };
  }

  /** One scene at a time stands at a door. */
  #killedAt(id: string, door: Door, work: () => Promise<unknown>): Promise<boolean> {
    const { verb } = door;
    const point = this.#functions.pointOf(door);
    const key = `${verb} ${point}`;
    const turn = (this.#doors.get(key) ?? Promise.resolve()).then(async () => {
      this.#functions.forget(verb, point);
      this.#turns.set(id, [...(this.#turns.get(id) ?? []), { verb, point }]);
      this.#functions.arm(verb, point, door.about);
      const isKilled = () => this.#functions.killedAt(verb, point) !== undefined;
      try {
        await work();
        for (const until = Date.now() + DOOR_MS; !isKilled() && Date.now() < until; ) await delay(IDLE_MS);
      } finally {
        this.#functions.disarm(verb, point);
      }
      if (isKilled()) this.#actors.history.ended.push(verb);
      else console.log(`  ${id}: nothing ended at ${key}`);
      return isKilled();
    });
    this.#doors.set(
      key,
      turn.catch(() => undefined),
    );
    return turn;
  }

  async #scene(name: string, turn: Turn): Promise<void> {
    this.#cameBy.begin(turn.id, name);
    await ALL_SCENES[name]?.(turn).catch((error: unknown) => {
      const armed = (this.#turns.get(turn.id) ?? []).map(({ verb, point }) => `, with ${verb} ${point}`);
      this.#unfinished.push(`${name} ${turn.id}: ${(error as Error).message}${armed.join('')}`);
      console.log(`  ${this.#unfinished.at(-1)}`);
    });
    this.#cameBy.end(turn.id);
  }

  /** One point of each function after the other, so that a run that has little time comes to all of them. */
  async #playAll(verbs: readonly GateFunctionName[], until: number): Promise<void> {
    const { seed, count } = this.#options;
    const dice = diceOf(seed);
    const open = verbs.flatMap((verb) =>
      this.#cameBy
        .points(verb)
        .filter((point) => !Object.hasOwn(this.#fatesOf(verb), point))
        .filter((point) => this.#options.scenes !== 'repairs' || this.#isOfRepairs(verb, point))
        .map((point) => ({ verb, point, at: dice.next() }))
        .toSorted((one, other) => one.at - other.at)
        .slice(0, count)
        .map(({ point }, turn) => ({ verb, point, turn, tries: this.#triesOf(verb, point) })),
    );
    const line: Open[] = open.toSorted((one, other) => one.turn - other.turn);
    let playing = 0;
    await inLanes(LANES, async () => {
      while (Date.now() < until && (line.length || playing)) {
        const together = takenFrom(line);
        if (!together.length) {
          await delay(IDLE_MS);
          continue;
        }
        playing += 1;
        const began = Date.now();
        const { played, again } = await this.#playTogether(together);
        line.push(...again);
        playing -= 1;
        this.#write();
        const [{ scene = '' } = {}] = together[0]?.tries ?? [];
        console.log(
          `  ${scene}: ${played} of ${together.length} points in ${secondsSince(began)} s, ${line.length} to come`,
        );
      }
    });
  }

  /**
   * Points of repairs, which nothing comes by before another process has ended. All are armed at once, while processes end at points that were
   * played before; until so many scenes have come by none of them. A run that leaves other points open does not come to them.
   */
  async #playRepairs(verbs: readonly GateFunctionName[], until: number): Promise<void> {
    const isPlayed = (verb: GateFunctionName) => (point: string) =>
      Object.hasOwn(this.#fatesOf(verb), point) ||
      (this.#options.scenes === 'repairs' && !this.#isOfRepairs(verb, point));
    if (!verbs.every((verb) => this.#cameBy.points(verb).every(isPlayed(verb)))) return;
    const dice = diceOf(this.#options.seed);
    let inVain = 0;
    await inLanes(LANES, async () => {
      while (Date.now() < until && inVain < MAX_SCENES_IN_VAIN) {
        const open = this.#metLate(verbs);
        if (!open.length) return;
        this.#turns.set('repairs', [...(this.#turns.get('repairs') ?? []), ...open]);
        for (const { verb, point } of open) this.#functions.arm(verb, point);
        const turn = this.#turn();
        const scene = dice.one(Object.keys(ALL_USUAL));
        const doors = FUNCTIONS.filter((verb) => namesOf(SCENES, verb).includes(scene)).flatMap((verb) => {
          const met = this.#functions.met(verb);
          return met.length ? [{ verb, point: dice.one(met) }] : [];
        });
        this.#turns.set(turn.id, doors);
        for (const { verb, point } of doors) this.#functions.arm(verb, point);
        await this.#scene(scene, turn);
        const killed = open.filter(({ verb, point }) => this.#functions.killedAt(verb, point) !== undefined);
        for (const { verb, point } of [...doors, ...killed]) this.#functions.disarm(verb, point);
        for (const { verb, point } of killed) this.#note(verb, point, 'repaired');
        for (const { verb } of [...doors, ...killed]) this.#actors.history.ended.push(verb);
        inVain = killed.length ? 0 : inVain + 1;
        this.#write();
        console.log(`  ${this.#metLate(verbs).length} points of repairs to come`);
      }
    });
    for (const { verb, point } of this.#metLate(verbs)) this.#functions.disarm(verb, point);
  }

  #metLate(verbs: readonly GateFunctionName[]): Point[] {
    return verbs.flatMap((verb) =>
      this.#metOf(verb)
        .filter((point) => !this.#cameBy.scenesAt(verb, point).length && !Object.hasOwn(this.#fatesOf(verb), point))
        .map((point) => ({ verb, point })),
    );
  }

  /** In this run or in one before. */
  #metOf(verb: GateFunctionName): string[] {
    const met = [...new Set([...(this.#played.met[verb] ?? []), ...this.#functions.met(verb)])];
    this.#played.met[verb] = met;
    return met;
  }

  #triesOf(verb: GateFunctionName, point: string): readonly Try[] {
    const scenes = this.#isOfRepairs(verb, point) ? REPAIRS : SCENES;
    const others = namesOf(onlyNamed(scenes, this.#options.names), verb);
    return triesOf(this.#cameBy.scenesAt(verb, point), others, this.#cameBy.isOfStart(verb, point));
  }

  /** Points that nothing came by before other processes ended in this scene: there they are tried again, with the same ends. */
  #metAfter(verbs: readonly GateFunctionName[], id: string, scene: string): Open[] {
    const after = this.#turns.get(id) ?? [];
    return verbs.flatMap((verb) =>
      this.#cameBy.later(verb, id).map((point) => {
        const again = { scene, isNew: false, after: after.filter((one) => one.verb !== verb || one.point !== point) };
        return { verb, point, tries: [again, again, { ...again, isNew: true }] };
      }),
    );
  }

  /** One scene, in which a process of each function ends; gives those that are to be tried in another way. */
  async #playTogether(
    together: readonly Open[],
  ): Promise<{ readonly played: number; readonly again: readonly Open[] }> {
    const turn = this.#turn();
    const [{ scene = '', isNew = false } = {}] = together[0]?.tries ?? [];
    const before = together.flatMap(({ tries }) => tries[0]?.after ?? []);
    const armed: readonly Point[] = [...together, ...before];
    this.#turns.set(turn.id, armed);
    for (const { verb, point } of armed) this.#functions.arm(verb, point);
    if (isNew) await Promise.all([...new Set(together.map(({ verb }) => verb))].map(this.#functions.startAnew));
    await this.#scene(scene, turn);
    const isKilled = ({ verb, point }: Open): boolean => this.#functions.killedAt(verb, point) !== undefined;
    // Work beside the answer comes a moment later.
    for (let looks = 0; looks < 10 && !together.every(isKilled); looks++) await delay(200);
    for (const { verb, point } of armed) this.#functions.disarm(verb, point);
    for (const { verb } of before) this.#actors.history.ended.push(verb);
    const later = this.#metAfter(this.#options.verbs ?? FUNCTIONS, turn.id, scene);
    const again = together.flatMap((one) => {
      const { verb, point, tries } = one;
      if (!isKilled(one)) {
        if (tries.length > 1) return [{ verb, point, tries: tries.slice(1) }];
        this.#note(verb, point, 'missed');
        return [];
      }
      this.#actors.history.ended.push(verb);
      this.#note(verb, point, 'repaired');
      return [];
    });
    return { played: together.length - again.length, again: [...again, ...later] };
  }

  /** Points whose process ended while it worked on the proposal; where no event names it, those that were armed for it. */
  #pointsOf(id: string): readonly Point[] {
    const sent = this.#actors.history.sent.find((one) => one.id === id);
    const pid = sent && this.#actors.pid(sent);
    const named = [...this.#turns.values()].flat().filter(({ verb, point }) => {
      const words = this.#functions.killedAt(verb, point)?.split(/[^A-Za-z0-9]+/) ?? [];
      return words.includes(id) || (pid !== undefined && words.includes(pid));
    });
    return named.length ? named : (this.#turns.get(id) ?? []);
  }

  #fatesOf(verb: GateFunctionName): Record<string, Fate> {
    this.#played.fates[verb] ??= {};
    return this.#played.fates[verb];
  }

  #note(verb: GateFunctionName, point: string, fate: Fate): void {
    this.#fatesOf(verb)[point] = fate;
  }

  /** The compiler takes half a minute to tell how far a function reaches: it is asked only where the answer is remembered. */
  #rowsOf(verbs: readonly GateFunctionName[]): KillRow[] {
    const isTold = this.#options.file !== undefined;
    const reachable = isTold ? this.#functions.reachable(verbs) : new Map();
    const rows = verbs.map((verb): KillRow => {
      const fates = { repaired: 0, failed: 0, missed: 0 };
      for (const fate of Object.values(this.#fatesOf(verb))) fates[fate] += 1;
      const known = this.#functions.known(verb);
      const within: ReadonlySet<string> = reachable.get(verb) ?? new Set(known);
      const met = this.#metOf(verb);
      for (const point of met)
        if (!within.has(point))
          this.#unfinished.push(`${verb} comes by ${point}, which was taken for out of its reach`);
      const unmet = byReason(
        verb,
        [...within].filter((point) => !met.includes(point)),
      );
      return { verb, awaits: known.length, reachable: within.size, met: met.length, fates, unmet };
    });
    if (isTold)
      this.#played.unmet = Object.fromEntries(rows.map(({ verb, unmet }) => [verb, Object.fromEntries(unmet)]));
    return rows;
  }

  #write(): void {
    if (this.#options.file !== undefined) remember(this.#options.file, this.#played);
  }
}
