/** Plays the way of events out of the gate: bus, rules, queue, `send-webhooks` and receivers. */
import { cachedSecret } from '../../../functions/runtime/clients/secrets.ts';
import { detailOf } from '../../../shared/adapters/eventbridge/event-detail.ts';
import { type DeliverDependencies, deliverEvent } from '../../../shared/adapters/hooks/deliver-event.ts';
import { sendWebhook, WEBHOOK_TIMEOUT_MS } from '../../../shared/adapters/hooks/send-webhook.ts';
import { MemoryQueue, type Worked } from '../../../shared/adapters/memory/queues/queue.ts';
import { WEBHOOK_PAUSES_S } from '../../../shared/config/schema/defaults.ts';
import { isCanary } from '../../../shared/domain/canary.ts';
import { ownValue } from '../../../shared/domain/own.ts';
import { eventIdOf } from '../../../shared/domain/record/event-id.ts';
import type { EmittedEvent } from '../../../shared/ports/gate-events.ts';
import type { WebhookQueue } from '../../../shared/ports/webhook-queue.ts';
import { type EventfulStores, withEvents } from '../../../shared/use-cases/audit/emit-events.ts';
import type { CountingClock } from '../model/clock.ts';
import type { Container, Containers } from '../model/containers.ts';
import type { Faults, Process } from '../model/faults.ts';
import type { History } from '../model/history.ts';
import type { Receive } from '../model/plan.ts';
import { type Dice, diceOf, namedSeed } from '../model/random.ts';
import type { DeadLettersOfRun } from './dead-letters.ts';
import { receiverOf } from './receiver.ts';

/** The run that the webhooks are of. */
interface Run {
  readonly plan: { readonly seed: number; readonly rate: number };
  readonly clock: CountingClock;
  readonly containers: Containers;
  readonly faults: Faults;
  readonly history: History;
  readonly deployment: string;
  readonly deadLetters: DeadLettersOfRun;
  sleep(ms: number): Promise<void>;
  tell(line: () => string): void;
}

/** One event for one webhook; a copy of it is another message. */
interface Message {
  readonly webhook: string;
  readonly id: string;
  readonly raw: string;
}

const HOUR_MS = 60 * 60_000;
/** The queue holds a message for so long. */
const MAX_HOURS = 4 * 24;
/** As the stack makes the queue and its trigger. */
const QUEUE = { batchSize: 10, concurrency: 5, visibilityMs: 180_000, maxReceives: WEBHOOK_PAUSES_S.length + 1 };
const EVENTFUL: ReadonlySet<string> = new Set<keyof EventfulStores>(['claims', 'approvals', 'audit']);

export class WebhooksOfRun {
  readonly #world: Run;
  readonly #queue: MemoryQueue<Message>;
  readonly #calls: { secretOf(name: string): Promise<string>; hide(): Promise<void> };
  readonly #post: typeof fetch;
  readonly #dice: Dice;
  readonly #pending = new WeakMap<Process, EmittedEvent[]>();
  readonly #secrets = new WeakMap<Container, DeliverDependencies['secretOf']>();
  /** Events on the bus. */
  #leaving = 0;
  #sent = 0;
  #done = 0;

  constructor(world: Run, step: Receive) {
    this.#world = world;
    const { clock, faults, history, plan } = world;
    this.#dice = diceOf(namedSeed(plan.seed, 'bus'));
    this.#post = receiverOf(world, step);
    this.#calls = faults.wrap('sending', {
      secretOf: async () => secretAt(step, clock.now() - history.began),
      hide: async () => undefined,
    });
    this.#queue = new MemoryQueue<Message>({
      ...QUEUE,
      timers: clock,
      work: async (batch, receipts) => {
        const worked = await faults.invoke('send-webhooks', () => this.#work(batch, receipts));
        this.#done += worked.filter(({ ok }) => ok).length;
        return worked;
      },
    });
    history.webhooks.keys = keysOf(step, history.began);
  }

  /** As `storesOf` has it in the functions: whoever wins a write tells of it. */
  telling = <Port extends object>(name: string, port: Port): Port => {
    if (!EVENTFUL.has(name)) return port;
    const stores = withEvents({ claims: port, approvals: port, audit: port } as unknown as EventfulStores, this);
    return stores[name as keyof EventfulStores] as unknown as Port;
  };

  emit(event: EmittedEvent): void {
    const { process } = this.#world.faults;
    // As the functions do: events of the canary leave for nobody.
    if (!process || ('agentId' in event && isCanary(event.agentId))) return;
    const pending = this.#pending.get(process);
    if (pending) pending.push(event);
    else this.#pending.set(process, [event]);
  }

  /** Events of a run leave at its end, whatever came of it. */
  readonly invoke: Faults['invoke'] = (name, work) =>
    this.#world.faults.invoke(name, async () => {
      try {
        return await work();
      } finally {
        this.#leave();
      }
    });

  /** Events that an operator has sent again do not come by the bus. */
  readonly replayed: WebhookQueue = {
    put: async (webhook, events) => {
      for (const event of events) this.#send(webhook, event);
    },
  };

  /** Until each event was taken or set aside, once the gate does nothing else any more. */
  async finish(): Promise<void> {
    const waiting = () => this.#leaving + this.#sent - this.#done - this.#queue.deadLetters.length;
    for (let hours = 0; waiting() > 0 && hours < MAX_HOURS; hours += 1) await this.#world.clock.advance(HOUR_MS);
    this.#queue.stop();
    const { deadLetters, history } = this.#world;
    const left = deadLetters.letters.filter(({ queue, isDeleted }) => queue === 'webhooks' && !isDeleted);
    const aside = left.map(({ raw }) => JSON.parse(raw) as Message);
    for (const { webhook, id } of [...this.#queue.deadLetters, ...aside]) history.webhooks.dead.add(`${webhook} ${id}`);
  }

  #leave(): void {
    const { faults, history, plan, clock } = this.#world;
    const { process } = faults;
    const events = process && this.#pending.get(process);
    if (!process || !events || process.isGone) return;
    this.#pending.delete(process);
    for (const event of events) {
      if (faults.isOut('bus') || this.#dice.chance(plan.rate)) {
        history.webhooks.isLost = true;
        continue;
      }
      const copies = this.#dice.chance(plan.rate) ? 2 : 1;
      for (let copy = 0; copy < copies; copy += 1) {
        this.#leaving += 1;
        clock.after(this.#dice.below(1_000), () => {
          this.#leaving -= 1;
          this.#route(event);
        });
      }
    }
  }

  /** A rule of the bus for each webhook. */
  #route(event: EmittedEvent): void {
    const { webhooks } = this.#world.containers.newest.policy;
    for (const [name, { events }] of Object.entries(webhooks))
      if (!events || events.some((one) => one === event.name)) this.#send(name, event);
  }

  #send(webhook: string, event: EmittedEvent): void {
    const { clock, history, deployment } = this.#world;
    const detail = detailOf(event, { deployment });
    const id = eventIdOf(deployment, event);
    const proposalId = 'proposalId' in event ? event.proposalId : null;
    history.webhooks.put.push({ at: clock.now(), webhook, id, name: event.name, proposalId });
    const message: Message = { webhook, id, raw: JSON.stringify({ webhook, event: detail }) };
    if (!this.#world.deadLetters.take('webhooks', JSON.stringify(message))) this.#put(message);
  }

  /** A message that was set aside, in the line once more. */
  bringBack(raw: string): void {
    this.#put(JSON.parse(raw) as Message);
  }

  #put(message: Message): void {
    this.#sent += 1;
    this.#queue.send(message);
  }

  async #work(batch: readonly Message[], receipts: readonly number[]): Promise<Worked[]> {
    const { faults, tell } = this.#world;
    const { process } = faults;
    const deps = this.#dependenciesOf(process);
    return Promise.all(
      batch.map(async ({ raw }, index): Promise<Worked> => {
        const delivered = await deliverEvent(raw, receipts[index] ?? 1, deps);
        if (delivered.kind !== 'later') return { ok: true };
        const { webhook, eventId, reason, seconds } = delivered;
        tell(() => `${webhook} did not take ${eventId.slice(0, 6)}: ${reason ?? 'a fault'}`);
        return this.#calls.hide().then(
          () => ({ ok: false, retryAfterMs: seconds * 1_000 }),
          () => ({ ok: false }),
        );
      }),
    );
  }

  #dependenciesOf(process: Process | undefined): DeliverDependencies {
    const { clock, containers, faults } = this.#world;
    const document = process?.container.document ?? containers.newest;
    const now = () => faults.now();
    return {
      targetOf: (webhook) => ownValue(document.policy.webhooks, webhook),
      secretOf: process ? this.#secretsOf(process.container) : this.#calls.secretOf,
      send: async (target, event) => {
        const late = new AbortController();
        const callOff = clock.after(WEBHOOK_TIMEOUT_MS, () => late.abort());
        return sendWebhook(target, event, { now }, late.signal, this.#post).finally(callOff);
      },
    };
  }

  /** One process remembers the secrets that it read. */
  #secretsOf(container: Container): DeliverDependencies['secretOf'] {
    const known = this.#secrets.get(container);
    if (known) return known;
    const made = cachedSecret({ now: () => this.#world.faults.now() }, this.#calls.secretOf);
    this.#secrets.set(container, made);
    return made;
  }
}

/** An operator adds a key, and takes the older one away some time later. */
function secretAt({ keyAddedAt, keyRemovedAt }: Receive, at: number): string {
  if (at >= keyRemovedAt) return KEYS.newer;
  return at >= keyAddedAt ? `${KEYS.older} ${KEYS.newer}` : KEYS.older;
}

const keyOf = (text: string): string => `whsec_${Buffer.from(text.padEnd(24, '.')).toString('base64')}`;

const keysOf = ({ keyAddedAt, keyRemovedAt }: Receive, began: number): History['webhooks']['keys'] => [
  { key: KEYS.older, from: began, until: began + keyRemovedAt },
  { key: KEYS.newer, from: began + keyAddedAt, until: Number.POSITIVE_INFINITY },
];
const KEYS = { older: keyOf('the older key'), newer: keyOf('the newer key') };
