/** Checks policies in countersign.yaml: a sound tree loads, and mistakes are named with their path. */
import { describe, expect, it } from 'vitest';
import { loadPolicy } from '../../../shared/config/load.ts';
import { PolicyFileError } from '../../../shared/config/schema/problems.ts';

const BASE = `people:
  alice: { team: T1DEMO, user: U1ALICE, name: Alice }
  olga: { team: T1DEMO, user: U1OLGA, name: Olga }
agents:
  seller: { owner: olga, policies: [careful] }
channels:
  approvals: { team: T1DEMO, id: C1APPR }
approvers:
  platform: { members: [alice], channel: approvals }
approvals: { approvers: platform }
models:
  claude: { provider: anthropic, secret: llm-key }
policies:
  careful:
    type: composite
    proposer: { type: llm, model: m-1 }
    approver: { type: human-in-the-loop, delegate: { type: first-available }, timeout: 3m }
    requiresApproval: { type: flow-id, flows: [release_escrow] }
`;

const load = (text: string) => loadPolicy(text, 'countersign.yaml');
const problemOf = (text: string): string => {
  try {
    load(text);
    return '';
  } catch (error) {
    if (error instanceof PolicyFileError) return error.message;
    throw error;
  }
};

it('a tree loads with its defaults, and the same tree written otherwise has the same version', () => {
  const { policy, policyVersion } = load(BASE);
  expect(policy.policies['careful']).toEqual({
    type: 'composite',
    proposer: { type: 'llm', model: 'm-1', systemPrompt: '', maxRetries: 2 },
    approver: {
      type: 'human-in-the-loop',
      delegate: { type: 'first-available' },
      timeout: 180_000,
      timeoutBehavior: 'reject',
    },
    requiresApproval: { type: 'flow-id', flows: ['release_escrow'] },
  });
  expect(policy.models['claude']).toEqual({ provider: 'anthropic', secret: 'llm-key', timeout: 10_000 });
  expect(load(BASE.replace('timeout: 3m', 'timeout: 180s')).policyVersion).toBe(policyVersion);
});

const deep = (levels: number): string =>
  `${'{ type: human-in-the-loop, timeout: 1m, delegate: '.repeat(levels - 1)}{ type: random }${' }'.repeat(levels - 1)}`;

describe('refused with file, line, column and what is wrong', () => {
  it.each<[string, string, string]>([
    ['type: llm', 'type: astrologer', '16:23: policies.careful.proposer.type: '],
    ['{ type: llm, model: m-1 }', '{ type: llm }', '16:15: policies.careful.proposer.model: '],
    ['type: llm', 'type: llm, client: gpt', 'policies.careful.proposer.client: gpt is not declared under models'],
    [
      '  claude: { provider: anthropic, secret: llm-key }',
      '  {}',
      'policies.careful.proposer.client: needs a client, and none is declared under models',
    ],
    [
      'secret: llm-key }',
      'secret: llm-key }\n  other: { provider: vercel, secret: key }',
      'policies.careful.proposer.client: needs a client, one of claude, other',
    ],
    ['timeout: 3m', 'timeout: 3m, approvers: board', '17:103: policies.careful.approver.approvers: board is not'],
    [
      'approvals: { approvers: platform }',
      '',
      'policies.careful.approver.approvers: asks nobody: name a group here or in approvals.approvers',
    ],
    ['timeout: 3m', 'timeout: 2h', 'policies.careful.approver.timeout: is longer than approvals.timeout'],
    [
      'timeout: 3m',
      'timeout: 1h, timeoutBehavior: approve',
      'policies.careful.approver.timeout: has to be shorter than approvals.timeout',
    ],
    ['flows: [release_escrow]', 'flows: []', 'policies.careful.requiresApproval.flows: needs at least one flow'],
    [
      '{ type: flow-id, flows: [release_escrow] }',
      '{ type: entity-state }',
      'policies.careful.requiresApproval.rules: ',
    ],
    ['policies: [careful]', 'policies: [careless]', '5:37: agents.seller.policies[0]: careless is not declared under'],
    ['{ type: first-available }', deep(16), 'policies.careful: is deeper than 16 policies'],
    ['secret: llm-key', 'secret: llm-key, timeout: 1m', 'models.claude.timeout: must be 1s to 20s'],
    ['timeout: 3m', 'timeout: 0s', 'policies.careful.approver.timeout: must be at least 1s'],
    // The approver would never be asked.
    ['[release_escrow]', '["release_escrow "]', 'careful.requiresApproval.flows[0]: is the name of no flow'],
    ['[release_escrow]', '[a, "rel\u0435ase"]', 'careful.requiresApproval.flows[1]: is the name of no flow'],
    [
      '{ type: llm, model: m-1 }',
      '{ type: priority, priorities: [a b] }',
      'careful.proposer.priorities[0]: is the name',
    ],
    [
      '{ type: flow-id, flows: [release_escrow] }',
      '{ type: entity-state, rules: [[Order, "large\u200b"]] }',
      'careful.requiresApproval.rules[0][1]: holds a character that nobody sees',
    ],
    ['secret: llm-key', 'secret: llm key', 'models.claude.secret: must be the name of a secret'],
    ['type: flow-id,', 'type: flow-id, flow: x,', 'policies.careful.requiresApproval.flow: '],
  ])('%s → %s', (from, to, expected) => {
    expect(BASE).toContain(from);
    expect(problemOf(BASE.replace(from, to))).toContain(expected);
  });

  it('sixteen levels load', () => {
    expect(problemOf(BASE.replace('{ type: first-available }', deep(14)))).toBe('');
  });
});
