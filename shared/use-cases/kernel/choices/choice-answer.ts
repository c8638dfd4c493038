/** Words the answer to a choice that ended, and names who decided it, stage by stage. */
import type { Action, DecidedBy, HumanAnswer } from '../../../contract/index.ts';
import { LIMITS } from '../../../contract/primitives.ts';
import { canonicalJson, choiceDigest } from '../../../domain/digest.ts';
import type { Decided } from '../../../permissions/model/types.ts';
import type { StageRecord } from '../../../policies/agent-policy.ts';
import type { Chosen } from '../../../policies/durable.ts';
import { outcomeOfChoice } from '../../../policies/outcome.ts';
import { deciderIds, idsOf as idsOfAnswerers, messages } from '../../model-messages.ts';
import type { KernelAnswer, KernelRun } from '../calls/run.ts';

type DecidedRun = Extract<KernelRun, { kind: 'decided' }>;
type Stages = readonly StageRecord[];

/** `byRule`: the person who approved it because a rule asked. */
export function answerOfChoice(
  policy: string,
  { action, stages }: Chosen,
  people: readonly HumanAnswer[],
  byRule?: HumanAnswer,
): DecidedRun {
  if (action) {
    const place = approvedBy(stages, action);
    const person = byRule ?? people.find((answer) => answer.place === place);
    return chosen(policy, stages, action, person);
  }
  const cause = causeOfNone(stages);
  const person = people.find(({ place }) => place === cause.place);
  const asked = outcomeOfChoice({ action, stages }) === 'answered' ? undefined : person;
  return (
    (asked && endedByPeople(policy, asked, stages)) ??
    ended(policy, stages, {
      outcome: 'answered',
      message: choiceMessages.none(policy, cause.outcome),
      reasonCode: cause.outcome,
      decidedBy: { type: 'policy', id: idOf(policy, cause.place) },
      answer: null,
    })
  );
}

/** Path of the policy stage where a person approved this action, or substituted another one for it. */
export const approvedBy = (stages: Stages, { flow_id }: Action): string | undefined =>
  stages.find(({ outcome, flowId }) => flowId === flow_id && (outcome === 'approved' || outcome === 'substituted'))
    ?.place;

/** A person's refusal, and nobody's answer: two different ends. Undefined for an answer that is neither. */
export function endedByPeople(policy: string, answer: HumanAnswer, stages: Stages): DecidedRun | undefined {
  if (answer.result === 'rejected')
    return ended(policy, stages, {
      outcome: 'denied',
      message: choiceMessages.rejected(idsOfAnswerers(answer.by), answer.reason),
      reasonCode: 'rejected',
      decidedBy: { type: 'human', id: deciderIds(answer.by) || 'unknown' },
    });
  if (answer.result === 'expired')
    return ended(policy, stages, {
      outcome: 'expired',
      message: choiceMessages.expired(),
      reasonCode: 'expired',
      decidedBy: { type: 'system', id: 'expired' },
    });
  return undefined;
}

/** Denied by a rule, whoever chose it. One that a person approved was not denied when they were asked. */
export function deniedFlow(policy: string, stages: Stages, action: Action, verdict: Decided): DecidedRun {
  const { rule, source, code, reason, message } = verdict;
  const approved = stages.some(({ outcome, flowId }) => outcome === 'approved' && flowId === action.flow_id);
  const isPause = source === 'pause';
  const changed = approved && !isPause;
  const pausedMeanwhile = approved && isPause ? messages.pausedMeanwhile(message) : undefined;
  return ended(policy, stages, {
    outcome: verdict.verdict === 'error' ? 'error' : 'denied',
    message:
      pausedMeanwhile ??
      (changed ? messages.policyChanged(message) : choiceMessages.deniedFlow(action.flow_id, message)),
    reasonCode: changed ? 'policy_changed' : (code ?? reason),
    decidedBy: rule ? { type: 'rule', id: rule.id } : { type: 'system', id: source },
  });
}

function chosen(policy: string, stages: Stages, action: Action, person: HumanAnswer | undefined): DecidedRun {
  const place = stages.find(({ flowId }) => flowId === action.flow_id)?.place ?? '';
  const decidedBy: DecidedBy = person
    ? { type: 'human', id: deciderIds(person.by) || 'unknown' }
    : { type: 'policy', id: idOf(policy, place) };
  return ended(policy, stages, {
    outcome: 'answered',
    message: choiceMessages.chosen(action.flow_id, policy, person && idsOfAnswerers(person.by)),
    reasonCode: stages.some(({ place, outcome }) => place === person?.place && outcome === 'substituted')
      ? 'substituted'
      : 'chosen',
    decidedBy,
    actionDigest: choiceDigest(action),
    answer: shownAction(action),
  });
}

function ended(
  policy: string,
  stages: Stages,
  rest: Pick<KernelAnswer, 'outcome' | 'message' | 'reasonCode' | 'decidedBy'> & Partial<KernelAnswer>,
): DecidedRun {
  return { kind: 'decided', answer: { actionDigest: null, calls: [], ...rest }, calls: [], choice: { policy, stages } };
}

/** An action with long verdicts is named, and its digest says which it is: a decision stays a small row. */
function shownAction(action: Action): unknown {
  if (Buffer.byteLength(canonicalJson(action)) <= LIMITS.inlineInputBytes) return action;
  const { flow_id, persona_id } = action;
  return { flow_id, persona_id };
}

/** The policy and the stage of it that decided. */
const idOf = (policy: string, place: string): string => `${policy}:${place}`.slice(0, 300);

/** None goes outwards through the tree, so the first stage that gave none is the cause. */
const causeOfNone = (stages: Stages): Pick<StageRecord, 'place' | 'outcome'> =>
  stages.find(({ outcome }) => !POSITIVE.has(outcome)) ?? { place: '', outcome: 'empty_space' };

const POSITIVE: ReadonlySet<StageRecord['outcome']> = new Set([
  'chosen',
  'approved',
  'substituted',
  'timeout_approved',
  'auto_approved',
  'approver_approved',
]);

export const choiceMessages = {
  asks: (policy: string) => `The policy ${policy} asks a person about the action that it would choose.`,
  chosen: (flow: string, policy: string, people: string | undefined) =>
    `Chosen by ${people ?? `the policy ${policy}`}: ${flow}. Execute exactly this action, if the contract still offers it.`,
  none: (policy: string, why: string) =>
    `The policy ${policy} chose nothing (${why}). Execute nothing now; propose the next choice with a new action space under a new id.`,
  rejected: (people: string, reason: string | undefined) =>
    `${people} refused the action that was proposed${reason ? `: ${reason}` : ''}. Execute nothing now; propose the next choice when the contract has moved on.`,
  expired: () =>
    'The time to answer was over before enough people had approved. This is not a refusal: execute nothing now, and propose the next choice with a new action space under a new id.',
  deniedFlow: (flow: string, why: string) => `The action ${flow} was chosen, and is denied. ${why}`,
  paused: (why: string | undefined) => `An operator has paused this.${why ? ` ${why}` : ''}`,
  policyFailed: (policy: string, why: string) => `The policy ${policy} failed: ${why}. Nothing was chosen.`,
  policyNotAllowed: (policy: string, only: readonly string[]) =>
    `This agent may not name the policy ${policy}; it may name ${only.join(', ') || 'none'}.`,
  superseded: (why: string) =>
    `The policy changed while this choice waited, so that no answer counts: ${why}. Propose the choice again under a new id.`,
  unknownPolicy: (policy: string, known: readonly string[]) =>
    `The policy file declares no agent policy named ${policy}; declared are ${known.join(', ') || 'none'}.`,
} as const;
