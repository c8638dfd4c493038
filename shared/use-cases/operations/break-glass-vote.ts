/**
 * Casts one break-glass vote of an operator's person, under the same rules as a click.
 *
 * Such a vote is never for an agent of their own, never the second, and never on a question that nobody could judge.
 * The result goes through the whole pipeline again: a deny and a protected path stay.
 */
import type { DecideOperation } from '../../contract/operation.ts';
import { type Ballot, callsOf, samePerson, statedChoice } from '../../domain/approval/approval.ts';
import type { Arrival } from '../../domain/approval/order.ts';
import { canonicalJson, choiceDigest, pidOf, sha256Hex } from '../../domain/digest.ts';
import { storedProposal } from '../../domain/proposal/stored-proposal.ts';
import type { ApprovalView } from '../../ports/stores/approval-store.ts';
import { type ClickContext, edit, type VoteResult, vote } from '../approvals/voting/cast-vote.ts';
import type { OperatorDependencies } from './dependencies.ts';
import { type OperationResult, refuse } from './refusal.ts';

/** The clocks of whoever sends, or of the queue, and of the function that votes may differ by so much. */
const MAX_SKEW_MS = 1_000;

export async function castBreakGlassVote(
  wanted: DecideOperation,
  operator: string,
  { at: sentAt }: Arrival,
  deps: OperatorDependencies,
): Promise<OperationResult> {
  const pid = pidOf(deps.deployment, wanted.agent, wanted.proposalId);
  const view = await deps.approvals.read(pid);
  if (!view) return refuse('unknown_approval');
  // Sent, or delivered again, after an edit: what it approves is not what waits now. To reject is always meant.
  if (wanted.choice !== 'reject' && (wanted.round ?? 1) !== view.approval.round)
    return refuse('stale_digest', `round: ${view.approval.round} is asked now; look at it again`);
  const name = deps.policy.settings.operators[operator]?.person ?? '';
  const person = deps.policy.person(name);
  const click: ClickContext = {
    pid,
    person,
    isBot: false,
    requestId: sha256Hex(canonicalJson({ operator, ...wanted })).slice(0, 32),
  };
  const voted = await cast(wanted, click, view, deps);
  if (typeof voted === 'string') return refuse(voted);
  // A message delivered again, also out of the dead letters, finds the vote of its first delivery: what is noted is what it did. A vote of before
  // it was sent is another's.
  const before = voted.approval?.votes.some(
    (one) =>
      one.via === 'operators' &&
      statedChoice(one) === wanted.choice &&
      samePerson(one.by, person) &&
      Date.parse(one.at) > sentAt - MAX_SKEW_MS,
  );
  if (voted.kind === 'counted' || before) return { accepted: true, code: `vote_${wanted.choice}` };
  return refuse(voted.refusal);
}

async function cast(
  wanted: DecideOperation,
  click: ClickContext,
  known: ApprovalView,
  deps: OperatorDependencies,
): Promise<VoteResult | 'unknown_action' | 'several_actions'> {
  const { question } = known.approval;
  const { reason } = wanted;
  const base = { reason, questionDigest: question.digest, via: 'operators' } as const;
  const voting = (ballot: Ballot) => vote({ ...click, ballot }, deps);
  switch (wanted.choice) {
    case 'approve': {
      const calls = wanted.calls?.map((id) => ({ id, choice: 'approve' }) as const);
      const { remember } = wanted;
      return voting({ ...base, choice: 'approve', ...(calls ? { calls } : {}), ...(remember ? { remember } : {}) });
    }
    case 'reject': {
      const calls = wanted.calls?.map((id) => ({ id, choice: 'reject', reason }) as const);
      return voting(calls ? { ...base, choice: 'approve', calls } : { ...base, choice: 'reject' });
    }
    case 'edit': {
      const callId = callsOf(question)[0]?.id ?? '';
      const { questionDigest, via } = base;
      return edit({ ...click, questionDigest, via, callId, input: wanted.input, reason }, deps);
    }
    case 'substitute': {
      const proposal = storedProposal(known.proposal);
      const actions = proposal.kind === 'action-choice' ? proposal.actionSpace.actions : [];
      const [action, ...others] = actions.filter(({ flow_id }) => flow_id === wanted.flow);
      if (!action) return 'unknown_action';
      if (others.length) return 'several_actions';
      const index = actions.indexOf(action);
      return voting({ ...base, choice: 'substitute', index, actionDigest: choiceDigest(action) });
    }
    case 'respond':
      return voting({ ...base, choice: 'respond', answer: wanted.answer });
    default:
      return wanted satisfies never;
  }
}
