/** Plays the endpoint of Slack: verifies bytes, and has Bolt answer them. */
import { type CachedSecrets, slackSecrets } from '../../functions/runtime/clients/secrets.ts';
import type { MemoryGate } from '../../shared/adapters/memory/gate-parts.ts';
import type { ConversationQueue } from '../../shared/ports/conversation.ts';
import type { PendingApprovals } from '../../shared/ports/inbox.ts';
import type { AuditRecord } from '../../shared/ports/stores/audit-log.ts';
import type { CountingClock } from './clock.ts';
import type { Container } from './containers.ts';
import type { Faults } from './faults.ts';
import type { History } from './history.ts';
import type { Endpoint } from './plan.ts';
import { APP, type SlackRequest, signedBy } from './slack-requests.ts';

/** The world that the endpoint is in. */
interface Around {
  readonly clock: CountingClock;
  readonly faults: Faults;
  readonly history: History;
  readonly gate: MemoryGate;
  readonly chat: { readonly queue: ConversationQueue };
  readonly invoke: Faults['invoke'];
}

/** Loaded with the first run that has an endpoint: Bolt takes long. */
const load = async () => ({
  ...(await import('../../functions/slack/verify-request.ts')),
  ...(await import('../../functions/slack/app.ts')),
});
type Code = Awaited<ReturnType<typeof load>>;
let code: Code | undefined;

export async function loadEndpoint(): Promise<void> {
  code ??= await load();
}

/** A process of the function: what it holds, and the answer to the request that it works. */
interface Working {
  readonly handler: ReturnType<Code['answerVerified']>;
  /** In the words of the record. */
  heard: string | undefined;
}

const KEYS = { older: 'the older signing secret', newer: 'the newer signing secret' } as const;
const NOBODY_WAITS: PendingApprovals = { approvals: [], hasMore: false };

export class EndpointOfRun {
  readonly #world: Around;
  readonly #step: Endpoint;
  readonly #secrets: { text(): Promise<string> };
  readonly #working = new WeakMap<Container, Working>();

  constructor(world: Around, step: Endpoint) {
    this.#world = world;
    this.#step = step;
    const { began } = world.history;
    const { addedAt, switchedAt, removedAt } = step;
    this.removedAt = began + removedAt;
    world.history.endpoint = { addedAt: began + addedAt, switchedAt: began + switchedAt };
    this.#secrets = world.faults.wrap('secrets', { text: async () => this.#stored() });
  }

  /** From then on the older key counts no more. */
  readonly removedAt: number;

  /** Slack signs with this key now. */
  get key(): string {
    return this.#now < this.#step.switchedAt ? KEYS.older : KEYS.newer;
  }

  /** Known to somebody who must not know it any more, once no process remembers it. */
  readonly oldKey = KEYS.older;

  readonly signed = (body: string, type?: string): SlackRequest =>
    signedBy(this.key, this.#world.clock.now(), body, type);

  /** Sends these bytes; what the person hears is undefined where nothing was answered to a click. */
  async send({ method, headers, body }: SlackRequest): Promise<{ readonly status: number; readonly heard?: string }> {
    const { clock, faults } = this.#world;
    return this.#world.invoke('slack', async () => {
      const { process } = faults;
      if (!process) throw new Error('a request has a process');
      const working = this.#workingOf(process.container);
      working.heard = undefined;
      const requestContext = { http: { method }, timeEpoch: clock.now() };
      const answer = await working.handler({ requestContext, headers, body, isBase64Encoded: false } as never);
      const status = typeof answer === 'string' ? 200 : (answer.statusCode ?? 200);
      return { status, ...(working.heard === undefined ? {} : { heard: working.heard }) };
    });
  }

  /** As an operator keeps the secret of the app in Secrets Manager: for a while both keys count. */
  #stored(): string {
    const { addedAt, removedAt } = this.#step;
    const at = this.#now;
    const signingSecret = at < removedAt ? KEYS.older : KEYS.newer;
    const pending = at >= addedAt && at < removedAt ? { pendingSigningSecret: KEYS.newer } : {};
    return JSON.stringify({ signingSecret, ...pending, botToken: 'xoxb-simulated' });
  }

  get #now(): number {
    return this.#world.clock.now() - this.#world.history.began;
  }

  #workingOf(container: Container): Working {
    const known = this.#working.get(container);
    if (known) return known;
    if (!code) throw new Error('the endpoint is loaded before a run');
    const clock = { now: () => this.#world.faults.now() };
    const secrets: CachedSecrets = slackSecrets('slack', clock, () => this.#secrets.text());
    const { answerVerified, respond, slackApp } = code;
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

  /** A process keeps the policy file that it began with. */
  #appOf(slackApp: Code['slackApp'], working: Working) {
    const { gate, chat } = this.#world;
    const { approvals, audit, control, history, sessions, ...parts } = gate.parts;
    const hear = (record: AuditRecord | undefined) => {
      const { accepted, type, reasonCode } = record?.entry ?? {};
      if (type === 'vote' || type === 'click') working.heard = accepted ? 'counted' : reasonCode;
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
    return slackApp(
      {
        ...{ deps, history },
        pending: async () => NOBODY_WAITS,
        sessions: (agent) => sessions.list(agent, 1),
        control: () => control.read(),
        ask: async (asked) => gate.askInSlack(asked),
      },
      { botToken: 'xoxb-simulated', appId: APP, slackApiUrl: undefined, conversation: chat.queue },
    );
  }
}
