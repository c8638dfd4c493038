/** Checks composite policies: a proposal, then an approver who sees only the proposal. */
import { describe, expect, test, vi } from 'vitest';
import { CallbackApprovalChannel } from '../../../shared/approvals/channels/callback.ts';
import {
  type AgentPolicy,
  AlwaysApprove,
  type ApprovalPredicate,
  ApprovalResult,
  CompositePolicy,
  FirstAvailablePolicy,
  FlowIdPredicate,
  HumanInTheLoopPolicy,
  LlmPolicy,
  NeverApprove,
  PriorityPolicy,
} from '../../../shared/policies/index.ts';
import { ScriptedClient } from '../../../shared/testing/scripted-client.ts';
import { anAction, aSnapshot, aSpace, deepFreeze, picks, proposing, recorder } from './builders.ts';

const snapshot = deepFreeze(aSnapshot());
const first = new FirstAvailablePolicy();

describe('CompositePolicy', () => {
  test('without a proposal nobody else is asked (R0-087)', async () => {
    const approver = { choose: vi.fn(async () => null) };
    const predicate = { requiresApproval: vi.fn(() => true) };
    expect(await new CompositePolicy(proposing(null), approver, predicate).choose(aSpace('a'), snapshot)).toBeNull();
    expect(approver.choose).not.toHaveBeenCalled();
    expect(predicate.requiresApproval).not.toHaveBeenCalled();
  });

  test('the approver sees only the proposal, and why it is possible (R0-090, R0-091)', async () => {
    const approver = { choose: vi.fn<AgentPolicy['choose']>(async (space) => space.actions[0] ?? null) };
    const predicate = { requiresApproval: vi.fn(() => true) };
    const verdict = { verdict_type: 'v', payload: 1, producing_rule: 'r', stratum: 0 };
    const blocked = { flow_id: 'x', reason: { type: 'PersonaNotAuthorized' as const } };
    const space = deepFreeze({ ...aSpace('a', 'b'), current_verdicts: [verdict], blocked_actions: [blocked] });
    const policy = new CompositePolicy(new PriorityPolicy(['b']), approver, predicate);
    expect(await policy.choose(space, snapshot)).toBe(space.actions[1]);
    expect(predicate.requiresApproval.mock.calls).toEqual([[space.actions[1], snapshot]]);
    expect(approver.choose.mock.calls[0]?.slice(0, 2)).toEqual([
      { persona_id: 'ops', actions: [space.actions[1]], current_verdicts: [verdict], blocked_actions: [] },
      snapshot,
    ]);
  });

  test.each([
    [
      'auto-approved',
      new CompositePolicy(first, proposing(null), new NeverApprove()),
      'a',
      'composite auto_approved a',
    ],
    ['approved', new CompositePolicy(first, first, new AlwaysApprove()), 'a', 'composite approver_approved a'],
    [
      'rejected',
      new CompositePolicy(first, proposing(null), new AlwaysApprove()),
      null,
      'composite approver_rejected a',
    ],
    [
      'another action',
      new CompositePolicy(first, proposing(anAction('b')), new AlwaysApprove()),
      null,
      'composite approver_changed_action b',
    ],
    [
      'a proposal outside',
      new CompositePolicy(proposing(anAction('z')), first, new NeverApprove()),
      null,
      'composite proposer_outside_space z',
    ],
    [
      'no proposal',
      new CompositePolicy(proposing(null), first, new NeverApprove()),
      null,
      'composite proposer_none null',
    ],
  ])('%s is recorded as what it was (R0-094, R0-108)', async (_name, policy, expected, line) => {
    const recorded = recorder();
    expect((await policy.choose(aSpace('a', 'b'), snapshot, { observe: recorded.observer }))?.flow_id ?? null).toBe(
      expected,
    );
    expect(recorded.lines().at(-1)).toBe(line);
  });

  test('an approver cannot change the action under its flow id', async () => {
    const space = aSpace('a');
    const policy = new CompositePolicy(first, proposing(anAction('a', { persona_id: 'root' })), new AlwaysApprove());
    expect(await policy.choose(space, snapshot)).toBe(space.actions[0]);
  });

  test('a predicate that fails, or does not say false, lets nothing through by itself', async () => {
    const broken: ApprovalPredicate = {
      requiresApproval: () => {
        throw new Error('broken');
      },
    };
    expect(await new CompositePolicy(first, first, broken).choose(aSpace('a'), snapshot)).toBeNull();
    const vague = { requiresApproval: () => undefined as unknown as boolean };
    expect(await new CompositePolicy(first, proposing(null), vague).choose(aSpace('a'), snapshot)).toBeNull();
  });

  test('within a composite the alternatives of a person vanish (R0-106)', async () => {
    const channel = new CallbackApprovalChannel(() => ApprovalResult.Substitute(anAction('b')));
    const policy = new CompositePolicy(first, new HumanInTheLoopPolicy(first, channel, 1000), new AlwaysApprove());
    expect(await policy.choose(aSpace('a', 'b'), snapshot)).toBeNull();
  });

  test('a model as delegate of the person is asked again, and may refuse without a prompt (R0-107)', async () => {
    const client = new ScriptedClient([picks('a'), picks(null)]);
    const ask = vi.fn(() => ApprovalResult.Approved);
    const llm = new LlmPolicy(client, 'm');
    const human = new HumanInTheLoopPolicy(llm, new CallbackApprovalChannel(ask), 1000);
    const policy = new CompositePolicy(llm, human, new FlowIdPredicate(['a']));
    const recorded = recorder();
    expect(await policy.choose(aSpace('a', 'b'), snapshot, { observe: recorded.observer })).toBeNull();
    expect(ask).not.toHaveBeenCalled();
    client.assertDone();
    expect(recorded.lines()).toEqual([
      'composite.proposer/llm chosen a',
      'composite.approver/human.delegate/llm declined null',
      'composite.approver/human delegate_none null',
      'composite approver_rejected a',
    ]);
  });

  test('composites nest (R0-101)', async () => {
    const inner = new CompositePolicy(first, first, new AlwaysApprove());
    expect((await new CompositePolicy(inner, inner, new AlwaysApprove()).choose(aSpace('a'), snapshot))?.flow_id).toBe(
      'a',
    );
  });
});
