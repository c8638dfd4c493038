/** What the agent is told of a choice that ended, and how the record says who decided, stage by stage (D35, R0-108). */
import type { Action, DecidedBy } from '../contract/index.ts';
import { LIMITS } from '../contract/primitives.ts';
import { canonicalJson, choiceDigest } from '../domain/digest.ts';
import type { Decided } from '../permissions/types.ts';
import type { StageRecord } from '../policies/agent-policy.ts';
import type { Chosen } from '../policies/durable.ts';
import type { Answer, Run } from './run.ts';

export type DecidedRun = Extract<Run, { kind: 'decided' }>;

export function answerOfChoice(policy: string, { action, stages }: Chosen): DecidedRun {
  const decidedBy: DecidedBy = { type: 'policy', id: deciderOf(policy, stages, action) };
  if (action) return chosen(policy, stages, action, decidedBy, choiceMessages.chosen(action.flow_id, policy));
  const { outcome } = causeOfNone(stages);
  return ended(policy, stages, {
    outcome: 'answered',
    message: choiceMessages.none(policy, outcome),
    reasonCode: outcome,
    decidedBy,
    answer: null,
  });
}

/** Denied by a rule, whoever chose it. */
export function deniedFlow(policy: string, { stages }: Chosen, { flow_id }: Action, verdict: Decided): DecidedRun {
  const { rule, source, code, reason, message } = verdict;
  return ended(policy, stages, {
    outcome: verdict.verdict === 'error' ? 'error' : 'denied',
    message: choiceMessages.deniedFlow(flow_id, message),
    reasonCode: code ?? reason,
    decidedBy: rule ? { type: 'rule', id: rule.id } : { type: 'system', id: source },
  });
}

function chosen(
  policy: string,
  stages: readonly StageRecord[],
  action: Action,
  decidedBy: DecidedBy,
  message: string,
): DecidedRun {
  const digest = choiceDigest(action);
  return ended(policy, stages, {
    outcome: 'answered',
    message,
    reasonCode: 'chosen',
    decidedBy,
    actionDigest: digest,
    answer: told(action),
  });
}

function ended(
  policy: string,
  stages: readonly StageRecord[],
  said: Pick<Answer, 'outcome' | 'message' | 'reasonCode' | 'decidedBy'> & Partial<Answer>,
): DecidedRun {
  return { kind: 'decided', answer: { actionDigest: null, calls: [], ...said }, calls: [], choice: { policy, stages } };
}

/** An action with long verdicts is named, and its digest says which it is: a decision stays a small row. */
function told(action: Action): unknown {
  if (Buffer.byteLength(canonicalJson(action)) <= LIMITS.inlineInputBytes) return action;
  const { flow_id, persona_id } = action;
  return { flow_id, persona_id };
}

/** The policy and the stage of it that decided. */
function deciderOf(policy: string, stages: readonly StageRecord[], action: Action | null): string {
  const stage = action ? stages.find(({ flowId }) => flowId === action.flow_id) : causeOfNone(stages);
  return `${policy}:${stage?.place ?? ''}`.slice(0, 300);
}

/** None goes outwards through the tree, so the first stage that gave none is the cause. */
const causeOfNone = (stages: readonly StageRecord[]): Pick<StageRecord, 'place' | 'outcome'> =>
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
  chosen: (flow: string, policy: string) =>
    `Chosen by the policy ${policy}: ${flow}. Execute exactly this action, if the contract still offers it.`,
  none: (policy: string, why: string) =>
    `The policy ${policy} chose nothing (${why}). Execute nothing now; propose the next choice with a new action space under a new id.`,
  deniedFlow: (flow: string, why: string) => `The action ${flow} was chosen, and is denied. ${why}`,
  paused: (why: string | undefined) => `An operator has paused this.${why ? ` ${why}` : ''}`,
  policyFailed: (policy: string, why: string) => `The policy ${policy} failed: ${why}. Nothing was chosen.`,
  policyNotAllowed: (policy: string, only: readonly string[]) =>
    `This agent may not name the policy ${policy}; it may name ${only.join(', ') || 'none'}.`,
  superseded: (why: string) => `The policy changed while this waited: ${why}, under a new id.`,
  unknownPolicy: (policy: string, known: readonly string[]) =>
    `The policy file declares no agent policy named ${policy}; declared are ${known.join(', ') || 'none'}.`,
} as const;
