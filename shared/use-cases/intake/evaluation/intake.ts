/**
 * Takes messages of the proposals queue to their claims.
 * Allow, deny and error are decided by one conditional put; an ask opens an approval in one transaction and starts its wait. Safe to run twice
 * at any point, concurrently.
 */
import { roleOf } from '../../../domain/sender.ts';
import type { Subject } from '../../audit/audit-entry.ts';
import { messages } from '../../model-messages.ts';
import { isFromOutside, withMarkedFaults } from '../../port-faults.ts';
import { admitMessage } from '../admission/admit-message.ts';
import { identify } from '../admission/identify.ts';
import { admitSender, foreseesAdmission } from '../admission/sender-rate.ts';
import type { IntakeDependencies } from '../dependencies.ts';
import type { Identified, Incoming } from '../message.ts';
import { refuse, repeat } from './commit.ts';
import type { Known } from './decide-in-session.ts';
import { evaluate } from './evaluate-proposal.ts';
import { knownOf } from './known-rows.ts';
import { cancelProposal, evaluateTask } from './late.ts';

/** Ids of a message, known before anything is decided about it. */
export type IdentifiedAs = Pick<Subject, 'agent' | 'pid' | 'proposalId'>;

/** A message on its way: `done` ends as its work does. */
interface Delivery {
  readonly incoming: Incoming;
  readonly done: PromiseWithResolvers<void>;
  readonly identified: (message: Incoming, as: IdentifiedAs) => void;
}

interface IdentifiedDelivery extends Delivery {
  readonly message: Identified;
}

/**
 * One promise for each message, in order. A rejected one is the gate's own fault: its message goes back to the queue. Senders do not wait
 * for each other, and one's fault is nobody else's.
 *
 * @param identified is told of each message as soon as its sender is known, for the log of a fault
 */
export function intake(
  batch: readonly Incoming[],
  given: IntakeDependencies,
  identified: (message: Incoming, as: IdentifiedAs) => void = () => undefined,
): Promise<void>[] {
  const deps = withMarkedFaults(given);
  const deliveries = batch.map((incoming) => ({ incoming, done: Promise.withResolvers<void>(), identified }));
  // Looking up an unknown sender may take long, too.
  for (const ofRole of grouped(deliveries, ({ incoming }) => roleOf(incoming.principal))) void workRole(ofRole, deps);
  return deliveries.map(({ done }) => done.promise);
}

const grouped = <Each>(all: readonly Each[], keyOf: (each: Each) => string): Each[][] => [
  ...Map.groupBy(all, keyOf).values(),
];

async function workRole(deliveries: readonly Delivery[], deps: IntakeDependencies): Promise<void> {
  const identified = await Promise.all(deliveries.map((delivery) => identifiedOf(delivery, deps)));
  const known = identified.filter((delivery) => delivery !== undefined);
  for (const ofSender of grouped(known, ({ message }) => message.subject.agent)) void workSender(ofSender, deps);
}

/** Undefined: the sender could not be looked up, and the message comes again. */
async function identifiedOf(delivery: Delivery, deps: IntakeDependencies): Promise<IdentifiedDelivery | undefined> {
  try {
    const message = await identify(delivery.incoming, deps);
    const { agent, pid, proposalId } = message.subject;
    delivery.identified(delivery.incoming, { agent, pid, proposalId });
    return { ...delivery, message };
  } catch (fault) {
    delivery.done.reject(fault);
    return undefined;
  }
}

/**
 * Works a sender's part of the batch, with one limiter write and one read. Deferred messages are not blocked by the read of the others. A
 * sender below its rate does not wait for the two one after the other; for one that may be over it nothing is read in vain.
 */
async function workSender(deliveries: readonly IdentifiedDelivery[], deps: IntakeDependencies): Promise<void> {
  try {
    const messages = deliveries.map(({ message }) => message);
    const ahead = foreseesAdmission(messages, deps) ? knownOf(messages, deps) : undefined;
    // After a fault of the limiter, or if all messages wait their turn, nobody awaits it.
    ahead?.catch(() => undefined);
    const { admitted, aside } = await admitSender(messages, deps);
    for (const { incoming, done } of deliveries) if (aside.has(incoming)) done.resolve(aside.get(incoming));
    const working = deliveries.filter(({ incoming }) => admitted.includes(incoming));
    if (working.length === 0) return;
    const known = await (ahead ??
      knownOf(
        working.map(({ message }) => message),
        deps,
      ));
    for (const { message, done } of working) done.resolve(workOrError(message, known, deps));
  } catch (fault) {
    for (const { done } of deliveries) done.reject(fault);
  }
}

/** Answers a message whose evaluation throws, because every receipt would throw again and the message would end in the dead letters. */
async function workOrError(message: Identified, known: Known, deps: IntakeDependencies): Promise<void> {
  try {
    await work(message, known, deps);
  } catch (error) {
    if (isFromOutside(error)) throw error;
    const name = error instanceof Error ? error.name : 'Error';
    await refuse(message, { code: 'evaluation_failed', message: messages.evaluationFailed(name) }, deps);
  }
}

async function work(message: Identified, known: Known, deps: IntakeDependencies): Promise<void> {
  const admitted = await admitMessage(message, known.claims, deps);
  switch (admitted.kind) {
    case 'refused':
      await refuse(message, admitted, deps);
      return;
    case 'cancel':
      return cancelProposal(admitted.proposal, message.subject, deps);
    case 'repeated':
      await repeat(message, admitted.claim, deps);
      return;
    case 'task-message':
      return evaluateTask(message, admitted.proposal, known, deps);
    case 'proposal':
      return evaluate(message, admitted.proposal, known, deps);
    default:
      return admitted satisfies never;
  }
}
