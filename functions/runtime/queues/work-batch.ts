/** Works a batch of messages, and tells the queue which of them it has to deliver again. */
import type { Context, SQSBatchResponse } from 'aws-lambda';
import { isCanary } from '../../../shared/domain/canary.ts';
import { systemTimers } from '../../../shared/ports/timers.ts';
import { withTimeout } from '../../../shared/ports/with-timeout.ts';
import { shownSubject } from '../../../shared/use-cases/audit/shown-subject.ts';
import type { IntakeDependencies } from '../../../shared/use-cases/intake/dependencies.ts';
import { type IdentifiedAs, intake } from '../../../shared/use-cases/intake/evaluation/intake.ts';
import type { Incoming } from '../../../shared/use-cases/intake/message.ts';
import { addIds } from '../telemetry/message-in-work.ts';
import { count, log, logFault } from '../telemetry/observe.ts';
import { countUnworked, inTurn, type Received, recordLastReceipt, sendAnewInTime } from './last-receipts.ts';
import { noteDeferred } from './note-deferred.ts';
import type { Anew } from './unwired.ts';

/** Reserves time to answer the queue before the function times out. */
const RESERVE_MS = 1_500;
/** From this receive on, messages are worked one by one, so that a bad one does not fail the others of its batch. */
const ONE_BY_ONE = 3;

/**
 * Works a batch and names the messages that the queue has to deliver again: failed ones, and ones not finished in time.
 * @param deps - may still be pending; waiting for them counts towards the time.
 * @param returnToQueue - returns unfinished messages for an early delivery; without it, they wait as long as failed ones.
 * @param anew - sends messages anew where `deps` cannot be had; without it, that fault is thrown.
 */
export async function workBatch<Message extends Received>(
  batch: readonly Message[],
  deps: IntakeDependencies | Promise<IntakeDependencies>,
  context: Context,
  returnToQueue?: (unfinished: readonly Message[]) => Promise<void>,
  anew?: Anew,
): Promise<SQSBatchResponse> {
  const work = new BatchWork(batch, anew);
  try {
    await work.run(deps, Math.max(0, context.getRemainingTimeInMillis() - RESERVE_MS));
  } catch (fault) {
    if (!anew) throw fault;
    const { resendUnworked } = await import('./unwired.ts');
    return resendUnworked(batch, fault, anew);
  }
  const { worked, renewed, failed, unfinished } = work.outcome();
  const returned = [...failed, ...unfinished];
  count('ProposalsWorked', worked.length);
  countUnworked(renewed.length, returned.length);
  if (unfinished.length && returnToQueue) {
    const [first] = unfinished;
    const ids = { messageId: first?.messageId ?? '', count: unfinished.length };
    log('warn', 'there was no time for some messages', ids);
    await returnToQueue(unfinished).catch((error: unknown) => logFault('they wait longer', error, ids, 'warn'));
  }
  return {
    batchItemFailures: returned.map(({ messageId, failureId }) => ({ itemIdentifier: failureId ?? messageId })),
  };
}

interface Outcome<Message> {
  /** Does not count messages of the canary: alarms compare this number with that of refusals, which leave the canary out, too. */
  readonly worked: readonly Message[];
  /** Messages that were sent to the queue anew, so that this copy of them is done. */
  readonly renewed: readonly Message[];
  readonly failed: readonly Message[];
  readonly unfinished: readonly Message[];
}

/** The messages of one batch, and how far each of them came. */
class BatchWork<Message extends Received> {
  readonly #batch: readonly Message[];
  readonly #anew: Anew | undefined;
  /** A message without an entry never had its turn. */
  readonly #progress = new Map<Message, 'begun' | 'finished' | 'renewed' | 'failed'>();
  readonly #subjects = new Map<Incoming, IdentifiedAs>();
  /** Ids of messages that come again by the deferred queue, and count as worked then. */
  readonly #deferred = new Set<string>();
  #deps: IntakeDependencies | undefined;
  #isOver = false;

  constructor(batch: readonly Message[], anew: Anew | undefined) {
    this.#batch = batch;
    this.#anew = anew;
  }

  /** Begins no message after `timeoutMs`. A message in work at that time goes on, but its result is not reported. */
  async run(deps: IntakeDependencies | Promise<IntakeDependencies>, timeoutMs: number): Promise<void> {
    await withTimeout(timeoutMs, systemTimers.after, async () => {
      this.#deps = noteDeferred(this.#deferred, await deps);
      for (const group of this.#groups()) {
        if (this.#isOver) return;
        await this.#work(group, this.#deps);
      }
    });
    this.#isOver = true;
    const neverBegun = this.#batch.filter((message) => !this.#progress.has(message));
    for (const message of await sendAnewInTime(neverBegun, this.#deps ?? this.#anew))
      this.#progress.set(message, 'renewed');
  }

  outcome(): Outcome<Message> {
    const {
      begun = [],
      finished = [],
      renewed = [],
      failed = [],
    } = Object.groupBy(this.#batch, (message) => this.#progress.get(message) ?? 'begun');
    const worked = finished.filter(
      (message) => !this.#deferred.has(message.messageId) && !isCanary(this.#subjects.get(message)?.agent),
    );
    return { worked, renewed, failed, unfinished: begun };
  }

  /** A message that is received a third time may be one that ends the process: such messages are worked last, one by one. */
  #groups(): readonly (readonly Message[])[] {
    const { alone = [], together = [] } = Object.groupBy(this.#batch, ({ receiveCount }) =>
      receiveCount >= ONE_BY_ONE ? 'alone' : 'together',
    );
    return [together, ...alone.toSorted(inTurn).map((one) => [one])];
  }

  async #work(group: readonly Message[], deps: IntakeDependencies): Promise<void> {
    for (const message of group) this.#progress.set(message, 'begun');
    const works = intake(group, deps, (message, subject) => {
      this.#subjects.set(message, subject);
      addIds(subject);
    });
    await Promise.all(works.map((work, index) => this.#follow(group[index] as Message, work, deps)));
  }

  async #follow(message: Message, work: Promise<unknown>, deps: IntakeDependencies): Promise<void> {
    try {
      await work;
      this.#progress.set(message, 'finished');
    } catch (fault) {
      const { messageId, receiveCount } = message;
      const subject = this.#subjects.get(message);
      // The message may have failed before its id was looked at; the look for secrets may be what fails.
      const shown = await (subject && shownSubject(subject, deps.redactor).catch(() => ({ pid: subject.pid })));
      const ids = { ...shown, messageId, receiveCount };
      const { renew } = await import('../../../shared/use-cases/intake/resend.ts');
      if (await renew(message, message, fault, deps)) {
        this.#progress.set(message, 'renewed');
        logFault('a message is sent anew until it can be worked', fault, ids, 'warn');
      } else {
        this.#progress.set(message, 'failed');
        logFault('a message could not be processed', fault, ids);
        await recordLastReceipt(message, fault, subject, deps);
      }
    }
  }
}
