/** Admits the messages of one sender within its rate; a foreign group id never waits. */
import { DEFAULT_RATE } from '../../../config/schema/defaults.ts';
import { recordOf, type Subject } from '../../audit/audit-entry.ts';
import type { IntakeDependencies } from '../dependencies.ts';
import type { Identified, Incoming } from '../message.ts';
import { type AdmittedBatch, admit, foreseesRoom } from '../rate-limit.ts';

/** The proposal id of entries that are about no single proposal. */
const NO_PROPOSAL = '0'.repeat(64);

/**
 * Counts the batch in its sender's rate, and returns the messages to work now. A message under a foreign group id counts like any other and
 * is answered at once while the rate lasts. Beyond the rate such a message is never deferred, because its answer is known: one entry a minute
 * records all of them.
 */
export async function admitSender(batch: readonly Identified[], deps: IntakeDependencies): Promise<AdmittedBatch> {
  const { sender, rate } = senderOf(batch, deps);
  const isForeign = ({ groupId }: Incoming) => groupId !== undefined && groupId !== sender;
  const incoming = batch.map((message) => message.incoming);
  const ownFirst = [...incoming.filter((each) => !isForeign(each)), ...incoming.filter(isForeign)];
  let noted: Promise<void> | undefined;
  return admit(sender, ownFirst, rate, deps, (message) => {
    if (!isForeign(message)) return undefined;
    noted ??= noteForeign(sender, deps);
    return noted;
  });
}

/** Whether the batch is likely to be admitted as a whole. */
export function foreseesAdmission(batch: readonly Identified[], deps: IntakeDependencies): boolean {
  const { sender, rate } = senderOf(batch, deps);
  return foreseesRoom(sender, batch.length, rate, deps.rates);
}

function senderOf(batch: readonly Identified[], { policy }: Pick<IntakeDependencies, 'policy'>) {
  const sender = batch[0]?.subject.agent ?? '';
  return { sender, rate: policy.settings.agents[sender]?.rate ?? DEFAULT_RATE };
}

async function noteForeign(sender: string, deps: IntakeDependencies): Promise<void> {
  const minute = new Date(deps.clock.now()).toISOString().slice(0, 16);
  const subject: Subject = { agent: sender, pid: NO_PROPOSAL, proposalId: null };
  await deps.audit.put(
    recordOf(deps, subject, `refused#group#${minute}`, {
      type: 'refused',
      reasonCode: 'not_your_agent',
      detail: 'messages under another message group, beyond the rate of their sender: not answered one by one',
    }),
  );
}
