/** Checks batches with a call that a grant answers and one that people answer (A16, A17, A24). */
import { describe, expect, test } from 'vitest';
import { bash, policyOf, World } from '../world.ts';

const batch = (proposalId: string, commands: readonly string[], more: Record<string, unknown> = {}) => ({
  kind: 'tool-call',
  proposalId,
  calls: commands.map((command, index) => ({ id: `c${index}`, toolName: 'Bash', input: { command } })),
  ...more,
});

const revoke = async (world: World, session: string, agent = 'coder') => {
  world.gate.operateAs(
    'oncall',
    JSON.stringify({ kind: 'revoke', operationId: 'take-back', reason: 'wrong', agent, session }),
  );
  await world.rest();
};

async function worldWithGrant(scope: 'session' | 'session-all-tools' = 'session'): Promise<World> {
  const world = new World();
  await world.send(bash('given', 'npm test'));
  await world.click('given', 'alice', 'approve', { remember: scope });
  return world;
}

describe('a batch of a granted call and one that asks', () => {
  test.each([
    ['session', 'npm run build'],
    // A call that a rule asks about is answered by no grant.
    ['session-all-tools', 'git push origin main'],
  ] as const)('with a grant of scope %s is approved when people approve it', async (scope, asks) => {
    const world = await worldWithGrant(scope);
    await world.send(batch('mixed', ['npm test', asks]));
    expect(await world.decision('mixed')).toBeUndefined();
    await world.click('mixed', 'alice');
    const { outcome, calls } = await world.decided('mixed');
    expect([outcome, calls?.map((call) => call.outcome)]).toEqual(['approved', ['approved', 'approved']]);
  });

  test('is superseded when the grant is taken back while people look at it', async () => {
    const world = await worldWithGrant();
    await world.send(batch('mixed', ['npm test', 'npm run build']));
    await revoke(world, 'main');
    await world.click('mixed', 'alice');
    expect((await world.decided('mixed')).outcome).toBe('superseded');
  });

  test('is superseded when the grant ends while people look at it', async () => {
    const world = new World(policyOf({ approvals: '{ approvers: platform, timeout: 4h, remember: 1h }' }));
    await world.send(bash('given', 'npm test'));
    await world.click('given', 'alice', 'approve', { remember: 'session' });
    await world.send(batch('mixed', ['npm test', 'npm run build']));
    await world.clock.advance(2 * 3_600_000);
    await world.click('mixed', 'alice');
    expect((await world.decided('mixed')).outcome).toBe('superseded');
  });

  test('is approved in bubble as well, where the grant is the parent’s', async () => {
    const world = new World(
      policyOf({ agents: '  lead: { owner: olga }\n  helper: { owner: olga, mode: bubble, parents: [lead] }' }),
    );
    const starts = { agentId: 'helper', sessionId: 'h' };
    await world.send(bash('start', 'git status', { starts }), { agent: 'lead' });
    await world.send(bash('given', 'npm test'), { agent: 'lead' });
    await world.click('given', 'alice', 'approve', { agent: 'lead', remember: 'session' });
    await world.send(batch('mixed', ['npm test', 'npm run build'], { sessionId: 'h' }), { agent: 'helper' });
    await world.click('mixed', 'alice', 'approve', { agent: 'helper' });
    expect((await world.decided('mixed', 'helper')).outcome).toBe('approved');
  });
});
