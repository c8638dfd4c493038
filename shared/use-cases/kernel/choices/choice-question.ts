/**
 * Builds the question to people about a choice, and hands back their answers.
 *
 * The policy that asked gets them.
 */
import type { Policy } from '../../../config/compile.ts';
import type {
  Action,
  ChoiceQuestion,
  HumanAnswer,
  HumanChoice,
  JournalEntry,
  Severity,
} from '../../../contract/index.ts';
import type { ActionChoiceProposal } from '../../../contract/proposal.ts';
import { areSeenFor } from '../../../domain/approval/silence.ts';
import { choiceDigest } from '../../../domain/digest.ts';
import { cutMarked } from '../../../domain/redaction/text/marker.ts';
import { FLOW_TOOL } from '../../../permissions/model/tools.ts';
import type { Decided } from '../../../permissions/model/types.ts';
import type { ApprovalResult } from '../../../policies/approval-channel.ts';
import type { HumanQuestion, JournalAnswer } from '../../../policies/journal.ts';
import { deciderIds } from '../../model-messages.ts';
import {
  type ApprovalPlan,
  askedBy,
  type PlannedQuestion,
  planForCall,
  planForGroup,
} from '../calls/question/approval-plan.ts';
import { barredFrom } from '../calls/question/impartial.ts';
import type { Session } from '../state/session.ts';

export interface PeopleQuestion {
  readonly place: string;
  readonly digest: string;
  readonly question: HumanQuestion;
  readonly why: string;
  readonly severity?: Severity | undefined;
}

/** A question, or why nobody can be asked it. */
export function questionOfChoice(
  { place, digest, question, why, severity = 'medium' }: PeopleQuestion,
  asked: Extract<PlannedQuestion, { ok: true }>,
  { policy, actionSpace }: ActionChoiceProposal,
): ChoiceQuestion {
  const { proposed } = question;
  // A composite's approver sees one action: there is nothing to put in its place.
  const offers: HumanChoice[] = ['approve', 'reject'];
  if (question.actionSpace.actions.length > 1) offers.push('substitute');
  return {
    kind: 'choice',
    place,
    digest,
    offers,
    severity,
    stages: asked.stages,
    stagesDigest: asked.stagesDigest,
    ...(question.timeoutBehavior === 'approve' && areSeenFor(question.timeoutMs, asked.stages)
      ? { onTimeout: 'approve' }
      : {}),
    policy,
    why: cutMarked(why, 1000),
    proposed: {
      index: actionSpace.actions.indexOf(proposed),
      digest: choiceDigest(proposed),
      flowId: proposed.flow_id,
      personaId: proposed.persona_id,
    },
  };
}

/** The group that the policy names, else the agent's, else the deployment's: they have as long as the policy says. */
export function askedByPolicy(
  { approvers, timeoutMs }: Pick<HumanQuestion, 'approvers' | 'timeoutMs'>,
  session: Session,
  policy: Policy,
): PlannedQuestion {
  const { settings, requester } = session;
  const plan = planForGroup(policy, settings, approvers ?? undefined);
  const withTimeout = plan && withinTime(plan, timeoutMs);
  return askedBy(withTimeout, 'medium', settings, policy, requester, [], barredFrom(session, policy));
}

/** The approvers that the rule names, else those of the group. */
export function askedByRule(verdict: Decided, session: Session, policy: Policy): PlannedQuestion {
  const { settings, requester } = session;
  const plan = planForCall(policy, FLOW_TOOL, [{ settings, rule: verdict.rule }]);
  return askedBy(plan, verdict.severity ?? 'medium', settings, policy, requester, [], barredFrom(session, policy));
}

const withinTime = (plan: ApprovalPlan, timeout: number): ApprovalPlan => ({
  ...plan,
  stages: plan.stages.map((stage) => ({ ...stage, timeout: Math.min(stage.timeout ?? timeout, timeout) })),
});

export const peopleIn = (entries: readonly JournalEntry[]): HumanAnswer[] =>
  entries.filter((entry) => entry.type === 'human').toSorted((a, b) => a.round - b.round);

/** Answers stand where their questions stood: a model's entry says which it was, people's fill the gaps in the order of their rounds. */
export function answersInOrder(
  entries: readonly JournalEntry[],
  people: readonly HumanAnswer[],
  proposal: ActionChoiceProposal,
): JournalAnswer[] {
  const models = new Map(entries.flatMap((entry) => (entry.type === 'model' ? [[entry.round, entry] as const] : [])));
  const waiting = [...people];
  const answers: JournalAnswer[] = [];
  for (let ordinal = 0; ordinal < models.size + people.length; ordinal++) {
    const model = models.get(ordinal);
    const person = model ? undefined : waiting.shift();
    if (model) answers.push({ type: 'model', place: model.place, digest: model.digest, result: model.result });
    if (person) {
      const { place, digest } = person;
      answers.push({ type: 'human', place, digest, result: resultOf(person, proposal) });
    }
  }
  return answers;
}

/** No flow can have this id: the policy finds it outside the space, and the record says so. */
const outside = ({ substitute }: HumanAnswer): Action => ({
  flow_id: `#${substitute?.index ?? ''}`,
  persona_id: '',
});

function resultOf(answer: HumanAnswer, { actionSpace }: ActionChoiceProposal): ApprovalResult {
  const by = deciderIds(answer.by);
  switch (answer.result) {
    case 'approved':
      return { type: 'approved', by };
    case 'rejected':
      return { type: 'rejected', by, reason: answer.reason };
    case 'expired':
      return { type: 'timeout' };
    case 'substituted': {
      const action = actionSpace.actions[answer.substitute?.index ?? -1];
      const same = action && choiceDigest(action) === answer.substitute?.actionDigest;
      return { type: 'substitute', action: same ? action : outside(answer), by };
    }
    case 'edited':
    case 'answered':
    case 'cancelled':
      return { type: 'rejected', by, reason: `a choice cannot be ${answer.result}` };
    default:
      return answer.result satisfies never;
  }
}
