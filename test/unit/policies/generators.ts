/** Arbitrary trees, spaces and scripts of answers, for properties of durable choices. */
import fc from 'fast-check';
import { faultOfSpace } from '../../../shared/policies/action-space.ts';
import type { ActionSpace, AgentSnapshot, ApprovalResult } from '../../../shared/policies/index.ts';
import { type PolicyTree, parsePolicyTree } from '../../../shared/policies/tree.ts';
import { anAction, picks } from './builders.ts';

const flow = fc.constantFrom('a', 'b', 'c', 'd');
const state = fc.constantFrom('open', 'closed');

const predicate = fc.oneof(
  fc.record({ type: fc.constant('flow-id'), flows: fc.array(flow, { minLength: 1, maxLength: 3 }) }),
  fc.record({
    type: fc.constant('entity-state'),
    rules: fc.array(fc.tuple(fc.constantFrom('Order', 'Case'), state), { minLength: 1, maxLength: 2 }),
  }),
  fc.record({ type: fc.constantFrom('always', 'never') }),
);

export const trees: fc.Arbitrary<PolicyTree> = fc
  .letrec((tie) => ({
    tree: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.record({ type: fc.constantFrom('random', 'first-available') }),
      fc.record({ type: fc.constant('priority'), priorities: fc.array(flow, { maxLength: 3 }) }),
      fc.record({ type: fc.constant('llm'), model: fc.constantFrom('m1', 'm2'), maxRetries: fc.nat({ max: 2 }) }),
      fc.record({
        type: fc.constant('human-in-the-loop'),
        delegate: tie('tree'),
        timeout: fc.constantFrom('1h', '7d'),
        timeoutBehavior: fc.constantFrom('reject', 'approve'),
      }),
      fc.record({
        type: fc.constant('composite'),
        proposer: tie('tree'),
        approver: tie('tree'),
        requiresApproval: predicate,
      }),
    ),
  }))
  .tree.map((tree) => parsePolicyTree(tree));

/** Several actions may share a flow, but none are identical. */
export const spaces: fc.Arbitrary<ActionSpace> = fc
  .array(fc.tuple(flow, fc.nat({ max: 2 })), { maxLength: 5 })
  .map((actions) => ({
    persona_id: 'ops',
    actions: actions.map(([id, instance]) => anAction(id, { instance_bindings: { Order: [`o-${instance}`] } })),
    current_verdicts: [{ verdict_type: 'v', payload: { b: 1, a: [1] }, producing_rule: 'r', stratum: 0 }],
    blocked_actions: [{ flow_id: 'x', reason: { type: 'MissingFacts' as const, fact_ids: ['f'] } }],
  }))
  .filter((space) => faultOfSpace(space) === undefined);

export const snapshots: fc.Arbitrary<AgentSnapshot> = fc.record({
  facts: fc.dictionary(fc.string({ maxLength: 3 }), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 3 }),
  entity_states: fc.dictionary(fc.constantFrom('Order', 'Case'), state),
  observed_at: fc.constant('2026-02-27T10:00:00Z'),
});

/** The nth question gets the nth answer, whoever is asked. */
export interface ScriptedAnswer {
  readonly person: ApprovalResult;
  readonly model: string | 'network' | 'api' | 'parse';
}

const person: fc.Arbitrary<ApprovalResult> = fc.oneof(
  { weight: 4, arbitrary: fc.constant<ApprovalResult>({ type: 'approved', by: 'ann' }) },
  fc.constant<ApprovalResult>({ type: 'rejected', by: 'ann', reason: 'no' }),
  fc.constant<ApprovalResult>({ type: 'timeout' }),
  fc.tuple(flow, fc.nat({ max: 2 })).map(
    ([id, instance]): ApprovalResult => ({
      type: 'substitute',
      action: anAction(id, { persona_id: 'them', instance_bindings: { Order: [`o-${instance}`] } }),
    }),
  ),
);

const model = fc.oneof(
  { weight: 6, arbitrary: flow.map(picks) },
  fc.constantFrom(picks(null), picks('z'), 'not json', '{}', 'network', 'api', 'parse'),
);

export const scripts: fc.Arbitrary<readonly ScriptedAnswer[]> = fc.array(fc.record({ person, model }), {
  minLength: 1,
  maxLength: 12,
});
