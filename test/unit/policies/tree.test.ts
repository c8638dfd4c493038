/** Checks trees of policies: their defaults, their depth, and their ports. */
import { describe, expect, test } from 'vitest';
import { buildPolicy, type PolicyPorts } from '../../../shared/policies/build.ts';
import { type PolicyTree, parsePolicyTree } from '../../../shared/policies/tree.ts';
import { ScriptedClient } from '../../../shared/testing/scripted-client.ts';
import { aSnapshot, aSpace } from './builders.ts';

const nobody: PolicyPorts = { channel: () => undefined, client: () => undefined, random: () => Math.random };
const first = { type: 'first-available' };
const human = { type: 'human-in-the-loop', delegate: first, timeout: '3m' };

const nested = (depth: number): unknown => {
  let tree: unknown = first;
  for (let level = 1; level < depth; level += 1) tree = { ...human, delegate: tree };
  return tree;
};

describe('a policy tree', () => {
  test('fills in the seed’s defaults, and parses to itself', () => {
    const tree = parsePolicyTree({
      type: 'composite',
      proposer: { type: 'llm', model: 'm1' },
      approver: human,
      requiresApproval: { type: 'entity-state', rules: [['Order', 'pending_large']] },
    });
    expect(tree).toEqual({
      type: 'composite',
      proposer: { type: 'llm', model: 'm1', systemPrompt: '', maxRetries: 2 },
      approver: { type: 'human-in-the-loop', delegate: first, timeout: 180_000, timeoutBehavior: 'reject' },
      requiresApproval: { type: 'entity-state', rules: [['Order', 'pending_large']] },
    });
    expect(parsePolicyTree(JSON.parse(JSON.stringify(tree)))).toEqual(tree);
  });

  test.each<[string, unknown, string]>([
    ['an unknown policy', { type: 'astrologer' }, 'type'],
    ['no policy', undefined, ''],
    ['an unknown key', { type: 'random', seed: 1 }, 'seed'],
    ['a model without a name', { ...human, delegate: { type: 'llm' } }, 'delegate.model'],
    ['a wait without an end', { type: 'human-in-the-loop', delegate: first }, 'timeout'],
    ['an odd duration', { ...human, timeout: 'soon' }, 'timeout'],
    [
      'an unknown predicate',
      { type: 'composite', proposer: first, approver: first, requiresApproval: { type: 'maybe' } },
      'requiresApproval',
    ],
    [
      'a predicate without flows',
      { type: 'composite', proposer: first, approver: first, requiresApproval: { type: 'flow-id', flows: [] } },
      'requiresApproval.flows',
    ],
    [
      'a predicate without rules',
      { type: 'composite', proposer: first, approver: first, requiresApproval: { type: 'entity-state', rules: [] } },
      'requiresApproval.rules',
    ],
    ['too much depth', nested(17), 'deeper than 16'],
    ['absurd depth', nested(100_000), 'deeper than 16'],
  ])('%s is refused with the place', (_name, tree, place) => {
    expect(() => buildPolicy(tree, nobody)).toThrow(place);
    expect(() => buildPolicy(tree, nobody)).toThrow(expect.objectContaining({ code: 'invalid_policy_tree' }));
  });

  test('a bush of aliases is refused before it is walked whole', () => {
    let tree: unknown = first;
    for (let level = 0; level < 15; level += 1) {
      tree = { type: 'composite', proposer: tree, approver: tree, requiresApproval: { type: 'never' } };
    }
    expect(() => parsePolicyTree(tree)).toThrow('more than 256');
  });

  test('sixteen levels are allowed', () => {
    expect(() => parsePolicyTree(nested(16))).not.toThrow();
  });

  test.each<[string, unknown, string]>([
    [
      'a model nobody serves',
      {
        type: 'composite',
        proposer: { type: 'llm', model: 'm' },
        approver: first,
        requiresApproval: { type: 'never' },
      },
      'composite.proposer/llm: there is no client',
    ],
    [
      'a named client nobody declared',
      { type: 'llm', model: 'm', client: 'elsewhere' },
      'llm: there is no client elsewhere',
    ],
    ['a person nobody reaches', human, 'human: there is nobody to ask'],
  ])('%s is refused with the place', (_name, tree, message) => {
    expect(() => buildPolicy(tree, nobody)).toThrow(message);
  });

  test('tells the ports who asks, and where', async () => {
    const places: string[] = [];
    const tree: PolicyTree = parsePolicyTree({
      type: 'composite',
      proposer: { ...human, delegate: { type: 'random' }, approvers: 'finance' },
      approver: { type: 'llm', model: 'm' },
      requiresApproval: { type: 'always' },
    });
    buildPolicy(tree, {
      channel: (place, settings) => {
        places.push(`${place} ${settings.approvers}`);
        return { requestApproval: async () => ({ type: 'approved' }) };
      },
      client: (place) => {
        places.push(place);
        return new ScriptedClient([]);
      },
      random: (place) => {
        places.push(place);
        return () => 0;
      },
    });
    expect(places).toEqual([
      'composite.proposer/human finance',
      'composite.proposer/human.delegate/random',
      'composite.approver/llm',
    ]);
  });

  test.each(['random', 'first-available'])('%s needs nobody', async (type) => {
    expect((await buildPolicy({ type }, nobody).choose(aSpace('a'), aSnapshot()))?.flow_id).toBe('a');
  });
});
