/**
 * Runs the examples that users read, in this process and once each as a program.
 *
 * People and models of the first run are scripted.
 */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import { CallbackApprovalChannel } from '../../../shared/approvals/channels/callback.ts';
import { actionSpace, agentSnapshot } from '../../../shared/contract/action-space.ts';
import { asksModel, type PolicyRun, runPolicy } from '../../../shared/policies/durable.ts';
import type { ApprovalResult } from '../../../shared/policies/index.ts';
import { askModel, type JournalAnswer } from '../../../shared/policies/journal.ts';
import { parsePolicyTree } from '../../../shared/policies/tree.ts';
import { EscrowContract } from '../../examples/escrow.ts';
import { fullyAutonomous } from '../../examples/policies/fully-autonomous.ts';
import { humanSupervised } from '../../examples/policies/human-supervised.ts';
import { riskBased } from '../../examples/policies/risk-based.ts';
import { modelOr } from '../../examples/policies/setting.ts';
import { stateDependent } from '../../examples/policies/state-dependent.ts';
import { answerOfPerson } from './builders.ts';

const directory = new URL('../../examples/policies/', import.meta.url);

beforeAll(() => {
  vi.stubEnv('ANTHROPIC_API_KEY', '');
  vi.spyOn(console, 'log').mockImplementation(() => {});
});
afterAll(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** A person who answers in this order, and what they were asked about. */
function person(...answers: ApprovalResult['type'][]) {
  const asked: string[] = [];
  const channel = new CallbackApprovalChannel((proposed) => {
    asked.push(proposed.flow_id);
    return { type: answers[asked.length - 1] ?? 'timeout' } as ApprovalResult;
  });
  return { channel, asked };
}

describe('the examples', () => {
  test('fully autonomous: nobody is asked (R0-102)', async () => {
    expect(await fullyAutonomous()).toEqual(['update_status', 'update_status', 'release_escrow']);
  });

  test('human-supervised: nothing happens without a person (R0-103)', async () => {
    const ann = person('approved');
    expect(await humanSupervised(ann.channel)).toEqual(['update_status']);
    expect(ann.asked).toEqual(['update_status']);
    expect(await humanSupervised(person('rejected').channel)).toEqual([]);
    expect(await humanSupervised(person('timeout').channel)).toEqual([]);
  });

  test('risk-based: routine flows run at once, the others go to a person (R0-104)', async () => {
    const ann = person('approved');
    expect(await riskBased(ann.channel)).toEqual(['update_status', 'update_status', 'release_escrow']);
    expect(ann.asked).toEqual(['release_escrow']);
  });

  test('risk-based: with the operator away the agent idles', async () => {
    const nobody = person();
    expect(await riskBased(nobody.channel, modelOr('cancel_order', 'cancel_order'))).toEqual([]);
    expect(nobody.asked).toEqual(['cancel_order']);
  });

  test('state-dependent: only a large order waits for a person (R0-105)', async () => {
    const ann = person('approved');
    expect(await stateDependent(ann.channel)).toEqual(['update_status', 'update_status', 'release_escrow']);
    expect(ann.asked).toEqual(['update_status']);
    expect(await stateDependent(person('rejected').channel)).toEqual([]);
    const nobody = person();
    expect(await stateDependent(nobody.channel, 'pending_standard')).toHaveLength(3);
    expect(nobody.asked).toEqual([]);
  });

  test.each([
    ['fully-autonomous', '', 'executed: update_status, update_status, release_escrow'],
    ['human-supervised', 'a\n', 'executed: update_status\n'],
    ['human-supervised', 'r\n', 'executed: nothing'],
    ['risk-based', 'approve\n', 'executed: update_status, update_status, release_escrow'],
    ['state-dependent', 'r\n', 'executed: nothing'],
  ])('%s is a program that answers %j', async (name, input, expected) => {
    const file = fileURLToPath(new URL(`${name}.ts`, directory));
    const output = await new Promise<string>((resolve, reject) => {
      const child = execFile(
        process.execPath,
        ['--import', 'tsx', file],
        { timeout: 15_000 },
        (error, stdout, stderr) => (error ? reject(new Error(`${error.message}\n${stderr}`)) : resolve(stdout)),
      );
      child.stdin?.end(input);
    });
    expect(output).toContain(expected);
  });

  test('as data they suspend where their programs ask', async () => {
    const trees = parse(readFileSync(new URL('policies.yaml', directory), 'utf8')) as Record<string, unknown>;
    const contract = new EscrowContract({ Order: 'pending_large', Escrow: 'held' }, {}, () => '2026-02-27T10:00:00Z');
    const [space, snapshot] = [contract.actionSpace('ops'), contract.snapshot()];
    const run = async (name: string, flow: string): Promise<PolicyRun[]> => {
      const runs: PolicyRun[] = [];
      const answers: JournalAnswer[] = [];
      for (;;) {
        const next = await runPolicy(parsePolicyTree(trees[name]), space, snapshot, { pid: 'p', answers });
        runs.push(next);
        if (next.status !== 'suspended') return runs;
        answers.push(
          asksModel(next) ? await askModel(modelOr(flow), next) : answerOfPerson(next, { type: 'approved' }),
        );
      }
    };
    const places = async (name: string, flow: string) =>
      (await run(name, flow)).map((one) =>
        one.status === 'suspended' ? one.place : one.status === 'chosen' && one.action?.flow_id,
      );
    expect(await places('fully-autonomous', 'cancel_order')).toEqual(['llm', 'cancel_order']);
    expect(await places('human-supervised', 'update_status')).toEqual([
      'composite.proposer/llm',
      'composite.approver/human.delegate/llm',
      'composite.approver/human',
      'update_status',
    ]);
    expect(await places('risk-based', 'update_status')).toEqual(['composite.proposer/llm', 'update_status']);
    expect(await places('risk-based', 'cancel_order')).toHaveLength(4);
    expect(await places('state-dependent', '')).toEqual(['composite.approver/human', 'update_status']);
  });
});

describe('the escrow contract', () => {
  const contract = (states: Partial<EscrowContract['states']>, facts = {}) =>
    new EscrowContract({ Order: 'pending_standard', Escrow: 'held', ...states }, facts, () => '2026-02-27T10:00:00Z');

  test('computes spaces and snapshots in the words of the seed', () => {
    const one = contract({ Order: 'delivered' }, { carrier_scan: 'delivered' });
    expect(actionSpace.parse(one.actionSpace('ops'))).toEqual(one.actionSpace('ops'));
    expect(agentSnapshot.parse(one.snapshot())).toEqual(one.snapshot());
    expect(one.actionSpace('ops').actions.map(({ flow_id }) => flow_id)).toEqual(['release_escrow']);
  });

  test.each([
    ['seller', {}, {}, 'cancel_order', 'PersonaNotAuthorized'],
    ['ops', {}, {}, 'release_escrow', 'EntityNotInSourceState'],
    ['ops', { Order: 'delivered' }, {}, 'release_escrow', 'MissingFacts'],
    ['ops', { Order: 'delivered' }, { carrier_scan: 'lost' }, 'release_escrow', 'PreconditionNotMet'],
    [
      'ops',
      { Order: 'delivered' },
      { carrier_scan: 'delivered', complaint: true },
      'release_escrow',
      'PreconditionNotMet',
    ],
  ])('tells %s why %j %j blocks %s', (persona, states, facts, flow, reason) => {
    const blocked = contract(states, facts).actionSpace(persona).blocked_actions;
    expect(blocked?.find(({ flow_id }) => flow_id === flow)?.reason.type).toBe(reason);
  });

  test('news changes what can be done', async () => {
    const one = contract({ Order: 'delivered' }, { carrier_scan: 'delivered' });
    one.observe({ complaint: true });
    const [refund] = one.actionSpace('ops').actions;
    expect(refund?.flow_id).toBe('issue_refund');
    if (refund) await one.execute(refund);
    expect(one.states).toEqual({ Order: 'closed', Escrow: 'refunded' });
    await expect(one.execute(refund ?? { flow_id: 'x', persona_id: 'ops' })).rejects.toThrow('cannot be executed now');
  });
});
