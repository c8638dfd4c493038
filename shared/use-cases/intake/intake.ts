/**
 * Takes messages of the proposals queue to their claims: allow, deny and error are decided by one conditional put; an ask opens an
 * approval in one transaction and starts its wait. Safe to run twice at any point, concurrently.
 */
import { DEFAULT_RATE } from '../../config/schema/defaults.ts';
import { EVERY_SESSION, type Proposal } from '../../contract/index.ts';
import { roleOf } from '../../domain/sender.ts';
import { dayOf } from '../../domain/session.ts';
import { recordOf, type Subject } from '../audit/audit-entry.ts';
import { messages } from '../kernel/messages.ts';
import { type Answer, refused } from '../kernel/run.ts';
import { isFromOutside, withMarkedFaults } from '../port-faults.ts';
import { SessionCache } from '../sessions/session-cache.ts';
import { cancelProposal } from './cancel-proposal.ts';
import { claimAnswer, repeat } from './claims.ts';
import type { IntakeDependencies } from './dependencies.ts';
import { evaluate, evaluateTask, type Known } from './evaluate-proposal.ts';
import { identify } from './identify.ts';
import type { Identified, Incoming } from './message.ts';
import { type Admitted, admit } from './rate-limit.ts';

/**
 * One promise for each message, in order. A rejected one is the gate's own fault: its message goes back to the queue. Senders do not wait
 * for each other, and one's fault is nobody else's.
 */
export function intake(batch: readonly Incoming[], given: IntakeDependencies): Promise<void>[] {
  const gate = withMarkedFaults(given);
  // Looking up an unknown sender may take long, too.
  const senders = new Map(
    [...Map.groupBy(batch, ({ principal }) => roleOf(principal))].map(([role, own]) => [role, workOfRole(own, gate)]),
  );
  return batch.map(async (incoming) => senders.get(roleOf(incoming.principal))?.get(incoming));
}

function workOfRole(batch: readonly Incoming[], gate: IntakeDependencies): ReadonlyMap<Incoming, Promise<void>> {
  const identified = batch.map((incoming) => [incoming, identify(incoming, gate)] as const);
  const senders = bySender(
    identified.map(([, message]) => message),
    gate,
  );
  const worked = async (one: Promise<Identified>) => {
    const message = await one;
    const work = await (await senders).get(message.subject.agent);
    await work?.(message);
  };
  return new Map(identified.map(([incoming, one]) => [incoming, worked(one)]));
}

/** Where entries stand that are about no proposal in particular. */
const NO_PROPOSAL = '0'.repeat(64);

type Work = (message: Identified) => Promise<void>;

async function bySender(
  messages: readonly Promise<Identified>[],
  gate: IntakeDependencies,
): Promise<ReadonlyMap<string, Promise<Work>>> {
  const results = await Promise.allSettled(messages);
  const identified = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const senders = Map.groupBy(identified, ({ subject }) => subject.agent);
  return new Map([...senders].map(([sender, own]) => [sender, workOf(sender, own, gate)]));
}

/** One limiter write and one read for what a sender has in the batch. What is put aside does not wait for the read of the others. */
async function workOf(sender: string, messages: readonly Identified[], gate: IntakeDependencies): Promise<Work> {
  const { admitted, aside } = await admittedOf(sender, messages, gate);
  const working = messages.filter(({ incoming }) => admitted.includes(incoming));
  const known = working.length ? knownOf(working, gate) : undefined;
  return async (message) =>
    known && working.includes(message) ? answerOrError(message, await known, gate) : aside.get(message.incoming);
}

async function knownOf(working: readonly Identified[], gate: IntakeDependencies): Promise<Known> {
  const day = dayOf(gate.clock.now());
  const keys = working.map((message) => ({ ...message.subject, sessions: sessionsOf(message, gate) }));
  const view = await gate.claims.readBatch(keys, day);
  const sessionCache = new SessionCache(
    gate.sessions,
    day,
    view,
    keys.flatMap(({ sessions }) => sessions),
  );
  return { ...view, sessionCache };
}

/** The rows that a decision may depend on or change: the sender's own session, and the one that the call starts. */
function sessionsOf({ agent, read }: Identified, gate: IntakeDependencies) {
  if (agent === undefined || !gate.policy.settings.agents[agent]) return [];
  if (!read.ok || read.proposal.kind === 'cancel') return [];
  const { proposal } = read;
  const own = { agent, sessionId: proposal.sessionId ?? 'main' };
  const starts = proposal.kind === 'tool-call' ? proposal.starts : undefined;
  const always = { agent, sessionId: EVERY_SESSION };
  return starts ? [own, always, { agent: starts.agentId, sessionId: starts.sessionId }] : [own, always];
}

/**
 * The sender's rate, then what may be worked. A message under a foreign group id counts like any other and is answered at once while the rate
 * lasts; beyond it, it is never put aside, for its answer is known, and one entry a minute stands for all of them.
 */
async function admittedOf(
  sender: string,
  messages: readonly Identified[],
  gate: IntakeDependencies,
): Promise<Admitted> {
  const rate = gate.policy.settings.agents[sender]?.rate ?? DEFAULT_RATE;
  const isForeign = ({ groupId }: Incoming) => groupId !== undefined && groupId !== sender;
  const { foreign = [], own = [] } = Object.groupBy(
    messages.map((message) => message.incoming),
    (incoming) => (isForeign(incoming) ? 'foreign' : 'own'),
  );
  let noted: Promise<void> | undefined;
  return admit(sender, [...own, ...foreign], rate, gate, (message) => {
    if (!isForeign(message)) return undefined;
    noted ??= noteForeign(sender, gate);
    return noted;
  });
}

async function noteForeign(sender: string, gate: IntakeDependencies): Promise<void> {
  const minute = new Date(gate.clock.now()).toISOString().slice(0, 16);
  const subject: Subject = { agent: sender, pid: NO_PROPOSAL, proposalId: null };
  await gate.audit.put(
    recordOf(gate, subject, `refused#group#${minute}`, {
      type: 'refused',
      reasonCode: 'not_your_agent',
      detail: 'messages under another message group, beyond the rate of their sender: not answered one by one',
    }),
  );
}

/** A throw while judging would come with every receipt: it is answered once, and is on the record, instead of lost to the dead letters. */
async function answerOrError(message: Identified, view: Known, gate: IntakeDependencies): Promise<void> {
  try {
    await answer(message, view, gate);
  } catch (error) {
    if (isFromOutside(error)) throw error;
    const name = error instanceof Error ? error.name : 'Error';
    await claimAnswer(message, refused('evaluation_failed', messages.evaluationFailed(name)).answer, [], gate);
  }
}

async function answer(message: Identified, view: Known, gate: IntakeDependencies): Promise<void> {
  const { agent, read, incoming } = message;
  if (agent === undefined)
    return claimAnswer(message, refused('unregistered_sender', messages.unregistered()).answer, [], gate);
  const settings = gate.policy.settings.agents[agent];
  if (!settings) return claimAnswer(message, refused('unregistered_sender', messages.unregistered()).answer, [], gate);
  const foreign = identityMismatch(
    read.ok ? read.proposal : undefined,
    incoming.groupId,
    agent,
    settings.parents,
    gate,
  );
  if (foreign) return claimAnswer(message, foreign, [], gate);
  if (!read.ok) {
    // What a fault says may quote the message.
    const said = await gate.redactor.text(read.fault.message);
    return claimAnswer(message, refused(read.fault.code, said).answer, [], gate);
  }
  if (read.proposal.kind === 'cancel') return cancelProposal(read.proposal, message.subject, gate);

  const earlier = view.claims.get(message.subject.pid);
  if (earlier) return repeat(message, earlier, gate);
  if (read.proposal.kind === 'task-message') return evaluateTask(message, read.proposal, view, gate);
  await evaluate(message, read.proposal, view, gate);
}

/** What the body says about its sender has to be what the platform says. */
function identityMismatch(
  proposal: Proposal | undefined,
  groupId: string | undefined,
  agent: string,
  parents: readonly string[],
  gate: IntakeDependencies,
): Answer | undefined {
  if (groupId !== undefined && groupId !== agent) return refused('not_your_agent', messages.notYourAgent()).answer;
  if (proposal?.agentId !== undefined && proposal.agentId !== agent) {
    return refused('not_your_agent', messages.notYourAgent()).answer;
  }
  if (proposal?.tenantId !== undefined && proposal.tenantId !== gate.deployment) {
    return refused('not_your_tenant', 'tenantId: is not this deployment').answer;
  }
  if (proposal?.parentAgentId !== undefined && !parents.includes(proposal.parentAgentId)) {
    return refused('unlisted_parent', 'parentAgentId: the policy file does not list this parent').answer;
  }
  return undefined;
}
