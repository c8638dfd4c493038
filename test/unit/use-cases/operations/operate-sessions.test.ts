/**
 * Checks operations on sessions, the one way to loosen them (A3, A5).
 *
 * Operations are always on the record and announced.
 */
import { expect, test } from 'vitest';
import { memorySessionStore } from '../../../../shared/adapters/memory/stores/session-store.ts';
import { operateNow, outcomeOf } from '../giving-steps.ts';
import { bash, policyOf, World } from '../world.ts';

const say = async (world: World, operation: Record<string, unknown>, operator = 'oncall') => {
  world.gate.operateAs(operator, JSON.stringify({ reason: 'a test', agent: 'coder', session: 'main', ...operation }));
  await world.rest();
};
const row = (world: World) => memorySessionStore(world.gate.parts.state).read('coder', 'main');
const write = (proposalId: string) => ({
  ...bash(proposalId),
  toolName: 'Write',
  input: { file_path: '/workspace/a.ts', content: 'x' },
});

test('the mode of a session is set, given back to the agent, and everybody reads it', async () => {
  const world = new World();
  await say(world, { kind: 'set-mode', operationId: 'o1', mode: 'acceptEdits' });
  await world.send(write('p1'));
  expect((await world.decided('p1')).outcome).toBe('approved');
  expect(world.slack.notices.join('\n')).toContain('set the mode of coder, session main, to acceptEdits');
  const [record] = await world.look.audit.recent('-operations', 10);
  expect(record?.entry).toMatchObject({ type: 'operation', reasonCode: 'mode_acceptEdits', accepted: true });

  await say(world, { kind: 'set-mode', operationId: 'o2', mode: 'agent' });
  expect(await row(world)).not.toHaveProperty('mode');
  // The first one, delivered again, does not undo the second.
  await say(world, { kind: 'set-mode', operationId: 'o1', mode: 'acceptEdits' });
  expect(await row(world)).not.toHaveProperty('mode');
});

test('what people approved for a session is taken back, of one tool or of all', async () => {
  const world = new World();
  await world.send(bash('p1', 'make all'));
  await world.click('p1', 'alice', 'approve', { remember: 'session' });
  await say(world, { kind: 'revoke', operationId: 'o1', tool: 'Write' });
  await world.send(bash('p2', 'make all'));
  expect((await world.decided('p2')).outcome).toBe('approved');
  await say(world, { kind: 'revoke', operationId: 'o2' });
  await world.send(bash('p3', 'make all'));
  expect(await world.decision('p3')).toBeUndefined();
});

test('an operator’s vote may be good for the session', async () => {
  const world = new World();
  await world.send(bash('p1', 'make all'));
  world.gate.operateAs(
    'oncall',
    JSON.stringify({
      kind: 'decide',
      operationId: 'o1',
      agent: 'coder',
      proposalId: 'p1',
      choice: 'approve',
      remember: 'session',
      reason: 'a test',
    }),
  );
  await world.rest();
  await world.send(bash('p2', 'make all'));
  expect((await world.decided('p2')).outcome).toBe('approved');
});

test.each([undefined, 'main'])(
  'bypass is not set while the policy file has it off, and does not wait there for the day when it is on (D2)',
  async (session) => {
    const bypass = { kind: 'set-mode', mode: 'bypass', ...(session === undefined ? {} : { session }) };
    const world = new World();
    expect(await operateNow(world, bypass)).toMatch(/^bypass_is_off .* Not done\. The policy file has bypass off/);
    world.gate.usePolicy(policyOf({ more: 'bypass: { enabled: true }\n' }));
    expect(await outcomeOf(world, bash('p1', 'make all'))).toBe('waits');
    expect(await operateNow(world, bypass)).toMatch(/^mode_bypass /);
    expect(await outcomeOf(world, bash('p2', 'make all two'))).toBe('approved bypass');
  },
);

test('nobody else sets a mode: not an agent, not for an agent that is not there, not to one that is none', async () => {
  const world = new World();
  await world.send({
    kind: 'set-mode',
    operationId: 'o1',
    agent: 'coder',
    session: 'main',
    mode: 'bypass',
    reason: 'x',
  });
  await say(world, { kind: 'set-mode', operationId: 'o2', mode: 'bypass' }, 'stranger');
  await say(world, { kind: 'set-mode', operationId: 'o3', mode: 'yolo' });
  await say(world, { kind: 'set-mode', operationId: 'o4', mode: 'plan', agent: 'nobody' });
  expect(await row(world)).toBeUndefined();
});
