/** Holds messages that were set aside, until the code of `redrive` brings them back. */
import type { RedriveAnswer, RedrivenQueue } from '../../../shared/contract/redrive.ts';
import type { Ids } from '../../../shared/ports/clock.ts';
import type { DeadLetters } from '../../../shared/ports/dead-letters.ts';
import type { CountingClock } from '../model/clock.ts';
import type { Faults } from '../model/faults.ts';

/** The world that the queues are in. */
interface Around {
  readonly plan: { readonly rate: number };
  readonly clock: CountingClock;
  readonly faults: Faults;
  readonly ids: Ids;
  readonly random: () => number;
  readonly invoke: Faults['invoke'];
  tell(line: () => string): void;
}

const load = async () => ({
  ...(await import('../../../shared/adapters/sqs/dead-letters.ts')),
  ...(await import('@aws-sdk/client-sqs')),
});
type Code = Awaited<ReturnType<typeof load>>;
let code: Code | undefined;

/** Before a run in which something is set aside. */
export async function loadDeadLetters(): Promise<void> {
  code ??= await load();
}

/** A message among the dead letters, and when copies of it were taken by the queue that it came from. */
export interface DeadLetter {
  readonly id: string;
  readonly queue: RedrivenQueue;
  readonly group: string;
  readonly raw: string;
  readonly setAsideAt: number;
  readonly takenAt: number[];
  hiddenUntil: number;
  receipt: string;
  isDeleted: boolean;
}

/** A FIFO queue forgets the id of a message after so long. */
const DEDUPLICATES_MS = 5 * 60_000;
/** One call has so long. */
const WITHIN_MS = 45_000;
/** The share of messages that the queue does not take, in runs with faults. */
const REFUSED_SHARE = 0.2;
/** Names its queue, and whether it is a FIFO queue. */
const URLS = { cards: 'cards.fifo', webhooks: 'webhooks' } as const;

type Input = Readonly<Record<string, unknown>>;

export class DeadLettersOfRun {
  readonly letters: DeadLetter[] = [];
  readonly #world: Around;
  readonly #live: Readonly<Record<RedrivenQueue, (raw: string, group: string) => void>>;
  readonly #sqs: { send(command: { readonly input: object }): Promise<object> };
  readonly #seen = new Map<string, number>();
  #isAside: ReadonlySet<RedrivenQueue> = new Set();

  constructor(world: Around, live: Readonly<Record<RedrivenQueue, (raw: string, group: string) => void>>) {
    this.#world = world;
    this.#live = live;
    this.#sqs = world.faults.wrap('deadLetterQueue', { send: async ({ input }) => this.#answer(input as Input) });
  }

  /** False: the queue takes the message, as it usually does. */
  take(queue: RedrivenQueue, raw: string, group = ''): boolean {
    if (!this.#isAside.has(queue)) return false;
    const { clock, ids } = this.#world;
    // No two have the same bytes, so that each can be told from its copies.
    const own = `${raw}${' '.repeat(this.letters.length)}`;
    const letter = { id: ids.next(), queue, group, raw: own, setAsideAt: clock.now() };
    this.letters.push({ ...letter, takenAt: [], hiddenUntil: 0, receipt: '', isDeleted: false });
    this.#world.tell(() => `a message of ${queue} is set aside`);
    return true;
  }

  setAside(queue: RedrivenQueue, lasts: number): void {
    this.#isAside = new Set([...this.#isAside, queue]);
    this.#world.clock.after(lasts, () => {
      this.#isAside = new Set([...this.#isAside].filter((one) => one !== queue));
    });
  }

  /** As `operate` has it: another function moves them. */
  readonly port: DeadLetters = {
    redrive: (queue, limit) => this.#world.invoke('bring back', () => this.#redrive(queue, limit)),
  };

  async #redrive(queue: RedrivenQueue, limit: number): Promise<RedriveAnswer> {
    if (!code) throw new Error('the code is loaded before a run');
    const { clock } = this.#world;
    const until = clock.now() + WITHIN_MS;
    const given = { deadUrl: `dead ${queue}`, targetUrl: URLS[queue], limit, isOver: () => clock.now() >= until };
    return code.redrive(this.#sqs as never, given);
  }

  #answer(input: Input): object {
    if ('MaxNumberOfMessages' in input) return this.#receive(input);
    const entries = input['Entries'] as readonly Input[];
    const url = String(input['QueueUrl']);
    return Object.values<string>(URLS).includes(url) ? this.#send(url, entries) : this.#delete(entries);
  }

  #receive({ QueueUrl: url, MaxNumberOfMessages: most, VisibilityTimeout: seconds }: Input): object {
    const now = this.#world.clock.now();
    const found = this.letters
      .filter((one) => `dead ${one.queue}` === url && !one.isDeleted && one.hiddenUntil <= now)
      .slice(0, Number(most));
    for (const one of found) {
      one.hiddenUntil = now + Number(seconds) * 1_000;
      one.receipt = this.#world.ids.next();
    }
    return {
      Messages: found.map(({ id, raw, receipt, group }) => ({
        ...{ MessageId: id, Body: raw, ReceiptHandle: receipt },
        Attributes: group ? { MessageGroupId: group } : {},
      })),
    };
  }

  #send(url: string, entries: readonly Input[]): object {
    const { plan, random, clock } = this.#world;
    const isTaken = () => plan.rate === 0 || random() >= REFUSED_SHARE;
    const taken = entries.filter(isTaken);
    for (const { MessageBody: raw, MessageGroupId: group = '', MessageDeduplicationId: once } of taken) {
      const letter = this.letters.find((one) => URLS[one.queue] === url && one.raw === raw && one.group === group);
      const before = this.#seen.get(String(once)) ?? Number.NEGATIVE_INFINITY;
      if (once !== undefined && clock.now() - before < DEDUPLICATES_MS) continue;
      if (once !== undefined) this.#seen.set(String(once), clock.now());
      letter?.takenAt.push(clock.now());
      if (letter) this.#live[letter.queue](letter.raw, letter.group);
    }
    return { Successful: taken.map(({ Id }) => ({ Id })) };
  }

  #delete(entries: readonly Input[]): object {
    for (const { ReceiptHandle: receipt } of entries) {
      const letter = this.letters.find((one) => one.receipt === receipt);
      if (letter) letter.isDeleted = true;
    }
    return {};
  }
}
