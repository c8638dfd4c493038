/** Plays one plan on the gate in memory, in virtual time, under the schedule of its faults. */
import { createMemoryGate } from '../../../shared/adapters/memory/gate.ts';
import type { MemoryGate } from '../../../shared/adapters/memory/gate-parts.ts';
import { getOrAdd } from '../../../shared/adapters/memory/stores/state.ts';
import { secretlintDetector } from '../../../shared/adapters/secretlint/detector.ts';
import { pidOf } from '../../../shared/domain/digest.ts';
import type { Attempt, GuardedTool } from '../../../shared/guardrails/settings/call.ts';
import { loadShellParser } from '../../../shared/permissions/shell/parser.ts';
import type { DeadLetters } from '../../../shared/ports/dead-letters.ts';
import type { GateEvent } from '../../../shared/ports/gate-events.ts';
import type { AuditRecord } from '../../../shared/ports/stores/audit-log.ts';
import type { Claim } from '../../../shared/ports/stores/claim-store.ts';
import { countingIds } from '../../../shared/testing/counting-ids.ts';
import { UNREGISTERED } from '../../../shared/use-cases/identity.ts';
import { CountingClock } from '../model/clock.ts';
import { Containers } from '../model/containers.ts';
import { Faults, maxSkewOf, type Process } from '../model/faults.ts';
import { type Effect, History } from '../model/history.ts';
import { CALM_AT, numberIn, type Plan, type Propose, type Step } from '../model/plan.ts';
import { documentsFor, type FlowName, LIMITS, TOOLS } from '../model/policies.ts';
import { diceOf } from '../model/random.ts';
import { inMemory, type Stored } from '../model/stored.ts';
import { noteTroubles } from '../model/troubles.ts';
import { TablesOfRun } from '../tables/run.ts';
import { ChatOfRun } from './chat.ts';
import { DeadLettersOfRun } from './dead-letters.ts';
import { Deciding } from './deciding.ts';
import { EndpointOfRun } from './endpoint.ts';
import { hooksOf } from './hooks.ts';
import { CLASSIFIER, modelOf } from './models.ts';
import { SendersOfRun } from './registered.ts';
import { ChannelOfCards } from './slack.ts';
import { WebhooksOfRun } from './webhooks.ts';
import { Workspace } from './workspace.ts';

const parser = await loadShellParser();
const detector = secretlintDetector();
const DIGEST_KEY = new Uint8Array(32);
const MINUTE = 60_000;
const DAY_MS = 24 * 60 * MINUTE;
/** After the last fault: everything that was decided, lost or set aside has come to its end by then. */
const CALM_MS = 50 * MINUTE;
/** Between looks once faults ended: what came back by a redelivery has its end by the first. */
const LOOK_MS = 5 * MINUTE;
/** The bells of the reconciler, and on tables of the count of what waits and of the seal: while no row is due, they change nothing. */
const BELLS = { memory: 1, tables: 3 } as const;
const DEPLOYMENT = 'simulated';

/** Calls of ports that do what somebody outside can see later: `#see` hears of no others. */
const SEEN: ReadonlySet<string> = new Set([
  ...['claims.claim', 'claims.open', 'approvals.finish', 'approvals.finishUnread'],
  ...['approvals.postpone', 'approvals.storeToken', 'audit.put', 'webhooks.put'],
]);

export class World {
  readonly plan: Plan;
  readonly clock = new CountingClock();
  readonly containers: Containers;
  readonly faults: Faults;
  readonly history: History;
  readonly slack: ChannelOfCards;
  readonly gate: MemoryGate;
  readonly ids = countingIds();
  /** Tokens of workflows that wait or waited. */
  readonly tokens = new Set<string>();
  /** Faults as functions log them. */
  readonly logged: string[] = [];
  /** How often a row of an approval was looked at and left as it was, by its pid. */
  readonly looks = new Map<string, number>();
  /** By agent and id: agents look at their decisions all the time. */
  readonly #pids = new Map<string, string>();
  readonly #work: { goOn(): Promise<void> };
  /** For what agents and people do by chance. */
  readonly random: () => number;

  /** The same gate, seen without faults. */
  readonly stored: Stored;
  readonly #tables: TablesOfRun | undefined;
  readonly #webhooks: WebhooksOfRun | undefined;
  readonly #workspace: Workspace;
  /** The moment of the last step. */
  readonly #lastAt: number;
  /** Ports of the gate's that the world plays in some runs. */
  readonly #standIns: Readonly<Record<string, object>>;
  /** Runs a function of the gate. */
  readonly invoke: Faults['invoke'];
  readonly deployment = DEPLOYMENT;
  /** The policy files of this run, by name. */
  readonly documents: ReturnType<typeof documentsFor>;
  /** Absent: what people click comes from behind it. */
  readonly endpoint: EndpointOfRun | undefined;
  readonly chat: ChatOfRun;
  readonly deadLetters: DeadLettersOfRun;
  readonly deciding = new Deciding();

  constructor(plan: Plan, isTold = false) {
    this.plan = plan;
    const began = this.clock.now();
    const calm = began + CALM_AT;
    const terms = { apartMs: 2 * maxSkewOf(plan), calmAt: calm, waiting: LIMITS.waiting, isWhole: true };
    this.history = new History(began, isTold, terms);
    noteTroubles(plan, this.history);
    this.#lastAt = plan.steps.at(-1)?.at ?? 0;
    const has = (what: Step['do']) => plan.steps.some((step) => step.do === what);
    this.documents = documentsFor({ talk: has('talk') || has('ask'), canary: has('canary') });
    this.slack = new ChannelOfCards(this.clock);
    this.containers = new Containers(plan.seed, this.documents.usual, () => this.clock.now());
    this.faults = new Faults(
      plan,
      this.clock,
      this.containers,
      SEEN,
      (name, given, result, process) => this.#see(name, given, result, process),
      (name) => this.history.ended.push(name),
    );
    this.#work = this.faults.wrap('work', { goOn: async () => undefined });
    const dice = diceOf(plan.seed ^ 0x5bd1e995);
    this.random = () => dice.next();
    this.#tables = plan.onTables ? new TablesOfRun(this) : undefined;
    const receive = plan.steps.find((step) => step.do === 'receive');
    this.#webhooks = receive && new WebhooksOfRun(this, receive);
    this.#workspace = new Workspace(this);
    const senders = has('dismiss') ? new SendersOfRun(this) : undefined;
    this.#standIns = {
      ...(this.#webhooks ? { webhooks: this.#webhooks.replayed } : {}),
      ...(has('redrive') ? { deadLetters: { redrive: this.#redrive } } : {}),
      ...(senders ? { agents: senders.registry('agents'), operators: senders.registry('operators') } : {}),
    };
    this.invoke = this.#webhooks?.invoke ?? this.faults.invoke;
    this.gate = createMemoryGate({
      ...(this.#tables ? { stores: this.#tables.stores } : {}),
      document: this.documents.usual,
      clock: { now: () => this.faults.now() },
      sharedClock: { now: () => this.faults.sharedNow() },
      timers: this.clock,
      ids: this.ids,
      shell: async () => parser,
      detector: async () => detector,
      poster: this.faults.wrap('slack', this.slack),
      deployment: DEPLOYMENT,
      digestKey: DIGEST_KEY,
      tools: TOOLS.map((name) => this.#tool(name)),
      random: this.random,
      model: {
        name: 'anthropic/judge-1',
        timeoutMs: 10_000,
        classifier: this.faults.wrap('classifier', CLASSIFIER),
        after: (ms, work) => this.clock.after(ms, work),
      },
      models: {
        client: () => ({
          name: 'claude',
          timeoutMs: 10_000,
          cost: () => 0,
          llm: this.faults.wrap('llm', modelOf(this.random)),
        }),
        after: (ms, work) => this.clock.after(ms, work),
      },
      hooks: {
        caller: this.faults.wrap('hooks', hooksOf(this)),
        after: (ms, work) => this.clock.after(ms, work),
      },
      atOnce: 4,
      wrap: (name, port) => this.#wrap(name, port),
      invoke: this.invoke,
      onEvent: (event) => this.#webhooks?.emit(event),
      people: this.#workspace.people,
      process: () => this.faults.process?.container,
      onFault: (where, error) => {
        this.logged.push((error as Error).message);
        this.tell(() => `${where}: ${(error as Error).message}`);
      },
    });
    const endpoint = plan.steps.find((step) => step.do === 'endpoint');
    this.endpoint = endpoint && new EndpointOfRun(this, endpoint);
    this.chat = new ChatOfRun(this, this.#tables?.replies);
    const { cards } = this.gate.queues;
    const draw = cards.send.bind(cards);
    this.deadLetters = new DeadLettersOfRun(this, {
      cards: (raw, group) => draw(JSON.parse(raw), group),
      webhooks: (raw) => this.#webhooks?.bringBack(raw),
    });
    if (has('set aside'))
      cards.send = (message, group) => {
        if (!this.deadLetters.take('cards', JSON.stringify(message), group)) draw(message, group);
      };
    const { state, inputs } = this.gate.parts;
    this.stored = this.#tables?.stored ?? inMemory(state, inputs);
    for (const deployed of this.history.deployed) deployed.version = this.gate.parts.policy.version;
  }

  readonly tell = (line: () => string): void => this.history.tell(this.clock.now(), line);

  /** Until nothing can happen any more. */
  async play(begin: (world: World) => void, comeBack: (world: World) => void): Promise<void> {
    begin(this);
    await this.#untilOver(CALM_AT);
    const idle = this.plan.steps.find((step) => step.do === 'idle');
    if (idle) {
      this.history.jumps.push(this.clock.now());
      this.clock.jump(idle.days * DAY_MS);
      this.tell(() => `${idle.days} days later`);
      if (idle.deletes) this.#tables?.deleteExpired();
      comeBack(this);
      await this.#untilOver(0);
    }
    this.gate.stop();
    this.chat.stop();
    if (this.#webhooks) {
      this.#tables?.stop();
      await this.#webhooks.finish();
    }
    const failed = [...this.faults.met].filter(([, { kind }]) => !kind.startsWith('slow-'));
    this.history.isDeferredOut ||= failed.some(([call]) => call.startsWith('deferred.'));
  }

  /** `calm`: from so long after now on, an end is looked for although somebody waits for something. */
  async #untilOver(calm: number): Promise<void> {
    const bells = this.#tables ? BELLS.tables : BELLS.memory;
    for (let waited = 0; waited < calm + CALM_MS; waited += MINUTE) {
      await this.clock.advance(MINUTE);
      const isCalm = waited > calm && (waited - calm) % LOOK_MS === 0;
      if ((isCalm || this.clock.waiting <= bells) && (await this.#isOver())) return;
    }
  }

  async #isOver(): Promise<boolean> {
    const { approvals, permits } = this.stored;
    if (this.clock.now() - this.history.began < this.#lastAt) return false;
    const decided = new Set(this.history.decided.map(({ decision }) => decision.proposalId));
    if (!this.history.sent.every(({ id, spoilt }) => spoilt || decided.has(id))) return false;
    if (![...this.history.choices, ...this.history.asks].every(({ id }) => decided.has(id))) return false;
    const { cards: _, ...queues } = this.gate.queues;
    if (Object.values(queues).some(({ unanswered }) => unanswered > 0)) return false;
    if (this.gate.workflow.waiting || (await permits.due(Number.MAX_SAFE_INTEGER, 1)).length) return false;
    if (this.#tables?.isBehind || !this.chat.isIdle) return false;
    return !(await approvals.due(Number.MAX_SAFE_INTEGER, 1)).length;
  }

  /** In memory the record has no archive. */
  archiveFindings = async (): Promise<readonly string[]> => this.#tables?.archiveFindings() ?? [];

  noteSent(step: Propose): void {
    this.history.sent.push({ ...step, sentAt: this.clock.now() });
    this.tell(() => `${step.agent} sends ${step.id}: ${step.tool} ${step.number}`);
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => void this.clock.after(ms, resolve));
  }

  pid(agent: string, id: string): string {
    return getOrAdd(this.#pids, `${agent}/${id}`, () => pidOf(DEPLOYMENT, agent, id));
  }

  /** The actions that a card asks about, if its question is the present one. */
  async actionsOf(pid: string, questionDigest: string): Promise<string[]> {
    const view = await this.stored.approvals.read(pid).catch(() => undefined);
    const question = view?.approval.question;
    if (question?.digest !== questionDigest || question.kind !== 'calls') return [];
    return question.calls.map(({ actionDigest }) => actionDigest);
  }

  /** The flow that a choice's card asks about, if its question is the present one. */
  async flowOn(pid: string, questionDigest: string): Promise<FlowName | undefined> {
    const view = await this.stored.approvals.read(pid).catch(() => undefined);
    const question = view?.approval.question;
    if (question?.digest !== questionDigest || question.kind !== 'choice') return undefined;
    return question.proposed.flowId as FlowName;
  }

  /** Events are told inside of the faults that a port's caller meets: of a write that fails after it took effect, too. */
  #wrap<Port extends object>(name: string, port: Port): Port {
    const given = (this.#standIns[name] as Port | undefined) ?? port;
    return this.faults.wrap(name, this.#webhooks ? this.#webhooks.telling(name, given) : given);
  }

  readonly #redrive: DeadLetters['redrive'] = (queue, limit) => this.deadLetters.port.redrive(queue, limit);

  /** A tool that the gate runs: what it does is the effect. */
  #tool(name: string): GuardedTool {
    return {
      name,
      origin: 'local',
      execute: async ({ correlationId, input }: Attempt) => {
        if (this.faults.isOut('tool')) throw new Error('the tool does not work');
        const [id = '', permitId = ''] = correlationId.split(':');
        const at = this.clock.now();
        const since = this.faults.process?.startedAt ?? at;
        const number = numberIn(input, Number.NaN);
        const effect: Effect = { at, since, id, number, permitId, by: 'gate', until: Number.POSITIVE_INFINITY };
        this.history.effects.push(effect);
        this.tell(() => `EFFECT of ${id}, run by the gate`);
        await this.sleep(100 + Math.floor(this.random() * 2_000));
        // A tool in the process ends with it.
        effect.until = this.clock.now();
        effect.isInterrupted = true;
        await this.#work.goOn();
        effect.isInterrupted = false;
        effect.until = Number.POSITIVE_INFINITY;
        await this.sleep(Math.floor(this.random() * 2_000));
        effect.until = this.clock.now();
        return { done: id };
      },
    };
  }

  /** Notes what a port call did that somebody outside of the gate can see later. */
  #see(name: string, given: readonly unknown[], result: unknown, process: Process | undefined): void {
    if (name === 'approvals.postpone') {
      const [pid, , , isDecided] = given as [string, number, number, boolean?];
      // The queue of an agent may be tried for a while.
      if (!isDecided) this.looks.set(pid, (this.looks.get(pid) ?? 0) + 1);
    }
    if (name === 'webhooks.put') this.history.events.push(given[1] as readonly GateEvent[]);
    // Tables tell of their writes themselves: a call of a store may end between two of its requests.
    if (this.#tables) return;
    if (name === 'claims.claim' && (result as { kind: string }).kind === 'claimed') {
      this.noteDecided((given[0] as Claim).record, process);
    } else if ((name === 'approvals.finish' || name === 'approvals.finishUnread') && result === 'written') {
      this.noteDecided(given[1] as AuditRecord, process);
    } else if (name === 'claims.open' && (result as { kind: string }).kind === 'claimed') {
      const { approval } = given[1] as { approval: { agent: string; proposalId: string } };
      this.noteOpened(approval, this.gate.parts.state.waitingOf('agent', approval.agent), process);
    } else if (name === 'approvals.storeToken') {
      const [, { token }] = given as [string, { readonly token: string }];
      this.tokens.add(token);
    } else if (name === 'audit.put') {
      this.noteEntry(given[0] as AuditRecord, result === true, process);
    }
  }

  noteDecided({ decision, key }: AuditRecord, process: Process | undefined): void {
    const [at, since] = this.#when(process);
    if (decision) {
      this.history.decided.push({ at, since, agent: key.agent, decision });
      this.deciding.note(key.agent, decision.proposalId);
    }
    this.tell(() => `${process?.name} decides ${decision?.proposalId}: ${decision?.outcome} ${decision?.reasonCode}`);
  }

  /** `waiting`: how many questions of the agent wait, with this one. */
  noteOpened(
    { agent, proposalId }: { readonly agent: string; readonly proposalId: string },
    waiting: number,
    process: Process | undefined,
  ): void {
    const [at, since] = this.#when(process);
    this.history.opened.push({ at, since, agent, id: proposalId, waiting });
    this.tell(() => `${process?.name} asks people about ${proposalId}`);
  }

  /** An entry of the record; not `isNew`: its key was taken, which is for its writer to find. */
  noteEntry({ key, entry }: AuditRecord, isNew: boolean, process: Process | undefined): void {
    const { history } = this;
    const [at] = this.#when(process);
    if (isNew) {
      const name = `${key.agent}#${key.pid}#${key.sort}`;
      if (history.entries.has(name)) history.overwritten.push(name);
      history.entries.add(name);
    }
    const isOperation = key.agent === '-operations' || key.agent === UNREGISTERED;
    const about = isOperation ? entry.operation?.operationId : undefined;
    // An entry that is not there tells nobody anything.
    if (about === undefined || !isNew) return;
    const { votes } = history;
    const operation = history.orders.find(({ id }) => id === about);
    if (operation && entry.accepted) operation.doneAt ??= at;
    else if (operation) operation.refusedAt ??= at;
    const vote = votes.find(({ requestId }) => requestId === about);
    // A message that was refused may come again, and count then.
    if (vote && (entry.accepted || vote.told === undefined)) {
      vote.told = entry.accepted ? 'counted' : `refused as ${entry.reasonCode}`;
      vote.toldAt = at;
    }
    this.tell(() => `${process?.name} records operation ${about}: ${entry.reasonCode}`);
  }

  #when(process: Process | undefined): readonly [at: number, since: number] {
    const at = this.clock.now();
    return [at, process?.startedAt ?? at];
  }
}
