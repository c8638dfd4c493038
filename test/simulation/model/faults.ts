/** Lets port calls and runs of functions fail, wait, come twice and end their process. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { SlackBusyError, SlackProblemError } from '../../../shared/adapters/slack/posting/errors.ts';
import { ReplyRefusedError } from '../../../shared/ports/stores/outbox.ts';
import type { FakeClock } from '../../../shared/testing/fake-clock.ts';
import type { Container, Containers } from './containers.ts';
import { CALM_AT, type Fault, type Lag, type Outage, type Plan } from './plan.ts';
import { diceOf, firstOf, namedSeed, numbered, seedOf } from './random.ts';

/** One run of a function. */
export interface Process {
  readonly name: string;
  readonly startedAt: number;
  /** How far its clock is off. */
  readonly skew: number;
  /** Lives on after the run, with what it holds. */
  readonly container: Container;
  isGone: boolean;
  /** Tells its caller that it is gone; nothing in it goes on. */
  end(): void;
}

class GoneError extends Error {
  override readonly name = 'GoneError';
}

/** As each function has when it is deployed. */
const TIMEOUTS_MS: Readonly<Record<string, number>> = {
  evaluate: 10_000,
  slack: 10_000,
  deliberate: 60_000,
  redeem: 30_000,
  report: 30_000,
  'send-webhooks': 30_000,
  'execute-tool': 290_000,
};
const USUAL_TIMEOUT_MS = 60_000;
/** Clocks of most runs are off by no more, so that the judge is strict; those of one run of `WIDE_ONE_IN` by far more. */
const USUAL_SKEW_MS = 1_000;
const WIDE_SKEW_MS = 30_000;
const WIDE_ONE_IN = 8;
/** How far the clock of a function may be off in this run. Two of them are apart by up to twice as much. */
export const maxSkewOf = ({ seed }: Pick<Plan, 'seed'>): number =>
  firstOf(namedSeed(seed, 'clocks')) < 1 / WIDE_ONE_IN ? WIDE_SKEW_MS : USUAL_SKEW_MS;
/** So far a process trusts its own clock against that which a table states. */
const MAX_SHARED_SKEW_MS = 2_000;
const SLOW_MS = [1, 5, 50, 400, 2_000, 12_000, 70_000] as const;

/** Called by somebody who waits for the answer: only queues, schedules and workflows deliver twice. */
const SYNCHRONOUS: ReadonlySet<string> = new Set(['slack', 'redeem', 'report', 'bring back', 'canary', 'agent']);

/** Ports whose adapters make requests of DynamoDB. */
const STORES: ReadonlySet<string> = new Set([
  ...['claims', 'approvals', 'journal', 'control', 'delegations', 'audit', 'sessions', 'tasks', 'conversations'],
  ...['lists', 'permits', 'results', 'modelAnswers', 'replyStore'],
]);
const isOfStores = (call: string): boolean => STORES.has(call.slice(0, call.indexOf('.')));

const QUERY = 'dynamo.Query';
/** A look at what is due asks each partition of an index: one of these fails as often as any other call of a port. */
const LOOK = 'dynamo.Query of an index';
const QUERIES_OF_A_LOOK = 17;
const queryOf = (input: unknown): string =>
  (input as { readonly IndexName?: string }).IndexName === undefined ? QUERY : LOOK;

/** Requests of which an answer may be only a part, and those that the SDK sends again where the answer is lost. */
const IN_PARTS: ReadonlySet<string> = new Set([QUERY, LOOK, 'dynamo.BatchGetItem', 'dynamo.TransactWriteItems']);
const SENT_AGAIN: ReadonlySet<string> = new Set([
  ...['dynamo.PutItem', 'dynamo.UpdateItem', 'dynamo.DeleteItem', 'dynamo.TransactWriteItems'],
]);

/** A tool at work: it fails by nothing but the end of its process, or it would be run again where it may be. */
const WORK = 'work.goOn';

/** Answered by the process itself. */
const AT_ONCE: ReadonlySet<string> = new Set(['limits.rate.peek', 'rates.peek']);

/** Counts calls of one method of a port, or runs of one function. */
interface Counter {
  readonly name: string;
  /** Derives from the run's seed and the name. */
  readonly seed: number;
  /** Outages of the plan that hit it. */
  readonly outages: readonly Outage[];
  count: number;
}

type Method = (...given: unknown[]) => unknown;
type Effect = (...more: unknown[]) => unknown;

/** As an async function has it. */
function settled(method: Method, port: object, given: readonly unknown[]): Promise<unknown> {
  try {
    const result = Reflect.apply(method, port, given);
    return result instanceof Promise ? result : Promise.resolve(result);
  } catch (error) {
    return Promise.reject(error);
  }
}

/** Is told of the calls whose names it is about. */
type Observer = (name: string, given: readonly unknown[], result: unknown, process: Process | undefined) => void;

export class Faults {
  /** Faults that were met, by the call that met them: the schedule of this run. */
  readonly met = new Map<string, Fault>();
  readonly #plan: Plan;
  readonly #clock: FakeClock;
  readonly #began: number;
  readonly #maxSkew: number;
  readonly #counters = new Map<string, Counter>();
  readonly #outages: readonly Outage[];
  /** Agents whose own queue takes nothing, for good. */
  readonly #muted: ReadonlySet<string>;
  /** How long each call takes at most, and from when on. */
  readonly #lag: Lag | undefined;
  readonly #running = new AsyncLocalStorage<Process>();
  readonly #seen: ReadonlySet<string>;
  readonly #containers: Containers;
  readonly #observe: Observer;
  readonly #onEnd: (name: string) => void;

  constructor(
    plan: Plan,
    clock: FakeClock,
    containers: Containers,
    seen: ReadonlySet<string>,
    observe: Observer,
    onEnd: (name: string) => void,
  ) {
    this.#plan = plan;
    this.#clock = clock;
    this.#began = clock.now();
    this.#maxSkew = maxSkewOf(plan);
    this.#outages = plan.steps.filter((step) => step.do === 'outage');
    this.#lag = plan.steps.find((step) => step.do === 'lag');
    this.#muted = new Set(plan.steps.flatMap((step) => (step.do === 'mute' ? [step.agent] : [])));
    this.#containers = containers;
    this.#seen = seen;
    this.#observe = observe;
    this.#onEnd = onEnd;
  }

  /** The time as the running process has it. */
  now(): number {
    return this.#clock.now() + this.#skew;
  }

  /** The time as the running process has it once a table has answered it. */
  sharedNow(): number {
    return this.#clock.now() + Math.max(-MAX_SHARED_SKEW_MS, Math.min(MAX_SHARED_SKEW_MS, this.#skew));
  }

  get #skew(): number {
    return this.#running.getStore()?.skew ?? 0;
  }

  /** Whether something that is no port of the gate's does not work now. */
  isOut(name: string): boolean {
    return this.#outageOf(this.#counterOf(name)) !== undefined;
  }

  get process(): Process | undefined {
    return this.#running.getStore();
  }

  readonly wrap = <Port extends object>(name: string, port: Port): Port => {
    const wrapped: Record<PropertyKey, unknown> = {};
    for (const key of methodsOf(port)) {
      const call = `${name}.${key}`;
      const method = Reflect.get(port, key) as Method;
      if (AT_ONCE.has(call)) {
        wrapped[key] = (...given: unknown[]) => method.apply(port, given);
        continue;
      }
      if (call === QUERY) {
        wrapped[key] = (...given: unknown[]) => this.#call(this.#counterOf(queryOf(given[0])), method, port, given);
        continue;
      }
      // Most methods are never called in a run.
      let counter: Counter | undefined;
      wrapped[key] = (...given: unknown[]) => {
        counter ??= this.#counterOf(call);
        return this.#call(counter, method, port, given);
      };
    }
    return wrapped as Port;
  };

  /** Runs a function as a process of its own. A message that is delivered twice is worked by two. */
  readonly invoke = <Result>(name: string, work: () => Promise<Result>): Promise<Result> => {
    const fault = this.#faultOf(this.#counterOf(`run ${name}`), 'run');
    if (fault?.kind === 'late') return this.#sleep(fault.ms).then(() => this.#start(name, work));
    if (fault?.kind === 'twice' && !SYNCHRONOUS.has(name))
      void this.#sleep(fault.ms).then(() => this.#start(name, work).catch(() => undefined));
    return this.#start(name, work);
  };

  #start<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    const counter = this.#counterOf(`process ${name}`);
    counter.count += 1;
    const skewed = () => firstOf(seedOf(this.#plan.seed, name, counter.count)) * 2 - 1;
    const skew = this.#plan.rate > 0 ? Math.round(skewed() * this.#maxSkew) : 0;
    const container = this.#containers.take(name, numbered(counter.seed, counter.count));
    const process: Process = {
      name,
      startedAt: this.#clock.now(),
      skew,
      container,
      isGone: false,
      end: () => {
        process.isGone = true;
        this.#onEnd(name);
        reject(new GoneError(`${name}: the process is gone`));
      },
    };
    const done = () => {
      if (!process.isGone) this.#containers.giveBack(container);
    };
    this.#running.run(process, () => work().then(resolve, reject).then(done));
    return promise;
  }

  /** Most calls meet nothing, and then cost neither a promise nor a function of their own. */
  #call(counter: Counter, method: Method, port: object, given: readonly unknown[]): Promise<unknown> {
    const { name } = counter;
    const process = this.#running.getStore();
    const isMuted = name === 'replies.send' && this.#muted.has(String(given[0]));
    const isLate = process?.isGone || isMuted || this.#lag || this.#outageOf(counter);
    const fault = isLate ? undefined : this.#faultNow(counter);
    const isSeen = this.#seen.has(name);
    if (!isLate && !fault && !isSeen) return settled(method, port, given);
    const effect: Effect = (...more) => method.apply(port, more.length ? [...given, ...more] : [...given]);
    const seen = async (...more: unknown[]) => {
      const result = await effect(...more);
      this.#observe(name, given, result, process);
      return result;
    };
    const done = isSeen ? seen : effect;
    if (isLate) return this.#callLate(counter, done, process, isMuted);
    return fault ? this.#meet(fault, name, done, process) : seen();
  }

  async #callLate(counter: Counter, done: Effect, process: Process | undefined, isMuted: boolean): Promise<unknown> {
    const { name } = counter;
    if (process?.isGone) throw new GoneError(`${name}: the process is gone`);
    if (isMuted) throw new ReplyRefusedError('the queue is gone');
    if (this.#lag) await this.#linger(name, this.#lag, process);
    const outage = this.#outageOf(counter);
    if (outage?.loses) return undefined;
    if (outage?.ends) {
      process?.end();
      throw new GoneError(`${name}: the process ends`);
    }
    if (outage) throw failureOf(name, 'out of service');
    const fault = this.#faultNow(counter);
    return fault ? this.#meet(fault, name, done, process) : done();
  }

  /** Draws a fault, unless a store on tables is called: there its requests meet the faults. */
  #faultNow(counter: Counter): Fault | undefined {
    return this.#plan.onTables && isOfStores(counter.name) ? undefined : this.#faultOf(counter, 'call');
  }

  async #meet(fault: Fault, name: string, done: Effect, process: Process | undefined): Promise<unknown> {
    switch (fault.kind) {
      case 'part':
        return done('part');
      case 'again':
        await done();
        return done();
      case 'before':
        throw failureOf(name, 'failed before its effect');
      case 'busy':
        throw new SlackBusyError(30);
      case 'after':
        await done();
        throw failureOf(name, 'failed after its effect');
      case 'end-after':
        await done();
        process?.end();
        throw new GoneError(name);
      case 'end-before':
        process?.end();
        throw new GoneError(name);
      case 'gone':
        return 'gone';
      case 'slow-before':
        await this.#slow(fault.ms, process);
        return done();
      case 'slow-after': {
        const result = await done();
        await this.#slow(fault.ms, process);
        return result;
      }
      default:
        return done();
    }
  }

  async #linger(name: string, { at, most }: Lag, process: Process | undefined): Promise<void> {
    if (this.#clock.now() - this.#began < at) return;
    const counter = this.#counterOf(`lag ${name}`);
    counter.count += 1;
    await this.#sleep(1 + diceOf(numbered(counter.seed, counter.count)).below(most));
    if (process?.isGone) throw new GoneError(`${name}: the process is gone`);
  }

  /** A call that does not come back in time takes its process with it. */
  async #slow(ms: number, process: Process | undefined): Promise<void> {
    const left = process ? process.startedAt + (TIMEOUTS_MS[process.name] ?? USUAL_TIMEOUT_MS) - this.#clock.now() : ms;
    await this.#sleep(Math.max(0, Math.min(ms, left)));
    if (ms < left || !process) {
      if (process?.isGone) throw new GoneError('the process is gone');
      return;
    }
    process.end();
    throw new GoneError('the function ran out of time');
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#clock.after(ms, resolve));
  }

  #outageOf({ outages }: Counter): Outage | undefined {
    if (!outages.length) return undefined;
    const at = this.#clock.now() - this.#began;
    return outages.find((outage) => at >= outage.at && at < Math.min(outage.at + outage.lasts, CALM_AT));
  }

  #counterOf(name: string): Counter {
    const known = this.#counters.get(name);
    if (known) return known;
    const hits = (port: string) => name === port || name.startsWith(`${port}.`);
    const outages = this.#outages.filter(({ ports }) => ports.some(hits));
    const counter: Counter = { name, seed: namedSeed(this.#plan.seed, name), outages, count: 0 };
    this.#counters.set(name, counter);
    return counter;
  }

  #faultOf(counter: Counter, about: 'call' | 'run'): Fault | undefined {
    const { rate: usual, faults } = this.#plan;
    if (usual === 0) return undefined;
    const rate = counter.name === LOOK ? usual / QUERIES_OF_A_LOOK : usual;
    counter.count += 1;
    const isCalm = this.#clock.now() - this.#began >= CALM_AT;
    if (isCalm) return undefined;
    const seed = numbered(counter.seed, counter.count);
    // Most calls meet nothing, which the first number says.
    if (!faults && firstOf(seed) >= rate * FAULTS_AND_WAITS) return undefined;
    const key = `${counter.name}#${counter.count}`;
    const fault = faults ? faults.get(key) : drawn(counter.name, about, rate, seed);
    if (fault) this.met.set(key, fault);
    return fault;
  }
}

/** A slow call is no fault: it changes the order of things, and is drawn more often. */
const FAULTS_AND_WAITS = 3;

function drawn(name: string, about: 'call' | 'run', rate: number, seed: number): Fault | undefined {
  const dice = diceOf(seed);
  if (!dice.chance(rate * FAULTS_AND_WAITS)) return undefined;
  if (about === 'run')
    return dice.chance(0.5)
      ? { kind: 'late', ms: dice.one([1, 50, 3_000, 40_000]) }
      : { kind: 'twice', ms: dice.one([0, 20, 3_000, 65_000, 300_000]) };
  if (name === WORK) return { kind: 'end-before' };
  if (dice.chance(0.6)) return { kind: dice.chance(0.5) ? 'slow-before' : 'slow-after', ms: dice.one(SLOW_MS) };
  if (name === 'workflow.completeWait' && dice.chance(0.3)) return { kind: 'gone' };
  if (name.startsWith('slack.') && dice.chance(0.3)) return { kind: 'busy' };
  if (IN_PARTS.has(name) && dice.chance(0.4)) return { kind: 'part' };
  if (SENT_AGAIN.has(name) && dice.chance(0.3)) return { kind: 'again' };
  return { kind: dice.one(['before', 'after', 'end-before', 'end-after'] as const) };
}

function failureOf(name: string, what: string): Error {
  if (name.startsWith('slack.')) return new SlackProblemError(undefined);
  return new Error(`${name} ${what}`);
}

const methods = new WeakMap<object, readonly string[]>();

/** Own methods and inherited ones; methods of one class are looked up once. */
function methodsOf(port: object): readonly string[] {
  const prototype = Object.getPrototypeOf(port) as object;
  if (prototype === Object.prototype || prototype === null)
    return Object.keys(port).filter((key) => typeof Reflect.get(port, key) === 'function');
  const known = methods.get(prototype);
  if (known) return known;
  const names = Object.getOwnPropertyNames(prototype).filter(
    (key) => key !== 'constructor' && typeof Reflect.get(port, key) === 'function',
  );
  methods.set(prototype, names);
  return names;
}
