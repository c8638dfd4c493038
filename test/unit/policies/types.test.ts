/** Checks that action spaces and snapshots come back from JSON as they were. */
import { describe, expect, test } from 'vitest';
import { actionSpace, agentSnapshot, blockedReason } from '../../../shared/contract/action-space.ts';

const full = {
  persona_id: 'ops',
  actions: [
    {
      flow_id: 'release_escrow',
      persona_id: 'ops',
      entry_operation_id: 'op-1',
      enabling_verdicts: [{ verdict_type: 'delivered', payload: { ok: true }, producing_rule: 'r1', stratum: 1 }],
      affected_entities: [{ entity_id: 'Escrow', current_state: 'held', possible_transitions: ['released'] }],
      description: 'Release the escrow',
      instance_bindings: { Escrow: ['e-1', 'e-2'] },
    },
  ],
  current_verdicts: [{ verdict_type: 'delivered', payload: null, producing_rule: 'r1', stratum: 0 }],
  blocked_actions: [
    { flow_id: 'a', reason: { type: 'PersonaNotAuthorized' }, instance_bindings: {} },
    { flow_id: 'b', reason: { type: 'PreconditionNotMet', missing_verdicts: ['paid'] } },
    {
      flow_id: 'c',
      reason: { type: 'EntityNotInSourceState', entity_id: 'Order', current_state: 'new', required_state: 'paid' },
    },
    { flow_id: 'd', reason: { type: 'MissingFacts', fact_ids: ['amount'] } },
  ],
};

describe('the words of seed 0', () => {
  test('an action space comes back from JSON as it was (R0-010 … R0-015)', () => {
    expect(JSON.stringify(actionSpace.parse(JSON.parse(JSON.stringify(full))))).toBe(JSON.stringify(full));
  });

  test('a snapshot comes back from JSON as it was (R0-009)', () => {
    const snapshot = {
      facts: { amount: 12.5, nested: { list: [1, null, 'x'] } },
      entity_states: { Order: 'pending' },
      observed_at: '2026-02-27T10:00:00Z',
    };
    expect(agentSnapshot.parse(JSON.parse(JSON.stringify(snapshot)))).toEqual(snapshot);
  });

  test.each([
    ['an unknown reason', () => blockedReason.parse({ type: 'BadMood' })],
    ['a reason without its fields', () => blockedReason.parse({ type: 'MissingFacts' })],
    ['an unknown key', () => actionSpace.parse({ ...full, mood: 'good' })],
    [
      'an instance twice',
      () =>
        actionSpace.parse({
          ...full,
          actions: [{ flow_id: 'a', persona_id: 'p', instance_bindings: { E: ['1', '1'] } }],
        }),
    ],
    [
      'a negative stratum',
      () =>
        actionSpace.parse({
          ...full,
          current_verdicts: [{ verdict_type: 'v', payload: 1, producing_rule: 'r', stratum: -1 }],
        }),
    ],
    ['a time that is none', () => agentSnapshot.parse({ facts: {}, entity_states: {}, observed_at: 'yesterday' })],
  ])('%s is refused', (_name, parse) => {
    expect(parse).toThrow();
  });
});
