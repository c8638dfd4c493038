/**
 * Takes messages of the proposals queue to their claims.
 * One conditional put decides allow, deny and error. An ask opens an approval in one transaction and starts its wait. Two runs for the same
 * message, even at the same time, do no harm.
 */
import { roleOf } from '../../../domain/aws/sender.ts';
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
import { cancelProposal, evaluateTask } from './lazy-imports.ts';

/** Ids of a message, known before anything is decided about it. */
export type IdentifiedAs = Pick<Subject, 'agent' | 'pid' | 'proposalId'>;

/** A message on its way. `done` resolves when its work has ended. */
interface Delivery {
  readonly incoming: Incoming;
  readonly done: PromiseWithResolvers<void>;
  readonly identified: (message: Incoming, as: IdentifiedAs) => void;
}

interface IdentifiedDelivery extends Delivery {
  readonly message: Identified;
}

/**
 * Gives one promise for each message, in order. A rejected promise means a fault of the gate: its message goes back to the queue. Senders do not
 * wait for each other, and a fault concerns only the messages of its sender.
 *
 * @param identified is called with each message as soon as its sender is known, so that the log of a fault can name it
 */
export function intake(
  batch: readonly Incoming[],
  given: IntakeDependencies,
  identified: (message: Incoming, as: IdentifiedAs) => void = () => undefined,
): Promise<void>[] {
  const deps = withMarkedFaults(given);
  const deliveries = batch.map((incoming) => ({ incoming, done: Promise.withResolvers<void>(), identified }));
  // The look-up of an unknown sender may be slow, so that roles do not wait for each other either.
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

/** Identifies the sender. Undefined where the look-up failed: the message is received again. */
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
 * Works a sender's part of the batch, with one write to the limiter and one read of rows. Deferred messages do not wait for that read. For a
 * sender well below its rate, both run at the same time. For one that may be over its rate, the read comes second, because it may be needless.
 */
async function workSender(deliveries: readonly IdentifiedDelivery[], deps: IntakeDependencies): Promise<void> {
  try {
    const messages = deliveries.map(({ message }) => message);
    const ahead = foreseesAdmission(messages, deps) ? knownOf(messages, deps) : undefined;
    // Nobody awaits this read after a fault of the limiter, or if all messages wait for their turn: its fault must not end the process.
    ahead?.catch(() => undefined);
    const { admitted, notAdmitted } = await admitSender(messages, deps);
    for (const { incoming, done } of deliveries) if (notAdmitted.has(incoming)) done.resolve(notAdmitted.get(incoming));
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

/** Works a message, and answers `error` where its evaluation throws: each further receipt would throw, too, and nobody would get an answer. */
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
