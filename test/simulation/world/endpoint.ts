/** Plays the endpoint of Slack: verifies bytes, and has Bolt answer them. */
import { type CachedSecrets, slackSecrets } from '../../../functions/runtime/clients/slack-secrets.ts';
import type { MemoryGate } from '../../../shared/adapters/memory/gate-parts.ts';
import type { AskedInSlack } from '../../../shared/contract/operation.ts';
import type { ConversationQueue } from '../../../shared/ports/conversation.ts';
import type { PendingApprovals } from '../../../shared/ports/inbox.ts';
import type { AuditRecord } from '../../../shared/ports/stores/audit-log.ts';
import type { CountingClock } from '../model/clock.ts';
import type { Container } from '../model/containers.ts';
import type { Faults } from '../model/faults.ts';
import type { History } from '../model/history.ts';
import type { Endpoint } from '../model/plan.ts';
import { PEOPLE, type PersonName } from '../model/policies.ts';
import type { Stored } from '../model/stored.ts';
import { APP, type SlackRequest, signedBy } from './slack-requests.ts';
import { reachSimulatedSlack, SlackSide } from './slack-side.ts';

/** The world that the endpoint is in. */
interface Around {
  readonly clock: CountingClock;
  readonly faults: Faults;
  readonly history: History;
  readonly gate: MemoryGate;
  readonly chat: { readonly queue: ConversationQueue };
  readonly invoke: Faults['invoke'];
  readonly stored: Pick<Stored, 'approvals'>;
  pid(agent: string, id: string): string;
}

/** Loaded with the first run that has an endpoint: Bolt takes long. */
const load = async () => ({
  ...(await import('../../../functions/slack/verify-request.ts')),
  ...(await import('../../../functions/slack/app.ts')),
  ...(await import('../../../functions/slack/clicks.ts')),
});
type Code = Awaited<ReturnType<typeof load>>;
let code: Code | undefined;

export async function loadEndpoint(): Promise<void> {
  if (code) return;
  reachSimulatedSlack((await import('@slack/web-api')).WebClient);
  code = await load();
}

/** A process of the function: what it holds, and the answer to the request that it works. */
interface Working {
  readonly handler: ReturnType<Code['answerVerified']>;
  /** In the words of the record. */
  heard: string | undefined;
}

interface Answered {
  readonly status: number;
  readonly body: string;
  readonly heard?: string;
}

/** As App Home reads of an agent. */
const MAX_SESSIONS = 200;

const KEYS = { older: 'the older signing secret', newer: 'the newer signing secret' } as const;
/** Entries about what a person did. */
const DEEDS: ReadonlySet<string> = new Set(['vote', 'pass', 'click']);

export class EndpointOfRun {
  readonly #world: Around;
  readonly #step: Endpoint;
  readonly #secrets: { text(): Promise<string> };
  readonly #operators: { send(asked: AskedInSlack): Promise<void> };
  /** Shows people forms, Homes and private answers. */
  readonly slack: SlackSide;
  readonly #working = new WeakMap<Container, Working>();

  constructor(world: Around, step: Endpoint) {
    this.#world = world;
    this.#step = step;
    const { began } = world.history;
    const { addedAt, switchedAt, removedAt } = step;
    this.removedAt = began + removedAt;
    world.history.endpoint = { addedAt: began + addedAt, switchedAt: began + switchedAt };
    this.#secrets = world.faults.wrap('secrets', { text: async () => this.#stored() });
    this.#operators = world.faults.wrap('operatorsQueue', { send: async (asked) => world.gate.askInSlack(asked) });
    this.slack = new SlackSide(world);
  }

  /** From then on the older key counts no more. */
  readonly removedAt: number;

  /** Slack signs with this key now. */
  get key(): string {
    return this.#now < this.#step.switchedAt ? KEYS.older : KEYS.newer;
  }

  /** Known to somebody who must not know it any more, once no process remembers it. */
  readonly oldKey = KEYS.older;

  /** How the gate names what somebody orders by a click, or by a form that it opened. */
  requestId(trigger: string, who: PersonName): string {
    return this.#code.requestId(trigger, PEOPLE[who].user);
  }

  formRequestId(view: Parameters<Code['formRequestId']>[0]): string {
    return this.#code.formRequestId(view);
  }

  get #code(): Code {
    if (!code) throw new Error('the endpoint is loaded before a run');
    return code;
  }

  readonly signed = (body: string, type?: string): SlackRequest =>
    signedBy(this.key, this.#world.clock.now(), body, type);

  /** Sends these bytes; what the person hears is undefined where nothing was answered to a click. */
  async send({ method, headers, body }: SlackRequest): Promise<Answered> {
    const { clock, faults } = this.#world;
    return this.#world.invoke('slack', async () => {
      const { process } = faults;
      if (!process) throw new Error('a request has a process');
      const working = this.#workingOf(process.container);
      working.heard = undefined;
      const requestContext = { http: { method }, timeEpoch: clock.now() };
      const answer = await working.handler({ requestContext, headers, body, isBase64Encoded: false } as never);
      const status = typeof answer === 'string' ? 200 : (answer.statusCode ?? 200);
      const text = typeof answer === 'string' ? answer : (answer.body ?? '');
      return { status, body: text, ...(working.heard === undefined ? {} : { heard: working.heard }) };
    });
  }

  /** As an operator keeps the secret of the app in Secrets Manager: for a while both keys count. */
  #stored(): string {
    const { addedAt, removedAt } = this.#step;
    const at = this.#now;
    const signingSecret = at < removedAt ? KEYS.older : KEYS.newer;
    const pending = at >= addedAt && at < removedAt ? { pendingSigningSecret: KEYS.newer } : {};
    return JSON.stringify({ signingSecret, ...pending });
  }

  get #now(): number {
    return this.#world.clock.now() - this.#world.history.began;
  }

  #workingOf(container: Container): Working {
    const known = this.#working.get(container);
    if (known) return known;
    const clock = { now: () => this.#world.faults.now() };
    const names = { token: 'token', signing: 'signing' };
    const secrets: CachedSecrets = slackSecrets(names, clock, async (name) =>
      name === names.signing ? this.#secrets.text() : JSON.stringify({ botToken: 'xoxb-simulated' }),
    );
    const { answerVerified, respond, slackApp } = this.#code;
    let app: ReturnType<Code['slackApp']> | undefined;
    const made: Working = {
      heard: undefined,
      handler: answerVerified({
        ...{ secrets, clock },
        answer: async (request) => {
          app ??= this.#appOf(slackApp, made);
          return respond(request, app);
        },
      }),
    };
    this.#working.set(container, made);
    return made;
  }

  async #pending(): Promise<PendingApprovals> {
    const { history, stored } = this.#world;
    const reads = history.sent.map(({ agent, id }) =>
      stored.approvals.read(this.#world.pid(agent, id)).catch(() => undefined),
    );
    const views = await Promise.all(reads);
    return {
      approvals: views.flatMap((view) => (view?.approval.status === 'pending' ? [view.approval] : [])),
      hasMore: false,
    };
  }

  /** A process keeps the policy file that it began with. */
  #appOf(slackApp: Code['slackApp'], working: Working): ReturnType<Code['slackApp']> {
    const { gate, chat } = this.#world;
    const { approvals, audit, control, history, sessions, ...parts } = gate.parts;
    const hear = (record: AuditRecord | undefined) => {
      const { accepted, type, reasonCode } = record?.entry ?? {};
      if (DEEDS.has(type ?? '')) working.heard = accepted ? 'counted' : reasonCode;
    };
    const deps = {
      ...parts,
      approvals: {
        ...approvals,
        write: async (...given: Parameters<typeof approvals.write>) => {
          const isWritten = await approvals.write(...given);
          if (isWritten) hear(given[1]);
          return isWritten;
        },
      },
      audit: {
        ...audit,
        put: async (record: AuditRecord) => {
          const isPut = await audit.put(record);
          hear(record);
          return isPut;
        },
      },
    };
    const app = slackApp(
      {
        ...{ deps, history },
        pending: () => this.#pending(),
        sessions: (agent) => sessions.list(agent, MAX_SESSIONS),
        control: () => control.read(),
        ask: (asked) => this.#operators.send(asked),
      },
      { botToken: 'xoxb-simulated', appId: APP, slackApiUrl: undefined, conversation: chat.queue },
    );
    // Bolt takes the one of its process.
    return Object.assign(app, { fetchFn: this.slack.fetch });
  }
}
