/** Plays the registry of senders, which each process of the gate reads again after some minutes. */
import { registeredSenders, type Senders } from '../../../functions/runtime/wiring/senders.ts';
import { memorySenderId } from '../../../shared/adapters/memory/senders.ts';
import { type SenderKind, senderParameter } from '../../../shared/config/sender-path.ts';
import type { Registry } from '../../../shared/use-cases/identity.ts';
import type { Container } from '../model/containers.ts';
import type { Faults } from '../model/faults.ts';
import type { History } from '../model/history.ts';
import { AGENTS, OPERATOR, PILOT } from '../model/policies.ts';

/** The world that senders are in. */
interface Around {
  readonly faults: Faults;
  readonly history: History;
}

const PATH = '/simulated/senders';

export class SendersOfRun {
  readonly #world: Around;
  readonly #known = new WeakMap<Container, Senders>();

  constructor(world: Around) {
    this.#world = world;
  }

  /** As the process at work knows them. */
  readonly registry = (kind: SenderKind): Registry => ({
    nameOf: async (senderId) => this.#now()?.[kind].nameOf(senderId),
  });

  #now(): Senders | undefined {
    const { faults } = this.#world;
    const container = faults.process?.container;
    if (!container) return undefined;
    const known = this.#known.get(container);
    if (known) return known;
    const clock = { now: () => faults.now() };
    const made = registeredSenders(PATH, container.document.policy, clock, async () => this.#parameters());
    this.#known.set(container, made);
    return made;
  }

  #parameters() {
    const isLetGo = this.#world.history.dismissedAt !== undefined;
    return [
      ...[...AGENTS, PILOT].map((name) => registered('agents', name)),
      ...(isLetGo ? [] : [registered('operators', OPERATOR)]),
    ];
  }
}

const registered = (kind: SenderKind, name: string) => ({
  name: senderParameter(PATH, kind, name, 'only'),
  value: JSON.stringify({ senderId: memorySenderId(kind, name) }),
});
