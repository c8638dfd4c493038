/** Makes small values for tests of policies. */
import type { ApprovalResult } from '../../../shared/policies/approval-channel.ts';
import type { Action, ActionSpace, AgentPolicy, AgentSnapshot, StageRecord } from '../../../shared/policies/index.ts';
import type { HumanAnswer, PolicyQuestionAsked } from '../../../shared/policies/journal.ts';

export const anAction = (flow_id: string, more: Partial<Action> = {}): Action => ({
  flow_id,
  persona_id: 'ops',
  ...more,
});

export const aSpace = (...flows: (string | Action)[]): ActionSpace => ({
  persona_id: 'ops',
  actions: flows.map((flow) => (typeof flow === 'string' ? anAction(flow) : flow)),
  current_verdicts: [],
  blocked_actions: [],
});

export const aSnapshot = (
  entity_states: Record<string, string> = {},
  facts: AgentSnapshot['facts'] = {},
): AgentSnapshot => ({
  facts,
  entity_states,
  observed_at: '2026-02-27T10:00:00Z',
});

/** A policy that proposes this, whatever it is asked. */
export const proposing = (action: Action | null): AgentPolicy => ({ choose: async () => action });

/** Records of the stages, as `place outcome flow`. */
export function recorder() {
  const records: StageRecord[] = [];
  return {
    records,
    observer: (record: StageRecord) => {
      records.push(record);
    },
    lines: () => records.map(({ place, outcome, flowId }) => `${place} ${outcome} ${flowId}`),
  };
}

export function deepFreeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) {
    for (const inner of Object.values(value)) deepFreeze(inner);
    Object.freeze(value);
  }
  return value;
}

/** The answer of a model that picks a flow, or none. */
export const picks = (flow: string | null): string =>
  JSON.stringify({ action: flow && { flow_id: flow, persona_id: 'ops', reasoning: 'r' }, reasoning: 'r' });

export const answerOfPerson = ({ place, digest }: PolicyQuestionAsked, result: ApprovalResult): HumanAnswer => ({
  type: 'human',
  place,
  digest,
  result,
});
