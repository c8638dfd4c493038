/**
 * Checks that an approval for later that was taken back stays so (G16, G27).
 *
 * A crash may delay the decision that writes it.
 */
import { expect, test } from 'vitest';
import { grantsIn } from '../../../../shared/domain/session.ts';
import { bash, World } from '../world.ts';

const MINUTE = 60_000;

/** A world whose runs of `resume` end without a word while `gone`. */
function worldThatLoses() {
  const state = { gone: false };
  const world = new World(undefined, {
    invoke: (name, work) => (state.gone && name === 'resume' ? Promise.reject(new Error('gone')) : work()),
  });
  const revoke = async (more: Record<string, unknown>) => {
    const wanted = { kind: 'revoke', operationId: 'o1', reason: 'enough', agent: 'coder', ...more };
    world.gate.operateAs('oncall', JSON.stringify(wanted));
    await world.rest();
  };
  return { world, state, revoke };
}

const outcomeOf = async (world: World, id: string) => (await world.decision(id))?.outcome ?? 'waits';

test('with the decision on an identical call that waited beside it', async () => {
  const { world, revoke } = worldThatLoses();
  for (const id of ['p1', 'p2']) await world.send(bash(id, 'make all'));
  // The run that decides stops after the first of the two.
  const { approvals, sessions } = world.gate.parts;
  const { read } = approvals;
  approvals.read = async (pid) => {
    if (pid === world.pid('p2')) throw new Error('gone');
    return read.call(approvals, pid);
  };
  await world.click('p1', 'alice', 'approve', { remember: 'session' });
  expect([await outcomeOf(world, 'p1'), await outcomeOf(world, 'p2')]).toEqual(['approved', 'waits']);
  const row = await sessions.read('coder', 'main');
  const [grant] = row ? grantsIn(row, world.clock.now()) : [];
  await revoke({ session: 'main', grant: grant?.id });
  approvals.read = read;
  await world.clock.advance(5 * MINUTE);
  expect(await outcomeOf(world, 'p2')).toBe('approved');
  await world.send(bash('p3', 'make all'));
  expect(await outcomeOf(world, 'p3')).toBe('waits');
});

test.each([
  ['the session', { session: 'main' }, 'main'],
  ['the tool in the session', { session: 'main', tool: 'Bash' }, 'main'],
  ['the agent', {}, 'main'],
  ['a session of which nothing is remembered yet', { session: 'nightly' }, 'nightly'],
])('with the decision itself, where all of %s was taken back', async (_, what, sessionId) => {
  const { world, state, revoke } = worldThatLoses();
  await world.send(bash('p1', 'make all', { sessionId }));
  state.gone = true;
  await world.click('p1', 'alice', 'approve', { remember: 'session' });
  await world.clock.advance(1_000);
  await revoke(what);
  state.gone = false;
  await world.clock.advance(5 * MINUTE);
  expect(await outcomeOf(world, 'p1')).toBe('approved');
  await world.send(bash('p2', 'make all', { sessionId }));
  expect(await outcomeOf(world, 'p2')).toBe('waits');
  // An approval that people give afterwards counts.
  await world.click('p2', 'alice', 'approve', { remember: 'session' });
  await world.send(bash('p3', 'make all', { sessionId }));
  expect(await outcomeOf(world, 'p3')).toBe('approved');
});

test('a session of which nothing is remembered stays an unknown one', async () => {
  const { world, revoke } = worldThatLoses();
  await revoke({ session: 'nightly' });
  await revoke({ session: 'nightly', operationId: 'o2', reason: 'once more' });
  expect(world.slack.notices.at(-1)).toMatch(/Nothing is remembered of a session by this name.*once more/);
});
