/** Checks that the tester of policies judges as the gate does, and names mistakes. */
import { expect, test } from 'vitest';
import { definePolicy } from '../../../shared/config/index.ts';
import { policyTester } from '../../../shared/testing/index.ts';

const POLICY = {
  people: { olga: { team: 'T1', user: 'U1', name: 'Olga' }, alice: { team: 'T1', user: 'U2', name: 'Alice' } },
  agents: { billing: { owner: 'olga' } },
  channels: { approvals: { team: 'T1', id: 'C1' } },
  approvers: { finance: { members: ['alice'], channel: 'approvals' } },
  approvals: { approvers: 'finance' },
  rules: { allow: ['Lookup'], ask: ['Refund'], deny: ['Bash(rm:*)'] },
};

test.each([
  ['Lookup', { order: 7 }, { verdict: 'allow', rule: 'Lookup' }],
  ['Refund', { order: 7 }, { verdict: 'ask', rule: 'Refund', asks: ['finance'] }],
  ['Bash', { command: 'git status && rm -rf /' }, { verdict: 'deny', rule: 'Bash(rm:*)' }],
  ['Bash', { command: 7 }, { verdict: 'error', reason: 'invalid' }],
])('judges %s(%j) as the gate does', async (tool, input, verdict) => {
  expect(await policyTester(definePolicy(POLICY)).check('billing', tool, input)).toMatchObject(verdict);
});

test('names an agent that the policy does not declare, and a policy with a mistake', async () => {
  await expect(policyTester(definePolicy(POLICY)).check('nobody', 'Lookup', {})).rejects.toThrow(
    'the policy file declares no agent nobody; it declares billing',
  );
  expect(() => policyTester('infra/countersign.yaml')).toThrow(
    /^policy: "infra\/countersign\.yaml" is not the text of a policy file: read/,
  );
  expect(() => definePolicy({ ...POLICY, agents: { billing: { owner: 'olgaa' } } }, 'gate.ts')).toThrow(
    /^gate\.ts: agents\.billing\.owner: .*olga/,
  );
  expect(definePolicy(POLICY).ruleLines).toEqual({});
});
