/** Ends a process of each function at each of its awaits, and has the history judged. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { FUNCTIONS, type GateFunctionName } from '../../../cdk/constructs/function-names.ts';
import { run } from '../../../shared/dev/aws/run.ts';
import { invoke } from '../../e2e/harness/functions.ts';
import type { Problem } from '../../simulation/judge.ts';
import { diceOf } from '../../simulation/random.ts';
import { Actors } from '../actors.ts';
import type { CampaignGate } from '../gate.ts';
import { endAll } from '../interleave.ts';
import { comingAgainSoon } from '../queues.ts';
import { judged } from '../record.ts';
import { PointedFunctions } from './functions.ts';
import { SCENES, type Scene, type Turn } from './scenes.ts';

/** Functions whose points are played side by side: each kill pays for a new process. */
const LANES = 4;
const IDLE_MS = 200;

export type Fate = 'repaired' | 'failed' | 'missed';

export interface KillRow {
  readonly verb: GateFunctionName;
  /** Awaits in its bundle, those that a scene comes by, and those that were played, in this run or before. */
  readonly awaits: number;
  readonly met: number;
  readonly fates: Readonly<Record<Fate, number>>;
}

export interface Killed {
  readonly rows: readonly KillRow[];
  readonly problems: readonly Problem[];
}

export interface KillOptions {
  readonly seed: number;
  /** Of each function: points, drawn by the seed; those of earlier runs are not played again. */
  readonly count: number;
  /** Of killing; the scenes that are played before, and the judgement, come besides. */
  readonly minutes: number;
  /** Remembers what was played, for a run that goes on. */
  readonly file?: string | undefined;
  readonly verbs?: readonly GateFunctionName[] | undefined;
}

/** Points of these sources that were played, by function. */
interface Played {
  readonly digest: string;
  readonly fates: Record<string, Record<string, Fate>>;
}

export async function kill(gate: CampaignGate, options: KillOptions): Promise<Killed> {
  const functions = new PointedFunctions();
  await functions.deploy();
  await comingAgainSoon();
  const campaign = new Campaign(await Actors.on(gate), functions, options);
  try {
    return await campaign.play();
  } finally {
    await functions.restore();
  }
}

const ALL_SCENES: Readonly<Record<string, Scene>> = Object.assign({}, ...Object.values(SCENES));

async function inLanes(work: () => Promise<void>): Promise<void> {
  await Promise.all(Array.from({ length: LANES }, work));
}

class Campaign {
  readonly #actors: Actors;
  readonly #functions: PointedFunctions;
  readonly #options: KillOptions;
  readonly #played: Played;
  /** By function and point, the scenes that came by it. */
  readonly #scenes = new Map<string, string>();
  /** By the id of a turn, the point that was played for it. */
  readonly #turns = new Map<string, { readonly verb: GateFunctionName; readonly point: string }>();
  #numbers = 0;

  constructor(actors: Actors, functions: PointedFunctions, options: KillOptions) {
    this.#actors = actors;
    this.#functions = functions;
    this.#options = options;
    this.#played = playedBefore(options.file, functions.digest);
  }

  async play(): Promise<Killed> {
    const verbs = this.#options.verbs ?? FUNCTIONS;
    await this.#meet(verbs);
    await this.#playAll(verbs);
    this.#actors.calm();
    await endAll(
      this.#actors.history.sent.map(({ id }) => id),
      this.#actors,
    );
    const { problems } = await judged(this.#actors);
    const all = [...problems, ...(await this.#recordProblems())];
    for (const { text } of all)
      for (const [id, { verb, point }] of this.#turns)
        if (text.split(/[ ,;]/).includes(id)) this.#note(verb, point, 'failed');
    this.#write();
    return { rows: verbs.map((verb) => this.#rowOf(verb)), problems: all };
  }

  /**
   * Each scene once, with nobody killed: the points that it comes by. Scenes are played side by side, so that a point may be taken for that of
   * another scene: then it is tried with all of its function.
   */
  async #meet(verbs: readonly GateFunctionName[]): Promise<void> {
    const line = new Set(verbs.flatMap((verb) => Object.keys(SCENES[verb]))).values();
    await inLanes(async () => {
      for (const name of line) {
        await this.#scene(name, this.#turn());
        for (const verb of verbs.filter((one) => Object.hasOwn(SCENES[one], name)))
          for (const point of this.#functions.met(verb)) {
            const key = `${verb} ${point}`;
            if (!this.#scenes.has(key)) this.#scenes.set(key, name);
          }
      }
    });
  }

  #scenesOf(verb: GateFunctionName): string[] {
    return [...this.#scenes.keys()].flatMap((key) => (key.startsWith(`${verb} `) ? [key.slice(verb.length + 1)] : []));
  }

  #turn(): Turn {
    const number = ++this.#numbers * 10;
    return { actors: this.#actors, id: `k${number}`, number };
  }

  async #scene(name: string, turn: Turn): Promise<void> {
    await ALL_SCENES[name]?.(turn).catch((error: unknown) =>
      console.log(`  ${name} ${turn.id}: ${(error as Error).message}`),
    );
  }

  /** One point of each function after the other, so that a run that has little time comes to all of them. */
  async #playAll(verbs: readonly GateFunctionName[]): Promise<void> {
    const { seed, count, minutes } = this.#options;
    const until = Date.now() + minutes * 60_000;
    const dice = diceOf(seed);
    const open = verbs.flatMap((verb) =>
      this.#scenesOf(verb)
        .filter((point) => !Object.hasOwn(this.#fatesOf(verb), point))
        .map((point) => ({ verb, point, at: dice.next() }))
        .toSorted((one, other) => one.at - other.at)
        .slice(0, count)
        .map(({ point }, turn) => ({ verb, point, turn })),
    );
    const line = open.toSorted((one, other) => one.turn - other.turn);
    const busy = new Set<GateFunctionName>();
    await inLanes(async () => {
      while (Date.now() < until && line.length) {
        const index = line.findIndex(({ verb }) => !busy.has(verb));
        const [next] = index < 0 ? [] : line.splice(index, 1);
        if (!next) {
          await delay(IDLE_MS);
          continue;
        }
        const { verb, point } = next;
        busy.add(verb);
        const fate = await this.#playPoint(verb, point);
        busy.delete(verb);
        this.#note(verb, point, fate);
        this.#write();
        console.log(`  ${verb} ${point}: ${fate === 'repaired' ? 'killed' : fate}; ${line.length} to come`);
      }
    });
  }

  /** Of points that only a new process comes by, the later tries begin with one. */
  async #playPoint(verb: GateFunctionName, point: string): Promise<Fate> {
    const scene = this.#scenes.get(`${verb} ${point}`) ?? '';
    const others = Object.keys(SCENES[verb]).filter((name) => name !== scene);
    for (const [tried, name] of [scene, scene, ...others].entries()) {
      const turn = this.#turn();
      this.#turns.set(turn.id, { verb, point });
      this.#functions.arm(verb, point);
      if (tried > 0) await this.#functions.startAnew(verb);
      await this.#scene(name, turn);
      // Work beside the answer comes a moment later.
      for (let looks = 0; looks < 10 && !this.#functions.hasKilled(verb); looks++) await delay(200);
      this.#functions.disarm(verb);
      if (!this.#functions.hasKilled(verb)) continue;
      this.#actors.history.ended.push(verb);
      return 'repaired';
    }
    return 'missed';
  }

  /** The archive holds every entry once, sealed, after what archives and seals was killed too. */
  async #recordProblems(): Promise<Problem[]> {
    const gate = this.#actors.gate;
    let output = '';
    for (let tried = 0; tried < 10; tried++) {
      await invoke('seal', {});
      const env = { ...(await gate.environmentOf('Auditor')), COUNTERSIGN_POLICY: gate.policyFile, NO_COLOR: '1' };
      const verified = await run(process.execPath, ['shared/cli/main.ts', 'audit', 'verify'], { env });
      if (verified.code === 0) return [];
      output = verified.output;
      await delay(3_000);
    }
    return [{ guarantee: 'G36', text: `the archive is not whole: ${output.slice(-500)}` }];
  }

  #fatesOf(verb: GateFunctionName): Record<string, Fate> {
    this.#played.fates[verb] ??= {};
    return this.#played.fates[verb];
  }

  #note(verb: GateFunctionName, point: string, fate: Fate): void {
    this.#fatesOf(verb)[point] = fate;
  }

  #rowOf(verb: GateFunctionName): KillRow {
    const fates = { repaired: 0, failed: 0, missed: 0 };
    for (const fate of Object.values(this.#fatesOf(verb))) fates[fate] += 1;
    return { verb, awaits: this.#functions.known(verb).length, met: this.#functions.met(verb).length, fates };
  }

  #write(): void {
    const { file } = this.#options;
    if (file === undefined) return;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${JSON.stringify(this.#played, null, 1)}\n`);
  }
}

function playedBefore(file: string | undefined, digest: string): Played {
  if (file !== undefined && existsSync(file)) {
    const before = JSON.parse(readFileSync(file, 'utf8')) as Played;
    if (before.digest === digest) return before;
  }
  return { digest, fates: {} };
}
