/** Checks the gate for users' tests: rules, scripted people, time, and policies with a mistake. */
import { afterEach, describe, expect, test } from 'vitest';
import { CountersignClient, NotApprovedError } from '../../../shared/client/index.ts';
import {
  type Approver,
  createTestGate,
  FakeClock,
  ScriptedApprover,
  type TestGate,
} from '../../../shared/testing/index.ts';
import { refunds } from '../../examples/own-tests.ts';

const POLICY = `
people:
  olga: { team: T1, user: U1, name: Olga }
  alice: { team: T1, user: U2, name: Alice }
  bob: { team: T1, user: U3, name: Bob }
agents:
  coder: { owner: olga }
channels:
  approvals: { team: T1, id: C1 }
approvers:
  platform: { members: [olga, alice, bob], channel: approvals }
approvals: { approvers: platform, timeout: 1h }
rules:
  deny: ['Bash(rm:*)']
  ask: [Deploy]
  allow: ['Bash(git status:*)']
`;

let gate: TestGate | undefined;
afterEach(() => gate?.stop());

function clientWith(approver?: Approver, clock?: FakeClock) {
  gate = createTestGate({ policy: POLICY, ...(approver ? { approver } : {}), ...(clock ? { clock } : {}) });
  return { gate, client: new CountersignClient(gate.clientOptions('coder')) };
}

test('an agent that the policy file does not declare is named at once, and not waited for', () => {
  const { gate: started } = clientWith();
  expect(() => started.clientOptions('codr')).toThrow(
    'the policy file declares no agent codr; it declares coder; did you mean coder?',
  );
});

test('the example runs: an edited refund is paid as edited, a refused one is not', async () => {
  expect(await refunds()).toEqual([{ order: 7, amount: 20 }]);
});

test('rules decide without people, and the record says so', async () => {
  const approver = new ScriptedApprover([]);
  const { client, gate: started } = clientWith(approver.answer);
  const allowed = await client.propose({ toolName: 'Bash', input: { command: 'git status' } });
  const denied = await client.propose({ toolName: 'Bash', input: { command: 'rm -rf x' } });
  expect((await client.wait(allowed)).outcome).toBe('approved');
  expect((await client.wait(denied)).outcome).toBe('denied');
  expect((await started.record('coder', denied)).map(({ type }) => type)).toEqual(['evaluated']);
  approver.assertDone();
});

test('the first member who does not own the agent answers, unless a name is given', async () => {
  const approver = new ScriptedApprover(['approve', { choice: 'approve', by: 'bob' }]);
  const { client } = clientWith(approver.answer);
  for (const [to, id] of [
    ['staging', 'T1/U2'],
    ['live', 'T1/U3'],
  ]) {
    const decision = await client.wait(await client.propose({ toolName: 'Deploy', input: { to } }));
    expect(decision.decidedBy).toEqual({ type: 'human', id });
  }
});

test('an answerer sees who asks, what for, and with which arguments', async () => {
  const approver = new ScriptedApprover([{ choice: 'reject', reason: 'freeze' }]);
  const { client } = clientWith(approver.answer);
  const deploy = client.gate('Deploy', (input: { version: number }) => input.version);
  await expect(deploy({ version: 3 })).rejects.toBeInstanceOf(NotApprovedError);
  expect(approver.asked).toMatchObject([
    { agent: 'coder', round: 1, question: { kind: 'calls', calls: [{ toolName: 'Deploy' }] } },
  ]);
  expect(approver.asked[0]?.proposal).toMatchObject({ calls: [{ input: { version: 3 } }] });
});

test.each([
  ['approve', 'answer: "approve" is not an object'],
  [{ choice: 'aprove' }, 'answer.choice: "aprove" is not one of approve, reject'],
])('an answer that is none is reported with what it has to be: %j', async (answer, problem) => {
  const reported = new Promise((resolve) => process.once('uncaughtException', resolve));
  const listeners = process.listeners('uncaughtException').slice(0, -1);
  for (const one of listeners) process.off('uncaughtException', one);
  try {
    const { client } = clientWith((() => answer) as never);
    await client.propose({ toolName: 'Deploy', input: { version: 3 } });
    expect(String(await reported)).toContain(problem);
  } finally {
    for (const one of listeners) process.on('uncaughtException', one);
  }
});

describe('a script', () => {
  test('with too few answers fails at the question that has none', () => {
    const question = { agent: 'coder', proposalId: 'p-1' } as Parameters<Approver>[0];
    expect(() => new ScriptedApprover([]).answer(question)).toThrow('no answer 1: coder asked p-1');
  });

  test('with too many answers fails at its end', () => {
    expect(() => new ScriptedApprover(['approve']).assertDone()).toThrow('1 answers, 0 were asked for');
  });
});

test('a question that nobody answers expires when the test says that its time is over', async () => {
  const clock = new FakeClock();
  const { client } = clientWith(undefined, clock);
  const id = await client.propose({ toolName: 'Deploy', input: {} });
  await clock.advance(2 * 60 * 60_000);
  expect((await client.wait(id)).outcome).toBe('expired');
});

test('a policy file with a mistake is refused with its line', () => {
  expect(() => createTestGate({ policy: 'agents: 3' })).toThrow(/countersign\.yaml:1/);
});
