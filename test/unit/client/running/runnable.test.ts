/** Checks that a decision read from elsewhere runs nothing without a permit in time. */
import { expect, test } from 'vitest';
import { CountersignClient } from '../../../../shared/client/client.ts';
import { PermitExpiredError } from '../../../../shared/client/index.ts';
import { bash, policyOf, World } from '../../use-cases/world.ts';

test.each([
  ['is over', '2026-11-21T08:59:59.000Z'],
  ['cannot be read', 'soon'],
  ['is empty', ''],
  ['is absent', undefined],
])('a permit whose end %s', async (_, expiresAt) => {
  const world = new World(policyOf());
  await world.send(bash('p1', 'git status'));
  const decision = await world.decided('p1');
  const client = new CountersignClient({ ...world.gate.agentSide('coder'), queueUrl: 'memory', auditTable: 'memory' });
  const action = { toolName: 'Bash', input: { command: 'git status' } };
  expect(client.assertRunnable(decision, 'p1', action).callId).toBe('call');
  const calls = decision.calls.map((call) => ({ ...call, permit: { ...call.permit, expiresAt } }));
  expect(() => client.assertRunnable({ ...decision, calls } as never, 'p1', action)).toThrow(PermitExpiredError);
});

test('an expired permit tells what to do, and that a wrong clock looks the same', () => {
  const error = new PermitExpiredError('p1');
  expect(error).toMatchObject({ name: 'PermitExpiredError', code: 'permit_expired' });
  expect(error.message).toBe(
    'the permit of p1 has expired: propose the call again under a new id. ' +
      'If it was approved just now, the clock of this machine is wrong: set it',
  );
});
