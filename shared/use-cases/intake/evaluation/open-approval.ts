/** Opens an approval: claim, row, journal and counters at once, then the workflow that waits. */
import type { Approval, Question } from '../../../contract/index.ts';
import { canonicalJson } from '../../../domain/digest.ts';
import { ownValue } from '../../../domain/own.ts';
import type { Claim, OpenResult, StatedLimits } from '../../../ports/stores/claim-store.ts';
import type { SessionWrites } from '../../../ports/stores/session-store.ts';
import { sameCallsKey } from '../../approvals/coalesce.ts';
import type { Ended } from '../../kernel/calls/run.ts';
import { aboveOf } from '../../kernel/state/lineage.ts';
import type { Session } from '../../kernel/state/session.ts';
import { boundedEntry } from '../../sessions/bounded-chain.ts';
import type { Admitted } from '../admission/admit-proposal.ts';
import type { IntakeDependencies } from '../dependencies.ts';
import { contentDigestOf } from './claims.ts';

/** The reconciler looks after a new approval this long after it was opened, in case its workflow was never started. */
const FIRST_LOOK_MS = 60_000;

/** A permit may be used for so long after the wait, and needs the original. */
const SEALED_PAST_EXPIRY_MS = 24 * 60 * 60 * 1000;

interface AskingPeople extends Omit<Admitted, 'kind'> {
  readonly session: Session;
  readonly question: Question;
}

/** Whether a model's answer cannot matter: an identical question waits for people already, or no further question may wait. */
export async function waitsWithoutModel(run: Ended, session: Session, deps: IntakeDependencies): Promise<boolean> {
  if (run.kind !== 'suspended') return false;
  const { agent, sessionId, settings } = session;
  const owner = deps.policy.person(settings.owner);
  const about = { agent, sessionId, owner, requester: session.requester ?? owner };
  const key = sameCallsKey(about, run.question, settings, deps);
  const group = run.question.stages[0]?.group ?? '';
  return (
    (await deps.claims.roomFor({
      agent,
      group,
      same: key,
      now: deps.clock.now(),
      limits: limitsOf(agent, group, deps),
    })) !== 'free'
  );
}

/** The limits of waiting questions that the policy file states for this agent and this group. */
const limitsOf = (agent: string, group: string, { policy }: IntakeDependencies): StatedLimits => ({
  perAgent: policy.settings.agents[agent]?.maxWaiting,
  perGroup: ownValue(policy.settings.approvers, group)?.maxWaiting,
});

/** Opens the approval and starts its wait. A refused start is not a fault: the reconciler starts it. */
export async function openApproval(
  claim: Claim,
  asking: AskingPeople,
  writes: SessionWrites | undefined,
  deps: IntakeDependencies,
): Promise<OpenResult> {
  const { message, proposal, redacted, session, question, journal, expiresAt } = asking;
  const contentDigest = contentDigestOf(message, deps);
  const [start] = journal.entries;
  if (!start) throw new Error('the journal has no first entry');
  const owner = deps.policy.person(session.settings.owner);
  const approval: Approval = {
    pid: session.pid,
    proposalId: proposal.proposalId,
    agent: session.agent,
    owner,
    requester: session.requester ?? owner,
    sessionId: session.sessionId,
    ...(session.lineage ? aboveOf(session.lineage, deps.policy) : {}),
    version: 0,
    round: 1,
    status: 'pending',
    question,
    votes: [],
    requestedAt: start.at,
    expiresAt: new Date(expiresAt).toISOString(),
    policyVersion: deps.policy.version,
  };
  const group = question.stages[0]?.group ?? '';
  const opening = {
    proposal: canonicalJson(redacted.proposal),
    sealed: redacted.found ? contentDigest : undefined,
    // Answers of models are not written here, because they are stored before they are used.
    journal: journal.entries.flatMap((entry) =>
      entry.type === 'model' ? [] : [entry.type === 'session' ? boundedEntry(entry, redacted.proposal) : entry],
    ),
    group,
    limits: limitsOf(session.agent, group, deps),
    dueAt: journal.startedAt + FIRST_LOOK_MS,
  };
  // The original is sealed before the row that names it is written. If that write fails, nobody reads the original, and it expires.
  if (redacted.found) {
    const key = { pid: session.pid, digest: contentDigest };
    await deps.sealer.seal(key, canonicalJson(proposal), expiresAt + SEALED_PAST_EXPIRY_MS);
  }
  const same = sameCallsKey(approval, question, session.settings, deps);
  const result = await deps.claims.open(claim, { ...opening, approval, same }, writes);
  if (result.kind === 'claimed') {
    await deps.workflow.start(approval.pid, approval.expiresAt).catch(() => undefined);
  }
  return result;
}
